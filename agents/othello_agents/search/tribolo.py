"""The strategies of Tribolo: three simple strategies, and the high-level strategy, which chooses among them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from othello_agents.evaluations import mobility
from othello_env.agent import Agent, WrongGameError, check_not_over
from othello_env.games.game import State
from othello_env.games.tribolo.position import Tribolo

__all__ = ["STRATEGIES", "TriboloPlayer", "alliance", "choose_strategy", "score"]

_FEW_UNOWNED = 20
_FEW_MOVES = 5

_Value = Callable[[Tribolo, int], float]
"""A function that gives the value of a position for a player."""


def score(state: Tribolo, player: int) -> int:
    """The number of the player's own cells."""
    return state.scores()[player]


def alliance(state: Tribolo, player: int, target: int) -> int:
    """The number of cells of the two players who ally against the player `target`.

    If `player` is the target, the value is the number of the target's own cells.
    """
    scores = state.scores()
    return scores[player] if player == target else sum(scores) - scores[target]


STRATEGIES = ("alliance", "high-level", "mobility", "score")
"""The names of the strategies."""


def choose_strategy(state: Tribolo, target: int) -> str:
    """The name of the simple strategy that the high-level strategy follows for the player to move.

    The first rule that applies decides:

    1. ``alliance`` if each other player's number of cells is less than 1.1 times the target's number.
    2. ``score`` if fewer than 20 cells have no owner. Walls count as cells without an owner.
    3. ``mobility`` if the player has fewer than 5 moves.
    4. ``score`` otherwise.
    """
    scores = state.scores()
    if all(10 * other < 11 * scores[target] for player, other in enumerate(scores) if player != target):
        return "alliance"
    if state.num_actions - sum(scores) < _FEW_UNOWNED:
        return "score"
    return "mobility" if len(state.legal_actions()) < _FEW_MOVES else "score"


class TriboloPlayer(Agent):
    """Plays Tribolo by a strategy, which gives a value to the position after an action and the next player's answer.

    The agent expects the answer that gives the next player the most cells. It plays the action with the highest value
    after the expected answer. Of equally good answers or actions, the agent takes the first. An action that ends the
    game has no answer. Then the strategy evaluates the position after the action.

    Args:
        strategy: ``score`` (see the function `score`), ``alliance`` (see the function `alliance`), ``mobility`` (see
            the evaluation `mobility`), or ``high-level``. The strategy ``high-level`` chooses one of the other three at
            every move (see `choose_strategy`).
        target: the name of the player against whom the strategy ``alliance`` unites the two other players.

    Raises:
        ValueError: there is no such strategy or no such player.
    """

    def __init__(self, strategy: str = "high-level", target: str = "blue") -> None:
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy must be one of {', '.join(STRATEGIES)}, not {strategy!r}")
        self._strategy = strategy
        self._target = Tribolo.player_index(target)

    def __repr__(self) -> str:
        return f"tribolo:strategy={self._strategy},target={Tribolo.player_names[self._target]}"

    def check_game(self, state: State) -> None:
        _checked(state)

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        """The action for the player to move.

        Raises:
            ValueError: the game is not Tribolo, or the game is over.
        """
        values = self.action_values(state)
        return max(values, key=values.__getitem__)

    def action_values(self, state: State) -> dict[int, float]:
        """The strategy's value of each legal action in the unit `unit`, in ascending order of actions."""
        state = _checked(state)
        check_not_over(state)
        value = self._value(state)
        return {action: value(_answered(state.play(action)), state.to_move) for action in state.legal_actions()}

    def _value(self, state: Tribolo) -> _Value:
        """The function by which the agent evaluates positions when it chooses its move in `state`."""
        name = choose_strategy(state, self._target) if self._strategy == "high-level" else self._strategy
        if name == "alliance":
            return partial(alliance, target=self._target)
        return mobility.function if name == "mobility" else score

    def evaluate(self, state: State, player: int) -> float:
        """The value for a player, in the unit `unit`, after the agent's action and the expected answer.

        So the value for the player to move is that of the best action. In a finished game, it is the strategy's value
        of the position.

        Raises:
            ValueError: the game is not Tribolo.
        """
        state = _checked(state)
        after = state if state.is_over else _answered(state.play(self.act(state)))
        return self._value(state)(after, player)

    @property
    def unit(self) -> str:
        """The unit of the values. The strategy ``high-level`` counts cells in some positions and moves in others."""
        return {"mobility": "moves", "high-level": "cells or moves"}.get(self._strategy, "cells")


def _checked(state: State) -> Tribolo:
    if not isinstance(state, Tribolo):
        raise WrongGameError(f"the strategies of Tribolo do not play {type(state).__name__}")
    return state


def _answered(state: Tribolo) -> Tribolo:
    """The position after the expected answer (see `TriboloPlayer`); `state` itself if the game is over."""
    answers = map(state.play, state.legal_actions())
    return max(answers, key=lambda after: after.scores()[state.to_move], default=state)
