"""What the page shows of files: results in JSON, recorded games of a tournament, and leagues.

The members of a league are earlier versions of a learner, and other opponents of the learner.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

from othello_env.arena.benchmark.ladder import LADDERS, load_ladder
from othello_env.arena.elo import rate_tournament
from othello_env.arena.number import elo_text, interval_text
from othello_env.arena.play.records import FORMAT, GameRecord
from othello_env.arena.report import Part, Report, Table
from othello_env.arena.tournament.records import read_records
from othello_env.arena.tournament.results import Tournament, overall
from othello_env.games.registry import GameSpec
from othello_env.league.files import LeagueState
from othello_env.league.payoffs import Payoffs
from othello_env.page.messages import MAX_PLIES, PageGame, Position, page_games
from othello_env.support.files import as_type

__all__ = [
    "LARGEST",
    "MOST_GAMES",
    "MOST_MEMBERS",
    "Recorded",
    "elo_name",
    "ladders_view",
    "league_view",
    "read_results",
]

_SHOWN = 300
"""A text is cut off after this number of characters."""


def read_results(name: str, content: Any) -> dict[str, Any]:
    """What a report holds, as values for JSON that the page draws.

    Args:
        name: the file's name.
        content: the JSON of a `Report`, which ``othello-env benchmark`` and ``othello-env quickstart`` write.

    Returns:
        A dict: ``name``, ``title``, ``about``, ``parts`` and ``rated``. A part has ``how`` it was measured, ``facts``
        (a name and a value, both as text), ``tables`` and ``notes``. ``rated`` is the rating on a packaged ladder of
        opponents; None if there is none.

    Raises:
        ValueError: the content is no report, or nothing was measured.
    """
    try:
        report = Report.from_json(content)
    except ValueError as error:
        raise ValueError(f"the file has no results of a benchmark ({error})"[:_SHOWN]) from error
    parts = [_part(part) for part in report.parts]
    if not any(part["facts"] or part["tables"] for part in parts):
        raise ValueError("the file has no results of a benchmark (nothing to show)")
    seed = report.settings.get("seed")
    return {
        "name": name,
        "title": _text(report.agent),
        "about": _text(report.game if seed is None else f"{report.game}, seed {seed}"),
        "parts": parts,
        "rated": _rated(name, report),
    }


def _part(part: Part) -> dict[str, Any]:
    facts = [
        [number.name, f"{number.text}, at random {number.chance_text}" if number.chance_text else number.text]
        for number in part.numbers
    ]
    if part.faults:
        facts.append(["illegal or failed answers", str(len(part.faults))])
    return {
        "how": _text(part.how),
        "facts": [[_text(term), text] for term, text in facts],
        "tables": [_table(table) for table in part.tables],
        "notes": [*map(_text, part.notes)],
    }


def _table(table: Table) -> dict[str, Any]:
    """The columns and the rows, as texts."""
    columns, rows = table.texts()
    return {"columns": [*map(_text, columns)], "rows": [[*map(_text, row)] for row in rows]}


def _rated(name: str, report: Report) -> dict[str, Any] | None:
    """The name, file and rating of the agent that was rated on a packaged ladder. None if no agent was rated.

    If the games give only one limit, the returned rating is this limit. In the interval, the missing limit is None.
    """
    for number in report.numbers:
        if number.name == "Elo" and number.game in LADDERS and (elo := number.shown) is not None:
            low = -math.inf if number.low is None else number.low
            high = math.inf if number.high is None else number.high
            return {"name": _text(report.agent), "file": name, "ladder": LADDERS[number.game]} | _rating(elo, low, high)
    return None


@cache
def ladders_view() -> list[dict[str, Any]]:
    """The packaged ladders: for each ladder, its name and its opponents.

    Each opponent has its spec and its rating (see `_rating`).
    """
    return [
        {
            "name": ladder.name,
            "rungs": [{"name": rung.spec} | _rating(rung.elo, *rung.interval) for rung in ladder.rungs],
        }
        for ladder in map(load_ladder, LADDERS)
    ]


def elo_name(game: str) -> str:
    """The quantity that a rating in a game with a packaged ladder is."""
    return f"Elo on {LADDERS[game]} (random play is 0)"


def _text(value: Any) -> str:
    return str(value)[:_SHOWN]


MOST_GAMES = 20_000
"""The most games that a file may have. With more games, the page would be slow."""
_HEAD = b'{"format": "' + FORMAT.encode() + b'"'
_LARGEST_RECORDS = 64 << 20  # bytes


class Recorded:
    """The games that a tournament recorded in a file.

    Args:
        name: the file's name.
        records: the recorded games, at least one.

    Raises:
        ValueError: there is no game, or there are more than `MOST_GAMES` games.
    """

    def __init__(self, name: str, records: list[GameRecord]) -> None:
        if not 1 <= len(records) <= MOST_GAMES:
            raise ValueError(f"expected 1 to {MOST_GAMES:,} recorded games, got {len(records):,}")
        self._name = name
        agents = dict.fromkeys(agent for record in records for agent in record.agents)
        self._result = Tournament.from_records(agents, records)

    @staticmethod
    def is_records(path: Path) -> bool:
        """Whether a file begins like a file of recorded games."""
        with path.open("rb") as file:
            return file.read(len(_HEAD)).startswith(_HEAD)

    @classmethod
    def read(cls, path: Path) -> Recorded:
        """Read the games of a file that ``othello-env tournament --out`` wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is too large, or a line of the file is not a recorded game.
        """
        if path.stat().st_size > _LARGEST_RECORDS:
            raise ValueError(f"the file has more than {_LARGEST_RECORDS >> 20} MiB")
        return cls(path.name, read_records(path))

    def __len__(self) -> int:
        return len(self._result.records)

    def to_json(self, number: int) -> dict[str, Any]:
        """The crosstable and a list of the games, as values for JSON that the page draws.

        Args:
            number: the number of this file. When the page asks for a game, it sends this number.
        """
        records = self._result.records
        place = {agent: i for i, agent in enumerate(self._result.agents)}
        first = records[0]
        about = f"{len(records):,} games of {first.game}, openings {first.openings or 'given'}, seed {first.seed}"
        games = [
            {"seats": [place[agent] for agent in record.agents], "scores": record.scores, "result": record.result}
            | {"opening": record.opening, "fault": None if record.fault is None else record.fault[0]}
            for record in records
        ]
        return {
            "name": self._name,
            "title": self._name,
            "about": about,
            "recorded": number,
            "players": list(GameSpec.parse(first.game).start(0).player_names),
            "canReplay": first.game in page_games(),
            "standings": self._standings(),
            "games": games,
        }

    def _standings(self) -> list[dict[str, Any]]:
        """For each agent: its name, score and rating, and its score against every other agent."""
        scores, agents = self._result.scores(), self._result.agents
        ratings = self._ratings()
        rows = []
        for agent in agents:
            games, total, _ = overall([scores[agent, other] for other in agents if (agent, other) in scores])
            against = [_score(scores.get((agent, other))) for other in agents]
            row = {"agent": agent, "games": games, "score": total, "against": against}
            rows.append(row | {"rating": ratings.get(agent)})
        return rows

    def _ratings(self) -> dict[str, dict[str, Any]]:
        """The Elo rating of each agent and its 95% interval.

        An agent is left out if its rating is infinite, or if both ends of its interval are infinite. If the games allow
        no ratings, the dict is empty.
        """
        try:
            ratings = rate_tournament(self._result)
        except ValueError:
            return {}
        return {
            agent: _rating(elo, *ratings.interval(agent))
            for agent, elo in ratings.elo.items()
            if math.isfinite(elo) and any(map(math.isfinite, ratings.interval(agent)))
        }

    def game(self, number: int) -> dict[str, Any]:
        """A game for the page: its record, the plies of its opening, its fault, and words.

        The words are what a language model said beside each ply; None if nobody spoke. The fault says who forfeited the
        game and why. It is None if nobody forfeited the game.

        Raises:
            ValueError: the page cannot show this kind of game, or the game is too long.
        """
        record = self._result.records[number]
        final = record.replay()
        if record.game not in page_games() or len(final.moves) > MAX_PLIES:
            raise ValueError(f"the page does not show games of {record.game} with {len(final.moves)} plies")
        position = None if record.position is None else Position(*record.position)
        game = PageGame(record.game, 0, position, final.moves, record.agents)
        opening = len(record.opening_moves.split())
        told = {"fault": record.fault, "words": record.words}
        return {"record": game.to_json(), "opening": opening, **told}


def _score(match: Any) -> dict[str, Any] | None:
    if match is None:
        return None
    return {"score": match.score, "interval": match.interval, "games": match.games, "margin": match.margin}


MOST_MEMBERS = 100
"""The page shows a league only if it has at most this number of members."""
LARGEST = 4 << 20
"""The largest JSON file of a league or a training run that the server reads, in bytes."""


def league_view(name: str, state: Any) -> dict[str, Any]:
    """The scores and ratings of a league's members, as values for JSON that the page draws.

    The members' policies are not loaded, so no code of the league's author runs.

    Args:
        name: the league's name on the page.
        state: what `othello_env.league.League.state` returned. The values are checked.

    Returns:
        A dict with these keys:

        - ``name``: the league's name.
        - ``total``: the number of games.
        - ``names``, ``played``, ``scores``, ``intervals95`` and ``games``: as in `Payoffs.to_json`.
        - ``fromMatches``: for every two members, whether their score comes from matches (otherwise from training).
        - ``anchor``: the member whose rating is 0.
        - ``ratings``: for each member, its rating (see `_rating`).

        If the games allow no ratings, ``anchor`` and ``ratings`` are None.

    Raises:
        ValueError: the state is damaged, or has more than `MOST_MEMBERS` members.
    """
    league = as_type(state, LeagueState)
    if len(league.members) > MOST_MEMBERS:
        raise ValueError(f"the league has {len(league.members)} members; the page shows at most {MOST_MEMBERS}")
    payoffs = Payoffs.from_results(league.members, league.results.results(league.matches))
    return {
        "name": name,
        "total": int(payoffs.games.sum()) // 2,
        **payoffs.to_json(),
        "fromMatches": payoffs.from_matches.tolist(),
        **_league_ratings(payoffs),
    }


def _league_ratings(payoffs: Payoffs) -> dict[str, Any]:
    """The fields ``anchor`` and ``ratings`` of `league_view`."""
    try:
        ratings = payoffs.ratings()
    except (ValueError, IndexError):  # there is no member, or the games do not connect all members
        return {"anchor": None, "ratings": None}
    rated = [_rating(ratings.elo[name], *ratings.interval(name)) for name in payoffs.names]
    return {"anchor": next(iter(ratings.elo)), "ratings": rated}


def _rating(elo: float, low: float, high: float) -> dict[str, Any]:
    """A rating and its 95% interval: as numbers, where infinity is None, and as texts."""
    finite = [number if math.isfinite(number) else None for number in (elo, low, high)]
    text = "–" if finite[0] is None else elo_text(elo)  # noqa: RUF001 - the sign of the page
    return {"elo": finite[0], "interval": finite[1:], "text": text, "range": interval_text(low, high, "elo")}
