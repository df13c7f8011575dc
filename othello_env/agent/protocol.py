"""The base class `Agent` of all players, and the errors and random choices of agents.

The method `act` of an agent chooses an action in one position. The method `act_batch` chooses actions in many positions
at once.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Positions
from othello_env.games.game import IllegalActionError, State, WrongGameError, check_seed
from othello_env.games.hashing import CHOICE, mix_int
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_type

__all__ = [
    "Agent",
    "AgentError",
    "AgentLeftError",
    "GameAhead",
    "OptionalMethods",
    "Policy",
    "RandomChoices",
    "SpecError",
    "WrongGameError",
    "as_othello",
    "begin_game",
    "check_not_over",
    "decision_keys",
    "illegal_answer",
]

Policy = Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], Any]
"""A function that chooses actions in N positions. It takes observations `(N, planes, height, width) int8` and masks of
the legal actions `(N, number of actions) int8`. It returns N actions."""


GameAhead = Generator[tuple[State, int], int, Any]
"""A game that may be played later. It yields the positions in which an agent is asked, with the key of game and seat
(see `Agent.new_game`), and is sent the agent's actions; see `OptionalMethods.ahead`."""


class SpecError(ValueError):
    """A spec (a text that should name an agent) names no agent, or gives options that the agent does not take."""


class AgentError(RuntimeError):
    """An agent did not answer, or its answer is not a legal action."""


class AgentLeftError(AgentError):
    """An agent, such as a person, has left the game. The game then has no result, so nobody has lost it."""


class RandomChoices:
    """The random choices of an agent.

    After ``new_game(key)``, each choice depends only on this key, on `State.placed` and on the legal actions. Before
    the first `new_game`, the choices come from one stream of random numbers. Without a seed, the stream is drawn at the
    first choice, so agents that were made before a fork choose differently in each process.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._stream = None if seed is None else mix_int(check_seed(seed), 0)
        self._count = 0
        self._game: int | None = None

    def new_game(self, key: int) -> None:
        self._game = key

    def key(self, state: State) -> int:
        """A 64-bit random number for the decision in this position."""
        if self._game is not None:
            return _decision_key(self._game, state.placed)
        if self._stream is None:
            self._stream = secrets.randbits(64)
        self._count += 1
        return mix_int(self._stream, self._count)

    def choose(self, state: State) -> int:
        """A uniformly random legal action."""
        return state.draw_action(self.key(state), CHOICE)


def decision_keys(batch: OthelloPositions) -> list[int]:
    """A 64-bit random number for each position, as `RandomChoices.key` gives for the same game and `State.placed`."""
    return [_decision_key(key, placed) for key, placed in zip(batch.key.tolist(), batch.placed(), strict=True)]


def _decision_key(game: int, placed: int) -> int:
    """A 64-bit random number for a decision, from the key of the game and the number `State.placed`."""
    return mix_int(game, placed)


class Agent(ABC):
    """A player of one or more kinds of games. An agent is asked for a move only if the game is not over.

    An agent may also have methods of `OptionalMethods`.
    """

    _game_key: int | None = None
    """The key that `begin_game` last passed to `new_game`; see `Seat`. None if no game is known."""

    _file_hashes: Mapping[str, str] = MappingProxyType({})
    """The files from which the agent was made; see `othello_env.agent.file_hashes`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "act" in vars(cls) and "act_batch" not in vars(cls):
            cls.act_batch = Agent.act_batch  # an inherited one would not call the new `act`

    def __repr__(self) -> str:
        return type(self).__qualname__

    @abstractmethod
    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        """Choose an action for the player to move.

        Without a clock, only the position is passed. So a subclass that plays without clocks may define ``act(state)``.

        A clock may limit the whole game, each move, or both. A subclass can define `act` with one more argument,
        ``move_seconds: float | None = None``. Then `move_seconds` is the limit for this move, and `seconds_left` is the
        limit for the game. An `act` with a parameter such as ``**options`` also gets both arguments. To pass a clock to
        another agent, call `act_on_clock`. It passes only the arguments that the other agent's `act` takes.

        Args:
            state: the position.
            seconds_left: the seconds that this side has left for all its moves; None if the game has no limit. If `act`
                does not take `move_seconds`, this is the smaller of the two limits.

        Raises:
            WrongGameError: the agent does not play this game, or does not play on a board of this size.
        """

    def check_game(self, state: State) -> None:  # noqa: B027 - most agents play any game
        """Check that the agent plays this game on a board of this size.

        Raises:
            WrongGameError: the agent does not play this game, or does not play on a board of this size.
        """

    batch_microseconds = 0.0
    """About how long `act_batch` takes for a position. If it is not 0, threads may call it at the same time, each for a
    slice of the positions; an environment with several threads does so if all positions take a millisecond or more."""

    def answers_batches(self, start: State) -> bool:
        """Whether one call of `act_batch` is faster than a call of `act` for each position, in games like `start`.

        By default, whether the agent defines `act_batch` itself.
        """
        return type(self).act_batch is not Agent.act_batch

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        """Choose an action in each of N positions, and return the actions as `(N,) int64`.

        Each position is from a different game. The random choices in a position must depend on the key of its game (in
        `batch.key`), and not on the other games. If a subclass defines only `act`, this method calls `act` for each
        position.

        Raises:
            AgentError: an answer of `act` is not an integer in range.
        """
        actions = np.empty(len(batch), np.int64)
        for i, key in enumerate(batch.key.tolist()):
            begin_game(self, key)
            state = batch.state(i)
            answer = self.act(state)
            try:
                actions[i] = state.check_action(answer)
            except (TypeError, IllegalActionError) as error:
                raise illegal_answer(self, state, error) from None
        return actions

    def new_game(self, key: int) -> None:  # noqa: B027 - most agents have nothing to prepare
        """Prepare for a new game, in which this 64-bit key determines the agent's random choices.

        An agent may play several games at the same time, or several sides (seats) of one game. Before the agent is
        asked about a different game or seat, `new_game` is called again with the key for that game and seat. So the
        agent should compute its random choices from the key and from `state.placed`, as `RandomChoices` does.

        If an agent contains another agent, the `new_game` of the outer agent must call that of the inner agent, because
        nothing else calls it. Two agents must not contain the same inner agent. Otherwise one agent would begin a new
        game in the inner agent while the other agent's game is not over.
        """


class OptionalMethods(Protocol):
    """What an agent may also have, beside the methods of `Agent`: any of these methods, and the attribute `unit`.

    No agent needs all of them. Code that can use a method, such as the browser page, first checks by `hasattr` whether
    the agent has it.
    """

    unit: str
    """The unit of the values of `action_values` and `evaluate`.

    The browser page knows the bounds of ``"win minus loss"``, ``"mean of result and margin"`` and units that begin with
    ``"discs"``.
    """

    def action_values(self, state: State) -> dict[int, float]:
        """The value of each legal action for the player to move.

        The value may be +infinity if the action certainly wins, and -infinity if it certainly loses.
        """
        ...

    def action_probabilities(self, state: State) -> dict[int, float]:
        """The probability that the agent's policy gives each legal action.

        The agent may nevertheless always play the likeliest action.
        """
        ...

    def move_probabilities(self, batch: Positions) -> npt.NDArray[np.float64]:
        """(N, number of actions): in each of N positions, the probability with which the agent plays each action.

        It does not depend on what was played before. `othello_env.arena.exploitability` computes with it.
        """
        ...

    def evaluate(self, state: State, player: int) -> float:
        """The value of the position for this player, in the unit of `action_values`."""
        ...

    def expected_discs(self, state: State, value: float) -> float:
        """The final lead in discs that a value of the position stands for, for the player whose value it is.

        With this method, the browser page shows discs instead of the agent's own unit.
        """
        ...

    def knows(self, state: State) -> bool:
        """Whether `action_values` takes seconds at most in this position. Without this method, the answer is yes."""
        ...

    def search(self, state: State) -> Any:
        """In games of two players, an object with `value`, the value for the player to move.

        The object may also have `visits`, a dict from each action to the number of times that a tree search tried it.
        """
        ...

    def analyse(self, state: State, *, scores: bool = False) -> Any:
        """An object with `score`, the value for the player to move, and `unit`, the unit of this value as text.

        If `scores` is True, the object also has `scores`, a dict from each legal action to its value. An engine may
        also take ``lines=int``, as `othello_agents.engine.Engine.analyse` does.
        """
        ...

    def exact_scores(self, states: Any) -> npt.NDArray[np.float64]:
        """(N, number of actions), for N positions: the final disc difference after each action, under perfect play.

        It is positive if the player to move wins. For an illegal action, it is NaN.
        """
        ...

    def ahead(self, games: Iterator[GameAhead | None]) -> AbstractContextManager[None]:
        """In this block, the agent may be asked ahead: in games that will probably be played later.

        An agent that waits long for its answers, such as for a model's endpoint, uses the time in this way. It must
        remember these answers, and give them when the games are played. It takes games from the iterator during `act`
        and `act_batch`; None means that there is none now.
        """
        ...

    def report(self) -> Sequence[str]:
        """Sentences about the agent's answers so far. A benchmark prints them."""
        ...

    def summary(self) -> Mapping[str, Any]:
        """The agent's answers so far in numbers, as plain values. A benchmark writes them."""
        ...


def illegal_answer(agent: Agent, state: State, error: Exception) -> AgentError:
    """Make the error for an answer that is not a legal action. The caller raises the error."""
    board = "" if str(state) in str(error) else f"\n{state}"
    return AgentError(f"agent {agent!r} answered with an illegal action in {state!r}: {error}{board}")


def begin_game(agent: Agent, key: int) -> None:
    """Call an agent's `new_game` with the key of a game, and store the key in the agent."""
    object.__setattr__(agent, "_game_key", key)  # a plain assignment fails for a frozen dataclass
    agent.new_game(key)


def check_not_over(state: State) -> None:
    """Check that the game is not over, so that an agent can choose a move.

    Raises:
        TypeError: the argument is not a State.
        ValueError: the game is over.
    """
    if check_type("the position", state, State).is_over:
        raise ValueError(f"there is no move to choose, the game is over:\n{state}")


def as_othello(state: State, who: str) -> Othello:
    """Return the position if it is of exactly the class `Othello`. Agents that play only Othello use this function.

    A subclass may have other rules, which compiled code would not follow. So subclasses are refused.

    Args:
        state: a position of any game.
        who: the beginning of the error message: the agent and a verb, such as ``"mcts plays"``.

    Raises:
        WrongGameError: the position is of another game, or of a subclass.
    """
    if type(state) is not Othello:
        raise WrongGameError(f"{who} Othello, not {type(state).__name__}")
    return state
