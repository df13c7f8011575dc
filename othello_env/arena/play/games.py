"""Play whole games between agents, one after the other or many at once, in this process or elsewhere."""

from __future__ import annotations

import re
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import islice, tee
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from othello_env.agent import Agent, AgentError, AgentLeftError, GameAhead, Policy, Seat, WrongGameError
from othello_env.agent.answers import ask_batch
from othello_env.agent.clock import TimeControl
from othello_env.arena.play.records import GameRecord, Pairing
from othello_env.games.game import State
from othello_env.games.keys import seat_key
from othello_env.games.registry import GameSpec, has_cached_batch
from othello_env.support.jit import raise_interrupt

__all__ = [
    "FaultWarning",
    "Seats",
    "SeatsHere",
    "ahead",
    "attempt",
    "check_agents",
    "failure",
    "game_ahead",
    "play_all",
    "play_game",
    "play_games",
    "play_in_order",
    "play_on_seats",
    "warn_of_faults",
]

_R = TypeVar("_R")
_T = TypeVar("_T")
_AT_ONCE = 256
"""The greatest number of games that are played at once.

How many games are played at once does not depend on the speed of the agents. So a repeated match plays the same games
together. Even agents that use a global random generator then repeat their choices, if the generator has the same seed.
"""
_LONGEST = 2000
_PACKAGE = Path(__file__).parents[2]


def play_all(
    todo: Iterator[Pairing],
    agents: Mapping[str, Agent],
    roster: Mapping[str, str | Agent | Policy],
    seed: int,
    clock: TimeControl | None = None,
    workers: int | None = None,
    *,
    ray: bool = False,
) -> Generator[GameRecord, None, None]:
    """Play games in this process if one process is enough and there is no clock. Otherwise, use other processes.

    Games in this process use the agents in `agents`, and end in the order of `todo`. Games in other processes use the
    agents in `roster`; see `othello_env.arena.play.elsewhere.play_elsewhere`, which also explains `seed`, `clock`,
    `workers` and `ray`.

    Raises:
        AgentLeftError, WrongGameError: see `play_games`.
        TypeError, ValueError, WorkerError: see `play_elsewhere`.
    """
    if clock is None and not ray and workers in (None, 1):
        return play_games(agents, todo, at_once=2)
    from othello_env.arena.play.elsewhere import play_elsewhere  # not above: it imports this module

    return play_elsewhere(todo, roster, seed, clock, workers, ray=ray)


def play_in_order(
    todo: Iterable[Pairing],
    agents: Mapping[str, Agent],
    roster: Mapping[str, str | Agent | Policy],
    seed: int,
    workers: int | None = None,
    *,
    ray: bool = False,
) -> Generator[GameRecord, None, None]:
    """Play games as `play_all` does, and yield their records in the order of `todo`."""
    order, ready = deque[int](), dict[int, GameRecord]()

    def noted() -> Iterator[Pairing]:
        for pairing in todo:
            order.append(pairing.key)
            yield pairing

    with closing(play_all(noted(), agents, roster, seed, None, workers, ray=ray)) as played:
        for record in played:
            ready[record.key] = record
            while order and order[0] in ready:
                yield ready.pop(order.popleft())


def play_games(
    agents: Mapping[str, Agent], pairings: Iterable[Pairing], *, at_once: int = _AT_ONCE
) -> Generator[GameRecord, None, None]:
    """Play games of one kind and yield their records in the order of `pairings`.

    Games of the package are played together if all their agents can answer many positions in one call. All other games
    are played one after the other. An agent that gives an illegal answer or raises an error forfeits the game.

    Args:
        agents: the agents by name. The pairings may use only some of these agents.
        pairings: the games.
        at_once: how many games are played together at first. The number doubles up to 256. With few games at first,
            the first record comes soon.

    Raises:
        AgentLeftError: an agent, such as a person, has left the game.
        WrongGameError: an agent does not play this game, or does not play on a board of this size.
    """
    todo = iter(pairings)
    later: Iterator[Pairing] = iter(())
    if any(hasattr(agent, "ahead") for agent in agents.values()):
        todo, later = tee(todo)
    games_ahead = (game_ahead(agents, pairing) for pairing in later)
    with ahead(agents.values(), (game for game in games_ahead if game is not None)):
        while part := list(islice(todo, at_once)):
            at_once = min(2 * at_once, _AT_ONCE)
            together = [pairing for pairing in part if _in_batches(agents, pairing)]
            # If an agent fails in some game, all games of `part` are played one after the other, so that the agent
            # forfeits only the games in which it fails.
            finals = attempt(partial(_finals, agents, together), lambda _: {})
            for pairing in part:
                final = finals.get(pairing.key)  # after an illegal answer None: playing the game again finds the reason
                yield play_game(agents, pairing) if final is None else GameRecord.from_state(pairing, final)


@contextmanager
def ahead(agents: Iterable[Agent], games: Iterator[GameAhead | None]) -> Iterator[None]:
    """Let an agent be asked ahead, if it has the method; see `othello_env.agent.OptionalMethods.ahead`."""
    with ExitStack() as stack:
        for method in (getattr(agent, "ahead", None) for agent in agents):
            if method is not None:
                stack.enter_context(method(games))
        yield


def game_ahead(agents: Mapping[str, Agent], pairing: Pairing) -> GameAhead | None:
    """The game for the agent with the method `ahead`; None if both have it, or the games follow each other."""
    seats = {
        player: Seat(agents[name], seat_key(pairing.key, player))
        for player, name in enumerate(pairing.agents)
        if not hasattr(agents[name], "ahead")
    }
    return (
        _game_ahead(pairing, seats) if len(seats) == len(pairing.agents) - 1 and _in_batches(agents, pairing) else None
    )


def _game_ahead(pairing: Pairing, seats: Mapping[int, Seat]) -> GameAhead:
    state: State | None = pairing.start
    while state is not None and not state.is_over:
        if state.must_pass:
            state = state.play(state.legal_actions()[0])
        elif state.to_move in seats:  # if the opponent fails, the game shows it when it is played
            state = attempt(partial(seats[state.to_move].play, state), lambda _: None)
        else:
            state = state.play((yield state, seat_key(pairing.key, state.to_move)))
    return state


def _in_batches(agents: Mapping[str, Agent], pairing: Pairing) -> bool:
    start = pairing.start
    return has_cached_batch(start) and all(agents[name].answers_batches(start) for name in set(pairing.agents))


def _finals(agents: Mapping[str, Agent], pairings: Sequence[Pairing]) -> dict[int, State | None]:
    """Play N games at once. Return their last positions by their keys, or None where an answer was illegal.

    If a player must pass, the pass is made without asking the agent. After an illegal answer, a game is not continued.

    Raises:
        AgentError: an agent failed, or its answer has a wrong shape or dtype.
        ValueError: the arrays of the batch cannot store a position.
    """
    if not pairings:
        return {}
    spec = GameSpec.from_state(pairings[0].start)
    assert spec is not None
    playing = {name for pairing in pairings for name in pairing.agents}
    names = [name for name in agents if name in playing]
    for name in names:
        agents[name].check_game(pairings[0].start)
    seats = np.array([[names.index(name) for name in pairing.agents] for pairing in pairings])
    players = range(spec.num_players)
    keys = np.array([[seat_key(pairing.key, player) for player in players] for pairing in pairings], np.uint64)
    batch = spec.batch(len(pairings))
    batch.begin_at([pairing.start for pairing in pairings])
    failed = np.zeros(len(pairings), np.bool_)
    while (waiting := batch.waiting()) is not None:
        indices, positions = waiting.indices, waiting.positions
        place = seats[indices, positions.to_move]
        positions.key = keys[indices, positions.to_move]
        actions = np.zeros(len(indices), np.int64)
        for number, name in enumerate(names):
            if (mine := np.flatnonzero(place == number)).size:
                actions[mine] = ask_batch(agents[name], positions.part(mine))
        legal = batch.are_legal(indices, actions)
        failed[indices[~legal]] = batch.arrays.over[indices[~legal]] = True
        batch.play_at(indices[legal], actions[legal])
    return {pairing.key: None if failed[i] else batch.state(i) for i, pairing in enumerate(pairings)}


def play_game(agents: Mapping[str, Agent], pairing: Pairing, clock: TimeControl | None = None) -> GameRecord:
    """Play one game. If a player must pass, the pass is made without asking the player's agent.

    Args:
        agents: the agents by name. The pairing may use only some of these agents.
        pairing: the game.
        clock: the time of each side, or None. An agent that answers too late loses. The time to prepare
            for a game does not count.

    Raises:
        AgentLeftError: an agent, such as a person, has left the game.
        WrongGameError: an agent does not play this game, or does not play on a board of this size.
    """
    return play_on_seats(SeatsHere(agents, pairing, clock), pairing, clock)


class Seats(Protocol):
    """The agents of one game, in this process or in another process."""

    def begin(self, player: int) -> str | None:
        """Let a player's agent prepare for the game. Return the reason if the player forfeits the game."""

    def answer(self, state: State, used: float) -> tuple[int | str, float]:
        """Ask the player to move, who has used this number of seconds so far.

        Returns:
            (answer, seconds). The answer is the player's action, or a text that says why the player forfeits. The
            seconds are the time that the player thought; 0 without a clock or after an error.
        """
        ...


def play_on_seats(seats: Seats, pairing: Pairing, clock: TimeControl | None) -> GameRecord:
    """Play one game; see `play_game`."""
    state, used = pairing.start, [0.0] * pairing.start.num_players
    for player in range(state.num_players):
        if (reason := seats.begin(player)) is not None:
            return GameRecord.from_state(pairing, state, (player, reason), clock, used)
    while not state.is_over:
        if state.must_pass:
            state = state.play(state.legal_actions()[0])
            continue
        player = state.to_move
        answer, seconds = seats.answer(state, used[player])
        used[player] += seconds
        if isinstance(answer, str):
            return GameRecord.from_state(pairing, state, (player, answer), clock, used)
        state = state.play(answer)
    return GameRecord.from_state(pairing, state, None, clock, used)


class SeatsHere:
    """The `Seats` of a game whose agents think in this process.

    Args:
        agents: the agents by name.
        pairing: the game.
        clock: the time of each side, or None.
    """

    def __init__(self, agents: Mapping[str, Agent], pairing: Pairing, clock: TimeControl | None = None) -> None:
        self._agents, self._pairing, self._clock = agents, pairing, clock
        self._seats: list[Seat] = []

    def begin(self, player: int) -> str | None:
        agent = self._agents[self._pairing.agents[player]]

        def sit_down() -> None:
            agent.check_game(self._pairing.start)
            self._seats.append(Seat(agent, seat_key(self._pairing.key, player)))

        return attempt(sit_down, lambda error: f"the agent could not begin a game: {_described(error)}")

    def answer(self, state: State, used: float) -> tuple[int | str, float]:
        seat = self._seats[state.to_move]
        left = self._clock.left(used) if self._clock else None
        began = time.perf_counter()
        action = attempt(lambda: seat.ask(state, left), lambda error: failure(seat.agent, state, error))
        if isinstance(action, str) or left is None or left.seconds is None:
            return action, 0.0
        seconds = time.perf_counter() - began
        if seconds > left.seconds:
            return f"agent {_shown(repr, seat.agent)} lost on time ({self._clock}) in {state!r}", seconds
        return action, seconds


def attempt(ask: Callable[[], _T], fail: Callable[[BaseException], _R]) -> _T | _R:
    """What a call of an agent's code returns. If it raises an error, what `fail` makes of this error.

    Raises:
        AgentLeftError, WrongGameError: the agent raised it.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    try:
        return ask()
    except (AgentLeftError, WrongGameError):
        raise
    except (Exception, SystemExit) as error:
        raise_interrupt(error)
        return fail(error)


class FaultWarning(UserWarning):
    """An agent failed or answered with an illegal action. So the agent's results say little about its strength."""


def warn_of_faults(agent: str, what: str, faults: Sequence[str], total: int) -> None:
    """Give a `FaultWarning` if there are faults.

    Args:
        agent: the agent's name.
        what: what the agent was asked for, ``"games"`` or ``"answers"``.
        faults: the reason for each failure. The warning quotes the first reason.
        total: the number of games or answers that the agent was asked for.
    """
    if faults:
        told = f"{agent} failed in {len(faults)} of {total} {what}; the first: {faults[0].strip()}"
        warnings.warn(told, FaultWarning, stacklevel=4)  # the caller of a function such as `play_match`


def check_agents(agents: Mapping[str, Agent], start: State) -> None:
    """Check that all agents play the game that begins so. Agents that fail in another way will forfeit their games.

    Raises:
        AgentLeftError: an agent, such as a person, has left the game.
        WrongGameError: an agent does not play this game, or does not play on a board of this size.
    """
    for agent in agents.values():
        attempt(partial(agent.check_game, start), lambda _: None)


def failure(agent: Agent, state: State, error: BaseException) -> str:
    """A message with the reason why an agent gave no legal answer, and with the position.

    The texts of the agent and of the error are cleaned and cut off, because an agent may put anything into them.
    """
    said = _shown(str, error) if isinstance(error, AgentError) else _described(error)
    if isinstance(error, AgentError) and repr(state) in said:
        return said
    if re.search(r"\b(shapes?|size|dimension)\b", said):  # perhaps the agent is for boards of another size
        said += f"; this board has {state.num_actions} actions"
    return f"agent {_shown(repr, agent)} failed in {state!r}: {said}"


def _shown(as_text: Callable[[Any], str], value: Any) -> str:
    """The text of an agent or of its error, without control characters and with at most `_LONGEST` characters."""
    try:
        text = as_text(value)
    except Exception as error:  # the agent's author wrote the method that makes the text
        return f"<{type(value).__name__} whose text raised {type(error).__name__}>"
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return "".join(character if character.isprintable() or character in "\n\t" else "?" for character in cut)


def _described(error: BaseException) -> str:
    """An error as text, with the file and the line where it happened.

    The file is the first file in the traceback that is outside this package, usually the file of the agent. If the
    traceback has several entries for this file, the line is from the last of these entries.
    """
    files = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in files if not Path(frame.filename).is_relative_to(_PACKAGE)]
    place = ""
    if theirs:
        line = [frame.lineno for frame in theirs if frame.filename == theirs[0].filename][-1]
        place = f" ({Path(theirs[0].filename).name}, line {line})"
    said = _shown(str, error)
    return f"{type(error).__name__}{f': {said}' if said.strip() else ''}{place}"
