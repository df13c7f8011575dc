"""Perfect play on 4x4 and 6x6.

>>> from othello_agents.perfect import Perfect
>>> from othello_env import Othello
>>> Perfect().score(Othello(4))  # Black loses
-10
"""

from othello_agents.perfect.agent import Perfect
from othello_agents.perfect.book import Book

__all__ = ["Book", "Perfect"]
