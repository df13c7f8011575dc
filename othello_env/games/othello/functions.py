"""The functions that Othello supplies for the batch (see `othello_env.games.batch.functions`).

The loops over N games handle several games at a time in one vector register: most loops write one array and have no
branch, and the functions that they call are inlined. So LLVM, the compiler that Numba uses, can put several positions
into one register (eight with AVX-512). The loops handle the arrays block by block, so that a block stays in the
processor's fastest cache.

Letters in shapes: N is the number of positions, S the width of the board, A = S * S + 1 the number of actions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import functions as batch
from othello_env.games.batch.state import ILLEGAL, OUT_OF_RANGE, OVER, BatchState, InitialArrays, Outputs
from othello_env.games.othello.bitboard import (
    advance,
    count_sides,
    draw_move,
    final_margin,
    flips,
    game_result,
    legal_moves,
    popcount,
)
from othello_env.support.dispatch import implementation
from othello_env.support.jit import Int, kernel

__all__ = [
    "EncoderBuffers",
    "OthelloBoards",
    "OthelloConstants",
    "allowed",
    "disc_of",
    "encode_boards",
    "encoder_buffers",
]

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
    """The planes and masks of N games, and their memory as words of 64 bits.

    A word for a rank begins at the first square of the rank, and may be unaligned. On 8x8, there are R = 8 such words
    for each plane and mask. On smaller boards, a word is longer than a rank. A word for the last rank would reach
    beyond the end of the plane or mask. So there is no such word, and R is S - 1.
    """

    planes: npt.NDArray[np.int8]
    """(2 * N, S * S)"""
    plane_words: npt.NDArray[np.uint64]
    """All words of `planes`, one after another."""
    plane_ranks: npt.NDArray[np.uint64]
    """(2 * N, R)"""
    masks: npt.NDArray[np.int8]
    """(N, A)"""
    mask_ranks: npt.NDArray[np.uint64]
    """(N, R)"""


def encoder_buffers(planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], size: int) -> EncoderBuffers:
    """The buffers for planes, (N, 2, S, S), and masks, (N, A)."""
    n, squares = len(planes), size**2
    ranks = 8 if size == 8 else size - 1
    return EncoderBuffers(
        planes=planes.reshape(2 * n, squares),
        plane_words=planes.reshape(-1).view(np.uint64),
        plane_ranks=np.ndarray((2 * n, ranks), np.uint64, planes, strides=(squares, size)),
        masks=masks,
        mask_ranks=np.ndarray((n, ranks), np.uint64, masks, strides=(squares + 1, size)),
    )


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


@implementation(batch.play_gathered, OthelloConstants)
def _play_gathered(
    constants: OthelloConstants,
    state: BatchState,
    indices: npt.NDArray[np.int64],
    gathered: OthelloBoards,
    actions: npt.NDArray[np.int64],
) -> None:
    over = np.zeros(len(indices), np.bool_)
    _place(constants, gathered, over, actions)
    boards = state.boards
    for k in range(len(indices)):
        i = indices[k]
        boards.own[i], boards.opponent[i], boards.legal[i] = gathered.own[k], gathered.opponent[k], gathered.legal[k]
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
    encode_boards(constants, state.boards, state.over, out.encoder_buffers)


@kernel
def encode_boards(
    constants: OthelloConstants, boards: OthelloBoards, over: npt.NDArray[np.bool_], buffers: EncoderBuffers
) -> None:
    """Write the planes and masks of N games. `over`, (N,), says which games are over."""
    if constants.size == 8:
        _encode_8x8(boards, over, buffers)
    else:
        _encode_small(boards, over, buffers, constants.size)


@kernel
def _encode_8x8(boards: OthelloBoards, over: npt.NDArray[np.bool_], buffers: EncoderBuffers) -> None:
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
            buffers.masks[first:last],
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
def _encode_small(boards: OthelloBoards, over: npt.NDArray[np.bool_], buffers: EncoderBuffers, size: int) -> None:
    """Write the planes and masks of N games on smaller boards."""
    edge = np.uint64((8 - size) // 2 * 9)
    for i in range(len(over)):
        _write_ranks(boards.own[i] >> edge, buffers.planes[2 * i], buffers.plane_ranks[2 * i], size)
        _write_ranks(boards.opponent[i] >> edge, buffers.planes[2 * i + 1], buffers.plane_ranks[2 * i + 1], size)
        _write_ranks(boards.legal[i] >> edge, buffers.masks[i], buffers.mask_ranks[i], size)
        buffers.masks[i, size * size] = (boards.legal[i] == _0) & (not over[i])


@kernel(inline=True)
def _write_ranks(squares: np.uint64, cells: npt.NDArray[np.int8], ranks: npt.NDArray[np.uint64], size: int) -> None:
    """Write a set of squares as bytes. Bit 0 of the set is a1, and rank k (from 0) begins at bit 8 * k."""
    for rank in range(size - 1):  # in ascending order, because a word also overwrites bytes of the next rank
        ranks[rank] = _EXPAND[(squares >> np.uint64(8 * rank)) & _255]
    last = squares >> np.uint64(8 * (size - 1))
    for file in range(size):
        cells[size * (size - 1) + file] = (last >> np.uint64(file)) & _1
