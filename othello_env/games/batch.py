"""Compiled passes over N games at once: what an environment over a batch of games is made of.

Where every game is touched, each loop writes one array and has no branch, and the bit tricks that it calls are pasted
in, so that LLVM puts several games into one vector register (eight with AVX-512); the games are worked on in blocks
that stay in the nearest cache. Games that end are few, and a plain loop over their numbers serves them.

Letters for shapes: N games, M some of them, E the games that ended in a step, S = size, A = S * S + 1 actions, P given
openings, K opponents in a pool.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.bitboard import advance, flips, legal_moves, mobility, nth_bit, popcount
from othello_env.games.hashing import OPENING, OPPONENT, POOL, REDRAW, SIDE, below, mix
from othello_env.games.jit import kernel

__all__ = [
    "EXPAND",
    "ILLEGAL",
    "OUT_OF_RANGE",
    "OVER",
    "SIDE_DRAWN",
    "Ends",
    "Games",
    "StartTable",
    "Waiting",
    "answer",
    "begin_all",
    "check",
    "encode_8x8",
    "encode_small",
    "new_games",
    "step",
    "waiting",
]

OUT_OF_RANGE, ILLEGAL, OVER = 1, 2, 4
"""What `check` may find among a batch's actions."""
NO_OPENING, NO_TURN = 1, 2
"""Why a game could not begin: random plies ended it, or its opponent's moves before the learner's first turn did."""

SIDE_DRAWN = 2
"""For `StartTable.side`: each game's key draws the learner's player."""

EXPAND: npt.NDArray[np.uint64] = np.array(
    [int.from_bytes(bytes(byte >> bit & 1 for bit in range(8)), "little") for byte in range(256)], np.uint64
)
"""(256,) for each byte, its eight bits as the eight bytes of a word."""

_BLOCK = 512

_0, _1, _7, _8, _9 = np.uint64(0), np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)
_32, _63, _255 = np.uint64(32), np.uint64(63), np.uint64(255)
_EACH_BYTE = np.uint64(0x0101_0101_0101_0101)
_DIAGONAL = np.uint64(0x8040_2010_0804_0201)
_CARRY = np.uint64(0x7F7F_7F7F_7F7F_7F7F)


class Games(NamedTuple):
    """The state of N games, an array a field, (N,) but for the moves.

    A finished game is seen by whom it is shown to: the learner, or without one the player who would be next.
    """

    own: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    legal: npt.NDArray[np.uint64]
    """The squares of the player to move; if there is none and the game is not over, it has to pass."""
    over: npt.NDArray[np.bool_]
    to_move: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int16]
    moves: npt.NDArray[np.int8]
    """(N, 2 * S * S), of which the first `plies` are the actions so far."""
    key: npt.NDArray[np.uint64]
    """The key of the game that is being played."""
    env_key: npt.NDArray[np.uint64]
    number: npt.NDArray[np.uint64]
    """The game's number under its environment's key."""
    learner: npt.NDArray[np.int8]
    """The learner's player; -1 where both sides learn."""
    rival: npt.NDArray[np.int16]
    """Which of the opponents plays here."""
    redraws: npt.NDArray[np.int16]
    """How often this game was drawn again; -1 once the learner has had a turn."""


class StartTable(NamedTuple):
    """Where games begin and who plays in them."""

    own: npt.NDArray[np.uint64]
    """(P,), with the three that follow the openings of which each game draws one."""
    opponent: npt.NDArray[np.uint64]
    to_move: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int16]
    moves: npt.NDArray[np.int8]
    """(P, 2 * S * S)"""
    random_plies: int
    """Played from there,"""
    attempts: int
    """and drawn again up to so often if they end the game."""
    redraws: int
    """How often a game is drawn again that the opponent's moves end before the learner's first turn."""
    side: int
    """The learner's player, SIDE_DRAWN, or -1 where both sides learn."""
    pool: npt.NDArray[np.uint64]
    """(K,) ascending: a game draws a 32-bit number, and its opponent is the first whose bound is above it."""
    first: int
    """The number of the pool's first opponent."""


class Ends(NamedTuple):
    """The games that ended in a step."""

    game: npt.NDArray[np.int64]
    """(E,) their numbers, ascending, as of all that follows."""
    own: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    viewer: npt.NDArray[np.int8]
    """The player whose discs are `own`, to whom the end is shown."""
    illegal: npt.NDArray[np.int8]
    """The illegal action that ended the game, or -1."""
    plies: npt.NDArray[np.int16]
    moves: npt.NDArray[np.int8]
    """(E, 2 * S * S)"""


class Waiting(NamedTuple):
    """The M games in which an opponent has a choice, their numbers ascending; all (M,)."""

    game: npt.NDArray[np.int64]
    own: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    legal: npt.NDArray[np.uint64]
    over: npt.NDArray[np.bool_]
    to_move: npt.NDArray[np.int8]
    key: npt.NDArray[np.uint64]
    """The opponent's key for what is random in its choices."""
    rival: npt.NDArray[np.int16]


def new_games(n: int, size: int) -> Games:
    """N games that are over; `begin_all` begins them."""
    u64, i8, i16 = np.uint64, np.int8, np.int16
    return Games(
        own=np.zeros(n, u64),
        opponent=np.zeros(n, u64),
        legal=np.zeros(n, u64),
        over=np.ones(n, np.bool_),
        to_move=np.zeros(n, i8),
        plies=np.zeros(n, i16),
        moves=np.zeros((n, 2 * size * size), i8),
        key=np.zeros(n, u64),
        env_key=np.zeros(n, u64),
        number=np.zeros(n, u64),
        learner=np.full(n, -1, i8),
        rival=np.zeros(n, i16),
        redraws=np.zeros(n, i16),
    )


@kernel(inline=True)
def _disc(action: int, size: np.uint64) -> np.uint64:
    """The disc that an action places; none for a pass and whatever is out of range."""
    a = np.uint64(action)
    row = (a * ((_255 + size) // size)) >> _8
    edge = (_8 - size) >> _1
    square = a + row * (_8 - size) + edge * _9
    return (_1 << (square & _63)) & (_0 - np.uint64(a < size * size))


@kernel
def check(actions: npt.NDArray[np.int64], legal: npt.NDArray[np.uint64], over: npt.NDArray[np.bool_], size: int) -> int:
    """What is wrong with the actions for N games: OUT_OF_RANGE, ILLEGAL and OVER, added up; 0 if nothing is.

    An action in range for a finished game is OVER, not ILLEGAL.
    """
    side = np.uint64(size)
    passing = side * side
    outside, illegal, finished = _0, _0, _0
    for i in range(len(actions)):
        action, done = np.uint64(actions[i]), np.uint64(over[i])
        allowed = (_disc(actions[i], side) & legal[i]) | (np.uint64(action == passing) & np.uint64(legal[i] == _0))
        outside |= np.uint64(action > passing)
        illegal |= np.uint64(allowed == _0) & (done ^ _1)
        finished |= done
    return outside * np.uint64(OUT_OF_RANGE) | illegal * np.uint64(ILLEGAL) | finished * np.uint64(OVER)


@kernel
def _place(
    actions: npt.NDArray[np.int64],
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    legal: npt.NDArray[np.uint64],
    over: npt.NDArray[np.bool_],
    board: np.uint64,
    size: int,
) -> None:
    """Play a legal action in each of N games, in place; any other counts as a pass."""
    side = np.uint64(size)
    scratch = np.empty((2, _BLOCK), np.uint64)
    for start in range(0, len(own), _BLOCK):
        stop = min(start + _BLOCK, len(own))
        n = stop - start
        act, p, o = actions[start:stop], own[start:stop], opponent[start:stop]
        moves, done = legal[start:stop], over[start:stop]
        disc, turned = scratch[0, :n], scratch[1, :n]
        for i in range(n):
            disc[i] = _disc(act[i], side) & moves[i]
        for i in range(n):
            turned[i] = flips(disc[i], p[i], o[i])
        for i in range(n):
            disc[i] |= p[i] | turned[i]
        for i in range(n):
            p[i] = o[i] & ~turned[i]
        for i in range(n):
            o[i] = disc[i]
        for i in range(n):
            moves[i] = legal_moves(p[i], o[i], board)
        for i in range(n):
            turned[i] = legal_moves(o[i], p[i], board)  # those of the other side
        for i in range(n):
            done[i] = (moves[i] | turned[i]) == _0


@kernel
def _begin(i: int, key: np.uint64, games: Games, starts: StartTable, board: np.uint64, size: int) -> bool:
    """Begin game i under a key. Returns whether it has an opening that leaves it unfinished."""
    opening_key = mix(key, np.uint64(OPENING))
    chosen = np.int64(below(mix(opening_key, _0), np.uint64(len(starts.own))))
    plies = np.int64(starts.plies[chosen])
    games.moves[i, :plies] = starts.moves[chosen, :plies]
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
    own, opponent = games.own[i], games.opponent[i]
    legal, reply = mobility(own, opponent, board)
    for _ in range(plies):
        if legal | reply == _0:
            return False
        action, disc = size * size, _0
        if legal != _0:
            square = np.int64(nth_bit(legal, below(mix(key, popcount(own | opponent)), popcount(legal))))
            edge = (8 - size) // 2
            action, disc = (square // 8 - edge) * size + square % 8 - edge, _1 << np.uint64(square)
        own, opponent, legal, reply = advance(own, opponent, disc, board)
        _note(i, action, games)
    games.own[i], games.opponent[i], games.legal[i] = own, opponent, legal
    return legal | reply != _0


@kernel
def _next(i: int, games: Games, starts: StartTable, board: np.uint64, size: int) -> bool:
    """Begin the next game in place i."""
    games.number[i] += _1
    games.redraws[i] = 0
    return _begin(i, mix(games.env_key[i], games.number[i]), games, starts, board, size)


@kernel
def begin_all(index: npt.NDArray[np.int64], games: Games, starts: StartTable, board: np.uint64, size: int) -> int:
    """Begin the games of these numbers, (M,), under their `env_key` and `number`. Returns 0 or NO_OPENING."""
    failed = 0
    for i in index:
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
) -> Ends:
    """Turn the games that ended, (E,), to whom they are shown to, give their rewards, and note how they ended."""
    n = len(ended)
    squares = size * size
    viewer = np.empty(n, np.int8)
    moves = np.empty((n, games.moves.shape[1]), np.int8)
    for k in range(n):
        i = ended[k]
        viewer[k] = games.learner[i] if games.learner[i] >= 0 else games.to_move[i]
        if viewer[k] != games.to_move[i]:
            games.own[i], games.opponent[i] = games.opponent[i], games.own[i]
        mine, other = np.int64(popcount(games.own[i])), np.int64(popcount(games.opponent[i]))
        difference = mine - other
        sign = np.int64(difference > 0) - np.int64(difference < 0)
        worth = difference + sign * (squares - mine - other) if by_margin else sign
        if viewer[k] != reward_to[i]:
            worth = -worth
        if illegal[k] >= 0:
            worth = -squares if by_margin else -1
        reward[i] = worth
        moves[k] = games.moves[i]
    return Ends(ended, games.own[ended], games.opponent[ended], viewer, illegal, games.plies[ended], moves)


@kernel
def _true_ones(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The places, ascending, where flags are set, without a branch a flag."""
    places = np.empty(len(flags) + 1, np.int64)
    n = 0
    for i in range(len(flags)):
        places[n] = i
        n += np.int64(flags[i])
    return places[:n]


@kernel
def _illegal_ones(
    actions: npt.NDArray[np.int64], legal: npt.NDArray[np.uint64], over: npt.NDArray[np.bool_], size: int
) -> npt.NDArray[np.int64]:
    """The numbers, ascending, of the games in which an action in range is illegal."""
    flags = np.empty(len(actions), np.bool_)
    for i in range(len(actions)):
        flags[i] = check(actions[i : i + 1], legal[i : i + 1], over[i : i + 1], size) == ILLEGAL
    return _true_ones(flags)


@kernel
def step(
    actions: npt.NDArray[np.int64],
    problems: int,
    games: Games,
    reward: npt.NDArray[np.float64],
    terminated: npt.NDArray[np.bool_],
    reward_to: npt.NDArray[np.int8],
    starts: StartTable,
    begin_next: bool,
    by_margin: bool,
    board: np.uint64,
    size: int,
) -> tuple[Ends, int]:
    """Play an action in each of N games.

    Args:
        actions: (N,), in range; an illegal one ends its game, and in a finished game the next one begins instead.
        problems: what `check` says of the actions.
        games: changed in place.
        reward: (N,) written, like `terminated` and `reward_to`, the player whose reward it is.
        terminated: (N,)
        reward_to: (N,)
        starts: for games that begin.
        begin_next: whether the next game begins where one has ended.
        by_margin: whether rewards are margins.
        board: the squares in play.
        size: of the board.

    Returns:
        The games that ended, and 0 or NO_OPENING.
    """
    over = games.over
    was_over = _true_ones(over) if problems & OVER else np.empty(0, np.int64)
    wrong = _illegal_ones(actions, games.legal, over, size) if problems & ILLEGAL else np.empty(0, np.int64)
    reward[:] = 0.0
    reward_to[:] = games.to_move
    games.redraws[:] = -1
    _note_all(actions, games.moves, games.plies, games.to_move)
    _place(actions, games.own, games.opponent, games.legal, over, board, size)
    for i in wrong:  # take back the pass that it counted as
        games.own[i], games.opponent[i] = games.opponent[i], games.own[i]
        games.to_move[i] ^= 1
        games.plies[i] -= 1
        games.legal[i], over[i] = _0, True
    failed = 0
    for i in was_over:
        if not _next(i, games, starts, board, size):
            failed = NO_OPENING
    terminated[:] = over
    ended = _true_ones(over)
    illegal = np.full(len(ended), -1, np.int8)
    k = 0
    for i in wrong:
        while ended[k] != i:
            k += 1
        illegal[k] = actions[i]
    ends = _end(ended, illegal, games, reward, reward_to, by_margin, size)
    if begin_next:
        for i in ended:
            if not _next(i, games, starts, board, size):
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
        games.own[i], games.opponent[i] = games.opponent[i], games.own[i]
        games.legal[i], _ = mobility(games.own[i], games.opponent[i], board)
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


@kernel(inline=True)
def _note(i: int, action: int, games: Games) -> None:
    """Write down an action that was played in game i."""
    games.moves[i, games.plies[i]] = action
    games.plies[i] += 1
    games.to_move[i] ^= 1


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
) -> tuple[Ends, int]:
    """Play the opponents' legal actions, (M,), in the games that were asked; see `step` for the rest.

    A game that this ends before the learner's first turn is drawn again.

    Returns:
        The games that ended, and 0, NO_OPENING or NO_TURN.
    """
    _place(actions, asked.own, asked.opponent, asked.legal, asked.over, board, size)
    failed = 0
    for k in range(len(actions)):
        i = asked.game[k]
        games.own[i], games.opponent[i], games.legal[i] = asked.own[k], asked.opponent[k], asked.legal[k]
        _note(i, actions[k], games)
    numbers = asked.game[_true_ones(asked.over)]
    n = 0
    for i in numbers:
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
    ends = _end(ended, np.full(n, -1, np.int8), games, reward, reward_to, by_margin, size)
    if begin_next:
        for i in ended:
            if not _next(i, games, starts, board, size):
                failed = NO_OPENING
    return ends, failed


@kernel
def encode_8x8(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    legal: npt.NDArray[np.uint64],
    over: npt.NDArray[np.bool_],
    planes: npt.NDArray[np.uint64],
    masks: npt.NDArray[np.int8],
    mask_words: npt.NDArray[np.uint64],
    expand: npt.NDArray[np.uint64],
) -> None:
    """Write the observations of N games on 8x8 boards.

    Args:
        own: (N,), with the three that follow as in `Games`.
        opponent: (N,)
        legal: (N,)
        over: (N,)
        planes: (N, 16) the planes of int8 as words of eight.
        masks: (N, 65)
        mask_words: (N, 8) the first 64 bytes of each mask as words, which may lie anywhere.
        expand: EXPAND.
    """
    pairs = np.empty((_BLOCK, 2), np.uint64)
    pair_bytes = pairs.view(np.uint8).reshape(-1)
    for first in range(0, len(own), _BLOCK):
        last = min(first + _BLOCK, len(own))
        n = last - first
        p, o, moves, done = own[first:last], opponent[first:last], legal[first:last], over[first:last]
        words, rows, mask = planes[first:last].reshape(-1), mask_words[first:last], masks[first:last]
        for i in range(n):
            pairs[i, 0] = p[i]
            pairs[i, 1] = o[i]
        for i in range(16 * n):  # a byte's bits, spread over a word's bytes, then each carried up and down to its 1
            spread = np.uint64(pair_bytes[i]) * _EACH_BYTE & _DIAGONAL
            words[i] = ((spread + _CARRY) >> _7) & _EACH_BYTE
        for i in range(n):
            for j in range(8):
                rows[i, j] = expand[(moves[i] >> np.uint64(8 * j)) & _255]
            mask[i, 64] = (moves[i] == _0) & (not done[i])


@kernel
def encode_small(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    legal: npt.NDArray[np.uint64],
    over: npt.NDArray[np.bool_],
    planes: npt.NDArray[np.int8],
    masks: npt.NDArray[np.int8],
    size: int,
) -> None:
    """Write the planes (N, 2, S * S) and masks (N, A) of N games on smaller boards."""
    edge = (8 - size) // 2
    for i in range(len(own)):
        for row in range(size):
            shift = np.uint64(8 * (row + edge) + edge)
            for column in range(size):
                square, action = shift + np.uint64(column), size * row + column
                planes[i, 0, action] = (own[i] >> square) & _1
                planes[i, 1, action] = (opponent[i] >> square) & _1
                masks[i, action] = (legal[i] >> square) & _1
        masks[i, size * size] = (legal[i] == _0) & (not over[i])
