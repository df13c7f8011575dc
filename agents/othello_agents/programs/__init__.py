"""Other programs as opponents: over the Go Text Protocol in its Othello dialect, and over NBoard's protocol."""

from othello_agents.programs.gtp import Gtp
from othello_agents.programs.nboard import NBoard

__all__ = ["Gtp", "NBoard"]
