"""Compiled learning from games of self-play.

There are two learning rules, one for single games and one for batches. Both move the value of each afterstate towards
its TD(lambda) return. Both give each weight its own learning rate: `rate` * |sum of the weight's errors so far| / (sum
of the absolute values of these errors). So the learning rate is small if positive and negative errors cancel each
other. This is temporal coherence learning (Beal and Smith, "Temporal coherence and prediction decay in TD learning",
1999).

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

Letters for shapes: the same as in `self_play`, and also K tables (one for each pattern and one for the whole board),
M weights of the largest table, U pairs of a stage and a table that one thread learns.
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
"""If a learning rate is below this number, `_left` returns 1, because rounding errors would spoil the formula."""


class Share(NamedTuple):
    """A part of the weights, which one thread learns, and the thread's scratch memory.

    Attributes:
        errors: (S, W, 2) float32, for each weight the sum of its errors so far, and the sum of their absolute values.
        mirrors: (W,) int32, see `patterns.mirrors`.
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


def shares_of(size: int, errors: npt.NDArray[np.float32], games: int, count: int) -> list[Share]:
    """Divide all weights of a network of this board size into `count` shares of about the same work.

    `games` is the number of games from which the network has learned. `errors` becomes the array `Share.errors`.
    """
    places, stages = layout(size), errors.shape[0]
    _, first, placements = np.unique(places.offsets, return_index=True, return_counts=True)
    lengths = [3 ** len(squares) for _, squares in places.patterns]
    starts = np.cumsum([0, *lengths])
    # Deal out the pairs of a table and a stage, beginning with the tables that have the most placements. Each pair goes
    # to the share that has the least work so far.
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


@kernel(lean=True)
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


@kernel(lean=True)
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
def learn_share(
    first: np.int64, games: int, learning: Learning, tables: Tables, share: Share, records: Records
) -> None:
    """Learn a share of the weights from the games of a batch, by the rule for batches.

    `first` is the number of the batch's first game. If the share has already learned from this batch, nothing happens.
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

    All games start from the same position. Batches end at multiples of B. For example, if B is 10, games 0 to 9 are one
    batch, and games 10 to 19 are the next batch. A call that ends within a batch cuts this batch in two: the next call
    begins with the remaining games as a smaller batch. If B is 1, the rule for single games is used, otherwise the rule
    for batches. `share.games` is increased after each batch, so that it is correct even after an interrupt.
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
