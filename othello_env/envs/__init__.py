"""Environments for PettingZoo, Gymnasium (one game or a batch of games), TorchRL and Stable-Baselines3."""

from typing import TYPE_CHECKING

from othello_env.support.imports import later

if TYPE_CHECKING:
    from othello_env.envs.aec import GameAEC
    from othello_env.envs.conventions import IgnoredMaskWarning
    from othello_env.envs.making import make_env, make_vec_env
    from othello_env.envs.returns import self_play_advantages
    from othello_env.envs.sampling import sample_legal
    from othello_env.envs.sb3 import OthelloVecEnv
    from othello_env.envs.single import GameEnv
    from othello_env.envs.torchrl import SelfPlayGAE, TorchRLEnv
    from othello_env.envs.vector.env import GameVectorEnv

__all__ = [
    "GameAEC",
    "GameEnv",
    "GameVectorEnv",
    "IgnoredMaskWarning",
    "OthelloVecEnv",
    "SelfPlayGAE",
    "TorchRLEnv",
    "make_env",
    "make_vec_env",
    "sample_legal",
    "self_play_advantages",
]

if not TYPE_CHECKING:  # if type checkers saw `__getattr__`, they would accept any name of the module
    __getattr__ = later(
        __name__,
        {
            "othello_env.envs.aec": ("GameAEC",),
            "othello_env.envs.conventions": ("IgnoredMaskWarning",),
            "othello_env.envs.making": ("make_env", "make_vec_env"),
            "othello_env.envs.returns": ("self_play_advantages",),
            "othello_env.envs.sampling": ("sample_legal",),
            "othello_env.envs.sb3": ("OthelloVecEnv",),
            "othello_env.envs.single": ("GameEnv",),
            "othello_env.envs.torchrl": ("SelfPlayGAE", "TorchRLEnv"),
            "othello_env.envs.vector.env": ("GameVectorEnv",),
        },
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
