"""Reads the matches, ratings and learning curves in a JSON file of results, so that the page can draw them."""

from __future__ import annotations

from functools import cache
from typing import Any

from othello_env.arena.rating.ladder import LADDERS, load_ladder

__all__ = ["ladders_view", "read_results"]

_TIMES = ("seconds", "games", "plies", "iteration")
"""The fields that a curve's horizontal axis can show.

If the points of a curve have several of these fields, the axis shows the one that stands first here.
"""
_MOST_POINTS = 1000
"""A line with more points is thinned out to about this number of points."""
_SHOWN = 300
"""A text is cut off after this number of characters."""


def read_results(name: str, content: Any) -> dict[str, Any]:
    """The title, facts, matches, curves and rating in a file, as values for JSON that the page draws.

    The rating (``rated``) is None if no agent was rated on a packaged ladder of opponents.

    Args:
        name: the file's name.
        content: the JSON that ``othello-env benchmark``, ``othello-env quickstart`` or a recipe wrote.

    Raises:
        ValueError: the content has neither results nor a learning curve.
    """
    try:
        return _read(name, content)
    except (TypeError, KeyError, AttributeError, IndexError, OverflowError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"[:_SHOWN]
        raise ValueError(f"the file has no results of a benchmark and no learning curve ({reason})") from error


def _read(name: str, content: dict[str, Any]) -> dict[str, Any]:
    matches = [_match(row) for row in content.get("results", [])]
    facts = _facts(content)
    training = content.get("training", {})
    curves = [
        curve for source in (training, content) if (points := source.get("curve")) for curve in _curves(points, source)
    ]
    if not (matches or facts or curves):
        raise ValueError("nothing to show")
    return {
        "name": name,
        "title": _text(content.get("agent", name)),
        "about": _about(content) if matches else "",
        "facts": facts,
        "matches": matches,
        "curves": curves,
        "rated": _rated(name, content),
    }


@cache
def ladders_view() -> list[dict[str, Any]]:
    """The packaged ladders: for each ladder, its name, and the spec, rating and interval of each opponent."""
    return [
        {
            "name": ladder.name,
            "rungs": [{"name": rung.spec, "elo": rung.elo, "interval": list(rung.interval)} for rung in ladder.rungs],
        }
        for ladder in map(load_ladder, LADDERS)
    ]


def _rated(name: str, content: dict[str, Any]) -> dict[str, Any] | None:
    """The name, file and rating of the agent that was rated on a packaged ladder. None if no agent was rated.

    The games may give only a lower limit or only an upper limit of the rating. Then the returned rating is this limit.
    In the interval, the missing limit is None.
    """
    if "elo" not in content or content.get("ladder") not in LADDERS.values():
        return None
    low, high = map(_number, content["interval95"])
    end = content.get("open_end")
    elo = low if end == "above" else high if end == "below" else _number(content["elo"])
    interval = [None if end == "below" else low, None if end == "above" else high]
    agent = _text(content.get("agent", "?"))
    return {"name": agent, "file": name, "elo": elo, "interval": interval, "ladder": content["ladder"]}


def _match(row: dict[str, Any]) -> dict[str, Any]:
    low, high = row["interval95"]
    return {
        "opponent": _text(row["opponent"]),
        "elo": _number(row["opponent_elo"]) if "opponent_elo" in row else None,
        **{count: int(row[count]) for count in ("wins", "draws", "losses")},
        "score": _number(row["score"]),
        "interval": [_number(low), _number(high)],
        "expected": _number(row["expected_score"]) if "expected_score" in row else None,
        "discs": _number(row["mean_disc_difference"]),
    }


def _about(content: dict[str, Any]) -> str:
    parts = [f"{content['games']} games", f"openings {content['openings']}", f"seed {content['seed']}"]
    if "ladder" in content:
        parts.insert(0, str(content["ladder"]))
    else:
        parts[0] += " against each"
    return _text(", ".join(parts))


def _facts(content: dict[str, Any]) -> list[list[str]]:
    """The facts to show. Each fact is a name and a value, both as text."""
    facts = []
    if "elo" in content:
        low, high = map(_number, content["interval95"])
        ends = {
            "above": f"at least {low:.0f}, no upper limit found",
            "below": f"at most {high:.0f}, no lower limit found",
        }
        end = ends.get(str(content.get("open_end")))
        facts.append(["Elo", end or f"{_number(content['elo']):.0f} ({low:.0f} to {high:.0f})"])
    if "milliseconds_a_move" in content:
        facts.append(["time for a move", f"{_number(content['milliseconds_a_move']):.3g} ms"])
    if content.get("illegal_or_failed"):
        facts.append(["illegal or failed moves", str(int(content["illegal_or_failed"]))])
    endgame = content.get("endgame")
    if endgame:
        low, high = map(_number, endgame["best_move_rate_interval95"])
        facts.append(["best endgame moves", f"{_number(endgame['best_move_rate']):.1%} ({low:.1%} to {high:.1%})"])
        low, high = map(_number, endgame["mean_loss_interval95"])
        facts.append(["mean endgame loss (discs)", f"{_number(endgame['mean_loss']):.2f} ({low:.2f} to {high:.2f})"])
    return facts


def _curves(points: list[Any], source: dict[str, Any]) -> list[dict[str, Any]]:
    """The learning curves. Each of `points` is a pair (seconds, score), or an object with a time and several values."""
    if not isinstance(points[0], dict):
        name = f"against {_text(source.get('yardstick', 'the yardstick'))}"
        lines = [{"name": name, "points": _thinned([[_number(x), _number(y)] for x, y in points])}]
        return [{"what": "Scores", "over": "seconds", "lines": lines}]
    over = next((time for time in _TIMES if time in points[0]), _TIMES[0])
    found = []
    for what, measured in (("Scores", _scores), ("Elo", _elo)):
        drawn: dict[str, list[list[float]]] = {}
        for point in points:
            for name, value in measured(point).items():
                drawn.setdefault(_text(name), []).append([_number(point[over]), _number(value)])
        if drawn:
            lines = [{"name": name, "points": _thinned(line)} for name, line in drawn.items()]
            found.append({"what": what, "over": over, "lines": lines})
    if not found:
        raise ValueError("a curve without scores")
    return found


def _thinned(points: list[list[float]]) -> list[list[float]]:
    """Thin out a line to about `_MOST_POINTS` points at regular intervals. The last point is always kept."""
    return points[: -1 : -(-len(points) // _MOST_POINTS)] + points[-1:]


def _scores(point: dict[str, Any]) -> dict[str, Any]:
    """The scores of one point of a learning curve, as a dict from the name of each line in the chart to its score.

    The field ``scores`` has the score against each opponent. The field ``without search`` may have the scores without a
    search, and on small boards ``perfect moves`` has the share of perfect moves.

    If there is no field ``scores``, the field ``score`` is a score. Each field ``NAME`` is a score, too, if there is
    also a field ``NAME +-``, which has the error of this score.
    """
    if "scores" in point:
        without = {f"{opponent}, without search": score for opponent, score in point.get("without search", {}).items()}
        perfect = {"perfect moves": point["perfect moves"]} if "perfect moves" in point else {}
        return dict(point["scores"]) | without | perfect
    return {name: value for name, value in point.items() if f"{name} +-" in point or name == "score"}


def _elo(point: dict[str, Any]) -> dict[str, Any]:
    return {"Elo": point["elo"]} if "elo" in point else {}


def _number(value: Any) -> float:
    number = float(value)
    if isinstance(value, bool | str) or not abs(number) < 1e12:  # infinity and NaN are refused, too
        raise ValueError(f"{value!r} is not a number")
    return number


def _text(value: Any) -> str:
    return str(value)[:_SHOWN]
