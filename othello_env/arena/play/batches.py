"""Play many games of Othello at once, ply by ply.

Letters for shapes: N = games, T = plies of the longest game.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, ask_many
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloPositions

__all__ = ["play_batch"]


def play_batch(
    agents: Sequence[Agent], starts: Sequence[Othello], seats: npt.ArrayLike, keys: npt.ArrayLike
) -> list[Othello]:
    """Play N games of Othello on one board size and return their last positions.

    If a side must pass, the pass is made without asking the agent.

    Args:
        agents: the agents that play.
        starts: the N positions in which the games begin.
        seats: (N, 2) integers. For each game and side, this is the index in `agents` of the agent that plays the side.
        keys: (N, 2) uint64. For each game and side, this number determines the agent's random choices.

    Raises:
        AgentError: an answer is not a legal action.
    """
    boards = OthelloPositions.from_states(starts)
    size, board, discs = boards.size, bitboard.BOARDS[boards.size], _discs(boards.size)
    own, opponent, to_move = boards.own.copy(), boards.opponent.copy(), boards.to_move.astype(np.int64)
    games, seats, keys = np.arange(len(starts)), np.asarray(seats), np.asarray(keys, np.uint64)
    history: list[npt.NDArray[np.int64]] = []
    nobody = np.zeros_like(own)
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
                actions[mine] = ask_many(agent, OthelloPositions(*sides, size, legal[mine]))
        history.append(actions)
        disc = np.where(choosing, discs[actions], nobody)
        moved = (own[live], opponent[live])
        legal[live], reply[live] = bitboard.advance_batch(*moved, disc[live], board)
        own[live], opponent[live] = moved
        to_move[live] ^= 1
    return _finals(starts, own, opponent, to_move, history)


def _finals(
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
