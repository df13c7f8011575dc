"""Matches between the members of a league."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import permutations

from othello_env.agent import Agent, Policy
from othello_env.arena.play.games import play_all
from othello_env.arena.play.records import GameRecord
from othello_env.arena.tournament.playing import warn_of_forfeits
from othello_env.arena.tournament.results import MatchResult
from othello_env.arena.tournament.schedule import Schedule
from othello_env.games.registry import GameSpec
from othello_env.league.files import Matches
from othello_env.league.members import Member, Results, Stored
from othello_env.support.numbers import check_flag, check_workers

__all__ = ["check_same", "play_missing"]


def check_same(before: Matches | None, settings: Matches) -> None:
    """Check that new matches have the same game and openings as the earlier matches of the league, if there are any.

    Raises:
        TypeError: the openings are not a text.
        ValueError: the game or the openings differ from those of the earlier matches.
    """
    if not isinstance(settings.openings, str | None):
        raise TypeError(f"expected the openings of a league's matches as a text, not {settings.openings!r:.80}")
    if before not in (None, settings):
        was, given = (
            f"the game {played.game} and the openings {played.openings or 'start'}" for played in (before, settings)
        )
        raise ValueError(f"the matches of this league were played with {was}, not with {given}")


def play_missing(
    members: Sequence[Member],
    results: Results,
    games: int,
    openings: str | None,
    spec: GameSpec,
    seed: int,
    workers: int | None = None,
    ray: bool = False,
    progress: Callable[[GameRecord], None] | None = None,
) -> None:
    """Play matches until each member has played `games` games against each other member. Add the games to `results`.

    See `othello_env.league.League.complete`. Any two members play the first opening first, then the second, and so on.
    So the number of openings that they have played shows which openings are missing.

    Args:
        members: the members.
        results: the earlier results, to which the new results are added.
        games: the number of games between two members, an even number.
        openings: the positions in which games begin; see `Schedule`.
        spec: the game.
        seed: determines the openings and all random choices in the matches.
        workers: the number of processes that play; None means 1.
        ray: whether to play on a Ray cluster.
        progress: a function that is called with the record of each game.

    Raises:
        TypeError: `games` or `workers` is not an integer, or `ray` is not a bool.
        ValueError: the game is not for two players, or `workers` is less than 1.
        WrongGameError: a member does not play this game.
    """
    if spec.num_players != 2:
        raise ValueError(f"a league needs a game for two players; {spec} has {spec.num_players}")
    check_workers(workers)
    check_flag("ray", ray)
    by_name = {member.name: member for member in members}
    schedule = Schedule(tuple(by_name), games, openings, seed, spec)
    for member in members:
        member.player.check_game(spec.start(0))
    done = {
        (opening, (a.name, b.name))
        for a, b in permutations(members, 2)
        for opening in range(min(results.pairs(a.number, b.number), games))
    }
    todo = schedule.missing(done)
    players = {member.name: member.player for member in members}
    played = play_all(todo, players, {m.name: _sendable(m) for m in members}, seed, None, workers, ray=ray)
    records: dict[frozenset[str], list[GameRecord]] = defaultdict(list)
    try:
        with closing(played):
            for record in played:
                records[frozenset(record.agents)].append(record)
                if progress is not None:
                    progress(record)
    finally:
        for met in records.values():
            _count(met, by_name, results)
    warn_of_forfeits(by_name, [record for met in records.values() for record in met])


def _sendable(member: Member) -> str | Agent | Policy:
    """What is sent to another process: the member's spec if there is one, otherwise the member's agent."""
    source = member.source
    if isinstance(source, Stored) and source.data is None:
        return source.spec
    return source if isinstance(source, str) else member.player


def _count(records: Sequence[GameRecord], members: Mapping[str, Member], results: Results) -> None:
    """Add games of two members to the results, in the order of the openings.

    Stop at the first opening that was not played with both colours: `results` stores how many openings two members have
    played, but not which openings.
    """
    a, b = sorted({*records[0].agents}, key=lambda name: members[name].number)
    first, second = members[a].number, members[b].number
    by_opening: dict[int, list[GameRecord]] = defaultdict(list)
    for record in records:
        by_opening[record.opening].append(record)
    while len(pair := by_opening.get(results.pairs(first, second), [])) == 2:
        results.add_pair(first, second, MatchResult((a, b), tuple(pair)).score * 2)
