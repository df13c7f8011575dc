"""Draw a game as an animated GIF."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import numpy as np
from PIL import Image

from othello_env.drawing.picture import pixels
from othello_env.games.game import State
from othello_env.support.numbers import check_each, check_real, check_type

__all__ = ["gif", "positions"]

_MOST_SECONDS = 163
"""A GIF can show a picture for 655 seconds. The last picture is shown for four times `seconds`."""


def positions(state: State, start: State) -> list[State]:
    """The positions of the game from `start` to `state`. The list includes `start` and `state`.

    Raises:
        IllegalActionError: a move of the game is illegal when it is replayed from `start`.
    """
    check_type("state", state, State)
    return check_type("start", start, State).positions(state.moves[len(start.moves) :])


def gif(
    states: Sequence[State],
    cell: int = 40,
    seconds: float = 0.7,
    values: Sequence[Mapping[int, float]] = (),
    *,
    turned: bool = False,
) -> bytes:
    """An animated GIF that repeats a game. It shows the last position four times as long as each earlier position.

    Args:
        states: the positions, from the first to the last.
        cell: the side of a square in pixels, 8 to 512.
        seconds: the time for which each position before the last is shown, 0 to 163 seconds.
        values: for each position, a mapping from legal actions to their values for the player to move, which are
            written on the squares. By default, no values are written.
        turned: whether the board is seen from its other side.

    Raises:
        ValueError: there are no positions, `cell` or `seconds` is out of range, `values` and `states` have different
            lengths, an action is not legal, or a value is NaN.
        TypeError: an argument is of the wrong type.
    """
    seconds = check_real("seconds", seconds, 0, _MOST_SECONDS)
    shown = _with_values(states, values)
    frames = [Image.fromarray(pixels(state, cell, numbers, turned=turned)) for state, numbers in shown]
    # All frames share one palette, so that colours do not flicker. The palette includes rare colours, such as the
    # colour of the last move's mark.
    colours = {colour for frame in frames for _, colour in frame.getcolors(frame.width * frame.height) or ()}
    swatch = Image.fromarray(np.array([sorted(colours)], np.uint8))
    palette = swatch.quantize(256, method=Image.Quantize.MAXCOVERAGE)
    indexed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    durations = [round(1000 * seconds)] * (len(frames) - 1) + [round(4000 * seconds)]
    out = io.BytesIO()
    indexed[0].save(
        out, "GIF", save_all=True, append_images=indexed[1:], duration=durations, loop=0, optimize=False, disposal=1
    )
    return out.getvalue()


def _checked(states: Sequence[State]) -> list[State]:
    checked = list(check_each("states", states, State))
    if not checked:
        raise ValueError("a replay needs at least one position")
    return checked


def _with_values(
    states: Sequence[State], values: Sequence[Mapping[int, float]]
) -> list[tuple[State, Mapping[int, float]]]:
    states = _checked(states)
    if len(values) and len(values) != len(states):
        raise ValueError(f"expected values for {len(states)} positions, got {len(values)}")
    return list(zip(states, values or [{}] * len(states), strict=True))
