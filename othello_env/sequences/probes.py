"""Where the board is inside a sequence model: linear probes, beside what they would find without the model.

A probe reads the board after each token from the numbers of a layer (Alain and Bengio, 2016, arXiv 1610.01644). Li and
others (2023) probed for black and white discs, and found that a linear probe reads them badly; Nanda and others (2023,
arXiv 2309.00941) probed for "mine and yours", which it reads well. A probe also learns what it would know without the
model. So there are two controls: the most frequent answer for each ply and square, and the same model with random
weights. A probe tells that the board can be read from the model, not that the model uses it: for this, see
`othello_env.sequences.interventions`.

Letters for shapes: N = games, L = tokens of a game, D = numbers of a layer, C = squares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.drawing.charts import boards_chart, png
from othello_env.games.game import check_seed
from othello_env.games.othello.tokens import Vocabulary
from othello_env.games.registry import GameLike
from othello_env.sequences.labels import SequenceStream
from othello_env.sequences.metrics import STREAMS, Share, share_of
from othello_env.support.models import layers_of
from othello_env.support.numbers import check_whole, named_arguments

__all__ = ["Probe", "ProbeReport", "fit_probe", "measure_probes"]

_FEWEST = 3
"""With this many games, one is held out."""
_LABELS = {"mine and yours": "relative", "black and white": "board"}


@dataclass(frozen=True)
class Probe:
    """A linear probe, and how well it reads the board in games to which it was not fitted.

    Attributes:
        weights: (D + 1, C, 3) float64. A layer's numbers, and 1 as the last one, times these weights are a score for
            each of the three values of each square. The largest score is the answer.
        accuracy: the share of right answers over all squares.
        boards: the share of boards whose squares are all right.
        squares: (C,) float64, the share of right answers for each square.
        majority: a control: `accuracy` of answers that are, for each ply and square, the most frequent value in the
            games to which the probe was fitted.
    """

    weights: npt.NDArray[np.float64]
    accuracy: Share
    boards: Share
    squares: npt.NDArray[np.float64]
    majority: Share

    def read(self, activations: npt.ArrayLike) -> npt.NDArray[np.int8]:
        """The answers of the probe, (..., C), to the numbers of a layer, (..., D)."""
        return _answers(self.weights, np.asarray(activations))


def _answers(weights: npt.NDArray[np.float64], activations: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
    scores = np.tensordot(activations.astype(np.float64), weights[:-1], 1) + weights[-1]
    return scores.argmax(axis=-1).astype(np.int8)


def fit_probe(activations: npt.ArrayLike, labels: npt.ArrayLike) -> Probe:
    """Fit a linear probe to two thirds of the games, and measure it in the others, which are the last ones.

    The probe is fitted by least squares to one number for each square and each of its three values.

    Args:
        activations: (N, L, D), the numbers of a layer after each token of at least 3 games; see
            `othello_env.support.models.layers_of`.
        labels: (N, L, C), the values 0, 1 or 2 of the squares after each token, such as `Sequences.relative`. Negative
            labels do not count.

    Raises:
        TypeError: the activations are no numbers, or the labels no integers.
        ValueError: the shapes do not fit, there are fewer than 3 games, or a number is not finite.
    """
    x, y = np.asarray(activations), np.asarray(labels)
    if x.dtype.kind not in "biuf" or y.dtype.kind not in "biu":
        raise TypeError(f"expected activations of numbers and labels of integers, got {x.dtype} and {y.dtype}")
    x = x.astype(np.float32)
    if x.ndim != 3 or y.ndim != 3 or x.shape[:2] != y.shape[:2] or len(x) < _FEWEST:
        raise ValueError(
            f"expected activations (N, L, D) and labels (N, L, C) of at least {_FEWEST} games, got {x.shape} and "
            f"{y.shape}"
        )
    if not np.isfinite(x).all():
        raise ValueError("the activations must be finite")
    from scipy.linalg import lstsq  # not above: the import would make every command start later

    split = len(x) - len(x) // 3
    known = y[:split, :, 0] >= 0
    rows, values = x[:split][known].astype(np.float64), np.arange(3)
    rows = np.column_stack([rows, np.ones(len(rows))])
    wanted = (y[:split][known][..., np.newaxis] == values).reshape(len(rows), -1).astype(np.float64)
    solved: Any = lstsq(rows.T @ rows, rows.T @ wanted)
    weights = solved[0].reshape(-1, y.shape[2], 3)
    counts = (y[:split, :, :, np.newaxis] == values).sum(axis=0)
    answers, truth = _answers(weights, x[split:]), y[split:]
    is_known = truth[:, :, 0] >= 0
    tokens = is_known.sum(axis=1)

    def by_game(right: npt.NDArray[Any]) -> Share:
        """The mean over games of the mean over their tokens."""
        return share_of((right * is_known).sum(axis=1)[tokens > 0] / tokens[tokens > 0])

    return Probe(
        weights,
        by_game((answers == truth).mean(axis=2)),
        by_game((answers == truth).all(axis=2)),
        (answers == truth)[is_known].mean(axis=0),
        by_game((counts.argmax(axis=2) == truth).mean(axis=2)),
    )


@dataclass(frozen=True)
class ProbeReport:
    """Probes of all layers of a model, for "mine and yours" and for "black and white".

    Attributes:
        probes: for each of these two names, a probe for each layer; layer 0 is the embedding.
        untrained: the same for the same model with random weights; empty if there is none.
        vocabulary: the vocabulary, which says in what order the squares are.
    """

    probes: Mapping[str, tuple[Probe, ...]]
    untrained: Mapping[str, tuple[Probe, ...]]
    vocabulary: Vocabulary

    def rows(self) -> list[dict[str, Any]]:
        """A row for each layer and each kind of labels, as dicts that JSON can hold."""
        return [
            {
                "labels": name,
                "layer": layer,
                "accuracy": round(probe.accuracy.value, 4),
                "accuracy95": [round(end, 4) for end in probe.accuracy[1:3]],
                "boards": round(probe.boards.value, 4),
                "majority": round(probe.majority.value, 4),
                "untrained": round(self.untrained[name][layer].accuracy.value, 4) if self.untrained else None,
            }
            for name, probes in self.probes.items()
            for layer, probe in enumerate(probes)
        ]

    def __str__(self) -> str:
        lines = ["layer  squares  (95% interval)  whole boards  random weights  majority"]
        for row in self.rows():
            if row["layer"] == 0:
                lines.append(row["labels"])
            low, high = row["accuracy95"]
            untrained = "-" if row["untrained"] is None else f"{row['untrained']:.3f}"
            lines.append(
                f"{row['layer']:5}  {row['accuracy']:7.3f}  ({low:.3f} to {high:.3f})  {row['boards']:12.3f}  "
                f"{untrained:>14}  {row['majority']:8.3f}"
            )
        return "\n".join(lines)

    def picture(self, title: str = "What linear probes read") -> bytes:
        """A PNG file with a board for each layer: how often the probe reads each square rightly."""
        size = self.vocabulary.size
        order = np.argsort(self.vocabulary.squares)  # from the order of the vocabulary to row by row
        rows = {
            name: {
                f"layer {layer}: {probe.accuracy.value:.2f}": probe.squares[order].reshape(size, size)
                for layer, probe in enumerate(probes)
            }
            for name, probes in self.probes.items()
        }
        return png(boards_chart(title, "Layer 0 is the embedding. In games to which no probe was fitted.", rows))


@named_arguments
def measure_probes(
    model: Any,
    untrained: Any = None,
    *,
    games: int = 1500,
    game: GameLike = "othello",
    vocabulary: str = "othello-gpt",
    seed: int = 0,
) -> ProbeReport:
    """Fit a linear probe to each layer of a sequence model, in random games.

    Args:
        model: an object with the method `layers`; see `othello_env.support.models.layers_of`. It is asked with L - 1
            tokens, 59 on 8x8.
        untrained: the same model with random weights, as a control; None for none.
        games: the number of games. A third of them is held out to measure the probes.
        game: Othello on any board, or a variant of its rules that was registered with a batch.
        vocabulary: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.
        seed: determines the games.

    Raises:
        ValueError: a number is out of its range, there is no such game or vocabulary, or a layer has the wrong shape.
    """
    games, seed = check_whole("games", games, _FEWEST), check_seed(seed) + STREAMS
    stream = SequenceStream(games, game=game, vocabulary=vocabulary, seed=seed, boards=True)
    batch = stream.batch(0)

    def probes(each: Any) -> dict[str, tuple[Probe, ...]]:
        layers = layers_of(each, batch.tokens[:, :-1])
        return {
            name: tuple(fit_probe(layer, getattr(batch, field)[:, :-1]) for layer in layers)
            for name, field in _LABELS.items()
        }

    return ProbeReport(probes(model), {} if untrained is None else probes(untrained), stream.vocabulary)
