"""The base class of agents that ask another agent for moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent.answers import act_on_clock
from othello_env.agent.clock import Clock
from othello_env.agent.protocol import Agent
from othello_env.games.batch import Positions
from othello_env.games.game import State

__all__ = ["AgentWrapper"]


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
    def batch_microseconds(self) -> float:  # type: ignore[override]  # the base class has an attribute
        return self.agent.batch_microseconds

    def check_game(self, state: State) -> None:
        self.agent.check_game(state)

    def new_game(self, key: int) -> None:
        self.agent.new_game(key)

    def act(self, state: State, *, seconds_left: float | None = None, move_seconds: float | None = None) -> int:
        return act_on_clock(self.agent, state, Clock(seconds_left, move_seconds))

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        self._game_key = None  # the other agent may begin other games, so a `Seat` must call `new_game` again
        return self.agent.act_batch(batch)
