"""Games that an agent lost by no legal answer, as whoever measures it is warned of them."""

import inspect
import warnings
from collections.abc import Sequence
from pathlib import Path

__all__ = ["FaultWarning", "warn_of_faults"]

_PACKAGE = Path(__file__).parents[1]


class FaultWarning(UserWarning):
    """An agent failed or answered with no legal action; its results say little about how it plays."""


def warn_of_faults(agent: str, what: str, faults: Sequence[str], total: int) -> None:
    """Warn whoever called this package of an agent's faults, if it has any.

    Args:
        agent: its name.
        what: it was asked for: ``"games"``, ``"answers"``.
        faults: why it failed, the first one first.
        total: how many of these there were.
    """
    if faults:
        level, frame = 1, inspect.currentframe()
        while frame is not None and Path(frame.f_code.co_filename).is_relative_to(_PACKAGE):
            level, frame = level + 1, frame.f_back
        warnings.warn(
            f"{agent} failed in {len(faults)} of {total} {what}; the first: {faults[0].strip()}",
            FaultWarning,
            stacklevel=level,
        )
