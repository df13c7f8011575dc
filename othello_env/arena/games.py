"""Whole games between agents, one after the other or many at once.

Letters for shapes: N = games, T = plies of the longest game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, AgentError, ask
from othello_env.games import bitboard
from othello_env.games.game import State
from othello_env.games.hashing import OPPONENT, mix_int
from othello_env.games.othello import Othello, OthelloBatch

__all__ = ["Pairing", "Record", "play_game", "play_games", "seat_key"]

_AT_ONCE = 512


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
        fault: why the game was lost on the spot (an illegal answer, an error), or None.
    """

    pairing: Pairing
    final: State
    returns: tuple[float, ...]
    margins: tuple[float, ...]
    fault: str | None = None


def play_games(agents: Sequence[Agent], pairings: Sequence[Pairing]) -> Iterator[Record]:
    """Play games and yield their records in order, many Othello games at once where all agents answer batches.

    An answer that is not legal loses the game, and so does an error in an agent.
    """
    together = all(isinstance(p.start, Othello) for p in pairings) and all(agent.answers_batches for agent in agents)
    if not together:
        for pairing in pairings:
            yield play_game(agents, pairing)
        return
    todo = iter(pairings)
    while part := list(islice(todo, _AT_ONCE)):
        try:
            finals = _play_batch(agents, part)
        except Exception:
            # An agent failed somewhere in the batch: game by game, only its own games are lost.
            for pairing in part:
                yield play_game(agents, pairing)
        else:
            for pairing, final in zip(part, finals, strict=True):
                yield Record(pairing, final, final.returns(), final.margins())


def play_game(agents: Sequence[Agent], pairing: Pairing) -> Record:
    """Play one game. The pass is made for the player who must pass, without asking."""
    for seat, index in enumerate(pairing.seats):
        agents[index].new_game(seat_key(pairing.key, seat))
    state = pairing.start
    while not state.is_over:
        mover = state.to_move
        if state.must_pass:
            state = state.play(state.legal_actions()[0])
            continue
        agent = agents[pairing.seats[mover]]
        try:
            state = state.play(ask(agent, state))
        except AgentError as error:
            return _lost(pairing, state, str(error))
        except Exception as error:
            return _lost(pairing, state, f"agent {agent!r} failed in {state!r}: {type(error).__name__}: {error}")
    return Record(pairing, state, state.returns(), state.margins())


def seat_key(key: int, seat: int) -> int:
    """The key of one player's random choices in the game with this key."""
    return mix_int(mix_int(key, OPPONENT), seat)


def _lost(pairing: Pairing, state: State, fault: str) -> Record:
    """The record of a game that the player to move lost on the spot; the others share what it lost."""
    others = state.num_players - 1
    shares = [1.0 / others] * state.num_players
    shares[state.to_move] = -1.0
    return Record(pairing, state, tuple(shares), tuple(state.largest_margin * share for share in shares), fault)


def _play_batch(agents: Sequence[Agent], pairings: Sequence[Pairing]) -> list[Othello]:
    """The final positions of Othello games of one size, played ply by ply all at once.

    Raises:
        AgentError: an answer is not legal, or an agent failed.
    """
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
