"""Othello for people who train agents: rules at machine speed, environments, opponents, a benchmark."""

from importlib.metadata import version

from othello_env import drawing, symmetries
from othello_env.agent import Agent, AgentError, SpecError, WrongGameError, make_agent
from othello_env.envs.conventions import IgnoredMaskWarning
from othello_env.envs.registration import register
from othello_env.envs.sampling import sample_legal
from othello_env.extras import MissingExtraError
from othello_env.games.checkers import Checkers
from othello_env.games.game import IllegalActionError, NotationError, State
from othello_env.games.othello import Othello, OthelloBatch
from othello_env.games.tribolo import Tribolo

__all__ = [
    "Agent",
    "AgentError",
    "Checkers",
    "IgnoredMaskWarning",
    "IllegalActionError",
    "MissingExtraError",
    "NotationError",
    "Othello",
    "OthelloBatch",
    "SpecError",
    "State",
    "Tribolo",
    "WrongGameError",
    "make_agent",
    "sample_legal",
    "symmetries",
]

__version__ = version("othello-env")

State.svg_renderer = staticmethod(drawing.svg)
register()
