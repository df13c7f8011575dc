"""Play recorded games again: how they end, which action is illegal, and the position before each action.

The games are played together, as a batch, if the package has one for their kind. Other games are played one by one. For
few games of another package, this takes less time than to compile its batch.

Letters for shapes: N = games, T = plies of the longest game, P = players, M = actions of all games, A = actions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch
from othello_env.games.batch.state import BatchState
from othello_env.games.game import State
from othello_env.games.othello.batch import OthelloBatch, OthelloPositions
from othello_env.games.registry import GameSpec, has_cached_batch

if TYPE_CHECKING:
    from othello_env.data.games import Games

__all__ = ["AT_ONCE", "Outcomes", "Visited", "othello_positions", "play_to_end", "visit"]

AT_ONCE = 4096
"""The number of games that are played again together."""


@dataclass(frozen=True)
class Outcomes:
    """How N games ended.

    Attributes:
        over: (N,) bool, whether each game is over in its last position.
        returns: (N, P) float32, each player's result, such as +1 for a win; 0 in unfinished games.
        margins: (N, P) float32, each player's lead at the end, in the unit of the game's scores, such as discs. The
            lead is negative for a loss, and 0 in unfinished games.
    """

    over: npt.NDArray[np.bool_]
    returns: npt.NDArray[np.float32]
    margins: npt.NDArray[np.float32]


class Visited(NamedTuple):
    """The positions before the M actions of games: all positions of the first game, then of the second, ..."""

    observation: npt.NDArray[np.int8]
    """(M, planes, H, W), as the player to move sees the position."""
    action_mask: npt.NDArray[np.int8]
    """(M, A)"""
    to_move: npt.NDArray[np.int8]
    """(M,) the player to move."""
    game: npt.NDArray[np.int64]
    """(M,) the index of the position's game."""
    ply: npt.NDArray[np.int32]
    """(M,) the number of plies that were played in the game before the position."""


def play_to_end(games: Games) -> tuple[Outcomes, npt.NDArray[np.int32]]:
    """Play games to their ends.

    Returns:
        How the games ended; and (N,) int32, the first ply with an illegal action, counted from 0, or -1 if all actions
        are legal. If a game has an illegal action, its end has no meaning.
    """
    players = games.starts[0].num_players
    played = [_played(games[first : first + AT_ONCE]) for first in range(0, len(games), AT_ONCE)]
    empty = np.zeros(0, np.bool_), np.zeros((0, players)), np.zeros((0, players)), np.zeros(0, np.int32)
    over, returns, margins, wrong = (np.concatenate(arrays) for arrays in zip(empty, *played, strict=True))
    return Outcomes(over, returns.astype(np.float32), margins.astype(np.float32)), wrong


def visit(games: Games) -> Visited:
    """The positions before the M actions of games. All actions must be legal."""
    game, ply = _places(games)
    batch, start = _batch(games), games.starts[0]
    if batch is not None:
        state = _visited(games, batch)
        return Visited(*batch.encoded(state), state.to_move, game, ply)
    states = [state for before, _, _ in _walks(games) for state in before]
    return Visited(
        np.array([state.observation(state.to_move) for state in states], np.int8).reshape(-1, *start.observation_shape),
        np.array([state.action_mask() for state in states], np.int8).reshape(-1, start.num_actions),
        np.array([state.to_move for state in states], np.int8),
        game,
        ply,
    )


def othello_positions(games: Games) -> tuple[OthelloPositions, npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The positions before the M actions of games of Othello. All actions must be legal.

    Returns:
        The M positions; an array (M,) int64 with the index of each position's game; and an array (M,) int32 with the
        number of plies that were played before each position.
    """
    game, ply = _places(games)
    batch = _batch(games)
    assert isinstance(batch, OthelloBatch)
    state = _visited(games, batch)
    own, opponent, legal = state.boards
    return OthelloPositions(own, opponent, state.to_move, state.key, batch.start.size, legal), game, ply


def _places(games: Games) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Two arrays (M,): the game of each action, and the number of plies in the game before it."""
    game = np.repeat(np.arange(len(games)), games.lengths)
    first = np.cumsum(games.lengths, dtype=np.int64) - games.lengths
    return game, (np.arange(len(game)) - first[game]).astype(np.int32)


def _batch(games: Games) -> Batch | None:
    """A batch of N games of this kind; None if the package has none or if the starts differ in their rules."""
    first = games.starts[0]
    spec = GameSpec.from_state(first) if has_cached_batch(first) else None
    if spec is None or not all(map(first.has_same_rules, _starts(games)[0])):
        return None
    return spec.batch(len(games))


def _starts(games: Games) -> tuple[list[State], npt.NDArray[np.int64]]:
    """The positions in which these games begin; and (N,) which of them each game begins in."""
    used, chosen = np.unique(games.start, return_inverse=True)
    return [games.starts[k] for k in used], chosen


def _played(games: Games) -> tuple[npt.NDArray[Any], ...]:
    """The fields of the `Outcomes` of games, and the plies of the first illegal actions."""
    batch = _batch(games)
    if batch is not None:
        rank, wrong = _play(games, batch)
        return tuple(part[rank] for part in (batch.arrays.over, batch.results(), batch.results(by_margin=True), wrong))
    walks, players = list(_walks(games)), games.starts[0].num_players
    return (
        np.array([last.is_over for _, last, _ in walks], np.bool_),
        np.array([last.returns() for _, last, _ in walks]).reshape(-1, players),
        np.array([last.margins() for _, last, _ in walks]).reshape(-1, players),
        np.array([wrong for _, _, wrong in walks], np.int32),
    )


def _visited(games: Games, batch: Batch) -> BatchState:
    """The positions before the M actions of games: all positions of the first game, then of the second, ..."""
    visited = batch.new_state(int(games.lengths.sum()))
    visited.over[:] = False
    _play(games, batch, visited)
    return visited


def _play(
    games: Games, batch: Batch, visited: BatchState | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Play N games in a batch. The longest game is the first, so the games that go on after a ply are a slice.

    Args:
        games: the games.
        batch: a batch of N games.
        visited: the state of M games, or None. They become the positions before the actions; see `_visited`.

    Returns:
        (N,) the place of each game in the batch; and for each place the ply of the first illegal action, or -1.
    """
    order = np.argsort(-games.lengths, kind="stable")
    if not len(games):
        return order, np.zeros(0, np.int32)
    starts, chosen = _starts(games)
    batch.begin_at(starts, chosen[order])
    actions = np.ascontiguousarray(games.actions[order].T)
    batch.make_room(int(batch.arrays.plies.max(initial=0)) + len(actions))
    first = (np.cumsum(games.lengths, dtype=np.int64) - games.lengths)[order]
    wrong = np.full(len(games), -1, np.int32)
    for ply, n in enumerate(np.searchsorted(-games.lengths[order], -np.arange(len(actions))).tolist()):
        part = batch.part(slice(n))
        if visited is not None:
            places = first[:n] + ply
            for given, stored in zip(part.arrays.boards, visited.boards, strict=True):
                stored[places] = given
            visited.to_move[places] = part.arrays.to_move
        unplayable = part.play_all(actions[ply, :n].astype(np.int64))
        if len(unplayable):
            wrong[:n][unplayable & (wrong[:n] < 0)] = ply
            if unplayable.all():
                break
    return np.argsort(order), wrong


def _walks(games: Games) -> Iterator[tuple[list[State], State, int]]:
    """For each game: the positions before its actions, its last position, and the ply of its first illegal action.

    The ply is -1 if all actions are legal. Otherwise the last position is the one before the illegal action.
    """
    for i in range(len(games)):
        state, before, wrong = games.starts[games.start[i]], [], -1
        for ply, action in enumerate(games.actions[i, : games.lengths[i]].tolist()):
            if not state.is_legal(action):
                wrong = ply
                break
            before.append(state)
            state = state.play(action)
        yield before, state, wrong
