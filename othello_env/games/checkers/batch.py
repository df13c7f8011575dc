"""N games of checkers as arrays; see `othello_env.games.batch`.

The boards are nine arrays (N,). The first four are `own`, `opponent`, `kings` and `going`, as in
`othello_env.games.checkers.kernels`. The fifth is `quiet`, the number of plies since the last capture or the last move
of a man. The last four are the sets of pieces that may move NW, NE, SW and SE. All arrays are uint64 except `quiet`,
which is int32. If a game is over but pieces can still move, it is a draw, or an illegal action ended it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch, Ends
from othello_env.games.batch import functions as batch
from othello_env.games.batch.state import BatchState, InitialArrays
from othello_env.games.checkers import kernels
from othello_env.games.checkers.position import Checkers
from othello_env.games.checkers.tables import CELLS, DRAWS
from othello_env.games.game import State
from othello_env.games.othello import loops
from othello_env.games.othello.bitboard import popcount
from othello_env.support.dispatch import implementation
from othello_env.support.jit import kernel

__all__ = ["CheckersBatch", "CheckersConstants"]

_Array = npt.NDArray[Any]
_Boards = tuple[_Array, ...]
_Words = npt.NDArray[np.uint64]
_0, _1, _2, _3, _15 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(15)

_ROWS = np.array(
    [sum(1 << 8 * (2 * k + 1 - odd) for k in range(4) if four >> k & 1) for odd in (0, 1) for four in range(16)],
    np.uint64,
)
"""(32,) words of eight bytes. A word is one row of a plane of an 8x8 board, with a byte for each square.

A row has four dark squares, so there are 16 sets of its dark squares. Each word belongs to one set: a byte is 1 if its
square is in the set, else 0. The first 16 words are for even rows (counted from 0). The last 16 words are for odd rows.
"""

_SQUARES: _Words = np.array([(two & 1) | (two >> 1) << 32 for two in range(4)], np.uint64)
"""(4,) words of eight bytes. A word is the part of an action mask that belongs to two neighbouring dark squares.

Each square has four bytes, one for each direction. Word k belongs to one set of squares. Bit 0 of k says whether the
left square is in the set, and bit 1 says whether the right square is in the set. For each square in the set, the byte
for direction 0 is 1. All other bytes are 0. A shift of the word by 8 * d bits moves each 1 to the byte for direction d.
"""


class CheckersConstants(NamedTuple):
    """The constants of a game that the kernels need."""

    half: np.uint64
    """Half the width of the board, which is the number of dark squares in a row."""
    board: np.uint64
    """The dark squares."""
    size: int
    repeats: int
    """The game is a draw if its position occurred this number of times before. With 0, positions may occur again."""
    quiet_limit: int
    """The game is a draw after this number of quiet plies (steps of kings). With 0, their number does not matter."""


@kernel(inline=True, lean=True)
def _movers(boards: _Boards, i: int, direction: int) -> np.uint64:
    """The pieces of game i that may move in this direction: 0 NW, 1 NE, 2 SW, 3 SE."""
    found: np.uint64 = boards[8][i]
    if direction == 0:
        found = boards[5][i]
    elif direction == 1:
        found = boards[6][i]
    elif direction == 2:
        found = boards[7][i]
    return found


@kernel(inline=True, lean=True)
def _can_move(boards: _Boards, i: int) -> bool:
    return bool(boards[5][i] | boards[6][i] | boards[7][i] | boards[8][i] != _0)


@implementation(batch.set_start, CheckersConstants)
def _set_start(
    constants: CheckersConstants,
    games: BatchState,
    boards: _Boards,
    i: int,
    key: np.uint64,
    initial: InitialArrays,
    chosen: int,
) -> bool:
    own, opponent, kings, going, quiet, north_west, north_east, south_west, south_east = boards
    games.to_move[i] = initial.to_move[chosen]
    own[i], opponent[i], kings[i], going[i] = (
        initial.boards[0][chosen],
        initial.boards[1][chosen],
        initial.boards[2][chosen],
        initial.boards[3][chosen],
    )
    quiet[i] = initial.boards[4][chosen]
    north_west[i], north_east[i], south_west[i], south_east[i] = (
        initial.boards[5][chosen],
        initial.boards[6][chosen],
        initial.boards[7][chosen],
        initial.boards[8][chosen],
    )
    return True


@implementation(batch.turn, CheckersConstants)
def _turn(constants: CheckersConstants, games: BatchState, boards: _Boards, i: int) -> np.uint64:
    return np.uint64(games.plies[i])


@implementation(batch.choose, CheckersConstants)
def _choose(constants: CheckersConstants, games: BatchState, boards: _Boards, i: int, bits: np.uint64) -> int:
    piece, direction = kernels.choose(boards[5][i], boards[6][i], boards[7][i], boards[8][i], bits)
    return 4 * kernels.square_of(piece, constants.half) + direction


@implementation(batch.play, CheckersConstants)
def _play(constants: CheckersConstants, games: BatchState, boards: _Boards, i: int, action: int) -> None:
    own, opponent, kings, going, quiet, north_west, north_east, south_west, south_east = boards
    piece, direction = kernels.piece_on(action // 4, constants.half), action % 4
    after, movers = kernels.advance(
        own[i], opponent[i], kings[i], piece, direction, games.to_move[i] == 0, constants.half, constants.board
    )
    own[i], opponent[i], kings[i], going[i], red, undoable = after
    north_west[i], north_east[i], south_west[i], south_east[i], _ = movers
    quiet[i] = quiet[i] + 1 if undoable else 0
    games.to_move[i] = 0 if red else 1
    games.over[i] = not _can_move(boards, i) or _is_drawn(constants, games, boards, i)


@kernel(lean=True)
def _is_drawn(constants: CheckersConstants, games: BatchState, boards: _Boards, i: int) -> bool:
    """Whether the rule for draws ends game i. The kernel undoes the quiet plies to find the earlier positions."""
    quiet = boards[4][i]
    if constants.quiet_limit > 0 and quiet >= constants.quiet_limit:
        return True
    if constants.repeats == 0 or quiet < 4:  # a position can only occur again after four or more quiet plies
        return False
    own, opponent, kings = boards[0][i], boards[1][i], boards[2][i]
    p, o, k = own, opponent, kings
    seen, last = 0, games.plies[i] - 1
    for back in range(quiet):
        action = int(games.moves[i, last - back])
        piece = kernels.piece_on(action // 4, constants.half)
        both = piece | kernels.shift(piece, action % 4, constants.half)
        p, o, k = o ^ both, p, k ^ both
        if back % 2 == 1 and p == own and o == opponent and k == kings:
            seen += 1
            if seen >= constants.repeats:
                return True
    return False


@implementation(batch.score, CheckersConstants)
def _score(constants: CheckersConstants, games: BatchState, boards: _Boards, i: int, player: int) -> int:
    return int(popcount(boards[0][i] if player == games.to_move[i] else boards[1][i]))


@implementation(batch.score_all, CheckersConstants)
def _score_all(constants: CheckersConstants, games: BatchState, boards: _Boards, scores: npt.NDArray[np.int64]) -> None:
    loops.count_sides(boards[0], boards[1], games.to_move, scores)


@implementation(batch.result, CheckersConstants)
def _result(
    constants: CheckersConstants, games: BatchState, boards: _Boards, i: int, player: int, by_margin: bool
) -> float:
    if _can_move(boards, i):
        return 0.0
    won = float(popcount(boards[1][i])) if by_margin else 1.0
    return -won if player == games.to_move[i] else won


@implementation(batch.largest_margin, CheckersConstants)
def _largest_margin(constants: CheckersConstants, games: BatchState, boards: _Boards, i: int) -> float:
    return float((constants.size // 2 - 1) * (constants.size // 2))


@implementation(batch.is_legal, CheckersConstants)
def _is_legal(constants: CheckersConstants, boards: _Boards, i: int, action: int) -> bool:
    return bool(_movers(boards, i, action % 4) & kernels.piece_on(action // 4, constants.half) != _0)


@implementation(batch.keep, CheckersConstants)
def _keep(constants: CheckersConstants, boards: _Boards, i: int, ends: _Array, k: int) -> None:
    ends[k]["own"], ends[k]["opponent"] = boards[0][i], boards[1][i]
    ends[k]["kings"], ends[k]["going"], ends[k]["quiet"] = boards[2][i], boards[3][i], boards[4][i]


@implementation(batch.encode, CheckersConstants)
def _encode(
    constants: CheckersConstants, over: npt.NDArray[np.bool_], seats: _Boards, boards: _Boards, arrays: _Boards
) -> None:
    to_move, learner = seats
    planes, masks, cells, row_words, mask_words, rows, squares = arrays
    sets, movers = np.empty(5, np.uint64), np.empty(4, np.uint64)
    for i in range(len(over)):
        mine, other, kings = boards[0][i], boards[1][i], boards[2][i]
        if over[i] and learner[i] == 1 - to_move[i]:
            mine, other = other, mine
        sets[0], sets[1], sets[2], sets[3] = mine & ~kings, mine & kings, other & ~kings, other & kings
        sets[4] = boards[3][i]
        for direction in range(4):
            movers[direction] = _0 if over[i] else _movers(boards, i, direction)
        if constants.size == 8:
            _write_rows(sets, row_words[i], rows)
            _write_mask(movers, mask_words[i], squares)
        else:
            _write_cells(sets, movers, planes[i], masks[i], cells, constants.size)
        planes[i, 5, :] = to_move[i] == 0


@kernel(inline=True)
def _write_rows(sets: _Words, words: _Words, rows: _Words) -> None:
    """Write five planes of an 8x8 board as words, one word for each row. `rows` is the table `_ROWS`."""
    for plane in range(5):
        for row in range(8):
            four = (sets[plane] >> np.uint64(row // 2 * 9 + row % 2 * 4)) & _15
            words[8 * plane + row] = rows[16 * (row % 2) + np.int64(four)]


@kernel(inline=True)
def _write_mask(movers: _Words, words: _Words, squares: _Words) -> None:
    """Write the action mask of an 8x8 board as 64-bit words. `squares` is the table `_SQUARES`.

    A dark square has four bytes, one for each direction. So a word has the bytes of two neighbouring dark squares.
    """
    for row in range(8):
        shift = np.uint64(row // 2 * 9 + row % 2 * 4)
        left, right = _0, _0
        for direction in range(4):
            four = movers[direction] >> shift
            left |= squares[np.int64(four & _3)] << np.uint64(8 * direction)
            right |= squares[np.int64((four >> _2) & _3)] << np.uint64(8 * direction)
        words[2 * row], words[2 * row + 1] = left, right


@kernel
def _write_cells(
    sets: _Words, movers: _Words, planes: _Array, mask: _Array, cells: npt.NDArray[np.int64], size: int
) -> None:
    """Write five planes and the mask of a board of any size, square by square."""
    for square in range(len(cells)):
        bit = np.uint64(square + square // size)
        for plane in range(5):
            planes[plane, cells[square]] = (sets[plane] >> bit) & _1
        for direction in range(4):
            mask[4 * square + direction] = (movers[direction] >> bit) & _1


class CheckersBatch(Batch):
    """N games of checkers on boards of one size, with one rule for draws.

    Args:
        n: the number of games.
        start: the start position. Its size and its rule for draws apply to all games.
    """

    start: Checkers
    bounded = False

    def __init__(self, n: int, start: Checkers) -> None:
        size = start.size
        half, board = np.uint64(size // 2), np.uint64(kernels.BOARDS[size])
        kinds = [np.uint64] * 4 + [np.int32] + [np.uint64] * 4
        super().__init__(
            n,
            start,
            CheckersConstants(half, board, size, *DRAWS[start.draws]),
            [np.zeros(n, kind) for kind in kinds],
            [(name, np.uint64) for name in ("own", "opponent", "kings", "going")] + [("quiet", np.int32)],
            256,
            np.uint8,
        )

    def opening_boards(self, positions: Sequence[State]) -> tuple[_Array, ...]:
        rows = []
        for position in positions:
            assert isinstance(position, Checkers)
            if position.draws != self.start.draws:
                raise ValueError(f"expected openings under draws={self.start.draws!r}, not {position.draws!r}")
            rows.append((*position.board(), position.quiet, *position.movers()))
        kinds = [array.dtype for array in self.boards]
        return tuple(np.array(column, kind) for column, kind in zip(zip(*rows, strict=True), kinds, strict=True))

    def state(self, i: int) -> Checkers:
        games = self.games
        own, opponent, kings, going, quiet = (int(array[i]) for array in self.boards[:5])
        moves = games.moves_of(i)
        return self._state(own, opponent, kings, going, quiet, int(games.to_move[i]), moves)

    def final_state(self, ends: Ends, k: int) -> Checkers:
        end = ends.rows[k]
        own, opponent, kings, going, quiet = (int(end[name]) for name in ("own", "opponent", "kings", "going", "quiet"))
        return self._state(own, opponent, kings, going, quiet, int(end["to_move"]), ends.moves_of(k))

    def _state(
        self, own: int, opponent: int, kings: int, going: int, quiet: int, to_move: int, moves: tuple[int, ...]
    ) -> Checkers:
        return self.start.at(own, opponent, kings, going, to_move, quiet, moves)

    def final_boards(self, ends: npt.NDArray[np.void]) -> tuple[_Array, ...]:
        own, opponent, kings, going = (
            np.ascontiguousarray(ends[name]) for name in ("own", "opponent", "kings", "going")
        )
        nothing = np.zeros_like(own)
        return own, opponent, kings, going, np.zeros(len(ends), np.int32), nothing, nothing, nothing, nothing

    def views(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> tuple[_Array, ...]:
        n, size = len(planes), self.start.size
        flat, used = planes.reshape(n, 6, size * size), n if size == 8 else 0
        row_words = flat[:used].reshape(used, 6 * size * size).view(np.uint64)
        return flat, masks, CELLS[size], row_words, masks[:used].view(np.uint64), _ROWS, _SQUARES
