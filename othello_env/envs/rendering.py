"""Draw an environment's position as text, as pixels or in a window."""

from __future__ import annotations

from typing import Any

import gymnasium

from othello_env import drawing
from othello_env.games.game import State, check_choice

__all__ = ["RENDER_FPS", "RENDER_MODES", "Renderer"]

RENDER_MODES = ["human", "rgb_array", "ansi"]
RENDER_FPS = 2


class Renderer:
    """Draws positions in one of the render modes.

    Args:
        mode: ``"ansi"`` (text), ``"rgb_array"`` ((H, W, 3) uint8), ``"human"`` (a window) or None.

    Raises:
        ValueError: there is no such mode.
        MissingExtraError: the mode is ``"human"`` and the extra `window` is not installed.
    """

    def __init__(self, mode: str | None) -> None:
        check_choice("render_mode", mode, (None, *RENDER_MODES))
        self.mode = mode
        self._window = drawing.Window(RENDER_FPS) if mode == "human" else None

    def render(self, state: State) -> Any:
        """Draw a position, and return it as a text or as an array, as the mode requires.

        The mode ``"human"`` shows the position in a window and returns None. If the mode is None, nothing is drawn.
        """
        if self._window is not None:
            self._window.show(drawing.pixels(state))
            return None
        if self.mode == "rgb_array":
            return drawing.pixels(state)
        if self.mode == "ansi":
            return drawing.text(state)
        gymnasium.logger.warn(f"render() shows nothing: set render_mode to one of {', '.join(RENDER_MODES)}")
        return None

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
