"""Play a match: a tournament of two agents. The result counts the wins, draws and losses of the first agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from othello_env.agent import Agent, Policy, file_hashes, make_agent
from othello_env.arena.play.games import check_agents, play_in_order, warn_of_faults
from othello_env.arena.play.records import GameRecord, forfeits
from othello_env.arena.sprt import Sprt
from othello_env.arena.tournament.results import MatchResult
from othello_env.arena.tournament.schedule import Schedule, check_games
from othello_env.games.game import State
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import check_type, check_workers, named_arguments

__all__ = ["MatchResult", "match_names", "play_match"]


@named_arguments
def play_match(
    a: str | Agent | Policy,
    b: str | Agent | Policy,
    *,
    games: int = 200,
    openings: str | Sequence[str | State] | None = "random:10",
    seed: int = 0,
    game: GameLike = "othello",
    sprt: Sprt | None = None,
    workers: int | None = None,
    progress: Callable[[GameRecord], None] | None = None,
) -> MatchResult:
    """Play a match in colour-swapped pairs of games, and return the result of the first agent.

    A tournament of the two agents plays the same games as this match if the match and the tournament have the same
    game, seed, openings and names of the agents. The names must be the same because the random choices depend on them;
    see `match_names`.

    An agent that gives an illegal answer or raises an error forfeits the game. At the end, a `FaultWarning` reports the
    forfeited games.

    Args:
        a: the first agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        b: the second agent, also an Agent, a spec or a callable.
        games: the number of games, even.
        openings: the openings of the games, such as ``"random:10"`` for ten random plies; see
            `othello_env.arena.tournament.schedule.Schedule`.
        seed: the same seed gives the same match.
        game: the game, such as ``"othello:size=6"``, a `GameSpec`, or a State in which all games begin. A class of
            States is registered first; see `othello_env.register_game`.
        sprt: a sequential test (see `othello_env.arena.sprt`), or None. The test is made after each pair of games. The
            match ends when the test is decided, or after `games` games. Until then, the games are the same as without
            a test. After the match, ``sprt.judge(result.pairs)`` is the result of the test.
        workers: the number of processes that play, by default 1. With 1, the games are played in this process. The
            result does not depend on this number.
        progress: called with the record of each finished game, in the order of the schedule.

    Raises:
        AgentLeftError: an agent, such as a person, has left the game.
        TypeError: `games`, `seed` or `workers` is not an integer, or an agent cannot be sent to a worker process.
        ValueError: `games` is odd or not positive, `seed` is negative, the game is unknown or not for two players, an
            opening is wrong, or `workers` is less than 1.
        WrongGameError: an agent does not play this game, or does not play on a board of this size.
        othello_env.support.workers.WorkerError: a worker process fails.
    """
    check_workers(workers)
    if sprt is not None:
        check_type("sprt", sprt, Sprt)
    names = match_names(a, b)
    spec = GameSpec.parse(game)
    if spec.num_players != 2:
        raise ValueError(f"a match is of two players; {spec} has {spec.num_players}")
    schedule = Schedule(names, check_games(games), openings, seed, spec)
    agents = {name: make_agent(agent, schedule.seed) for name, agent in zip(names, (a, b), strict=True)}
    check_agents(agents, schedule.spec.start(0))
    played = play_in_order(schedule, agents, dict(zip(names, (a, b), strict=True)), schedule.seed, workers)
    files = {name: file_hashes(agent) for name, agent in agents.items()}
    with closing(played):
        records = (record.with_files(files) for record in played)
        result = MatchResult(names, tuple(_until_decided(records, names, sprt, progress)))
    for name, agent in agents.items():
        warn_of_faults(repr(agent), "games", forfeits(name, result.records), len(result.records))
    return result


def _until_decided(
    played: Iterable[GameRecord],
    names: tuple[str, str],
    sprt: Sprt | None,
    progress: Callable[[GameRecord], None] | None,
) -> Iterator[GameRecord]:
    """Yield the records of a match up to the game that decides the test. Without a test, yield all records."""
    pair, pairs = [], [0] * 5
    for record in played:
        if progress is not None:
            progress(record)
        yield record
        if sprt is None:
            continue
        pair.append(record)
        if len(pair) == 2:
            newest = MatchResult(names, tuple(pair)).pairs
            pair, pairs = [], [before + more for before, more in zip(pairs, newest, strict=True)]
            if sprt.judge(pairs).accepted is not None:
                return  # later games of the match may have been played already; they do not count


def match_names(a: str | Agent | Policy, b: str | Agent | Policy) -> tuple[str, str]:
    """The names of two agents in their match. The random choices in the games depend on these names.

    An agent that is given as a spec, such as ``"random"``, has the spec as its name. An agent that is given as an Agent
    or a callable is named ``first`` or ``second``. Two agents with the same spec are also named ``first`` and
    ``second``.

    >>> match_names("random", "maximizer"), match_names("random", "random")
    (('random', 'maximizer'), ('first', 'second'))
    """
    first, second = (str(agent) if isinstance(agent, str | Path) else None for agent in (a, b))
    return ("first", "second") if first == second else (first or "first", second or "second")
