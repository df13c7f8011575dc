"""The opponents of a learner, in one game or in a batch of games.

In every game, each seat (player) except the learner's gets an agent. Either the seat's agent is always the same, or it
is chosen at random by weights.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, Policy, ask_batch, make_agent, name_of
from othello_env.games.batch import Positions, Waiting
from othello_env.games.game import State
from othello_env.games.hashing import POOL, mix_int, weight_bounds
from othello_env.support.threads import Threads

__all__ = ["Opponent", "OpponentPool", "Opponents"]

Opponent = str | Agent | Policy
Opponents = Opponent | tuple[Opponent, ...] | Mapping[Any, float]
"""One opponent; a tuple with an opponent for each seat except the learner's; or a mapping from opponents to weights."""

_SHARED_MICROSECONDS = 1000.0
"""Threads share questions that take about this long or longer: waking a thread takes up to 200 microseconds."""


class OpponentPool:
    """The agents that play against a learner, and the random choice of agents for new games.

    Args:
        opponents: one opponent for all seats except the learner's; a tuple with an opponent for each seat except the
            learner's; or a mapping from opponents to weights. With a mapping, each of these seats gets an opponent that
            is chosen at random by the weights.
        start: a position of the game.

    Raises:
        ValueError: a spec or a weight is wrong, or a tuple has the wrong number of opponents.
        TypeError: an opponent is not a spec, Agent or callable, or a weight is not a number.
        WrongGameError: an opponent does not play this game.

    Attributes:
        agents: all agents that play. The index of an agent is its place in this list.
        names: the specs of the agents, or the names of Agents and callables.
        bounds: (P - 1, K) uint64, for P players and the K agents that can play in new games. There is a row for each
            seat except the learner's, and a column for each agent. The bounds in a row ascend. In each new game, each
            row gets a random 32-bit number. The first agent whose bound is greater than this number plays in the row's
            seat.
        first: the number of the first agent that can play in new games. Agents with smaller numbers play only until
            their present games end.
    """

    def __init__(self, opponents: Opponents, start: State) -> None:
        self._start = start
        self.agents, self.names, self.bounds = _drawn(opponents, start)
        self.first = 0
        self._asked = _first_places(self.agents)

    def __repr__(self) -> str:
        return f"OpponentPool({', '.join(map(repr, self.agents[self.first :]))})"

    def draw(self, game_key: int) -> list[int]:
        """The indices of the agents in a new game with this key, in the order of `bounds`. The batch draws the same."""
        key = mix_int(game_key, POOL)
        numbers = [(key if seat == 0 else mix_int(key, seat)) >> 32 for seat in range(len(self.bounds))]
        return [
            self.first + bisect_right(row, number) for row, number in zip(self.bounds.tolist(), numbers, strict=True)
        ]

    def replace(self, opponents: Opponents, indices: npt.NDArray[np.int16]) -> None:
        """Replace the opponents in all new games. The present games keep their opponents.

        Args:
            opponents: the new opponents, in the same form as for the constructor.
            indices: (N, P - 1) int16, the indices of the agents in each game. The agents get other indices, and this
                method overwrites `indices` with these.
        """
        agents, names, bounds = _drawn(opponents, self._start)
        used, renumbered = np.unique(indices, return_inverse=True)
        self.agents = [self.agents[k] for k in used] + agents
        self.names = [self.names[k] for k in used] + names
        self.bounds, self.first = bounds, len(used)
        self._asked = _first_places(self.agents)
        indices[:] = renumbered.reshape(indices.shape)

    def ask(self, waiting: Waiting, threads: Threads) -> npt.NDArray[np.int64]:
        """Ask the opponents for their actions in M games that wait for an opponent.

        Threads share the questions to an agent that thinks long and allows it (`Agent.batch_microseconds`).

        Returns:
            An action for each game, (M,) int64. Whether it is legal is not checked.

        Raises:
            AgentError: an answer is not an integer for each position.
        """
        opponent, positions = self._asked[waiting.opponent], waiting.positions
        present = np.flatnonzero(np.bincount(opponent)) if len(self.agents) > 1 else (opponent[0],)
        if len(present) == 1:
            return _ask(self.agents[present[0]], positions, threads)
        actions = np.empty(len(opponent), np.int64)
        for index in present:
            those = np.flatnonzero(opponent == index)
            actions[those] = _ask(self.agents[index], positions.part(those), threads)
        return actions


def _ask(agent: Agent, positions: Positions, threads: Threads) -> npt.NDArray[np.int64]:
    """The agent's actions in these positions. Threads ask for slices of the positions if the agent allows it."""
    if threads.count == 1:
        return ask_batch(agent, positions)
    n = len(positions)
    if n < threads.count or n * agent.batch_microseconds < _SHARED_MICROSECONDS:
        return ask_batch(agent, positions)
    bounds = np.linspace(0, n, threads.count + 1).astype(int).tolist()
    parts = [positions.part(slice(a, b)) for a, b in pairwise(bounds)]
    return np.concatenate(threads.run(lambda k: ask_batch(agent, parts[k])))


def _first_places(agents: list[Agent]) -> npt.NDArray[np.int16]:
    """For each item of the list, the index of the first item that is the same object.

    `OpponentPool.ask` groups games by this index. So an agent that is in the list several times is asked only once.
    """
    places: dict[int, int] = {}
    return np.array([places.setdefault(id(agent), k) for k, agent in enumerate(agents)], np.int16)


def _drawn(opponents: Opponents, start: State) -> tuple[list[Agent], list[str], npt.NDArray[np.uint64]]:
    """The attributes `agents`, `names` and `bounds` of an `OpponentPool`."""
    if opponents is None:
        raise TypeError(
            "an opponent must be a spec, an Agent or a callable, not None; for self-play, make a batch of games with "
            "opponent=None (make_vec_env or gymnasium.make_vec), or PettingZoo's environment"
        )
    seats = start.num_players - 1
    if isinstance(opponents, Mapping):
        given = [*opponents]
        bounds = np.tile(np.array(weight_bounds("opponents", opponents), np.uint64), (seats, 1))
    else:
        given = [*opponents] if isinstance(opponents, tuple) else [opponents] * seats
        if len(given) != seats:
            raise ValueError(f"expected an opponent for each of {seats} other seats, got {len(given)}")
        # Row k of the bounds is 0 before column k, and 2**32 from column k on. Every random number is below 2**32, so
        # agent k always plays in seat k.
        bounds = np.triu(np.full((seats, seats), 2**32, np.uint64))
    agents = [make_agent(opponent) for opponent in given]
    for agent in agents:
        agent.check_game(start)
    return agents, list(map(name_of, given, agents)), bounds
