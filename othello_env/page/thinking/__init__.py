"""Processes in which agents think for the page. The time for each answer is limited."""

from othello_env.page.thinking.errors import AgentFailedError, BusyError, ClosedError, ThinkingError
from othello_env.page.thinking.thinkers import Thinkers

__all__ = ["AgentFailedError", "BusyError", "ClosedError", "Thinkers", "ThinkingError"]
