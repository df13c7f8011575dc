"""The compiled functions (kernels) that a game supplies for the batch.

The first argument of each function is the game's constants, a NamedTuple. Each game has its own class of constants,
which selects the game's implementation (see `othello_env.support.dispatch`). The second argument is `state`, the arrays
of N games (`othello_env.games.batch.state.BatchState`). Only the game's own functions read `state.boards`, whose class
the game defines.

A game must implement `set_start`, `choose`, `play`, `placed`, `score`, `result`, `largest_margin`, `is_legal`,
`store_board` and `encode`. The other functions have default bodies, which work for most games. A game can implement
them too, for example because it is faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch.state import ILLEGAL, OUT_OF_RANGE, OVER, BatchState, InitialArrays, Outputs
from othello_env.support.dispatch import dispatched
from othello_env.support.jit import kernel

__all__ = [
    "check",
    "choose",
    "encode",
    "is_legal",
    "largest_margin",
    "must_pass",
    "placed",
    "play",
    "play_all",
    "play_gathered",
    "result",
    "score",
    "score_all",
    "set_start",
    "store_board",
]


@dispatched(no_refcount=True)
def set_start(constants: Any, state: BatchState, i: int, key: np.uint64, initial: InitialArrays, chosen: int) -> bool:
    """Set up the board and the player to move of game i. Returns False if no start was found.

    Args:
        constants: the game's constants.
        state: the state of N games.
        i: the index of the game.
        key: the key of the game. Everything random in the start depends on the key.
        initial: how games begin.
        chosen: the index of the opening. If `initial` has no openings, the kernel sets up the start that `key`
            determines.
    """
    raise NotImplementedError


@dispatched(no_refcount=True)
def placed(constants: Any, state: BatchState, i: int) -> np.uint64:
    """The number `State.placed` for the position of game i."""
    raise NotImplementedError


@dispatched(no_refcount=True)
def choose(constants: Any, state: BatchState, i: int, bits: np.uint64) -> int:
    """A uniformly random legal action of game i. The 64 random bits choose it as in `State.draw_action`."""
    raise NotImplementedError


@dispatched(no_refcount=True)
def play(constants: Any, state: BatchState, i: int, action: int) -> None:
    """Play a legal action in game i: update the board, `state.to_move` and `state.over`.

    The caller has already added the action to `state.moves` and counted it in `state.plies`.
    """
    raise NotImplementedError


@dispatched(no_refcount=True)
def play_all(
    constants: Any, state: BatchState, actions: npt.NDArray[np.int64], unplayable: npt.NDArray[np.bool_]
) -> None:
    """Play an action in each of N games.

    `unplayable` has one flag per game, which is True if the game is over or the action is illegal. Such a game is over
    afterwards, and the position of a game that was not over before stays as it was. An empty array means that all flags
    are False.
    """
    for i in range(len(actions)):
        if len(unplayable) == 0 or not unplayable[i]:
            play(constants, state, i, actions[i])
        else:
            state.over[i] = True


@dispatched()
def play_gathered(
    constants: Any,
    state: BatchState,
    indices: npt.NDArray[np.int64],
    gathered: Any,
    actions: npt.NDArray[np.int64],
) -> None:
    """Play legal actions in the M games at `indices`. `gathered` is the result of `Batch.gather` for these games."""
    for k in range(len(indices)):
        play(constants, state, indices[k], actions[k])


@dispatched(no_refcount=True)
def must_pass(constants: Any, state: BatchState, i: int) -> bool:
    """Whether a pass is the only legal action in game i. The game must not be over."""
    return False


@dispatched(no_refcount=True)
def score(constants: Any, state: BatchState, i: int, player: int) -> int:
    """A player's score in game i, as in `State.scores`."""
    raise NotImplementedError


@dispatched(no_refcount=True)
def result(constants: Any, state: BatchState, i: int, player: int, by_margin: bool) -> float:
    """A player's result in game i or, if `by_margin` is true, the player's margin. The game must be over."""
    raise NotImplementedError


@dispatched(no_refcount=True)
def largest_margin(constants: Any, state: BatchState, i: int) -> float:
    """The largest margin with which game i can end."""
    raise NotImplementedError


@dispatched(no_refcount=True)
def store_board(constants: Any, state: BatchState, i: int, records: npt.NDArray[Any], k: int) -> None:
    """Copy the board of game i, which is over, to the board fields of `records[k]`.

    If boards have a point of view, the record gets the board from that of the player `records["viewer"][k]`, and so
    does the state.
    """
    raise NotImplementedError


@dispatched(no_refcount=True)
def is_legal(constants: Any, state: BatchState, i: int, action: int) -> bool:
    """Whether an action is legal in game i. The action must be in range, and the game must not be over."""
    raise NotImplementedError


@dispatched()
def check(constants: Any, state: BatchState, actions: npt.NDArray[np.int64], num_actions: int) -> int:
    """Check an action for each of N games.

    Returns the flags of all problems (OUT_OF_RANGE, ILLEGAL, OVER), or 0 if there is no problem. An action in a game
    that is over counts as OVER, never as ILLEGAL.
    """
    problems = 0
    for i in range(len(actions)):
        if state.over[i]:
            problems |= OVER
        if actions[i] < 0 or actions[i] >= num_actions:
            problems |= OUT_OF_RANGE
        elif not state.over[i] and not is_legal(constants, state, i, actions[i]):
            problems |= ILLEGAL
    return problems


@dispatched()
def encode(constants: Any, state: BatchState, out: Outputs) -> None:
    """Write the observations, masks and scores of N games.

    An observation has the point of view of the player to move. In a finished game, it has the point of view of the
    learner or, in self-play, of the player that would move next. The mask of a finished game is all zeros, and its
    scores have no meaning.

    Args:
        constants: the game's constants.
        state: the state of N games.
        out: the kernel overwrites `out.scores`, and by `out.encoder_buffers` (see `Batch.encoder_buffers`) the planes,
            (N, planes, H, W) int8, and the masks, (N, A) int8.
    """
    raise NotImplementedError


@kernel(no_refcount=True)
def score_all(constants: Any, state: BatchState, scores: npt.NDArray[np.int64]) -> None:
    """Write each player's score in N games, (N * P,): game after game. Most games' `encode` calls this kernel."""
    players = state.opponents.shape[1] + 1
    for i in range(len(state.over)):
        for player in range(players):
            scores[players * i + player] = score(constants, state, i, player)
