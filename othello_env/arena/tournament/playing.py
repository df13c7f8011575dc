"""Play a tournament, or continue a tournament that was stopped. The games can be stored as records in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from othello_env.agent import Agent, Policy, file_hashes, make_agent
from othello_env.agent.clock import TimeControl
from othello_env.arena.play.games import check_agents, play_all, warn_of_faults
from othello_env.arena.play.records import GameRecord, forfeits
from othello_env.arena.tournament.records import check_records, open_records
from othello_env.arena.tournament.results import Tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.support.numbers import check_flag, check_type, check_workers

__all__ = ["play_tournament", "warn_of_forfeits"]


def play_tournament(
    agents: Mapping[str, str | Agent | Policy],
    schedule: Schedule,
    *,
    file: str | Path | None = None,
    clock: TimeControl | None = None,
    workers: int | None = None,
    ray: bool = False,
    progress: Callable[[GameRecord], None] | None = None,
) -> Tournament:
    """Play a tournament. If some games are already in a file, play only the other games.

    As soon as a game ends, its record is added to the file and passed to `progress`. Some games are played together:
    the games of agents that answer batches, and the games of one job of a worker process without a clock. These games
    are added when all of them have ended. The results include the games that were already in the file. An agent that
    answers with an illegal action, raises an error or exceeds its time forfeits the game. At the end, a `FaultWarning`
    reports the forfeited games.

    Args:
        agents: the agents by name. Each is an Agent, a spec (a text such as ``"random"``) or a callable
            (`othello_env.agent.Policy`).
        schedule: the games to play. The agents of the schedule must be the names in `agents`, in the same order.
        file: the file of records; None for no file.
        clock: the time of each side, or None. With a clock, worker processes play the games, and an agent that exceeds
            its time is stopped.
        workers: the number of processes that play, by default 1. If it is 1, this process plays the games, except with
            a clock or on a Ray cluster.
        ray: whether to play on a Ray cluster; see `othello_env.support.cluster`. If `workers` is None, all cores
            of the cluster are used. The results are the same as without Ray.
        progress: called with the record of each game, first with the records that are already in the file.

    Raises:
        ValueError: an agent or the schedule is wrong.
        RecordError: a game in the file does not belong to this tournament. The message names the line, and nothing is
            written. A RecordError is also a ValueError.
        OSError: the file cannot be written, or another process writes to it.
        AgentLeftError: an agent, such as a person, has left the game.
        MissingExtraError: Ray is not installed.
        TypeError: `workers` is not an integer, `ray` is not a bool, or an agent cannot be sent to a worker.
        WrongGameError: an agent does not play this game, or does not play on a board of this size. All agents
            are checked before any game is played.
        othello_env.support.workers.WorkerError: a worker process fails.
    """
    check_workers(workers)
    check_flag("ray", ray)
    if clock is not None:
        check_type("clock", clock, TimeControl)
    if tuple(check_type("agents", agents, Mapping)) != check_type("schedule", schedule, Schedule).agents:
        raise ValueError(f"the agents are {', '.join(agents)}, but the schedule has {', '.join(schedule.agents)}")
    made = {name: make_agent(agent, schedule.seed) for name, agent in agents.items()}  # raises if an agent is wrong
    check_agents(made, schedule.spec.start(0))
    with ExitStack() as stack:
        out = None if file is None else stack.enter_context(open_records(file))
        records = [] if out is None else list(out.records)
        files = {name: file_hashes(agent) for name, agent in made.items()}
        check_records(schedule, clock, records, file, files)
        if out is not None:
            out.cut_torn_line()
        if progress is not None:
            for record in records:
                progress(record)
        todo = schedule.missing({(record.opening, record.agents) for record in records})
        played = play_all(todo, made, agents, schedule.seed, clock, workers, ray=ray)
        for record in stack.enter_context(closing(played)):
            records.append(record.with_files(files))
            if out is not None:
                out.append(records[-1])
            if progress is not None:
                progress(records[-1])
    result = Tournament.from_records(schedule.agents, records)
    warn_of_forfeits(result.agents, result.records)
    return result


def warn_of_forfeits(agents: Iterable[str], records: Sequence[GameRecord]) -> None:
    """Give a `FaultWarning` for each agent that forfeited games."""
    for name in agents:
        warn_of_faults(name, "games", forfeits(name, records), sum(name in record.agents for record in records))
