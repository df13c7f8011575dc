"""Processes in which agents think for the page. Each answer has a limit of time."""

from othello_env.page.thinking.errors import AgentFailedError, BusyError, ClosedError, ThinkingError
from othello_env.page.thinking.thinkers import Thinkers

__all__ = ["AgentFailedError", "BusyError", "ClosedError", "Thinkers", "ThinkingError"]
