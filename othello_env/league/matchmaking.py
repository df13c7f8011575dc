"""How a league chooses the learner's next opponents.

Prioritised fictitious self-play (PFSP) comes from the paper by Vinyals et al., "Grandmaster level in StarCraft II using
multi-agent reinforcement learning", Nature 575, 2019. The probability of a member is proportional to (1 - x)^2, where x
is the learner's score against the member: the learner mostly meets members that beat it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import msgspec

from othello_env.games.game import check_choice, check_seed
from othello_env.league.members import Member
from othello_env.support.numbers import check_real, check_whole

__all__ = [
    "MATCHMAKING",
    "Settings",
    "choose",
    "pfsp",
    "probabilities",
]

MATCHMAKING = ("pfsp", "uniform", "latest")
"""The rules by which opponents are chosen.

``pfsp``: the probability of a member depends on the learner's score against this member. ``uniform``: all members have
the same probability. ``latest``: the newest snapshot is chosen, or a fixed member if there is no snapshot.
"""

_LEAST = 1e-10
_MOST = 10**9


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a league chooses opponents and keeps snapshots. `othello_env.league.League` explains the settings.

    Raises:
        TypeError: a number has the wrong type.
        ValueError: a setting is wrong.
    """

    matchmaking: str
    fixed_share: float | None
    keep: int | None
    half_life: float
    seed: int

    def __post_init__(self) -> None:
        check_choice("matchmaking", self.matchmaking, MATCHMAKING)
        change = msgspec.structs.force_setattr
        if self.fixed_share is not None:
            change(self, "fixed_share", check_real("fixed_share", self.fixed_share, 0, 1))
        if self.keep is not None:
            change(self, "keep", check_whole("keep", self.keep, 1, _MOST))
        change(self, "half_life", check_real("half_life", self.half_life, 0.1, _MOST))
        change(self, "seed", check_seed(self.seed))

    @property
    def decay(self) -> float:
        """Each new game against a member multiplies the weight of the older games by this factor, which is below 1."""
        return float(0.5 ** (1 / self.half_life))


def probabilities(members: Sequence[Member], settings: Settings) -> dict[str, float]:
    """The probability that each member is drawn as an opponent, by name. There must be at least one member."""
    fixed = [member for member in members if member.fixed]
    snapshots = [member for member in members if not member.fixed]
    if not snapshots or not fixed:
        return _weighed(members, settings)
    share = settings.fixed_share
    if share is None and settings.matchmaking != "latest":
        return _weighed(members, settings)
    parts = ((fixed, share or 0.0), (snapshots, 1 - (share or 0.0)))
    return {name: part * p for group, part in parts for name, p in _weighed(group, settings).items()}


def _weighed(group: Sequence[Member], settings: Settings) -> dict[str, float]:
    """A dict from each member's name to its probability within a group of members. The probabilities add up to 1."""
    if settings.matchmaking == "pfsp":
        shares = pfsp([member.score for member in group])
    elif settings.matchmaking == "latest" and not group[-1].fixed:
        shares = [*[0.0] * (len(group) - 1), 1.0]
    else:
        shares = [1 / len(group)] * len(group)
    if any(member.weight != 1 for member in group):
        shares = [p * member.weight for p, member in zip(shares, group, strict=True)]
        shares = [p / sum(shares) for p in shares]
    return dict(zip((member.name for member in group), shares, strict=True))


def pfsp(scores: Sequence[float]) -> list[float]:
    """The probability of each member under prioritised fictitious self-play, from the learner's scores, 0 to 1.

    The probabilities add up to 1. They are equal if the learner's scores are all 1.

    >>> pfsp([0.0, 0.5, 1.0])
    [0.8, 0.2, 0.0]
    """
    weights = [(1 - score) ** 2 for score in scores]
    total = sum(weights)
    if total < _LEAST:
        return [1 / len(weights)] * len(weights)
    return [weight / total for weight in weights]


def choose(probabilities: Sequence[float], n: int, point: float) -> list[int]:
    """Choose n members by systematic sampling, in proportion to their probabilities.

    A member with the probability p is chosen ``n * p`` times on average. A single call chooses the member ``n * p``
    times, rounded down or up. Source: Carpenter, Clifford, Fearnhead, Improved particle filter for nonlinear problems,
    IEE Proceedings 146, 1999.

    Args:
        probabilities: the probability of each member; they add up to 1.
        n: the number of choices.
        point: a uniform random number, at least 0 and below 1. It determines all choices.

    Returns:
        The n indices of the chosen members, ascending. If a member is chosen twice, the list has its index twice.

    >>> choose([0.5, 0.25, 0.25], 4, 0.5)
    [0, 0, 1, 2]
    """
    bounds = [*accumulate(probabilities)]
    chosen, member = [], 0
    for k in range(n):
        place = (k + point) / n * bounds[-1]
        while member < len(bounds) - 1 and (place >= bounds[member] or probabilities[member] <= 0):
            member += 1
        chosen.append(member)
    return chosen
