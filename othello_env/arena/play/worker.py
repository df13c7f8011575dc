"""A worker process plays the games that its owner sends. The worker ends when its owner ends.

The owner is the process that started the worker. Workers are spawned, not forked. Each worker has its own process
group, which also contains the processes that its agents start. All processes of a group are killed together.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from typing import Any

from othello_env.agent import Agent, Policy, Seat, act_on_clock, make_agent
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.games import play_game, play_games

if sys.platform == "linux":
    import fcntl

__all__ = ["serve"]

_WARM_UP_SECONDS = 1.0


def serve(
    connection: Connection, roster: Mapping[str, str | Agent | Policy], seed: int, clock: TimeControl | None
) -> None:
    """Play the games that arrive on a connection, until the owner has ended.

    Each message from the owner is (pairings, watched). When the games are over, the worker answers ("records",
    records). If something fails, it answers ("failed", reason). In watched games the worker also reports each call of a
    method of `Watch`, by a message such as ("thinks", player, seconds) or ("plays", action, seconds).

    Args:
        connection: the connection to the owner.
        roster: the agents by name.
        seed: the seed with which `othello_env.agent.make_agent` makes the agents.
        clock: the time of each side in watched games (see `othello_env.arena.play.processes.Job`).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_owner()
    _play_jobs(_Owner(connection), roster, seed, clock)


def _play_jobs(
    connection: _Owner, roster: Mapping[str, str | Agent | Policy], seed: int, clock: TimeControl | None
) -> None:
    try:
        # If an agent cannot be made here, for example because its file is missing, this is an error and not a forfeit.
        agents = _Agents({name: make_agent(agent, seed) for name, agent in roster.items()}, clock)
        while True:
            pairings, watched = connection.recv()
            agents.start = pairings[0].start
            if watched:
                records = [play_game(agents, pairing, clock, _Reporter(connection)) for pairing in pairings]
            else:
                records = list(play_games(agents, pairings))
            connection.send(("records", records))
    except Exception as error:
        with suppress(OSError):  # the owner may have ended
            reason = f"a worker process on {platform.node()} failed: {type(error).__name__}: {error}"
            connection.send(("failed", reason))


def _end_with_owner() -> None:
    """Make this process and the processes of its agents end as soon as the owner ends, for whatever reason."""
    owner = multiprocessing.parent_process()
    assert owner is not None
    if sys.platform != "win32":
        os.setpgid(0, 0)
    if sys.platform == "linux":
        # Linux itself kills the group when the owner ends. The thread below also does this, but it cannot run while an
        # agent holds the GIL.
        fcntl.fcntl(owner.sentinel, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(owner.sentinel, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(owner.sentinel, fcntl.F_SETFL, fcntl.fcntl(owner.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
    threading.Thread(target=_wait_for_end, args=(owner.sentinel,), daemon=True).start()


def _wait_for_end(owner: int) -> None:
    wait([owner])
    if sys.platform != "win32":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


class _Owner:
    """The connection to the owner. Several threads may send messages through it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self.recv = connection.recv

    def send(self, message: tuple[Any, ...]) -> None:
        with self._lock:
            self._connection.send(message)


class _Reporter:
    """The `Watch` that reports a game to the owner."""

    def __init__(self, connection: _Owner) -> None:
        self._connection = connection

    def prepares(self, player: int) -> None:
        self._connection.send(("prepares", player, None))

    def thinks(self, player: int, seconds: float | None) -> None:
        self._connection.send(("thinks", player, seconds))

    def plays(self, action: int, seconds: float) -> None:
        self._connection.send(("plays", action, seconds))


class _Agents(Mapping[str, Agent]):
    """The agents by name. With a clock, each agent is asked for an extra answer before its first game.

    An agent's first answer may take long, because the agent may compile or load something. The time that the agent
    takes for the extra answer is not subtracted from its clock.
    """

    def __init__(self, agents: Mapping[str, Agent], clock: TimeControl | None) -> None:
        self._agents = agents
        self._cold = set(agents if clock else ())
        self._clock = replace(clock, seconds=_WARM_UP_SECONDS).left(0.0) if clock else None
        self.start: Any = None

    def __len__(self) -> int:
        return len(self._agents)

    def __iter__(self) -> Iterator[str]:
        return iter(self._agents)

    def __getitem__(self, name: str) -> Agent:
        agent = self._agents[name]
        if name in self._cold:
            self._cold.remove(name)
            with suppress(Exception):  # if the error occurs again in the game, the agent forfeits
                act_on_clock(Seat(agent, 0).agent, self.start, self._clock)
        return agent
