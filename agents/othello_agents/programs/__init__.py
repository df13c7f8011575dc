"""Agents whose moves come from another program. They speak the Go Text Protocol (for Othello) or NBoard's protocol."""

from othello_agents.programs.gtp import Gtp
from othello_agents.programs.nboard import NBoard

__all__ = ["Gtp", "NBoard"]
