"""The warning about an agent's failures."""

import warnings
from collections.abc import Sequence

__all__ = ["FaultWarning", "warn_of_faults"]


class FaultWarning(UserWarning):
    """An agent failed or answered with an illegal action. So the agent's results say little about its strength."""


def warn_of_faults(agent: str, what: str, faults: Sequence[str], total: int) -> None:
    """Give a `FaultWarning` if there are faults.

    Args:
        agent: the agent's name.
        what: what the agent was asked for, ``"games"`` or ``"answers"``.
        faults: the reason for each failure. The warning quotes the first reason.
        total: the number of games or answers that the agent was asked for.
    """
    if faults:
        told = f"{agent} failed in {len(faults)} of {total} {what}; the first: {faults[0].strip()}"
        warnings.warn(told, FaultWarning, stacklevel=4)  # the caller of a function such as `play_match`
