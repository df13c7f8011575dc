"""A weak solution of 6x6 Othello: a file of positions with a best move for each.

If a player always plays the moves of the file, the file has every position that this player can meet. Late positions
are left out (see `covers` in `Book`). The file is an ``.npz`` archive of five arrays. `own` and `opponent`, (N,)
uint64, are the discs of the player to move and of the opponent in N positions. The positions are in ascending order of
the pairs (own, opponent). A position and its mirror images are stored only once, as the canonical image (see
`canonical_key`). `score`, (N,) int8, is the exact score for the player to move. `action`, (N,) uint8, is a best
action. `card` is a JSON text with the name of this format, the size of the board and the dict `covers` (see `Book`).
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from othello_env.games.othello import bitboard, symmetries
from othello_env.games.othello.position import Othello
from othello_env.support.arrays import DAMAGE, Member
from othello_env.support.files import parse_json, read_file, write_file

__all__ = ["FORMAT", "Book", "canonical_key", "mirror_images", "shipped_book"]

FORMAT = "othello-env perfect play 1"
"""The name of the format in a file's card."""

_SIZE = 6
_MOST = 1 << 18  # positions
_LONGEST_CARD = 1 << 16  # characters
_LARGEST_FILE = 64 << 20  # bytes
_DTYPES = {"own": np.uint64, "opponent": np.uint64, "score": np.int8, "action": np.uint8}

_Key = tuple[int, int]
"""The discs of a position's canonical mirror image: those of the player to move and those of the opponent."""


_PLACES = np.argsort(
    [symmetries.transform_actions(np.arange(64), k, 8) for k in range(symmetries.COUNT)], axis=1
)  # for each symmetry, the square that comes to each square


def mirror_images(own: int, opponent: int) -> list[_Key]:
    """The eight mirror images of a position, in the order of the board's `symmetries`."""
    bits = np.unpackbits(np.array([own, opponent], "<u8").view(np.uint8).reshape(2, 8), axis=1, bitorder="little")
    images = np.packbits(bits[:, _PLACES], axis=2, bitorder="little").view("<u8")[..., 0]  # (2, 8)
    return list(zip(*images.tolist(), strict=True))


def canonical_key(own: int, opponent: int) -> tuple[_Key, int]:
    """The mirror image with the smallest pair (own, opponent), and the number of the symmetry that makes this image."""
    images = mirror_images(own, opponent)
    best = min(images)
    return best, images.index(best)


class Book:
    """Solved 6x6 positions. All mirror images of a position have one key, their canonical image.

    Args:
        solved: a dict from each key to the score for the player to move and a best action in the canonical image.
        covers: how far into the game the book reaches, as a dict from a player's name to a number of empty squares.
            For example, ``{"black": 22}`` means that Black can play from the book until 22 squares are empty. For a
            player who is not in the dict, nothing is guaranteed.
    """

    def __init__(
        self, solved: Mapping[_Key, tuple[int, int]] | None = None, covers: Mapping[str, int] | None = None
    ) -> None:
        self._solved = dict(solved or {})
        self.covers = dict(covers or {})

    def __len__(self) -> int:
        return len(self._solved)

    def keys(self) -> list[_Key]:
        """The canonical positions, in ascending order."""
        return sorted(self._solved)

    @staticmethod
    def key(state: Othello) -> _Key:
        """The canonical mirror image of a position."""
        return canonical_key(state.own, state.opponent)[0]

    def find(self, state: Othello) -> tuple[int, int] | None:
        """The score for the player to move and a best action; None if the position is not in the book."""
        key, symmetry = canonical_key(state.own, state.opponent)
        if state.size != _SIZE or key not in self._solved:
            return None
        score, action = self._solved[key]
        return score, int(symmetries.transform_actions(action, symmetries.inverse(symmetry), _SIZE))

    def add(self, state: Othello, score: int, action: int) -> None:
        """Add a solved position."""
        key, symmetry = canonical_key(state.own, state.opponent)
        self._solved[key] = score, int(symmetries.transform_actions(action, symmetry, _SIZE))

    def save(self, path: str | Path, covers: Mapping[str, int] | None = None) -> None:
        """Write the book to a file, completely or not at all. The same book always gives the same bytes.

        If `covers` is given, it first replaces the `covers` of the book.

        Raises:
            OSError: the file cannot be written.
        """
        self.covers = dict(self.covers if covers is None else covers)
        keys = self.keys()
        columns = zip(*((*key, *self._solved[key]) for key in keys), strict=True) if keys else [()] * len(_DTYPES)
        own, opponent, score, action = (
            np.array(column, dtype) for dtype, column in zip(_DTYPES.values(), columns, strict=True)
        )
        card = {"format": FORMAT, "size": _SIZE, "covers": self.covers}
        out = io.BytesIO()
        np.savez_compressed(
            out, own=own, opponent=opponent, score=score, action=action, card=np.array(json.dumps(card))
        )
        write_file(path, out.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """Read a book.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file holds no book, or is damaged.
        """
        return cls.read(io.BytesIO(read_file(path, _LARGEST_FILE)), str(path))

    @classmethod
    def read(cls, file: IO[bytes], name: str) -> Book:
        """Read a book from an open file. Error messages call the file `name`.

        Raises:
            ValueError: the file holds no book, or is damaged.
        """
        try:
            return cls._read(file)
        except KeyError as error:
            raise ValueError(f"{name!r} holds no perfect play: it has no {error}") from None
        except DAMAGE as error:
            raise ValueError(f"{name!r} holds no perfect play: {error}") from None

    @classmethod
    def _read(cls, file: IO[bytes]) -> Book:
        with zipfile.ZipFile(file) as archive:
            card = Member(archive, "card")
            if card.dtype.kind != "U" or card.shape != () or card.dtype.itemsize > 4 * _LONGEST_CARD:
                raise ValueError("its card is not a short text")
            covers = _covers(parse_json(str(card.read()[()])))
            columns = {name: Member(archive, name) for name in _DTYPES}
            shape = columns["own"].shape
            if len(shape) != 1 or shape[0] > _MOST:
                raise ValueError(f"expected at most {_MOST} positions, got shape {shape}")
            for column, (label, dtype) in zip(columns.values(), _DTYPES.items(), strict=True):
                if column.dtype != dtype or column.shape != shape:
                    raise ValueError(
                        f"expected {label} of shape {shape} and dtype {np.dtype(dtype)}, got {column.shape}, "
                        f"{column.dtype}"
                    )
            own, opponent, score, action = (column.read() for column in columns.values())
        _check(own, opponent, score, action)
        rows = zip(own.tolist(), opponent.tolist(), score.tolist(), action.tolist(), strict=True)
        return cls({(p, o): (value, move) for p, o, value, move in rows}, covers)


def _covers(card: Any) -> dict[str, int]:
    """The dict `covers` of a card (see `Book`).

    Raises:
        ValueError: the card belongs to another kind of file.
    """
    if not isinstance(card, dict) or card.get("format") != FORMAT or card.get("size") != _SIZE:
        raise ValueError(f"its card does not say {FORMAT!r} for size {_SIZE}")
    covers = card.get("covers")
    if not isinstance(covers, dict) or not all(
        name in Othello.player_names and type(number) is int and 0 <= number <= _SIZE**2
        for name, number in covers.items()
    ):
        raise ValueError("the numbers 'covers' in its card are missing or wrong")
    return covers


def _check(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    score: npt.NDArray[np.int8],
    action: npt.NDArray[np.uint8],
) -> None:
    """Check that all positions are on the board, and that all actions are legal and all scores possible.

    Raises:
        ValueError: a position, an action or a score is wrong.
    """
    board = bitboard.BOARDS[_SIZE]
    if (own & opponent).any() or ((own | opponent) & ~board).any():
        raise ValueError("its positions are not on the board")
    discs = np.array(bitboard.ACTION_BITS[_SIZE], np.uint64)  # the pass has the entry 0, so the check refuses it
    chosen = discs[np.minimum(action, _SIZE**2)]
    if not (bitboard.legal_moves_batch(own, opponent, board) & chosen).all():
        raise ValueError("its actions are not all legal")
    if (score % 2).any() or (np.abs(score.astype(np.int64)) > _SIZE**2).any():
        raise ValueError("its scores are not all even numbers from -36 to 36")


@cache
def shipped_book() -> Book:
    """The book that comes with the package.

    Raises:
        OSError: the file is missing; the message names it.
        ValueError: the file is damaged; the message names it.
    """
    file = resources.files("othello_agents") / "weights" / "perfect_6x6.npz"
    with file.open("rb") as opened:
        return Book.read(opened, str(file))
