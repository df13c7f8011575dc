"""Whole games between agents, one after the other or many at once.

Letters for shapes: N = games, T = plies of the longest game.
"""

from __future__ import annotations

import operator
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, AgentError, AgentLeftError, Seat, WrongGameError
from othello_env.arena.play.clocks import TimeControl
from othello_env.games.game import State
from othello_env.games.hashing import OPPONENT, mix_int
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello, OthelloBatch
from othello_env.support.jit import raise_interrupt

__all__ = ["Pairing", "Record", "Watch", "check_games", "failure", "lost", "play_game", "play_games", "seat_key"]

_AT_ONCE = 512
_PACKAGE = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game to play.

    Attributes:
        start: where it begins.
        seats: for each player, the index of the agent that plays it.
        key: 64 bits that determine all that is random in the game.
    """

    start: State
    seats: tuple[int, ...]
    key: int


@dataclass(frozen=True, slots=True)
class Record:
    """A game that was played.

    Attributes:
        pairing: what was played.
        final: the last position; its `moves` are the game, the opening's included.
        returns: the result for each player, +1 a win; after a fault, -1 for its player.
        margins: by how much each player won, in the unit of the game's scores; after a fault, the largest margin.
        fault: why the game was lost on the spot (an illegal answer, an error, the time), or None.
        faulty: the player that lost it so, or None.
        seconds: how long each player thought, where there was a clock.
    """

    pairing: Pairing
    final: State
    returns: tuple[float, ...]
    margins: tuple[float, ...]
    fault: str | None = None
    faulty: int | None = None
    seconds: tuple[float, ...] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        scores = " - ".join(map(str, self.final.scores()))
        fault = f", forfeited by player {self.faulty}" if self.fault else ""
        return f"<Record of {type(self.final).__name__}, agents {self.pairing.seats}: {scores}{fault}>"


class Watch(Protocol):
    """Who is told of a game while it is played, to stop an agent that hangs."""

    def prepares(self, player: int) -> None:
        """The player's agent prepares for the game."""

    def thinks(self, player: int, seconds: float | None) -> None:
        """The player is asked for a move and has this long."""

    def plays(self, action: int, seconds: float) -> None:
        """The action is played; its player thought for so long (0 for a forced pass)."""


def check_games(games: Any, players: int = 2) -> int:
    """A number of games as an int, if each opening can be played in every rotation of its players' seats.

    Raises:
        TypeError: it is no integer, or a bool.
        ValueError: it is no positive multiple of the number of players.
    """
    what = "an even number of at least 2" if players == 2 else f"a positive multiple of {players}"
    what = f"games is {what} (each opening is played in every rotation of the seats), not {games!r}"
    try:
        number = None if isinstance(games, bool) else operator.index(games)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{what} of type {type(games).__name__}")
    if number < players or number % players:
        raise ValueError(what)
    return number


def play_games(agents: Sequence[Agent], pairings: Sequence[Pairing]) -> Iterator[Record]:
    """Play games and yield their records in order, many Othello games at once where both agents answer batches.

    An answer that is not legal loses the game, and so does an error in an agent.

    Raises:
        AgentLeftError: an agent has left.
        WrongGameError: an agent does not play this game, or not this size of it.
    """
    todo = iter(pairings)
    while part := list(islice(todo, _AT_ONCE)):
        together = [pairing for pairing in part if _in_batches(agents, pairing)]
        try:
            finals = dict(zip(map(id, together), _play_batch(agents, together), strict=True))
        except (AgentLeftError, WrongGameError):
            raise
        except (Exception, SystemExit) as error:
            raise_interrupt(error)
            finals = {}  # an agent failed somewhere in the batch: game by game, only its own games are lost
        for pairing in part:
            final = finals.get(id(pairing))
            if final is None:
                yield play_game(agents, pairing)
            else:
                yield Record(pairing, final, final.returns(), final.margins())


def _in_batches(agents: Sequence[Agent], pairing: Pairing) -> bool:
    return isinstance(pairing.start, Othello) and all(agents[index].answers_batches for index in set(pairing.seats))


def play_game(
    agents: Sequence[Agent], pairing: Pairing, clock: TimeControl | None = None, watch: Watch | None = None
) -> Record:
    """Play one game. The pass is made for the player who must pass, without asking.

    Args:
        agents: of which the pairing names some.
        pairing: the game.
        clock: each side's; who has answered after its time was up has lost. Preparing for a game is not timed.
        watch: told of each move before and after it.

    Raises:
        AgentLeftError: an agent has left.
        WrongGameError: an agent does not play this game, or not this size of it.
    """
    state, used = pairing.start, [0.0] * pairing.start.num_players
    seats: list[Seat] = []

    def ends(reason: str, player: int) -> Record:
        return lost(pairing, state, reason, player, used if clock else None)

    for player, index in enumerate(pairing.seats):
        if watch is not None:
            watch.prepares(player)
        try:
            seats.append(Seat(agents[index], seat_key(pairing.key, player)))
        except (Exception, SystemExit) as error:
            raise_interrupt(error)
            return ends(f"the agent could not begin a game: {_described(error)}", player)
    while not state.is_over:
        mover, seconds = state.to_move, 0.0
        if state.must_pass:
            action = state.legal_actions()[0]
        else:
            agent = seats[mover].agent
            left = clock.left(used[mover]) if clock else None
            limit = left.seconds if left else None
            if watch is not None:
                watch.thinks(mover, limit)
            began = time.perf_counter()
            try:
                action = seats[mover].ask(state, left)
            except (AgentLeftError, WrongGameError):
                raise
            except (Exception, SystemExit) as error:
                raise_interrupt(error)
                return ends(failure(agent, state, error), mover)
            if limit is not None:
                seconds = time.perf_counter() - began
                used[mover] += seconds
                if seconds > limit:
                    return ends(f"agent {agent!r} lost on time ({clock}) in {state!r}", mover)
        if watch is not None:
            watch.plays(action, seconds)
        state = state.play(action)
    return Record(pairing, state, state.returns(), state.margins(), seconds=tuple(used) if clock else None)


def seat_key(key: int, seat: int) -> int:
    """The key of one player's random choices in the game with this key."""
    return mix_int(mix_int(key, OPPONENT), seat)


def failure(agent: Agent, state: State, error: BaseException) -> str:
    """Why an agent gave no legal answer, and in which position."""
    if not isinstance(error, AgentError):
        return f"agent {agent!r} failed in {state!r}: {_described(error)}"
    return str(error) if repr(state) in str(error) else f"agent {agent!r} failed in {state!r}: {error}"


def _described(error: BaseException) -> str:
    """An error and where it was raised: the innermost line of the file that was called from this package."""
    files = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in files if not Path(frame.filename).is_relative_to(_PACKAGE)]
    place = ""
    if theirs:
        line = [frame.lineno for frame in theirs if frame.filename == theirs[0].filename][-1]
        place = f" ({Path(theirs[0].filename).name}, line {line})"
    return f"{type(error).__name__}: {error}{place}"


def lost(pairing: Pairing, state: State, fault: str, player: int, seconds: Sequence[float] | None = None) -> Record:
    """The record of a game that a player lost on the spot in this position; the others share what it lost."""
    shares = [1.0 / (state.num_players - 1)] * state.num_players
    shares[player] = -1.0
    margins = tuple(state.largest_margin * share for share in shares)
    return Record(pairing, state, tuple(shares), margins, fault, player, None if seconds is None else tuple(seconds))


def _play_batch(agents: Sequence[Agent], pairings: Sequence[Pairing]) -> list[Othello]:
    """The final positions of Othello games of one size, played ply by ply all at once.

    Raises:
        AgentError: an answer is not legal, or an agent failed.
    """
    if not pairings:
        return []
    starts = [pairing.start for pairing in pairings]
    boards = OthelloBatch.from_states([start for start in starts if isinstance(start, Othello)])
    size, board = boards.size, bitboard.BOARDS[boards.size]
    own, opponent, to_move = boards.own.copy(), boards.opponent.copy(), boards.to_move.astype(np.int64)
    seats = np.array([pairing.seats for pairing in pairings])
    keys = np.array([[seat_key(pairing.key, seat) for seat in (0, 1)] for pairing in pairings], np.uint64)
    discs_of = np.array(bitboard.ACTION_BITS[size], np.uint64)
    games = np.arange(len(pairings))
    history: list[npt.NDArray[np.int64]] = []
    nobody = np.zeros_like(own)
    legal = bitboard.legal_moves_batch(own, opponent, board)
    reply = bitboard.legal_moves_batch(opponent, own, board)
    while (live := (legal | reply) != 0).any():
        actions = np.where(live, size * size, -1)
        choosing = live & (legal != 0)
        for index, agent in enumerate(agents):
            mine = games[choosing & (seats[games, to_move] == index)]
            if mine.size:
                key = keys[mine, to_move[mine]]
                asked = OthelloBatch(own[mine], opponent[mine], to_move[mine].astype(np.int8), key, size)
                actions[mine] = _checked(agent.act_batch(asked), legal[mine], discs_of, agent)
        history.append(actions)
        disc = np.where(choosing, discs_of[actions], nobody)
        moved = (own[live], opponent[live])
        legal[live], reply[live] = bitboard.advance_batch(*moved, disc[live], board)
        own[live], opponent[live] = moved
        to_move[live] ^= 1
    return _finals(starts, own, opponent, to_move, history)


def _checked(
    answer: npt.NDArray[np.int64],
    legal: npt.NDArray[np.uint64],
    discs_of: npt.NDArray[np.uint64],
    agent: Agent,
) -> npt.NDArray[np.int64]:
    actions = np.asarray(answer)
    good = actions.shape == legal.shape and np.issubdtype(actions.dtype, np.integer)
    if not good or actions.min() < 0 or actions.max() >= len(discs_of) or not (discs_of[actions] & legal).all():
        raise AgentError(f"agent {agent!r} answered a batch with an illegal action")
    return actions


def _finals(
    starts: Sequence[State],
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    to_move: npt.NDArray[np.int64],
    history: list[npt.NDArray[np.int64]],
) -> list[Othello]:
    """The positions in which games ended, with their moves; in `history` -1 stands for no ply."""
    moves = np.array(history).reshape(len(history), len(starts)).T.tolist()
    finals = []
    for i, start in enumerate(starts):
        assert isinstance(start, Othello)
        state = Othello.from_bits(int(own[i]), int(opponent[i]), int(to_move[i]), start.size)
        finals.append(state.with_moves((*start.moves, *(action for action in moves[i] if action >= 0))))
    return finals
