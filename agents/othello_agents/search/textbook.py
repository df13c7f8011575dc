"""What the textbook searches share: their agents, and the compiled kernels that serve them in Othello."""

import math
from abc import abstractmethod
from operator import index
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations import (
    Evaluate,
    count,
    evaluation_name,
    find_evaluation,
    mobility,
    modified,
    standard,
    swh,
    weighted,
)
from othello_agents.search import kernels as search_kernels
from othello_env.agent import Agent, WrongGameError, option_text
from othello_env.games.batch import Positions
from othello_env.games.game import State
from othello_env.games.othello.position import Othello, OthelloBatch

__all__ = ["COMPILED", "DepthSearch", "Found", "Search", "check_depth", "final_value"]

COMPILED: MappingProxyType[Evaluate, int] = MappingProxyType(
    {
        count: search_kernels.COUNT,
        mobility: search_kernels.MOBILITY,
        modified: search_kernels.MODIFIED,
        standard: search_kernels.WEIGHTED,
        swh: search_kernels.SWH,
        weighted: search_kernels.WEIGHTED,
    }
)
"""The evaluations that the kernels know in Othello; others are searched in Python."""

_DEEPEST = 100
"""More than any game of Othello has plies, and than a search in Python can go down."""


class Found(NamedTuple):
    """What a search found out."""

    value: float
    """For the player to move: an evaluation, or +-infinity for a game that is won or lost."""
    action: int
    """The first best action; -1 where none was searched."""
    nodes: int
    """The number of positions visited."""


def final_value(state: State) -> float:
    """The value of a finished game for the player to move: beyond any evaluation if won or lost, 0 if drawn."""
    result = state.returns()[state.to_move]
    return math.copysign(math.inf, result) if result else 0


class Search(Agent):
    """An agent that looks ahead and plays the first best action, in ascending order.

    In Othello, with an evaluation that is `COMPILED`, it runs on kernels; otherwise in Python. Both do the same.
    """

    def __init__(self, evaluate: str | Evaluate) -> None:
        self._evaluate = find_evaluation(evaluate)
        self._compiled = COMPILED.get(self._evaluate)

    def _evaluation(self, root: State) -> Evaluate:
        """The evaluation for a search of this position: what it offers as `at_root`, if it does, else itself."""
        at_root = getattr(self._evaluate, "at_root", None)
        return self._evaluate if at_root is None else cast(Evaluate, at_root(root))

    @abstractmethod
    def _search_state(self, state: State) -> Found:
        """The search in any game."""

    @abstractmethod
    def _search_batch(self, batch: OthelloBatch, evaluation: int) -> search_kernels.FoundBatch:
        """The search by a kernel, for N positions."""

    @abstractmethod
    def action_values(self, state: State) -> dict[int, float]:
        """What the search finds each legal action worth to the player to move, in ascending order of actions.

        The first best one is what the agent plays; values are as in `Found`.

        Raises:
            ValueError: the game is over, or this search or its evaluation is for other games.
        """

    @property
    def _options(self) -> str:
        return option_text("eval", evaluation_name(self._evaluate))

    def __repr__(self) -> str:
        return f"{type(self).__name__.lower()}:{self._options}"

    def search(self, state: State) -> Found:
        """The value of a position for the player to move, the action to play and the number of positions visited.

        Raises:
            ValueError: the game is over, or this search or its evaluation is for other games.
        """
        self._check(state)
        if self._compiled is None or not isinstance(state, Othello):
            return self._search_state(state)
        return _first(self._search_batch(OthelloBatch.from_states([state]), self._compiled))

    def _check(self, state: State) -> None:
        """Check that there is something to search.

        Raises:
            ValueError: the game is over, or this search is for other games.
        """
        if state.is_over:
            raise ValueError(f"there is nothing to search, the game is over:\n{state}")

    def check_game(self, state: State) -> None:
        self._evaluation(state)(state, state.to_move)

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        return self.search(state).action

    @property
    def answers_batches(self) -> bool:
        """Whether a kernel answers; a search in Python is a loop, which no limit of time could end."""
        return self._compiled is not None

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        if self._compiled is None or not isinstance(batch, OthelloBatch):
            return super().act_batch(batch)
        return self._search_batch(batch, self._compiled)[1]


def check_depth(depth: Any) -> int:
    """The depth of a search in plies, 1 to 100.

    Raises:
        ValueError: it is out of range.
        TypeError: it is no integer.
    """
    try:
        plies = index(depth)
    except TypeError:
        raise TypeError(f"depth is a number of plies, not {depth!r}") from None
    if not 1 <= plies <= _DEEPEST:
        raise ValueError(f"depth is 1 to {_DEEPEST}, not {depth}")
    return plies


def _first(found: search_kernels.FoundBatch) -> Found:
    """What a kernel found in the first of its positions, as the search in Python has it."""
    value, action, nodes = (int(each[0]) for each in found)
    return Found(math.copysign(math.inf, value) if abs(value) == search_kernels.WIN else value, action, nodes)


class DepthSearch(Search):
    """A search of a two-player game to a fixed depth in plies; a pass is a ply.

    At depth 0 a position is evaluated for its player to move, finished or not. Before that a finished game is worth
    more than any evaluation to its winner.
    """

    def __init__(self, depth: Any, evaluate: str | Evaluate) -> None:
        self._depth = check_depth(depth)
        super().__init__(evaluate)

    @property
    def _options(self) -> str:
        return f"depth={self._depth},{super()._options}"

    @abstractmethod
    def _search_to(self, state: State, depth: int, evaluate: Evaluate) -> Found:
        """The search in any game to a depth, which may be 0."""

    @abstractmethod
    def _search_batch_to(self, batch: OthelloBatch, depth: int, evaluation: int) -> search_kernels.FoundBatch:
        """The search by a kernel to a depth, which may be 0, for N positions."""

    def _search_state(self, state: State) -> Found:
        return self._search_to(state, self._depth, self._evaluation(state))

    def _search_batch(self, batch: OthelloBatch, evaluation: int) -> search_kernels.FoundBatch:
        return self._search_batch_to(batch, self._depth, evaluation)

    def action_values(self, state: State) -> dict[int, float]:
        self._check(state)
        evaluate = self._evaluation(state)
        values: dict[int, float] = {}
        for action in state.legal_actions():
            child = state.play(action)
            if self._compiled is None or not isinstance(child, Othello):
                value = self._search_to(child, self._depth - 1, evaluate).value
            else:
                batch = OthelloBatch.from_states([child])
                value = _first(self._search_batch_to(batch, self._depth - 1, self._compiled)).value
            values[action] = value if child.to_move == state.to_move else -value
        return values

    def evaluate(self, state: State, player: int) -> float:
        """What a position is worth to a player by a search of it; the game is not over.

        Raises:
            ValueError: as for `search`.
        """
        value = self.search(state).value
        return value if state.to_move == player else -value

    def check_game(self, state: State) -> None:
        self._check_players(state)
        super().check_game(state)

    def _check(self, state: State) -> None:
        self._check_players(state)
        super()._check(state)

    def _check_players(self, state: State) -> None:
        if state.num_players != 2:
            name = type(self).__name__.lower()
            raise WrongGameError(f"{name} is for two players, but {type(state).__name__} has {state.num_players}")
