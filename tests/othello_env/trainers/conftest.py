"""PyTorch with one thread."""

import pytest


@pytest.fixture
def one_thread():
    """PyTorch computes with one thread, so that a seed repeats a run and other tests are not slowed down."""
    torch = pytest.importorskip("torch", reason="sets the number of PyTorch's threads")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
