"""Environments for PettingZoo, Gymnasium (one game or a batch of games), TorchRL and Stable-Baselines3."""

from typing import TYPE_CHECKING

from othello_env.support.imports import later

if TYPE_CHECKING:
    from othello_env.envs.aec import AECGame
    from othello_env.envs.checkers import CheckersEnv, CheckersVectorEnv
    from othello_env.envs.conventions import IgnoredMaskWarning
    from othello_env.envs.making import make_env, make_vec_env
    from othello_env.envs.othello import OthelloEnv, OthelloVectorEnv
    from othello_env.envs.registered import GameAEC, GameEnv, GameVectorEnv
    from othello_env.envs.returns import self_play_advantages
    from othello_env.envs.sampling import sample_legal
    from othello_env.envs.sb3 import OthelloVecEnv
    from othello_env.envs.single import SingleGame
    from othello_env.envs.torchrl import SelfPlayGAE, TorchRLEnv
    from othello_env.envs.tribolo import TriboloEnv, TriboloVectorEnv
    from othello_env.envs.vector.env import VectorGames

__all__ = [
    "AECGame",
    "CheckersEnv",
    "CheckersVectorEnv",
    "GameAEC",
    "GameEnv",
    "GameVectorEnv",
    "IgnoredMaskWarning",
    "OthelloEnv",
    "OthelloVecEnv",
    "OthelloVectorEnv",
    "SelfPlayGAE",
    "SingleGame",
    "TorchRLEnv",
    "TriboloEnv",
    "TriboloVectorEnv",
    "VectorGames",
    "make_env",
    "make_vec_env",
    "sample_legal",
    "self_play_advantages",
]

if not TYPE_CHECKING:  # if type checkers saw `__getattr__`, they would accept any name of the module
    __getattr__ = later(
        __name__,
        {
            "othello_env.envs.aec": ("AECGame",),
            "othello_env.envs.checkers": ("CheckersEnv", "CheckersVectorEnv"),
            "othello_env.envs.conventions": ("IgnoredMaskWarning",),
            "othello_env.envs.making": ("make_env", "make_vec_env"),
            "othello_env.envs.othello": ("OthelloEnv", "OthelloVectorEnv"),
            "othello_env.envs.registered": ("GameAEC", "GameEnv", "GameVectorEnv"),
            "othello_env.envs.returns": ("self_play_advantages",),
            "othello_env.envs.sampling": ("sample_legal",),
            "othello_env.envs.sb3": ("OthelloVecEnv",),
            "othello_env.envs.single": ("SingleGame",),
            "othello_env.envs.torchrl": ("SelfPlayGAE", "TorchRLEnv"),
            "othello_env.envs.tribolo": ("TriboloEnv", "TriboloVectorEnv"),
            "othello_env.envs.vector.env": ("VectorGames",),
        },
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
