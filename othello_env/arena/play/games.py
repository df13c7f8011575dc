"""Play whole games between agents, one after the other or many at once."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from othello_env.agent import Agent, AgentError, AgentLeftError, Seat, WrongGameError
from othello_env.arena.play.batches import play_batch
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.pairings import Pairing
from othello_env.arena.play.records import GameRecord
from othello_env.games.game import State
from othello_env.games.hashing import OPPONENT, mix_int
from othello_env.games.othello.position import Othello
from othello_env.support.jit import raise_interrupt

__all__ = ["Watch", "failure", "play_game", "play_games", "seat_key"]

_AT_ONCE = 512
_PACKAGE = Path(__file__).parents[2]


class Watch(Protocol):
    """An object whose methods are called while a game is played. It lets another process notice an agent that hangs."""

    def prepares(self, player: int) -> None:
        """Called when the player's agent begins to prepare for the game."""

    def thinks(self, player: int, seconds: float | None) -> None:
        """Called when the player is asked for a move. `seconds` is the time limit; None means no limit."""

    def plays(self, action: int, seconds: float) -> None:
        """Called when an action is played. `seconds` is the time that the player thought.

        `seconds` is 0 for a forced pass, and 0 if there is no clock.
        """


def play_games(agents: Mapping[str, Agent], pairings: Sequence[Pairing]) -> Iterator[GameRecord]:
    """Play games and yield their records in the order of `pairings`.

    Othello games are played together if all their agents can answer many positions in one call. All other games are
    played one after the other. An agent that gives an illegal answer or raises an error forfeits the game.

    Args:
        agents: the agents by name. The pairings may use only some of these agents.
        pairings: the games.

    Raises:
        AgentLeftError: an agent, such as a person, has left the game.
        WrongGameError: an agent does not play this game, or does not play on a board of this size.
    """
    todo = iter(pairings)
    while part := list(islice(todo, _AT_ONCE)):
        together = [pairing for pairing in part if _in_batches(agents, pairing)]
        try:
            finals = dict(zip(map(id, together), _finals(agents, together), strict=True))
        except (AgentLeftError, WrongGameError):
            raise
        except (Exception, SystemExit) as error:
            raise_interrupt(error)
            # An agent failed in some game. Now all games of `part` are played one after the other, so that the agent
            # forfeits only the games in which it fails.
            finals = {}
        for pairing in part:
            final = finals.get(id(pairing))
            yield play_game(agents, pairing) if final is None else GameRecord.of(pairing, final)


def _in_batches(agents: Mapping[str, Agent], pairing: Pairing) -> bool:
    # A subclass of Othello may have rules of its own, but `play_batch` knows only the rules of Othello.
    return type(pairing.start) is Othello and all(agents[name].answers_batches for name in set(pairing.agents))


def _finals(agents: Mapping[str, Agent], pairings: Sequence[Pairing]) -> list[Othello]:
    """Play all these Othello games at once and return their last positions. All boards have the same size.

    Raises:
        AgentError: an answer is not legal, or an agent failed.
    """
    playing = {name for pairing in pairings for name in pairing.agents}
    names = [name for name in agents if name in playing]
    starts = [pairing.start for pairing in pairings if isinstance(pairing.start, Othello)]
    for name in names:
        agents[name].check_game(starts[0])
    seats = [[names.index(name) for name in pairing.agents] for pairing in pairings]
    keys = [[seat_key(pairing.key, player) for player in (0, 1)] for pairing in pairings]
    return play_batch([agents[name] for name in names], starts, seats, keys) if pairings else []


def play_game(
    agents: Mapping[str, Agent], pairing: Pairing, clock: TimeControl | None = None, watch: Watch | None = None
) -> GameRecord:
    """Play one game. If a player must pass, the pass is made without asking the player's agent.

    Args:
        agents: the agents by name. The pairing may use only some of these agents.
        pairing: the game.
        clock: the time of each side, or None. An agent that answers too late loses. The time to prepare
            for a game does not count.
        watch: an object whose methods are called while the game is prepared and played, or None.

    Raises:
        AgentLeftError: an agent, such as a person, has left the game.
        WrongGameError: an agent does not play this game, or does not play on a board of this size.
    """
    state, used = pairing.start, [0.0] * pairing.start.num_players
    seats: list[Seat] = []
    for player, name in enumerate(pairing.agents):
        if watch is not None:
            watch.prepares(player)
        try:
            agents[name].check_game(state)
            seats.append(Seat(agents[name], seat_key(pairing.key, player)))
        except (AgentLeftError, WrongGameError):
            raise
        except (Exception, SystemExit) as error:
            raise_interrupt(error)
            reason = f"the agent could not begin a game: {_described(error)}"
            return GameRecord.of(pairing, state, (player, reason), clock, used)
    while not state.is_over:
        if state.must_pass:
            action, seconds = state.legal_actions()[0], 0.0
        else:
            answer, seconds = _answer(seats[state.to_move], state, clock, used, watch)
            if isinstance(answer, str):
                return GameRecord.of(pairing, state, (state.to_move, answer), clock, used)
            action = answer
        if watch is not None:
            watch.plays(action, seconds)
        state = state.play(action)
    return GameRecord.of(pairing, state, None, clock, used)


def _answer(
    seat: Seat, state: State, clock: TimeControl | None, used: list[float], watch: Watch | None
) -> tuple[int | str, float]:
    """Ask the player to move.

    Returns:
        (answer, seconds). The answer is the player's action, or a text that says why the player forfeits. The seconds
        are the time that the player thought. These seconds are also added to `used`. Without a clock or after an
        error, the seconds are 0.
    """
    player = state.to_move
    left = clock.left(used[player]) if clock else None
    limit = left.seconds if left else None
    if watch is not None:
        watch.thinks(player, limit)
    began = time.perf_counter()
    try:
        action = seat.ask(state, left)
    except (AgentLeftError, WrongGameError):
        raise
    except (Exception, SystemExit) as error:
        raise_interrupt(error)
        return failure(seat.agent, state, error), 0.0
    if limit is None:
        return action, 0.0
    seconds = time.perf_counter() - began
    used[player] += seconds
    late = f"agent {seat.agent!r} lost on time ({clock}) in {state!r}"
    return late if seconds > limit else action, seconds


def seat_key(key: int, seat: int) -> int:
    """The key of one player's random choices in a game, computed from the key of the game."""
    return mix_int(mix_int(key, OPPONENT), seat)


def failure(agent: Agent, state: State, error: BaseException) -> str:
    """A message with the reason why an agent gave no legal answer, and with the position."""
    if not isinstance(error, AgentError):
        return f"agent {agent!r} failed in {state!r}: {_described(error)}"
    return str(error) if repr(state) in str(error) else f"agent {agent!r} failed in {state!r}: {error}"


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
    return f"{type(error).__name__}: {error}{place}"
