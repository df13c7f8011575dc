"""Other programs as opponents, over the Go Text Protocol in its Othello dialect."""

from othello_agents.gtp.agent import Gtp

__all__ = ["Gtp"]
