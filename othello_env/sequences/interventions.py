"""Whether a sequence model uses the board that a probe reads: change one square inside it, and look at its moves.

This is the test of Li and others (Emergent World Representations, 2023). A case is a sequence and a disc to turn over.
While the model reads the last token, a layer's numbers are changed so that the probe reads the other colour on this
square. If the model uses what the probe reads, its likeliest moves become the legal moves of the changed board. As in
Nanda and others (2023), the change is along the probe's direction. Here it is the smallest one: the score of the new
colour is as far ahead as that of the old one was.

Li's number of errors: of a board with n legal moves, the n likeliest tokens are counted that are not legal, and the
legal ones that are not among them.

Letters for shapes: K = cases, L = tokens of a game, V = vocabulary, D = numbers of a layer.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.arena.statistics import Mean, mean_interval
from othello_env.data.formats.tokens import usual_start
from othello_env.games.game import State, check_seed
from othello_env.games.othello.tokens import Vocabulary
from othello_env.games.registry import GameLike, position_to_text
from othello_env.sequences.labels import Sequences, SequenceStream
from othello_env.sequences.metrics import STREAMS
from othello_env.sequences.probes import Probe
from othello_env.support.extras import import_extra
from othello_env.support.models import SequenceModel, logits_of
from othello_env.support.numbers import check_real, check_whole, named_arguments

__all__ = ["Cases", "Interventions", "draw_cases", "measure_interventions"]

_SHORTEST = 4
"""A case has at least this number of tokens."""
_ROWS = 256
"""The number of games that are made, and of cases with which the model is asked, at once."""


@dataclass(frozen=True)
class Cases:
    """K cases. Each is from another game, so they are independent.

    Attributes:
        tokens: (K, L) int8, the sequence of each case, with 0 after its last token.
        square: (K,) int64, the square whose disc turns over, in the order of the vocabulary.
        mine: (K,) bool, whether the disc is one of the player to move before it turns over.
        before: (K, V) bool, the legal tokens on the board.
        after: (K, V) bool, the legal tokens on the board with the turned disc. They are others than `before`.
    """

    tokens: npt.NDArray[np.int8]
    square: npt.NDArray[np.int64]
    mine: npt.NDArray[np.bool_]
    before: npt.NDArray[np.bool_]
    after: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class Interventions:
    """The mean number of errors against the legal tokens of the changed boards, over cases.

    Attributes:
        none: without a change.
        random: with changes of the same lengths in random directions.
        probe: with changes along the probes' directions.
    """

    none: Mean
    random: Mean
    probe: Mean

    def row(self) -> dict[str, list[float]]:
        """The means and their 95% intervals, rounded, as a dict that JSON can hold."""
        return {name: [round(number, 3) for number in (m.mean, *m.interval)] for name, m in vars(self).items()}

    def __str__(self) -> str:
        means = (("no change", self.none), ("random direction", self.random), ("the probe's direction", self.probe))
        return ", ".join(f"{name} {m.mean:.2f} ({m.interval[0]:.2f} to {m.interval[1]:.2f})" for name, m in means)


@named_arguments
def draw_cases(
    count: int = 1000, *, game: GameLike = "othello", vocabulary: str = "othello-gpt", seed: int = 0
) -> Cases:
    """Draw cases from random games: a number of tokens, and one of the discs whose turn changes the legal moves.

    Args:
        count: the number of cases.
        game: Othello on any board, or a variant of its rules that was registered with a batch.
        vocabulary: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.
        seed: determines the cases.

    Raises:
        ValueError: a number is out of its range, or there is no such game or vocabulary.
    """
    count, seed = check_whole("count", count, 1), check_seed(seed) + STREAMS
    stream = SequenceStream(_ROWS, game=game, vocabulary=vocabulary, seed=seed, boards=True)
    found: list[tuple[Any, ...]] = []
    for number, batch in enumerate(stream):
        rng = np.random.default_rng([seed, number])
        found += (case for i in range(len(batch)) if (case := _case(stream, batch, i, rng)) is not None)
        if len(found) >= count:
            break
    return Cases(*map(np.array, zip(*found[:count], strict=True)))


def _case(stream: SequenceStream, batch: Sequences, i: int, rng: np.random.Generator) -> tuple[Any, ...] | None:
    """The fields of a case from game `i` of a batch; None if the legal moves depend on no disc that was drawn."""
    words, tokens = stream.vocabulary, batch.tokens[i]
    n = int(rng.integers(_SHORTEST, max(_SHORTEST + 1, np.count_nonzero(tokens))))
    state = usual_start(stream.game).play_transcript(words.actions[tokens[:n]].tolist())
    text, player = position_to_text(state)
    before = _legal(state, words)
    assert batch.relative is not None
    for place in rng.permutation(np.flatnonzero(batch.relative[i, n - 1] != 1)).tolist():
        at = int(words.squares[place])
        turned = "O" if text[at] == "X" else "X"
        after = _legal(stream.game.position(text[:at] + turned + text[at + 1 :], player), words)
        if before.any() and after.any() and (before != after).any():
            row = np.where(np.arange(len(tokens)) < n, tokens, 0).astype(np.int8)
            return row, place, bool(batch.relative[i, n - 1, place] == 0), before, after
    return None


def _legal(state: State, words: Vocabulary) -> npt.NDArray[np.bool_]:
    """(V,), the legal tokens; none if the game is over or the player must pass."""
    legal = np.zeros(words.count, np.bool_)
    if not state.must_pass:
        legal[words.tokens[list(state.legal_actions())]] = True
    return legal


def measure_interventions(
    model: SequenceModel, hook: Iterable[tuple[Any, Probe]], cases: Cases, *, scale: float = 1.0, seed: int = 0
) -> Interventions:
    """Count the errors of a model of PyTorch with changed layers, and of its controls.

    Args:
        model: the model, a `torch.nn.Module` from tokens (N, L) to logits (N, L, V).
        hook: the layers that are changed: pairs of a module inside the model, whose output is (N, L, D), and the probe
            of "mine and yours" that was fitted to this output; see `othello_env.sequences.measure_probes`.
        cases: the cases; see `draw_cases`.
        scale: the length of a change, in multiples of the smallest one.
        seed: determines the random directions.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ValueError: `hook` is empty, `scale` is negative, or the model's answer has the wrong shape or NaN.
    """
    check_real("scale", scale, 0)
    layers = list(hook)
    if not layers:
        raise ValueError("expected at least one layer to change, got none")
    torch = import_extra("torch", "torch")
    directions = [
        torch.nn.functional.normalize(torch.from_numpy(np.random.default_rng([seed, k]).normal(size=(len(cases), d))))
        for k, d in enumerate(len(probe.weights) - 1 for _, probe in layers)
    ]

    def errors(change: str) -> Mean:
        counts = []
        for first in range(0, len(cases), _ROWS):
            part = slice(first, first + _ROWS)
            ends = np.count_nonzero(cases.tokens[part], axis=1) - 1
            at = np.arange(len(ends)), ends
            with ExitStack() as hooks:
                for (module, probe), random in zip(layers, directions, strict=True):
                    if change != "none":
                        direction = random[part] if change == "random" else None
                        changed = _changed(torch, probe, cases.square[part], cases.mine[part], at, scale, direction)
                        hooks.callback(module.register_forward_hook(changed).remove)
                tokens = cases.tokens[part, : ends.max() + 1]
                logits = logits_of(model, tokens, cases.after.shape[1])[at]
            for row, legal in zip(logits, cases.after[part], strict=True):
                likeliest = np.argsort(-row, kind="stable")[: legal.sum()]
                counts.append(2 * int((~legal[likeliest]).sum()))  # as many legal ones are missing as others are there
        return mean_interval(counts)

    return Interventions(*map(errors, ("none", "random", "probe")))


def _changed(
    torch: Any,
    probe: Probe,
    square: npt.NDArray[np.int64],
    mine: npt.NDArray[np.bool_],
    at: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    scale: float,
    random: Any,
) -> Any:
    """A hook of PyTorch that changes a layer's numbers at the last tokens, along the probe's or random directions."""
    new, old = np.where(mine, 2, 0), np.where(mine, 0, 2)
    weights = torch.from_numpy((probe.weights[:, square, new] - probe.weights[:, square, old]).T)
    direction, constant = weights[:, :-1], weights[:, -1]

    def change(_module: Any, _given: Any, output: Any) -> Any:
        x = output[at].double().cpu()
        ahead = (x * direction).sum(dim=1) + constant  # of the new colour over the old one
        step = scale * (ahead.abs() - ahead)[:, None] * direction / direction.square().sum(dim=1, keepdim=True)
        if random is not None:
            step = step.norm(dim=1, keepdim=True) * random
        changed = output.clone()
        changed[at] = (x + step).to(output)
        return changed

    return change
