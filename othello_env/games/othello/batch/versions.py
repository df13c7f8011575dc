"""Othello's versions of the kernels in `othello_env.games.batch.primitives`.

The boards are three arrays of sets of squares, each (N,) uint64. `own` has the discs of the player to move, and
`opponent` has the other player's discs. `legal` has the squares on which the player to move may place a disc. If
`legal` is 0 and the game is not over, the player must pass. After the end of a game, `own` has the discs of the player
that sees the last observation. The field `viewer` of `othello_env.games.batch.arrays.ends_dtype` is the index of this
player.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import primitives as batch
from othello_env.games.batch.arrays import Course, Plan
from othello_env.games.othello.batch import passes
from othello_env.games.othello.bitboard import advance, draw_move, final_margin, game_result, popcount
from othello_env.support.generic import version

__all__ = ["OthelloRules"]

_Boards = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.uint64]]
_0, _1 = np.uint64(0), np.uint64(1)


class OthelloRules(NamedTuple):
    """The constants of a board that the kernels need."""

    board: np.uint64
    """The squares of the board, as a set of bits."""
    size: int


@version(batch.set_start, OthelloRules)
def _set_start(
    rules: OthelloRules,
    course: Course,
    boards: _Boards,
    i: int,
    key: np.uint64,
    plan: Plan,
    openings: _Boards,
    chosen: int,
) -> bool:
    own, opponent, legal = boards
    course.to_move[i] = plan.to_move[chosen]
    own[i], opponent[i], legal[i] = openings[0][chosen], openings[1][chosen], openings[2][chosen]
    return True


@version(batch.turn, OthelloRules)
def _turn(rules: OthelloRules, course: Course, boards: _Boards, i: int) -> np.uint64:
    return popcount(boards[0][i] | boards[1][i])


@version(batch.choose, OthelloRules)
def _choose(rules: OthelloRules, course: Course, boards: _Boards, i: int, bits: np.uint64) -> int:
    return int(draw_move(boards[2][i], bits, rules.size))


@version(batch.play, OthelloRules)
def _play(rules: OthelloRules, course: Course, boards: _Boards, i: int, action: int) -> None:
    own, opponent, legal = boards
    disc = passes.disc_of(action, np.uint64(rules.size))
    own[i], opponent[i], legal[i], reply = advance(own[i], opponent[i], disc, rules.board)
    course.over[i] = legal[i] | reply == _0
    course.to_move[i] ^= 1


@version(batch.play_all, OthelloRules)
def _play_all(
    rules: OthelloRules,
    course: Course,
    boards: _Boards,
    actions: npt.NDArray[np.int64],
    illegal: npt.NDArray[np.bool_],
) -> None:
    for i in range(len(actions)):
        course.to_move[i] ^= 1
    passes.place(actions, boards[0], boards[1], boards[2], course.over, rules.board, rules.size)


@version(batch.forfeit, OthelloRules)
def _forfeit(rules: OthelloRules, course: Course, boards: _Boards, i: int) -> None:
    own, opponent, legal = boards
    own[i], opponent[i] = opponent[i], own[i]  # the illegal action was played as a pass: undo that pass
    course.to_move[i] ^= 1
    legal[i], course.over[i] = _0, True


@version(batch.must_pass, OthelloRules)
def _must_pass(rules: OthelloRules, course: Course, boards: _Boards, i: int) -> bool:
    return bool(boards[2][i] == _0)


@version(batch.score, OthelloRules)
def _score(rules: OthelloRules, course: Course, boards: _Boards, i: int, player: int) -> int:
    own, opponent, _ = boards
    return int(popcount(own[i] if player == course.to_move[i] else opponent[i]))


@version(batch.worth, OthelloRules)
def _worth(rules: OthelloRules, course: Course, boards: _Boards, i: int, player: int, by_margin: bool) -> float:
    own, opponent, _ = boards
    result = game_result(own[i], opponent[i])
    if by_margin:
        result = final_margin(own[i], opponent[i], rules.size * rules.size)
    return float(result if player == course.to_move[i] else -result)


@version(batch.largest_margin, OthelloRules)
def _largest_margin(rules: OthelloRules, course: Course, boards: _Boards, i: int) -> float:
    return float(rules.size * rules.size)


@version(batch.show, OthelloRules)
def _show(rules: OthelloRules, course: Course, boards: _Boards, i: int, viewer: int) -> None:
    own, opponent, _ = boards
    if viewer != course.to_move[i]:
        own[i], opponent[i] = opponent[i], own[i]


@version(batch.take, OthelloRules)
def _take(rules: OthelloRules, boards: _Boards, numbers: npt.NDArray[np.int64]) -> _Boards:
    own, opponent, legal = boards
    return own[numbers], opponent[numbers], legal[numbers]


@version(batch.play_taken, OthelloRules)
def _play_taken(
    rules: OthelloRules,
    course: Course,
    boards: _Boards,
    numbers: npt.NDArray[np.int64],
    taken: _Boards,
    actions: npt.NDArray[np.int64],
) -> None:
    own, opponent, legal = taken
    over = np.zeros(len(numbers), np.bool_)
    passes.place(actions, own, opponent, legal, over, rules.board, rules.size)
    for k in range(len(numbers)):
        i = numbers[k]
        boards[0][i], boards[1][i], boards[2][i], course.over[i] = own[k], opponent[k], legal[k], over[k]
        course.to_move[i] ^= 1


@version(batch.keep, OthelloRules)
def _keep(rules: OthelloRules, boards: _Boards, i: int, ends: npt.NDArray[Any], k: int) -> None:
    ends[k]["own"], ends[k]["opponent"] = boards[0][i], boards[1][i]


@version(batch.is_legal, OthelloRules)
def _is_legal(rules: OthelloRules, boards: _Boards, i: int, action: int) -> bool:
    return bool(passes.allowed(action, boards[2][i], np.uint64(rules.size)) != _0)


@version(batch.check, OthelloRules)
def _check(
    rules: OthelloRules,
    boards: _Boards,
    actions: npt.NDArray[np.int64],
    over: npt.NDArray[np.bool_],
    num_actions: int,
) -> int:
    return passes.check(actions, boards[2], over, rules.size)


@version(batch.encode, OthelloRules)
def _encode(
    rules: OthelloRules, over: npt.NDArray[np.bool_], seats: tuple[Any, ...], boards: _Boards, arrays: tuple[Any, ...]
) -> None:
    if rules.size == 8:
        passes.encode_8x8(boards, over, arrays)
    else:
        passes.encode_small(boards, over, arrays, rules.size)
