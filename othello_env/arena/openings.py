"""The packaged lists of openings."""

from __future__ import annotations

from importlib import resources

from othello_env.games.game import check_text

__all__ = [
    "BALANCED",
    "balanced_openings",
    "packaged_lines",
    "parse_openings",
]

BALANCED = {
    "balanced-v0": "othello",
    "balanced-v1": "othello",
    "balanced-6x6-v0": "othello:size=6",
    "balanced-checkers-v0": "checkers",
}
"""The packaged lists of openings: the name, and the game.

No two openings of a list are equal under symmetry.

- `balanced-v0`: 500 openings of 8 plies, after which both sides have nearly equal chances. The ladder uses them.
- `balanced-v1`: 10,000 openings of 10 plies of the same kind. Games begin at a place of the list that the seed chooses,
  so matches with other seeds are other games, also between agents without random choices.
- `balanced-6x6-v0`: 250 openings of 10 plies. The game ends in a draw if both sides play perfectly.
- `balanced-checkers-v0`: 500 openings of 6 plies. `alphabeta:depth=8` finds at most a quarter of a man for one side.
"""


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
