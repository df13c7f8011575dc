"""Makes the environments known to `gymnasium.make`, `gymnasium.make_vec` and `pettingzoo.make`."""

import gymnasium
import pettingzoo

__all__ = ["register"]


def register() -> None:
    """Register every game; importing `othello_env` calls this once."""
    gymnasium.register(
        "othello_env/Othello-v0",
        entry_point="othello_env.envs.single:OthelloEnv",
        vector_entry_point="othello_env.envs.vector:OthelloVectorEnv",
    )
    if hasattr(pettingzoo, "register"):  # the registry came with PettingZoo 1.27
        pettingzoo.register("aec", "othello_env/othello-v0", entry_point="othello_env.othello_v0:env")
