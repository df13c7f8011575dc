"""Begin, play and end the games of a batch. These compiled functions (kernels) serve every kind of game.

In every step, the fast kernel `play_all` plays the actions of all games. Few games begin or end in a step, so plain
loops over these few games are fast enough. Everything random in a game depends only on the game's key. From the same
key, `othello_env.games.openings` makes the same opening as these kernels.

Python code passes arrays to these kernels in plain tuples, because passing named tuples would take twice as long.

`othello_env.games.batch.arrays` explains the letters in shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.arrays import ILLEGAL, NO_OPENING, NO_TURN, OVER, SIDE_DRAWN, Course, Outcome, Plan
from othello_env.games.batch.primitives import (
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
    score,
    set_start,
    show,
    take,
    turn,
    worth,
)
from othello_env.games.hashing import OPENING, OPPONENT, POOL, REDRAW, SIDE, below, mix
from othello_env.support.jit import Int, kernel

__all__ = ["answer", "begin_all", "step", "true_places", "waiting"]

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
def _note(course: Course, i: int, action: int) -> None:
    """Add an action to the moves of game i."""
    course.moves[i, course.plies[i]] = action
    course.plies[i] += 1


@kernel(lean=True)
def _begin(rules: Any, course: Course, boards: _Tuple, i: int, key: np.uint64, plan: Plan, openings: _Tuple) -> bool:
    """Begin game i with this key. Returns False if it could not begin; NO_OPENING explains the reasons."""
    opening_key = mix(key, np.uint64(OPENING))
    chosen = np.int64(0)
    if len(plan.plies) > 1:
        chosen = np.int64(below(mix(opening_key, _0), np.uint64(len(plan.plies))))
    found = False
    for attempt in range(plan.attempts):
        course.over[i], course.plies[i] = False, 0
        if not set_start(rules, course, boards, i, key, plan, openings, int(chosen)):
            break
        if len(plan.plies) > 0:
            course.plies[i] = plan.plies[chosen]
            for ply in range(plan.plies[chosen]):
                course.moves[i, ply] = plan.moves[chosen, ply]
        found = _random_plies(rules, course, boards, i, plan.random_plies, mix(opening_key, np.uint64(attempt)))
        if found:
            break
    course.over[i] = not found
    course.key[i] = key
    _seat(course, i, key, plan)
    return found


@kernel(lean=True)
def _random_plies(rules: Any, course: Course, boards: _Tuple, i: int, plies: int, key: np.uint64) -> bool:
    """Play random plies in game i. Returns False if they end the game, or if `course.moves` has no space for them."""
    for _ in range(plies):
        if course.over[i] or course.plies[i] >= course.moves.shape[1]:
            return False
        action = choose(rules, course, boards, i, mix(key, turn(rules, course, boards, i)))
        _note(course, i, action)
        play(rules, course, boards, i, action)
    return not course.over[i]


@kernel(lean=True)
def _seat(course: Course, i: int, key: np.uint64, plan: Plan) -> None:
    """Choose the learner's player and the opponents in game i, by the key of the game."""
    others = course.rival.shape[1]
    course.learner[i] = plan.side
    if plan.side == SIDE_DRAWN:
        course.learner[i] = np.int64(mix(key, np.uint64(SIDE)) % np.uint64(others + 1))
    ticket = mix(key, np.uint64(POOL))
    for seat in range(others):
        drawn = (ticket if seat == 0 else mix(ticket, np.uint64(seat))) >> _32
        rival = 0
        while rival < plan.pool.shape[1] - 1 and drawn >= plan.pool[seat, rival]:
            rival += 1
        course.rival[i, seat] = plan.first + rival


@kernel
def begin_all(
    rules: Any,
    course_fields: _Tuple,
    boards: _Tuple,
    numbers: npt.NDArray[np.int64],
    ahead: Int,
    plan_fields: _Tuple,
    openings: _Tuple,
) -> int:
    """Begin new games in the batch.

    The array `numbers`, (M,), has the indices of the games that are replaced. First, the kernel adds `ahead` (0 or 1)
    to the entries of these games in `course.number`. The key of a new game is a hash of its entries in `course.env_key`
    and `course.number`.

    Returns:
        0, or NO_OPENING if a game could not begin.
    """
    return _begin_each(rules, Course(*course_fields), boards, numbers, ahead, Plan(*plan_fields), openings)


@kernel(lean=True)
def _begin_each(
    rules: Any, course: Course, boards: _Tuple, numbers: npt.NDArray[np.int64], ahead: Int, plan: Plan, openings: _Tuple
) -> int:
    """Do what `begin_all` does. This kernel is faster, because it does not count references to arrays."""
    failed = 0
    for number in numbers:
        i = int(number)
        course.number[i] += np.uint64(ahead)
        course.redraws[i] = 0
        if not _begin(rules, course, boards, i, mix(course.env_key[i], course.number[i]), plan, openings):
            failed = NO_OPENING
    return failed


@kernel(lean=True)
def _end(
    rules: Any,
    course: Course,
    boards: _Tuple,
    ended: npt.NDArray[np.int64],
    illegal: npt.NDArray[np.int64],
    outcome: Outcome,
    by_margin: bool,
    ends: npt.NDArray[Any],
    moves: npt.NDArray[np.integer],
) -> None:
    """Write the rewards of the E games that ended, and a record of each of these games.

    A record has the last board from the point of view of the learner or, in self-play, of the player to move. This
    player is the viewer of the record.

    Args:
        rules: the game's rules.
        course: the course of N games.
        boards: the boards of N games.
        ended: (E,) the indices of the games that ended.
        illegal: (E,) the illegal action that ended each game, or -1.
        outcome: the arrays into which the rewards are written.
        by_margin: whether rewards are margins instead of results.
        ends: (E,) the records; see `ends_dtype`.
        moves: (E, L) the moves of these games. The first `plies` entries of a row are the game's actions.
    """
    players = course.rival.shape[1] + 1
    for k in range(len(ended)):
        i = int(ended[k])
        viewer = int(course.learner[i] if course.learner[i] >= 0 else course.to_move[i])
        winner, best = -1, -np.inf
        for player in range(players):
            result = worth(rules, course, boards, i, player, False)
            winner = player if result > best else (-1 if result == best else winner)
            best = max(best, result)
            ends["scores"][k][player] = score(rules, course, boards, i, player)
        if illegal[k] >= 0:
            winner = -1
            outcome.reward[i] = -largest_margin(rules, course, boards, i) if by_margin else -1.0
        else:
            outcome.reward[i] = worth(rules, course, boards, i, int(outcome.reward_to[i]), by_margin)
        show(rules, course, boards, i, viewer)
        ends["game"][k], ends["viewer"][k], ends["to_move"][k] = i, viewer, course.to_move[i]
        ends["winner"][k], ends["illegal"][k], ends["plies"][k] = winner, illegal[k], course.plies[i]
        for seat in range(players - 1):
            ends["rival"][k][seat] = course.rival[i, seat]
        for ply in range(course.plies[i]):
            moves[k, ply] = course.moves[i, ply]
        keep(rules, boards, i, ends, k)


@kernel
def step(
    rules: Any,
    course_fields: _Tuple,
    boards: _Tuple,
    actions: npt.NDArray[np.int64],
    problems: int,
    outcome_fields: _Tuple,
    views: _Tuple,
    encodes: bool,
    plan_fields: _Tuple,
    openings: _Tuple,
    begin_next: bool,
    by_margin: bool,
    template: npt.NDArray[Any],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.integer], int]:
    """Play an action in each of N games.

    Args:
        rules: the game's rules.
        course_fields: the fields of `Course`, changed in place.
        boards: the boards of the games, changed in place.
        actions: (N,), all in range. An illegal action ends its game. If a game was already over, its action is ignored
            and the next game begins.
        problems: the result of `check` for the actions.
        outcome_fields: the fields of `Outcome`, written in place.
        views: the result of `Batch.views` for the planes and masks.
        encodes: whether to write the next observations and masks, too. This is faster than a second call for the
            kernel `encode`.
        plan_fields: the fields of `Plan`, for games that begin.
        openings: the boards of the plan's openings.
        begin_next: when a game ends, whether the next game begins in the same step.
        by_margin: whether rewards are margins instead of results.
        template: any array with the dtype of the records; see `ends_dtype`.

    Returns:
        Three items: the records of the games that ended, the moves of these games (see `_end`), and a number. The
        number is NO_OPENING if a game could not begin, else 0.
    """
    course, outcome, plan = Course(*course_fields), Outcome(*outcome_fields), Plan(*plan_fields)
    over = course.over
    was_over = true_places(over) if problems & OVER else np.empty(0, np.int64)
    wrong = _unplayable(rules, boards, actions, over) if problems else np.empty(0, np.bool_)
    _forget_step(course, outcome)
    _note_all(actions, course.moves, course.plies)
    play_all(rules, course, boards, actions, wrong)
    if problems & ILLEGAL:
        for i in true_places(wrong):
            forfeit(rules, course, boards, i)
            course.plies[i] -= 1
    failed = _begin_each(rules, course, boards, was_over, _NEXT, plan, openings)
    for i in range(len(actions)):
        outcome.terminated[i] = over[i]
    ended = true_places(over)
    illegal = np.full(len(ended), -1, np.int64)
    if problems & ILLEGAL:
        for k in range(len(ended)):
            if wrong[ended[k]]:
                illegal[k] = actions[ended[k]]
    ends = np.empty(len(ended), template.dtype)
    moves = np.empty((len(ended), course.moves.shape[1]), course.moves.dtype)
    _end(rules, course, boards, ended, illegal, outcome, by_margin, ends, moves)
    if begin_next and _begin_each(rules, course, boards, ended, _NEXT, plan, openings) != 0:
        failed = NO_OPENING
    if encodes:
        encode(rules, over, (course.to_move, course.learner), boards, views)
    return ends, moves, failed


@kernel(lean=True)
def _forget_step(course: Course, outcome: Outcome) -> None:
    """Overwrite what the last step wrote: `reward` with 0, `reward_to` with `to_move`, and `redraws` with -1."""
    for i in range(len(outcome.reward)):
        outcome.reward[i] = 0.0
    for i in range(len(outcome.reward)):
        outcome.reward_to[i] = course.to_move[i]
    for i in range(len(outcome.reward)):
        course.redraws[i] = -1


@kernel
def _unplayable(
    rules: Any, boards: _Tuple, actions: npt.NDArray[np.int64], over: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """(N,) flags. A flag is True if its action cannot be played, because the game is over or the action is illegal."""
    flags = np.empty(len(actions), np.bool_)
    for i in range(len(actions)):
        flags[i] = over[i] or not is_legal(rules, boards, i, actions[i])
    return flags


@kernel(lean=True)
def _note_all(actions: npt.NDArray[np.int64], moves: npt.NDArray[np.integer], plies: npt.NDArray[np.int32]) -> None:
    """Add an action to the moves of each of N games. In finished games, the added actions have no meaning."""
    last = moves.shape[1] - 1
    for i in range(len(actions)):
        moves[i, min(np.int64(plies[i]), last)] = actions[i]
    for i in range(len(actions)):
        plies[i] += 1


@kernel
def waiting(
    rules: Any, course_fields: _Tuple, boards: _Tuple
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8], npt.NDArray[np.uint64], npt.NDArray[np.int16], _Tuple]:
    """Play the forced passes of opponents, and find the games in which an opponent must choose an action.

    Returns:
        Five items. The first four are arrays (M,): the indices of the games in ascending order, the players to move,
        the keys for the opponents' random choices, and the numbers of the opponents. The fifth item is the result of
        `take` for these games.
    """
    course = Course(*course_fields)
    n, players = 0, course.rival.shape[1] + 1
    found = np.empty(len(course.over), np.int64)
    for i in range(len(course.over)):
        while course.learner[i] != course.to_move[i] and not course.over[i]:
            if not must_pass(rules, course, boards, i):
                found[n] = i
                n += 1
                break
            action = choose(rules, course, boards, i, _0)
            _note(course, i, action)
            play(rules, course, boards, i, action)
    numbers = found[:n].copy()
    to_move, key, rival = np.empty(n, np.int8), np.empty(n, np.uint64), np.empty(n, np.int16)
    for k in range(n):
        i = int(numbers[k])
        to_move[k], key[k] = course.to_move[i], mix(course.key[i], np.uint64(OPPONENT))
        seat = 0
        if players > 2:
            key[k] = mix(key[k], np.uint64(to_move[k]))
            seat = (to_move[k] - course.learner[i] - 1) % players
        rival[k] = course.rival[i, seat]
    return numbers, to_move, key, rival, take(rules, boards, numbers)


@kernel
def answer(
    rules: Any,
    course_fields: _Tuple,
    boards: _Tuple,
    numbers: npt.NDArray[np.int64],
    taken: _Tuple,
    actions: npt.NDArray[np.int64],
    outcome_fields: _Tuple,
    plan_fields: _Tuple,
    openings: _Tuple,
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
    course, outcome, plan = Course(*course_fields), Outcome(*outcome_fields), Plan(*plan_fields)
    for k in range(len(actions)):
        _note(course, numbers[k], actions[k])
    play_taken(rules, course, boards, numbers, taken, actions)
    ended = np.empty(len(numbers), np.int64)
    n, failed = 0, 0
    for number in numbers:
        i = int(number)
        if not course.over[i]:
            continue
        if course.redraws[i] < 0:
            ended[n] = i
            outcome.terminated[i] = True
            n += 1
        elif course.redraws[i] == plan.redraws:
            failed = NO_TURN
        else:
            course.redraws[i] += 1
            if not _begin(rules, course, boards, i, mix(course.key[i], np.uint64(REDRAW)), plan, openings):
                failed = NO_OPENING
    ended, illegal = ended[:n], np.full(n, -1, np.int64)
    ends = np.empty(n, template.dtype)
    moves = np.empty((n, course.moves.shape[1]), course.moves.dtype)
    _end(rules, course, boards, ended, illegal, outcome, by_margin, ends, moves)
    if begin_next and _begin_each(rules, course, boards, ended, _NEXT, plan, openings) != 0:
        failed = NO_OPENING
    return ends, moves, failed
