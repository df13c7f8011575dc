"""The compiled Othello engine: principal variation search, exact endgames, and analysis of positions.

>>> from othello_agents.engine import Engine
>>> from othello_env import Othello
>>> analysis = Engine(depth=4, eval="weighted").analyse(Othello.from_moves("f5d6c3"))
>>> analysis.depth, analysis.unit
(4, 'points')
"""

from othello_agents.engine.agent import Engine, exact_scores
from othello_agents.engine.analysis import Analysis, Line

__all__ = ["Analysis", "Engine", "Line", "exact_scores"]
