"""Checks of arguments and actions, and the errors that a batch of games raises."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from othello_env.envs.seeding import REDRAWS
from othello_env.games.batch import Batch
from othello_env.games.batch.arrays import ILLEGAL, NO_OPENING, NO_TURN, OUT_OF_RANGE, OVER
from othello_env.games.game import IllegalActionError

__all__ = ["check_begun", "check_no_side", "refuse"]


def check_no_side(side: str) -> None:
    """Raise a ValueError if a self-play environment gets a side other than ``"random"``."""
    if side != "random":
        raise ValueError(f"side={side!r} needs an opponent; in self-play the learner plays every side")


def check_begun(failed: int) -> None:
    """Raise a ValueError if a game could not begin.

    `failed` is the reason, NO_OPENING or NO_TURN; 0 means that all games could begin.
    """
    if failed == NO_OPENING:
        raise ValueError("random plies ended a game in each of many attempts; use fewer random plies")
    if failed == NO_TURN:
        raise ValueError(
            f"the opponents' moves ended a game before the learner's first turn in each of {REDRAWS + 1} attempts"
        )


def refuse(batch: Batch, actions: npt.NDArray[np.int64], problems: int, strict: bool, disabled: bool) -> None:
    """Raise an error if actions have a problem that this environment does not accept.

    Args:
        batch: N games, before the actions are played.
        actions: (N,) int64, the actions.
        problems: the result of `Batch.check` for these actions.
        strict: whether an illegal action is an error.
        disabled: whether an action in a finished game is an error.

    Raises:
        ValueError: an action is out of range.
        ResetNeeded: `disabled` is true and a game is over.
        IllegalActionError: `strict` is true and an action is illegal.
    """
    last, over = batch.start.num_actions - 1, batch.course.over
    if problems & OUT_OF_RANGE:
        i = int(np.flatnonzero((actions < 0) | (actions > last))[0])
        raise ValueError(f"expected actions from 0 to {last}, got {actions[i]} for game {i}")
    if problems & OVER and disabled:
        i = int(np.flatnonzero(over)[0])
        raise ResetNeeded(f"game {i} is over; begin a new game with reset(options={{'reset_mask': ...}})")
    if problems & ILLEGAL and strict:
        for i in np.flatnonzero(~over).tolist():
            state = batch.state(i)
            if not state.is_legal(int(actions[i])):
                raise IllegalActionError(f"game {i}: {state.illegal(int(actions[i]))}")
