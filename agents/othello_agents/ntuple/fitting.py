"""Fits the tables of an n-tuple network to labelled positions, by logistic regression.

Buro fitted his evaluation functions in a similar way ("From simple features to sophisticated evaluation functions",
1998). Each stage of the game has a regression of its own. The sum x of the looked-up weights is a logit, and tanh(x)
must predict the label y, which lies from -1 to +1. The loss of a position is the cross entropy of the probabilities
(1 + y) / 2 and (1 + tanh(x)) / 2. The gradient of this loss for each looked-up weight is the error tanh(x) - y.

Some configurations are a thousand times rarer than others, so each weight has its own learning rate (Duchi, Hazan and
Singer, "Adaptive subgradient methods", 2011). The weight's rate is the rate of the pass (see `fit`), divided by the
square root of the sum of the weight's squared errors. This sum begins at `_NEVER`, and not at zero. So even the first
steps of a weight are small, and a weight that few positions look up stays near its first value.

Held-out positions say when to stop: as soon as a pass does not lower a stage's mean loss on them, the stage keeps its
weights from before this pass.

Letters for shapes: the same as in `kernels`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple.kernels import Tables, configure, position_logit, stage, sum_weights
from othello_agents.ntuple.network import NTupleNetwork
from othello_env.games.othello.bitboard import popcount
from othello_env.support.jit import interruptible, kernel
from othello_env.support.threads import Threads

__all__ = ["LabelledPositions", "StageError", "fit", "predict", "stage_errors"]

_NEVER = 4.0
"""At the beginning of a fit, each weight's sum of squared errors has this value."""

_SURE = 1e-9
"""For the cross entropy, no outcome has a lower probability than this number."""


class LabelledPositions(NamedTuple):
    """Labelled positions.

    Attributes:
        own: (N,) uint64, the discs of the player who has just moved.
        opponent: (N,) uint64, the discs of the other player.
        values: (N,) float32, the expected means of result and margin for `own`, from -1 to +1.
    """

    own: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    values: npt.NDArray[np.float32]

    @classmethod
    def empty(cls, count: int) -> Self:
        """Memory for this number of positions, not yet filled."""
        return cls(np.empty(count, np.uint64), np.empty(count, np.uint64), np.empty(count, np.float32))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Join one or more parts."""
        return cls(
            np.concatenate([part.own for part in parts]),
            np.concatenate([part.opponent for part in parts]),
            np.concatenate([part.values for part in parts]),
        )

    def part(self, chosen: npt.NDArray[Any] | slice) -> Self:
        """A copy of some positions. `chosen` is a mask, an array of indices or a slice."""
        return type(self)(self.own[chosen].copy(), self.opponent[chosen].copy(), self.values[chosen].copy())


class StageError(NamedTuple):
    """How well a network predicts the labels of one stage's positions.

    Attributes:
        positions: the number of positions.
        error: the root of the mean squared difference between predictions and labels; NaN if there are no positions.
        correlation: the correlation of predictions and labels; NaN if it is not defined.
        loss: the mean cross entropy, in nats; NaN if there are no positions.
    """

    positions: int
    error: float
    correlation: float
    loss: float


@kernel
def _stages(own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], tables: Tables) -> npt.NDArray[np.int64]:
    """The stages of N positions, (N,)."""
    stages = np.empty(len(own), np.int64)
    for i in range(len(own)):
        stages[i] = stage(np.int64(popcount(own[i] | opponent[i])), tables)
    return stages


@kernel
def _predict(own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], tables: Tables) -> npt.NDArray[np.float64]:
    values = np.empty(len(own), np.float64)
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    for i in range(len(own)):
        values[i] = np.tanh(np.float64(position_logit(own[i], opponent[i], tables, configuration)))
    return values


@kernel
def _fit_pass(
    order: npt.NDArray[np.int64],
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    values: npt.NDArray[np.float32],
    tables: Tables,
    weights: npt.NDArray[np.float32],
    squares: npt.NDArray[np.float32],
    mirrored: npt.NDArray[np.int32],
    rate: float,
) -> None:
    """Go through positions of one stage, and update the stage's weights (W,) after each position.

    `order` has the indices of these positions. `squares` (W,) has the sum of each weight's squared errors. `mirrored`
    (W,) is the array `Layout.mirrors` of the network.
    """
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    for k in range(len(order)):
        i = np.int64(order[k])
        configure(own[i], opponent[i], tables, configuration)
        logit = sum_weights(weights, configuration, tables.offsets)
        error = np.float32(values[i] - np.tanh(np.float64(logit)))
        step, square = np.float32(rate) * error, error * error
        for p in range(tables.looked_up):
            j = np.uint64(tables.offsets[p] + configuration[p])
            squares[j] += square
            weights[j] += step / np.sqrt(squares[j])
            image = np.uint64(mirrored[j])
            squares[image], weights[image] = squares[j], weights[j]


def predict(network: NTupleNetwork, examples: LabelledPositions) -> npt.NDArray[np.float64]:
    """The network's values of N positions for the player who has just moved, (N,).

    Even for a finished game, the prediction comes from the tables, and not from the result of the game.
    """
    return _predict(examples.own, examples.opponent, network.tables)


def stage_errors(network: NTupleNetwork, examples: LabelledPositions) -> list[StageError]:
    """How well the network predicts the labels: one `StageError` for each stage, then one for all positions."""
    stages = _stages(examples.own, examples.opponent, network.tables)
    predicted = predict(network, examples)
    every = np.ones(len(stages), bool)
    return [
        _error(predicted[chosen], examples.values[chosen])
        for chosen in (*(stages == number for number in range(network.stages)), every)
    ]


def _error(predicted: npt.NDArray[np.float64], labels: npt.NDArray[np.float32]) -> StageError:
    if not len(labels):
        return StageError(0, np.nan, np.nan, np.nan)
    varies = len(labels) > 1 and np.ptp(predicted) > 0 and np.ptp(labels) > 0
    return StageError(
        len(labels),
        float(np.sqrt(np.mean(np.square(predicted - labels)))),
        float(np.corrcoef(predicted, labels)[0, 1]) if varies else np.nan,
        _loss(predicted, labels),
    )


def _loss(predicted: npt.NDArray[np.float64], labels: npt.NDArray[np.float32]) -> float:
    """The mean cross entropy of the labels and the predictions, in nats."""
    win = np.clip((1 + predicted) / 2, _SURE, 1 - _SURE)
    share = (1 + labels.astype(np.float64)) / 2
    return float(-np.mean(share * np.log(win) + (1 - share) * np.log(1 - win)))


def fit(
    network: NTupleNetwork,
    examples: LabelledPositions,
    *,
    held_out: LabelledPositions | None = None,
    passes: int = 1,
    rate: float = 0.004,
    seed: int = 0,
    num_threads: int = 1,
) -> None:
    """Fit the network's weights, in place, to the labels of positions.

    In each pass, every stage goes through its positions in a new random order. From pass to pass, the rate falls in
    equal steps. In the last pass it is `rate` / `passes`. The same arguments give the same weights. The number of
    threads makes no difference, because each stage has its own weights.

    Args:
        network: the network; the fit begins with its weights.
        examples: the positions and their labels.
        held_out: other positions, which say when a stage stops. Without them, every stage makes all passes.
        passes: the largest number of passes.
        rate: the learning rate in the first pass. Like the weights, it is in units of a logit.
        seed: the seed of the random orders.
        num_threads: the number of threads among which the stages are divided.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed. Some stages may have finished more passes than others.
        ValueError: a label is NaN, or is less than -1 or greater than +1.
    """
    if not bool(np.all(np.abs(examples.values) <= 1)):  # NaN fails this check, too
        raise ValueError("expected labels from -1 to +1")
    tables, stages = network.tables, _stages(examples.own, examples.opponent, network.tables)
    test = LabelledPositions.empty(0) if held_out is None else held_out
    test_stages = _stages(test.own, test.opponent, tables)
    mirrored = network.layout.mirrors
    threads = Threads(min(num_threads, network.stages))

    def fit_stage(number: int) -> None:
        order, unseen = np.flatnonzero(stages == number), test.part(test_stages == number)
        generator = np.random.default_rng([seed, number])
        weights = tables.weights[number]
        squares = np.full(weights.shape, _NEVER, np.float32)
        lowest = _loss(_predict(unseen.own, unseen.opponent, tables), unseen.values) if len(unseen.own) else np.inf
        for done in range(passes):
            before = weights.copy()
            generator.shuffle(order)
            _fit_pass(order, *examples, tables, weights, squares, mirrored, rate * (1 - done / passes))
            if len(unseen.own):
                loss = _loss(_predict(unseen.own, unseen.opponent, tables), unseen.values)
                if loss >= lowest:
                    weights[:] = before
                    return
                lowest = loss

    def work(k: int) -> None:
        for number in range(k, network.stages, threads.count):
            fit_stage(number)

    try:
        with interruptible():
            threads.run(work)
    except KeyboardInterrupt:
        threads.run(lambda _: None)  # wait for the other threads: without this, they would go on changing the network
        raise
    finally:
        threads.close()
