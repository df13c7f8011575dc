"""Networks with random weights."""

import pytest
from slow_ntuple import SIZES, symmetric_network


@pytest.fixture(scope="session")
def networks():
    """A network with random weights for each size."""
    return {size: symmetric_network(size) for size in SIZES}


@pytest.fixture(scope="session")
def wide_networks():
    """The same with the patterns of a wide network."""
    return {size: symmetric_network(size, wide=True) for size in SIZES}
