"""Draw a game as an animated GIF, or as an HTML page on which a person steps through the game."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

import numpy as np
from PIL import Image

from othello_env.drawing.picture import pixels, svg
from othello_env.games.game import State, check_text
from othello_env.support.numbers import check_each, check_real, check_type

__all__ = ["gif", "html", "positions"]

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


def html(states: Sequence[State], title: str = "", cell: int = 56, values: Sequence[Mapping[int, float]] = ()) -> str:
    """An HTML page that replays a game. Buttons and keys control the replay. The page needs no other file.

    Args:
        states: the positions, from the first to the last.
        title: the page's title; by default the game's name.
        cell: the side of a square in pixels, 8 to 512.
        values: for each position, a mapping from legal actions to their values for the player to move, which are
            written on the squares. By default, no values are written.

    Raises:
        ValueError: there are no positions, a position after the first was not reached by a move, `cell` is out of
            range, `values` and `states` have different lengths, an action is not legal, or a value is NaN.
        TypeError: an argument is of the wrong type.
    """
    check_text(title, "a title")
    states = _checked(states)
    if not all(state.moves for state in states[1:]):
        raise ValueError("expected positions that follow each other, got a position without moves after the first")
    pictures = [svg(state, cell, numbers) for state, numbers in _with_values(states, values)]
    lines: dict[str, int] = {}
    frames = [[lines.setdefault(line, len(lines)) for line in picture.splitlines()] for picture in pictures]
    names = [before.action_to_text(after.moves[-1]) for before, after in pairwise(states)]
    data = json.dumps({"lines": list(lines), "frames": frames, "moves": ["start", *names]}, separators=(",", ":"))
    data = data.replace("<", "\\u003c")  # without this, the text </script> in the data would end the script early
    parts = {"TITLE": escape(title or type(states[0]).__name__), "DATA": data}
    return re.sub(
        "TITLE|DATA", lambda match: parts[match[0]], _PAGE
    )  # one call replaces TITLE and DATA; a second call would also replace the word DATA in a title


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


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>TITLE</title>
<style>
:root { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif; }
body { margin: 0 auto; padding: .5rem 1rem; max-width: 44rem; text-align: center; }
h1 { font-size: 1.2rem; margin: 0 0 .4rem; }
p { margin: .3rem 0; }
svg { width: 100%; height: auto; max-height: max(12rem, 100vh - 11rem); border-radius: 6px; }
button { font: inherit; min-width: 3rem; padding: .4rem .8rem; }
input { width: 100%; }
</style>
</head>
<body>
<h1>TITLE</h1>
<div id="board"></div>
<p id="move" aria-live="polite"></p>
<input id="ply" type="range" min="0" value="0" aria-label="ply">
<p><button data-step="-1" aria-label="back">&#9664;</button>
<button id="play">Play</button>
<button data-step="1" aria-label="forward">&#9654;</button></p>
<script>
const game = DATA;
const board = document.getElementById("board"), ply = document.getElementById("ply");
const last = game.frames.length - 1;
let timer = null;
ply.max = last;
function show(at) {
  const place = Math.max(0, Math.min(last, at));
  const text = game.frames[place].map(line => game.lines[line]).join("\\n");
  board.replaceChildren(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
  document.getElementById("move").textContent = `${place}/${last}: ${game.moves[place]}`;
  ply.value = place;
  if (place === last) stop();
}
function stop() { clearInterval(timer); timer = null; document.getElementById("play").textContent = "Play"; }
ply.addEventListener("input", () => show(+ply.value));
for (const button of document.querySelectorAll("[data-step]")) {
  button.addEventListener("click", () => { stop(); show(+ply.value + +button.dataset.step); });
}
document.getElementById("play").addEventListener("click", event => {
  if (timer) { stop(); return; }
  event.target.textContent = "Stop";
  if (+ply.value === last) show(0);
  timer = setInterval(() => show(+ply.value + 1), 700);
});
addEventListener("keydown", event => {
  if (event.target === ply) return;
  if (event.key === "ArrowLeft") { stop(); show(+ply.value - 1); }
  if (event.key === "ArrowRight") { stop(); show(+ply.value + 1); }
});
show(0);
</script>
</body>
</html>
"""
