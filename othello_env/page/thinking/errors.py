"""The reasons why a think has no answer. A think is one request to an agent."""

__all__ = ["BusyError", "ClosedError", "ThinkingError"]


class ThinkingError(RuntimeError):
    """The agent failed or thought too long."""


class ClosedError(ThinkingError):
    """The thinkers are closed."""


class BusyError(ThinkingError):
    """One page, or all pages together, ask for too much at once."""
