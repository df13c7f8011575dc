"""What an agent thinks of a position. The agent's optional methods give this information (see `Agent`)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from othello_env.agent import Agent, AgentError, OptionalMethods, SpecError
from othello_env.agent.spec import split_spec
from othello_env.games.game import State
from othello_env.games.othello.position import Othello

__all__ = ["EXACT_EMPTIES", "Assessment", "MoveFacts", "assess", "exact", "powers"]

EXACT_EMPTIES = 14
"""Positions with at most this number of empty squares can be solved, which means searched to the end of the game."""
_POWERS = ("analyse", "action_values", "action_probabilities", "search", "evaluate", "exact_scores")
_DISCS, _EXPECTED_DISCS, _EXACT_DISCS = "discs", "expected discs", "discs, exact"
_OUTCOME = "mean of result and margin"
_VALUE = "value"
"""The unit of an agent that names no unit."""
_BETWEEN_ONES = (_OUTCOME, "win minus loss")
"""Units of values from -1 to +1."""
_NAMES = {"points": "points of the weights", "wins": "win minus loss"}
"""The page's names of two units of an engine."""
_MOST_LINES = 64  # no position has more moves than this


@dataclass(frozen=True, slots=True)
class MoveFacts:
    """What an engine says about one move, besides the move's value.

    Attributes:
        line: the names of the moves that the engine expects, beginning with the move itself.
        discs: the disc difference that the engine expects at the end of the game, for the player to move. None if the
            engine does not give it.
        depth: the depth of the search for this move in plies.
        nodes: the number of positions that the search for this move visited.
    """

    line: tuple[str, ...]
    discs: float | None
    depth: int
    nodes: int

    def to_json(self) -> dict[str, Any]:
        """The fields as values for JSON."""
        return {"line": list(self.line), "discs": self.discs, "depth": self.depth, "nodes": self.nodes}


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an agent thinks of a position.

    Attributes:
        kind: what the numbers in `actions` are, ``"values"`` or ``"probabilities"``.
        unit: the unit of the values, such as ``"expected discs"``.
        values: the value of the position for each player. In a game of two players, it is that of the best action if
            there are values of actions. In a game of more players, it is what the agent's method `evaluate` returns.
            None if the agent does not evaluate positions.
        actions: for each legal action, its value for the player to move, or its probability.
        bound: the largest absolute value that is possible. None if this bound is not known.
        visits: for each legal action, how often a tree search visited it. Empty if the agent does no tree search.
        nodes: the number of positions that the search visited. None if the agent does not give it.
        depth: the depth of the search in plies. None if the agent does not give it.
        line: the names of the moves that the agent expects. Empty if the agent does not give them.
        moves: for each legal action, what an engine says besides the action's value. Empty for other agents.
    """

    kind: str
    unit: str
    values: tuple[float, ...] | None
    actions: dict[int, float]
    bound: float | None = None
    visits: dict[int, int] = field(default_factory=dict)
    nodes: int | None = None
    depth: int | None = None
    line: tuple[str, ...] = ()
    moves: dict[int, MoveFacts] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The fields as values for JSON. JSON has no infinity: a sure win is the text ``inf``, a sure loss ``-inf``."""
        of_values = _plain_outcome if self.unit == _OUTCOME else _plain
        of_actions = of_values if self.kind == "values" else _plain
        return {
            "kind": self.kind,
            "unit": self.unit,
            "values": None if self.values is None else [of_values(value) for value in self.values],
            "actions": {str(action): of_actions(value) for action, value in self.actions.items()},
            "bound": self.bound,
            "visits": {str(action): count for action, count in self.visits.items()},
            "nodes": self.nodes,
            "depth": self.depth,
            "line": list(self.line),
            "moves": {str(action): facts.to_json() for action, facts in self.moves.items()},
        }


def powers(agent: Agent | OptionalMethods) -> list[str]:
    """The names of the optional methods that an agent has."""
    return [name for name in _POWERS if callable(getattr(agent, name, None))]


def assess(agent: Any, state: State, *, actions: bool) -> Assessment:
    """Ask an agent what it thinks of a position.

    Args:
        agent: an agent with at least one of the optional methods.
        state: a position of a game that is not over.
        actions: whether to find the value of each action, too. This may take longer.

    Raises:
        AgentError: the agent has none of the optional methods, or cannot use them for this position.
    """
    try:
        found = _assess(agent, state, actions)
    except (ValueError, TypeError, NotImplementedError) as error:
        raise AgentError(f"{agent!r} cannot assess this position: {error}") from error
    if found is None:
        raise AgentError(f"{agent!r} gives no values for positions")
    return found


def _assess(agent: OptionalMethods, state: State, actions: bool) -> Assessment | None:
    """What the agent's optional methods say about a position. None if the agent has no method that gives values."""
    known = powers(agent)
    if "analyse" in known:
        return _analysed(agent, state, actions)
    two = state.num_players == 2
    has_shares, has_values = "action_probabilities" in known, "action_values" in known and _can_score(agent, state)
    if "search" in known and two and not has_shares and "action_values" not in known:
        return _searched(agent, state)
    values = _evaluated(agent, state) if "evaluate" in known and not (has_values and two) else None
    each: dict[int, float] = {}
    if has_shares:
        each = agent.action_probabilities(state) if actions else {}
    elif has_values:
        each = agent.action_values(state)
        values = _for_both(state, max(each.values())) if two else values
    if values is None and not each and not {"action_probabilities", "action_values"} & {*known}:
        return None
    unit = str(getattr(agent, "unit", _VALUE))
    found = agent.search(state) if "search" in known and actions and two else None
    return Assessment(
        "probabilities" if has_shares else "values",
        unit,
        values,
        _legal(state, each) if actions else {},
        bound=_bound(state, unit, [*(values or ()), *({} if has_shares else each).values()]),
        visits=_legal(state, getattr(found, "visits", {})),
        nodes=getattr(found, "nodes", None),
        depth=_depth(agent),
    )


def _can_score(agent: OptionalMethods, state: State) -> bool:
    """Whether the agent gives the values of actions in a short time. Perfect play may need a search of hours."""
    knows = getattr(agent, "knows", None)
    return knows is None or bool(knows(state))


def _analysed(agent: OptionalMethods, state: State, actions: bool) -> Assessment:
    """What the method `analyse` of an engine finds.

    If `analyse` can give a line (a principal variation) for each move, the values are in discs where the engine can
    tell discs. Otherwise, they are the scores of `analyse` in its own unit.
    """
    gives_lines = "lines" in inspect.signature(agent.analyse).parameters
    wanted: dict[str, Any] = {"lines": _MOST_LINES if actions else 0} if gives_lines else {"scores": actions}
    found = agent.analyse(state, **wanted)
    lines = {line.pv[0]: line for line in sorted(found.lines or (), key=lambda line: line.pv)} if gives_lines else {}
    discs = getattr(found, "discs", None) if gives_lines else None
    unit: str = _NAMES.get(found.unit) or found.unit
    if found.exact and found.unit == _DISCS:
        unit = _EXACT_DISCS
    elif discs is not None:
        unit = _EXPECTED_DISCS
    best = found.score if discs is None else discs
    return Assessment(
        "values",
        unit,
        _for_both(state, best),
        {action: _comparable(line, found, best) for action, line in lines.items()} or _legal(state, found.scores or {}),
        bound=_bound(state, unit, []),
        nodes=found.nodes,
        depth=found.depth,
        line=tuple(state.names_of(found.pv).split()),
        moves={
            action: MoveFacts(tuple(state.names_of(line.pv).split()), line.discs, line.depth, line.nodes)
            for action, line in lines.items()
        },
    )


def _comparable(line: Any, found: Any, best: float) -> float:
    """The score of an engine's line, in the unit of the page. It is at most `best`, the score of the best line.

    A line whose end the search has seen is certain, while the best line may be an estimate.
    """
    if line.unit == _DISCS and found.unit != _DISCS:
        return math.copysign(math.inf, line.score)
    return float(min(best, line.score if line.discs is None else line.discs))


def _searched(agent: OptionalMethods, state: State) -> Assessment:
    """The value that a tree search finds, and for each action, its share of the search's visits."""
    found = agent.search(state)
    visits = _legal(state, getattr(found, "visits", {}))
    total = max(1, sum(visits.values()))
    shares = {action: count / total for action, count in visits.items()}
    values, unit = _for_both(state, found.value), str(getattr(agent, "unit", _VALUE))
    nodes, bound = getattr(found, "nodes", None), _bound(state, unit, values)
    return Assessment("probabilities", unit, values, shares, bound=bound, visits=visits, nodes=nodes)


def _legal(state: State, numbers: Mapping[int, Any]) -> dict[int, Any]:
    """The entries of `numbers` whose keys are legal actions."""
    legal = set(state.legal_actions())
    return {action: number for action, number in numbers.items() if action in legal}


def _bound(state: State, unit: str, numbers: Iterable[float]) -> float | None:
    """The largest absolute value that is possible in a unit. None if it is not known.

    If the agent names no unit, and all finite numbers lie between -1 and 1, the bound is 1.
    """
    if unit.removeprefix("expected ").split(",")[0] == _DISCS:
        return float(state.largest_margin)
    if unit in _BETWEEN_ONES:
        return 1.0
    small = unit == _VALUE and all(abs(number) <= 1 for number in numbers if math.isfinite(number))
    return 1.0 if small else None


def _depth(agent: Any) -> int | None:
    """The depth of an agent's search, read from its spec (the agent's `repr`). None if the spec has no depth."""
    try:
        return int(split_spec(repr(agent))[1]["depth"])
    except (SpecError, KeyError, ValueError):
        return None


def _evaluated(agent: Any, state: State) -> tuple[float, ...]:
    """The position's value for each player, by the method `evaluate`."""
    if state.num_players == 2:
        first = float(agent.evaluate(state, 0))
        return first, -first
    return tuple(float(agent.evaluate(state, player)) for player in range(state.num_players))


def _for_both(state: State, value: float) -> tuple[float, float]:
    """The pair of values for both players. `value` is the value for the player to move."""
    first = float(value) if state.to_move == 0 else -float(value)
    return first, -first


def exact(agent: Any, state: State) -> Assessment:
    """For each legal action, the disc difference at the end of the game if both players play perfectly afterwards.

    A positive difference means that the player to move wins.

    Raises:
        AgentError: the agent cannot solve positions, or the position is not near the end of a game of Othello.
    """
    if "exact_scores" not in powers(agent):
        raise AgentError(f"{agent!r} does not solve endgames")
    if type(state) is not Othello or state.empties > EXACT_EMPTIES:  # agents solve Othello, and no variant of it
        raise AgentError(f"only Othello with at most {EXACT_EMPTIES} empty squares is solved")
    row = agent.exact_scores([state])[0]
    values = {action: float(row[action]) for action in state.legal_actions()}
    best = _for_both(state, max(values.values()))
    return Assessment("values", _EXACT_DISCS, best, values, bound=_bound(state, _EXACT_DISCS, []))


def _plain(value: float) -> float | str:
    number = float(value)
    if math.isnan(number):
        raise AgentError("an agent's value is not a number")
    return number if math.isfinite(number) else "inf" if number > 0 else "-inf"


def _plain_outcome(value: float) -> float | str:
    """A mean of result and margin. +1 and -1 are no means but results: the search has seen the end of the game."""
    return _plain(math.copysign(math.inf, value) if abs(value) == 1 else value)
