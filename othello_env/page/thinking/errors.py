"""Why a think has no answer."""

__all__ = ["BusyError", "ClosedError", "ThinkingError"]


class ThinkingError(RuntimeError):
    """The agent failed or thought too long."""


class ClosedError(ThinkingError):
    """The thinkers are closed."""


class BusyError(ThinkingError):
    """One page, or all of them together, ask for too much at once."""
