"""Matches between the members of a league."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import closing

from othello_env.agent import Agent, Policy
from othello_env.arena.faults import warn_of_faults
from othello_env.arena.play.jobs import play_elsewhere, play_here
from othello_env.arena.play.records import GameRecord
from othello_env.arena.tournament.results import MatchResult
from othello_env.arena.tournament.schedule import Schedule
from othello_env.games.registry import Rules
from othello_env.league.members import Member, Stored
from othello_env.league.results import Results

__all__ = ["play_missing"]


class _Done(Container[tuple[int, tuple[str, ...]]]):
    """The games that have been played already, as the argument `done` of `Schedule.missing`."""

    def __init__(self, members: Mapping[str, Member], results: Results) -> None:
        self._members, self._results = members, results

    def __contains__(self, game: object) -> bool:
        assert isinstance(game, tuple)
        opening, (a, b) = game
        return bool(opening < self._results.pairs(self._members[a].number, self._members[b].number))


def play_missing(
    members: Sequence[Member],
    results: Results,
    games: int,
    openings: str | None,
    rules: Rules,
    seed: int,
    workers: int | None = None,
    ray: bool = False,
    progress: Callable[[GameRecord], None] | None = None,
) -> None:
    """Play matches until every two members have played at least `games` games, and add the results to `results`.

    See `othello_env.league.League.complete`. Two members play their openings in order. So the number of openings that
    they have played tells which openings are missing.

    Args:
        members: the members.
        results: the earlier results, to which the new results are added.
        games: the number of games of two members, even.
        openings: where games begin; see `Schedule`.
        rules: the rules of the game.
        seed: the seed of the matches.
        workers: the number of processes that play; None means 1.
        ray: whether to play on a Ray cluster.
        progress: called with the record of each game.

    Raises:
        ValueError: the game is not for two players, or `workers` is less than 1.
        WrongGameError: a member does not play this game.
    """
    if rules.num_players != 2:
        raise ValueError(f"a league needs a game for two players; {rules} has {rules.num_players}")
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    by_name = {member.name: member for member in members}
    schedule = Schedule(tuple(by_name), games, openings, seed, rules)
    for member in members:
        member.player.check_game(rules.start(0))
    todo = schedule.missing(_Done(by_name, results))
    if workers in (None, 1) and not ray:
        played = play_here(todo, {name: member.player for name, member in by_name.items()})
    else:
        played = play_elsewhere(todo, {m.name: _sendable(m) for m in members}, seed, None, workers, ray=ray)
    records: dict[frozenset[str], list[GameRecord]] = defaultdict(list)
    try:
        with closing(played):
            for record in played:
                records[frozenset(record.agents)].append(record)
                if progress is not None:
                    progress(record)
    finally:
        for found in records.values():
            _count(found, by_name, results)
    _warn([record for found in records.values() for record in found], by_name)


def _warn(records: Sequence[GameRecord], members: Mapping[str, Member]) -> None:
    """Warn of each member that failed."""
    for name in members:
        own = [record for record in records if name in record.agents]
        faults = [r.fault[1] for r in own if r.fault is not None and r.agents[r.fault[0]] == name]
        warn_of_faults(name, "games", faults, len(own))


def _sendable(member: Member) -> str | Agent | Policy:
    """A member's spec, which can be sent to any process. If there is no spec: the member's agent."""
    source = member.source
    if isinstance(source, Stored) and source.data is None:
        return source.spec
    return source if isinstance(source, str) else member.player


def _count(records: Sequence[GameRecord], members: Mapping[str, Member], results: Results) -> None:
    """Add games of two members to the results, in the order of the openings, until an opening has only one game."""
    a, b = sorted({*records[0].agents}, key=lambda name: members[name].number)
    first, second = members[a].number, members[b].number
    by_opening: dict[int, list[GameRecord]] = defaultdict(list)
    for record in records:
        by_opening[record.opening].append(record)
    while len(pair := by_opening.get(results.pairs(first, second), [])) == 2:
        results.add_pair(first, second, MatchResult((a, b), tuple(pair)).score * 2)
