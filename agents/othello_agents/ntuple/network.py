"""An evaluation by lookup tables over board patterns (an n-tuple network), and the file that stores it.

A pattern is a tuple of k squares. Its table has a weight for each of the 3**k ways to fill the squares. The board's
symmetries map a pattern to up to eight placements, which share its table. On all board sizes, the patterns are similar
to those of the program Logistello (Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for
Othello", 1997). A wide network, such as the one that the search of the agent `engine` uses on 8x8, has four more
patterns at each corner.

A placement's configuration is a number in balanced ternary (with the digits -1, 0 and 1). An own disc on square number
i of the placement (counted from 0) adds 3**i to the configuration, and an opponent's disc subtracts 3**i. From the
other side's point of view, the configuration has the opposite sign. Each square has a fixed vector with one number for
each placement (see `Layout.deltas`). A new disc on the square adds or subtracts this vector, and a turned disc adds or
subtracts it twice. So a move changes all configurations by a few additions of vectors.

Another table covers the whole board. Its configuration is the number of own discs minus the number of the opponent's
discs. With this table, the network sees that a player has few discs and may lose all of them.

Some patterns are symmetric: a symmetry of the board maps a placement of the pattern to the same squares in another
order. Then this placement can have one configuration in a position, and another configuration in the position's mirror
image. The weights of these two configurations must be equal, so learning changes both weights in the same way.
`Layout.mirrors` lists such pairs.

The file is an ``.npz`` archive with the weights and a card. The card is a JSON text that describes the weights.

Letters for shapes: S stages of the game, P placements, L lanes (P rounded up to a multiple of 16), W weights in a
stage.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from reprlib import repr as short
from typing import IO, Any, Self

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple import kernels
from othello_env.agent import WrongGameError
from othello_env.games.game import State
from othello_env.games.othello import bitboard, symmetries
from othello_env.games.othello.bitboard import ACTION_SQUARES
from othello_env.games.othello.position import Othello, check_size
from othello_env.support.arrays import DAMAGE, Member
from othello_env.support.files import parse_json, read_file, write_file
from othello_env.support.numbers import check_flag

__all__ = ["FORMAT", "Layout", "NTupleNetwork", "layout", "shapes"]

_LANES = 16  # configurations are padded to a multiple of this number, so that they fill whole vector registers


@dataclass(frozen=True, eq=False)
class Layout:
    """All placements of the patterns on a board, as the arrays that compiled functions read.

    Attributes:
        size: the board's size.
        wide: whether the four further patterns at each corner are among the patterns.
        patterns: for each pattern its name and squares (0-63).
        weights: W, the number of weights in a stage of the game. Each pattern has a table of weights. The tables follow
            one another. After them comes the table for the whole board.
        deltas: (64, L) int16, the number that an own disc on a square adds to each placement's configuration; 0 in the
            lanes after the last placement.
        offsets: (P,) int64. With the configuration c, placement p looks up weight number offsets[p] + c of a stage.
            Placements of the same pattern follow one another.
        looked_up: P, the number of placements.
    """

    size: int
    wide: bool
    patterns: tuple[tuple[str, tuple[int, ...]], ...]
    weights: int
    deltas: npt.NDArray[np.int16]
    offsets: npt.NDArray[np.int64]
    looked_up: int

    @cached_property
    def mirrors(self) -> npt.NDArray[np.int32]:
        """The index of each weight's mirror image among the weights of a stage, (W,).

        Two weights that must be equal are mirror images of each other. A weight without a mirror image has its own
        index.
        """
        mirrors = np.arange(self.weights, dtype=np.int32)
        start = 0
        for actions in shapes(self.size, self.wide).values():
            squares, count = _squares(actions, 0, self.size), 3 ** len(actions)
            digits = np.arange(count)[:, np.newaxis] // 3 ** np.arange(len(squares)) % 3
            for k in range(symmetries.COUNT):
                image = _squares(actions, k, self.size)
                if image != squares and set(image) == set(squares):
                    order = [squares.index(square) for square in image]
                    mirrors[start : start + count] = start + digits[:, order] @ 3 ** np.arange(len(squares))
            start += count
        return mirrors

    def first_images(self) -> npt.NDArray[np.int64]:
        """The indices of the weights of which no mirror image has a lower index, in ascending order."""
        return np.flatnonzero(np.arange(self.weights) <= self.mirrors)

    def card(self) -> list[list[Any]]:
        """The names and squares of the patterns, as a file's card lists them."""
        return [[name, list(squares)] for name, squares in self.patterns]


def shapes(size: int = 8, wide: bool = False) -> dict[str, list[int]]:
    """A dict from each pattern's name to the squares of one placement, as actions on a board of this size."""
    last, half = size - 1, size // 2

    def at(row: int, column: int) -> int:
        return size * row + column

    placed = {"edge and X-squares": [at(0, c) for c in range(size)] + [at(1, 1), at(1, last - 1)]}
    for row in range(1, half):
        placed[f"line {row + 1}"] = [at(row, c) for c in range(size)]
    for length in range(size, 3, -1):
        placed[f"diagonal of {length}"] = [at(i, size - length + i) for i in range(length)]
    width = min(5, size)
    placed[f"corner 2x{width}"] = [at(r, c) for r in range(2) for c in range(width)]
    placed["corner 3x3"] = [at(r, c) for r in range(3) for c in range(3)]
    if wide:
        placed["corner triangle"] = [at(r, c) for r in range(4) for c in range(4 - r)]
        side = min(4, last)  # on 4x4, a pattern over the whole diagonal would have more than one mirror image
        placed["corner diagonals"] = [at(r, c) for r in range(side) for c in range(side) if abs(r - c) <= 1]
        placed["corner 2x2 and lines 1"] = sorted({at(1, 1)} | {at(*s) for c in range(width) for s in ((0, c), (c, 0))})
        placed["corner 2x2 and lines 2"] = sorted(
            {at(0, 0), at(0, 1), at(1, 0)} | {at(*s) for c in range(1, width) for s in ((1, c), (c, 1))}
        )
    return placed


@cache
def layout(size: int, wide: bool = False) -> Layout:
    """Find the placements of all patterns of a network, wide or not, on a board of size 4, 6 or 8.

    Raises:
        ValueError: the size is not 4, 6 or 8.
    """
    check_size(size)
    places: list[tuple[tuple[int, ...], int]] = []  # squares and offset
    patterns = []
    start = 0
    for name, actions in shapes(size, wide).items():
        offset = start + (3 ** len(actions) - 1) // 2
        start += 3 ** len(actions)
        patterns.append((name, _squares(actions, 0, size)))
        orders = [_squares(actions, k, size) for k in range(symmetries.COUNT)]
        # Several of the `orders` may have the same squares. For each set, `first` has the first of its orders.
        first = {frozenset(squares): squares for squares in reversed(orders)}
        places += [(squares, offset) for squares in dict.fromkeys(orders) if squares in first.values()]
    places.append((ACTION_SQUARES[size], start + size * size))
    deltas = np.zeros((64, -(-len(places) // _LANES) * _LANES), np.int16)
    for p, (squares, _) in enumerate(places[:-1]):
        deltas[list(squares), p] = 3 ** np.arange(len(squares))
    deltas[list(ACTION_SQUARES[size]), len(places) - 1] = 1
    return Layout(
        size=size,
        wide=wide,
        patterns=tuple(patterns),
        weights=start + 2 * size * size + 1,
        deltas=deltas,
        offsets=np.array([offset for _, offset in places], np.int64),
        looked_up=len(places),
    )


def _squares(actions: list[int], symmetry: int, size: int) -> tuple[int, ...]:
    """The squares (0-63) to which a symmetry moves the squares of some actions."""
    moved = symmetries.transform_actions(np.array(actions), symmetry, size).tolist()
    return tuple(ACTION_SQUARES[size][action] for action in moved)


FORMAT = "othello-env n-tuple 2"
"""The name of the format in a file's card. The number at the end changes when the meaning of the arrays changes."""

_FLOATS = (np.dtype(np.float16), np.dtype(np.float32))
_LARGEST_WEIGHT = 1000  # tanh(10) is 1 in practice, so learned weights stay far below
_ROUNDED = 1.01  # sums in single precision have rounding errors
_LEAST_STEP = 1e-9  # a step is never 0, even if all weights are
_LONGEST_CARD = 1 << 20  # characters
_LARGEST_FILE = 320 << 20  # bytes: room for the largest network (8x8, 60 stages), even if it is not compressed


class NTupleNetwork:
    """A learned evaluation of Othello positions.

    Letters for shapes: S stages of the game, W weights in a stage.

    Args:
        size: the board's size: 4, 6 or 8.
        stages: the number of stages. Stages are equal parts of the game, and each stage has its own weights. The number
            must not be greater than the number of squares that are empty at the start.
        weights: (S, W) float32, or None for zeros.
        training: how the weights were trained: `games`, `seed` and so on, as values that JSON can hold.
        errors: (S, W, 2) float32: for each weight, the sum of its errors and the sum of the errors' absolute values. A
            `Trainer` needs these sums to continue. `errors` may be None if the training has not begun, or will not
            continue.
        wide: whether the network has the four further patterns at each corner.

    Raises:
        ValueError: the size or the stages are wrong, or the weights or errors have a wrong shape, are not finite, or
            are numbers that no training gives.
    """

    def __init__(
        self,
        size: int = 8,
        stages: int = 1,
        weights: npt.NDArray[np.float32] | None = None,
        training: Mapping[str, Any] | None = None,
        errors: npt.NDArray[np.float32] | None = None,
        wide: bool = False,
    ) -> None:
        places = layout(check_size(size), check_flag("wide", wide))
        _check_stages(size, stages)
        if weights is None:
            weights = np.zeros((stages, places.weights), np.float32)
        shape = (stages, places.weights)
        for name, array, expected in (("weights", weights, shape), ("errors", errors, (*shape, 2))):
            if array is None:
                continue
            if array.shape != expected:
                raise ValueError(
                    f"expected {name} of shape {expected} for size {size}, {stages} stages and wide={wide}, "
                    f"got {array.shape}"
                )
            if not np.isfinite(array).all():
                raise ValueError(f"the {name} are not all finite")
        if (largest := float(np.abs(weights).max())) > _LARGEST_WEIGHT:
            raise ValueError(f"expected weights from -{_LARGEST_WEIGHT} to {_LARGEST_WEIGHT}, got one of {largest:.3g}")
        if errors is not None and (np.abs(errors[..., 0]) > _ROUNDED * errors[..., 1]).any():
            raise ValueError("expected sums of errors, at most the sums of their absolute values, got larger ones")
        self.size = size
        self.stages = stages
        self.wide = places.wide
        self.layout = places
        self.weights = np.ascontiguousarray(weights, np.float32)
        self.training = dict(training or {})
        self.errors = None if errors is None else np.ascontiguousarray(errors, np.float32)
        self.tables = kernels.Tables(
            self.weights,
            places.deltas,
            places.offsets,
            places.looked_up,
            bitboard.BOARDS[size],
        )

    def __repr__(self) -> str:
        games = self.training.get("games", 0)
        return (
            f"<NTupleNetwork {self.size}x{self.size}, {'wide, ' if self.wide else ''}{self.stages} stages, "
            f"{self.weights.size} weights, {games} games>"
        )

    def widened(self) -> NTupleNetwork:
        """A new wide network with the same values. The weights of the further patterns are 0."""
        whole_board = 2 * self.size**2 + 1  # the last table
        further = np.zeros((self.stages, layout(self.size, wide=True).weights - self.layout.weights), np.float32)
        tables = self.weights[:, :-whole_board], further, self.weights[:, -whole_board:]
        return NTupleNetwork(self.size, self.stages, np.concatenate(tables, axis=1), self.training, wide=True)

    def value(self, state: State, player: int) -> float:
        """The expected mean of result and margin for a player, -1 to +1. For a finished game, it is the result.

        The result is +1, 0 or -1. The margin is the final disc difference divided by the number of squares. The value
        is the mean of both, so a large win is worth more than a narrow win: a certain win by 44 discs on 8x8 has the
        value (1 + 44/64) / 2 = 0.84. The network computes the value for the player who has just moved. The
        value for the player to move is this number with the opposite sign.

        Raises:
            ValueError: `player` is not 0 or 1.
            WrongGameError: the state is not an Othello position of this size.
        """
        state = self.checked(state)
        if player not in (0, 1):
            raise state.no_player(player)
        own, opponent = np.array([[state.opponent], [state.own]], np.uint64)
        value = float(kernels.evaluate(own, opponent, self.tables)[0])
        return -value if player == state.to_move else value

    def checked(self, state: State) -> Othello:
        """Check that this network can evaluate a state, and return the state.

        Raises:
            WrongGameError: the state is not an Othello position of this size.
        """
        if type(state) is not Othello or state.size != self.size:
            shown = f"Othello of size {state.size}" if type(state) is Othello else type(state).__name__
            raise WrongGameError(f"this network was trained for Othello of size {self.size}, not for {shown}")
        return state

    def save(self, path: str | Path, *, half: bool = False, int8: bool = False) -> None:
        """Write the network to an ``.npz`` file, completely or not at all.

        Args:
            path: the file; missing folders are made.
            half: write only the weights, as float16 with about three digits. Such a file needs a sixth of the space. It
                is enough for playing. If a training continues from such a file, the weights' learning rates start again
                at their first values.
            int8: write only the weights, as whole numbers from -127 to 127 times a step. The largest weight is 127
                steps, so no weight changes by more than half a step. Of two weights that are mirror images of each
                other, only one is written. Such a file needs a quarter of the space of `half`.

        Raises:
            OSError: the file cannot be written.
            ValueError: both `half` and `int8` are true.
        """
        if half and int8:
            raise ValueError("expected at most one of half and int8, got both")
        card = {"format": FORMAT, "size": self.size, "stages": self.stages, "patterns": self.layout.card()}
        card["training"] = self.training
        arrays: dict[str, Any] = {"card": np.array(json.dumps(card))}
        if int8:
            step = np.float32(max(float(np.abs(self.weights).max()), _LEAST_STEP) / 127)
            arrays["step"], kept = step, self.weights.T[self.layout.first_images()]
            arrays["weights"] = np.ascontiguousarray(np.rint(kept / step), np.int8)
        else:
            arrays["weights"] = self.weights.astype(np.float16 if half else np.float32)
        if self.errors is not None and not half and not int8:
            arrays["errors"] = self.errors
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
        write_file(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read the network from a file that `save` wrote.

        Raises:
            FileNotFoundError: the file does not exist.
            OSError: the path is not a regular file, or the file cannot be read.
            ValueError: the file is damaged or holds no n-tuple weights. The message names the file and the fault.
        """
        data = read_file(path, _LARGEST_FILE, "load n-tuple weights from")
        return cls.read(io.BytesIO(data), str(path))

    @classmethod
    def read(cls, file: IO[bytes], name: str) -> Self:
        """Read the network from an open file, as `load` does. The text `name` stands for the file in error messages.

        Raises:
            ValueError: the file is damaged or holds no n-tuple weights.
        """
        try:
            with zipfile.ZipFile(file) as archive:
                return cls._unpacked(archive)
        except DAMAGE as error:
            raise ValueError(f"{name!r} is not a file of n-tuple weights: {error}") from error

    @classmethod
    def _unpacked(cls, archive: zipfile.ZipFile) -> Self:
        """Read the network from an open archive. Arrays are unpacked only after checks of their dtypes and shapes."""
        # Before NumPy 2.2, `np.savez_compressed` took its argument `allow_pickle` for an array and stored this array in
        # the file. Such files exist.
        members = [name for name in archive.namelist() if name != "allow_pickle.npy"]
        names = ["weights", *(name for name in ("errors", "step") if f"{name}.npy" in members)]
        if sorted(members) != sorted(f"{name}.npy" for name in ("card", *names)):
            got = ", ".join(members[:9]) or "none"
            raise ValueError(f"expected the arrays card and weights, and perhaps errors or step, got {got}")
        places, stages, training = _card(Member(archive, "card"))
        shape, images = (stages, places.weights), places.first_images()
        expected: dict[str, tuple[tuple[np.dtype[Any], ...], tuple[int, ...]]] = {
            "weights": (_FLOATS, shape),
            "errors": (_FLOATS[1:], (*shape, 2)),
            "step": (_FLOATS[1:], ()),
        }
        if "step" in names:
            expected["weights"] = (np.dtype(np.int8),), (len(images), stages)
        arrays = {}
        for name in names:
            (dtypes, wanted), member = expected[name], Member(archive, name)
            if member.dtype not in dtypes:
                raise ValueError(f"expected {name} of {' or '.join(map(str, dtypes))}, got {member.dtype}")
            if member.shape != wanted:
                raise ValueError(f"expected {name} of shape {wanted}, got {member.shape}")
            arrays[name] = member.read().astype(np.float32)
        weights = arrays["weights"]
        if "step" in names:
            kept = np.searchsorted(images, np.minimum(np.arange(shape[1]), places.mirrors))
            weights = (weights * arrays["step"])[kept].T
        return cls(places.size, stages, weights, training, arrays.get("errors"), places.wide)


def _card(member: Member) -> tuple[Layout, int, dict[str, Any]]:
    """The patterns, the stages and the training in a file's card.

    Raises:
        ValueError: the array is not a card of n-tuple weights.
    """
    if member.dtype.kind != "U" or member.shape != ():
        raise ValueError(f"its card must be a text, not {member.dtype} of shape {member.shape}")
    if member.dtype.itemsize > 4 * _LONGEST_CARD:
        raise ValueError(f"its card has {member.dtype.itemsize // 4:,} characters, more than {_LONGEST_CARD:,}")
    card = parse_json(str(member.read()))
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        got = card.get("format") if isinstance(card, dict) else card
        raise ValueError(f"its card must say format {FORMAT!r}, not {short(got)}")
    size, stages, training = card.get("size"), card.get("stages"), card.get("training")
    if type(size) is not int or size not in bitboard.SIZES or type(stages) is not int or not isinstance(training, dict):
        raise ValueError(f"its card has a wrong size, stages or training: {short(card)}")
    _check_stages(size, stages)
    games, seconds = training.get("games", 0), training.get("seconds", 0.0)
    if type(games) is not int or type(seconds) not in (int, float) or not 0 <= games < 2**62 or not seconds >= 0:
        raise ValueError(f"its card has wrong numbers of games or seconds: {short(training)}")
    for places in (layout(size), layout(size, wide=True)):
        if card.get("patterns") == places.card():
            return places, stages, training
    raise ValueError(f"its card names other patterns than this version's: {short(card.get('patterns'))}")


def _check_stages(size: int, stages: int) -> None:
    most = size**2 - 4
    if not 1 <= stages <= most:
        raise ValueError(f"stages must be 1 to {most} for size {size}, not {stages}")
