"""The openings with which the games of matches and tournaments begin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources

from othello_env.games.game import State, check_text
from othello_env.games.hashing import mix_int
from othello_env.games.openings import Openings
from othello_env.games.othello.position import Othello

__all__ = ["BALANCED", "balanced_openings", "find_openings", "opening_start", "packaged_lines", "parse_openings"]

BALANCED = "balanced-v0"
"""The name of the packaged list of openings for Othello on 8x8.

Each opening has 8 plies. After these plies, both sides have nearly equal chances. No two openings are equal under
symmetry.
"""


def balanced_openings() -> tuple[str, ...]:
    """The packaged openings as transcripts, in the order of their file.

    A comment in the file says how the openings were made.

    >>> len(balanced_openings())
    500
    """
    return packaged_lines("othello_env.arena", f"{BALANCED}.txt")


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
        openings: ``"balanced-v0"``, or an argument for `othello_env.games.openings.Openings`.
        new_game: a function that takes a random key (an integer) and returns the position in which a game begins.

    Raises:
        ValueError: an opening is wrong, or `openings` is the packaged list and the game is not Othello on 8x8.
    """
    if openings != BALANCED:
        return Openings(openings, new_game)
    if new_game(0) != Othello():
        raise ValueError(f"the openings {BALANCED} are for Othello on 8x8")
    return Openings(balanced_openings(), new_game)


def opening_start(openings: Openings, seed: int, number: int) -> tuple[State, int]:
    """The position after the opening with this number, and the key that determines the random moves of the opening.

    If the openings are a list, they are used in turn: after the last opening, the first opening follows again.
    """
    key = mix_int(mix_int(seed, 0), number)
    given = openings.positions
    return given[number % len(given)] if given else openings.draw(key), key
