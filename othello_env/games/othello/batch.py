"""N games of Othello as arrays; see `othello_env.games.batch`.

The loops over N games handle several games at a time in one vector register: most loops write one array and have no
branch, and the functions that they call are inlined. So LLVM, the compiler that Numba uses, can put several positions
into one register (eight with AVX-512). The loops handle the arrays block by block, so that a block stays in the
processor's fastest cache.

Letters in shapes: N is the number of positions, S the width of the board, A = S * S + 1 the number of actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from functools import cache
from typing import Any, NamedTuple, Self, cast

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch, EndedGames, Positions
from othello_env.games.batch import functions as batch
from othello_env.games.batch.state import ILLEGAL, OUT_OF_RANGE, OVER, BatchState, InitialArrays, Outputs
from othello_env.games.game import State, WrongGameError
from othello_env.games.othello.bitboard import (
    BOARDS,
    advance,
    count_sides,
    draw_move,
    final_margin,
    flips,
    game_result,
    legal_moves,
    legal_moves_batch,
    popcount,
)
from othello_env.games.othello.position import Othello, check_size
from othello_env.support.dispatch import implementation
from othello_env.support.jit import Int, kernel

__all__ = [
    "EncoderBuffers",
    "OthelloBatch",
    "OthelloBoards",
    "OthelloConstants",
    "OthelloPositions",
    "allowed",
    "disc_of",
]

_Array = npt.NDArray[Any]

_EXPAND: npt.NDArray[np.uint64] = np.array(
    [int.from_bytes(bytes(byte >> bit & 1 for bit in range(8)), "little") for byte in range(256)], np.uint64
)
"""(256,) words of 64 bits. Word n has a byte, 0 or 1, for each bit of n. The lowest byte stands for the lowest bit."""

_BLOCK = 512

_0, _1, _7, _8, _9 = np.uint64(0), np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)
_63, _255 = np.uint64(63), np.uint64(255)
_EACH_BYTE = np.uint64(0x0101_0101_0101_0101)
_DIAGONAL = np.uint64(0x8040_2010_0804_0201)
_CARRY = np.uint64(0x7F7F_7F7F_7F7F_7F7F)


class OthelloConstants(NamedTuple):
    """The constants of a board that the kernels need."""

    board: np.uint64
    """The squares of the board, as a set of bits."""
    size: int


class OthelloBoards(NamedTuple):
    """The boards of N games: sets of squares, each (N,) uint64."""

    own: npt.NDArray[np.uint64]
    """The discs of the player to move. After the end of a game, the discs of the record's viewer."""
    opponent: npt.NDArray[np.uint64]
    """The discs of the other player."""
    legal: npt.NDArray[np.uint64]
    """The squares on which the player to move may place a disc.

    If this is 0 and the game is not over, the player must pass.
    """


class EncoderBuffers(NamedTuple):
    """The memory of the planes and masks of N games as words of 64 bits.

    A word for a rank begins at the first square of the rank, and may be unaligned. On 8x8, there are R = 8 such words
    for each plane and mask. On smaller boards, a word is longer than a rank. A word for the last rank would reach
    beyond the end of the plane or mask. So there is no such word, and R is S - 1.
    """

    plane_words: npt.NDArray[np.uint64]
    """All words of the planes, one after another."""
    plane_ranks: npt.NDArray[np.uint64]
    """(2 * N, R)"""
    mask_ranks: npt.NDArray[np.uint64]
    """(N, R)"""


@kernel(inline=True)
def disc_of(action: Int, size: np.uint64) -> np.uint64:
    """The bit of the disc that an action places; 0 for a pass and for an action out of range."""
    a = np.uint64(action)
    row = (a * ((_255 + size) // size)) >> _8
    edge = (_8 - size) >> _1
    square = a + row * (_8 - size) + edge * _9
    return (_1 << (square & _63)) & (_0 - np.uint64(a < size * size))


@kernel(inline=True)
def allowed(action: Int, legal: np.uint64, size: np.uint64) -> np.uint64:
    """Whether an action is legal: 0 if it is illegal, a number other than 0 if it is legal.

    `legal` is the set of squares on which the player to move may place a disc.
    """
    return (disc_of(action, size) & legal) | (np.uint64(np.uint64(action) == size * size) & np.uint64(legal == _0))


@implementation(batch.set_start, OthelloConstants)
def _set_start(
    constants: OthelloConstants, state: BatchState, i: int, key: np.uint64, initial: InitialArrays, chosen: int
) -> bool:
    boards = state.boards
    boards.own[i], boards.opponent[i] = initial.boards.own[chosen], initial.boards.opponent[chosen]
    boards.legal[i], state.to_move[i] = initial.boards.legal[chosen], initial.to_move[chosen]
    return True


@implementation(batch.placed, OthelloConstants)
def _placed(constants: OthelloConstants, state: BatchState, i: int) -> np.uint64:
    return popcount(state.boards.own[i] | state.boards.opponent[i])


@implementation(batch.choose, OthelloConstants)
def _choose(constants: OthelloConstants, state: BatchState, i: int, bits: np.uint64) -> int:
    return int(draw_move(state.boards.legal[i], bits, constants.size))


@implementation(batch.play, OthelloConstants)
def _play(constants: OthelloConstants, state: BatchState, i: int, action: int) -> None:
    own, opponent, legal = state.boards
    disc = disc_of(action, np.uint64(constants.size))
    own[i], opponent[i], legal[i], reply = advance(own[i], opponent[i], disc, constants.board)
    state.over[i] = legal[i] | reply == _0
    state.to_move[i] ^= 1


@implementation(batch.play_all, OthelloConstants)
def _play_all(
    constants: OthelloConstants,
    state: BatchState,
    actions: npt.NDArray[np.int64],
    unplayable: npt.NDArray[np.bool_],
) -> None:
    for i in range(len(actions)):
        state.to_move[i] ^= 1
    _place(constants, state.boards, state.over, actions)
    own, opponent, legal = state.boards
    for i in range(len(unplayable)):
        if unplayable[i]:  # the illegal action was played as a pass: undo that pass
            own[i], opponent[i] = opponent[i], own[i]
            state.to_move[i] ^= 1
            legal[i], state.over[i] = _0, True


@implementation(batch.play_some, OthelloConstants)
def _play_some(
    constants: OthelloConstants, state: BatchState, indices: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]
) -> None:
    n, boards = len(indices), state.boards
    over = np.empty(n, np.bool_)
    some = OthelloBoards(np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(n, np.uint64))
    for k in range(n):
        i = indices[k]
        some.own[k], some.opponent[k], some.legal[k] = boards.own[i], boards.opponent[i], boards.legal[i]
    _place(constants, some, over, actions)
    for k in range(n):
        i = indices[k]
        boards.own[i], boards.opponent[i], boards.legal[i] = some.own[k], some.opponent[k], some.legal[k]
        state.over[i] = over[k]
        state.to_move[i] ^= 1


@kernel
def _place(
    constants: OthelloConstants, boards: OthelloBoards, over: npt.NDArray[np.bool_], actions: npt.NDArray[np.int64]
) -> None:
    """Play a legal action in each of N games, in place. An illegal action counts as a pass."""
    side = np.uint64(constants.size)
    scratch = np.empty((2, _BLOCK), np.uint64)
    for start in range(0, len(actions), _BLOCK):
        stop = min(start + _BLOCK, len(actions))
        n = stop - start
        act, p, o = actions[start:stop], boards.own[start:stop], boards.opponent[start:stop]
        moves, done = boards.legal[start:stop], over[start:stop]
        disc, turned = scratch[0, :n], scratch[1, :n]
        for i in range(n):
            disc[i] = disc_of(act[i], side) & moves[i]
        for i in range(n):
            turned[i] = flips(disc[i], p[i], o[i])
        for i in range(n):
            disc[i] |= p[i] | turned[i]
        for i in range(n):
            p[i] = o[i] & ~turned[i]
        for i in range(n):
            o[i] = disc[i]
        for i in range(n):
            moves[i] = legal_moves(p[i], o[i], constants.board)
        for i in range(n):
            turned[i] = legal_moves(o[i], p[i], constants.board)  # as if the player who moved could move again
        for i in range(n):
            done[i] = (moves[i] | turned[i]) == _0


@implementation(batch.must_pass, OthelloConstants)
def _must_pass(constants: OthelloConstants, state: BatchState, i: int) -> bool:
    return bool(state.boards.legal[i] == _0)


@implementation(batch.score, OthelloConstants)
def _score(constants: OthelloConstants, state: BatchState, i: int, player: int) -> int:
    boards = state.boards
    return int(popcount(boards.own[i] if player == state.to_move[i] else boards.opponent[i]))


@implementation(batch.result, OthelloConstants)
def _result(constants: OthelloConstants, state: BatchState, i: int, player: int, by_margin: bool) -> float:
    own, opponent = state.boards.own[i], state.boards.opponent[i]
    result = game_result(own, opponent)
    if by_margin:
        result = final_margin(own, opponent, constants.size * constants.size)
    return float(result if player == state.to_move[i] else -result)


@implementation(batch.largest_margin, OthelloConstants)
def _largest_margin(constants: OthelloConstants, state: BatchState, i: int) -> float:
    return float(constants.size * constants.size)


@implementation(batch.store_board, OthelloConstants)
def _store_board(constants: OthelloConstants, state: BatchState, i: int, records: npt.NDArray[Any], k: int) -> None:
    own, opponent, _ = state.boards
    if records["viewer"][k] != state.to_move[i]:
        own[i], opponent[i] = opponent[i], own[i]
    records["own"][k], records["opponent"][k] = own[i], opponent[i]


@implementation(batch.is_legal, OthelloConstants)
def _is_legal(constants: OthelloConstants, state: BatchState, i: int, action: int) -> bool:
    return bool(allowed(action, state.boards.legal[i], np.uint64(constants.size)) != _0)


@implementation(batch.check, OthelloConstants)
def _check(constants: OthelloConstants, state: BatchState, actions: npt.NDArray[np.int64], num_actions: int) -> int:
    side = np.uint64(constants.size)
    legal, over = state.boards.legal, state.over
    outside, illegal, finished = _0, _0, _0
    for i in range(len(actions)):
        action, done = np.uint64(actions[i]), np.uint64(over[i])
        outside |= np.uint64(action >= np.uint64(num_actions))
        illegal |= np.uint64(allowed(actions[i], legal[i], side) == _0) & (done ^ _1)
        finished |= done
    return int(outside * np.uint64(OUT_OF_RANGE) | illegal * np.uint64(ILLEGAL) | finished * np.uint64(OVER))


@implementation(batch.encode, OthelloConstants)
def _encode(constants: OthelloConstants, state: BatchState, out: Outputs) -> None:
    count_sides(state.boards.own, state.boards.opponent, state.to_move, out.scores)
    if constants.size == 8:
        _encode_8x8(state.boards, state.over, out.masks, out.encoder_buffers)
    else:
        _encode_small(state.boards, state.over, out, constants.size)


@kernel
def _encode_8x8(
    boards: OthelloBoards, over: npt.NDArray[np.bool_], masks: npt.NDArray[np.int8], buffers: EncoderBuffers
) -> None:
    """Write the planes and masks of N games on 8x8 boards."""
    pairs = np.empty(2 * _BLOCK, np.uint64)
    pair_bytes = pairs.view(np.uint8)
    for first in range(0, len(over), _BLOCK):
        last = min(first + _BLOCK, len(over))
        n = last - first
        p, o, moves, done = (
            boards.own[first:last],
            boards.opponent[first:last],
            boards.legal[first:last],
            over[first:last],
        )
        words, rows, mask = (
            buffers.plane_words[16 * first : 16 * last],
            buffers.mask_ranks[first:last],
            masks[first:last],
        )
        for i in range(n):
            pairs[2 * i] = p[i]
            pairs[2 * i + 1] = o[i]
        for i in range(16 * n):  # spread the bits of a byte over the bytes of a word, then make each byte 0 or 1
            spread = np.uint64(pair_bytes[i]) * _EACH_BYTE & _DIAGONAL
            words[i] = ((spread + _CARRY) >> _7) & _EACH_BYTE
        for i in range(n):
            for j in range(8):
                rows[i, j] = _EXPAND[(moves[i] >> np.uint64(8 * j)) & _255]
            mask[i, 64] = (moves[i] == _0) & (not done[i])


@kernel
def _encode_small(boards: OthelloBoards, over: npt.NDArray[np.bool_], out: Outputs, size: int) -> None:
    """Write the planes and masks of N games on smaller boards."""
    edge, last, buffers = np.uint64((8 - size) // 2 * 9), size - 1, out.encoder_buffers
    for i in range(len(over)):
        _write_ranks(boards.own[i] >> edge, buffers.plane_ranks[2 * i], out.planes[i, 0, last])
        _write_ranks(boards.opponent[i] >> edge, buffers.plane_ranks[2 * i + 1], out.planes[i, 1, last])
        _write_ranks(boards.legal[i] >> edge, buffers.mask_ranks[i], out.masks[i, size * last : size * size])
        out.masks[i, size * size] = (boards.legal[i] == _0) & (not over[i])


@kernel(inline=True)
def _write_ranks(squares: np.uint64, ranks: npt.NDArray[np.uint64], last: npt.NDArray[np.int8]) -> None:
    """Write a set of squares as bytes: all ranks but the last by words, the last byte by byte.

    Bit 0 of the set is a1, and rank k (from 0) begins at bit 8 * k.
    """
    for rank in range(len(ranks)):  # in ascending order, because a word also overwrites bytes of the next rank
        ranks[rank] = _EXPAND[(squares >> np.uint64(8 * rank)) & _255]
    for file in range(len(last)):
        last[file] = (squares >> np.uint64(8 * len(ranks) + file)) & _1


class OthelloPositions(Positions):
    """N positions as arrays. An agent chooses actions for all of them in one call. No position is the end of a game.

    Attributes:
        own: (N,) uint64, the discs of the player to move.
        opponent: (N,) uint64, the other player's discs.
        to_move: (N,) int8, 0 if Black is to move, 1 if White is to move.
        key: (N,) uint64, each game's key for random choices. The key stays the same throughout a game.
        size: the height and width of all boards.

    Raises:
        ValueError: the size is not 4, 6 or 8.
    """

    def __init__(
        self,
        own: npt.NDArray[np.uint64],
        opponent: npt.NDArray[np.uint64],
        to_move: npt.NDArray[np.int8],
        key: npt.NDArray[np.uint64],
        size: int = 8,
        legal: npt.NDArray[np.uint64] | None = None,
    ) -> None:
        if size not in BOARDS:
            check_size(size)  # raises the error
        self.own = own
        self.opponent = opponent
        self.to_move = to_move
        self.key = key
        self.size = size
        self.constants = OthelloConstants(BOARDS[size], size)
        self._legal = legal
        self._states: _Array | None = None

    @property
    def legal(self) -> npt.NDArray[np.uint64]:
        """(N,) uint64, the squares on which the player to move may place a disc; 0 if the player must pass."""
        if self._legal is None:
            self._legal = legal_moves_batch(self.own, self.opponent, BOARDS[self.size])
        return self._legal

    def placed(self) -> list[int]:
        """The number `State.placed` of each position, which is the number of its discs."""
        return [taken.bit_count() for taken in (self.own | self.opponent).tolist()]

    @classmethod
    def from_states(cls, states: Sequence[Othello], keys: Iterable[int] | None = None) -> OthelloPositions:
        """Make arrays from positions of one size, with a key for each position. Without `keys`, all keys are 0.

        The method `state` returns these positions, with their moves.

        Raises:
            WrongGameError: a position is not of exactly the class `Othello`. A subclass may have other rules.
            ValueError: the boards differ in size, or the number of keys differs from the number of positions.
        """
        for state in states:
            if type(state) is not Othello:
                raise WrongGameError(f"expected positions of Othello, not of {type(state).__name__}")
        sizes = {state.size for state in states}
        key = np.zeros(len(states), np.uint64) if keys is None else np.fromiter(keys, np.uint64)
        if len(sizes) > 1 or len(key) != len(states):
            raise ValueError(
                f"expected positions of one size and a key for each, got {len(states)} positions of sizes "
                f"{sorted(sizes)} and {len(key)} keys"
            )
        positions = cls(
            own=np.array([state.own for state in states], np.uint64),
            opponent=np.array([state.opponent for state in states], np.uint64),
            to_move=np.array([state.to_move for state in states], np.int8),
            key=key,
            size=states[0].size if states else 8,
        )
        positions._states = np.empty(len(states), object)
        positions._states[:] = states
        return positions

    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> Self:
        part = copy(self)
        part.own, part.opponent, part.to_move = self.own[places], self.opponent[places], self.to_move[places]
        part.key, part._legal = self.key[places], None if self._legal is None else self._legal[places]
        part._states = None if self._states is None else self._states[places]
        return part

    def state(self, i: int) -> Othello:
        """The i-th position. It has its moves if they are known: in a batch of games and from `from_states`."""
        if self._states is not None:
            return cast("Othello", self._states[i])
        return Othello.from_bits(int(self.own[i]), int(self.opponent[i]), int(self.to_move[i]), self.size)

    def observations(self) -> npt.NDArray[np.int8]:
        return _no_games(self.size).encoded(self.arrays())[0]

    def masks(self) -> npt.NDArray[np.int8]:
        return _no_games(self.size).encoded(self.arrays())[1]

    def arrays(self) -> BatchState:
        boards = OthelloBoards(*map(np.ascontiguousarray, (self.own, self.opponent, self.legal)))
        over, to_move = np.zeros(len(self), np.bool_), np.ascontiguousarray(self.to_move)
        return _no_games(self.size).arrays._replace(boards=boards, over=over, to_move=to_move)


@cache
def _no_games(size: int) -> OthelloBatch:
    """A batch of no games on boards of this size."""
    return OthelloBatch(0, Othello(size))


class OthelloBatch(Batch):
    """N games of Othello on boards of one size.

    For a variant of the rules, a subclass sets `constants_class`.

    Args:
        n: the number of games.
        start: the start position, of `Othello` or a subclass. All games are played on boards of its size.
    """

    constants_class = OthelloConstants
    """The class of the constants. It selects the compiled functions; see `othello_env.support.dispatch`."""
    start: Othello

    def __init__(self, n: int, start: Othello) -> None:
        constants = self.constants_class(BOARDS[start.size], start.size)
        boards = OthelloBoards(*(np.zeros(n, np.uint64) for _ in range(3)))
        super().__init__(start, constants, boards, ("own", "opponent"), 2 * start.size**2, np.int8)

    def opening_boards(self, positions: Sequence[State]) -> OthelloBoards:
        squares, sets = self.start.size**2, []
        for position in positions:
            assert isinstance(position, Othello)
            if len(position.moves) + 2 * (squares - position.placed) > 2 * squares:
                raise ValueError(f"{len(position.moves)} moves cannot lead to this position:\n{position}")
            sets.append((position.own, position.opponent, position.legal_bits))
        return OthelloBoards(*map(np.ascontiguousarray, np.array(sets, np.uint64).T))

    def state(self, i: int) -> Othello:
        arrays, to_move = self.arrays, int(self.arrays.to_move[i])
        own, opponent = int(arrays.boards.own[i]), int(arrays.boards.opponent[i])
        if arrays.over[i] and arrays.learner[i] == 1 - to_move:  # a finished game: `own` has the learner's discs
            own, opponent = opponent, own
        return self.start.at(own, opponent, to_move, arrays.moves_of(i))

    def final_state(self, ended: EndedGames, k: int) -> Othello:
        record = ended.rows[k]
        own, opponent, to_move = int(record["own"]), int(record["opponent"]), int(record["to_move"])
        if record["viewer"] != to_move:
            own, opponent = opponent, own
        return self.start.at(own, opponent, to_move, ended.moves_of(k))

    def positions(
        self, indices: npt.NDArray[np.int64], to_move: npt.NDArray[np.int8], key: npt.NDArray[np.uint64]
    ) -> Positions:
        if type(self.start) is not Othello:  # agents may take `OthelloPositions` for games with the usual rules
            return super().positions(indices, to_move, key)
        return _GamesPositions(self, indices, to_move, key)

    def encoder_buffers(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> EncoderBuffers:
        n, size, squares = len(planes), self.start.size, self.start.size**2
        ranks = 8 if size == 8 else size - 1
        return EncoderBuffers(
            plane_words=planes.reshape(-1).view(np.uint64),
            plane_ranks=np.ndarray((2 * n, ranks), np.uint64, planes, strides=(squares, size)),
            mask_ranks=np.ndarray((n, ranks), np.uint64, masks, strides=(squares + 1, size)),
        )


class _GamesPositions(OthelloPositions):
    """Positions of some games of a batch. The method `state` returns a position with its moves.

    Args:
        batch: the batch.
        indices: (M,) the indices of the games in the batch.
        to_move: (M,) the players to move.
        key: (M,) the games' keys.
    """

    def __init__(self, batch: OthelloBatch, indices: _Array, to_move: _Array, key: _Array) -> None:
        own, opponent, legal = batch.arrays.boards
        super().__init__(own[indices], opponent[indices], to_move, key, batch.start.size, legal[indices])
        self._batch, self._indices = batch, indices

    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> Self:
        part = super().part(places)
        part._indices = self._indices[places]
        return part

    def state(self, i: int) -> Othello:
        return self._batch.state(int(self._indices[i]))
