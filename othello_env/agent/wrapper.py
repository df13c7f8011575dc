"""Agents that ask another agent for moves."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent.answers import act_on_clock, ask_batch
from othello_env.agent.clock import Clock
from othello_env.agent.protocol import Agent
from othello_env.games.batch import Positions
from othello_env.games.game import State

__all__ = ["AgentWrapper", "Timed"]


class AgentWrapper(Agent):
    """An agent that passes all calls on to another agent. A subclass changes what some of the calls do.

    If this class does not define a method, such as `analyse`, the other agent's method is used. But the other
    agent's `save` is never used.

    Attributes:
        agent: the other agent.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def __repr__(self) -> str:
        return repr(self.agent)

    def __getattr__(self, name: str) -> Any:
        # `copy` and `pickle` ask for attributes before `agent` is set. The other agent's `save` would not save what a
        # subclass changes.
        if name.startswith("_") or name in ("agent", "save"):
            raise AttributeError(name)
        return getattr(self.agent, name)

    def answers_batches(self, start: State) -> bool:
        return self.agent.answers_batches(start)

    @property
    def batch_microseconds(self) -> float:
        return self.agent.batch_microseconds

    def check_game(self, state: State) -> None:
        self.agent.check_game(state)

    def new_game(self, key: int) -> None:
        self.agent.new_game(key)

    def act(self, state: State, *, seconds_left: float | None = None, move_seconds: float | None = None) -> int:
        return act_on_clock(self.agent, state, Clock(seconds_left, move_seconds))

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        self._game_key = None  # the other agent may begin other games, so a `Seat` must call `new_game` again
        return ask_batch(self.agent, batch)


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
