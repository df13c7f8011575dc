"""Compiled play and learning with n-tuple networks.

Positions after a move ("afterstates") are valued from the side of the player who moved: `own` is the mover's set,
whatever is written for the player to move elsewhere. The sum of the looked-up weights is a logit x. tanh(x), -1 to +1,
is the game's expected outcome: the mean of its result (+1, 0 or -1) and its margin as a part of the board.

Letters for shapes: S stages of the game, W weights a stage, P placements looked up, Q with the mirrored ones (see
`patterns`), N positions, T plies of a game.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.bitboard import advance, flips, legal_moves, nth_bit, popcount
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, below, mix
from othello_env.games.jit import kernel

__all__ = ["Learning", "Tables", "best_actions", "evaluate", "position_logit", "stage", "train"]

_0, _1, _2, _32 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(32)
_GRABS = np.uint64(0.7 * 2.0**32)
"""How often a grabbing player grabs, times 2**32."""
_WIN = np.float32(np.inf)


class Tables(NamedTuple):
    """A network as the kernels read it.

    Attributes:
        weights: (S, W) float32.
        deltas: (64, Q) int16, see `patterns.Layout`, as for `offsets`, `partners` and `looked_up`.
        offsets: (Q,) int64.
        partners: (Q,) int64.
        looked_up: P.
        board: the set of squares in play.
    """

    weights: npt.NDArray[np.float32]
    deltas: npt.NDArray[np.int16]
    offsets: npt.NDArray[np.int64]
    partners: npt.NDArray[np.int64]
    looked_up: int
    board: np.uint64


class Learning(NamedTuple):
    """How a network learns; see `trainer.Trainer`."""

    rate: float
    trace: float
    epsilon: float
    random_plies: int
    grabbing: float


@kernel
def stage(discs: np.int64, tables: Tables) -> np.int64:
    """The stage of the game with so many discs after a move: S equal parts of the discs to place."""
    stages = tables.weights.shape[0]
    return max(np.int64(0), (discs - 5) * stages // (np.int64(popcount(tables.board)) - 4))


# Loops over q in place of NumPy's notation for arrays, which takes several times as long to compile.


@kernel
def _add(configuration: npt.NDArray[np.int16], delta: npt.NDArray[np.int16], factor: int | np.int64) -> None:
    """Add a multiple of one (Q,) vector to another."""
    for q in range(len(configuration)):
        configuration[q] += factor * delta[q]


@kernel
def _configure(own: np.uint64, opponent: np.uint64, tables: Tables, configuration: npt.NDArray[np.int16]) -> None:
    """Set the (Q,) configurations of a position."""
    for q in range(len(configuration)):
        configuration[q] = 0
    for square in range(64):
        bit = _1 << np.uint64(square)
        if (own | opponent) & bit:
            _add(configuration, tables.deltas[square], 1 if own & bit else -1)


@kernel
def _move(
    configuration: npt.NDArray[np.int16],
    square: np.int64,
    turned: np.uint64,
    deltas: npt.NDArray[np.int16],
    placements: int,
    after: npt.NDArray[np.int16],
) -> None:
    """Set the first `placements` configurations after a disc on `square` has turned others, from the mover's side."""
    for q in range(placements):
        after[q] = configuration[q] + deltas[square, q]
    while turned != _0:
        flipped = popcount((turned & (_0 - turned)) - _1)
        turned &= turned - _1
        for q in range(placements):
            after[q] += deltas[flipped, q] + deltas[flipped, q]


@kernel
def _logit(
    weights: npt.NDArray[np.float32],
    configuration: npt.NDArray[np.int16],
    offsets: npt.NDArray[np.int64],
    looked_up: int,
) -> np.float32:
    """The sum of the weights that a position looks up in its stage's tables (W,)."""
    # Four sums side by side: one alone would wait for each addition. In double precision nothing is rounded, so that
    # the images of a position have the same sum whatever their order.
    a = b = c = d = np.float64(0)
    fours = looked_up - looked_up % 4
    for p in range(0, fours, 4):
        a += weights[np.uint64(offsets[p] + configuration[p])]
        b += weights[np.uint64(offsets[p + 1] + configuration[p + 1])]
        c += weights[np.uint64(offsets[p + 2] + configuration[p + 2])]
        d += weights[np.uint64(offsets[p + 3] + configuration[p + 3])]
    for p in range(fours, looked_up):
        a += weights[np.uint64(offsets[p] + configuration[p])]
    return np.float32(a + b + (c + d))


@kernel
def position_logit(
    own: np.uint64, opponent: np.uint64, tables: Tables, configuration: npt.NDArray[np.int16]
) -> np.float32:
    """The logit of one afterstate, which is not over, from the side of `own`; `configuration` is (Q,) scratch."""
    _configure(own, opponent, tables, configuration)
    weights = tables.weights[stage(np.int64(popcount(own | opponent)), tables)]
    return _logit(weights, configuration, tables.offsets, tables.looked_up)


@kernel
def _result(own: np.uint64, opponent: np.uint64) -> int:
    """+1, 0 or -1: who has more discs."""
    mine, other = popcount(own), popcount(opponent)
    return int(mine > other) - int(mine < other)


@kernel
def evaluate(own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], tables: Tables) -> npt.NDArray[np.float64]:
    """(N,) the expected outcomes of N afterstates from the side of `own`; where the game is over, the result alone."""
    values = np.empty(len(own), np.float64)
    configuration = np.empty(len(tables.offsets), np.int16)
    for i in range(len(own)):
        replies = legal_moves(opponent[i], own[i], tables.board)
        if replies == _0 and legal_moves(own[i], opponent[i], tables.board) == _0:
            values[i] = _result(own[i], opponent[i])
            continue
        values[i] = np.tanh(np.float64(position_logit(own[i], opponent[i], tables, configuration)))
    return values


@kernel
def _best_move(
    own: np.uint64,
    opponent: np.uint64,
    legal: np.uint64,
    configuration: npt.NDArray[np.int16],
    tables: Tables,
    after: npt.NDArray[np.int16],
) -> tuple[np.int64, np.float32]:
    """The first square with the best afterstate, and its logit.

    A won or lost end has an infinite one: a win on the spot is worth more than any hope.

    Args:
        own: the player to move.
        opponent: the other.
        legal: the moves of the player to move, at least one.
        configuration: (Q,) of the position.
        tables: the network.
        after: (Q,) scratch.
    """
    weights = tables.weights[stage(np.int64(popcount(own | opponent)) + 1, tables)]
    best, best_logit = np.int64(-1), -_WIN
    while legal != _0:
        disc = legal & (_0 - legal)
        legal ^= disc
        square = np.int64(popcount(disc - _1))
        new_own, new_opponent, replies, moves = advance(own, opponent, disc, tables.board)
        if (replies | moves) == _0:
            result = _result(new_opponent, new_own)
            logit = np.float32(0) if result == 0 else np.float32(result) * _WIN
        else:
            _move(configuration, square, opponent & ~new_own, tables.deltas, tables.looked_up, after)
            logit = _logit(weights, after, tables.offsets, tables.looked_up)
        if best < 0 or logit > best_logit:
            best, best_logit = square, logit
    return best, best_logit


@kernel
def best_actions(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], tables: Tables, size: int
) -> npt.NDArray[np.int64]:
    """(N,) the actions with the best afterstates in N positions, the pass where there is no other."""
    actions = np.empty(len(own), np.int64)
    configuration = np.empty(len(tables.offsets), np.int16)
    after = np.empty_like(configuration)
    edge = (8 - size) // 2
    for i in range(len(own)):
        legal = legal_moves(own[i], opponent[i], tables.board)
        if legal == _0:
            actions[i] = size * size
            continue
        _configure(own[i], opponent[i], tables, configuration)
        square, _ = _best_move(own[i], opponent[i], legal, configuration, tables, after)
        actions[i] = (square // 8 - edge) * size + square % 8 - edge
    return actions


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
    result = _result(own, opponent)
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
    _configure(own, opponent, tables, configuration)
    legal, reply = legal_moves(own, opponent, tables.board), legal_moves(opponent, own, tables.board)
    sign, t = 1, 0
    while (legal | reply) != _0:
        if legal == _0:
            own, opponent, legal, reply = opponent, own, reply, legal
            _add(configuration, configuration, np.int64(-2))  # the other side's view; a bare literal is another type
            sign = -sign
        discs = np.int64(popcount(own | opponent)) + 1
        best, logit = _best_move(own, opponent, legal, configuration, tables, after)
        square = best
        draw = mix(mix(key, np.uint64(EPSILON)), np.uint64(discs))
        if t < random_plies or draw >> _32 < threshold:
            square = np.int64(nth_bit(legal, below(mix(draw, np.uint64(CHOICE)), popcount(legal))))
        elif sign == grabber and mix(draw, np.uint64(OPPONENT)) >> _32 < _GRABS:
            square = _grab(own, opponent, legal)
        disc = _1 << np.uint64(square)
        new_own, new_opponent, legal, reply = advance(own, opponent, disc, tables.board)
        _move(configuration, square, opponent & ~new_own, tables.deltas, len(configuration), record.configurations[t])
        number = stage(discs, tables)
        if (legal | reply) == _0:
            value = _outcome(new_opponent, new_own, tables.board)
        else:
            chosen = _logit(tables.weights[number], record.configurations[t], tables.offsets, tables.looked_up)
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
