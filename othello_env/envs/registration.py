"""Register the environments for `gymnasium.make`, `gymnasium.make_vec` and `pettingzoo.make`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from othello_env.games.registry import GameSpec, registered_games

if TYPE_CHECKING:
    from othello_env.envs.vector.env import GameVectorEnv
    from othello_env.games.game import State

__all__ = ["game_vector_env", "register"]


def register() -> None:
    """Register the environments of this package's games. `import othello_env` calls this function."""
    for game in registered_games():
        name = game.name
        _register(name.capitalize(), game.longest, game=name)
        if hasattr(pettingzoo, "register"):  # PettingZoo 1.27 and later versions have a registry
            pettingzoo.register("aec", f"othello_env/{name}-v0", entry_point=f"othello_env.{name}_v0:env")
    _register("Othello-flat", GameSpec("othello").definition.longest, game="othello", flat=True)
    _register("Game", None)


def _register(name: str, longest: int | None, **arguments: Any) -> None:
    gymnasium.register(
        f"othello_env/{name}-v0",
        entry_point="othello_env.envs.single:GameEnv",
        vector_entry_point="othello_env.envs.registration:game_vector_env",
        max_episode_steps=longest,
        kwargs=arguments,
    )


def game_vector_env(*, max_episode_steps: int | None = None, **arguments: Any) -> GameVectorEnv[State]:
    """A batch of games. Gymnasium also passes `max_episode_steps`, which no game may reach."""
    from othello_env.envs.vector.env import GameVectorEnv

    env: GameVectorEnv[State] = GameVectorEnv(**arguments)
    longest = env.game.definition.longest
    if max_episode_steps is not None and (longest is None or max_episode_steps < longest):
        raise ValueError(
            f"a batch plays every game to its end: max_episode_steps must be at least {longest}, not "
            f"{max_episode_steps}"
        )
    return env
