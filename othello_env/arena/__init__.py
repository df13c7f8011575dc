"""Agents against agents: games, matches and what they show."""

from othello_env.arena.faults import FaultWarning

__all__ = ["FaultWarning"]
