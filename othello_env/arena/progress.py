"""Measure an agent in training: a point of its learning curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from othello_env.agent import Agent, Policy
from othello_env.arena.benchmark.ladder import place
from othello_env.arena.benchmark.positions import measure_positions
from othello_env.arena.match import play_match
from othello_env.arena.number import score_text
from othello_env.support.numbers import check_flag, check_real, check_type

__all__ = ["YARDSTICKS", "measure_progress", "progress_text", "scalars"]

YARDSTICKS = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted")
"""The opponents of a learning curve."""

_PLIES = {4: 3, 6: 6, 8: 10}


def measure_progress(
    agent: str | Agent | Policy,
    *,
    size: int = 8,
    games: int = 100,
    opponents: Sequence[str] = YARDSTICKS,
    rating: bool = True,
) -> dict[str, Any]:
    """Measure an Othello agent: its scores in matches, and its rating or its share of perfect moves.

    The matches begin with 10 random plies on 8x8, 6 on 6x6 and 3 on 4x4, the same in each call. So the points of a
    learning curve can be compared.

    Args:
        agent: an Agent, a spec or a callable.
        size: the board's size: 4, 6 or 8.
        games: the games of each match, and at most as many games on the ladder; an even number.
        opponents: the specs of the opponents.
        rating: False to play only the matches.

    Returns:
        A dict that JSON can hold. ``scores`` and ``intervals`` have the score (0 to 1) against each opponent, and its
        95% interval. On 8x8 there are also ``elo`` and ``elo95``, the rating on the ladder and its 95% interval, except
        if all games there were lost. On 6x6 and 4x4, where perfect play is known, there are ``perfect moves``, the
        share of perfect moves in packaged positions, ``perfect moves +-``, half the width of its 95% interval, and
        ``discs lost``, the mean loss of a move.

    Raises:
        TypeError: `games` is not an integer, or `rating` is not a bool.
        ValueError: the size, the games or an opponent is wrong.
    """
    check_flag("rating", rating)
    if size not in _PLIES:
        raise ValueError(f"expected a board of size 4, 6 or 8, got {size!r}")
    matches = {
        opponent: play_match(
            agent, opponent, games=games, openings=f"random:{_PLIES[size]}", seed=1, game=f"othello:size={size}"
        )
        for opponent in opponents
    }
    point: dict[str, Any] = {
        "scores": {opponent: round(match.score, 4) for opponent, match in matches.items()},
        "intervals": {opponent: [round(end, 4) for end in match.interval] for opponent, match in matches.items()},
    }
    if not rating:
        return point
    if size < 8:
        accuracy = measure_positions(agent, game=f"othello:size={size}")
        low, high = accuracy.rate_interval
        point |= {"perfect moves": round(accuracy.rate, 4), "perfect moves +-": round((high - low) / 2, 4)}
        point["discs lost"] = round(accuracy.loss, 3)
    elif (placement := place(agent, games=games)).elo is not None:
        point |= {"elo": round(placement.elo), "elo95": [round(end) for end in placement.interval]}
    return point


def progress_text(point: Mapping[str, Any]) -> str:
    """A point from `measure_progress` in a few words, such as ``random .980  maximizer .710  Elo 712``."""
    if "scores" not in check_type("a point", point, Mapping):
        raise ValueError(f"expected a point of measure_progress, with scores, got {point!r:.80}")
    words = [f"{opponent.partition(':')[0]} {score_text(score)}" for opponent, score in point["scores"].items()]
    words += [f"perfect moves {score_text(point['perfect moves'])}"] if "perfect moves" in point else []
    return "  ".join(words + ([f"Elo {point['elo']}"] if "elo" in point else []))


def scalars(point: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a point from `measure_progress`, without the intervals, by names for TensorBoard or W&B.

    >>> scalars({"scores": {"random": 0.9}, "intervals": {"random": [0.8, 0.95]}, "elo": 500})
    {'scores/random': 0.9, 'elo': 500.0}
    """
    flat: dict[str, float] = {}
    for name, value in check_type("a point", point, Mapping).items():
        if isinstance(value, Mapping):
            numbers = {f"{name}/{key}": number for key, number in value.items() if isinstance(number, int | float)}
            flat |= {key: check_real(key, number) for key, number in numbers.items()}
        elif isinstance(value, int | float) and not str(name).endswith("+-"):
            flat[str(name)] = check_real(str(name), value)
    return flat
