"""The time that agents may use in a game, and the time that they use."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from othello_env.agent import LONGEST_SECONDS, Agent, AgentWrapper, Clock
from othello_env.games.batch import Positions
from othello_env.games.game import State, check_text
from othello_env.support.numbers import check_flag, check_real

__all__ = ["TimeControl", "Timed"]

_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)(/move)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time that each side has, for the whole game or for each move.

    Attributes:
        seconds: the number of seconds.
        per_move: True if a side has these seconds for each move, False if it has them for the whole game.

    >>> TimeControl.parse("30m"), str(TimeControl.parse("100ms/move"))
    (TimeControl(seconds=1800.0, per_move=False), '0.1s/move')
    """

    seconds: float
    per_move: bool = False

    def __post_init__(self) -> None:
        check_real("seconds", self.seconds)
        check_flag("per_move", self.per_move)
        if not 0 < self.seconds <= LONGEST_SECONDS:
            raise ValueError(f"a clock has more than 0 and at most {LONGEST_SECONDS:,} seconds, not {self.seconds}")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """The time control that a text describes.

        The text is a number with the unit ms, s, m or h, such as ``30m``. If ``/move`` follows, the time is for each
        move.

        Raises:
            TypeError: `text` is not a string.
            ValueError: the text does not have this form, or the time is zero or too long.
        """
        match = _TIME.fullmatch(check_text(text, "a time").strip())
        if match is None:
            raise ValueError(f"expected a time such as 100ms, 2.5s or 30m, perhaps with /move, got {text!r}")
        return cls(float(match[1]) * _UNITS[match[2]], match[3] is not None)

    def __str__(self) -> str:
        return f"{self.seconds:.12g}s{'/move' if self.per_move else ''}"

    def left(self, used: float) -> Clock:
        """The clock of a side that has used this number of seconds in the game so far."""
        return Clock(move=self.seconds) if self.per_move else Clock(game=self.seconds - used)


class Timed(AgentWrapper):
    """An agent that asks another agent for its moves, and measures how long the other agent thinks.

    The first call of `act` and the first call of `act_batch` are not counted, because the other agent may compile or
    load something in these calls.

    Attributes:
        decisions: the number of answers that are counted.
        seconds: the time that the other agent took for these answers, in seconds.
    """

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.decisions = 0
        self.seconds = 0.0
        self._warm: set[str] = set()

    def act(self, state: State, *, seconds_left: float | None = None, move_seconds: float | None = None) -> int:
        began = time.perf_counter()
        action = super().act(state, seconds_left=seconds_left, move_seconds=move_seconds)
        self._add("act", 1, began)
        return action

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        began = time.perf_counter()
        actions = super().act_batch(batch)
        self._add("act_batch", len(batch), began)
        return actions

    def _add(self, asked: str, decisions: int, began: float) -> None:
        if asked in self._warm:
            self.seconds += time.perf_counter() - began
            self.decisions += decisions
        self._warm.add(asked)
