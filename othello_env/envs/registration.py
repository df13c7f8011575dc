"""Register the environments for `gymnasium.make`, `gymnasium.make_vec` and `pettingzoo.make`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from othello_env.envs.flat import OthelloFlatVectorEnv
    from othello_env.envs.othello import OthelloVectorEnv

__all__ = ["OTHELLO_STEPS", "othello_flat_vector", "othello_vector", "register"]

OTHELLO_STEPS = 64
"""`max_episode_steps` of Othello: no game against an opponent has so many steps, so none is truncated.

Each step of the learner either places one of at most 60 discs, or is a pass, after which the opponent places one. A
position of one's own may have up to 62 empty squares. Tribolo and checkers have no such number: it would depend on the
board and on the rule for draws.
"""


def register() -> None:
    """Register the environments of all games. `import othello_env` calls this function."""
    gymnasium.register(
        "othello_env/Othello-v0",
        entry_point="othello_env.envs.othello:OthelloEnv",
        vector_entry_point="othello_env.envs.registration:othello_vector",
        max_episode_steps=OTHELLO_STEPS,
    )
    gymnasium.register(
        "othello_env/Othello-flat-v0",
        entry_point="othello_env.envs.flat:OthelloFlatEnv",
        vector_entry_point="othello_env.envs.registration:othello_flat_vector",
        max_episode_steps=OTHELLO_STEPS,
    )
    for game in ("Tribolo", "Checkers"):
        room = f"othello_env.envs.{game.lower()}"
        gymnasium.register(
            f"othello_env/{game}-v0",
            entry_point=f"{room}:{game}Env",
            vector_entry_point=f"{room}:{game}VectorEnv",
        )
    gymnasium.register(
        "othello_env/Game-v0",
        entry_point="othello_env.envs.registered:GameEnv",
        vector_entry_point="othello_env.envs.registered:GameVectorEnv",
    )
    if hasattr(pettingzoo, "register"):  # PettingZoo 1.27 and later versions have a registry
        for game in ("othello", "tribolo", "checkers"):
            pettingzoo.register("aec", f"othello_env/{game}-v0", entry_point=f"othello_env.{game}_v0:env")


def othello_vector(*, max_episode_steps: int = OTHELLO_STEPS, **arguments: Any) -> OthelloVectorEnv:
    """The batch of ``othello_env/Othello-v0``. Gymnasium also passes `max_episode_steps`, which no game reaches."""
    from othello_env.envs.othello import OthelloVectorEnv

    _check_steps(max_episode_steps)
    return OthelloVectorEnv(**arguments)


def othello_flat_vector(*, max_episode_steps: int = OTHELLO_STEPS, **arguments: Any) -> OthelloFlatVectorEnv:
    """The batch of ``othello_env/Othello-flat-v0``; see `othello_vector`."""
    from othello_env.envs.flat import OthelloFlatVectorEnv

    _check_steps(max_episode_steps)
    return OthelloFlatVectorEnv(**arguments)


def _check_steps(max_episode_steps: int) -> None:
    if max_episode_steps < OTHELLO_STEPS:
        raise ValueError(
            f"a batch plays every game to its end: max_episode_steps must be at least {OTHELLO_STEPS}, not "
            f"{max_episode_steps}"
        )
