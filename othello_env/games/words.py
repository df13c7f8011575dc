"""Words of the games in which a player captures lines of discs."""

from othello_env.games.game import NotationError, State

__all__ = ["SQUARE", "why_no_capture"]

SQUARE = "[a-z]-?[0-9]{1,2}"
"""What looks like the name of a square in a text that somebody wrote."""


def why_no_capture(state: State, name: str) -> str | None:
    """Why nothing can be placed on the square of this name, or None if there is no such square."""
    try:
        action = state.action_from_text(name)
    except NotationError:
        return None
    row, column = divmod(action, state.observation_shape[2])
    if state.observation(state.to_move)[:, row, column].any():
        return "it is not empty"
    return "no line of the other side ends at one of your own"
