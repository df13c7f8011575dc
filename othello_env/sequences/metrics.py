"""How well a sequence model knows the rules.

Error and legal mass are those of Li and others (Emergent World Representations, 2023) and Nanda: whether the likeliest
next token is legal, and the probability of all legal tokens together.

Compression and distinction are from Vafa and others, Evaluating the World Model Implicit in a Generative Model (2024,
arXiv 2406.03689). A model accepts a token if its probability is above a threshold. It accepts a suffix (tokens that
follow a sequence) if it accepts each of its tokens. Take two sequences, and all shortest suffixes that are accepted
after the first and not after the second: those by the rules are the true boundary, those by the model are its own.

- Compression: two sequences lead to the same position, so the true boundary is empty. The share of such pairs for which
  the model's boundary is empty.
- Distinction precision: two sequences of one length lead to different positions. The share of the model's boundary that
  is accepted after the first and not after the second by the rules, too.
- Distinction recall: for the same pairs, the share of the true boundary that the model accepts after the first and not
  after the second.

The paper draws 30 suffixes at random for each pair. Here, all suffixes of at most `depth` tokens are counted, so the
boundaries up to this length are exact. The paper finds sequences with the same position among recorded games, so they
are short. Here, two moves of one player are swapped in random games, which gives such pairs at all lengths.

Letters for shapes: P = pairs, R = rows (sequences), K = tokens of a row, L = tokens of a game, V = vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from othello_env.arena.tournament.results import score_interval
from othello_env.data import kernels
from othello_env.data.formats.tokens import usual_start
from othello_env.games.game import check_seed
from othello_env.games.othello.tokens import vocabulary_of
from othello_env.games.registry import GameLike
from othello_env.sequences.labels import SequenceStream, legal_tokens
from othello_env.support.models import SequenceModel, logits_of
from othello_env.support.numbers import check_real, check_whole, named_arguments

__all__ = ["STREAMS", "SequenceReport", "Share", "alpha_scores", "measure_sequences", "share_of"]

_SHORTEST = 4
"""Pairs of sequences have at least this number of tokens."""
_ROWS = 256
"""The number of rows with which the model is asked at once."""
STREAMS = 1 << 62
"""Added to the seed, so that a model is not measured in the games from which it learns with the same seed."""


class Share(NamedTuple):
    """A mean of numbers from 0 to 1 over games or pairs of sequences, which are independent, and its 95% interval.

    A number of a game may itself be a mean over its tokens. The tokens of a game are not independent, so the interval
    comes from the variance over the games. It is Wilson's with as many coin flips as have the same variance, and at
    least one a game: so it is also valid near 0 and 1, and 0 in all games does not mean 0 for certain.
    """

    value: float
    """The mean; NaN if there are no numbers."""
    low: float
    high: float
    numbers: int
    """The number of games or pairs."""


@dataclass(frozen=True)
class SequenceReport:
    """How well a model knows the rules. The module `othello_env.sequences.metrics` says what each number means.

    Attributes:
        error: the share of illegal tokens among the likeliest next tokens.
        legal_mass: the mean probability of all legal tokens together.
        errors: the error after 1, 2, ... tokens.
        legal_masses: the legal mass after 1, 2, ... tokens.
        compression: see above; over pairs.
        precision: the distinction precision, over the pairs for which the model has a boundary.
        recall: the distinction recall, over the pairs that have a true boundary.
    """

    error: Share
    legal_mass: Share
    errors: tuple[Share, ...]
    legal_masses: tuple[Share, ...]
    compression: Share
    precision: Share
    recall: Share

    def row(self) -> dict[str, Any]:
        """The numbers that are not by token, rounded, as a dict that JSON can hold; None for NaN."""
        numbers: dict[str, Any] = {}
        for name in ("error", "legal_mass", "compression", "precision", "recall"):
            share: Share = getattr(self, name)
            numbers[name] = None if np.isnan(share.value) else round(share.value, 5)
            numbers[f"{name}95"] = [round(share.low, 5), round(share.high, 5)]
        return numbers


@named_arguments
def measure_sequences(
    model: SequenceModel,
    *,
    games: int = 1000,
    pairs: int = 500,
    depth: int = 2,
    threshold: float = 0.01,
    game: GameLike = "othello",
    vocabulary: str = "othello-gpt",
    seed: int = 0,
) -> SequenceReport:
    """Measure how well a sequence model knows the rules, in random games.

    Args:
        model: the function from tokens (N, L) to logits (N, L, V); see `othello_env.support.models.SequenceModel`. It
            is asked with at most L - 1 tokens, 59 on 8x8.
        games: the number of games for error and legal mass.
        pairs: the number of pairs of sequences for compression, and the number for distinction; 0 to leave these out.
        depth: the largest length of the suffixes. Each further token makes them about ten times as many.
        threshold: the probability above which a token is accepted.
        game: Othello on any board, or a variant of its rules that was registered with a batch.
        vocabulary: ``othello-gpt`` or ``metaothello``; see `othello_env.games.othello.tokens`.
        seed: determines the games.

    Raises:
        ValueError: a number is out of its range, there is no such game or vocabulary, or the model's answer has the
            wrong shape or NaN.
    """
    games, pairs, seed = check_whole("games", games, 1), check_whole("pairs", pairs, 0), check_seed(seed) + STREAMS
    stream = SequenceStream(_ROWS, game=game, vocabulary=vocabulary, seed=seed, legal=True)
    depth = check_whole("depth", depth, 1, stream.vocabulary.length - _SHORTEST)
    check_real("threshold", threshold, 0)
    wrong, mass, known = _next_tokens(model, stream, games)
    same, others = _pairs(stream, pairs, depth)
    own = _boundaries(model, stream, same, depth, threshold)[0]
    told, right, true, found = _boundaries(model, stream, others, depth, threshold)
    return SequenceReport(
        share_of(wrong.sum(axis=1) / known.sum(axis=1)),
        share_of(mass.sum(axis=1) / known.sum(axis=1)),
        tuple(share_of(wrong[known[:, k], k]) for k in range(known.shape[1])),
        tuple(share_of(mass[known[:, k], k]) for k in range(known.shape[1])),
        share_of(own == 0),
        share_of(right[told > 0] / told[told > 0]),
        share_of(found[true > 0] / true[true > 0]),
    )


def _boundaries(
    model: SequenceModel, stream: SequenceStream, pairs: npt.NDArray[np.int8], depth: int, threshold: float
) -> npt.NDArray[np.int64]:
    """Count the boundaries of P pairs of sequences, (2, P, L), over all suffixes of at most `depth` tokens.

    Returns:
        (4, P), the numbers of suffixes: in the model's boundary; those of them that the rules accept only after the
        first sequence; in the true boundary; those of them that the model accepts only after the first sequence.
    """
    # A node is a pair with a suffix. `accepted` and `valid` say for each side whether the model accepts the suffix, and
    # whether the rules do.
    words, pair, ends = stream.vocabulary, np.arange(pairs.shape[1]), (pairs[0] > 0).sum(axis=1)
    rows = np.pad(pairs, ((0, 0), (0, 0), (0, depth)))
    accepted, valid = np.ones((2, 2, len(pair)), np.bool_)
    totals = np.zeros((4, len(pair)), np.int64)
    for _ in range(depth):
        both = rows.reshape(-1, rows.shape[2]), np.tile(ends, 2), words.count
        likely = _probabilities(_at_ends(lambda part: logits_of(model, part, words.count), *both)) > threshold
        likely[:, 0] = False  # token 0 is no move, so it is no part of a suffix
        legal = _at_ends(lambda part: legal_tokens(part, words.name, stream.game), *both) > 0
        by_model, by_rules = (each.reshape(2, -1, words.count) for each in (likely, legal))
        by_model, by_rules = by_model & accepted[..., np.newaxis], by_rules & valid[..., np.newaxis]
        own = by_model[0] & ~by_model[1] & accepted[1][:, np.newaxis]
        true = by_rules[0] & ~by_rules[1] & valid[1][:, np.newaxis]
        counts = (own, own & by_rules[0] & ~by_rules[1], true, true & by_model[0] & ~by_model[1])
        for total, count in zip(totals, counts, strict=True):
            np.add.at(total, pair, count.sum(axis=1))
        node, token = np.nonzero(by_model.all(axis=0) | by_rules.all(axis=0))
        accepted, valid = by_model[:, node, token], by_rules[:, node, token]
        rows, pair, ends = rows[:, node], pair[node], ends[node] + 1
        rows[:, np.arange(len(node)), ends - 1] = token
    return totals


def share_of(values: npt.NDArray[Any]) -> Share:
    """The mean of numbers from 0 to 1, one for each game or pair, and its interval."""
    if not len(values):
        return Share(float("nan"), 0.0, 1.0, 0)
    most = float("inf") if len(values) > 1 else 1.0  # one game does not tell how others vary
    return Share(float(np.mean(values)), *score_interval(values.astype(float).tolist(), most), len(values))


@named_arguments
def alpha_scores(
    model: SequenceModel,
    sequences: npt.ArrayLike,
    *,
    games: Sequence[GameLike] = ("othello",),
    vocabulary: str = "metaothello",
) -> npt.NDArray[np.float64]:
    """How well a model knows the next token if a sequence may be of any of several games, (N, K) float64.

    It is the alpha score of MetaOthello (Chawla and others, 2026, arXiv 2602.23164): 1 - KL(p || q) / KL(p || u). Here
    q is what the model answers, u the uniform distribution over all tokens, and p what a perfect model answers. For it,
    all games are equally likely before the first token, and each legal token of a game equally likely. So 1 is perfect
    and 0 is as good as u. It is NaN after the end of a sequence, or of its game by all rules, and after a token that is
    illegal in all games.

    Args:
        model: the function from tokens to logits.
        sequences: (N, K) integers, with 0 after the last move.
        games: the games, such as Othello and a variant of its rules, all on boards of one size.
        vocabulary: as in `measure_sequences`.

    Raises:
        ValueError: there is no game or no such vocabulary, a token is not in it, or the boards have several sizes.
    """
    starts = [usual_start(game) for game in games]
    if len({start.size for start in starts}) != 1:
        raise ValueError(f"expected games on boards of one size, got {', '.join(map(str, games)) or 'none'}")
    words = vocabulary_of(vocabulary, starts[0].size)
    tokens = np.asarray(sequences)
    legal = np.stack([legal_tokens(tokens, vocabulary, game) for game in games])  # (games, N, K, V)
    before = np.zeros_like(legal)
    before[:, :, 1:] = legal[:, :, :-1]
    for first, start in zip(before, starts, strict=True):
        first[:, 0, words.tokens[list(start.legal_actions())]] = True
    each = legal / np.maximum(legal.sum(axis=3, keepdims=True), 1)
    taken = np.take_along_axis(before, tokens[np.newaxis, :, :, np.newaxis], axis=3)[..., 0]
    chances = np.cumprod(taken / np.maximum(before.sum(axis=3), 1), axis=2) * legal.any(axis=3)
    with np.errstate(invalid="ignore"):  # NaN where no game goes on
        perfect = (chances[..., np.newaxis] * each).sum(axis=0) / chances.sum(axis=0)[..., np.newaxis]
    answers = _probabilities(logits_of(model, tokens, words.count))
    return np.asarray(
        1 - special.rel_entr(perfect, answers).sum(axis=2) / special.rel_entr(perfect, 1 / words.count).sum(axis=2)
    )


def _next_tokens(
    model: SequenceModel, stream: SequenceStream, games: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Measure the model's next tokens in N games.

    Returns:
        Three arrays (N, L - 1): whether the model's likeliest token after each token is illegal (1.0 or 0.0), the
        probability of the legal tokens, and whether the game goes on. If it does not, the first two are 0.
    """
    parts: list[tuple[Any, Any, Any]] = []
    left = games
    for batch in stream:
        rows = batch.tokens[:left, :-1]
        assert batch.legal is not None
        legal = batch.legal[: len(rows), :-1]
        logits = logits_of(model, rows, stream.vocabulary.count)
        is_wrong = ~np.take_along_axis(legal, logits.argmax(axis=2)[..., np.newaxis], axis=2)[..., 0]
        known = legal.any(axis=2)
        mass = np.where(legal, _probabilities(logits), 0).sum(axis=2)
        parts.append((is_wrong * known.astype(np.float64), mass * known, known))
        left -= len(rows)
        if not left:
            break
    wrong, mass, known = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return wrong, mass, known


def _probabilities(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The softmax of logits (..., V). If all are -infinity, such as after an illegal move, all are 0."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(special.softmax(logits, axis=-1))


def _at_ends(
    ask: Callable[[npt.NDArray[np.int8]], npt.NDArray[Any]],
    rows: npt.NDArray[np.int8],
    ends: npt.NDArray[np.int64],
    count: int,
) -> npt.NDArray[np.float32]:
    """(R, V), what `ask` answers after the first `ends` tokens, (R,), of each row."""
    answers = np.zeros((len(rows), count), np.float32)
    order = np.argsort(ends, kind="stable")  # so that the rows of a call are about equally long
    for first in range(0, len(rows), _ROWS):
        part = order[first : first + _ROWS]
        answers[part] = ask(rows[part, : ends[part].max()])[np.arange(len(part)), ends[part] - 1]
    return answers


def _pairs(stream: SequenceStream, count: int, depth: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Two arrays (2, P, L): pairs of sequences with the same position, and pairs of one length with different ones."""
    same, different = [np.zeros((2, 0, stream.vocabulary.length), np.int8)], []
    different.append(same[0])
    for number, batch in enumerate(stream):
        if min(sum(part.shape[1] for part in parts) for parts in (same, different)) >= count:
            break
        rng = np.random.default_rng([stream.seed, number])
        # The game goes on after a sequence, and the suffixes fit into the model's input.
        most = np.minimum((batch.tokens > 0).sum(axis=1) - 1, stream.vocabulary.length - depth)
        rows, most = batch.tokens[most >= _SHORTEST], most[most >= _SHORTEST]
        ends = rng.integers(_SHORTEST, most + 1)
        is_left = np.ones(len(rows), np.bool_)  # a game gives one pair, so that the pairs are independent
        for last in (1, 2):  # swap the last token, or the one before it, with the token two places before
            places = np.arange(len(rows))[:, np.newaxis], ends[:, np.newaxis] - [last, last + 2]
            swapped = rows.copy()
            swapped[places] = rows[places][:, ::-1]
            pair = _cut(np.stack([rows, swapped]), ends)
            found = is_left & _are_equal(stream, pair, ends)
            is_left &= ~found
            same.append(pair[:, found])
        half = len(rows) // 2
        ends = np.minimum(ends[:half], ends[half : 2 * half])
        pair = _cut(rows[: 2 * half].reshape(2, half, -1), ends)
        different.append(pair[:, ~_are_equal(stream, pair, ends)])
    return np.concatenate(same, axis=1)[:, :count], np.concatenate(different, axis=1)[:, :count]


def _cut(pair: npt.NDArray[np.int8], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
    return np.where(np.arange(pair.shape[2]) < ends[:, np.newaxis], pair, 0).astype(np.int8)


def _are_equal(
    stream: SequenceStream, pair: npt.NDArray[np.int8], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """(P,), whether both sequences of a pair are legal and lead to the same position."""
    words, start = stream.vocabulary, usual_start(stream.game)
    sides = [kernels.replay(words.actions[rows], start, words.length, passes=words.has_pass) for rows in pair]
    at, same = (np.arange(len(ends)), ends - 1), np.ones(len(ends), np.bool_)
    for played in sides:
        same &= (played.wrong < 0) & (played.moves == ends)
    for name in ("own", "opponent", "to_move"):
        same &= getattr(sides[0], name)[at] == getattr(sides[1], name)[at]
    return same
