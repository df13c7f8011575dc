"""The base classes of the searches. They use compiled code where it exists, otherwise plain Python."""

import math
from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations import Evaluate, evaluation_name, find_evaluation
from othello_agents.evaluations.registry import at_root, evaluation_unit
from othello_agents.search import kernels
from othello_env.agent import Agent, WrongGameError, check_not_over, spec_text
from othello_env.games.batch import Positions
from othello_env.games.game import State
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_whole

__all__ = ["CompiledSearch", "DepthSearch", "Found", "Search", "final_value"]

_DEEPEST = 100
"""The greatest depth in plies. No game of Othello is this long."""


class Found(NamedTuple):
    """The result of a search."""

    value: float
    """The value for the player to move: an evaluation, or +-infinity for a won or lost game."""
    action: int
    """The first best action; -1 if no action was searched."""
    nodes: int
    """The number of positions visited."""


def final_value(state: State) -> float:
    """The value of a finished game for the player to move: +infinity if won, -infinity if lost, 0 if drawn."""
    result = state.returns()[state.to_move]
    return math.copysign(math.inf, result) if result else 0


class Search(Agent):
    """An agent that looks ahead and plays the best action.

    Of equally good actions, it plays the action with the lowest number.

    Args:
        depth: the depth of the search in plies.
        evaluate: the name of an evaluation (see `find_evaluation`), or a function of a state and a player.

    Raises:
        ValueError: the depth is out of range, or `evaluate` names no evaluation.
        TypeError: the depth is not an integer, or the evaluation is not a function.
    """

    def __init__(self, depth: Any, evaluate: str | Evaluate) -> None:
        self._depth = check_whole("depth", depth, 1, _DEEPEST)
        self._evaluate = find_evaluation(evaluate)

    def __repr__(self) -> str:
        return spec_text(self._name, self._options())

    @property
    def unit(self) -> str:
        """The unit of the values: that of the evaluation."""
        return evaluation_unit(self._evaluate)

    @property
    def _name(self) -> str:
        return type(self).__name__.lower()

    def _options(self) -> dict[str, object]:
        return {"depth": self._depth, "eval": evaluation_name(self._evaluate)}

    @abstractmethod
    def search(self, state: State) -> Any:
        """Search a position. Returns its value, the action to play and the number of positions visited.

        Raises:
            ValueError: the game is over, or the search or the evaluation is not for this game.
        """

    @abstractmethod
    def _value(self, state: State, depth: int, player: int, evaluate: Evaluate) -> float:
        """The value of a position for a player, from a search to `depth`, which may be 0."""

    def action_values(self, state: State) -> dict[int, float]:
        """The value of each legal action for the player to move, in ascending order of actions.

        The agent plays the first action with the highest value. The best line after an action may end the game before
        the search reaches its full depth. Then the action's value is +-infinity, or 0 for a draw.

        Raises:
            ValueError: the game is over, or the search or the evaluation is not for this game.
        """
        self._check(state)
        evaluate = self._at_root(state)
        return {
            action: self._value(state.play(action), self._depth - 1, state.to_move, evaluate)
            for action in state.legal_actions()
        }

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        action: int = self.search(state).action
        return action

    def check_game(self, state: State) -> None:
        self._at_root(state)(state, state.to_move)

    def _at_root(self, state: State) -> Evaluate:
        """The evaluation to use in a search from this position. Some evaluations depend on where the search begins."""
        return at_root(self._evaluate, state)

    def _check(self, state: State) -> None:
        """Check that this search can search the position.

        Raises:
            ValueError: the game is over, or the search is not for this game.
        """
        check_not_over(state)


class CompiledSearch(Search):
    """A search in plain Python for any game, with a compiled kernel that gives the same results in Othello.

    The kernel is used in Othello with the evaluations that it can compute (see `kernels.compiled_sum`). Plain Python is
    used in all other cases, also for a subclass of `Othello`, which may have other rules.
    """

    method: ClassVar[int]
    """The method of `kernels.search_position` that gives the same results as `python`."""

    @staticmethod
    @abstractmethod
    def python(state: State, depth: int, evaluate: Evaluate) -> Found:
        """Search a position in Python to `depth`, which may be 0."""

    def __init__(self, depth: Any, evaluate: str | Evaluate) -> None:
        super().__init__(depth, evaluate)
        self._compiled = kernels.compiled_sum(self._evaluate)
        self._settings: dict[int, kernels.Settings] = {}  # for each board size that has passed the checks of `search`

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        if type(state) is Othello and not state.is_over:
            settings = self._settings.get(state.size)
            if settings is not None:
                return int(kernels.search_position(np.uint64(state.own), np.uint64(state.opponent), *settings)[1])
        return self.search(state).action

    def search(self, state: State) -> Found:
        self._check(state)
        result = self._search(state, self._depth, self._at_root(state))
        if self._compiled is not None and type(state) is Othello:
            self._settings[state.size] = kernels.settings(self._compiled, state.size, self._depth, self.method)
        return result

    def _search(self, state: State, depth: int, evaluate: Evaluate) -> Found:
        if self._compiled is None or type(state) is not Othello:
            return self.python(state, depth, evaluate)
        settings = kernels.settings(self._compiled, state.size, depth, self.method)
        value, action, nodes = kernels.search_position(np.uint64(state.own), np.uint64(state.opponent), *settings)
        number = math.copysign(math.inf, value) if abs(value) == kernels.WIN else int(value)
        return Found(number, int(action), int(nodes))

    def _value(self, state: State, depth: int, player: int, evaluate: Evaluate) -> float:
        value = self._search(state, depth, evaluate).value
        return value if state.to_move == player else -value

    def answers_batches(self, start: State) -> bool:
        """Whether the agent answers many positions in one call. It does so in Othello, if its evaluation is compiled.

        Without compiled code, one call for many positions would be a long loop in Python, and no time limit could end
        this call.
        """
        return self._compiled is not None and type(start) is Othello

    @property
    def batch_microseconds(self) -> float:
        return 0.0 if self._compiled is None else 0.04 * 4.0**self._depth

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        if self._compiled is None or not isinstance(batch, OthelloPositions):
            return super().act_batch(batch)
        if self._depth <= kernels.DEEPEST:
            return kernels.best_actions(batch, self.method, self._depth, self._compiled)
        return kernels.search_batch(batch, self.method, self._depth, self._compiled)[1]


class DepthSearch(CompiledSearch):
    """A search of a two-player game to a fixed depth in plies; a pass is a ply.

    At depth 0 the value of a position is its evaluation from the view of the player to move, also if the game is over.
    At a greater depth, a finished game is worth more to its winner than any evaluation.
    """

    def evaluate(self, state: State, player: int) -> float:
        """Search a position and return its value for a player; the game must not be over.

        Raises:
            ValueError: the game is over, or the search or the evaluation is not for this game.
        """
        self._check(state)
        return self._value(state, self._depth, player, self._at_root(state))

    def check_game(self, state: State) -> None:
        self._check_players(state)
        super().check_game(state)

    def _check(self, state: State) -> None:
        self._check_players(state)
        super()._check(state)

    def _check_players(self, state: State) -> None:
        if state.num_players != 2:
            raise WrongGameError(f"{self._name} is for two players, but {type(state).__name__} has {state.num_players}")
