"""The compiled functions (kernels) that a game supplies for the batch.

The first argument of each function is the game's constants, a NamedTuple. Each game has its own class of constants,
which selects the game's implementation (see `othello_env.support.dispatch`). Most functions also take `games`, the
arrays that every kind of game has (`othello_env.games.batch.state.BatchState`), and `boards`, a tuple of arrays that
only the game's own functions read.

A game must implement `set_start`, `choose`, `play`, `turn`, `score`, `result`, `largest_margin`, `is_legal`, `encode`
and `keep`. The other functions have default bodies, which work for most games. A game can implement them too, for
example because it is faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.state import ILLEGAL, OUT_OF_RANGE, OVER, BatchState, InitialArrays
from othello_env.support.dispatch import dispatched

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
    "result",
    "score",
    "score_all",
    "set_start",
    "take",
    "turn",
    "view_from",
]

_Boards = tuple[Any, ...]
_Seats = tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]
_Arrays = tuple[Any, ...]


@dispatched(lean=True)
def set_start(
    constants: Any, games: BatchState, boards: _Boards, i: int, key: np.uint64, initial: InitialArrays, chosen: int
) -> bool:
    """Set up the board and the player to move of game i. Returns False if no start was found.

    Args:
        constants: the game's constants.
        games: the state of N games.
        boards: the boards of N games.
        i: the number of the game.
        key: the key of the game. Everything random in the start depends on the key.
        initial: how games begin.
        chosen: the index of the opening. If `initial` has no openings, the kernel sets up the start that `key`
            determines.
    """
    raise NotImplementedError


@dispatched(lean=True)
def turn(constants: Any, games: BatchState, boards: _Boards, i: int) -> np.uint64:
    """The number `State.turn` for the position of game i."""
    raise NotImplementedError


@dispatched(lean=True)
def choose(constants: Any, games: BatchState, boards: _Boards, i: int, bits: np.uint64) -> int:
    """A uniformly random legal action of game i. The 64 random bits choose it as in `State.draw_action`."""
    raise NotImplementedError


@dispatched(lean=True)
def play(constants: Any, games: BatchState, boards: _Boards, i: int, action: int) -> None:
    """Play a legal action in game i: update the board, `games.to_move` and `games.over`.

    The caller has already added the action to `games.moves` and counted it in `games.plies`.
    """
    raise NotImplementedError


@dispatched(lean=True)
def play_all(
    constants: Any, games: BatchState, boards: _Boards, actions: npt.NDArray[np.int64], illegal: npt.NDArray[np.bool_]
) -> None:
    """Play an action in each of N games.

    `illegal` has one flag per game. The flag is True if the game is over or the action is illegal. The kernel may leave
    such a game in a wrong position. An empty array means that all flags are False.
    """
    for i in range(len(actions)):
        if len(illegal) == 0 or not illegal[i]:
            play(constants, games, boards, i, actions[i])


@dispatched(lean=True)
def forfeit(constants: Any, games: BatchState, boards: _Boards, i: int) -> None:
    """End game i after an illegal action.

    If the game's own `play_all` changes the position when the action is illegal, the game also needs its own version of
    this kernel. This version must undo the change.
    """
    games.over[i] = True


@dispatched(lean=True)
def must_pass(constants: Any, games: BatchState, boards: _Boards, i: int) -> bool:
    """Whether a pass is the only legal action in game i. The game must not be over."""
    return False


@dispatched(lean=True)
def score(constants: Any, games: BatchState, boards: _Boards, i: int, player: int) -> int:
    """A player's score in game i, as in `State.scores`."""
    raise NotImplementedError


@dispatched(lean=True)
def score_all(constants: Any, games: BatchState, boards: _Boards, scores: npt.NDArray[np.int64]) -> None:
    """Write each player's score in N games, (N * P,): game after game. It has no meaning for a game that is over."""
    players = games.opponents.shape[1] + 1
    for i in range(len(games.over)):
        for player in range(players):
            scores[players * i + player] = score(constants, games, boards, i, player)


@dispatched(lean=True)
def result(constants: Any, games: BatchState, boards: _Boards, i: int, player: int, by_margin: bool) -> float:
    """A player's result in game i or, if `by_margin` is true, the player's margin. The game must be over."""
    raise NotImplementedError


@dispatched(lean=True)
def largest_margin(constants: Any, games: BatchState, boards: _Boards, i: int) -> float:
    """The largest margin with which game i can end."""
    raise NotImplementedError


@dispatched(lean=True)
def view_from(constants: Any, games: BatchState, boards: _Boards, i: int, viewer: int) -> None:
    """Store the board of the finished game i from the viewer's point of view.

    The default body does nothing. It is enough for games whose boards are the same from every point of view.
    """


@dispatched()
def take(constants: Any, boards: _Boards, numbers: npt.NDArray[np.int64]) -> _Boards:
    """Copy parts of the boards of some games: the parts that `play_taken` and the agents need.

    `numbers`, (M,), has the indices of the games. The default body copies nothing.
    """
    return ()


@dispatched()
def play_taken(
    constants: Any,
    games: BatchState,
    boards: _Boards,
    numbers: npt.NDArray[np.int64],
    taken: _Boards,
    actions: npt.NDArray[np.int64],
) -> None:
    """Play legal actions in the games at the indices `numbers`. `taken` is the result of `take` for these games."""
    for k in range(len(numbers)):
        play(constants, games, boards, numbers[k], actions[k])


@dispatched(lean=True)
def keep(constants: Any, boards: _Boards, i: int, ends: npt.NDArray[Any], k: int) -> None:
    """Copy the board of game i to the board fields of `ends[k]`."""
    raise NotImplementedError


@dispatched(lean=True)
def is_legal(constants: Any, boards: _Boards, i: int, action: int) -> bool:
    """Whether an action is legal in game i. The action must be in range, and the game must not be over."""
    raise NotImplementedError


@dispatched()
def check(
    constants: Any, boards: _Boards, actions: npt.NDArray[np.int64], over: npt.NDArray[np.bool_], num_actions: int
) -> int:
    """Check an action for each of N games.

    Returns the sum of the numbers of all problems (OUT_OF_RANGE, ILLEGAL, OVER), or 0 if there is no problem. An action
    in a game that is over counts as OVER, never as ILLEGAL.
    """
    problems = 0
    for i in range(len(actions)):
        if over[i]:
            problems |= OVER
        if actions[i] < 0 or actions[i] >= num_actions:
            problems |= OUT_OF_RANGE
        elif not over[i] and not is_legal(constants, boards, i, actions[i]):
            problems |= ILLEGAL
    return problems


@dispatched()
def encode(constants: Any, over: npt.NDArray[np.bool_], seats: _Seats, boards: _Boards, arrays: _Arrays) -> None:
    """Write the observations and masks of N games.

    An observation has the point of view of the player to move. In a finished game, it has the point of view of the
    learner or, in self-play, of the player that would move next.

    Args:
        constants: the game's constants.
        over: the array `over` of the `BatchState`, (N,).
        seats: the arrays `to_move` and `learner` of the `BatchState`, both (N,).
        boards: the boards of N games.
        arrays: the arrays that `Batch.views` returned for the planes, (N, planes, H, W), and the masks, (N, A). The
            planes and the masks are int8, and the kernel overwrites them.
    """
    raise NotImplementedError
