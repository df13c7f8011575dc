"""Kernels with an implementation for each class of the first argument."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from othello_env.support.dispatch import dispatched, implementation
from othello_env.support.jit import kernel


class Doubled(NamedTuple):
    factor: int


class Negated(NamedTuple):
    factor: int


class Unknown(NamedTuple):
    factor: int


class Inherited(Doubled):
    """A variant that replaces nothing."""


class Incremented(Doubled):
    """A variant whose implementation calls that of its base."""


@dispatched(no_refcount=True)
def change(rules: Any, numbers: Any, i: int) -> int:
    return int(numbers[i])


@implementation(change, Doubled)
def _doubled(rules: Any, numbers: Any, i: int) -> int:
    return int(2 * numbers[i] * rules.factor)


@implementation(change, Negated)
def _negated(rules: Any, numbers: Any, i: int) -> int:
    return int(-numbers[i] * rules.factor)


@implementation(change, Incremented)
def _incremented(rules: Any, numbers: Any, i: int) -> int:
    return change(Doubled(rules.factor), numbers, i) + 1


@kernel
def change_all(rules: Any, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    changed = np.empty_like(numbers)
    for i in range(len(numbers)):
        changed[i] = change(rules, numbers, i)
    return changed


CASES = [
    (Doubled(3), [6, 12]),
    (Negated(1), [-1, -2]),
    (Unknown(5), [1, 2]),
    (Inherited(3), [6, 12]),
    (Incremented(3), [7, 13]),
]


@pytest.mark.nojit
@pytest.mark.parametrize(("rules", "expected"), CASES)
def test_the_class_of_the_first_argument_chooses_the_implementation(rules, expected):
    assert change_all(rules, np.array([1, 2])).tolist() == expected
