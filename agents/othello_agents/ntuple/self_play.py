"""Compiled self-play, which plays the games that a network learns from.

Letters for shapes: the same as in `kernels`, and also B games of a batch, T plies (the most that a game can have).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple.kernels import (
    Tables,
    best_move,
    configure,
    ends_game,
    first_ply,
    follow,
    outcome,
    stage,
    sum_weights,
)
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, below, mix
from othello_env.games.othello.bitboard import (
    final_margin,
    flips,
    legal_moves,
    nth_bit,
    popcount,
    square_of,
)
from othello_env.support.jit import Int, kernel

__all__ = ["Learning", "Records", "play"]

_0, _1, _2, _32 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(32)
_GRABS = np.uint64(0.7 * 2.0**32)
"""2**32 times the probability that a grabbing player (see `trainer.Trainer`) plays the move that turns the most
discs."""


class Learning(NamedTuple):
    """The settings of the training; the arguments of `trainer.Trainer` have the same names and meanings."""

    rate: float
    trace: float
    epsilon: float
    random_plies: int
    grabbing: float
    look_ahead: bool


class Records(NamedTuple):
    """The games of a batch: for each ply, the afterstate to learn from. Passes do not count as plies.

    Attributes:
        plies: (B,) int64, the number of plies in each game so far.
        boards: (B, 2) uint64, each game's present position: the discs of the player to move and of the other player.
        configurations: (B, T, L) int16, the configurations of the afterstates, from the point of view of the player who
            has just moved.
        signs: (B, T) int8, +1 where the game's first player moved, else -1.
        values: (B, T) float64, the values of the afterstates; the last value is the outcome of the game.
        greedy: (B, T) float64, the value of the best move's afterstate. If the best move was played, `values` has the
            same number.
        errors: (B, T) float32, the step for each afterstate's logit. It is not yet multiplied by the learning rates.
    """

    plies: npt.NDArray[np.int64]
    boards: npt.NDArray[np.uint64]
    configurations: npt.NDArray[np.int16]
    signs: npt.NDArray[np.int8]
    values: npt.NDArray[np.float64]
    greedy: npt.NDArray[np.float64]
    errors: npt.NDArray[np.float32]

    @classmethod
    def empty(cls, games: int, tables: Tables) -> "Records":
        """Memory for the records of this number of games."""
        shape = (games, int(tables.board).bit_count())
        return cls(
            np.zeros(games, np.int64),
            np.zeros((games, 2), np.uint64),
            np.empty((*shape, tables.deltas.shape[1]), np.int16),
            np.empty(shape, np.int8),
            np.empty(shape, np.float64),
            np.empty(shape, np.float64),
            np.empty(shape, np.float32),
        )


@kernel
def _grab(own: np.uint64, opponent: np.uint64, legal: np.uint64) -> np.int64:
    """The square of the move that turns the most discs (the lowest square if several are equal)."""
    best, most = np.int64(-1), np.int64(-1)
    while legal != _0:
        disc = legal & (_0 - legal)
        legal ^= disc
        turned = np.int64(popcount(flips(disc, own, opponent)))
        if turned > most:
            best, most = square_of(disc), turned
    return best


@kernel
def _grabber(key: np.uint64, learning: Learning) -> np.int64:
    """The player who grabs discs in a game: +1 for the first player, -1 for the second player, 0 for neither."""
    draw = mix(key, np.uint64(OPPONENT))
    if draw >> _32 >= np.uint64(learning.grabbing * 2.0**32):
        return np.int64(0)
    return np.int64(1) - np.int64(_2 * (draw & _1))


@kernel(lean=True)
def _best_after_replies(
    own: np.uint64,
    opponent: np.uint64,
    legal: np.uint64,
    configuration: npt.NDArray[np.int16],
    tables: Tables,
    after: npt.NDArray[np.int16],
    later: npt.NDArray[np.int16],
) -> tuple[np.int64, np.float32]:
    """The square of the best move by minimax of depth 2, and the logit of this move's afterstate.

    If several moves are equal, the one with the lowest square is taken.
    """
    best, most, best_logit = np.int64(-1), np.float32(0), np.float32(0)
    while legal != _0:
        disc = legal & (_0 - legal)
        legal ^= disc
        square, logit = best_move(own, opponent, disc, configuration, tables, after)
        turned = flips(disc, own, opponent)
        new_own, new_opponent = opponent & ~turned, own | turned | disc
        replies = legal_moves(new_own, new_opponent, tables.board)
        moves = legal_moves(new_opponent, new_own, tables.board)
        worth = logit
        if (replies | moves) != _0:
            follow(configuration, square, turned, tables, after)
            if replies != _0:
                _turn_over(after, after)
                worth = -best_move(new_own, new_opponent, replies, after, tables, later)[1]
            else:
                worth = best_move(new_opponent, new_own, moves, after, tables, later)[1]
        if best < 0 or worth > most:
            best, most, best_logit = square, worth, logit
    return best, best_logit


@kernel(lean=True)
def _turn_over(configuration: npt.NDArray[np.int16], out: npt.NDArray[np.int16]) -> None:
    """Write the configurations from the other side's point of view into `out`."""
    for i in range(len(configuration)):
        out[i] = -configuration[i]


@kernel(lean=True)
def _record_plies(
    key: np.uint64,
    end: Int,
    tables: Tables,
    learning: Learning,
    records: Records,
    b: int,
    scratch: npt.NDArray[np.int16],
) -> None:
    """Continue game b of the batch until it is over or has `end` plies. `scratch` (3, L) is working memory."""
    configuration, after, later = scratch[0], scratch[1], scratch[2]
    grabber = _grabber(key, learning)
    random_plies = np.int64(below(mix(key, np.uint64(OPENING)), np.uint64(learning.random_plies + 1)))
    threshold = np.uint64(learning.epsilon * 2.0**32)
    own, opponent, t = records.boards[b, 0], records.boards[b, 1], records.plies[b]
    squares = np.int64(popcount(tables.board))
    sign: Int = 1
    if t == 0:
        configure(own, opponent, tables, configuration)
    else:
        _turn_over(records.configurations[b, t - 1], configuration)
        sign = -np.int64(records.signs[b, t - 1])
    while t < end:
        legal = legal_moves(own, opponent, tables.board)
        if legal == _0:
            own, opponent, sign = opponent, own, -sign
            _turn_over(configuration, configuration)
            legal = legal_moves(own, opponent, tables.board)
            if legal == _0:
                break
        discs = np.int64(popcount(own | opponent)) + 1
        if learning.look_ahead:
            best, logit = _best_after_replies(own, opponent, legal, configuration, tables, after, later)
        else:
            best, logit = best_move(own, opponent, legal, configuration, tables, after)
        square = best
        draw = mix(mix(key, np.uint64(EPSILON)), np.uint64(discs))
        if t < random_plies or draw >> _32 < threshold:
            square = np.int64(nth_bit(legal, below(mix(draw, np.uint64(CHOICE)), popcount(legal))))
        elif sign == grabber and mix(draw, np.uint64(OPPONENT)) >> _32 < _GRABS:
            square = _grab(own, opponent, legal)
        disc, played = _1 << np.uint64(square), records.configurations[b, t]
        turned = flips(disc, own, opponent)
        follow(configuration, square, turned, tables, played)
        own, opponent = opponent & ~turned, own | turned | disc
        value = greedy = np.tanh(np.float64(logit))
        if square != best:
            value = np.tanh(np.float64(sum_weights(tables.weights[stage(discs, tables)], played, tables.offsets)))
        if ends_game(own, opponent, tables.board):
            value = outcome(final_margin(opponent, own, squares), squares)
            greedy = value if square == best else greedy
        records.signs[b, t], records.values[b, t], records.greedy[b, t] = sign, value, greedy
        _turn_over(played, configuration)
        sign, t = -sign, t + 1
    records.boards[b, 0], records.boards[b, 1], records.plies[b] = own, opponent, t


@kernel(lean=True)
def _record_errors(b: int, trace: float, records: Records) -> None:
    """Write the errors of a game: for each value, the step towards its TD(lambda) return.

    The last value is the outcome of the game, so it has no error.
    """
    last = records.plies[b] - 1
    target = records.signs[b, last] * records.greedy[b, last]  # from the first player's point of view
    for t in range(last - 1, -1, -1):
        sign, value, greedy = records.signs[b, t], records.values[b, t], records.greedy[b, t]
        records.errors[b, t] = (sign * target - value) * (1.0 - value * value)
        # The next step of the loop needs the return of the position before this move. If the move was not the best
        # move, the rest of the game does not show what that position is worth. Then the position's return is the value
        # of the best move.
        followed = trace if value == greedy else 0.0
        target = (1.0 - followed) * sign * greedy + followed * target


@kernel
def play(
    key: np.uint64,
    first: np.int64,
    games: int,
    share: int,
    shares: int,
    own: np.uint64,
    opponent: np.uint64,
    tables: Tables,
    learning: Learning,
    records: Records,
) -> None:
    """Play and record a part of a batch: the games `share`, `share` + `shares`, `share` + 2 * `shares` and so on.

    `key` determines an endless sequence of games. The batch consists of `games` games of this sequence, beginning with
    game number `first`.
    """
    scratch = np.empty((3, tables.deltas.shape[1]), np.int16)
    for b in range(share, games, shares):
        records.boards[b, 0], records.boards[b, 1], records.plies[b] = own, opponent, 0
    # All games finish a stage before any game begins the next stage, so the stage's weights stay in the CPU's cache.
    for number in range(tables.weights.shape[0]):
        for b in range(share, games, shares):
            end = first_ply(number + 1, tables)
            _record_plies(mix(key, np.uint64(first + b)), end, tables, learning, records, b, scratch)
    for b in range(share, games, shares):
        _record_errors(b, learning.trace, records)
