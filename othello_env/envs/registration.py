"""Makes the environments known to `gymnasium.make`, `gymnasium.make_vec` and `pettingzoo.make`."""

import gymnasium
import pettingzoo

__all__ = ["register"]


def register() -> None:
    """Register every game; importing `othello_env` calls this once."""
    gymnasium.register(
        "othello_env/Othello-v0",
        entry_point="othello_env.envs.single:OthelloEnv",
        vector_entry_point="othello_env.envs.vector.env:OthelloVectorEnv",
    )
    gymnasium.register("othello_env/Tribolo-v0", entry_point="othello_env.envs.family:TriboloEnv")
    gymnasium.register("othello_env/Checkers-v0", entry_point="othello_env.envs.family:CheckersEnv")
    if hasattr(pettingzoo, "register"):  # the registry came with PettingZoo 1.27
        for game in ("othello", "tribolo", "checkers"):
            pettingzoo.register("aec", f"othello_env/{game}-v0", entry_point=f"othello_env.{game}_v0:env")
