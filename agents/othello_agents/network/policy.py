"""An agent that plays by a policy. A policy gives each action a probability.

Letters for shapes: N positions, S size, A = S * S + 1 actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy import special

from othello_env.agent import (
    Agent,
    AgentError,
    RandomChoices,
    WrongGameError,
    as_othello,
    check_not_over,
    decision_keys,
    spec_text,
)
from othello_env.games.batch import Positions
from othello_env.games.game import State
from othello_env.games.hashing import CHOICE, mix_int
from othello_env.games.othello import symmetries
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameSpec
from othello_env.support.numbers import check_flag, check_real

__all__ = [
    "AnyPositions",
    "PolicyAgent",
    "PolicyNetwork",
    "SeenPosition",
    "draw_actions",
    "mean",
    "mean_policy",
    "softmax",
    "symmetric_copies",
]


class PolicyNetwork(Protocol):
    """Any object that gives each action of a position a probability."""

    size: int
    """The size of a board of Othello. A network for another game also has an attribute `game`, such as ``checkers``."""

    def policy(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        """The probabilities of the actions, (N, A), given observations (N, 2, S, S) and masks (N, A).

        The probability of an illegal action is 0.
        """
        ...


class SeenPosition:
    """One position of any game as a network sees it, like `othello_env.games.batch.Positions` with N = 1."""

    def __init__(self, state: State) -> None:
        self._state = state

    def __len__(self) -> int:
        return 1

    def observations(self) -> npt.NDArray[np.int8]:
        return self._state.observation(self._state.to_move)[np.newaxis]

    def masks(self) -> npt.NDArray[np.int8]:
        return self._state.action_mask()[np.newaxis]


AnyPositions = Positions | SeenPosition


class PolicyAgent(Agent):
    """Plays by a network's policy, without looking ahead.

    Args:
        network: gives the policy.
        temperature: with 0, the agent plays the likeliest action (the lowest if several are equal). With 1, it samples
            from the policy. With any other number T, it samples with probabilities in proportion to p ** (1 / T), where
            p is the policy's probability of an action.
        name: the agent's name.
        seed: the seed of the random choices before the first call of `new_game`. None stands for a random seed.
        symmetric: play by the mean of the policies of the board's eight symmetric copies. The network gives each copy
            a slightly different policy, and the mean is usually better. But a move then takes eight times as long.

    Raises:
        ValueError: the temperature is negative or not finite.
    """

    def __init__(
        self,
        network: PolicyNetwork,
        temperature: float = 0.0,
        name: str = "neural",
        seed: int | None = None,
        *,
        symmetric: bool = False,
    ) -> None:
        self._network = network
        self._game: str | None = getattr(network, "game", None)
        if self._game is not None and symmetric:
            raise ValueError(f"{name} plays {self._game}; symmetric is for the symmetries of Othello's board")
        self._temperature = check_real("temperature", temperature, 0)
        self._name = name
        self._choices = RandomChoices(seed)
        self._symmetric = check_flag("symmetric", symmetric)

    def __repr__(self) -> str:
        return spec_text(self._name, self._options())

    def _options(self) -> dict[str, object]:
        """The options of the agent's spec. An option with its default is None."""
        temperature = f"{self._temperature:g}" if self._temperature else None
        return {"temperature": temperature, "symmetric": "true" if self._symmetric else None}

    def check_game(self, state: State) -> None:
        self._checked(state)

    def new_game(self, key: int) -> None:
        self._choices.new_game(key)

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        return int(self._choose(self._seen(state), [self._choices.key(state)])[0])

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        if self._game is not None and not self._temperature:
            self._checked(batch.state(0))
            return self._look(batch)[0]
        if self._game is not None or not isinstance(batch, OthelloPositions):
            return super().act_batch(batch)
        return self._choose(batch, decision_keys(batch))

    def _choose(self, batch: AnyPositions, keys: list[int]) -> npt.NDArray[np.int64]:
        """An action for each position. With a temperature other than 0, `keys` give the random numbers."""
        if isinstance(batch, OthelloPositions):
            self._check_size(batch.size)
        actions, policy = self._look(batch)
        if self._temperature == 0:
            return actions
        return draw_actions(self._sharp(policy), np.array([mix_int(key, CHOICE) >> 11 for key in keys]) / 2.0**53)

    def _sharp(self, policy: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Weights (N, A) in proportion to the probabilities with which actions are played."""
        return np.asarray((policy / policy.max(axis=1, keepdims=True)) ** (1 / self._temperature))

    def move_probabilities(self, batch: OthelloPositions) -> npt.NDArray[np.float64]:
        """The probabilities (N, A) with which the agent plays the actions; with temperature 0, all 0 but one."""
        self._check_size(batch.size)
        actions, policy = self._look(batch)
        weights = np.eye(policy.shape[1])[actions] if self._temperature == 0 else self._sharp(policy)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _look(self, batch: AnyPositions) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The best actions (N,), and the policies (N, A).

        Raises:
            AgentError: the network gives no policy for these positions. The message names the agent.
        """
        observations, masks = batch.observations(), batch.masks()
        copies = symmetric_copies(observations, masks) if self._symmetric else [(observations, masks)]
        try:
            policies = [self._network.policy(*copy) for copy in copies]
        except ValueError as error:
            raise AgentError(f"agent {self!r} gave no policy for {len(batch)} positions: {error}") from error
        policy = mean_policy(policies) if self._symmetric else policies[0]
        return np.asarray(policy.argmax(axis=1), np.int64), policy

    def action_probabilities(self, state: State) -> dict[int, float]:
        """The probability of each legal action at temperature 1, in ascending order of actions.

        Raises:
            ValueError: the state belongs to another game or board size, or its game is over.
            AgentError: the network gives no policy for this position.
        """
        batch = self._seen(state)
        check_not_over(state)
        _, policy = self._look(batch)
        return {action: float(policy[0, action]) for action in state.legal_actions()}

    def _checked(self, state: State) -> State:
        if self._game is None:
            self._check_size(as_othello(state, f"{self._name} plays").size)
        elif str(GameSpec.from_state(state)) != self._game:
            raise WrongGameError(f"{self._name} was trained for {self._game}, not {GameSpec.from_state(state)}")
        return state

    def _seen(self, state: State) -> AnyPositions:
        """A position for the network."""
        state = self._checked(state)
        if self._game is None and isinstance(state, Othello):
            return OthelloPositions.from_states([state])
        return SeenPosition(state)

    def _check_size(self, size: int) -> None:
        if size != self._network.size:
            raise WrongGameError(f"{self._name} was trained for Othello of size {self._network.size}, not {size}")


def symmetric_copies(
    observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
) -> Iterator[tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]]:
    """The observations (N, 2, S, S) and masks (N, A) after each of the eight symmetries, in the symmetries' order."""
    for k in range(symmetries.COUNT):
        planes = np.ascontiguousarray(symmetries.transform_observation(observations, k))
        yield planes, symmetries.transform_policy(masks, k)


def mean_policy(policies: Iterable[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """The mean (N, A) of the eight policies (N, A) that a network gives for the `symmetric_copies` of N positions.

    Each policy is first transformed back, so that its actions are those of the original boards.
    """
    return mean(symmetries.transform_policy(policy, symmetries.inverse(k)) for k, policy in enumerate(policies))


def mean(answers: Iterable[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """The mean of arrays of the same shape. The order of the arrays does not change a single bit of the mean."""
    return np.asarray(np.sort(list(answers), axis=0).mean(axis=0))


def softmax(logits: npt.NDArray[np.float64], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """The probabilities (N, A) of legal actions with these logits (N, A); 0 for illegal actions, whose mask is 0."""
    return np.asarray(special.softmax(np.where(masks != 0, logits, -np.inf), axis=1))


def draw_actions(weights: npt.NDArray[np.float64], draws: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Sample an action from each row, with probabilities in proportion to the weights.

    Args:
        weights: (N, A), zero for illegal actions.
        draws: (N,) uniform random numbers, at least 0 and below 1.

    Returns:
        (N,) int64
    """
    bounds = weights.cumsum(axis=1)
    # `bounds` has the running sums of each row's weights. Choose the first action whose running sum is greater than the
    # random number times the row's total. An action of weight 0 does not increase the running sum, so it is never
    # chosen.
    return np.asarray((bounds > draws[:, np.newaxis] * bounds[:, -1:]).argmax(axis=1), np.int64)
