"""The opponents of a batch of games: one agent, or a weighted pool of which each game draws one."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, AgentError, Policy, make_agent
from othello_env.games.othello.batch.arrays import Waiting
from othello_env.games.othello.batch.passes import check
from othello_env.games.othello.position import Othello, OthelloBatch

__all__ = ["Opponent", "OpponentPool", "Opponents", "opponent_name"]

Opponent = str | Agent | Policy
Opponents = Opponent | Mapping[Any, float]  # a dict with keys of two kinds is no Mapping[Opponent, float]
"""An opponent, or a mapping whose keys are opponents and whose values the weights at which games draw them."""


class OpponentPool:
    """The agents that play in a batch of games, by number, and with what weights new games draw them.

    Raises:
        ValueError: a spec is wrong, or the weights are.
        TypeError: an opponent is no spec, Agent or callable.
        WrongGameError: an opponent does not play Othello of this size.
    """

    def __init__(self, opponents: Opponents, size: int) -> None:
        self._size = size
        self.agents, self.names, self.bounds = _weighted(opponents, size)
        self.first = 0
        """The number of the first agent that new games draw; those before it finish their games."""

    def __repr__(self) -> str:
        return f"OpponentPool({', '.join(map(repr, self.agents[self.first :]))})"

    def replace(self, opponents: Opponents, rivals: npt.NDArray[np.int16]) -> None:
        """Let new games draw from other opponents.

        Args:
            opponents: as for the constructor.
            rivals: (N,) int16, which agent plays in each game; renumbered in place.
        """
        agents, names, bounds = _weighted(opponents, self._size)
        used, numbers = np.unique(rivals, return_inverse=True)
        self.agents = [self.agents[k] for k in used] + agents
        self.names = [self.names[k] for k in used] + names
        self.bounds, self.first = bounds, len(used)
        rivals[:] = numbers

    def ask(self, waiting: Waiting) -> npt.NDArray[np.int64]:
        """Each game's opponent's answer, (M,) int64, legal.

        Raises:
            AgentError: an answer is no legal action.
        """
        present = np.flatnonzero(np.bincount(waiting.rival)) if len(self.agents) > 1 else (waiting.rival[0],)
        if len(present) == 1:
            batch = OthelloBatch(waiting.own, waiting.opponent, waiting.to_move, waiting.key, self._size)
            return self._ask_one(self.agents[present[0]], batch, waiting.legal)
        actions = np.empty(len(waiting.game), np.int64)
        for rival in present:
            those = np.flatnonzero(waiting.rival == rival)
            own, opponent = waiting.own[those], waiting.opponent[those]
            batch = OthelloBatch(own, opponent, waiting.to_move[those], waiting.key[those], self._size)
            actions[those] = self._ask_one(self.agents[rival], batch, waiting.legal[those])
        return actions

    def _ask_one(self, agent: Agent, batch: OthelloBatch, legal: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        answer = np.asarray(agent.act_batch(batch))
        if answer.shape != (len(batch),) or answer.dtype.kind not in "iu":
            raise AgentError(
                f"agent {agent!r} must answer {len(batch)} positions with ({len(batch)},) integers, not with shape "
                f"{answer.shape}, dtype {answer.dtype}"
            )
        actions = answer.astype(np.int64, order="C", copy=not answer.flags.carray)
        nobody = np.zeros(len(batch), np.bool_)
        if check(actions, legal, nobody, batch.size):
            for k, action in enumerate(actions):
                state = batch.state(k)
                if not 0 <= action < state.num_actions or not state.is_legal(int(action)):
                    raise AgentError(f"agent {agent!r} answered with an illegal action, {action}:\n{state}")
        return actions


def opponent_name(opponent: Opponent, agent: Agent) -> str:
    """The spec that an agent was made from, or its name."""
    return opponent if isinstance(opponent, str) else repr(agent)


def _weighted(opponents: Opponents, size: int) -> tuple[list[Agent], list[str], npt.NDArray[np.uint64]]:
    """The agents, their names, and (K,) ascending 32-bit bounds of the numbers that draw each."""
    pool = opponents if isinstance(opponents, Mapping) else {opponents: 1.0}
    agents = [make_agent(opponent) for opponent in pool]
    for agent in agents:
        agent.check_game(Othello(size))
    weights = [float(weight) for weight in pool.values()]
    if not all(isfinite(weight) and weight >= 0 for weight in weights) or sum(weights) <= 0:
        raise ValueError(f"expected opponents with weights from 0 on, not all 0, got {dict(pool)!r}")
    bounds = np.cumsum(weights) / sum(weights) * 2**32
    names = [opponent_name(opponent, agent) for opponent, agent in zip(pool, agents, strict=True)]
    return agents, names, np.rint(bounds).astype(np.uint64)
