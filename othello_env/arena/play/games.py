"""Play whole games between agents, one after the other or many at once.

Letters for shapes: N = games, T = plies of the longest game.
"""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, AgentError, AgentLeftError, Seat, WrongGameError
from othello_env.agent.answers import check_answers
from othello_env.arena.play.clocks import TimeControl
from othello_env.arena.play.records import GameRecord, Pairing
from othello_env.games.game import State
from othello_env.games.hashing import OPPONENT, mix_int
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloPositions
from othello_env.support.jit import raise_interrupt

__all__ = ["Seats", "SeatsHere", "failure", "play_batch", "play_game", "play_games", "play_on_seats", "seat_key"]

_AT_ONCE = 512
_LONGEST = 2000
_PACKAGE = Path(__file__).parents[2]


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
            final = finals.get(id(pairing))  # after an illegal answer None: playing the game again finds the reason
            yield play_game(agents, pairing) if final is None else GameRecord.of(pairing, final)


def _in_batches(agents: Mapping[str, Agent], pairing: Pairing) -> bool:
    # A subclass of Othello may have rules of its own, but `play_batch` knows only the rules of Othello.
    return type(pairing.start) is Othello and all(agents[name].answers_batches for name in set(pairing.agents))


def _finals(agents: Mapping[str, Agent], pairings: Sequence[Pairing]) -> list[Othello | None]:
    """Play all these Othello games at once; see `play_batch`. All boards have the same size.

    Raises:
        AgentError: an agent failed, or its answer has a wrong shape.
    """
    playing = {name for pairing in pairings for name in pairing.agents}
    names = [name for name in agents if name in playing]
    starts = [pairing.start for pairing in pairings if isinstance(pairing.start, Othello)]
    for name in names:
        agents[name].check_game(starts[0])
    seats = [[names.index(name) for name in pairing.agents] for pairing in pairings]
    keys = [[seat_key(pairing.key, player) for player in (0, 1)] for pairing in pairings]
    return play_batch([agents[name] for name in names], starts, seats, keys) if pairings else []


def play_batch(
    agents: Sequence[Agent], starts: Sequence[Othello], seats: npt.ArrayLike, keys: npt.ArrayLike
) -> list[Othello | None]:
    """Play N games of Othello on one board size. Return their last positions, or None where an answer was illegal.

    If a side must pass, the pass is made without asking the agent. After an illegal answer, a game is not continued.

    Args:
        agents: the agents that play.
        starts: the N positions in which the games begin.
        seats: (N, 2) integers. For each game and side, this is the index in `agents` of the agent that plays the side.
        keys: (N, 2) uint64. For each game and side, this number determines the agent's random choices.

    Raises:
        AgentError: an answer has a wrong shape or dtype.
    """
    boards = OthelloPositions.from_states(starts)
    size, board, discs = boards.size, bitboard.BOARDS[boards.size], _discs(boards.size)
    own, opponent, to_move = boards.own.copy(), boards.opponent.copy(), boards.to_move.astype(np.int64)
    games, seats, keys = np.arange(len(starts)), np.asarray(seats), np.asarray(keys, np.uint64)
    history: list[npt.NDArray[np.int64]] = []
    nobody = np.zeros_like(own)
    failed = np.zeros(len(starts), np.bool_)
    legal = bitboard.legal_moves_batch(own, opponent, board)
    reply = bitboard.legal_moves_batch(opponent, own, board)
    while (live := (legal | reply) != 0).any():
        actions = np.where(live, size * size, -1)
        choosing = live & (legal != 0)
        for place, agent in enumerate(agents):
            mine = games[choosing & (seats[games, to_move] == place)]
            if mine.size:
                movers = to_move[mine]
                sides = own[mine], opponent[mine], movers.astype(np.int8), keys[mine, movers]
                positions = OthelloPositions(*sides, size, legal[mine])
                actions[mine] = check_answers(agent, agent.act_batch(positions), len(mine))
                failed[mine] = (discs[actions[mine].clip(0, size * size)] & legal[mine] == 0) | (actions[mine] < 0)
        legal[failed], reply[failed], actions[failed] = 0, 0, -1
        live, choosing = live & ~failed, choosing & ~failed
        history.append(actions)
        disc = np.where(choosing, discs[actions], nobody)
        moved = (own[live], opponent[live])
        legal[live], reply[live] = bitboard.advance_batch(*moved, disc[live], board)
        own[live], opponent[live] = moved
        to_move[live] ^= 1
    finals = _last_positions(starts, own, opponent, to_move, history)
    return [None if wrong else final for wrong, final in zip(failed.tolist(), finals, strict=True)]


def _last_positions(
    starts: Sequence[Othello],
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    to_move: npt.NDArray[np.int64],
    history: list[npt.NDArray[np.int64]],
) -> list[Othello]:
    """The last positions of the games, with the moves that led to them.

    `history` has T arrays (N,) of actions. After the end of a game, its actions are -1.
    """
    moves = np.array(history).reshape(len(history), len(starts)).T.tolist()
    finals = []
    for i, start in enumerate(starts):
        state = Othello.from_bits(int(own[i]), int(opponent[i]), int(to_move[i]), start.size)
        finals.append(state.with_moves((*start.moves, *(action for action in moves[i] if action >= 0))))
    return finals


def _discs(size: int) -> npt.NDArray[np.uint64]:
    """For each action, the bit of the square where a disc is put; for a pass, 0."""
    return np.array(bitboard.ACTION_BITS[size], np.uint64)


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
            return GameRecord.of(pairing, state, (player, reason), clock, used)
    while not state.is_over:
        if state.must_pass:
            state = state.play(state.legal_actions()[0])
            continue
        player = state.to_move
        answer, seconds = seats.answer(state, used[player])
        used[player] += seconds
        if isinstance(answer, str):
            return GameRecord.of(pairing, state, (player, answer), clock, used)
        state = state.play(answer)
    return GameRecord.of(pairing, state, None, clock, used)


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
        try:
            agent = self._agents[self._pairing.agents[player]]
            agent.check_game(self._pairing.start)
            self._seats.append(Seat(agent, seat_key(self._pairing.key, player)))
        except (AgentLeftError, WrongGameError):
            raise
        except (Exception, SystemExit) as error:
            raise_interrupt(error)
            return f"the agent could not begin a game: {_described(error)}"
        return None

    def answer(self, state: State, used: float) -> tuple[int | str, float]:
        seat = self._seats[state.to_move]
        left = self._clock.left(used) if self._clock else None
        began = time.perf_counter()
        try:
            action = seat.ask(state, left)
        except (AgentLeftError, WrongGameError):
            raise
        except (Exception, SystemExit) as error:
            raise_interrupt(error)
            return failure(seat.agent, state, error), 0.0
        if left is None or left.seconds is None:
            return action, 0.0
        seconds = time.perf_counter() - began
        if seconds > left.seconds:
            return f"agent {_shown(repr, seat.agent)} lost on time ({self._clock}) in {state!r}", seconds
        return action, seconds


def seat_key(key: int, seat: int) -> int:
    """The key of one player's random choices in a game, computed from the key of the game."""
    return mix_int(mix_int(key, OPPONENT), seat)


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
    return "".join(each if each.isprintable() or each in "\n\t" else "?" for each in cut)


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
    return f"{type(error).__name__}: {_shown(str, error)}{place}"
