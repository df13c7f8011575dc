"""Matchmaking: the probability that each member is the learner's next opponent, and the random choice of opponents.

Prioritised fictitious self-play (PFSP) comes from the paper by Vinyals et al., "Grandmaster level in StarCraft II using
multi-agent reinforcement learning", Nature 575, 2019. The probability of a member is proportional to its weight. The
weight is a function of x, the learner's score against the member. The functions in `WEIGHTINGS` come from the paper and
from its published pseudocode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

__all__ = ["MATCHMAKING", "WEIGHTINGS", "choose", "pfsp"]

MATCHMAKING = ("pfsp", "uniform", "latest")
"""The rules by which opponents are chosen.

``pfsp``: the probability of a member depends on the learner's score against this member. ``uniform``: all members have
the same probability. ``latest``: the newest snapshot is chosen, or a fixed member if there is no snapshot.
"""

WEIGHTINGS: Mapping[str, Callable[[float], float]] = {
    "hard": lambda x: (1 - x) ** 2,
    "linear": lambda x: 1 - x,
    "capped": lambda x: min(0.5, 1 - x),
    "even": lambda x: x * (1 - x),
}
"""For each name, a function that computes a member's weight from x, the learner's score against the member.

``hard`` strongly prefers members that beat the learner. ``linear`` prefers such members less strongly. ``capped`` gives
the same weight to all members that beat the learner. ``even`` prefers members that are about as strong as the learner.
"""

_LEAST = 1e-10


def pfsp(scores: Sequence[float], weighting: str = "hard") -> list[float]:
    """The probability of each member under prioritised fictitious self-play.

    Args:
        scores: the learner's score against each member, 0 to 1.
        weighting: a name in `WEIGHTINGS`.

    Returns:
        Probabilities that add up to 1. The probabilities are equal if all weights are 0.

    >>> pfsp([0.0, 0.5, 1.0])
    [0.8, 0.2, 0.0]
    """
    weights = [WEIGHTINGS[weighting](score) for score in scores]
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
        ticket = (k + point) / n * bounds[-1]
        while member < len(bounds) - 1 and (ticket >= bounds[member] or probabilities[member] <= 0):
            member += 1
        chosen.append(member)
    return chosen
