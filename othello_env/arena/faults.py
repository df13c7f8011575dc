"""Games that an agent lost by no legal answer, as whoever measures it is warned of them."""

import warnings
from collections.abc import Sequence

__all__ = ["FaultWarning", "warn_of_faults"]


class FaultWarning(UserWarning):
    """An agent failed or answered with no legal action; its results say little about how it plays."""


def warn_of_faults(agent: str, what: str, faults: Sequence[str], total: int) -> None:
    """Warn the caller's caller of an agent's faults, if it has any.

    Args:
        agent: its name.
        what: it was asked for: ``"games"``, ``"answers"``.
        faults: why it failed, the first one first.
        total: how many of these there were.
    """
    if faults:
        warnings.warn(
            f"{agent} failed in {len(faults)} of {total} {what}; the first: {faults[0].strip()}",
            FaultWarning,
            stacklevel=3,
        )
