"""Learning by self-play: compiled games, two compiled learning rules, and the `Trainer` that runs them.

The two learning rules are for single games and for batches. Both move the value of each afterstate towards its
TD(lambda) return. Both give each weight its own learning rate: `rate` * |sum of the weight's errors so far| / (sum of
the absolute values of these errors). So the learning rate is small if positive and negative errors cancel each other.
This is temporal coherence learning (Beal and Smith, "Temporal coherence and prediction decay in TD learning", 1999).

With the rule for single games, the errors of a game change the weights before the next game is played. With the rule
for batches, the weights stay the same while all games of a batch are played and all errors are computed. So the change
of a weight does not depend on the changes of other weights, and threads can divide the weights among themselves.

A batch may have hundreds of errors for one weight. Most of these errors have the same cause. So the weight would move
much too far if it followed each of these errors in full. In single games, each step makes the later errors smaller. The
rule for batches imitates this effect. Suppose that a weight has the learning rate a and n errors of the same size e.
Suppose that each step makes all later errors smaller by the fraction a. Then the errors become e, (1 - a) e, (1 - a)**2
e and so on. Their sum is not n e, but e (1 - (1 - a)**n) / a. So the rule for batches multiplies the sum of a weight's
n errors by (1 - (1 - a)**n) / (a n). This product is then added, as a single error, to the sums that determine the
weight's learning rate. If n is 1, both rules give the same result.

Letters for shapes: the same as in `kernels`, and also B games of a batch, T plies (the most that a game can have),
K tables (one for each pattern and one for the whole board), M weights of the largest table, U pairs of a stage and a
table that one thread learns.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from reprlib import repr as short
from typing import NamedTuple, Self

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
from othello_agents.ntuple.network import Layout, NTupleNetwork
from othello_env.games.game import check_seed
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, below, mix, mix_int
from othello_env.games.othello import bitboard
from othello_env.games.othello.bitboard import (
    final_margin,
    flips,
    legal_moves,
    nth_bit,
    popcount,
    square_of,
)
from othello_env.support.jit import Int, interruptible, kernel
from othello_env.support.numbers import check_flag, check_real, check_type, check_whole
from othello_env.support.threads import Threads

__all__ = [
    "Goal",
    "Learning",
    "Records",
    "Share",
    "Trainer",
    "learn_share",
    "play",
    "shares_of",
    "train",
    "train_until",
]

_0, _1, _2, _32 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(32)
_GRABS = np.uint64(0.7 * 2.0**32)
"""2**32 times the probability that a grabbing player (see `Trainer`) plays the move that turns the most
discs."""


class Learning(NamedTuple):
    """The settings of the training; the arguments of `Trainer` have the same names and meanings."""

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
    def empty(cls, games: int, tables: Tables) -> Records:
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


@kernel(no_refcount=True)
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
        value = logit
        if (replies | moves) != _0:
            follow(configuration, square, turned, tables, after)
            if replies != _0:
                _turn_over(after, after)
                value = -best_move(new_own, new_opponent, replies, after, tables, later)[1]
            else:
                value = best_move(new_opponent, new_own, moves, after, tables, later)[1]
        if best < 0 or value > most:
            best, most, best_logit = square, value, logit
    return best, best_logit


@kernel(no_refcount=True)
def _turn_over(configuration: npt.NDArray[np.int16], out: npt.NDArray[np.int16]) -> None:
    """Write the configurations from the other side's point of view into `out`."""
    for i in range(len(configuration)):
        out[i] = -configuration[i]


@kernel(no_refcount=True)
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


@kernel(no_refcount=True)
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
        # move, the rest of the game does not show how good that position is. Then the position's return is the value of
        # the best move.
        followed = trace if value == greedy else 0.0
        target = (1.0 - followed) * sign * greedy + followed * target


@kernel
def play(
    key: np.uint64,
    first: np.int64,
    games: Int,
    share: Int,
    shares: Int,
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


_1F = np.float32(1)
_TINY = 1e-9
"""If a learning rate is below this number, `_left` returns 1, because rounding errors would spoil the formula."""


class Share(NamedTuple):
    """A part of the weights, which one thread learns, and the thread's scratch memory.

    Attributes:
        errors: (S, W, 2) float32, for each weight the sum of its errors so far, and the sum of their absolute values.
        mirrors: (W,) int32, see `network.Layout`.
        placements: (K + 1,) int64, the index of each table's first placement. The last entry is the number of all
            placements.
        starts: (K,) int64, the index of each table's first weight.
        learned: (U, 2) int64, the pairs of a stage and a table whose weights this thread learns.
        slots: (M,) uint16. While the thread learns a table, this array has the row in `sums` of each weight of the
            table, or 0 if the weight has no errors in this batch. A weight and its mirror image have the same row. All
            slots are 0 before and after each call of `learn_share`.
        sums: (M + 1, 2) float32; a row has the sum of a weight's errors in this batch, and the number of these errors.
        touched: (M + 1,) int32, for each row of `sums`, the index of its weight.
        games: (1,) int64, the number of games from which this part of the weights has learned.
    """

    errors: npt.NDArray[np.float32]
    mirrors: npt.NDArray[np.int32]
    placements: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    learned: npt.NDArray[np.int64]
    slots: npt.NDArray[np.uint16]
    sums: npt.NDArray[np.float32]
    touched: npt.NDArray[np.int32]
    games: npt.NDArray[np.int64]


def shares_of(places: Layout, errors: npt.NDArray[np.float32], games: int, count: int) -> list[Share]:
    """Divide all weights of a network with this layout into `count` shares of about the same work.

    `games` is the number of games from which the network has learned. `errors` becomes the array `Share.errors`.
    """
    stages = errors.shape[0]
    _, first, placements = np.unique(places.offsets, return_index=True, return_counts=True)
    lengths = [3 ** len(squares) for _, squares in places.patterns]
    starts = np.cumsum([0, *lengths])
    # Deal out the pairs of a table and a stage, beginning with the tables that have the most placements. Each pair goes
    # to the share that has the least work so far.
    pairs = sorted((-placements[k], number, k) for k in range(len(placements)) for number in range(stages))
    work, dealt = [0] * count, [[] for _ in range(count)]
    for cost, number, k in pairs:
        least = work.index(min(work))
        work[least] -= cost
        dealt[least].append((number, k))
    largest = max(*lengths, places.weights - int(starts[-1]))
    return [
        Share(
            errors,
            places.mirrors,
            np.append(first, places.looked_up).astype(np.int64),
            starts.astype(np.int64),
            np.array(sorted(pairs), np.int64).reshape(-1, 2),
            np.zeros(largest, np.uint16),
            np.zeros((largest + 1, 2), np.float32),
            np.zeros(largest + 1, np.int32),
            np.array([games], np.int64),
        )
        for pairs in dealt
    ]


@kernel(no_refcount=True)
def _learn_game(learning: Learning, tables: Tables, share: Share, records: Records) -> None:
    """Learn from a batch of one game by the rule for single games. Later plies are learned before earlier plies."""
    for t in range(records.plies[0] - 2, -1, -1):
        number = stage(np.int64(5 + t), tables)  # plies count from 0, so after ply t the board has 4 + t + 1 discs
        weights, sums = tables.weights[number], share.errors[number]
        configuration, error = records.configurations[0, t], records.errors[0, t]
        step = np.float32(learning.rate) * error / np.float32(tables.looked_up)
        for p in range(tables.looked_up):
            i = np.uint64(tables.offsets[p] + configuration[p])
            mirrored = np.uint64(share.mirrors[i])
            _move_weight(i, step, error, weights, sums)
            if mirrored != i:
                _move_weight(mirrored, step, error, weights, sums)


@kernel(inline=True)
def _move_weight(
    i: np.uint64,
    step: np.float32,
    error: np.float32,
    weights: npt.NDArray[np.float32],
    sums: npt.NDArray[np.float32],
) -> None:
    """Move one weight, and add `error` to the sum of its errors and to the sum of their absolute values.

    The weight moves by `step` * |sum| / (sum of absolute values), or by `step` if it has no earlier errors.
    """
    size = sums[i, 1]
    weights[i] += step * abs(sums[i, 0]) / size if size > 0 else step
    sums[i, 0] += error
    sums[i, 1] += abs(error)


@kernel(no_refcount=True)
def _sum_errors(games: int, number: np.int64, k: np.int64, tables: Tables, share: Share, records: Records) -> np.int64:
    """Add up the errors of each weight of one table in one stage. Returns the number of used rows of `sums`."""
    start, slots, sums, offsets = share.starts[k], share.slots, share.sums, tables.offsets
    begin, end = first_ply(number, tables), first_ply(number + 1, tables)
    rows = np.int64(0)
    for b in range(games):
        for t in range(begin, min(end, records.plies[b] - 1)):
            configuration, error = records.configurations[b, t], records.errors[b, t]
            for p in range(share.placements[k], share.placements[k + 1]):
                i = np.int64(offsets[p] + configuration[p])
                row = np.int64(slots[np.uint64(i - start)])
                if row == 0:
                    rows += 1
                    row = rows
                    slots[np.uint64(i - start)] = slots[np.uint64(share.mirrors[np.uint64(i)] - start)] = row
                    share.touched[row] = i
                    sums[row, 0] = sums[row, 1] = 0
                sums[row, 0] += error
                sums[row, 1] += _1F
    return rows


@kernel(inline=True)
def _left(rate: float, n: Int) -> float:
    """The factor by which the rule for batches multiplies the sum of a weight's n errors.

    `rate` is the weight's learning rate. The docstring of this module derives the factor.
    """
    rate = min(rate, 1.0)
    if n == 1 or rate < _TINY:
        return 1.0
    power, base, rest = 1.0, 1.0 - rate, n
    while rest > 0:
        if rest & 1:
            power *= base
        base *= base
        rest >>= 1
    return (1.0 - power) / (rate * n)


@kernel(no_refcount=True)
def _move_weights(
    rows: np.int64, number: np.int64, k: np.int64, learning: Learning, tables: Tables, share: Share
) -> None:
    """Move the weights of one table in one stage by the errors that `_sum_errors` has added up.

    The errors of a weight and of its mirror image are added up. Both weights move in the same way, so they stay equal.
    """
    start, sums, weights, errors = share.starts[k], share.sums, tables.weights[number], share.errors[number]
    for row in range(1, rows + 1):
        i = np.uint64(share.touched[row])
        mirrored = np.uint64(share.mirrors[i])
        share.slots[i - np.uint64(start)] = share.slots[mirrored - np.uint64(start)] = 0
        size = errors[i, 1]
        rate = learning.rate * abs(errors[i, 0] / size) if size > 0 else learning.rate
        error = np.float32(_left(rate, np.int64(sums[row, 1])) * sums[row, 0])
        weights[i] += np.float32(rate * error / tables.looked_up)
        errors[i, 0] += error
        errors[i, 1] += abs(error)
        weights[mirrored], errors[mirrored, 0], errors[mirrored, 1] = weights[i], errors[i, 0], errors[i, 1]


@kernel
def learn_share(games: int, learning: Learning, tables: Tables, share: Share, records: Records) -> None:
    """Learn a share of the weights from the games of a batch, by the rule for batches.

    `share.games` is increased by the number of games.
    """
    for u in range(len(share.learned)):
        number, k = share.learned[u, 0], share.learned[u, 1]
        rows = _sum_errors(games, number, k, tables, share, records)
        _move_weights(rows, number, k, learning, tables, share)
    share.games[0] += games


@kernel
def train(
    key: np.uint64,
    games: int,
    own: np.uint64,
    opponent: np.uint64,
    tables: Tables,
    learning: Learning,
    share: Share,
    records: Records,
) -> None:
    """Play the next games of the sequence that `key` determines, and learn from each by the rule for single games.

    All games start from the same position. `share` has all weights. `share.games` is increased after each game, so that
    it is correct even after an interrupt.
    """
    # np.int64, since Numba gives a plain 0 or 1 another type and would compile `play` a second time
    none, one = np.int64(0), np.int64(1)
    for _ in range(games):
        play(key, share.games[0], one, none, one, own, opponent, tables, learning, records)
        _learn_game(learning, tables, share, records)
        share.games[0] += 1


_CHUNK = 64
"""The number of single games between two checks of the clock."""
_LARGEST_BATCH = 10_000
"""The largest batch, in games. The records of each game of a batch take at most 8 kB of memory."""
_KINDS: dict[str, tuple[type, ...]] = {"seed": (int,), "batch": (int,), "random_plies": (int,), "look_ahead": (bool,)}
"""The types that settings of the training must have in a network's card (the JSON text in its file). A setting that is
not listed here may be int or float."""


class Trainer:
    """Learns an evaluation by self-play, with temporal differences on afterstates (positions after a move).

    Each game begins with a random number of random moves. After these moves, both sides play the best move by the
    present evaluation, or sometimes a random move. In some games one player grabs discs: in most of its turns it plays
    the move that turns the most discs. Without such games, the network would never meet opponents that fill the board
    with their discs. So it would learn to keep few discs, and an opponent that looks ahead could take all of them.

    After a game, each afterstate's value moves towards its TD(lambda) return. The outcome of the game is the mean of
    two numbers: its result (+1, 0 or -1), and its margin divided by the number of squares. If a player did not play the
    best move, the returns of earlier positions use the value of the best move, and ignore the rest of the game.

    Each weight has its own learning rate. The rate falls when the weight's positive and negative errors cancel each
    other (temporal coherence learning).

    The seed determines the sequence of games. The same number of games gives the same weights, at any speed and with
    any number of threads. If `batch` is more than 1, games are played in batches of this size. The weights stay the
    same while a batch's games are played and their returns and errors are computed. Then each weight moves once, in the
    direction of the sum of its errors; `othello_agents.ntuple.trainer` describes how far. With several threads, each
    thread plays a part of the batch's games, and later learns a part of the weights. If `run` gets a number of games,
    this number should be a multiple of `batch`. Any other number cuts a batch in two. Then the second part of the batch
    is played with newer weights, so the result is not the same as with an uncut batch. A time limit and Ctrl-C take
    effect only between batches.

    Args:
        size: the board's size: 4, 6 or 8.
        seed: the seed for all random choices.
        network: a network to continue with; the training changes it in place. If the network comes from a Trainer with
            the same arguments, the training continues as if there had been no pause. But if the network was saved with
            `half`, the learning rates of its weights start again at their first values.
        stages: the number of stages of a new network.
        rate: the learning rate at the beginning. At first, a value near 0 moves by this fraction of its distance to the
            return.
        trace: lambda of TD(lambda). With 0, the network learns only from the value of the next afterstate. With 1, it
            learns only from the outcome. But if a later move was not the best move, the value of the best move takes
            the place of the outcome.
        epsilon: the probability of a random move.
        random_plies: the largest number of random moves at the beginning of a game. None stands for two fifths of the
            number of squares that are empty at the start.
        grabbing: the probability that one of the players of a game grabs discs.
        look_ahead: choose moves by minimax of depth 2 instead of depth 1. A game then takes several times as long.
        batch: the number of games that are played before the network learns from them, at most 10,000.
        num_threads: the number of threads that work on a batch, at most `batch`. The results do not depend on this
            number.

    Raises:
        ValueError: the size is wrong or differs from the network's size, the seed is negative, or a number is out of
            its range.
        TypeError: the seed or another number has a wrong type.
    """

    def __init__(
        self,
        size: int = 8,
        seed: int = 0,
        *,
        network: NTupleNetwork | None = None,
        stages: int = 8,
        rate: float = 1.0,
        trace: float = 0.5,
        epsilon: float = 0.1,
        random_plies: int | None = None,
        grabbing: float = 0.5,
        look_ahead: bool = False,
        batch: int = 1,
        num_threads: int = 1,
    ) -> None:
        self.network = NTupleNetwork(size, stages) if network is None else check_type("network", network, NTupleNetwork)
        if self.network.size != size:
            raise ValueError(f"the network is for size {self.network.size}, not {size}")
        if random_plies is None:
            random_plies = 2 * (size * size - 4) // 5
        for name, number, least, most in (
            ("rate", rate, 0.0, 1e6),
            ("trace", trace, 0.0, 1.0),
            ("epsilon", epsilon, 0.0, 1.0),
            ("random_plies", random_plies, 0, size * size),
            ("grabbing", grabbing, 0.0, 1.0),
            ("batch", batch, 1, _LARGEST_BATCH),
            ("num_threads", num_threads, 1, 1024),
        ):
            if isinstance(least, int):
                check_whole(name, number, least, int(most))
            else:
                check_real(name, number, least, most)
        check_flag("look_ahead", look_ahead)
        if num_threads > batch:
            raise ValueError(
                f"the number of threads must be at most {batch}, the number of games in a batch, not {num_threads}"
            )
        self.seed = check_seed(seed)
        self._key = np.uint64(mix_int(self.seed, 0))
        self._learning = Learning(
            float(rate), float(trace), float(epsilon), int(random_plies), float(grabbing), bool(look_ahead)
        )
        if self.network.errors is None:
            self.network.errors = np.zeros((*self.network.weights.shape, 2), np.float32)
        self.batch = int(batch)
        self._records = Records.empty(batch, self.network.tables)
        self._threads = Threads(num_threads)
        self._portion = _CHUNK if batch == 1 else batch
        training = self.network.training
        self._shares = shares_of(self.network.layout, self.network.errors, training.get("games", 0), num_threads)
        self.seconds: float = training.get("seconds", 0.0)
        self._note()

    @staticmethod
    def check_errors(network: NTupleNetwork) -> None:
        """Check that `network.errors` is not None. Otherwise, a training cannot continue as if it had never stopped.

        Raises:
            ValueError: `network.errors` is None.
        """
        if network.errors is None:
            raise ValueError(
                "the network was saved in half precision or was fitted, so it lacks the errors on which its learning "
                "rates depend, and its training cannot be resumed"
            )

    @classmethod
    def resume(cls, network: NTupleNetwork, *, num_threads: int = 1) -> Self:
        """A Trainer that continues a network's training, with the settings in `network.training`.

        The training changes the network in place.

        Raises:
            ValueError: a setting is missing, has a wrong type, or is out of its range.
        """
        numbers = {"batch": 1, "look_ahead": False} | network.training
        for name in ("seed", "batch", *Learning._fields):
            if type(numbers.get(name)) not in _KINDS.get(name, (int, float)):
                raise ValueError(
                    f"the network's card does not have the {name} of its training: {short(network.training)}"
                )
        options = {name: numbers[name] for name in ("batch", *Learning._fields)}
        return cls(network.size, numbers["seed"], network=network, num_threads=num_threads, **options)

    @property
    def games(self) -> int:
        """The number of games that the network has learned from."""
        return int(min(share.games[0] for share in self._shares))

    def run(self, *, seconds: float | None = None, games: int | None = None) -> int:
        """Play and learn until the seconds have passed or the games are played; return the number of games played.

        Another call continues the training. The time to compile the kernels does not count. Ctrl-C does not undo what
        the network has learned.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
            TypeError: `games` is not an integer, or `seconds` is not a number.
            ValueError: neither seconds nor games are given, or a number is negative or not finite.
        """
        if seconds is None and games is None:
            raise ValueError("run needs seconds or games")
        games = None if games is None else check_whole("games", games, 0)
        seconds = None if seconds is None else check_real("seconds", seconds, 0)
        with interruptible():
            self._play(0)  # compiles the kernels before the clock starts
        start, before = time.perf_counter(), self.games
        try:
            with interruptible():
                while games is None or self.games - before < games:
                    if seconds is not None and time.perf_counter() - start >= seconds:
                        break
                    portion = self._portion - self.games % self.batch  # so the portion ends where a batch ends
                    self._play(portion if games is None else min(portion, games - (self.games - before)))
        finally:
            self.seconds += time.perf_counter() - start
            self._note()
        return self.games - before

    def _play(self, games: int) -> None:
        """Play the next games and learn from them. If a batch has several games, all of them must be of one batch."""
        black, white = (np.uint64(discs) for discs in bitboard.STARTS)
        tables, learning, records, threads = self.network.tables, self._learning, self._records, self._threads.count
        if self.batch == 1:
            train(self._key, games, black, white, tables, learning, self._shares[0], records)
            return
        first = np.int64(self.games)

        def play_some(k: int) -> None:
            play(self._key, first, games, k, threads, black, white, tables, learning, records)

        def learn_some(k: int) -> None:
            learn_share(games, learning, tables, self._shares[k], records)

        try:
            self._threads.run(play_some)
            self._threads.run(learn_some)
        except BaseException:  # Ctrl-C ends the training between two batches, so the other threads first finish theirs
            self._threads.run(lambda _: None)
            raise

    def _note(self) -> None:
        """Write the number of games, the seconds and the settings into `network.training`, which `save` stores."""
        self.network.training |= {
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "batch": self.batch,
            **self._learning._asdict(),
        }


_PORTION = 0.5  # seconds


class Goal(NamedTuple):
    """A number of games and a number of seconds of training.

    A trainer reaches the goal as soon as it reaches one of these numbers. If the network was already trained before,
    its earlier games and seconds count, too.
    """

    games: float = math.inf
    seconds: float = math.inf

    def is_reached(self, trainer: Trainer) -> bool:
        """Whether a trainer has reached the goal."""
        return trainer.games >= self.games or trainer.seconds >= self.seconds


def train_until(
    end: Goal,
    trainer: Trainer,
    *,
    next_point: Callable[[], Goal],
    measure: Callable[[], None],
    keep: Callable[[], None],
    show: Callable[[], None],
    measured: int | None = None,
    keep_every: float = math.inf,
) -> None:
    """Train until a goal is reached, and measure points of a learning curve on the way and at the end.

    Args:
        end: the goal at which the training ends.
        trainer: the trainer. It may have learned from games before.
        next_point: returns the goal at which the next point of the curve is measured.
        measure: adds a point to the curve. After this call, `next_point` must return the goal of the following point.
        keep: saves the network. It is called after each point, after Ctrl-C, and when `keep_every` seconds have passed
            since the last call of `keep`.
        show: shows the progress. The training runs in portions of half a second, and `show` is called before each
            portion.
        measured: the number of games at the curve's last point so far; None if the curve has no point. If the training
            also ends at this number of games, no second point is measured at the end.
        keep_every: the number of seconds of training after which `keep` is called again, even if no point was measured.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed. The network has been saved.
    """
    kept = trainer.seconds
    try:
        while True:
            is_done = end.is_reached(trainer)
            is_point = next_point().is_reached(trainer) or (is_done and measured != trainer.games)
            if is_point:
                measure()
                measured = trainer.games
            if is_point or trainer.seconds >= kept + keep_every:
                keep()
                kept = trainer.seconds
            if is_done:
                return
            show()
            games = min(end.games, next_point().games) - trainer.games
            trainer.run(
                games=None if games == math.inf else int(games), seconds=min(_PORTION, end.seconds - trainer.seconds)
            )
    except KeyboardInterrupt:
        keep()
        raise
