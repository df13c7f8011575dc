"""Agents that let another program play, over the Go Text Protocol (Othello dialect) or over NBoard's protocol."""

from othello_agents.programs.gtp import Gtp
from othello_agents.programs.nboard import NBoard

__all__ = ["Gtp", "NBoard"]
