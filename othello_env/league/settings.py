"""The settings of a league. A wrong value raises an error."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from othello_env.games.game import check_choice, check_seed
from othello_env.league.matchmaking import MATCHMAKING, WEIGHTINGS
from othello_env.support.numbers import check_whole

__all__ = ["FORGET", "Settings"]

FORGET = ("oldest", "beaten", "crowded")
"""The rules that decide which snapshot of the learner is forgotten (removed) if there are too many snapshots.

``oldest``: the oldest snapshot. ``beaten``: the snapshot against which the learner has the highest score. ``crowded``:
the snapshot whose two neighbours (the snapshots added before and after it) were added closest to each other. With
``crowded``, the remaining snapshots are spread over the whole training. No rule removes the newest snapshot or a frozen
snapshot.
"""

_MOST = 10**9


@dataclass(frozen=True)
class Settings:
    """How a league chooses opponents and forgets snapshots. `othello_env.league.League` explains the settings.

    Raises:
        TypeError: a number has the wrong type.
        ValueError: a setting is wrong.
    """

    matchmaking: str = "pfsp"
    weighting: str = "hard"
    fixed_share: float | None = None
    keep: int | None = None
    forget: str = "oldest"
    freeze_every: int | None = None
    half_life: float = 200.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, choices in (("matchmaking", MATCHMAKING), ("weighting", (*WEIGHTINGS,)), ("forget", FORGET)):
            check_choice(name, getattr(self, name), choices)
        if self.fixed_share is not None:
            object.__setattr__(self, "fixed_share", _real("fixed_share", self.fixed_share, 0, 1))
        for name in ("keep", "freeze_every"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_whole(name, getattr(self, name), 1, _MOST))
        object.__setattr__(self, "half_life", _real("half_life", self.half_life, 0.1, _MOST))
        object.__setattr__(self, "seed", check_seed(self.seed))

    @property
    def decay(self) -> float:
        """Each new game against a member multiplies the weight of the older games by this factor, which is below 1."""
        return float(0.5 ** (1 / self.half_life))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: Any) -> Self:
        """The inverse of `to_json`.

        Raises:
            ValueError: the values are not settings of a league.
        """
        names = [field.name for field in fields(cls)]
        if not isinstance(values, dict) or set(values) != set(names):
            raise ValueError(f"expected the settings {', '.join(names)}")
        try:
            return cls(**values)
        except TypeError as error:
            raise ValueError(str(error)) from None


def _real(name: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {value!r}")
    number = float(value)
    if not (math.isfinite(number) and least <= number <= most):
        raise ValueError(f"{name} must be {least:g} to {most:g}, not {value!r}")
    return number
