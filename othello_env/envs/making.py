"""Functions that make environments of Othello. Their return types let an editor complete the names of methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import gymnasium

from othello_env.envs.conventions import check_names
from othello_env.envs.othello import OthelloEnv, OthelloVectorEnv
from othello_env.envs.rendering import RENDER_MODES
from othello_env.games.game import check_choice

__all__ = ["make_env", "make_vec_env"]

_ID = "othello_env/Othello-v0"
_P = ParamSpec("_P")
_T = TypeVar("_T")


def _with_parameters_of(env: Callable[_P, Any]) -> Callable[[Callable[[dict[str, Any]], _T]], Callable[_P, _T]]:
    """A decorator that gives a function the parameters of `env`.

    The decorated function collects all arguments in one dict, and calls the original function with this dict.
    """
    signature = inspect.signature(env)

    def mark(make: Callable[[dict[str, Any]], _T]) -> Callable[_P, _T]:
        def made(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            check_names(env, kwargs)
            return make(signature.bind(*args, **kwargs).arguments)

        made.__name__, made.__qualname__ = make.__name__, make.__qualname__
        made.__doc__, made.__module__ = make.__doc__, make.__module__
        made.__signature__ = signature.replace(  # type: ignore[attr-defined]  # inspect reads it
            return_annotation=inspect.signature(make).return_annotation
        )
        return made

    return mark


@_with_parameters_of(OthelloEnv)
def make_env(arguments: dict[str, Any]) -> OthelloEnv:
    """Make an environment of Othello against an opponent. The arguments are those of `OthelloEnv`.

    The result is the environment of ``gymnasium.make("othello_env/Othello-v0", ...)`` without Gymnasium's wrappers.
    This environment needs no wrappers, because it checks the order of calls and the actions itself.

    >>> env = make_env(size=6, opponent="alphabeta:depth=2", side="black")
    >>> observation, info = env.reset(seed=1)
    >>> env.position.to_move
    0
    """
    # Without this check, a mode that is neither text nor None would cause an AttributeError in Gymnasium.
    check_choice("render_mode", arguments.get("render_mode"), (None, *RENDER_MODES))
    env = gymnasium.make(_ID, **arguments).unwrapped
    assert isinstance(env, OthelloEnv)
    return env


@_with_parameters_of(OthelloVectorEnv)
def make_vec_env(arguments: dict[str, Any]) -> OthelloVectorEnv:
    """Make an environment for a batch of games of Othello. The arguments are those of `OthelloVectorEnv`.

    The result is the environment of ``gymnasium.make_vec("othello_env/Othello-v0", ...)``.

    >>> envs = make_vec_env(4, size=6, opponent="random")
    >>> envs.set_opponents({"random": 1.0, "maximizer:eval=count": 3.0})
    >>> observations, info = envs.reset(seed=1)
    >>> observations["observation"].shape
    (4, 2, 6, 6)
    """
    env = gymnasium.make_vec(_ID, **arguments).unwrapped
    assert isinstance(env, OthelloVectorEnv)
    return env
