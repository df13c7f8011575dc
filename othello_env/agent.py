"""What plays: the Agent protocol, and the specs that name agents.

A spec is ``name`` or ``name:key=value,key=value``; a value that has ``,`` or ``"`` in it is double-quoted, and a quote
in it doubled. Names come from the entry points of the group ``othello_env.agents``, so any installed package can add
some; an entry point named by a file's suffix (``.npz``) loads such files. ``path.py:name`` and ``package.module:name``
are callables, or subclasses of Agent, which take options too. Every spec takes ``epsilon=``.
"""

from __future__ import annotations

import inspect
import math
import re
import secrets
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.clock import Clock
from othello_env.games import bitboard
from othello_env.games.game import IllegalActionError, State, check_seed
from othello_env.games.hashing import CHOICE, EPSILON, mix_int
from othello_env.games.othello import Othello, OthelloBatch
from othello_env.imports import NoSuchNameError, NotThereError, import_object

__all__ = [
    "Agent",
    "AgentError",
    "AgentLeftError",
    "Chance",
    "Clock",
    "Policy",
    "Seat",
    "SpecError",
    "WrongGameError",
    "act_on_clock",
    "agent_names",
    "as_othello",
    "ask",
    "make_agent",
    "option_text",
    "play_answer",
]

_ENTRY_POINTS = "othello_env.agents"
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

    def act_batch(self, batch: OthelloBatch) -> npt.NDArray[np.int64]:
        """(N,) actions for N positions; each game's random choices hang on its key alone."""
        actions = np.empty(len(batch), np.int64)
        for i, key in enumerate(batch.key.tolist()):
            actions[i] = Seat(self, key).agent.act(batch.state(i))
        return actions

    def new_game(self, seed: int) -> None:  # noqa: B027 - most agents have nothing to prepare
        """Called before each game; what is random in it then depends only on this 64-bit seed.

        An agent that plays several games at a time, or several seats of one, is called again whenever it is asked about
        another one than before. So what it draws should follow from the seed and from `state.turn`, as with `Chance`.

        Of an agent within another one nobody knows but that one: give each its own, since two that share one would
        begin each other's games in it.
        """


class _CallableAgent(Agent):
    """A function of observations and masks."""

    def __init__(self, policy: Policy, name: str) -> None:
        self._policy = policy
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        answer = self._policy(state.observation(state.to_move)[np.newaxis], state.action_mask()[np.newaxis])
        return int(self._checked(answer, 1)[0])

    def act_batch(self, batch: OthelloBatch) -> npt.NDArray[np.int64]:
        return self._checked(self._policy(batch.observations(), batch.masks()), len(batch))

    def _checked(self, answer: Any, n: int) -> npt.NDArray[np.int64]:
        actions = np.asarray(answer)
        if actions.shape != (n,) or not np.issubdtype(actions.dtype, np.integer):
            raise AgentError(
                f"{self._name} must answer {n} observations with ({n},) integers, not with shape {actions.shape}, "
                f"dtype {actions.dtype}"
            )
        return actions.astype(np.int64)


class _EpsilonAgent(Agent):
    """Another agent that plays a uniformly random move with some probability."""

    def __init__(self, agent: Agent, epsilon: float, seed: int | None) -> None:
        self._agent = agent
        self._epsilon = epsilon
        self._threshold = round(epsilon * 2**32)
        self._chance = Chance(seed)

    def __repr__(self) -> str:
        return f"{self._agent!r} with epsilon={self._epsilon}"

    def __getattr__(self, name: str) -> Any:
        # The agent's further powers (an analysis, say) are those of the agent within.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._agent, name)

    @property
    def answers_batches(self) -> bool:
        return self._agent.answers_batches

    def check_game(self, state: State) -> None:
        self._agent.check_game(state)

    def new_game(self, seed: int) -> None:
        self._chance.new_game(mix_int(seed, EPSILON))
        self._agent.new_game(seed)

    def act(self, state: State, *, seconds_left: float | None = None, move_seconds: float | None = None) -> int:
        key = self._chance.key(state)
        if mix_int(key, EPSILON) >> 32 < self._threshold:
            return state.draw_action(key, CHOICE)
        return act_on_clock(self._agent, state, Clock(seconds_left, move_seconds))

    def act_batch(self, batch: OthelloBatch) -> npt.NDArray[np.int64]:
        actions = np.array(self._agent.act_batch(batch), np.int64)
        threshold, board = np.uint64(self._threshold), bitboard.BOARDS[batch.size]
        bitboard.randomise(actions, batch.own, batch.opponent, batch.key, threshold, board, batch.size)
        return actions


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


class Seat:
    """An agent in one seat of one game.

    One agent may sit in several seats and games and be asked in any order. Before it is asked here it is told again
    which game this is, if its last one was another. So what it draws depends only on the game's key and the seat.

    Args:
        agent: it is told to begin the game.
        key: 64 bits, of this game and this seat.
    """

    __slots__ = ("_key", "agent")

    def __init__(self, agent: Agent, key: int) -> None:
        self.agent = agent
        self._key = key
        self._begin()

    def ask(self, state: State, clock: Clock | None = None) -> int:
        """As the function `ask`."""
        self._sit_down()
        return ask(self.agent, state, clock)

    def play(self, state: State) -> State:
        """As `play_answer`."""
        self._sit_down()
        return play_answer(self.agent, state)

    def _sit_down(self) -> None:
        if self.agent._game_key != self._key:
            self._begin()

    def _begin(self) -> None:
        object.__setattr__(self.agent, "_game_key", self._key)  # an agent may be a frozen dataclass
        self.agent.new_game(self._key)


def act_on_clock(agent: Agent, state: State, clock: Clock | None = None) -> int:
    """An agent's answer, not checked; it gets as much of the clock as its `act` takes."""
    if clock is None:
        return agent.act(state)
    act: Any = agent.act
    if _takes_move_seconds(getattr(act, "__func__", act)):
        answer: int = act(state, seconds_left=clock.game, move_seconds=clock.move)
        return answer
    return agent.act(state, seconds_left=clock.seconds)


@lru_cache(maxsize=128)
def _takes_move_seconds(act: Callable[..., int]) -> bool:
    parameters = inspect.signature(act).parameters
    return "move_seconds" in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def ask(agent: Agent, state: State, clock: Clock | None = None) -> int:
    """An agent's answer, checked.

    Args:
        agent: who is asked.
        state: the position; its player to move has a move.
        clock: what this player has left, if it is timed.

    Raises:
        AgentError: it is no legal action; the message names the agent and shows the position.
    """
    answer = act_on_clock(agent, state, clock)
    try:
        action = state.check_action(answer)
    except (TypeError, ValueError) as error:
        raise _illegal_answer(agent, state, error) from None
    if not state.is_legal(action):
        raise _illegal_answer(agent, state, state.illegal(action))
    return action


def play_answer(agent: Agent, state: State) -> State:
    """The position after an agent's answer: ``state.play(ask(agent, state))`` with one check instead of two.

    Raises:
        AgentError: as `ask`.
    """
    answer = agent.act(state)
    try:
        return state.play(answer)
    except (TypeError, IllegalActionError) as error:
        raise _illegal_answer(agent, state, error) from None


def _illegal_answer(agent: Agent, state: State, error: Exception) -> AgentError:
    board = "" if str(state) in str(error) else f"\n{state}"
    return AgentError(f"agent {agent!r} answered with an illegal action in {state!r}: {error}{board}")


def agent_names() -> tuple[str, ...]:
    """The names that a spec can begin with, in alphabetical order."""
    return tuple(name for name in sorted(_registry()) if not name.startswith("."))


def make_agent(x: str | Agent | Policy, seed: int | None = None) -> Agent:
    """An agent from a spec, a callable, or an agent, which is returned as it is.

    Args:
        x: a spec such as ``"alphabeta:depth=4,eval=weighted"``, a path, an Agent, or a function of observations
            (N, C, H, W) and masks (N, A) that returns (N,) actions.
        seed: for the random choices of an agent that is asked without `new_game`.

    Raises:
        SpecError: the spec names no agent, or its options are wrong; the message has the right ones.
        FileNotFoundError: the spec is the path of a file that is not there.
        MissingExtraError: the agent needs a package that is not installed; the message names the extra.
        TypeError: x is none of these, or the seed is no integer.
        ValueError: the seed is negative.
    """
    seed = None if seed is None else check_seed(seed)
    if isinstance(x, Agent):
        return x
    if isinstance(x, str | Path):
        return _from_spec(str(x), seed)
    if isinstance(x, type):
        raise TypeError(f"an agent is a spec, an Agent or a callable, not the class {x.__qualname__}: make one of it")
    if callable(x):
        return _CallableAgent(x, getattr(x, "__qualname__", repr(x)))
    raise TypeError(f"an agent is a spec, an Agent or a callable, not {x!r} of type {type(x).__name__}")


def _from_spec(spec: str, seed: int | None) -> Agent:
    head, options = _parse(spec)
    epsilon = _convert("epsilon", options.pop("epsilon", "0"), float, spec)
    if not 0.0 <= epsilon <= 1.0:
        raise SpecError(f"{spec!r}: epsilon is a probability, 0 to 1, not {epsilon}")
    agent = _build(head, options, spec, seed)
    return _EpsilonAgent(agent, epsilon, seed) if epsilon else agent


_HEAD_AND_OPTIONS = re.compile(r"(.*?)(?::(\w+=.*)?)?", re.DOTALL)
_OPTION = re.compile(r'(\w+)=("(?:[^"]|"")*"|[^",]*)(,|$)', re.DOTALL)


def option_text(name: str, value: object) -> str:
    """An option as a spec gives it, its value quoted where that is needed.

    >>> print(option_text("depth", 4), option_text("command", 'edax "-l 4" -q'), sep=",")
    depth=4,command="edax ""-l 4"" -q"
    """
    text = str(value)
    if not text or re.search(r'[\s,"=]', text):
        text = '"' + text.replace('"', '""') + '"'
    return f"{name}={text}"


def _parse(spec: str) -> tuple[str, dict[str, str]]:
    """A spec's name (or path) and its options, unquoted but not yet converted."""
    match = _HEAD_AND_OPTIONS.fullmatch(spec.strip())
    if match is None or not match[1]:
        raise SpecError(f"{spec!r} is no agent's spec; {_known()}")
    options: dict[str, str] = {}
    text, place = match[2] or "", 0
    while place < len(text):
        option = _OPTION.match(text, place)
        if option is None:
            raise SpecError(
                f'{spec!r}: expected key=value,key=value (a value with , or " double-quoted, a quote in it doubled) '
                f"at {text[place:]!r}"
            )
        if option[1] in options:
            raise SpecError(f"{spec!r} gives {option[1]} twice")
        value = option[2]
        options[option[1]] = value[1:-1].replace('""', '"') if value.startswith('"') else value
        place = option.end()
    return match[1], options


def _build(head: str, options: dict[str, str], spec: str, seed: int | None) -> Agent:
    registry = _registry()
    if head in registry and not head.startswith("."):
        return _call(registry[head].load(), head, options, spec, seed)
    if ":" in head and head.partition(":")[0] in agent_names():
        name, _, rest = head.partition(":")
        raise SpecError(f"{spec!r}: expected key=value,key=value after {name}, got {rest!r}")
    loader = registry.get(Path(head).suffix)
    if loader is not None:
        if not Path(head).is_file():
            raise FileNotFoundError(f"there is no file {head!r} to load an agent from")
        return _call(loader.load(), loader.name, {"path": head} | options, spec, seed)
    try:
        found = import_object(head)
    except NoSuchNameError as error:
        raise SpecError(f"{head!r}: {error}") from None
    except NotThereError as error:
        raise SpecError(f"{head!r}: {error}; {_known()}") from None
    if found is None:
        raise SpecError(f"there is no agent {head!r}; {_known()}")
    if not (callable(found) or isinstance(found, Agent)):
        raise SpecError(f"{head!r} is {found!r}, which is neither a callable nor an Agent")
    if isinstance(found, type):
        if not issubclass(found, Agent):
            raise SpecError(f"{head!r} is a class, but no subclass of Agent")
        return _call(found, head, options, spec, seed)
    if options:
        raise SpecError(f"{spec!r}: a callable takes no option but epsilon, got {', '.join(options)}")
    return make_agent(found)


def _known() -> str:
    suffixes = [name for name in sorted(_registry()) if name.startswith(".")]
    return (
        f"known are {', '.join(agent_names())}, files ending in {', '.join(suffixes) or '(none)'}, "
        "path.py:function and package.module:name"
    )


@cache
def _registry() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=_ENTRY_POINTS)}


def _call(factory: Callable[..., Any], label: str, options: dict[str, str], spec: str, seed: int | None) -> Agent:
    """Call an agent's factory with the options of a spec, converted as its signature says."""
    parameters = inspect.signature(factory, eval_str=True).parameters
    names = [name for name in parameters if name not in ("seed", "path")]
    arguments: dict[str, Any] = {}
    for name, text in options.items():
        if name not in parameters or name == "seed":
            takes = ", ".join([*names, "epsilon"])
            raise SpecError(f"{spec!r}: {label} has no option {name}; it takes {takes}")
        arguments[name] = _convert(name, text, parameters[name].annotation, spec)
    required = [n for n in names if parameters[n].default is inspect.Parameter.empty and n not in arguments]
    if required:
        raise SpecError(f"{spec!r}: {label} needs {', '.join(required)}")
    if "seed" in parameters:
        arguments["seed"] = seed
    try:
        agent = factory(**arguments)
    except SpecError:
        raise
    except (ValueError, TypeError) as error:
        is_named = repr(spec) in str(error)  # by who read its file
        raise SpecError(str(error) if is_named else f"{spec!r}: {error}") from error
    if not isinstance(agent, Agent):
        raise TypeError(f"{factory!r}, which {label} names, made {agent!r}, which is no Agent")
    return agent


def _convert(name: str, text: str, annotation: Any, spec: str) -> Any:
    """A text as the type of an annotation: int, float, bool, Path or str, alone or in a union."""
    is_union = typing.get_origin(annotation) in (types.UnionType, typing.Union)
    kinds = typing.get_args(annotation) if is_union else (annotation,)
    if bool in kinds and text.lower() in ("true", "false", "1", "0", "yes", "no"):
        return text.lower() in ("true", "1", "yes")
    for kind in (int, float, Path):
        if kind in kinds:
            try:
                number = kind(text)
            except ValueError:
                continue
            if isinstance(number, float) and not math.isfinite(number):
                raise SpecError(f"{spec!r}: {name} is a finite number, not {text!r}")
            return number
    if str in kinds or not any(kind in (bool, int, float) for kind in kinds):
        return text
    wanted = " or ".join(kind.__name__ for kind in kinds if kind is not types.NoneType)
    raise SpecError(f"{spec!r}: {name} is {wanted}, not {text!r}")
