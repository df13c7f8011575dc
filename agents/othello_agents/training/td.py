"""The learning rule: TD(lambda) on afterstates, with a learning rate for each weight.

After each game, the value of each afterstate moves towards its TD(lambda) return. Each weight has its own learning
rate: `rate` * |sum of the weight's errors so far| / (sum of the absolute values of these errors). So the learning rate
is small if positive and negative errors cancel each other. This is temporal coherence learning (Beal and Smith,
"Temporal coherence and prediction decay in TD learning", 1999).

Letters for shapes: the same as in `othello_agents.ntuple.kernels`, and also T plies (the most that a game can have).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple.kernels import Tables, stage
from othello_env.support.jit import kernel

__all__ = ["Learning", "Record", "learn", "record_errors", "turn_over"]


class Learning(NamedTuple):
    """The settings of the training; the arguments of `Trainer` have the same names and meanings."""

    rate: float
    trace: float
    epsilon: float
    random_plies: int
    grabbing: float


class Record(NamedTuple):
    """A game: for each ply, the afterstate to learn from. Passes do not count as plies.

    Attributes:
        configurations: (T, L) int16, the configurations of the afterstates, from the point of view of the player who
            has just moved.
        discs: (T,) int8, the number of discs on the board.
        signs: (T,) int8, +1 where the game's first player moved, else -1.
        values: (T,) float64, the values of the afterstates; the last value is the outcome of the game.
        greedy: (T,) float64, the value of the best move, as far as the player could see.
        followed: (T,) bool, whether the best move was played, so that the rest of the game shows how good it is.
        errors: (T,) float32, the step for each afterstate's logit. It is not yet multiplied by the learning rates.
    """

    configurations: npt.NDArray[np.int16]
    discs: npt.NDArray[np.int8]
    signs: npt.NDArray[np.int8]
    values: npt.NDArray[np.float64]
    greedy: npt.NDArray[np.float64]
    followed: npt.NDArray[np.bool_]
    errors: npt.NDArray[np.float32]

    @classmethod
    def empty(cls, tables: Tables) -> Record:
        """Memory for the record of a game."""
        plies = int(tables.board).bit_count()
        return cls(
            np.empty((plies, tables.deltas.shape[1]), np.int16),
            np.empty(plies, np.int8),
            np.empty(plies, np.int8),
            np.empty(plies, np.float64),
            np.empty(plies, np.float64),
            np.empty(plies, np.bool_),
            np.empty(plies, np.float32),
        )


@kernel(no_refcount=True)
def turn_over(configuration: npt.NDArray[np.int16], out: npt.NDArray[np.int16]) -> None:
    """Write the configurations from the other side's point of view into `out`."""
    for i in range(len(configuration)):
        out[i] = -configuration[i]


@kernel(no_refcount=True)
def record_errors(plies: np.int64, trace: float, record: Record) -> None:
    """Write the errors of a game: for each value, the step towards its TD(lambda) return.

    The last value is the outcome of the game, so it has no error.
    """
    last = plies - 1
    target = record.signs[last] * record.greedy[last]  # from the first player's point of view
    for t in range(last - 1, -1, -1):
        sign, value, greedy = record.signs[t], record.values[t], record.greedy[t]
        record.errors[t] = (sign * target - value) * (1.0 - value * value)
        # The next step of the loop needs the return of the position before this move. If the move was not the best
        # move, the rest of the game does not show how good that position is. Then the position's return is the value of
        # the best move.
        followed = trace if record.followed[t] else 0.0
        target = (1.0 - followed) * sign * greedy + followed * target


@kernel(no_refcount=True)
def learn(
    first: np.int64,
    plies: np.int64,
    rate: float,
    tables: Tables,
    sums: npt.NDArray[np.float32],
    mirrors: npt.NDArray[np.int32],
    record: Record,
) -> None:
    """Learn from the plies of a game, from number `first` to the last but one. Later plies are learned first.

    `sums` (S, W, 2) has for each weight the sum of its errors so far, and the sum of their absolute values. `mirrors`
    (W,) is that of `othello_agents.ntuple.network.Layout`.
    """
    for t in range(plies - 2, first - 1, -1):
        number = stage(np.int64(record.discs[t]), tables)
        configuration, error = record.configurations[t], record.errors[t]
        step = np.float32(rate) * error / np.float32(tables.looked_up)
        for p in range(tables.looked_up):
            i = np.uint64(tables.offsets[p] + configuration[p])
            mirrored = np.uint64(mirrors[i])
            _move_weight(i, step, error, tables.weights[number], sums[number])
            if mirrored != i:
                _move_weight(mirrored, step, error, tables.weights[number], sums[number])


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
