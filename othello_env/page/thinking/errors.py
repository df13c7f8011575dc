"""The errors that can end a think. A think is an agent's work on one request."""

import asyncio
from typing import Any

__all__ = ["AgentFailedError", "BusyError", "ClosedError", "ThinkingError", "take_error"]


def take_error(task: asyncio.Task[Any]) -> None:
    """A callback for a task whose error nobody needs. Without this callback, asyncio would log the error."""
    if not task.cancelled():
        task.exception()


class ThinkingError(RuntimeError):
    """The agent failed or thought too long."""


class AgentFailedError(ThinkingError):
    """The agent itself raised an error. The same request would fail again, unless the agent's file changes."""


class ClosedError(ThinkingError):
    """The server closes, so its processes for agents have ended."""


class BusyError(ThinkingError):
    """One page waits for too many answers, or too many pages wait for answers."""
