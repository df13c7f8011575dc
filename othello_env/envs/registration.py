"""Register the environments for `gymnasium.make`, `gymnasium.make_vec` and `pettingzoo.make`."""

import gymnasium
import pettingzoo

__all__ = ["register"]


def register() -> None:
    """Register the environments of all games. `import othello_env` calls this function."""
    for game in ("Othello", "Tribolo", "Checkers"):
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
