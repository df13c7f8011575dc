"""Kernels (compiled functions) that work on the moves of N games of Othello, or of a variant with Othello's board.

Letters for shapes: N = games, K = entries of the longest row, L = places of a record, T = plies of the longest game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.functions import is_legal, play_all
from othello_env.games.batch.state import BatchState
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameSpec
from othello_env.support.jit import kernel

__all__ = ["LONGEST", "Replayed", "replay", "to_tokens"]

LONGEST = 128
"""No game has more plies than this: at most 60 moves place a disc, and there are never two passes in a row."""

_AT_ONCE = 1024
"""The number of games that are played together."""
_0 = np.uint64(0)


class Replayed(NamedTuple):
    """N games that `replay` played, and the boards after their moves."""

    actions: npt.NDArray[np.int8]
    """(N, LONGEST) the actions, passes included, and -1 after the last action."""
    lengths: npt.NDArray[np.int32]
    """(N,) the number of actions of each game."""
    wrong: npt.NDArray[np.int32]
    """(N,) the number of the first illegal entry of each row, from 0; -1 if all are legal. The game ends before it."""
    ended: npt.NDArray[np.bool_]
    """(N,) whether each game is over."""
    moves: npt.NDArray[np.int32]
    """(N,) the number of moves of each game that have a place in the record, even if L is smaller."""
    own: npt.NDArray[np.uint64]
    """(N, L) the discs of the player to move after each move. 0 after the last move, as in the next three arrays."""
    opponent: npt.NDArray[np.uint64]
    """(N, L) the other player's discs."""
    legal: npt.NDArray[np.uint64]
    """(N, L) the squares where the next disc may be placed. If passes have no places in the record and the player to
    move must pass, these are the squares of the other player."""
    to_move: npt.NDArray[np.int8]
    """(N, L) the player to move."""


def replay(rows: npt.NDArray[np.int8], start: Othello, length: int = 0, *, passes: bool = False) -> Replayed:
    """Play N games by the rules of their start, and record the boards.

    Args:
        rows: (N, K) int8, the moves of each game as actions; a negative number ends a game.
        start: the position in which all games begin, of a registered game that has a subclass of `OthelloBatch`.
        length: the number L of moves that are recorded, for each game.
        passes: whether passes are moves. Then they must stand in the rows, and have places in the record. Otherwise
            they may be left out of the rows, and are added to the actions. A pass after the last move is not added.

    Raises:
        ValueError: the game was registered without a batch.
    """
    n, spec = len(rows), GameSpec.from_state(start)
    assert spec is not None
    replayed = Replayed(
        np.full((n, LONGEST), -1, np.int8),
        np.zeros(n, np.int32),
        np.full(n, -1, np.int32),
        np.zeros(n, np.bool_),
        np.zeros(n, np.int32),
        own=np.zeros((n, length), np.uint64),
        opponent=np.zeros((n, length), np.uint64),
        legal=np.zeros((n, length), np.uint64),
        to_move=np.zeros((n, length), np.int8),
    )
    batch = spec.batch(min(n, _AT_ONCE))
    for first in range(0, n, _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        games = batch.part(slice(len(rows[part])))
        games.begin_at([start], np.zeros(len(games), np.int64))
        _replay(games.constants, tuple(games.arrays), rows[part], passes, tuple(field[part] for field in replayed))
    return replayed


@kernel
def _replay(
    constants: Any, arrays: tuple[Any, ...], rows: npt.NDArray[np.int8], passes: bool, found_fields: tuple[Any, ...]
) -> None:
    """Do what `replay` does. `arrays` has the fields of the `BatchState` of N games at their start."""
    state, replayed = BatchState(*arrays), Replayed(*found_fields)
    boards, n, passing = state.boards, len(rows), constants.size * constants.size
    length = replayed.own.shape[1]
    next_entry, has_passed = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    actions, waits, playing = np.zeros(n, np.int64), np.zeros(n, np.bool_), np.ones(n, np.bool_)
    while playing.any():
        for i in range(n):
            waits[i] = True
            if not playing[i]:
                continue
            if not passes and boards.legal[i] == _0 and not state.over[i]:
                actions[i], waits[i], has_passed[i] = passing, False, True  # whether the row has this pass or not
                continue
            entry = int(rows[i, next_entry[i]]) if next_entry[i] < rows.shape[1] else -1
            if has_passed[i] and entry == passing:
                _note(replayed, i, passing)
                has_passed[i] = False
                next_entry[i] += 1
                entry = int(rows[i, next_entry[i]]) if next_entry[i] < rows.shape[1] else -1
            is_legal_entry = entry >= 0 and not state.over[i] and is_legal(constants, state, i, entry)
            if not is_legal_entry:
                replayed.wrong[i] = next_entry[i] if entry >= 0 else -1
                replayed.ended[i], playing[i] = state.over[i], False
                continue
            if has_passed[i]:
                _note(replayed, i, passing)
                has_passed[i] = False
            _note(replayed, i, entry)
            next_entry[i] += 1
            actions[i], waits[i] = entry, False
        play_all(constants, state, actions, waits)
        for i in range(n):
            if waits[i]:
                continue
            place = replayed.moves[i]
            if not passes and actions[i] == passing:  # a pass without a place: the squares are the next player's
                place -= 1
                if 0 <= place < length:
                    replayed.legal[i, place] = boards.legal[i]
                continue
            if place < length:
                replayed.own[i, place], replayed.opponent[i, place] = boards.own[i], boards.opponent[i]
                replayed.legal[i, place], replayed.to_move[i, place] = boards.legal[i], state.to_move[i]
            replayed.moves[i] += 1


@kernel(inline=True)
def _note(replayed: Replayed, i: int, action: int) -> None:
    """Add an action to those of game i."""
    replayed.actions[i, replayed.lengths[i]] = action
    replayed.lengths[i] += 1


@kernel
def to_tokens(
    actions: npt.NDArray[np.int8],
    lengths: npt.NDArray[np.int32],
    table: npt.NDArray[np.int8],
    tokens: npt.NDArray[np.int8],
) -> int:
    """Write the tokens of N games.

    Args:
        actions: (N, T), the actions of each game.
        lengths: (N,), the number of actions of each game.
        table: (A,), the token of each action. Actions with the token 0 are left out.
        tokens: (N, L), output: the tokens, cut off after L tokens, and 0 after the last one.

    Returns:
        The number of discs that have no token.
    """
    lost, passing = 0, len(table) - 1
    for i in range(len(actions)):
        k = 0
        for t in range(lengths[i]):
            token = table[actions[i, t]]
            if token != 0 and k < tokens.shape[1]:
                tokens[i, k] = token
                k += 1
            elif token == 0 and actions[i, t] != passing:
                lost += 1
        tokens[i, k:] = 0
    return lost
