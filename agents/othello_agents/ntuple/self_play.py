"""Compiled self-play, and learning from it.

Letters for shapes: see `kernels`; T plies of a game.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple.kernels import (
    Tables,
    add,
    best_move,
    configure,
    follow,
    game_result,
    stage,
    sum_weights,
)
from othello_env.games.bitboard import advance, flips, legal_moves, nth_bit, popcount
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, below, mix
from othello_env.games.jit import kernel

__all__ = ["Learning", "train"]

_0, _1, _2, _32 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(32)
_GRABS = np.uint64(0.7 * 2.0**32)
"""How often a grabbing player grabs, times 2**32."""


class Learning(NamedTuple):
    """How a network learns; see `trainer.Trainer`."""

    rate: float
    trace: float
    epsilon: float
    random_plies: int
    grabbing: float


class _Record(NamedTuple):
    """A game of self-play, ply by ply: the afterstates that are to be learned.

    Attributes:
        configurations: (T, Q) int16, from the mover's side.
        stages: (T,) int64.
        signs: (T,) float64, +1 where the first player moved, else -1.
        values: (T,) float64, the afterstates' values as they were; the last one's is the game's outcome.
        greedy: (T,) float64, the value of the best move; another than `values` where another one was made.
    """

    configurations: npt.NDArray[np.int16]
    stages: npt.NDArray[np.int64]
    signs: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    greedy: npt.NDArray[np.float64]


@kernel
def _outcome(own: np.uint64, opponent: np.uint64, board: np.uint64) -> float:
    """The outcome of a finished game for `own`."""
    mine, other, squares = np.int64(popcount(own)), np.int64(popcount(opponent)), np.int64(popcount(board))
    result = game_result(own, opponent)
    margin = mine - other + result * (squares - mine - other)  # the empty squares go to the winner
    return 0.5 * result + 0.5 * margin / squares


@kernel
def _grab(own: np.uint64, opponent: np.uint64, legal: np.uint64) -> np.int64:
    """The first square of a move that turns the most discs."""
    best, most = np.int64(-1), np.int64(-1)
    while legal != _0:
        disc = legal & (_0 - legal)
        legal ^= disc
        turned = np.int64(popcount(flips(disc, own, opponent)))
        if turned > most:
            best, most = np.int64(popcount(disc - _1)), turned
    return best


@kernel
def _grabber(key: np.uint64, learning: Learning) -> np.int64:
    """Which player grabs discs in a game: +1, the first, -1, the second, or 0, none."""
    draw = mix(key, np.uint64(OPPONENT))
    if draw >> _32 >= np.uint64(learning.grabbing * 2.0**32):
        return np.int64(0)
    return np.int64(1) - np.int64(_2 * (draw & _1))


@kernel
def _self_play(
    key: np.uint64, own: np.uint64, opponent: np.uint64, tables: Tables, learning: Learning, record: _Record
) -> int:
    """Play a game from a position and fill the record. Returns the number of plies."""
    grabber = _grabber(key, learning)
    random_plies = np.int64(below(mix(key, np.uint64(OPENING)), np.uint64(learning.random_plies + 1)))
    threshold = np.uint64(learning.epsilon * 2.0**32)
    configuration = np.empty(len(tables.offsets), np.int16)
    after = np.empty_like(configuration)
    configure(own, opponent, tables, configuration)
    legal, reply = legal_moves(own, opponent, tables.board), legal_moves(opponent, own, tables.board)
    sign, t = 1, 0
    while (legal | reply) != _0:
        if legal == _0:
            own, opponent, legal, reply = opponent, own, reply, legal
            add(configuration, configuration, np.int64(-2))  # the other side's view; a bare literal is another type
            sign = -sign
        discs = np.int64(popcount(own | opponent)) + 1
        best, logit = best_move(own, opponent, legal, configuration, tables, after)
        square = best
        draw = mix(mix(key, np.uint64(EPSILON)), np.uint64(discs))
        if t < random_plies or draw >> _32 < threshold:
            square = np.int64(nth_bit(legal, below(mix(draw, np.uint64(CHOICE)), popcount(legal))))
        elif sign == grabber and mix(draw, np.uint64(OPPONENT)) >> _32 < _GRABS:
            square = _grab(own, opponent, legal)
        disc = _1 << np.uint64(square)
        new_own, new_opponent, legal, reply = advance(own, opponent, disc, tables.board)
        follow(configuration, square, opponent & ~new_own, tables.deltas, len(configuration), record.configurations[t])
        number = stage(discs, tables)
        if (legal | reply) == _0:
            value = _outcome(new_opponent, new_own, tables.board)
        else:
            chosen = sum_weights(tables.weights[number], record.configurations[t], tables.offsets, tables.looked_up)
            value = np.tanh(np.float64(chosen))
        greedy = value if square == best else np.tanh(np.float64(logit))
        record.stages[t], record.signs[t], record.values[t], record.greedy[t] = number, sign, value, greedy
        for q in range(len(configuration)):
            configuration[q] = -record.configurations[t, q]
        own, opponent, sign, t = new_own, new_opponent, -sign, t + 1
    return t


@kernel
def _learn(plies: int, learning: Learning, tables: Tables, errors: npt.NDArray[np.float32], record: _Record) -> None:
    """Move the value of every afterstate but the last, which is never looked up, towards its TD(lambda) return.

    Each weight has a rate of its own, as in temporal coherence learning (Beal and Smith, "Temporal coherence and
    prediction decay in TD learning", 1999): the part of its errors that did not cancel out.
    """
    target = record.signs[plies - 1] * record.greedy[plies - 1]  # for the first player
    for t in range(plies - 2, -1, -1):
        sign, value, configuration = record.signs[t], record.values[t], record.configurations[t]
        weights, sums = tables.weights[record.stages[t]], errors[record.stages[t]]
        error = np.float32((sign * target - value) * (1.0 - value * value))
        step = np.float32(learning.rate) * error / np.float32(tables.looked_up)
        for q in range(len(tables.offsets)):
            # A configuration that is its own mirror image has one weight, which counts once.
            if q < tables.looked_up or configuration[q] != configuration[tables.partners[q]]:
                i = np.uint64(tables.offsets[q] + configuration[q])
                size = sums[i, 1]
                weights[i] += step * abs(sums[i, 0]) / size if size > 0 else step
                sums[i, 0] += error
                sums[i, 1] += abs(error)
        # What came of another move than the best says nothing about the position before it.
        followed = learning.trace if value == record.greedy[t] else 0.0
        target = (1.0 - followed) * sign * record.greedy[t] + followed * target


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
) -> None:
    """Play the next games of the sequence that `key` determines, from one position, and learn from each.

    `errors` (S, W, 2) has for each weight the sum of its errors so far and the sum of their sizes. `played` (1,) counts
    the games: it is raised after each, so that an interrupt never leaves it wrong.
    """
    squares = np.int64(popcount(tables.board))
    record = _Record(
        np.empty((squares, len(tables.offsets)), np.int16),
        np.empty(squares, np.int64),
        np.empty(squares, np.float64),
        np.empty(squares, np.float64),
        np.empty(squares, np.float64),
    )
    for _ in range(games):
        game = played[0]
        plies = _self_play(mix(key, np.uint64(game)), own, opponent, tables, learning, record)
        _learn(plies, learning, tables, errors, record)
        played[0] += 1
