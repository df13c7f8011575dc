"""Othello for people who train agents: compiled rules, environments, opponents and a benchmark."""

from importlib.metadata import version
from typing import TYPE_CHECKING

from othello_env import drawing
from othello_env.agent import Agent, AgentError, SpecError, WrongGameError, make_agent
from othello_env.envs.conventions import IgnoredMaskWarning
from othello_env.envs.registration import register
from othello_env.envs.sampling import sample_legal
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import IllegalActionError, NotationError, State
from othello_env.games.othello import symmetries
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello
from othello_env.games.registry import Game, register_game
from othello_env.games.tribolo.position import Tribolo
from othello_env.support.extras import MissingExtraError
from othello_env.support.imports import later

if TYPE_CHECKING:
    from othello_env.arena import measure_positions, place, play_match, play_tournament, run_benchmark
    from othello_env.envs import GameEnv, GameVectorEnv, make_env, make_vec_env, self_play_advantages

__all__ = [
    "Agent",
    "AgentError",
    "Checkers",
    "Game",
    "GameEnv",
    "GameVectorEnv",
    "IgnoredMaskWarning",
    "IllegalActionError",
    "MissingExtraError",
    "NotationError",
    "Othello",
    "OthelloPositions",
    "SpecError",
    "State",
    "Tribolo",
    "WrongGameError",
    "make_agent",
    "make_env",
    "make_vec_env",
    "measure_positions",
    "place",
    "play_match",
    "play_tournament",
    "register_game",
    "run_benchmark",
    "sample_legal",
    "self_play_advantages",
    "symmetries",
]

__version__ = version("othello-env")

if not TYPE_CHECKING:  # if type checkers saw `__getattr__`, they would accept any name, even a wrong one
    __getattr__ = later(
        __name__,
        {
            "othello_env.arena": ("measure_positions", "place", "play_match", "play_tournament", "run_benchmark"),
            "othello_env.envs": (
                "GameEnv",
                "GameVectorEnv",
                "make_env",
                "make_vec_env",
                "self_play_advantages",
            ),
        },
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


State.svg_renderer = staticmethod(drawing.svg)
register()
