"""N games of checkers as arrays; see `othello_env.games.batch`.

If a game is over but pieces can still move, it is a draw, or an illegal action ended it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch, EndedGames
from othello_env.games.batch import functions as batch
from othello_env.games.batch.state import BatchState, InitialArrays, Outputs
from othello_env.games.checkers import kernels
from othello_env.games.checkers.position import CELLS, DRAWS, Checkers
from othello_env.games.game import State
from othello_env.games.othello.bitboard import count_sides, popcount
from othello_env.support.dispatch import implementation
from othello_env.support.jit import kernel

__all__ = ["CheckersBatch", "CheckersBoards", "CheckersConstants", "EncoderBuffers"]

_Array = npt.NDArray[Any]
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


class CheckersBoards(NamedTuple):
    """The boards of N games, each array (N,). The first four are as in `othello_env.games.checkers.kernels`."""

    own: _Words
    opponent: _Words
    kings: _Words
    going: _Words
    quiet: npt.NDArray[np.int32]
    """The number of plies since the last capture or the last move of a man."""
    north_west: _Words
    """The pieces that may move NW. The other three sets are for NE, SW and SE."""
    north_east: _Words
    south_west: _Words
    south_east: _Words


class EncoderBuffers(NamedTuple):
    """Views of the planes and masks of N games on SxS boards. On 8x8 they are written as words of 64 bits."""

    planes: npt.NDArray[np.int8]
    """(N, 6, S * S)"""
    cells: npt.NDArray[np.int64]
    """The cell of each dark square, an index from 0 to S * S - 1."""
    plane_words: _Words
    """(N, 48) the words of each game's planes, one for each row; without games if S is not 8."""
    mask_words: _Words
    """(N, 16) the words of each game's mask; without games if S is not 8."""


@kernel(inline=True, no_refcount=True)
def _movers(boards: CheckersBoards, i: int, direction: int) -> np.uint64:
    """The pieces of game i that may move in this direction: 0 NW, 1 NE, 2 SW, 3 SE."""
    movers: np.uint64 = boards.south_east[i]
    if direction == 0:
        movers = boards.north_west[i]
    elif direction == 1:
        movers = boards.north_east[i]
    elif direction == 2:
        movers = boards.south_west[i]
    return movers


@kernel(inline=True, no_refcount=True)
def _can_move(boards: CheckersBoards, i: int) -> bool:
    return bool(boards.north_west[i] | boards.north_east[i] | boards.south_west[i] | boards.south_east[i] != _0)


@implementation(batch.set_start, CheckersConstants)
def _set_start(
    constants: CheckersConstants, state: BatchState, i: int, key: np.uint64, initial: InitialArrays, chosen: int
) -> bool:
    boards, openings = state.boards, initial.boards
    boards.own[i], boards.opponent[i], boards.kings[i] = (
        openings.own[chosen],
        openings.opponent[chosen],
        openings.kings[chosen],
    )
    boards.going[i], boards.quiet[i] = openings.going[chosen], openings.quiet[chosen]
    boards.north_west[i], boards.north_east[i] = openings.north_west[chosen], openings.north_east[chosen]
    boards.south_west[i], boards.south_east[i] = openings.south_west[chosen], openings.south_east[chosen]
    state.to_move[i] = initial.to_move[chosen]
    return True


@implementation(batch.placed, CheckersConstants)
def _placed(constants: CheckersConstants, state: BatchState, i: int) -> np.uint64:
    return np.uint64(state.plies[i])


@implementation(batch.choose, CheckersConstants)
def _choose(constants: CheckersConstants, state: BatchState, i: int, bits: np.uint64) -> int:
    boards = state.boards
    piece, direction = kernels.choose(
        boards.north_west[i], boards.north_east[i], boards.south_west[i], boards.south_east[i], bits
    )
    return 4 * kernels.square_of(piece, constants.half) + direction


@implementation(batch.play, CheckersConstants)
def _play(constants: CheckersConstants, state: BatchState, i: int, action: int) -> None:
    own, opponent, kings, going, quiet, north_west, north_east, south_west, south_east = state.boards
    piece, direction = kernels.piece_on(action // 4, constants.half), action % 4
    after, movers = kernels.advance(
        own[i], opponent[i], kings[i], piece, direction, state.to_move[i] == 0, constants.half, constants.board
    )
    own[i], opponent[i], kings[i], going[i], red, undoable = after
    north_west[i], north_east[i], south_west[i], south_east[i], _ = movers
    quiet[i] = quiet[i] + 1 if undoable else 0
    state.to_move[i] = 0 if red else 1
    state.over[i] = not _can_move(state.boards, i) or _is_drawn(constants, state, i)


@kernel(no_refcount=True)
def _is_drawn(constants: CheckersConstants, state: BatchState, i: int) -> bool:
    """Whether the rule for draws ends game i. The kernel undoes the quiet plies to find the earlier positions."""
    boards = state.boards
    quiet = boards.quiet[i]
    if constants.quiet_limit > 0 and quiet >= constants.quiet_limit:
        return True
    if constants.repeats == 0 or quiet < 4:  # a position can only occur again after four or more quiet plies
        return False
    own, opponent, kings = boards.own[i], boards.opponent[i], boards.kings[i]
    p, o, k = own, opponent, kings
    seen, last = 0, state.plies[i] - 1
    for back in range(quiet):
        action = int(state.moves[i, last - back])
        piece = kernels.piece_on(action // 4, constants.half)
        both = piece | kernels.shift(piece, action % 4, constants.half)
        p, o, k = o ^ both, p, k ^ both
        if back % 2 == 1 and p == own and o == opponent and k == kings:
            seen += 1
            if seen >= constants.repeats:
                return True
    return False


@implementation(batch.score, CheckersConstants)
def _score(constants: CheckersConstants, state: BatchState, i: int, player: int) -> int:
    boards = state.boards
    return int(popcount(boards.own[i] if player == state.to_move[i] else boards.opponent[i]))


@implementation(batch.result, CheckersConstants)
def _result(constants: CheckersConstants, state: BatchState, i: int, player: int, by_margin: bool) -> float:
    if _can_move(state.boards, i):
        return 0.0
    won = float(popcount(state.boards.opponent[i])) if by_margin else 1.0
    return -won if player == state.to_move[i] else won


@implementation(batch.largest_margin, CheckersConstants)
def _largest_margin(constants: CheckersConstants, state: BatchState, i: int) -> float:
    return float((constants.size // 2 - 1) * (constants.size // 2))


@implementation(batch.is_legal, CheckersConstants)
def _is_legal(constants: CheckersConstants, state: BatchState, i: int, action: int) -> bool:
    return bool(_movers(state.boards, i, action % 4) & kernels.piece_on(action // 4, constants.half) != _0)


@implementation(batch.store_board, CheckersConstants)
def _store_board(constants: CheckersConstants, state: BatchState, i: int, records: _Array, k: int) -> None:
    boards = state.boards
    records["own"][k], records["opponent"][k] = boards.own[i], boards.opponent[i]
    records["kings"][k], records["going"][k], records["quiet"][k] = boards.kings[i], boards.going[i], boards.quiet[i]


@implementation(batch.encode, CheckersConstants)
def _encode(constants: CheckersConstants, state: BatchState, out: Outputs) -> None:
    boards, buffers = state.boards, out.encoder_buffers
    count_sides(boards.own, boards.opponent, state.to_move, out.scores)
    sets, movers = np.empty(5, np.uint64), np.empty(4, np.uint64)
    for i in range(len(state.over)):
        mine, other, kings = boards.own[i], boards.opponent[i], boards.kings[i]
        if state.over[i] and state.learner[i] == 1 - state.to_move[i]:
            mine, other = other, mine
        sets[0], sets[1], sets[2], sets[3] = mine & ~kings, mine & kings, other & ~kings, other & kings
        sets[4] = boards.going[i]
        for direction in range(4):
            movers[direction] = _0 if state.over[i] else _movers(boards, i, direction)
        if constants.size == 8:
            _write_rows(sets, buffers.plane_words[i])
            _write_mask(movers, buffers.mask_words[i])
        else:
            _write_cells(sets, movers, buffers.planes[i], out.masks[i], buffers.cells, constants.size)
        buffers.planes[i, 5, :] = state.to_move[i] == 0


@kernel(inline=True)
def _write_rows(sets: _Words, words: _Words) -> None:
    """Write five planes of an 8x8 board as words, one word for each row."""
    for plane in range(5):
        for row in range(8):
            four = (sets[plane] >> np.uint64(row // 2 * 9 + row % 2 * 4)) & _15
            words[8 * plane + row] = _ROWS[16 * (row % 2) + np.int64(four)]


@kernel(inline=True)
def _write_mask(movers: _Words, words: _Words) -> None:
    """Write the action mask of an 8x8 board as 64-bit words.

    A dark square has four bytes, one for each direction. So a word has the bytes of two neighbouring dark squares.
    """
    for row in range(8):
        shift = np.uint64(row // 2 * 9 + row % 2 * 4)
        left, right = _0, _0
        for direction in range(4):
            four = movers[direction] >> shift
            left |= _SQUARES[np.int64(four & _3)] << np.uint64(8 * direction)
            right |= _SQUARES[np.int64((four >> _2) & _3)] << np.uint64(8 * direction)
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
        half, board = np.uint64(start.size // 2), np.uint64(kernels.BOARDS[start.size])
        constants = CheckersConstants(half, board, start.size, *DRAWS[start.draws])
        kinds = {"quiet": np.int32}
        boards = CheckersBoards._make(np.zeros(n, kinds.get(name, np.uint64)) for name in CheckersBoards._fields)
        super().__init__(start, constants, boards, CheckersBoards._fields[:5], 256, np.uint8)

    def opening_boards(self, positions: Sequence[State]) -> CheckersBoards:
        rows = []
        for position in positions:
            assert isinstance(position, Checkers)
            if position.draws != self.start.draws:
                raise ValueError(f"expected openings under draws={self.start.draws!r}, not {position.draws!r}")
            rows.append((*position.board(), position.quiet, *position.movers()))
        columns = zip(zip(*rows, strict=True), self.arrays.boards, strict=True)
        return CheckersBoards._make(np.array(column, board.dtype) for column, board in columns)

    def state(self, i: int) -> Checkers:
        own, opponent, kings, going, quiet = (int(array[i]) for array in self.arrays.boards[:5])
        to_move, moves = int(self.arrays.to_move[i]), self.arrays.moves_of(i)
        return self.start.at(own, opponent, kings, going, to_move, quiet, moves)

    def final_state(self, ended: EndedGames, k: int) -> Checkers:
        record = ended.rows[k]
        own, opponent, kings, going, quiet = (int(record[name]) for name in CheckersBoards._fields[:5])
        return self.start.at(own, opponent, kings, going, int(record["to_move"]), quiet, ended.moves_of(k))

    def encoder_buffers(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> EncoderBuffers:
        n, size = len(planes), self.start.size
        flat, used = planes.reshape(n, 6, size * size), n if size == 8 else 0
        return EncoderBuffers(
            planes=flat,
            cells=CELLS[size],
            plane_words=flat[:used].reshape(used, 6 * size * size).view(np.uint64),
            mask_words=masks[:used].view(np.uint64),
        )
