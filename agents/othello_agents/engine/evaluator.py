"""Computes the values of the search's leaves, by the weights of squares or by n-tuple tables.

One kernel (compiled function) computes both kinds of evaluation. All values are integers for the player to move, from
-`BOUND` to `BOUND`. In an evaluation by squares, each square has a weight. The search always knows the sum of the
weights under the player's discs minus the sum under the opponent's discs.

With n-tuple tables, the search keeps one vector for each ply of the line that it is searching. Each vector holds the
configuration of each placement (see `othello_agents.ntuple.network`), from the point of view of the player who has
just moved. Vectors are indexed by the number of empty squares. Each move computes the next vector from the present
vector.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.engine.probcut import NO_CUTS
from othello_agents.evaluations import EVALUATIONS
from othello_agents.evaluations.registry import SquareSum
from othello_agents.ntuple.kernels import Tables, stage_after, turn_discs
from othello_agents.search.kernels import compiled_sum, evaluate, gain, weigh, weights_table
from othello_env.games.othello.bitboard import BOARDS, popcount
from othello_env.support.jit import Int, kernel

__all__ = [
    "BOUND",
    "LOGIT",
    "NTUPLE",
    "Evaluator",
    "follow",
    "leaf_value",
    "ntuple_evaluator",
    "set_root",
    "square_evaluator",
    "square_sums",
    "turn_over",
]

NTUPLE = -1
"""The `kind` of an evaluator with n-tuple tables. The `kind` of an evaluator by squares is the `term` of its
`SquareSum`: NO_TERM, NEAR_CORNERS or ONLY_MOVES (see `othello_agents.evaluations.registry`)."""
LOGIT = 1000
"""A position's value is this number times the sum of its n-tuple weights. The hyperbolic tangent of this sum is the
expected mean of result and margin."""
BOUND = 16_000
"""All evaluations are between -`BOUND` and `BOUND`."""
_LANES = 32  # configurations are padded to a multiple of this number, so that they fill whole vector registers

_1 = np.uint64(1)


class Evaluator(NamedTuple):
    """An evaluation as the numbers and arrays that the kernels read. The arrays are empty for one by squares.

    Letters for shapes: S stages of the game, W weights per stage, P placements, L = P rounded up to whole vectors,
    K stages of `probcut`, D depths.

    Attributes:
        kind: the term of an evaluation's `SquareSum`, or `NTUPLE`.
        table: the index of an evaluation's square weights in `othello_agents.search.kernels.WEIGHTS`.
        board: the set of squares in play.
        weights: (S, W) float32, the weights of the n-tuple tables for each stage.
        deltas: (64, L) int16. For a disc on square s, row s is added to the configurations if the disc belongs to the
            player who has just moved, and subtracted otherwise.
        offsets: (P,) int64. Placement p with the configuration c uses the column offsets[p] + c of `weights`.
        configurations: (64, L) int16, one vector of configurations for each number of empty squares. The search
            overwrites these vectors.
        cuts: (K, D, 3) float32, the numbers that predict deep values from shallow values (see `probcut`). The array is
            empty for a search that skips nothing.
    """

    kind: int
    table: int
    board: np.uint64
    weights: npt.NDArray[np.float32]
    deltas: npt.NDArray[np.int16]
    offsets: npt.NDArray[np.int64]
    configurations: npt.NDArray[np.int16]
    cuts: npt.NDArray[np.float32]


def square_sums() -> dict[str, SquareSum]:
    """The evaluations by squares or moves that the kernels can compute, by name."""
    sums = {name: compiled_sum(evaluation) for name, evaluation in sorted(EVALUATIONS.items())}
    return {name: squares for name, squares in sums.items() if squares is not None}


def square_evaluator(squares: SquareSum, size: int) -> Evaluator:
    """The evaluator of an evaluation by squares or moves, for boards of one size."""
    return Evaluator(
        squares.term,
        weights_table(squares.quarter, size),
        BOARDS[size],
        np.zeros((0, 0), np.float32),
        np.zeros((0, 0), np.int16),
        np.zeros(0, np.int64),
        np.zeros((0, 0), np.int16),
        NO_CUTS,
    )


def ntuple_evaluator(tables: Tables, cuts: npt.NDArray[np.float32] = NO_CUTS) -> Evaluator:
    """The evaluator of n-tuple tables.

    With `cuts`, the engine skips a deep search if a shallower search predicts its result (see `probcut`).
    """
    placements = tables.looked_up
    lanes = -(-placements // _LANES) * _LANES
    deltas = np.zeros((64, lanes), np.int16)
    deltas[:, :placements] = tables.deltas[:, :placements]
    return Evaluator(
        NTUPLE,
        0,
        tables.board,
        np.ascontiguousarray(tables.weights, np.float32),
        deltas,
        np.ascontiguousarray(tables.offsets[:placements]),
        np.zeros((64, lanes), np.int16),
        cuts,
    )


@kernel
def set_root(own: np.uint64, opponent: np.uint64, empty: Int, evaluator: Evaluator) -> Int:
    """Prepare the evaluation of a position with `empty` empty squares, and return the position's balance of weights.

    With n-tuple tables, the returned balance is 0.
    """
    if evaluator.kind != NTUPLE:
        return weigh(own, evaluator.table) - weigh(opponent, evaluator.table)
    configuration = evaluator.configurations[empty]
    for i in range(len(configuration)):
        configuration[i] = 0
    for square in range(64):
        bit = _1 << np.uint64(square)
        sign = np.int16(1 if opponent & bit else -1 if own & bit else 0)
        for i in range(len(configuration)):
            configuration[i] += sign * evaluator.deltas[square, i]
    return 0


@kernel(no_refcount=True)
def follow(square: Int, turned: np.uint64, empty: Int, evaluator: Evaluator) -> Int:
    """Update the evaluator for a move, so that it can evaluate the next position.

    `empty` is the number of empty squares before the move. Returns the number that the move adds to the balance of
    weights of the player who moves (0 with n-tuple tables).
    """
    if evaluator.kind != NTUPLE:
        return gain(_1 << np.uint64(square), turned, evaluator.table)
    before, after = evaluator.configurations[empty], evaluator.configurations[empty - 1]
    deltas = evaluator.deltas[square]
    for i in range(len(after)):
        after[i] = deltas[i] - before[i]
    turn_discs(after, turned, evaluator.deltas)
    return 0


@kernel(no_refcount=True)
def leaf_value(own: np.uint64, opponent: np.uint64, balance: Int, empty: Int, evaluator: Evaluator) -> Int:
    """The value of a position for which `set_root` or `follow` has prepared the evaluator.

    `balance` is the position's balance of weights, and `empty` is the number of its empty squares.
    """
    if evaluator.kind != NTUPLE:
        return evaluate(own, opponent, evaluator.board, balance, evaluator.table, evaluator.kind)
    squares = np.int64(popcount(evaluator.board))
    weights = evaluator.weights[stage_after(squares - empty, squares, evaluator.weights.shape[0])]
    configuration, offsets = evaluator.configurations[empty], evaluator.offsets
    a = b = c = d = np.float32(0)  # four sums, since in a single sum each addition waits for the previous addition
    fours = len(offsets) - len(offsets) % 4
    for p in range(0, fours, 4):
        a += weights[offsets[p] + configuration[p]]
        b += weights[offsets[p + 1] + configuration[p + 1]]
        c += weights[offsets[p + 2] + configuration[p + 2]]
        d += weights[offsets[p + 3] + configuration[p + 3]]
    for p in range(fours, len(offsets)):
        a += weights[offsets[p] + configuration[p]]
    value: Int = -np.int64((a + b + c + d) * np.float32(LOGIT))
    value = max(value, -BOUND)
    return min(value, BOUND)


@kernel(no_refcount=True)
def turn_over(empty: Int, evaluator: Evaluator) -> None:
    """Prepare the evaluation of the position after a pass. A second call undoes the first call."""
    if evaluator.kind == NTUPLE:
        configuration = evaluator.configurations[empty]
        for i in range(len(configuration)):
            configuration[i] = -configuration[i]
