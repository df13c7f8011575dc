"""Names of Othello openings on 8x8.

The names are from Robert Gatliff's table of Othello openings, which WZebra and other programs show. Several public
copies of the table were compared. A name is included here only if these copies give the name to the same moves.

Each line of the table has a sequence of moves that begins with c4, and the name of the position after these moves. The
position keeps its name if other moves lead to it, or if it is turned or mirrored.
"""

from __future__ import annotations

from functools import cache

from othello_env.games.othello.position import Othello
from othello_env.games.othello.symmetries import COUNT, transform_actions

__all__ = ["OPENING_NAMES", "opening_name"]

OPENING_NAMES = {
    "c4c3": "Diagonal",
    "c4c5": "Parallel",
    "c4e3": "Perpendicular",
    "c4c3d3c5b2": "X-square",
    "c4c3d3c5b3f3": "Lysons",
    "c4c3d3c5d6f4b4": "Bat",
    "c4c3d3c5d6f4f5": "Rose-v-Toth",
    "c4c3d3c5d6f4f5d2": "Tanida",
    "c4c3d3c5d6f4f5d2b5": "Aircraft, or Feldborg",
    "c4c3d3c5d6f4f5d2g4d7": "Sailboat",
    "c4c3d3c5d6f4f5e6c6d7": "Maruoka",
    "c4c3d3c5d6f4f5e6f6": "Landau",
    "c4c3d3c5f6": "Buffalo, or Kenichi variation",
    "c4c3d3c5f6e2c6": "Maruoka Buffalo",
    "c4c3d3c5f6e3c6f5f4g5": "Tanida Buffalo",
    "c4c3d3c5f6f5": "Hokuriku Buffalo",
    "c4c3e6c5": "Wing variation",
    "c4c3f5c5": "Semi-wing variation",
    "c4e3f4c5d6e6": "Mimura",
    "c4e3f4c5d6f3c6": "Shaman, or Danish",
    "c4e3f4c5d6f3d3": "Inoue",
    "c4e3f4c5d6f3d3c3": "Iago",
    "c4e3f4c5d6f3e2": "Bhagat",
    "c4e3f4c5d6f3e6c3d3e2": "Rose",
    "c4e3f4c5d6f3e6c3d3e2b5": "Flat",
    "c4e3f4c5d6f3e6c3d3e2b5f5": "Rotating Flat",
    "c4e3f4c5d6f3e6c3d3e2b5f5b3": "Murakami variation",
    "c4e3f4c5d6f3e6c3d3e2b6f5": "Rose-Birth",
    "c4e3f4c5d6f3e6c3d3e2b6f5b4f6g5d7": "Brightstein",
    "c4e3f4c5d6f3e6c3d3e2b6f5g5": "Rose-Birdie, or Rose-Tamenori",
    "c4e3f4c5d6f3e6c3d3e2d2": "Greenberg, or Dawg",
    "c4e3f4c5d6f3e6c6": "Ralle",
    "c4e3f4c5e6": "Horse",
    "c4e3f5b4": "Ganglion, or No-Cat",
    "c4e3f5b4f3": "Swallow",
    "c4e3f5e6d3": "Italian",
    "c4e3f5e6f4": "Cat",
    "c4e3f5e6f4c5d6c6f7f3": "Sakaguchi",
    "c4e3f5e6f4c5d6c6f7g5g6": "Berner",
    "c4e3f6b4": "Bent Ganglion",
    "c4e3f6e6f5": "Tiger",
    "c4e3f6e6f5c5c3": "Stephenson",
    "c4e3f6e6f5c5c3b4": "No-Kung",
    "c4e3f6e6f5c5c3c6": "Comp'Oth",
    "c4e3f6e6f5c5c3g5": "Kung",
    "c4e3f6e6f5c5d3": "Leader's Tiger",
}
"""The names of positions. Each key is the sequence of moves that leads to the position."""


def opening_name(state: Othello) -> str | None:
    """The name of the opening that leads to this position, or None if the position has no name.

    >>> opening_name(Othello.from_moves("f5d6c3d3c4"))
    'Tiger'
    """
    return _names().get(state) if state.size == 8 else None


@cache
def _names() -> dict[Othello, str]:
    """The names of the positions and of their mirror images.

    A symmetry is used only if it does not change the start position.
    """
    start, names = Othello(), {}
    for moves, name in OPENING_NAMES.items():
        actions = start.play_transcript(moves).moves
        for symmetry in range(COUNT):
            state = start
            try:
                for action in transform_actions(list(actions), symmetry).tolist():
                    state = state.play(action)
            except ValueError:  # this symmetry swaps the colours of the start, so the moves are not legal
                continue
            names[state] = name
    return names
