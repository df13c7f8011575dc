"""The Agent protocol that every opponent implements, its errors, and its random choices.

An agent is asked for an action in one position (`act`), or for actions in many games at once (`act_batch`).
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Positions
from othello_env.games.game import State, WrongGameError, check_seed
from othello_env.games.hashing import CHOICE, mix_int
from othello_env.games.othello.position import Othello

__all__ = [
    "Agent",
    "AgentError",
    "AgentLeftError",
    "Chance",
    "Policy",
    "SpecError",
    "WrongGameError",
    "as_othello",
    "begin_game",
]

Policy = Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], Any]
"""A callable agent: takes observations (N, C, H, W) and masks (N, A), both int8, and returns N actions."""


class SpecError(ValueError):
    """A spec names no agent, or gives options that the agent does not take."""


class AgentError(RuntimeError):
    """An agent did not answer, or its answer is not a legal action."""


class AgentLeftError(AgentError):
    """An agent, such as a person, has left: the game is abandoned, not forfeited."""


class Chance:
    """The random choices of an agent.

    After `new_game`, each choice depends only on the game's seed and the turn. Without it, the choices come from one
    stream, one after the other.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._stream = secrets.randbits(64) if seed is None else mix_int(check_seed(seed), 0)
        self._count = 0
        self._game: int | None = None

    def new_game(self, seed: int) -> None:
        self._game = seed

    def key(self, state: State) -> int:
        """64 random bits for this decision."""
        if self._game is not None:
            return mix_int(self._game, state.turn)
        self._count += 1
        return mix_int(self._stream, self._count)

    def choose(self, state: State) -> int:
        """A uniformly random legal action."""
        return state.draw_action(self.key(state), CHOICE)


class Agent(ABC):
    """A player of one or more games. It is asked only in positions that are not over.

    An agent may have more methods. Code that can use them, such as the page, checks whether they exist:

    - ``action_values(state)``: a dict of each legal action's value for the player to move, infinite for a sure result;
    - ``action_probabilities(state)``: a dict of the probability of playing each legal action;
    - ``evaluate(state, player)``: a value of the position for that player;
    - ``search(state)``: an object with `value`, for the player to move, as the textbook searches return it. It may
      have `visits`, a dict of the number of times that a tree search tried each action;
    - ``analyse(state, scores=bool)``: an object with `score`, `scores` and `unit`, as the engine returns it;
    - ``exact_scores(states)``: (N, A) the final scores in discs after each legal action.
    """

    _game_key: int | None = None
    """The key of the game that it was last told to begin; see `Seat`."""

    def __repr__(self) -> str:
        return type(self).__qualname__

    @abstractmethod
    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        """The action for the player to move.

        A clock may limit the game, each move, or both. An agent that treats the two limits differently takes one more
        argument, ``move_seconds: float | None = None``: the seconds for this move, if each move has a limit. An agent
        whose `act` takes any keyword (``**``) gets both arguments. To pass a clock on to another agent, call
        `act_on_clock`: it passes only the arguments that the other agent takes.

        Args:
            state: the position.
            seconds_left: the seconds that this side has left for all its moves, if the game has a limit. An agent that
                does not take `move_seconds` gets the most that this move may take under either limit.

        Raises:
            WrongGameError: the agent does not play such positions.
        """

    def check_game(self, state: State) -> None:  # noqa: B027 - most agents play any game
        """Check that the agent plays this game on a board of this size.

        Raises:
            WrongGameError: the agent does not play it.
        """

    @property
    def answers_batches(self) -> bool:
        """Whether `act_batch` is more than a loop over `act`, so that playing many games at once is faster."""
        return type(self).act_batch is not Agent.act_batch

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        """(N,) actions for N positions; each game's random choices depend only on its key."""
        actions = np.empty(len(batch), np.int64)
        for i, key in enumerate(batch.key.tolist()):
            begin_game(self, key)
            actions[i] = self.act(batch.state(i))
        return actions

    def new_game(self, seed: int) -> None:  # noqa: B027 - most agents have nothing to prepare
        """Prepare for a new game. The agent's random choices in it must depend only on this 64-bit seed.

        An agent may play several games at a time, or several seats of one game. Then this method is called again each
        time the agent is asked about a different game or seat than last time. So its random choices should follow from
        the seed and from `state.turn`, as those of `Chance` do.

        An agent that contains another agent must call its `new_game` too, as nobody else does. Give each outer agent
        an inner agent of its own: two that share one would overwrite each other's game in it.
        """


def begin_game(agent: Agent, key: int) -> None:
    """Tell an agent to begin the game with this key, and store the key on the agent."""
    object.__setattr__(agent, "_game_key", key)  # works for an agent that is a frozen dataclass too
    agent.new_game(key)


def as_othello(state: State, who: str) -> Othello:
    """The position as an Othello position, for an agent that plays only Othello.

    Args:
        state: a position of any game.
        who: the beginning of the error message, such as ``"mcts plays"``.

    Raises:
        WrongGameError: the position is of another game.
    """
    if not isinstance(state, Othello):
        raise WrongGameError(f"{who} Othello, not {type(state).__name__}")
    return state
