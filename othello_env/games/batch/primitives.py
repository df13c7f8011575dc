"""The kernels that each game implements for the batch. They are generic: see `othello_env.support.generic`.

The first argument of each is the game's rules. The rules of each game are a NamedTuple class of their own, which
selects the game's version of the kernel. Then come the data that all games have in common (`Course`) and the boards, a
tuple of arrays that only the game's own kernels read.

A game must have its own `set_start`, `choose`, `play`, `turn`, `score`, `worth`, `largest_margin`, `is_legal`, `encode`
and `keep`. The other kernels have bodies that work for most games; a game's own versions can be faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.arrays import ILLEGAL, OUT_OF_RANGE, OVER, Course, Plan
from othello_env.support.generic import generic

__all__ = [
    "check",
    "choose",
    "encode",
    "forfeit",
    "is_legal",
    "keep",
    "largest_margin",
    "must_pass",
    "play",
    "play_all",
    "play_taken",
    "score",
    "set_start",
    "show",
    "take",
    "turn",
    "worth",
]

_Boards = tuple[Any, ...]
_Seats = tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]
_Arrays = tuple[Any, ...]


@generic(lean=True)
def set_start(
    rules: Any, course: Course, boards: _Boards, i: int, key: np.uint64, plan: Plan, openings: _Boards, chosen: int
) -> bool:
    """Set up the board of game i and its player to move. Returns False if the rules allow no start.

    Args:
        rules: the game's rules.
        course: the course of N games.
        boards: the boards of N games.
        i: the number of the game.
        key: the key of the game; it draws everything random in a start.
        plan: how games begin.
        openings: the boards of the plan's openings.
        chosen: the number of the opening; if the plan has no openings, the game's own start is set up.
    """
    raise NotImplementedError


@generic(lean=True)
def turn(rules: Any, course: Course, boards: _Boards, i: int) -> np.uint64:
    """The `State.turn` of game i."""
    raise NotImplementedError


@generic(lean=True)
def choose(rules: Any, course: Course, boards: _Boards, i: int, bits: np.uint64) -> int:
    """A legal action of game i that 64 random bits draw uniformly, as `State.draw_action` does."""
    raise NotImplementedError


@generic(lean=True)
def play(rules: Any, course: Course, boards: _Boards, i: int, action: int) -> None:
    """Play a legal action in game i: update its board, its player to move, and whether it is over.

    The course has recorded the action already, as its last one.
    """
    raise NotImplementedError


@generic()
def play_all(
    rules: Any, course: Course, boards: _Boards, actions: npt.NDArray[np.int64], illegal: npt.NDArray[np.bool_]
) -> None:
    """Play an action in each of N games. A game that is over or whose action is illegal may be left in any state.

    `illegal` has one flag per game, set where the action is illegal or the game is over. It is empty if no flag is set.
    """
    for i in range(len(actions)):
        if len(illegal) == 0 or not illegal[i]:
            play(rules, course, boards, i, actions[i])


@generic(lean=True)
def forfeit(rules: Any, course: Course, boards: _Boards, i: int) -> None:
    """End game i in the position before its illegal action, whatever `play_all` has done to it."""
    course.over[i] = True


@generic(lean=True)
def must_pass(rules: Any, course: Course, boards: _Boards, i: int) -> bool:
    """Whether the player to move in game i, which is not over, has no other action than a pass."""
    return False


@generic(lean=True)
def score(rules: Any, course: Course, boards: _Boards, i: int, player: int) -> int:
    """A player's score in game i, as in `State.scores`."""
    raise NotImplementedError


@generic(lean=True)
def worth(rules: Any, course: Course, boards: _Boards, i: int, player: int, by_margin: bool) -> float:
    """A player's result in the finished game i; with `by_margin`, the player's margin."""
    raise NotImplementedError


@generic(lean=True)
def largest_margin(rules: Any, course: Course, boards: _Boards, i: int) -> float:
    """The largest margin with which game i can end."""
    raise NotImplementedError


@generic(lean=True)
def show(rules: Any, course: Course, boards: _Boards, i: int, viewer: int) -> None:
    """Orient the board of the finished game i to its viewer, if this game's boards have a point of view."""


@generic()
def take(rules: Any, boards: _Boards, numbers: npt.NDArray[np.int64]) -> _Boards:
    """Copy what `play_taken` and this game's agents need from the boards of some games."""
    return ()


@generic()
def play_taken(
    rules: Any,
    course: Course,
    boards: _Boards,
    numbers: npt.NDArray[np.int64],
    taken: _Boards,
    actions: npt.NDArray[np.int64],
) -> None:
    """Play a legal action in each of some games; `taken` is what `take` returned for them."""
    for k in range(len(numbers)):
        play(rules, course, boards, numbers[k], actions[k])


@generic(lean=True)
def keep(rules: Any, boards: _Boards, i: int, ends: npt.NDArray[Any], k: int) -> None:
    """Copy the board of game i to the board fields of the k-th end."""
    raise NotImplementedError


@generic(lean=True)
def is_legal(rules: Any, boards: _Boards, i: int, action: int) -> bool:
    """Whether an action in range is legal in game i, which is not over."""
    raise NotImplementedError


@generic()
def check(
    rules: Any, boards: _Boards, actions: npt.NDArray[np.int64], over: npt.NDArray[np.bool_], num_actions: int
) -> int:
    """The problems of the actions for N games: the sum of those of OUT_OF_RANGE, ILLEGAL and OVER that occur, or 0.

    An action in range for a finished game counts as OVER, not as ILLEGAL.
    """
    problems = 0
    for i in range(len(actions)):
        if over[i]:
            problems |= OVER
        if actions[i] < 0 or actions[i] >= num_actions:
            problems |= OUT_OF_RANGE
        elif not over[i] and not is_legal(rules, boards, i, actions[i]):
            problems |= ILLEGAL
    return problems


@generic()
def encode(rules: Any, over: npt.NDArray[np.bool_], seats: _Seats, boards: _Boards, arrays: _Arrays) -> None:
    """Write the observations of N games, as the players to move see them; of finished games, as the viewers do.

    Args:
        rules: the game's rules.
        over: the course's `over`, (N,).
        seats: the course's `to_move` and `learner`, both (N,).
        boards: the boards of N games.
        arrays: planes (N, planes, H, W) and masks (N, A), both int8, in the form that the game's `Batch.views` returns.
    """
    raise NotImplementedError
