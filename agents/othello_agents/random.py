"""The agent that plays a random legal action."""

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, RandomChoices
from othello_env.games.batch import Positions
from othello_env.games.game import State

__all__ = ["Random"]


class Random(Agent):
    """Plays legal actions at random, all with equal probability.

    Args:
        seed: determines the choices before the first call of `new_game`. If `seed` is None, these choices differ from
            run to run.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._choices = RandomChoices(seed)

    def __repr__(self) -> str:
        return "random"

    def new_game(self, key: int) -> None:
        self._choices.new_game(key)

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        return self._choices.choose(state)

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        return batch.draw_actions()

    def move_probabilities(self, batch: Positions) -> npt.NDArray[np.float64]:
        """Every legal action has the same probability; (N, number of actions)."""
        masks = batch.masks()
        return np.asarray(masks / masks.sum(axis=1, keepdims=True))
