"""Compiled self-play, and compiled learning from the games.

Letters for shapes: the same as in `kernels`, and also B games of a batch, T plies of a game.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple.kernels import (
    Tables,
    best_move,
    configure,
    follow,
    stage,
    sum_weights,
)
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, below, mix
from othello_env.games.othello.bitboard import (
    advance,
    final_margin,
    flips,
    game_result,
    legal_moves,
    nth_bit,
    popcount,
    square_of,
)
from othello_env.support.jit import kernel

__all__ = ["Learning", "Records", "learn", "play", "train"]

_0, _1, _2, _32 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(32)
_BEST, _OTHER, _END = 0, 1, 2
"""Which move was made. _BEST: the best move. _OTHER: another move, and the best move would not have ended the game.
_END: another move, and the best move would have ended the game."""
_GRABS = np.uint64(0.7 * 2.0**32)
"""The probability that a grabbing player makes the move that turns the most discs, times 2**32."""


class Learning(NamedTuple):
    """The settings of the learning: the arguments of `trainer.Trainer` that have these names."""

    rate: float
    trace: float
    epsilon: float
    random_plies: int
    grabbing: float
    look_ahead: bool


class Records(NamedTuple):
    """The games of a batch: for each ply, the afterstate to learn from.

    Attributes:
        plies: (B,) int64, the lengths of the games.
        configurations: (B, T, Q) int16, the configurations after the move that was made, from the mover's point of
            view.
        best: (B, T, Q) int16, the configurations after the best move. Only the first P are set, and only for plies
            where another move was made.
        made: (B, T) int8, `_BEST`, `_OTHER` or `_END`.
        stages: (B, T) int64, the stages of the afterstates.
        signs: (B, T) float64, +1 where the game's first player moved, else -1.
        values: (B, T) float64, the values of the afterstates; the last value is the outcome of the game.
        greedy: (B, T) float64, the value after the best move. Where the best move was made, it is the same as in
            `values`.
    """

    plies: npt.NDArray[np.int64]
    configurations: npt.NDArray[np.int16]
    best: npt.NDArray[np.int16]
    made: npt.NDArray[np.int8]
    stages: npt.NDArray[np.int64]
    signs: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    greedy: npt.NDArray[np.float64]

    @classmethod
    def empty(cls, games: int, tables: Tables) -> "Records":
        """Records with room for this number of games."""
        shape = (games, int(tables.board).bit_count())
        width = len(tables.offsets)
        return cls(
            np.zeros(games, np.int64),
            np.empty((*shape, width), np.int16),
            np.empty((*shape, width), np.int16),
            np.empty(shape, np.int8),
            np.empty(shape, np.int64),
            np.empty(shape, np.float64),
            np.empty(shape, np.float64),
            np.empty(shape, np.float64),
        )


@kernel
def _outcome(own: np.uint64, opponent: np.uint64, board: np.uint64) -> float:
    """The outcome of a finished game for `own`."""
    squares = np.int64(popcount(board))
    return 0.5 * game_result(own, opponent) + 0.5 * final_margin(own, opponent, squares) / squares


@kernel
def _grab(own: np.uint64, opponent: np.uint64, legal: np.uint64) -> np.int64:
    """The square of the move that turns the most discs. Of equal moves, it is the first."""
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


@kernel
def _self_play(
    key: np.uint64, own: np.uint64, opponent: np.uint64, tables: Tables, learning: Learning, records: Records, b: int
) -> None:
    """Play a game from a position, and record it as game b of the batch."""
    grabber = _grabber(key, learning)
    random_plies = np.int64(below(mix(key, np.uint64(OPENING)), np.uint64(learning.random_plies + 1)))
    threshold = np.uint64(learning.epsilon * 2.0**32)
    configuration = np.empty(len(tables.offsets), np.int16)
    after, later = np.empty_like(configuration), np.empty_like(configuration)
    configure(own, opponent, tables, configuration)
    legal, reply = legal_moves(own, opponent, tables.board), legal_moves(opponent, own, tables.board)
    sign, t = 1, 0
    while (legal | reply) != _0:
        if legal == _0:
            own, opponent, legal, reply = opponent, own, reply, legal
            for q in range(len(configuration)):
                configuration[q] = -configuration[q]  # the other side's view
            sign = -sign
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
        records.made[b, t] = _BEST
        if square != best:
            records.made[b, t] = _other(own, opponent, best, configuration, tables, records.best[b, t])
        new_own, new_opponent, legal, reply = advance(own, opponent, _1 << np.uint64(square), tables.board)
        played, number = records.configurations[b, t], stage(discs, tables)
        follow(configuration, square, opponent & ~new_own, tables.deltas, len(configuration), played)
        if (legal | reply) == _0:
            value = _outcome(new_opponent, new_own, tables.board)
        else:
            value = _value(tables.weights[number], played, tables)
        records.stages[b, t], records.signs[b, t], records.values[b, t] = number, sign, value
        records.greedy[b, t] = value if square == best else np.tanh(np.float64(logit))
        for q in range(len(configuration)):
            configuration[q] = -played[q]
        own, opponent, sign, t = new_own, new_opponent, -sign, t + 1
    records.plies[b] = t


@kernel
def _best_after_replies(
    own: np.uint64,
    opponent: np.uint64,
    legal: np.uint64,
    configuration: npt.NDArray[np.int16],
    tables: Tables,
    after: npt.NDArray[np.int16],
    later: npt.NDArray[np.int16],
) -> tuple[np.int64, np.float32]:
    """The best square by minimax of depth 2 (the first if several are equal), and the logit of its afterstate."""
    best, most, best_logit = np.int64(-1), np.float32(0), np.float32(0)
    while legal != _0:
        disc = legal & (_0 - legal)
        legal ^= disc
        square, logit = best_move(own, opponent, disc, configuration, tables, after)
        new_own, new_opponent, replies, moves = advance(own, opponent, disc, tables.board)
        worth = logit
        if (replies | moves) != _0:
            follow(configuration, square, opponent & ~new_own, tables.deltas, tables.looked_up, after)
            if replies != _0:
                for q in range(tables.looked_up):
                    after[q] = -after[q]  # the other side's view
                worth = -best_move(new_own, new_opponent, replies, after, tables, later)[1]
            else:
                worth = best_move(new_opponent, new_own, moves, after, tables, later)[1]
        if best < 0 or worth > most:
            best, most, best_logit = square, worth, logit
    return best, best_logit


@kernel
def _value(weights: npt.NDArray[np.float32], configuration: npt.NDArray[np.int16], tables: Tables) -> float:
    """The value of an afterstate, from the weights (W,) of its stage."""
    return float(np.tanh(np.float64(sum_weights(weights, configuration, tables.offsets, tables.looked_up))))


@kernel
def _other(
    own: np.uint64,
    opponent: np.uint64,
    best: np.int64,
    configuration: npt.NDArray[np.int16],
    tables: Tables,
    after: npt.NDArray[np.int16],
) -> int:
    """Write the configurations after the best move into `after`.

    Returns `_END` if the best move ends the game, otherwise `_OTHER`. The kernel is called only if the move that is
    made is not the best move.
    """
    new_own, _, legal, reply = advance(own, opponent, _1 << np.uint64(best), tables.board)
    follow(configuration, best, opponent & ~new_own, tables.deltas, tables.looked_up, after)
    return _END if (legal | reply) == _0 else _OTHER


@kernel
def _value_again(b: int, tables: Tables, records: Records) -> None:
    """Compute the values of a recorded game again, with the present weights."""
    for t in range(records.plies[b]):
        weights = tables.weights[records.stages[b, t]]
        if t < records.plies[b] - 1:
            records.values[b, t] = _value(weights, records.configurations[b, t], tables)
        if records.made[b, t] == _BEST:
            records.greedy[b, t] = records.values[b, t]
        elif records.made[b, t] == _OTHER:
            records.greedy[b, t] = _value(weights, records.best[b, t], tables)


@kernel
def _learn(b: int, learning: Learning, tables: Tables, errors: npt.NDArray[np.float32], records: Records) -> None:
    """Move the value of each afterstate, except the last, towards its TD(lambda) return. The last value is the outcome.

    The learning rate of each weight is proportional to a fraction: the absolute value of the sum of the weight's
    errors, divided by the sum of the errors' absolute values. This is temporal coherence learning (Beal and Smith,
    "Temporal coherence and prediction decay in TD learning", 1999).
    """
    last = records.plies[b] - 1
    target = records.signs[b, last] * records.greedy[b, last]  # for the first player
    for t in range(last - 1, -1, -1):
        sign, value, greedy = records.signs[b, t], records.values[b, t], records.greedy[b, t]
        configuration, number = records.configurations[b, t], records.stages[b, t]
        weights, sums = tables.weights[number], errors[number]
        error = np.float32((sign * target - value) * (1.0 - value * value))
        step = np.float32(learning.rate) * error / np.float32(tables.looked_up)
        for q in range(len(tables.offsets)):
            # A mirrored placement and its partner share a weight if their configurations are equal: update it once.
            if q < tables.looked_up or configuration[q] != configuration[tables.partners[q]]:
                i = np.uint64(tables.offsets[q] + configuration[q])
                size = sums[i, 1]
                weights[i] += step * abs(sums[i, 0]) / size if size > 0 else step
                sums[i, 0] += error
                sums[i, 1] += abs(error)
        # If the move was not the best move, the later moves say nothing about the position before it.
        followed = learning.trace if value == greedy else 0.0
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
    """Play and record every `shares`-th game of a batch, beginning with game `share` of the batch.

    `key` determines a sequence of games. The batch is a part of this sequence: `games` games from number `first` on.
    """
    for b in range(share, games, shares):
        _self_play(mix(key, np.uint64(first + b)), own, opponent, tables, learning, records, b)


@kernel
def learn(
    played: npt.NDArray[np.int64],
    games: int,
    tables: Tables,
    errors: npt.NDArray[np.float32],
    learning: Learning,
    records: Records,
) -> None:
    """Learn from the games of a batch one after another.

    Each game is evaluated with the weights that were learned from all games before this game.

    `errors` (S, W, 2) has, for each weight, the sum of its errors so far and the sum of their absolute values. `played`
    (1,) counts the games. It is increased after each game, so that it is correct even after an interrupt.
    """
    for b in range(games):
        if b > 0:  # the first game was played with these weights
            _value_again(b, tables, records)
        _learn(b, learning, tables, errors, records)
        played[0] += 1


@kernel
def train(
    key: np.uint64,
    played: npt.NDArray[np.int64],
    games: int,
    own: np.uint64,
    opponent: np.uint64,
    tables: Tables,
    errors: npt.NDArray[np.float32],
    learning: Learning,
    records: Records,
) -> None:
    """Play the next games of the sequence that `key` determines, and learn after each batch.

    All games start from the same position. Batches begin at multiples of B. For `played` and `errors` see `learn`.
    """
    end = played[0] + games
    while played[0] < end:
        length = min(len(records.plies) - played[0] % len(records.plies), end - played[0])
        play(key, played[0], length, 0, 1, own, opponent, tables, learning, records)
        learn(played, length, tables, errors, learning, records)
