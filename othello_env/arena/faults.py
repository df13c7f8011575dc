"""The warning about an agent's failures."""

import inspect
import warnings
from collections.abc import Sequence
from pathlib import Path

__all__ = ["FaultWarning", "warn_of_faults"]

_PACKAGE = Path(__file__).parents[1]


class FaultWarning(UserWarning):
    """An agent failed or answered with an illegal action. So the agent's results say little about its strength."""


def warn_of_faults(agent: str, what: str, faults: Sequence[str], total: int) -> None:
    """Give a `FaultWarning` if there are faults. The warning shows the line of code that called this package.

    Args:
        agent: the agent's name.
        what: what the agent was asked for, ``"games"`` or ``"answers"``.
        faults: the reason for each failure. The warning quotes the first reason.
        total: the number of games or answers that the agent was asked for.
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
