"""Measure how long an agent thinks."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, Clock, act_on_clock
from othello_env.games.batch import Positions
from othello_env.games.game import State

__all__ = ["Timed"]


class Timed(Agent):
    """Asks another agent and measures how long the other agent thinks.

    The first call of `act` and the first call of `act_batch` do not count, since the other agent may compile or load
    something then.

    Attributes:
        agent: the other agent.
        decisions: the number of answers that count.
        seconds: the time that the other agent took for these answers.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.decisions = 0
        self.seconds = 0.0
        self._warm: set[str] = set()

    def __repr__(self) -> str:
        return repr(self.agent)

    @property
    def answers_batches(self) -> bool:
        return self.agent.answers_batches

    def check_game(self, state: State) -> None:
        self.agent.check_game(state)

    def new_game(self, seed: int) -> None:
        self.agent.new_game(seed)

    def act(self, state: State, *, seconds_left: float | None = None, move_seconds: float | None = None) -> int:
        began = time.perf_counter()
        action = act_on_clock(self.agent, state, Clock(seconds_left, move_seconds))
        self._add("act", 1, began)
        return action

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        began = time.perf_counter()
        actions = self.agent.act_batch(batch)
        self._add("act_batch", len(batch), began)
        return actions

    def _add(self, asked: str, decisions: int, began: float) -> None:
        if asked in self._warm:
            self.seconds += time.perf_counter() - began
            self.decisions += decisions
        self._warm.add(asked)
