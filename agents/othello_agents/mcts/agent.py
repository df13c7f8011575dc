"""The agent that plays by Monte Carlo tree search with random games."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.mcts.kernels import ROOT, search_batch
from othello_env.agent import Agent, Chance, as_othello, check_not_over, decision_keys
from othello_env.games.batch import Positions
from othello_env.games.game import State
from othello_env.games.othello.bitboard import ACTION_SQUARES, BOARDS
from othello_env.games.othello.positions import OthelloPositions
from othello_env.support.numbers import check_whole

__all__ = ["Mcts", "RootStatistics"]


class RootStatistics(NamedTuple):
    """What a tree search found for the searched position."""

    value: float
    """The mean result of all simulations for the player to move, from -1 to +1."""
    action: int
    """The action that was tried most often. If several actions were tried equally often, it is the action with the
    lowest number."""
    visits: dict[int, int]
    """For each legal action, the number of times that it was tried."""
    values: dict[int, float]
    """For each legal action, the mean result of its simulations for the player to move. An action that was not tried
    has the value 0."""


class Mcts(Agent):
    """Plays Othello by Monte Carlo tree search; the search uses only the rules of the game.

    UCT (upper confidence bounds for trees) grows the tree, and random games evaluate its leaves (see
    `othello_agents.mcts.kernels`). Each decision starts a new search. After a call of `new_game(seed)`, the random
    numbers of a search depend only on this seed and on `State.turn`.

    Args:
        simulations: the number of random games for each move.
        exploration: the weight of the bonus for moves that were rarely tried. The proof that UCT converges uses the
            weight 2.8.
        seed: the seed of the random choices before the first call of `new_game`. None stands for a random seed.

    Raises:
        ValueError: simulations is less than 1 or more than ten million, or exploration is negative or not finite.
        TypeError: simulations is not an integer.
    """

    _MOST = 10_000_000  # a tree of this number of simulations takes 0.7 GB
    # A call of `search_batch` for several positions runs at most this number of simulations in all. Ctrl-C takes effect
    # only between calls.
    _MOST_AT_ONCE = 50_000

    def __init__(self, simulations: int = 1000, exploration: float = 1.0, seed: int | None = None) -> None:
        self._simulations = check_whole("simulations", simulations, 1, self._MOST)
        if not (math.isfinite(exploration) and exploration >= 0):
            raise ValueError(f"exploration must be a finite number of at least 0, not {exploration}")
        self._exploration = float(exploration)
        self._chance = Chance(seed)

    def __repr__(self) -> str:
        return f"mcts:simulations={self._simulations},exploration={self._exploration:g}"

    def new_game(self, seed: int) -> None:
        self._chance.new_game(seed)

    def check_game(self, state: State) -> None:
        as_othello(state, "mcts plays")

    def search(self, state: State) -> RootStatistics:
        """Search a position.

        Raises:
            ValueError: the state is not an Othello position, or the game is over.
        """
        state = as_othello(state, "mcts plays")
        check_not_over(state)
        batch = OthelloPositions.from_states([state])
        visits, values = self._search(batch, [self._chance.key(state)])
        actions = state.legal_actions()
        return RootStatistics(
            float(values[0, ROOT]),
            int(_most_tried(visits, batch)[0]),
            {action: int(visits[0, _columns(state.size)[action]]) for action in actions},
            {action: float(values[0, _columns(state.size)[action]]) for action in actions},
        )

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        return self.search(state).action

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        if not isinstance(batch, OthelloPositions):
            return super().act_batch(batch)
        return _most_tried(self._search(batch, decision_keys(batch))[0], batch)

    def _search(
        self, batch: OthelloPositions, keys: list[int]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        key = np.array(keys, np.uint64)
        settings = BOARDS[batch.size], self._simulations, self._exploration
        at_once = max(1, self._MOST_AT_ONCE // self._simulations)
        parts = [slice(first, first + at_once) for first in range(0, max(len(batch), 1), at_once)]
        found = [search_batch(batch.own[part], batch.opponent[part], key[part], *settings) for part in parts]
        visits, values = zip(*found, strict=True)
        return np.concatenate(visits), np.concatenate(values)


@cache
def _columns(size: int) -> npt.NDArray[np.int64]:
    """For each action, its column in the results of `search_batch`; for a pass, the column `ROOT`."""
    return np.array([*ACTION_SQUARES[size], ROOT])


def _most_tried(visits: npt.NDArray[np.int64], batch: OthelloPositions) -> npt.NDArray[np.int64]:
    """The legal action that was tried most often in each position, (N,)."""
    tried = np.where(batch.masks(), visits[:, _columns(batch.size)], -1)
    return np.asarray(np.argmax(tried, axis=1), np.int64)
