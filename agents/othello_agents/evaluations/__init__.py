"""What a position is worth to a player: the textbook evaluations of each game, and how a spec finds one."""

from othello_agents.evaluations.checkers import material, positional
from othello_agents.evaluations.iago import iago
from othello_agents.evaluations.othello import modified, swh, weighted
from othello_agents.evaluations.registry import (
    EVALUATIONS,
    Evaluate,
    count,
    evaluation_name,
    find_evaluation,
    mobility,
    standard,
)

__all__ = [
    "EVALUATIONS",
    "Evaluate",
    "count",
    "evaluation_name",
    "find_evaluation",
    "iago",
    "material",
    "mobility",
    "modified",
    "positional",
    "standard",
    "swh",
    "weighted",
]
