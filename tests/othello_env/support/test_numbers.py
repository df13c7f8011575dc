"""Checks of numbers."""

import numpy as np
import pytest

from othello_env.support.numbers import check_whole


@pytest.mark.parametrize("value", [1, 9, np.int8(4), np.uint64(9)])
def test_whole_numbers_in_range_are_returned_as_ints(value):
    assert type(check_whole("depth", value, 1, 9)) is int
    assert check_whole("depth", value, 1, 9) == value


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (0, ValueError, "depth must be 1 to 9, not 0"),
        (10, ValueError, "depth must be 1 to 9, not 10"),
        (2.0, TypeError, "depth must be a whole number, not 2.0"),
        ("2", TypeError, "depth must be a whole number, not '2'"),
        (None, TypeError, "depth must be a whole number, not None"),
        (True, TypeError, "depth must be a whole number, not True"),
    ],
)
def test_other_values_are_refused(value, error, message):
    with pytest.raises(error, match=message):
        check_whole("depth", value, 1, 9)
