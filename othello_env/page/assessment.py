"""What an agent thinks of a position. The agent's optional methods give this information (see `Agent`)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from othello_env.agent import Agent, AgentError, SpecError
from othello_env.agent.spec import split_spec
from othello_env.games.game import State
from othello_env.games.othello.position import Othello

__all__ = ["EXACT_EMPTIES", "Assessment", "MoveFacts", "assess", "exact", "powers"]

EXACT_EMPTIES = 14
"""Positions with at most this number of empty squares can be solved, which means searched to the end of the game."""
_POWERS = ("analyse", "action_values", "action_probabilities", "search", "evaluate", "exact_scores")
_DISCS, _VALUE, _RESULT = "discs", "value", "expected result"
_SEARCH, _EVALUATION, _SOLVED = "search", "evaluation", "perfect play"
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
        unit: the unit of the values, such as ``"discs"``.
        values: the value of the position for each player. None if the agent does not evaluate positions.
        actions: for each legal action, its value for the player to move, or its probability.
        source: how `values` was found: by ``"search"``, by ``"evaluation"`` (without looking ahead) or by
            ``"perfect play"``.
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
    source: str = _EVALUATION
    bound: float | None = None
    visits: dict[int, int] = field(default_factory=dict)
    nodes: int | None = None
    depth: int | None = None
    line: tuple[str, ...] = ()
    moves: dict[int, MoveFacts] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The fields as values for JSON. JSON has no infinity: a sure win is the text ``inf``, a sure loss ``-inf``."""
        return {
            "kind": self.kind,
            "unit": self.unit,
            "values": None if self.values is None else [_plain(value) for value in self.values],
            "actions": {str(action): _plain(value) for action, value in self.actions.items()},
            "source": self.source,
            "bound": self.bound,
            "visits": {str(action): count for action, count in self.visits.items()},
            "nodes": self.nodes,
            "depth": self.depth,
            "line": list(self.line),
            "moves": {str(action): facts.to_json() for action, facts in self.moves.items()},
        }


def powers(agent: Agent) -> list[str]:
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


def _assess(agent: Any, state: State, actions: bool) -> Assessment | None:
    """What the agent's optional methods say about a position. None if the agent has no method that gives values."""
    known = powers(agent)
    if "analyse" in known:
        return _analysed(agent, state, actions)
    gives_actions = "action_probabilities" in known or "action_values" in known
    if "search" in known and not gives_actions and state.num_players == 2:
        return _searched(agent, state)
    values = _evaluated(agent, state) if "evaluate" in known else None
    kind = "values"
    each: dict[int, float] = {}
    if "action_probabilities" in known:
        kind = "probabilities"
        each = agent.action_probabilities(state) if actions else {}
    elif "action_values" in known and (actions or values is None):
        each = agent.action_values(state)
        if values is None and state.num_players == 2:
            values = _for_both(state, max(each.values()))
    if values is None and not each and "action_probabilities" not in known:
        return None
    unit = str(getattr(agent, "unit", _VALUE))
    looks_ahead, depth = "search" in known, _depth(agent)
    found = agent.search(state) if looks_ahead and actions and state.num_players == 2 else None
    numbers = [*(values or ()), *(each.values() if kind == "values" else ())]
    return Assessment(
        kind,
        unit,
        values,
        _legal(state, each),
        source=_SEARCH if looks_ahead else _EVALUATION,
        # If the depth is limited, no bound is known.
        bound=state.largest_margin if unit == _DISCS else _bound(numbers) if depth is None else None,
        visits=_legal(state, getattr(found, "visits", {})),
        nodes=getattr(found, "nodes", None),
        depth=depth,
    )


def _analysed(agent: Any, state: State, actions: bool) -> Assessment:
    """What the method `analyse` of an engine finds.

    If `analyse` can give a line (a principal variation) for each move, the value of an action is the score of its line.
    Otherwise, it is the score that `analyse` gives for the action.
    """
    gives_lines = actions and "lines" in inspect.signature(agent.analyse).parameters
    found = agent.analyse(state, lines=_MOST_LINES) if gives_lines else agent.analyse(state, scores=actions)
    lines = {line.pv[0]: line for line in sorted(found.lines, key=lambda line: line.pv)} if gives_lines else {}
    size = float(state.num_actions - 1)
    return Assessment(
        "values",
        found.unit,
        _for_both(state, found.score),
        {action: _in_unit(line, found) for action, line in lines.items()} or _legal(state, found.scores or {}),
        source=_SOLVED if found.exact else _SEARCH,
        bound={_RESULT: 1.0, _DISCS: size}.get(found.unit),
        nodes=found.nodes,
        depth=found.depth,
        line=_names(state, found.pv),
        moves={
            action: MoveFacts(_names(state, line.pv), line.discs, line.depth, line.nodes)
            for action, line in lines.items()
        },
    )


def _in_unit(line: Any, found: Any) -> float:
    """The score of an engine's line, in the unit of the analysis.

    An estimate in discs that is higher than the best score is lowered to the best score.
    """
    if line.unit == found.unit:
        return float(line.score)
    if found.unit == _DISCS:
        return float(min(found.score, line.score if line.discs is None else line.discs))
    return math.copysign(1.0 if found.unit == _RESULT else math.inf, line.score)  # the line certainly wins or loses


def _names(state: State, actions: Iterable[int]) -> tuple[str, ...]:
    return tuple(map(state.action_to_text, actions))


def _searched(agent: Any, state: State) -> Assessment:
    """The value that a tree search finds, and for each action, its share of the search's visits."""
    found = agent.search(state)
    visits = _legal(state, getattr(found, "visits", {}))
    total = max(1, sum(visits.values()))
    shares = {action: count / total for action, count in visits.items()}
    values = _for_both(state, found.value)
    nodes = getattr(found, "nodes", None)
    return Assessment(
        "probabilities", _VALUE, values, shares, source=_SEARCH, bound=_bound(values), visits=visits, nodes=nodes
    )


def _legal(state: State, numbers: Mapping[int, Any]) -> dict[int, Any]:
    """The entries of `numbers` whose keys are legal actions."""
    legal = set(state.legal_actions())
    return {action: number for action, number in numbers.items() if action in legal}


def _bound(numbers: Iterable[float]) -> float | None:
    """Return 1 if all finite numbers lie between -1 and 1. Otherwise return None, because the bound is not known."""
    return 1.0 if all(abs(number) <= 1 for number in numbers if math.isfinite(number)) else None


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
    if type(state) is not Othello or state.empties > EXACT_EMPTIES:
        raise AgentError(f"only Othello with at most {EXACT_EMPTIES} empty squares is solved")
    row = agent.exact_scores([state])[0]
    values = {action: float(row[action]) for action in state.legal_actions()}
    squares = float(state.size**2)
    return Assessment("values", _DISCS, _for_both(state, max(values.values())), values, source=_SOLVED, bound=squares)


def _plain(value: float) -> float | str:
    number = float(value)
    if math.isnan(number):
        raise AgentError("an agent's value is not a number")
    return number if math.isfinite(number) else "inf" if number > 0 else "-inf"
