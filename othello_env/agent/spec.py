"""Make agents from specs: texts that name an agent, a file or a function.

A spec is ``name`` or ``name:key=value,key=value``. A value that contains ``,`` or ``"`` is put in double quotes, and
each quote inside the value is doubled. A name must be an entry point of the group ``othello_env.agents``, so any
installed package can add names.

In place of the name, a spec can have the path of a file, such as ``runs/a.npz``. The suffix of the file, here ``.npz``,
must be an entry point of the same group. This entry point loads agents from files with the suffix.

A spec can also begin with ``path.py:name`` or ``package.module:name``. Here `name` is the name of a subclass of
Agent, of an Agent object, or of a function of observations and masks.

Every spec takes the option ``epsilon``, the probability of a random move. A spec that names an Agent object or a
function of observations and masks takes no other option.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent.answers import ask_batch, check_answer
from othello_env.agent.protocol import Agent, AgentError, Policy, RandomChoices, SpecError
from othello_env.agent.wrapper import AgentWrapper
from othello_env.games.batch import Positions
from othello_env.games.game import State, check_seed
from othello_env.games.hashing import CHOICE, EPSILON, mix_int
from othello_env.support.imports import NotThereError, import_object
from othello_env.support.words import near

__all__ = [
    "agent_names",
    "file_hashes",
    "make_agent",
    "name_of",
    "named_files",
    "near",
    "number_options",
    "option_files",
    "option_text",
    "spec_file",
    "spec_text",
    "split_spec",
]

_ENTRY_POINTS = "othello_env.agents"


class _CallableAgent(Agent):
    """An agent that asks a function of observations and masks (a `Policy`) for its actions."""

    def __init__(self, policy: Policy, name: str) -> None:
        self._policy = policy
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        planes, mask = state.encode()
        return int(self._checked(self._policy(planes[np.newaxis], mask[np.newaxis]), 1)[0])

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        return self._checked(self._policy(batch.observations(), batch.masks()), len(batch))

    def move_probabilities(self, batch: Positions) -> npt.NDArray[np.float64]:
        """What the function returns if these are (N, number of actions) probabilities. Else its actions have 1."""
        masks = batch.masks()
        answer = np.asarray(self._policy(batch.observations(), masks))
        if answer.shape == masks.shape and np.issubdtype(answer.dtype, np.floating):
            return answer.astype(np.float64)
        return _certain(self, self._checked(answer, len(batch)), batch)

    def _checked(self, answer: Any, n: int) -> npt.NDArray[np.int64]:
        actions = np.asarray(answer)
        if actions.shape != (n,) or not np.issubdtype(actions.dtype, np.integer):
            raise AgentError(
                f"{self._name} must answer {n} observations with ({n},) integers, not with shape {actions.shape}, "
                f"dtype {actions.dtype}"
            )
        return actions.astype(np.int64)


class _EpsilonAgent(AgentWrapper):
    """An agent that plays a uniformly random move with probability `epsilon`, and another agent's move otherwise."""

    def __init__(self, agent: Agent, epsilon: float, seed: int | None) -> None:
        super().__init__(agent)
        self._epsilon = epsilon
        self._threshold = round(epsilon * 2**32)
        self._choices = RandomChoices(seed)

    def __repr__(self) -> str:
        inner = repr(self.agent)
        match = _HEAD_AND_OPTIONS.fullmatch(inner)
        return f"{inner}{',' if match and match[2] else ':'}epsilon={self._epsilon}"

    def new_game(self, key: int) -> None:
        self._choices.new_game(mix_int(key, EPSILON))
        super().new_game(key)

    def act(self, state: State, *, seconds_left: float | None = None, move_seconds: float | None = None) -> int:
        key = self._choices.key(state)
        if mix_int(key, EPSILON) >> 32 < self._threshold:
            return state.draw_action(key, CHOICE)
        return super().act(state, seconds_left=seconds_left, move_seconds=move_seconds)

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        actions = super().act_batch(batch).copy()
        batch.randomise(actions, self._threshold)
        return actions

    def move_probabilities(self, batch: Positions) -> npt.NDArray[np.float64]:
        """As the other agent's, or as if it always gave its present answers, but for the random moves."""
        masks, share = batch.masks(), self._threshold / 2**32
        inner: Any = self.agent
        if hasattr(inner, "move_probabilities"):
            rows = inner.move_probabilities(batch)
        else:
            rows = _certain(self.agent, ask_batch(self.agent, batch), batch)
        return np.asarray((1 - share) * rows + share * masks / masks.sum(axis=1, keepdims=True))


def _certain(agent: Agent, actions: npt.NDArray[np.int64], batch: Positions) -> npt.NDArray[np.float64]:
    """Probabilities, (N, number of actions), of an agent that always gives these N answers.

    Raises:
        AgentError: an answer is not a legal action.
    """
    masks = batch.masks()
    for i, action in enumerate(actions.tolist()):
        if not (0 <= action < masks.shape[1] and masks[i, action]):
            check_answer(agent, batch.state(i), action)  # raises
    return np.asarray(np.eye(masks.shape[1])[actions])


def agent_names() -> tuple[str, ...]:
    """The agents' names that can stand at the beginning of a spec, in alphabetical order."""
    return tuple(name for name in sorted(_registry()) if not name.startswith("."))


def number_options(spec: str) -> dict[str, type]:
    """The numeric options that a spec's agent takes: a dict from each option's name to ``int`` or ``float``.

    For ``path.py:name`` and ``package.module:name``, the dict has only ``epsilon``, even if the agent takes others.

    Raises:
        SpecError: the text is not a spec.
    """
    head, _ = split_spec(spec)
    registry = _registry()
    point = registry.get(head) or registry.get(Path(head).suffix)
    parameters = _parameters(point.load()) if point is not None else {}
    options: dict[str, type] = {}
    for name, parameter in parameters.items():
        annotation = parameter.annotation
        kinds = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
        kind = next((kind for kind in (int, float) if kind in kinds), None)
        if kind is not None and name != "seed":
            options[name] = kind
    return {**options, "epsilon": float}


def make_agent(x: str | Agent | Policy, seed: int | None = None) -> Agent:
    """Make an agent from a spec or a callable; an Agent is returned unchanged.

    Args:
        x: a spec such as ``"alphabeta:depth=4,eval=weighted"``, a path, an Agent, or a function of observations and
            masks as in `Policy`.
        seed: determines the agent's random choices before the first call of its `new_game`.

    Raises:
        SpecError: the spec does not name an agent, or its options are wrong. The message says what is valid.
        FileNotFoundError: the spec is the path of a file that does not exist.
        MissingExtraError: the agent needs a package that is not installed. The message names the extra to install.
        TypeError: x is not a spec, a path, an Agent or a callable, or the seed is not an integer.
        ValueError: the seed is negative.
    """
    seed = None if seed is None else check_seed(seed)
    if isinstance(x, Agent):
        return x
    if isinstance(x, str | Path):
        return _from_spec(str(x), seed)
    if isinstance(x, type):
        raise TypeError(
            f"an agent must be a spec, an Agent or a callable, not the class {x.__qualname__}; make an object of it"
        )
    if callable(x):
        return _CallableAgent(x, getattr(x, "__qualname__", repr(x)))
    raise TypeError(f"an agent must be a spec, an Agent or a callable, not {x!r} of type {type(x).__name__}")


def _from_spec(spec: str, seed: int | None) -> Agent:
    head, options = split_spec(spec)
    epsilon = _convert("epsilon", options.pop("epsilon", "0"), float, spec)
    if not 0.0 <= epsilon <= 1.0:
        raise SpecError(f"{spec!r}: epsilon must be a probability, 0 to 1, not {epsilon}")
    agent = _build(head, options, spec, seed)
    if epsilon:
        agent = _EpsilonAgent(agent, epsilon, seed)
    if hashes := file_hashes(spec):
        object.__setattr__(agent, "_file_hashes", hashes)  # a plain assignment fails for a frozen dataclass
    return agent


_HEAD_AND_OPTIONS = re.compile(r"(.*?)(?::(\w+=.*)?)?", re.DOTALL)
_OPTION = re.compile(r'(\w+)=("(?:[^"]|"")*"|[^",]*)(,|$)', re.DOTALL)


def option_text(name: str, value: object) -> str:
    """An option as text, ``name=value``, as it stands in a spec. The value is quoted if necessary.

    >>> print(option_text("depth", 4), option_text("command", 'edax "-l 4" -q'), sep=",")
    depth=4,command="edax ""-l 4"" -q"
    """
    text = str(value)
    if not text or re.search(r'[\s,"=]', text):
        text = '"' + text.replace('"', '""') + '"'
    return f"{name}={text}"


def spec_text(head: str, options: Mapping[str, object]) -> str:
    """A spec, for example ``engine:depth=4``: the name or file of an agent with its options. None leaves an option out.

    >>> spec_text("engine", {"depth": 4, "nodes": None}), spec_text("engine", {})
    ('engine:depth=4', 'engine')
    """
    given = ",".join(option_text(name, value) for name, value in options.items() if value is not None)
    return f"{head}:{given}" if given else head


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split a spec into its name (or path) and a dict of its options.

    The dict's values are texts without the spec's quotes.

    >>> split_spec('gtp:command="edax -q",epsilon=0.1')
    ('gtp', {'command': 'edax -q', 'epsilon': '0.1'})

    Raises:
        SpecError: the text is not a spec.
    """
    match = _HEAD_AND_OPTIONS.fullmatch(spec.strip())
    if match is None or not match[1]:
        raise SpecError(f"{spec!r} does not name an agent; {_known()}")
    options: dict[str, str] = {}
    text, place = match[2] or "", 0
    while place < len(text):
        option = _OPTION.match(text, place)
        if option is None:
            raise SpecError(
                f'{spec!r}: expected key=value,key=value (a value that contains , or " is put in double quotes, and '
                f"each quote in it is doubled) at {text[place:]!r}"
            )
        if option[1] in options:
            raise SpecError(f"{spec!r} gives {option[1]} twice")
        value = option[2]
        options[option[1]] = value[1:-1].replace('""', '"') if value.startswith('"') else value
        place = option.end()
    return match[1], options


def spec_file(spec: str) -> tuple[Path, str] | None:
    """The file from which a spec such as ``a.npz:epsilon=0.1`` loads an agent, and the rest of the spec.

    The rest is a colon and the options; it is empty if there are no options. The result is None if the text is not a
    spec, or is another kind of spec, such as ``random`` or ``path.py:name``.

    >>> path, rest = spec_file("runs/a.npz:epsilon=0.1")
    >>> path.name, rest, spec_file("random")
    ('a.npz', ':epsilon=0.1', None)
    """
    match = _HEAD_AND_OPTIONS.fullmatch(spec.strip())
    if match is None or not match[1]:
        return None
    suffix = Path(match[1]).suffix
    is_file = suffix in _registry() and match[1] not in _registry()
    return (Path(match[1]), "" if match[2] is None else f":{match[2]}") if is_file else None


def named_files(spec: str) -> list[Path]:
    """The existing files whose paths are in a spec or in the value of an option.

    For example, ``engine:eval=a.npz`` names ``a.npz``, and ``b.py:name`` names ``b.py``.
    """
    if _is_file(spec):
        return [Path(spec)]
    try:
        head, _ = split_spec(spec)
    except SpecError:
        return []
    module = head.rpartition(":")[0]
    heads = [Path(name) for name in dict.fromkeys((head, module)) if _is_file(name)]
    return heads + option_files(spec)


def file_hashes(agent: str | Path | Agent | Policy) -> dict[str, str]:
    """The SHA-256 of each file that the spec of an agent names, by its path: ``{"policy.py": "sha256:5f2..."}``.

    For an Agent that `make_agent` made, these are the files at that time. The dict is empty for a callable and for
    other Agents. Other files, which these files import or read, are not included.

    Raises:
        OSError: a file cannot be read.
    """
    if isinstance(agent, Agent):
        return dict(agent._file_hashes)
    hashes = {}
    for path in named_files(str(agent)) if isinstance(agent, str | Path) else ():
        with path.open("rb") as file:
            hashes[str(path)] = f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    return hashes


def option_files(spec: str) -> list[Path]:
    """The existing files whose paths are in the values of a spec's options."""
    try:
        _, options = split_spec(spec)
    except SpecError:
        return []
    return [path for value in options.values() for path in named_files(value)]


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # the text is too long for a name, or has a null character
        return False


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
            raise FileNotFoundError(f"there is no file {head!r}, so no agent can be loaded from it")
        return _call(loader.load(), loader.name, {"path": head} | options, spec, seed)
    try:
        imported = import_object(head)
    except NotThereError as error:
        raise SpecError(f"{head!r}: {error}") from None
    if imported is None:
        raise _no_agent(head)
    if not (callable(imported) or isinstance(imported, Agent)):
        raise SpecError(f"{head!r} is {imported!r}, which is neither a callable nor an Agent")
    if isinstance(imported, type):
        if not issubclass(imported, Agent):
            raise SpecError(f"{head!r} is a class, but not a subclass of Agent")
        return _call(imported, head, options, spec, seed)
    if options:
        raise SpecError(f"{spec!r}: a callable takes no option but epsilon, got {', '.join(options)}")
    return make_agent(imported)


def _no_agent(head: str) -> Exception:
    """The error for a text that names no agent."""
    if Path(head).suffix == ".py":
        named = SpecError(f"{head} needs the name of a function: {head}:function")
        return named if _is_file(head) else FileNotFoundError(f"there is no file {head!r}")
    return SpecError(f"there is no agent {head!r}{near(head, agent_names())}; {_known()}")


def name_of(policy: str | Path | Agent | Policy, agent: Agent) -> str:
    """The name of an agent in results: the spec or path from which it was made, otherwise the agent's `repr`.

    Args:
        policy: the spec, path, Agent or callable from which the agent was made.
        agent: the agent that was made from `policy`.
    """
    return str(policy) if isinstance(policy, str | Path) else repr(agent)


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
    """Call a function or class that makes an agent. Convert the spec's options to the types of the parameters."""
    parameters = _parameters(factory)
    names = [name for name in parameters if name not in ("seed", "path")]
    arguments: dict[str, Any] = {}
    for name, text in options.items():
        if name not in parameters or name == "seed":
            takes = ", ".join([*names, "epsilon"])
            raise SpecError(f"{spec!r}: {label} has no option {name}{near(name, names)}; it takes {takes}")
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
        is_named = repr(spec) in str(error)  # some errors already show the spec
        raise SpecError(str(error) if is_named else f"{spec!r}: {error}") from error
    if not isinstance(agent, Agent):
        raise TypeError(f"{label} names {factory!r}, which returned {agent!r}, not an Agent")
    return agent


def _parameters(factory: Any) -> dict[str, inspect.Parameter]:
    """The parameters of a function or class, without parameters such as ``*args`` and ``**options``.

    An annotation that cannot be evaluated remains a text. For example, it may name a class that is imported only for
    type checkers.
    """
    parameters = inspect.signature(factory).parameters
    home = inspect.unwrap(inspect.getattr_static(factory, "__init__") if isinstance(factory, type) else factory)
    names = getattr(home, "__globals__", {})
    named = {}
    for name, parameter in parameters.items():
        if isinstance(parameter.annotation, str):
            with contextlib.suppress(Exception):
                annotation = eval(parameter.annotation, names)  # noqa: S307 - Python, too, would evaluate the annotation
                parameter = parameter.replace(annotation=annotation)
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            named[name] = parameter
    return named


_WORDS: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number"}


def _convert(name: str, text: str, annotation: Any, spec: str) -> Any:
    """Convert a text to the type of an annotation: int, float, bool, Path or str, or a union of these."""
    is_union = typing.get_origin(annotation) in (types.UnionType, typing.Union)
    kinds = typing.get_args(annotation) if is_union else (annotation,)
    if bool in kinds and text.lower() in ("true", "false", "1", "0", "yes", "no"):
        return text.lower() in ("true", "1", "yes")
    for kind in (int, float, Path):
        if kind in kinds and (kind is Path or text.isascii()):
            try:
                number = kind(text)
            except ValueError:
                continue
            if isinstance(number, float) and not math.isfinite(number):
                raise SpecError(f"{spec!r}: {name} must be a finite number, not {text!r}")
            return number
    if str in kinds or not any(kind in (bool, int, float) for kind in kinds):
        return text
    wanted = " or ".join(word for kind, word in _WORDS.items() if kind in kinds)
    hint = " (commas separate options)" if re.search(r":\w+=", text) else ""
    raise SpecError(f"{spec!r}: {name} must be {wanted}, not {text!r}{hint}")
