"""What each game tells the batch: generic kernels (`othello_env.support.generic`), of which every game has versions.

All of them take the game's rules first, a NamedTuple class of its own, by which the version is chosen; then what the
games have in common (`Course`) and their boards, a tuple of arrays that only the game's own kernels look into.

A game needs `set_start`, `choose`, `play`, `turn`, `score`, `worth`, `largest_margin`, `is_legal`, `encode` and
`keep`. The others have bodies that serve most games; a version of its own makes a game quicker.
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
    """Set up the board of game i and who is to move there. Returns False if there is no such start.

    Args:
        rules: of the game.
        course: of N games.
        boards: of N games.
        i: the game.
        key: of the game; it draws what is random in a start.
        plan: how games begin.
        openings: their boards.
        chosen: the number of the opening; if the plan has none, the game's own start is set up.
    """
    raise NotImplementedError


@generic(lean=True)
def turn(rules: Any, course: Course, boards: _Boards, i: int) -> np.uint64:
    """The `State.turn` of game i."""
    raise NotImplementedError


@generic(lean=True)
def choose(rules: Any, course: Course, boards: _Boards, i: int, bits: np.uint64) -> int:
    """The legal action of game i, uniformly drawn by 64 random bits as `State.draw_action` does."""
    raise NotImplementedError


@generic(lean=True)
def play(rules: Any, course: Course, boards: _Boards, i: int, action: int) -> None:
    """Play a legal action in game i: change its board, who is to move, and whether it is over.

    The course has noted the action already, as its last one.
    """
    raise NotImplementedError


@generic()
def play_all(
    rules: Any, course: Course, boards: _Boards, actions: npt.NDArray[np.int64], illegal: npt.NDArray[np.bool_]
) -> None:
    """Play an action in each of N games. What becomes of finished games and of those with an illegal one is open.

    `illegal` has a flag a game, or is empty if there is nothing illegal and no game is over.
    """
    for i in range(len(actions)):
        if len(illegal) == 0 or not illegal[i]:
            play(rules, course, boards, i, actions[i])


@generic(lean=True)
def forfeit(rules: Any, course: Course, boards: _Boards, i: int) -> None:
    """End game i where it stood before its illegal action, whatever `play_all` has done there."""
    course.over[i] = True


@generic(lean=True)
def must_pass(rules: Any, course: Course, boards: _Boards, i: int) -> bool:
    """Whether the player to move in game i, which goes on, has no other action than a pass."""
    return False


@generic(lean=True)
def score(rules: Any, course: Course, boards: _Boards, i: int, player: int) -> int:
    """What the game counts for a player in game i, as `State.scores`."""
    raise NotImplementedError


@generic(lean=True)
def worth(rules: Any, course: Course, boards: _Boards, i: int, player: int, by_margin: bool) -> float:
    """The result of the finished game i for a player, or its margin."""
    raise NotImplementedError


@generic(lean=True)
def largest_margin(rules: Any, course: Course, boards: _Boards, i: int) -> float:
    """The largest margin that game i can end with."""
    raise NotImplementedError


@generic(lean=True)
def show(rules: Any, course: Course, boards: _Boards, i: int, viewer: int) -> None:
    """Turn the finished game i to the player to whom it is shown, where boards have a point of view."""


@generic()
def take(rules: Any, boards: _Boards, numbers: npt.NDArray[np.int64]) -> _Boards:
    """What `play_taken` and the agents of this game look into of some games' boards, in memory of its own."""
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
    """Play a legal action in each of some games, of which `take` has taken the boards."""
    for k in range(len(numbers)):
        play(rules, course, boards, numbers[k], actions[k])


@generic(lean=True)
def keep(rules: Any, boards: _Boards, i: int, ends: npt.NDArray[Any], k: int) -> None:
    """Write the board of game i into the game's own fields of the k-th end."""
    raise NotImplementedError


@generic(lean=True)
def is_legal(rules: Any, boards: _Boards, i: int, action: int) -> bool:
    """Whether an action in range is legal in game i, if that goes on."""
    raise NotImplementedError


@generic()
def check(
    rules: Any, boards: _Boards, actions: npt.NDArray[np.int64], over: npt.NDArray[np.bool_], num_actions: int
) -> int:
    """What is wrong with the actions for N games: OUT_OF_RANGE, ILLEGAL and OVER, added up; 0 if nothing is.

    An action in range for a finished game is OVER, not ILLEGAL.
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
    """Write the observations of N games, each as its player to move sees it, finished ones as their viewer does.

    Args:
        rules: of the game.
        over: (N,) of the course.
        seats: `to_move` and `learner`, (N,), of the course.
        boards: of N games.
        arrays: planes (N, planes, H, W) and masks (N, A), both int8, as the game's `Batch.views` prepares them.
    """
    raise NotImplementedError
