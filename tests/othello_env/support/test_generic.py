"""Generic kernels, lean kernels, and calls of machine code that do not check types.

A lean kernel does not count references to arrays.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from numba.core.errors import TypingError

from othello_env.support.generic import generic, version, version_for
from othello_env.support.jit import entry_point, kernel


class Doubled(NamedTuple):
    factor: int


class Negated(NamedTuple):
    factor: int


class Unknown(NamedTuple):
    factor: int


@generic(lean=True)
def change(rules: Any, numbers: Any, i: int) -> int:
    return int(numbers[i])


@version(change, Doubled)
def _doubled(rules: Any, numbers: Any, i: int) -> int:
    return int(2 * numbers[i] * rules.factor)


@version(change, Negated)
def _negated(rules: Any, numbers: Any, i: int) -> int:
    return int(-numbers[i] * rules.factor)


@kernel
def change_all(rules: Any, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    changed = np.empty_like(numbers)
    for i in range(len(numbers)):
        changed[i] = change(rules, numbers, i)
    return changed


CASES = [(Doubled(3), [6, 12]), (Negated(1), [-1, -2]), (Unknown(5), [1, 2])]


@pytest.mark.nojit
@pytest.mark.parametrize(("rules", "expected"), CASES)
def test_the_class_of_the_first_argument_chooses_the_version(rules, expected):
    assert change_all(rules, np.array([1, 2])).tolist() == expected


@pytest.mark.nojit
def test_another_kernel_is_its_own_version():
    assert version_for(change_all, Doubled) is change_all
    assert version_for(change, Doubled) is _doubled
    assert version_for(change, Unknown) is not change


@pytest.mark.nojit
@pytest.mark.parametrize(("rules", "expected"), CASES)
def test_an_entry_point_does_what_the_kernel_does(rules, expected):
    numbers = np.array([1, 2])
    direct = entry_point(change_all, rules, numbers)
    assert direct(rules, numbers).tolist() == expected
    assert direct(rules, numbers[::-1].copy()).tolist() == expected[::-1]


def test_a_lean_kernel_makes_no_array():
    @kernel(lean=True)
    def make(n: int) -> npt.NDArray[np.float64]:
        return np.empty(n)

    @kernel
    def call(n: int) -> float:
        return float(make(n)[0])

    with pytest.raises(TypingError, match="Only accept returning of array"):
        call(2)
