"""Let agents play a match, and return its games as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from othello_env.agent import Agent, Policy, make_agent
from othello_env.arena.match import match_names
from othello_env.arena.play.games import check_agents, play_in_order
from othello_env.arena.play.records import Pairing
from othello_env.arena.tournament.playing import warn_of_forfeits
from othello_env.arena.tournament.schedule import Schedule
from othello_env.data.formats.records import games_of_records
from othello_env.data.games import Games
from othello_env.games.game import State
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import check_flag, check_whole, check_workers, named_arguments

__all__ = ["match_games"]


@named_arguments
def match_games(
    a: str | Agent | Policy,
    b: str | Agent | Policy | None = None,
    count: int = 200,
    *,
    openings: str | Sequence[str | State] | None = "random:10",
    seed: int = 0,
    first: int = 0,
    game: GameLike = "othello",
    workers: int | None = None,
    ray: bool = False,
) -> Games:
    """Play a match, and return its games.

    Each opening is played twice. For the second game, the agents swap colours.

    The games of a match are numbered from 0. This function plays only the games with the numbers `first` to `first` +
    `count` - 1. With the same agents, openings and seed, `othello_env.play_match` plays the same games. If all games
    must be different, use agents that make random choices. For example, the agent ``"ntuple:epsilon=0.1"`` plays a
    random move with probability 0.1. The columns of the returned games are described at
    `othello_env.data.formats.records.games_of_records`. A function has its own name there, such as ``my_policy``. If an
    agent forfeited games, you get a `FaultWarning`.

    Args:
        a: an agent, or a spec (a text such as ``"alphabeta:depth=2"`` that names an agent).
        b: the other agent, or its spec. If it is None, `a` plays against itself.
        count: the number of games. It must be even, because each opening is played twice.
        openings: where games begin; see `othello_env.arena.tournament.schedule.Schedule`.
        seed: an integer that determines all random choices.
        first: the number of the first game, counted from 0. It must be even.
        game: the game, such as ``"othello:size=6"``, a GameSpec or a State to begin from. It must have two players.
        workers: the number of processes, by default 1. On a Ray cluster it is the number of jobs at a time, by default
            one for each core. The games do not depend on this number.
        ray: whether to play on a Ray cluster. This needs the extra `ray`.

    Raises:
        TypeError: a number is not an integer, or `ray` is not a bool.
        ValueError: a number is odd or negative, the game is for three players, an opening is wrong, or `workers` is
            less than 1.
        WrongGameError: an agent does not play this game.
    """
    check_workers(workers)
    check_flag("ray", ray)
    count, first = check_whole("count", count, 0), check_whole("first", first, 0)
    kind = GameSpec.parse(game)
    for name, value in (("count", count), ("first", first)):
        if value % 2:
            raise ValueError(f"{name} must be an even number of at least 0 (each opening has two games), not {value}")
    if kind.num_players != 2:
        raise ValueError(f"a match is of two players; {kind} has {kind.num_players}")
    names = match_names(a, a if b is None else b)
    schedule = Schedule(names, max(2, first + count), openings, seed, kind)
    roster = dict(zip(names, (a, a if b is None else b), strict=True))

    def pairings() -> Iterator[Pairing]:
        for number in range(first // 2, (first + count) // 2):
            yield from (schedule.pairing(number, seats) for seats in (names, names[::-1]))

    if not count:
        return Games(np.zeros((0, 0), np.int8), np.zeros(0, np.int32), kind)
    agents = {name: make_agent(agent, schedule.seed) for name, agent in roster.items()}
    check_agents(agents, schedule.spec.start(0))
    records = list(play_in_order(pairings(), agents, roster, schedule.seed, workers, ray=ray))
    warn_of_forfeits(names, records)
    own = _own_names(a, b)
    records = [replace(record, agents=tuple(own[name] for name in record.agents)) for record in records]
    return games_of_records(records)


def _own_names(a: str | Agent | Policy, b: str | Agent | Policy | None) -> dict[str, str]:
    """The names in the columns, by the names in the match: a callable or an Agent has its own name in place of `first`.

    Two agents with the same name stay `first` and `second`.
    """
    given = (a, a if b is None else b)
    names = match_names(*given)
    own = [str(agent) if isinstance(agent, str | Path) else repr(make_agent(agent)) for agent in given]
    return dict(zip(names, names if own[0] == own[1] else own, strict=True))
