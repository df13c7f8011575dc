"""Compiled learning from games of self-play.

There are two rules. Both move the value of each afterstate towards its TD(lambda) return, and both give each weight a
learning rate of its own: `rate` times the absolute value of the sum of the weight's errors, divided by the sum of the
errors' absolute values. This is temporal coherence learning (Beal and Smith, "Temporal coherence and prediction decay
in TD learning", 1999).

In the rule for single games, each error changes the weights before the next game is played. In the rule for batches,
all games of a batch are played, and all errors are computed, with the weights at the beginning of the batch. Then no
weight depends on another weight of this batch, so threads can share the weights.

A batch may have hundreds of errors for one weight. If the weight followed all of them in full, it would go much too
far, because most of these errors have the same cause, and the first of them would have removed it. So the rule for
batches computes what would be left of each error. A weight with learning rate a removes the fraction a of an error. If
its n errors were equal, and came one after the other, their sum would not be n times the first error, but
(1 - (1 - a)**n) / a times the first error. So the sum of a weight's n errors is multiplied by
(1 - (1 - a)**n) / (a n). The result counts as one error of the weight. If n is 1, the two rules agree.

Letters for shapes: the same as in `self_play`, and also K tables (one for each pattern and one for the whole board),
M weights of the largest table, U pairs of a stage and a table.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple.kernels import Tables, first_ply, stage
from othello_agents.ntuple.patterns import layout, mirrors
from othello_agents.ntuple.self_play import Learning, Records, play
from othello_env.support.jit import Int, kernel

__all__ = ["Share", "learn_share", "shares_of", "train"]

_1F = np.float32(1)
_TINY = 1e-9
"""With a learning rate below this, nothing is taken from the errors, and rounding would falsify the factor."""


class Share(NamedTuple):
    """The weights that one thread learns, and its scratch memory.

    Attributes:
        errors: (S, W, 2) float32, for each weight the sum of its errors so far, and the sum of their absolute values.
        mirrors: (W,) int32, see `patterns.mirrors`.
        placements: (K + 1,) int64, the number of each table's first placement, and the number of placements.
        starts: (K,) int64, the index of each table's first weight.
        learned: (U, 2) int64, the stages and tables of this thread's weights.
        slots: (M,) uint16, for each weight of a table its row in `sums`; 0 for a weight without errors in this batch. A
            weight and its mirror image have the same row. All are 0 before and after each call.
        sums: (M + 1, 2) float32, the sum of a weight's errors in this batch, and their number.
        touched: (M + 1,) int32, for each row of `sums` its weight.
        games: (1,) int64, the number of games from which these weights have learned.
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


def shares_of(size: int, errors: npt.NDArray[np.float32], games: int, count: int) -> list[Share]:
    """Divide all weights of a network of this board size into `count` shares of about the same work.

    `games` is the number of games from which the network has learned. For `errors` see `Share`.
    """
    places, stages = layout(size), errors.shape[0]
    _, first, placements = np.unique(places.offsets, return_index=True, return_counts=True)
    lengths = [3 ** len(squares) for _, squares in places.patterns]
    starts = np.cumsum([0, *lengths])
    # Deal the tables with most placements first, and each to the share that has the least work.
    pairs = sorted((-placements[k], number, k) for k in range(len(placements)) for number in range(stages))
    work, dealt = [0] * count, [[] for _ in range(count)]  # type: ignore[var-annotated]
    for cost, number, k in pairs:
        least = work.index(min(work))
        work[least] -= cost
        dealt[least].append((number, k))
    largest = max(*lengths, places.weights - int(starts[-1]))
    return [
        Share(
            errors,
            mirrors(size),
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


@kernel(lean=True)
def _learn_game(learning: Learning, tables: Tables, share: Share, records: Records) -> None:
    """Learn from the only game of a batch, by the rule for single games, from the last ply to the first."""
    for t in range(records.plies[0] - 2, -1, -1):
        number = stage(np.int64(5 + t), tables)  # four discs at the start, and one more after each ply
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
    """Move one weight by its share of an error. Without earlier errors, its learning rate is 1."""
    size = sums[i, 1]
    weights[i] += step * abs(sums[i, 0]) / size if size > 0 else step
    sums[i, 0] += error
    sums[i, 1] += abs(error)


@kernel(lean=True)
def _sum_errors(games: int, number: np.int64, k: np.int64, tables: Tables, share: Share, records: Records) -> np.int64:
    """Add up the errors of each weight of one table in one stage. Returns the number of rows of `sums`."""
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
    """The factor by which the rule for batches multiplies n errors of a weight with this learning rate."""
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


@kernel(lean=True)
def _move_weights(
    rows: np.int64, number: np.int64, k: np.int64, learning: Learning, tables: Tables, share: Share
) -> None:
    """Move the weights of one table in one stage by the errors that `_sum_errors` has added up.

    A weight and its mirror image get the sum of both weights' errors, and stay equal.
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
def learn_share(
    first: np.int64, games: int, learning: Learning, tables: Tables, share: Share, records: Records
) -> None:
    """Learn a share of the weights from the games of a batch, by the rule for batches.

    `first` is the number of the batch's first game. If the share has learned from this batch before, nothing happens.
    """
    if share.games[0] != first:
        return
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
    """Play the next games of the sequence that `key` determines, and learn all weights after each batch.

    All games start from the same position. Batches begin at multiples of B. The rule is that for single games if B is
    1. `share.games` is increased after each batch, so that it is correct even after an interrupt.
    """
    batch, end = len(records.plies), share.games[0] + games
    while share.games[0] < end:
        first = share.games[0]
        length = min(batch - first % batch, end - first)
        play(key, first, length, 0, 1, own, opponent, tables, learning, records)
        if batch > 1:
            learn_share(first, length, learning, tables, share, records)
        else:
            _learn_game(learning, tables, share, records)
            share.games[0] += 1
