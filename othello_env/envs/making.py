"""Functions that make environments of Othello. Their return types let an editor complete the names of methods."""

from __future__ import annotations

from typing import cast

import gymnasium
from gymnasium.vector import AutoresetMode

from othello_env.envs.rendering import RENDER_MODES
from othello_env.envs.single import GameEnv
from othello_env.envs.vector.env import GameVectorEnv
from othello_env.envs.vector.opponents import Opponents
from othello_env.games.game import check_choice
from othello_env.games.openings import OpeningsSpec
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import named_arguments

__all__ = ["make_env", "make_vec_env"]

_ID = "othello_env/Othello-v0"


@named_arguments
def make_env(
    size: int = 8,
    opponent: Opponents = "random",
    side: str = "random",
    openings: OpeningsSpec = None,
    reward: str = "result",
    strict: bool = False,
    render_mode: str | None = None,
) -> GameEnv[Othello]:
    """Make an environment of Othello against an opponent.

    The result is the environment of ``gymnasium.make("othello_env/Othello-v0", ...)`` without Gymnasium's wrappers.
    This environment needs no wrappers, because it checks the order of calls and the actions itself.

    Args:
        size: the board's height and width, 4, 6 or 8.
        opponent: a spec (text that names an agent, such as ``"alphabeta:depth=2"``), an Agent, a callable, or a dict
            from opponents to weights (one opponent is drawn for each game). `othello_env.envs.GameEnv` explains this
            argument and all later arguments.
        side: the learner's side, ``"black"``, ``"white"`` or ``"random"``.
        openings: where games begin; None for the game's usual start.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises IllegalActionError instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is wrong.

    >>> env = make_env(size=6, opponent="alphabeta:depth=2", side="black")
    >>> observation, info = env.reset(seed=1)
    >>> env.position.to_move
    0
    """
    arguments = locals()
    # Without this check, a mode that is neither text nor None would cause an AttributeError in Gymnasium.
    check_choice("render_mode", render_mode, (None, *RENDER_MODES))
    return cast(GameEnv[Othello], gymnasium.make(_ID, **arguments).unwrapped)


@named_arguments
def make_vec_env(
    num_envs: int = 1,
    size: int = 8,
    opponent: Opponents | None = "random",
    side: str = "random",
    openings: OpeningsSpec = None,
    reward: str = "result",
    strict: bool = False,
    render_mode: str | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    copy: bool = True,
    num_threads: int = 1,
) -> GameVectorEnv[Othello]:
    """Make an environment for a batch of games of Othello.

    The result is the environment of ``gymnasium.make_vec("othello_env/Othello-v0", ...)``.

    Args:
        num_envs: the number of games.
        size: the boards' height and width, 4, 6 or 8.
        opponent: a spec (text that names an agent), an Agent, a callable, a dict from opponents to weights (one
            opponent is drawn for each game), or None for self-play. `othello_env.envs.GameVectorEnv` explains this
            argument and all later arguments.
        side: the learner's side, ``"black"``, ``"white"`` or ``"random"``.
        openings: where games begin; None for the game's usual start.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises IllegalActionError instead of ending the game.
        render_mode: None, ``"rgb_array"`` or ``"ansi"``.
        autoreset_mode: ``"SameStep"``, ``"NextStep"`` or ``"Disabled"``.
        copy: whether every step returns new arrays.
        num_threads: the greatest number of threads that play the games of a step.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is wrong.

    >>> envs = make_vec_env(4, size=6, opponent="random")
    >>> envs.set_opponents({"random": 1.0, "maximizer:eval=count": 3.0})
    >>> observations, info = envs.reset(seed=1)
    >>> observations["observation"].shape
    (4, 2, 6, 6)
    """
    return cast(GameVectorEnv[Othello], gymnasium.make_vec(_ID, **locals()).unwrapped)
