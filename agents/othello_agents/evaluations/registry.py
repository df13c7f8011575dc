"""The registry of evaluations, and the function that finds an evaluation by its name.

A spec is a text that describes an agent, such as ``minimax:eval=weighted``. Its option ``eval`` names a registered
evaluation, or any other function of a position and a player (``eval=path.py:function``,
``eval=package.module:function``). To add an evaluation to this package, define an `Evaluation` in a file, and list it
in `PACKAGED`. To add an evaluation from another package, call `register`.
"""

from types import MappingProxyType
from typing import cast

from othello_agents.evaluations.any_game import count, mobility, standard
from othello_agents.evaluations.checkers import material, positional
from othello_agents.evaluations.description import Evaluate, Evaluation
from othello_agents.evaluations.iago import iago
from othello_agents.evaluations.othello import modified, swh, weighted
from othello_env.support.imports import NotThereError, import_object

__all__ = ["EVALUATIONS", "PACKAGED", "evaluation_name", "find_evaluation", "register"]

PACKAGED = (count, iago, material, mobility, modified, positional, standard, swh, weighted)
"""The evaluations of this package. Their square weights, if they have any, are compiled into the searches."""

_registered: dict[str, Evaluation] = {}
EVALUATIONS: MappingProxyType[str, Evaluation] = MappingProxyType(_registered)
"""All registered evaluations. The keys are their names."""


def register(evaluation: Evaluation) -> None:
    """Add an evaluation to `EVALUATIONS`, so that specs can name the evaluation.

    Raises:
        ValueError: another evaluation has this name.
    """
    if _registered.setdefault(evaluation.name, evaluation) is not evaluation:
        raise ValueError(f"another evaluation is already named {evaluation.name!r}")


for _each in PACKAGED:
    register(_each)


def find_evaluation(x: str | Evaluate) -> Evaluate:
    """The evaluation that a text names. If `x` is a function, it is returned unchanged.

    The text is a registered name, ``path.py:function`` or ``package.module:function``.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: there is no evaluation of that name; the message lists the known names.
        TypeError: x, or the object that x names, cannot be called.
    """
    if isinstance(x, str):
        x = _named(x)
    if not callable(x):
        raise TypeError(f"an evaluation must be a function of a state and a player, not {x!r}")
    return x


def _named(name: str) -> Evaluate:
    if name in EVALUATIONS:
        return EVALUATIONS[name]
    known = f"known are {', '.join(sorted(EVALUATIONS))}, path.py:function and package.module:function"
    try:
        found = import_object(name)
    except NotThereError as error:
        raise ValueError(f"there is no evaluation {name!r} ({error}); {known}") from None
    if found is None:
        raise ValueError(f"there is no evaluation {name!r}; {known}")
    return cast(Evaluate, found)


def evaluation_name(evaluate: Evaluate) -> str:
    """The text with which `find_evaluation` finds this evaluation. If it has no name, the text is its `repr`."""
    if isinstance(evaluate, Evaluation):
        return evaluate.name
    name = getattr(evaluate, "__qualname__", None)
    return repr(evaluate) if name is None else f"{evaluate.__module__}:{name}"
