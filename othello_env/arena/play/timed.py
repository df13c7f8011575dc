"""Measure how long an agent thinks."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, AgentWrapper
from othello_env.games.batch import Positions
from othello_env.games.game import State

__all__ = ["Timed"]


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
