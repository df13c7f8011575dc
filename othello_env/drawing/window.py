"""A window that shows pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.support.extras import import_extra
from othello_env.support.numbers import check_whole

__all__ = ["Window"]


class Window:
    """A window on the screen. It opens when the first picture is shown.

    All `Window` objects of a process share one window on the screen, which shows the last picture. If one object closes
    this window, the next picture of another object opens the window again.

    Args:
        fps: the largest number of pictures per second. If pictures come faster, `show` waits.

    Raises:
        MissingExtraError: the extra `window` is not installed.
        TypeError, ValueError: `fps` is not a whole number of at least 1.
    """

    def __init__(self, fps: int) -> None:
        self._pygame = import_extra("pygame", "window")
        self._fps = check_whole("fps", fps, 1)
        self._screen: Any = None
        self._clock: Any = None

    def show(self, pixels: npt.NDArray[np.uint8]) -> None:
        """Show an RGB picture, (H, W, 3) uint8."""
        size = (pixels.shape[1], pixels.shape[0])
        if not self._is_open() or self._screen.get_size() != size:
            self._pygame.display.init()
            self._pygame.display.set_caption("othello-env")
            self._screen = self._pygame.display.set_mode(size)
            self._clock = self._pygame.time.Clock()
        self._pygame.surfarray.blit_array(self._screen, pixels.swapaxes(0, 1))
        self._pygame.display.flip()
        self._pygame.event.pump()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close the window, if one is open."""
        if self._is_open():
            self._pygame.display.quit()
        self._screen = None

    def _is_open(self) -> bool:
        """Whether `_screen` is still open. A process has only one screen, and another `Window` may have closed it."""
        return self._screen is not None and self._pygame.display.get_surface() is self._screen
