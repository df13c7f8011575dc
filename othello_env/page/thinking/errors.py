"""The errors that a think can end with. A think is an agent's work on one request."""

__all__ = ["BusyError", "ClosedError", "ThinkingError"]


class ThinkingError(RuntimeError):
    """The agent failed or thought too long."""


class ClosedError(ThinkingError):
    """The processes in which agents think were closed."""


class BusyError(ThinkingError):
    """One page, or all pages together, sent too many requests at the same time."""
