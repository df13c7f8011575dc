"""Begin, play and end the games of a batch. These compiled functions (kernels) serve every kind of game.

In every step, the fast kernel `play_all` plays the actions of all games. Few games begin or end in a step, so plain
loops over these few games are fast enough. Everything random in a game depends only on the game's key. From the same
key, `othello_env.games.openings` makes the same opening as these kernels.

Python passes arrays to these kernels in plain tuples, because passing named tuples takes twice as long.

`othello_env.games.batch.batch` explains the letters in shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.functions import (
    check,
    choose,
    encode,
    forfeit,
    is_legal,
    keep,
    largest_margin,
    must_pass,
    play,
    play_all,
    play_taken,
    result,
    score,
    score_all,
    set_start,
    take,
    turn,
    view_from,
)
from othello_env.games.batch.state import (
    ILLEGAL,
    NO_OPENING,
    NO_TURN,
    OVER,
    SIDE_DRAWN,
    UNCHECKED,
    BatchState,
    InitialArrays,
    Outputs,
)
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, POOL, REDRAW, SIDE, first_above, mix
from othello_env.support.jit import Int, kernel

__all__ = ["answer", "are_legal", "begin_all", "draw_actions", "observe", "randomise", "step", "true_places", "waiting"]

_Tuple = tuple[Any, ...]
_0, _32 = np.uint64(0), np.uint64(32)
_NEXT = np.int64(1)  # an int64, because Numba gives the literal 1 a type of its own


@kernel
def true_places(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The indices of the flags that are True, in ascending order. The loop is fast, because it has no branch."""
    places = np.empty(len(flags) + 1, np.int64)
    n = 0
    for i in range(len(flags)):
        places[n] = i
        n += int(flags[i])
    return places[:n]


@kernel(inline=True, lean=True)
def _note(games: BatchState, i: int, action: int) -> None:
    """Add an action to the moves of game i."""
    games.moves[i, games.plies[i]] = action
    games.plies[i] += 1


@kernel(lean=True)
def _begin(constants: Any, games: BatchState, boards: _Tuple, i: int, key: np.uint64, initial: InitialArrays) -> bool:
    """Begin game i with this key. Returns False if it could not begin; NO_OPENING explains the reasons."""
    opening_key = mix(key, np.uint64(OPENING))
    chosen = first_above(initial.bounds, mix(opening_key, _0) >> _32) if len(initial.bounds) > 1 else 0
    found = False
    for attempt in range(initial.attempts):
        games.over[i], games.plies[i] = False, 0
        if not set_start(constants, games, boards, i, key, initial, chosen):
            break
        if len(initial.plies) > 0:
            games.plies[i] = initial.plies[chosen]
            for ply in range(initial.plies[chosen]):
                games.moves[i, ply] = initial.moves[chosen, ply]
        found = _random_plies(constants, games, boards, i, initial.random_plies, mix(opening_key, np.uint64(attempt)))
        if found:
            break
    games.over[i] = not found
    games.key[i] = key
    _seat(games, i, key, initial)
    return found


@kernel(lean=True)
def _random_plies(constants: Any, games: BatchState, boards: _Tuple, i: int, plies: int, key: np.uint64) -> bool:
    """Play random plies in game i. Returns False if they end the game, or if `games.moves` has no space for them."""
    for _ in range(plies):
        if games.over[i] or games.plies[i] >= games.moves.shape[1]:
            return False
        action = choose(constants, games, boards, i, mix(key, turn(constants, games, boards, i)))
        _note(games, i, action)
        play(constants, games, boards, i, action)
    return not games.over[i]


@kernel(lean=True)
def _seat(games: BatchState, i: int, key: np.uint64, initial: InitialArrays) -> None:
    """Choose the learner's player and the opponents in game i, by the key of the game."""
    others = games.opponents.shape[1]
    games.learner[i] = initial.side
    if initial.side == SIDE_DRAWN:
        games.learner[i] = np.int64(mix(key, np.uint64(SIDE)) % np.uint64(others + 1))
    seat_key = mix(key, np.uint64(POOL))
    for seat in range(others):
        drawn = (seat_key if seat == 0 else mix(seat_key, np.uint64(seat))) >> _32
        games.opponents[i, seat] = initial.first + first_above(initial.pool[seat], drawn)


@kernel
def begin_all(
    constants: Any,
    fields: _Tuple,
    boards: _Tuple,
    numbers: npt.NDArray[np.int64],
    ahead: Int,
    initial_fields: _Tuple,
) -> int:
    """Begin new games in the batch.

    The array `numbers`, (M,), has the indices of the games that are replaced. First, the kernel adds `ahead` (0 or 1)
    to the entries of these games in `games.number`. The key of a new game is a hash of its entries in `games.env_key`
    and `games.number`.

    Returns:
        0, or NO_OPENING if a game could not begin.
    """
    return _begin_each(constants, BatchState(*fields), boards, numbers, ahead, InitialArrays(*initial_fields))


@kernel(lean=True)
def _begin_each(
    constants: Any,
    games: BatchState,
    boards: _Tuple,
    numbers: npt.NDArray[np.int64],
    ahead: Int,
    initial: InitialArrays,
) -> int:
    """Do what `begin_all` does. This kernel is faster, because it does not count references to arrays."""
    failed = 0
    for number in numbers:
        i = int(number)
        games.number[i] += np.uint64(ahead)
        games.redraws[i] = 0
        if not _begin(constants, games, boards, i, mix(games.env_key[i], games.number[i]), initial):
            failed = NO_OPENING
    return failed


@kernel(lean=True)
def _end(
    constants: Any,
    games: BatchState,
    boards: _Tuple,
    ended: npt.NDArray[np.int64],
    illegal: npt.NDArray[np.int64],
    out: Outputs,
    by_margin: bool,
    ends: npt.NDArray[Any],
    moves: npt.NDArray[np.integer],
) -> None:
    """Write the rewards of the E games that ended, and a record of each of these games.

    A record has the last board from the point of view of the learner or, in self-play, of the player to move. This
    player is the viewer of the record.

    Args:
        constants: the game's constants.
        games: the games of N games.
        boards: the boards of N games.
        ended: (E,) the indices of the games that ended.
        illegal: (E,) the illegal action that ended each game, or -1.
        out: the rewards are written into these arrays.
        by_margin: whether rewards are margins instead of results.
        ends: (E,) the records; see `ends_dtype`.
        moves: (E, L) the moves of these games. The first `plies` entries of a row are the game's actions.
    """
    players = games.opponents.shape[1] + 1
    for k in range(len(ended)):
        i = int(ended[k])
        viewer = int(games.learner[i] if games.learner[i] >= 0 else games.to_move[i])
        winner, best = -1, -np.inf
        for player in range(players):
            got = result(constants, games, boards, i, player, False)
            winner = player if got > best else (-1 if got == best else winner)
            best = max(best, got)
            ends["scores"][k][player] = score(constants, games, boards, i, player)
        if illegal[k] >= 0:
            winner = -1
            out.reward[i] = -largest_margin(constants, games, boards, i) if by_margin else -1.0
        else:
            out.reward[i] = result(constants, games, boards, i, int(out.reward_to[i]), by_margin)
        view_from(constants, games, boards, i, viewer)
        ends["game"][k], ends["viewer"][k], ends["to_move"][k] = i, viewer, games.to_move[i]
        ends["winner"][k], ends["illegal"][k], ends["plies"][k] = winner, illegal[k], games.plies[i]
        for seat in range(players - 1):
            ends["opponents"][k][seat] = games.opponents[i, seat]
        for ply in range(games.plies[i]):
            moves[k, ply] = games.moves[i, ply]
        keep(constants, boards, i, ends, k)


@kernel
def step(
    constants: Any,
    fields: _Tuple,
    boards: _Tuple,
    actions: npt.NDArray[np.int64],
    problems: Int,
    refused: Int,
    out_fields: _Tuple,
    observes: bool,
    initial_fields: _Tuple,
    begin_next: bool,
    by_margin: bool,
    template: npt.NDArray[Any],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.integer], int, Int]:
    """Play an action in each of N games, unless the actions have a problem that is refused. Then nothing changes.

    Args:
        constants: the game's constants.
        fields: the fields of `BatchState`, changed in place.
        boards: the boards of the games, changed in place.
        actions: (N,). An illegal action ends its game. If a game was already over, its action is ignored and the next
            game begins.
        problems: the result of `check` for the actions, or UNCHECKED if the step must check them.
        refused: the sum of the problems that are refused; OUT_OF_RANGE is always one of them.
        out_fields: the fields of `Outputs`, written in place.
        observes: whether to do what `observe` does, too.
        initial_fields: the fields of `InitialArrays`, for games that begin.
        begin_next: when a game ends, whether the next game begins in the same step.
        by_margin: whether rewards are margins instead of results.
        template: any array with the dtype of the records; see `ends_dtype`.

    Returns:
        Four items: the records of the games that ended, the moves of these games (see `_end`), a number that is
        NO_OPENING if a game could not begin, else 0, and the problems.
    """
    games, out, initial = BatchState(*fields), Outputs(*out_fields), InitialArrays(*initial_fields)
    over = games.over
    if problems == UNCHECKED:
        problems = np.int64(check(constants, boards, actions, over, out.num_actions))
    if problems & refused:
        return np.empty(0, template.dtype), np.empty((0, games.moves.shape[1]), games.moves.dtype), 0, problems
    was_over = true_places(over) if problems & OVER else np.empty(0, np.int64)
    wrong = _unplayable(constants, boards, actions, over) if problems else np.empty(0, np.bool_)
    _forget_step(games, out)
    _note_all(actions, games.moves, games.plies)
    play_all(constants, games, boards, actions, wrong)
    if problems & ILLEGAL:
        for i in true_places(wrong):
            forfeit(constants, games, boards, i)
            games.plies[i] -= 1
    failed = _begin_each(constants, games, boards, was_over, _NEXT, initial)
    for i in range(len(actions)):
        out.terminated[i] = over[i]
    ended = true_places(over)
    illegal = np.full(len(ended), -1, np.int64)
    if problems & ILLEGAL:
        for k in range(len(ended)):
            if wrong[ended[k]]:
                illegal[k] = actions[ended[k]]
    ends = np.empty(len(ended), template.dtype)
    moves = np.empty((len(ended), games.moves.shape[1]), games.moves.dtype)
    _end(constants, games, boards, ended, illegal, out, by_margin, ends, moves)
    if begin_next and _begin_each(constants, games, boards, ended, _NEXT, initial) != 0:
        failed = NO_OPENING
    if observes:
        _observe(constants, games, boards, out)
    return ends, moves, failed, problems


@kernel
def observe(constants: Any, fields: _Tuple, boards: _Tuple, out_fields: _Tuple) -> None:
    """Write the observations, masks and scores of N games into `Outputs`."""
    _observe(constants, BatchState(*fields), boards, Outputs(*out_fields))


@kernel(lean=True)
def _observe(constants: Any, games: BatchState, boards: _Tuple, out: Outputs) -> None:
    encode(constants, games.over, (games.to_move, games.learner), boards, out.views)
    score_all(constants, games, boards, out.scores)


@kernel(lean=True)
def _forget_step(games: BatchState, out: Outputs) -> None:
    """Overwrite what the last step wrote: `reward` with 0, `reward_to` with `to_move`, and `redraws` with -1."""
    for i in range(len(out.reward)):
        out.reward[i] = 0.0
    for i in range(len(out.reward)):
        out.reward_to[i] = games.to_move[i]
    for i in range(len(out.reward)):
        games.redraws[i] = -1


@kernel
def _unplayable(
    constants: Any, boards: _Tuple, actions: npt.NDArray[np.int64], over: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """(N,) flags. A flag is True if its action cannot be played, because the game is over or the action is illegal."""
    flags = np.empty(len(actions), np.bool_)
    for i in range(len(actions)):
        flags[i] = over[i] or not is_legal(constants, boards, i, actions[i])
    return flags


@kernel(lean=True)
def _note_all(actions: npt.NDArray[np.int64], moves: npt.NDArray[np.integer], plies: npt.NDArray[np.int64]) -> None:
    """Add an action to the moves of each of N games. In finished games, the added actions have no meaning."""
    last = moves.shape[1] - 1
    for i in range(len(actions)):
        moves[i, min(np.int64(plies[i]), last)] = actions[i]
    for i in range(len(actions)):
        plies[i] += 1


@kernel
def waiting(
    constants: Any, fields: _Tuple, boards: _Tuple
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8], npt.NDArray[np.uint64], npt.NDArray[np.int16], _Tuple]:
    """Play the forced passes of opponents, and find the games in which an opponent must choose an action.

    Returns:
        Five items. The first four are arrays (M,): the indices of the games in ascending order, the players to move,
        the keys for the opponents' random choices, and the numbers of the opponents. The fifth item is the result of
        `take` for these games.
    """
    games = BatchState(*fields)
    n, players = 0, games.opponents.shape[1] + 1
    found = np.empty(len(games.over), np.int64)
    for i in range(len(games.over)):
        while games.learner[i] != games.to_move[i] and not games.over[i]:
            if not must_pass(constants, games, boards, i):
                found[n] = i
                n += 1
                break
            action = choose(constants, games, boards, i, _0)
            _note(games, i, action)
            play(constants, games, boards, i, action)
    numbers = found[:n].copy()
    to_move, key, opponent = np.empty(n, np.int8), np.empty(n, np.uint64), np.empty(n, np.int16)
    for k in range(n):
        i = int(numbers[k])
        to_move[k], key[k] = games.to_move[i], mix(games.key[i], np.uint64(OPPONENT))
        seat = 0
        if players > 2:
            key[k] = mix(key[k], np.uint64(to_move[k]))
            seat = (to_move[k] - games.learner[i] - 1) % players
        opponent[k] = games.opponents[i, seat]
    return numbers, to_move, key, opponent, take(constants, boards, numbers)


@kernel
def answer(
    constants: Any,
    fields: _Tuple,
    boards: _Tuple,
    numbers: npt.NDArray[np.int64],
    taken: _Tuple,
    actions: npt.NDArray[np.int64],
    out_fields: _Tuple,
    initial_fields: _Tuple,
    begin_next: bool,
    by_margin: bool,
    template: npt.NDArray[Any],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.integer], int]:
    """Play a legal action of an opponent in each of the M games at the indices `numbers`.

    `taken` is the result of `take` for these games. `step` explains the other arguments. If an action ends a game
    before the learner's first turn, a new game replaces this game.

    Returns:
        Three items: the records of the games that ended, the moves of these games (see `_end`), and a number. The
        number is NO_OPENING or NO_TURN if a game could not begin, else 0.
    """
    games, out, initial = BatchState(*fields), Outputs(*out_fields), InitialArrays(*initial_fields)
    for k in range(len(actions)):
        _note(games, numbers[k], actions[k])
    play_taken(constants, games, boards, numbers, taken, actions)
    ended = np.empty(len(numbers), np.int64)
    n, failed = 0, 0
    for number in numbers:
        i = int(number)
        if not games.over[i]:
            continue
        if games.redraws[i] < 0:
            ended[n] = i
            out.terminated[i] = True
            n += 1
        elif games.redraws[i] == initial.redraws:
            failed = NO_TURN
        else:
            games.redraws[i] += 1
            if not _begin(constants, games, boards, i, mix(games.key[i], np.uint64(REDRAW)), initial):
                failed = NO_OPENING
    ended, illegal = ended[:n], np.full(n, -1, np.int64)
    ends = np.empty(n, template.dtype)
    moves = np.empty((n, games.moves.shape[1]), games.moves.dtype)
    _end(constants, games, boards, ended, illegal, out, by_margin, ends, moves)
    if begin_next and _begin_each(constants, games, boards, ended, _NEXT, initial) != 0:
        failed = NO_OPENING
    return ends, moves, failed


@kernel
def are_legal(
    constants: Any, boards: _Tuple, numbers: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], num_actions: int
) -> bool:
    """Whether all M actions are legal. Action k is for the game at the index `numbers[k]`."""
    for k in range(len(numbers)):
        if actions[k] < 0 or actions[k] >= num_actions or not is_legal(constants, boards, numbers[k], actions[k]):
            return False
    return True


@kernel
def draw_actions(
    constants: Any, fields: _Tuple, boards: _Tuple, numbers: npt.NDArray[np.int64], key: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]:
    """(M,) uniformly random legal actions, one for each of the M games at the indices `numbers`.

    `key`, (M,), has each game's key for random choices. For the same key and position,
    `othello_env.agent.protocol.Chance.choose` returns the same action.
    """
    games = BatchState(*fields)
    actions = np.empty(len(numbers), np.int64)
    for k in range(len(numbers)):
        i = numbers[k]
        bits = mix(mix(key[k], turn(constants, games, boards, i)), np.uint64(CHOICE))
        actions[k] = choose(constants, games, boards, i, bits)
    return actions


@kernel
def randomise(
    constants: Any,
    fields: _Tuple,
    boards: _Tuple,
    numbers: npt.NDArray[np.int64],
    key: npt.NDArray[np.uint64],
    threshold: np.uint64,
    actions: npt.NDArray[np.int64],
) -> None:
    """Replace each action, with probability `threshold` / 2**32, by a uniformly random legal action.

    `actions`, (M,), is changed in place. Action k is for the game at the index `numbers[k]`.
    """
    games = BatchState(*fields)
    for k in range(len(numbers)):
        i = numbers[k]
        turn_key = mix(mix(key[k], np.uint64(EPSILON)), turn(constants, games, boards, i))
        if mix(turn_key, np.uint64(EPSILON)) >> _32 < threshold:
            actions[k] = choose(constants, games, boards, i, mix(turn_key, np.uint64(CHOICE)))
