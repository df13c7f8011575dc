"""The openings with which the games of matches and tournaments begin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import resources

from othello_env.games.game import State, check_text
from othello_env.games.hashing import mix_int
from othello_env.games.openings import Openings
from othello_env.games.othello.position import Othello

__all__ = [
    "BALANCED",
    "balanced_openings",
    "find_openings",
    "packaged_lines",
    "parse_openings",
]

BALANCED = {"balanced-v0": 8, "balanced-v1": 8, "balanced-6x6-v0": 6}
"""The packaged lists of openings: the name, and the size of the board.

No two openings of a list are equal under symmetry.

- `balanced-v0`: 500 openings of 8 plies, after which both sides have nearly equal chances. The ladder uses them.
- `balanced-v1`: 10,000 openings of 10 plies of the same kind. Games begin at a place of the list that the seed chooses,
  so matches with other seeds are other games, also between agents without random choices.
- `balanced-6x6-v0`: 250 openings of 10 plies. The game ends in a draw if both sides play perfectly.
"""
_DRAWN = "balanced-v1"


def balanced_openings(name: str = "balanced-v0") -> tuple[str, ...]:
    """The packaged openings as transcripts, in the order of their file.

    A comment in the file says how the openings were made.

    Args:
        name: a name in `BALANCED`.

    Raises:
        ValueError: there is no list with this name.

    >>> len(balanced_openings()), len(balanced_openings("balanced-v1"))
    (500, 10000)
    """
    if name not in BALANCED:
        raise ValueError(f"the packaged openings are {', '.join(BALANCED)}, not {name!r}")
    return packaged_lines("othello_env.arena", f"{name}.txt")


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


def find_openings(
    openings: str | Sequence[str | State] | None,
    new_game: Callable[[int], State],
    seed: int = 0,
    most: int | None = None,
) -> Openings:
    """The openings that a text or a list describes.

    Args:
        openings: a name in `BALANCED`, or an argument for `othello_env.games.openings.Openings`.
        new_game: a function that takes a random key (an integer) and returns the position in which a game begins.
        seed: chooses where games begin in the list ``balanced-v1``.
        most: of ``balanced-v1``, at most this number of openings is read; None for all.

    Raises:
        ValueError: an opening is wrong, `openings` has weights (games take the openings of a list in turn), or it is a
            packaged list for another game or another size of the board.
    """
    if isinstance(openings, Mapping):
        raise ValueError(f"expected openings without weights, as a list: games take them in turn; got {openings!r}")
    if not isinstance(openings, str) or openings not in BALANCED:
        return Openings(openings, new_game)
    size = BALANCED[openings]
    if new_game(0) != Othello(size):
        raise ValueError(f"the openings {openings} are for Othello on {size}x{size}")
    lines = balanced_openings(openings)
    if openings == _DRAWN:
        first = mix_int(seed, 0) % len(lines)
        lines = (lines[first:] + lines[:first])[:most]
    return Openings(lines, new_game)
