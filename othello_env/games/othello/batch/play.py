"""What begins, goes on and ends in a batch of games.

Few games begin or end in a step, and a plain loop over their numbers serves them; what every game needs is done by the
passes in `othello_env.games.othello.batch.passes`. What is random depends on each game's key, as in
`othello_env.games.openings`.

Letters for shapes: see `othello_env.games.othello.batch.arrays`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.hashing import OPENING, OPPONENT, POOL, REDRAW, SIDE, below, mix
from othello_env.games.othello.batch.arrays import END_WORDS, SIDE_DRAWN, Games, StartTable, Waiting
from othello_env.games.othello.batch.passes import ILLEGAL, OVER, illegal_places, place, true_places
from othello_env.games.othello.bitboard import advance, nth_bit, popcount
from othello_env.support.jit import kernel

__all__ = ["NO_OPENING", "NO_TURN", "answer", "begin_all", "step", "waiting"]

NO_OPENING, NO_TURN = 1, 2
"""Why a game could not begin: random plies ended it, or its opponent's moves before the learner's first turn did."""

_0, _1, _32 = np.uint64(0), np.uint64(1), np.uint64(32)
_NEXT = np.int64(1)  # a bare literal would be a type of its own


@kernel(inline=True)
def _note(i: int, action: int, games: Games) -> None:
    """Write down an action that was played in game i."""
    games.moves[i, games.plies[i]] = action
    games.plies[i] += 1
    games.to_move[i] ^= 1


@kernel
def _begin(i: int, key: np.uint64, games: Games, starts: StartTable, board: np.uint64, size: int) -> bool:
    """Begin game i under a key. Returns whether it has an opening that leaves it unfinished."""
    opening_key = mix(key, np.uint64(OPENING))
    chosen = np.int64(below(mix(opening_key, _0), np.uint64(len(starts.own))))
    plies = np.int64(starts.plies[chosen])
    for ply in range(plies):
        games.moves[i, ply] = starts.moves[chosen, ply]
    found = False
    for attempt in range(starts.attempts):
        games.own[i], games.opponent[i] = starts.own[chosen], starts.opponent[chosen]
        games.plies[i], games.to_move[i] = plies, starts.to_move[chosen]
        found = _random_plies(i, starts.random_plies, mix(opening_key, np.uint64(attempt)), games, board, size)
        if found:
            break
    games.over[i] = not found
    games.key[i] = key
    games.learner[i] = np.int64(mix(key, np.uint64(SIDE)) & _1) if starts.side == SIDE_DRAWN else starts.side
    ticket = mix(key, np.uint64(POOL)) >> _32
    rival = 0
    while rival < len(starts.pool) - 1 and ticket >= starts.pool[rival]:
        rival += 1
    games.rival[i] = starts.first + rival
    return found


@kernel
def _random_plies(i: int, plies: int, key: np.uint64, games: Games, board: np.uint64, size: int) -> bool:
    """Play uniformly random plies in game i. Returns whether the game goes on after them."""
    # The position as after a pass of the other side, which is itself; so one kernel does for all.
    own, opponent, legal, reply = advance(games.opponent[i], games.own[i], _0, board)
    for _ in range(plies):
        if legal | reply == _0:
            return False
        action, disc = np.int64(size * size), _0
        if legal != _0:
            square = np.int64(nth_bit(legal, below(mix(key, popcount(own | opponent)), popcount(legal))))
            edge = (8 - size) // 2
            action, disc = (square // 8 - edge) * size + square % 8 - edge, _1 << np.uint64(square)
        own, opponent, legal, reply = advance(own, opponent, disc, board)
        _note(i, int(action), games)
    games.own[i], games.opponent[i], games.legal[i] = own, opponent, legal
    return bool(legal | reply != _0)


@kernel
def begin_all(
    index: npt.NDArray[np.int64], ahead: int | np.int64, games: Games, starts: StartTable, board: np.uint64, size: int
) -> int:
    """Begin games in these places, (M,), under their `env_key` and a `number` so far ahead. Returns 0 or NO_OPENING."""
    failed = 0
    for number in index:
        i = int(number)
        games.number[i] += np.uint64(ahead)
        games.redraws[i] = 0
        if not _begin(i, mix(games.env_key[i], games.number[i]), games, starts, board, size):
            failed = NO_OPENING
    return failed


@kernel
def _end(
    ended: npt.NDArray[np.int64],
    illegal: npt.NDArray[np.int8],
    games: Games,
    reward: npt.NDArray[np.float64],
    reward_to: npt.NDArray[np.int8],
    by_margin: bool,
    size: int,
) -> npt.NDArray[np.uint64]:
    """Turn the games that ended, (E,), to whom they are shown to, give their rewards, and tell how they ended.

    `illegal` is the illegal action plus one, or 0. See `Ends.read` for what is returned.
    """
    squares = size * size
    rows = np.zeros((len(ended), END_WORDS + games.moves.shape[1] // 8), np.uint64)
    for k in range(len(ended)):
        i = int(ended[k])
        viewer = games.learner[i] if games.learner[i] >= 0 else games.to_move[i]
        if viewer != games.to_move[i]:
            games.own[i], games.opponent[i] = games.opponent[i], games.own[i]
        mine, other = np.int64(popcount(games.own[i])), np.int64(popcount(games.opponent[i]))
        difference = mine - other
        sign = np.int64(difference > 0) - np.int64(difference < 0)
        worth = difference + sign * (squares - mine - other) if by_margin else sign
        if viewer != reward_to[i]:
            worth = -worth
        if illegal[k] > 0:
            worth = np.int64(-squares if by_margin else -1)
        reward[i] = worth
        rows[k, 0], rows[k, 1], rows[k, 2] = i, games.own[i], games.opponent[i]
        rows[k, 3], rows[k, 4], rows[k, 5] = viewer, illegal[k], games.plies[i]
        rows[k, 6], rows[k, 7] = games.rival[i], games.to_move[i]
        for ply in range(games.plies[i]):
            rows[k, END_WORDS + ply // 8] |= np.uint64(games.moves[i, ply]) << np.uint64(8 * (ply % 8))
    return rows


@kernel
def step(
    actions: npt.NDArray[np.int64],
    problems: int,
    fields: tuple[Any, ...],
    reward: npt.NDArray[np.float64],
    terminated: npt.NDArray[np.bool_],
    reward_to: npt.NDArray[np.int8],
    start_fields: tuple[Any, ...],
    begin_next: bool,
    by_margin: bool,
    board: np.uint64,
    size: int,
) -> tuple[npt.NDArray[np.uint64], int]:
    """Play an action in each of N games.

    Args:
        actions: (N,), in range; an illegal one ends its game, and in a finished game the next one begins instead.
        problems: what `check` says of the actions.
        fields: of `Games`, changed in place. A plain tuple crosses over in half a named one's time.
        reward: (N,) written, like `terminated` and `reward_to`, the player whose reward it is.
        terminated: (N,)
        reward_to: (N,)
        start_fields: of a `StartTable`, for games that begin.
        begin_next: whether the next game begins where one has ended.
        by_margin: whether rewards are margins.
        board: the squares in play.
        size: of the board.

    Returns:
        The games that ended, for `Ends.read`, and 0 or NO_OPENING.
    """
    games, starts = Games(*fields), StartTable(*start_fields)
    over = games.over
    was_over = true_places(over) if problems & OVER else np.empty(0, np.int64)
    wrong = illegal_places(actions, games.legal, over, size) if problems & ILLEGAL else np.empty(0, np.int64)
    for i in range(len(actions)):
        reward[i] = 0.0
    for i in range(len(actions)):
        reward_to[i] = games.to_move[i]
    for i in range(len(actions)):
        games.redraws[i] = -1
    _note_all(actions, games.moves, games.plies, games.to_move)
    place(actions, games.own, games.opponent, games.legal, over, board, size)
    for i in wrong:  # take back the pass that it counted as
        games.own[i], games.opponent[i] = games.opponent[i], games.own[i]
        games.to_move[i] ^= 1
        games.plies[i] -= 1
        games.legal[i], over[i] = _0, True
    failed = begin_all(was_over, _NEXT, games, starts, board, size)
    for i in range(len(actions)):
        terminated[i] = over[i]
    ended = true_places(over)
    illegal = np.zeros(len(ended), np.int8)
    k = 0
    for number in wrong:
        i = int(number)
        while ended[k] != i:
            k += 1
        illegal[k] = actions[i] + 1
    ends = _end(ended, illegal, games, reward, reward_to, by_margin, size)
    if begin_next and begin_all(ended, _NEXT, games, starts, board, size) != 0:
        failed = NO_OPENING
    return ends, failed


@kernel
def _note_all(
    actions: npt.NDArray[np.int64],
    moves: npt.NDArray[np.int8],
    plies: npt.NDArray[np.int16],
    to_move: npt.NDArray[np.int8],
) -> None:
    """Write down an action in each of N games; what is written of finished ones does not count."""
    last = moves.shape[1] - 1
    for i in range(len(actions)):
        moves[i, min(np.int64(plies[i]), last)] = actions[i]
    for i in range(len(actions)):
        plies[i] += 1
    for i in range(len(actions)):
        to_move[i] ^= 1


@kernel
def waiting(games: Games, board: np.uint64, size: int) -> Waiting:
    """The games in which it is an opponent's turn and it has a choice; where it has to pass, that is done."""
    n = 0
    found = np.empty(len(games.own), np.int64)
    for i in range(len(games.own)):
        if games.learner[i] == games.to_move[i] or games.over[i]:
            continue
        if games.legal[i] != _0:
            found[n] = i
            n += 1
            continue
        games.own[i], games.opponent[i], games.legal[i], _ = advance(games.own[i], games.opponent[i], _0, board)
        _note(i, size * size, games)
    numbers = found[:n]
    key = games.key[numbers]
    for k in range(n):
        key[k] = mix(key[k], np.uint64(OPPONENT))
    return Waiting(
        numbers,
        games.own[numbers],
        games.opponent[numbers],
        games.legal[numbers],
        games.over[numbers],
        games.to_move[numbers],
        key,
        games.rival[numbers],
    )


@kernel
def answer(
    actions: npt.NDArray[np.int64],
    asked: Waiting,
    games: Games,
    reward: npt.NDArray[np.float64],
    terminated: npt.NDArray[np.bool_],
    reward_to: npt.NDArray[np.int8],
    starts: StartTable,
    begin_next: bool,
    by_margin: bool,
    board: np.uint64,
    size: int,
) -> tuple[npt.NDArray[np.uint64], int]:
    """Play the opponents' legal actions, (M,), in the games that were asked; see `step` for the rest.

    A game that this ends before the learner's first turn is drawn again.

    Returns:
        The games that ended, for `Ends.read`, and 0, NO_OPENING or NO_TURN.
    """
    place(actions, asked.own, asked.opponent, asked.legal, asked.over, board, size)
    failed = 0
    for k in range(len(actions)):
        i = int(asked.game[k])
        games.own[i], games.opponent[i], games.legal[i] = asked.own[k], asked.opponent[k], asked.legal[k]
        _note(i, int(actions[k]), games)
    numbers = asked.game[true_places(asked.over)]
    n = 0
    for number in numbers:
        i = int(number)
        if games.redraws[i] < 0:
            numbers[n] = i
            games.over[i] = terminated[i] = True
            n += 1
        elif games.redraws[i] == starts.redraws:
            games.over[i] = True
            failed = NO_TURN
        else:
            games.redraws[i] += 1
            if not _begin(i, mix(games.key[i], np.uint64(REDRAW)), games, starts, board, size):
                failed = NO_OPENING
    ended = numbers[:n]
    ends = _end(ended, np.zeros(n, np.int8), games, reward, reward_to, by_margin, size)
    if begin_next and begin_all(ended, _NEXT, games, starts, board, size) != 0:
        failed = NO_OPENING
    return ends, failed
