"""What an agent is: the protocol that every opponent speaks, its errors, and how it draws.

A player is asked for an action in a position, alone (`act`) or for many games at once (`act_batch`).
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Positions
from othello_env.games.game import State, check_seed
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
"""A callable agent: observations (N, C, H, W) and masks (N, A), both int8, to N actions."""


class SpecError(ValueError):
    """A spec that names no agent, or options that the agent does not take."""


class AgentError(RuntimeError):
    """An agent that answered with something that is no legal action, or did not answer."""


class AgentLeftError(AgentError):
    """An agent, such as a person, that has left: no game is lost by it, none is played on."""


class WrongGameError(ValueError):
    """A game, or a size of its board, that an agent does not play at all: no game is lost by it, none is played."""


class Chance:
    """The random choices of an agent: by the game and its turn once `new_game` was called, else one after the other."""

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

    An agent may tell more, by methods that are looked for where they are used, such as on the page:

    - ``action_values(state)``: a dict of each legal action's value for the player to move, infinite for a sure result;
    - ``action_probabilities(state)``: a dict of the probability of playing each legal action;
    - ``evaluate(state, player)``: a value of the position for that player;
    - ``search(state)``: an object with `value`, for the player to move, as the textbook searches'; where it has
      `visits`, a dict, they are how often a tree search tried each action;
    - ``analyse(state, scores=bool)``: an object with `score`, `scores` and `unit`, as the engine's;
    - ``exact_scores(states)``: (N, A) the final scores in discs after each legal action.
    """

    _game_key: int | None = None
    """With which key it was last told to begin a game; see `Seat`."""

    def __repr__(self) -> str:
        return type(self).__qualname__

    @abstractmethod
    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        """The action for the player to move.

        A clock may limit the game, each move, or both. An agent that makes a difference between them takes one more
        argument, ``move_seconds: float | None = None``: the seconds for this move, where a move has a limit. One that
        takes any keyword (``**``) gets both; `act_on_clock` hands another agent as much as that one takes.

        Args:
            state: the position.
            seconds_left: the seconds that this side has left for all its moves, if its game has a limit. An agent that
                takes no `move_seconds` gets here what this move may take, by either limit.

        Raises:
            WrongGameError: it does not play such positions.
        """

    def check_game(self, state: State) -> None:  # noqa: B027 - most agents play any game
        """Check that it plays this game, on a board of this size.

        Raises:
            WrongGameError: it does not.
        """

    @property
    def answers_batches(self) -> bool:
        """Whether `act_batch` is more than a loop over `act`, so that playing many games at once pays."""
        return type(self).act_batch is not Agent.act_batch

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        """(N,) actions for N positions; each game's random choices depend only on its key."""
        actions = np.empty(len(batch), np.int64)
        for i, key in enumerate(batch.key.tolist()):
            begin_game(self, key)
            actions[i] = self.act(batch.state(i))
        return actions

    def new_game(self, seed: int) -> None:  # noqa: B027 - most agents have nothing to prepare
        """Called before each game; what is random in it then depends only on this 64-bit seed.

        An agent that plays several games at a time, or several seats of one, is called again whenever it is asked about
        another one than before. So what it draws should follow from the seed and from `state.turn`, as with `Chance`.
        Of an agent within another one nobody knows but that one: give each its own, since two that share one would
        begin each other's games in it.
        """


def begin_game(agent: Agent, key: int) -> None:
    """Tell an agent to begin the game with this key, and remember on it which game that was."""
    object.__setattr__(agent, "_game_key", key)  # an agent may be a frozen dataclass
    agent.new_game(key)


def as_othello(state: State, who: str) -> Othello:
    """The position, for an agent that plays nothing but Othello.

    Args:
        state: a position of any game.
        who: begins the message: ``"mcts plays"``.

    Raises:
        WrongGameError: it is of another game.
    """
    if not isinstance(state, Othello):
        raise WrongGameError(f"{who} Othello, not {type(state).__name__}")
    return state
