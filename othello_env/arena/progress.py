"""Measure an agent in training: a point of its learning curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from othello_env.agent import Agent, Policy
from othello_env.arena.benchmark.ladder import LADDERS, Ladder, place
from othello_env.arena.benchmark.positions import LISTS, measure_positions
from othello_env.arena.match import match_names, play_match
from othello_env.arena.number import score_text
from othello_env.arena.report import game_name
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.results import score_interval
from othello_env.arena.tournament.schedule import Schedule
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import check_flag, check_real, check_type, named_arguments

__all__ = ["YARDSTICKS", "measure_progress", "progress_text", "scalars"]

YARDSTICKS = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted")
"""The opponents of a learning curve in Othello; in other games only the first."""

_PLIES = {"othello": 10, "othello:size=4": 3}
_USUAL_PLIES = 6


@named_arguments
def measure_progress(
    agent: str | Agent | Policy,
    *,
    game: GameLike = "othello",
    games: int = 100,
    opponents: Sequence[str] | None = None,
    rating: bool = True,
    ladder: Ladder | None = None,
) -> dict[str, Any]:
    """Measure an agent: its scores in matches, and its rating or its share of perfect moves.

    The matches begin with 10 random plies in Othello, 3 on 4x4, and 6 in all other games, the same in each call. So the
    points of a learning curve can be compared. In a game of three players, the opponent has both other seats.

    Args:
        agent: an Agent, a spec or a callable.
        game: the game, such as ``"othello:size=6"``.
        games: the games of each match, and at most as many games on the ladder; an even number. In a game of three
            players, as many games as are a multiple of three.
        opponents: the specs of the opponents; by default `YARDSTICKS` in Othello, else ``random``.
        rating: False to play only the matches.
        ladder: the ladder of the rating; by default the packaged one of the game, if there is one.

    Returns:
        A dict that JSON can hold. ``scores`` and ``intervals`` have the score (0 to 1) against each opponent, and its
        95% interval. In a game with a ladder, there are also ``elo`` and ``elo95``, the rating on the ladder and its
        95% interval, except if all games there were lost. In Othello on 6x6 and 4x4, where perfect play is known, there
        are instead ``perfect moves``, the share of perfect moves in packaged positions, ``perfect moves +-``, half the
        width of its 95% interval, and ``discs lost``, the mean loss of a move.

    Raises:
        TypeError: `games` is not an integer, or `rating` is not a bool.
        ValueError: the game, the games or an opponent is wrong.
    """
    check_flag("rating", rating)
    name, spec = game_name(game), GameSpec.parse(game)
    games -= games % spec.num_players if spec.num_players > 2 else 0
    if opponents is None:
        opponents = YARDSTICKS if spec.name == "othello" else YARDSTICKS[:1]
    matches = {opponent: _match(agent, opponent, games, spec) for opponent in opponents}
    point: dict[str, Any] = {
        "scores": {opponent: round(score, 4) for opponent, (score, _) in matches.items()},
        "intervals": {opponent: [round(end, 4) for end in interval] for opponent, (_, interval) in matches.items()},
    }
    if not rating:
        return point
    if ladder is None and name in LISTS and name != "othello":
        accuracy = measure_positions(agent, game=spec)
        low, high = accuracy.rate_interval
        point |= {"perfect moves": round(accuracy.rate, 4), "perfect moves +-": round((high - low) / 2, 4)}
        point["discs lost"] = round(accuracy.loss, 3)
    elif ladder is None and name not in LADDERS:
        return point
    elif (placement := place(agent, game=spec, ladder=ladder, games=games)).elo is not None:
        point |= {"elo": round(placement.elo), "elo95": [round(end) for end in placement.interval]}
    return point


def _match(agent: str | Agent | Policy, opponent: str, games: int, spec: GameSpec) -> tuple[float, tuple[float, float]]:
    """An agent's score against an opponent that has all other seats, with its 95% interval."""
    openings = f"random:{_PLIES.get(str(spec), _USUAL_PLIES)}"
    if spec.num_players == 2:
        match = play_match(agent, opponent, games=games, openings=openings, seed=1, game=spec)
        return match.score, match.interval
    first, second = match_names(agent, opponent)
    agents = {first: agent} | {f"{second}, seat {seat}": opponent for seat in range(1, spec.num_players)}
    scores = play_tournament(agents, Schedule(tuple(agents), games, openings, 1, spec)).scores()
    both = [scores[first, other].points_by_opening() for other in agents if other != first]
    points = [sum(map(sum, each)) / sum(map(len, each)) for each in zip(*both, strict=True)]
    return sum(points) / len(points), score_interval(points)


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
