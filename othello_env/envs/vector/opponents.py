"""The opponents of a batch of games: one agent, or a weighted pool from which each game draws one."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, Policy, ask_many, make_agent
from othello_env.games.batch import Waiting
from othello_env.games.game import State

__all__ = ["Opponent", "OpponentPool", "Opponents", "make_opponents"]

Opponent = str | Agent | Policy
Opponents = Opponent | tuple[Opponent, ...] | Mapping[Any, float]
"""An opponent; or a tuple of one for each other seat; or a mapping from opponents to the weights by which games draw
them."""


class OpponentPool:
    """The agents that play in a batch of games, with their numbers, and the weights by which new games draw them.

    Args:
        opponents: one for every other seat, a tuple of one for each seat, or a mapping from which each seat draws.
        start: a state of the game.

    Raises:
        ValueError: a spec or the weights are wrong, or the number of opponents is not that of the other seats.
        TypeError: an opponent is not a spec, Agent or callable.
        WrongGameError: an opponent does not play this game.

    Attributes:
        agents: the agents, in the order of their numbers.
        names: their specs, or the names of Agents and callables.
        bounds: (P - 1, K) uint64, for each seat and each of the K new opponents the bounds, in ascending order, of the
            32-bit numbers that draw it.
        first: the number of the first agent that new games draw. Agents before it only finish their games.
    """

    def __init__(self, opponents: Opponents, start: State) -> None:
        self._start = start
        self.agents, self.names, self.bounds = _drawn(opponents, start)
        self.first = 0

    def __repr__(self) -> str:
        return f"OpponentPool({', '.join(map(repr, self.agents[self.first :]))})"

    def replace(self, opponents: Opponents, rivals: npt.NDArray[np.int16]) -> None:
        """Let new games draw from other opponents.

        Args:
            opponents: as for the constructor.
            rivals: (N, P - 1) int16, the numbers of the agents in each game. They are renumbered in place.
        """
        agents, names, bounds = _drawn(opponents, self._start)
        used, numbers = np.unique(rivals, return_inverse=True)
        self.agents = [self.agents[k] for k in used] + agents
        self.names = [self.names[k] for k in used] + names
        self.bounds, self.first = bounds, len(used)
        rivals[:] = numbers.reshape(rivals.shape)

    def ask(self, waiting: Waiting) -> npt.NDArray[np.int64]:
        """The opponents' actions in the M games that wait for one, (M,) int64, all legal.

        Raises:
            AgentError: an answer is not a legal action.
        """
        rival, positions = waiting.rival, waiting.positions
        present = np.flatnonzero(np.bincount(rival)) if len(self.agents) > 1 else (rival[0],)
        if len(present) == 1:
            return ask_many(self.agents[present[0]], positions)
        actions = np.empty(len(rival), np.int64)
        for number in present:
            those = np.flatnonzero(rival == number)
            actions[those] = ask_many(self.agents[number], positions.part(those))
        return actions


def _name(opponent: Opponent, agent: Agent) -> str:
    """The spec that an agent was made from, or else its name."""
    return opponent if isinstance(opponent, str) else repr(agent)


def make_opponents(opponents: Opponent | tuple[Opponent, ...], start: State) -> tuple[list[Agent], list[str]]:
    """An agent for each other seat, in the order in which they follow the learner, and their names.

    Raises:
        ValueError: a spec is wrong, or the number of opponents is not that of the other seats.
        TypeError: an opponent is not a spec, Agent or callable.
        WrongGameError: an opponent does not play this game.
    """
    others = start.num_players - 1
    given = opponents if isinstance(opponents, tuple) else (opponents,) * others
    if len(given) != others:
        raise ValueError(f"expected an opponent for each of {others} other seats, got {len(given)}")
    agents = [make_agent(each) for each in given]
    for agent in agents:
        agent.check_game(start)
    return agents, list(map(_name, given, agents))


def _drawn(opponents: Opponents, start: State) -> tuple[list[Agent], list[str], npt.NDArray[np.uint64]]:
    """The agents, their names, and the bounds of each seat."""
    seats = start.num_players - 1
    if not isinstance(opponents, Mapping):
        agents, names = make_opponents(opponents, start)
        return agents, names, np.triu(np.full((seats, seats), 2**32, np.uint64))  # so seat k draws agent k
    agents = [make_agent(opponent) for opponent in opponents]
    for agent in agents:
        agent.check_game(start)
    weights = [float(weight) for weight in opponents.values()]
    if not all(isfinite(weight) and weight >= 0 for weight in weights) or sum(weights) <= 0:
        raise ValueError(f"expected opponents with weights of at least 0 and not all 0, got {dict(opponents)!r}")
    bounds = np.rint(np.cumsum(weights) / sum(weights) * 2**32).astype(np.uint64)
    return agents, list(map(_name, opponents, agents)), np.tile(bounds, (seats, 1))
