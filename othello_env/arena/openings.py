"""The openings with which the games of matches and tournaments begin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import resources

from othello_env.games.game import State, check_text
from othello_env.games.openings import Openings
from othello_env.games.othello.position import Othello

__all__ = [
    "BALANCED",
    "BALANCED_6X6",
    "PACKAGED",
    "balanced_openings",
    "find_openings",
    "packaged_lines",
    "parse_openings",
]

BALANCED = "balanced-v0"
"""The name of the packaged list of openings for Othello on 8x8.

Each opening has 8 plies. After these plies, both sides have nearly equal chances. No two openings are equal under
symmetry.
"""
BALANCED_6X6 = "balanced-6x6-v0"
"""The name of the packaged list of openings for Othello on 6x6.

Each opening has 10 plies. After these plies, the game ends in a draw if both sides play perfectly. No two openings are
equal under symmetry.
"""
PACKAGED = {8: BALANCED, 6: BALANCED_6X6}
"""The names of the packaged lists of openings, by the size of the board."""


def balanced_openings(size: int = 8) -> tuple[str, ...]:
    """The packaged openings as transcripts, in the order of their file.

    A comment in the file says how the openings were made.

    Args:
        size: the board's height and width, 8 or 6.

    Raises:
        ValueError: there are no openings for this size.

    >>> len(balanced_openings())
    500
    """
    if size not in PACKAGED:
        raise ValueError(
            f"the packaged openings are for boards of size {' or '.join(map(str, PACKAGED))}, not {size!r}"
        )
    return packaged_lines("othello_env.arena", f"{PACKAGED[size]}.txt")


def packaged_lines(package: str, file: str) -> tuple[str, ...]:
    """The lines of a text file in a package, without empty lines and lines that begin with ``#``."""
    return parse_openings((resources.files(package) / file).read_text(encoding="utf-8"))


def parse_openings(text: str) -> tuple[str, ...]:
    """The transcripts in the text of a file, which has one transcript on each line.

    Empty lines and lines that begin with ``#`` are skipped.

    Raises:
        TypeError: `text` is not a string.
    """
    lines = check_text(text, "transcripts").splitlines()
    return tuple(line for line in lines if line.strip() and not line.startswith("#"))


def find_openings(openings: str | Sequence[str | State] | None, new_game: Callable[[int], State]) -> Openings:
    """The openings that a text or a list describes.

    Args:
        openings: ``"balanced-v0"``, ``"balanced-6x6-v0"``, or an argument for `othello_env.games.openings.Openings`.
        new_game: a function that takes a random key (an integer) and returns the position in which a game begins.

    Raises:
        ValueError: an opening is wrong, `openings` has weights (games take the openings of a list in turn), or it is a
            packaged list for another game or another size of the board.
    """
    if isinstance(openings, Mapping):
        raise ValueError(f"expected openings without weights, as a list: games take them in turn; got {openings!r}")
    for size, name in PACKAGED.items():
        if openings == name:
            if new_game(0) != Othello(size):
                raise ValueError(f"the openings {name} are for Othello on {size}x{size}")
            return Openings(balanced_openings(size), new_game)
    return Openings(openings, new_game)
