"""A fixture for all tests of environments: an exact comparison of infos."""

import numpy as np
import pytest


def same(found, expected, name="info"):
    """Assert that an entry of an info is the expected one, in keys, types, shapes, dtypes and numbers."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), name
        for key in expected:
            same(found[key], expected[key], f"{name}[{key!r}]")
    elif isinstance(expected, np.ndarray) and expected.dtype == object:
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
        for i, each in enumerate(expected):
            same(found[i], each, f"{name}[{i}]")
    elif isinstance(expected, np.ndarray | np.number):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
        np.testing.assert_array_equal(found, expected, err_msg=name)
    else:
        assert found is expected, name


@pytest.fixture(scope="session")
def assert_same_info():
    """The function `assert_same_info(found, expected)`."""
    return same
