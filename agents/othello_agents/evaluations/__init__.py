"""Evaluations: functions that give the value of a position for a player.

An `Evaluation` is such a function together with its description. All searches use this description.
"""

from othello_agents.evaluations.boards import count, material, mobility, modified, positional, standard, swh, weighted
from othello_agents.evaluations.iago import iago
from othello_agents.evaluations.registry import (
    EVALUATIONS,
    Evaluate,
    Evaluation,
    evaluation,
    evaluation_name,
    find_evaluation,
    register,
)

__all__ = [
    "EVALUATIONS",
    "PACKAGED",
    "Evaluate",
    "Evaluation",
    "count",
    "evaluation",
    "evaluation_name",
    "find_evaluation",
    "iago",
    "material",
    "mobility",
    "modified",
    "positional",
    "register",
    "standard",
    "swh",
    "weighted",
]

PACKAGED = (count, iago, material, mobility, modified, positional, standard, swh, weighted)
"""The evaluations of this package. Their square weights, if they have any, are compiled into the searches."""

for _each in PACKAGED:
    register(_each)
