"""What an agent thinks of a position, from the optional methods that it may have (see `Agent`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from othello_env.agent import Agent, AgentError
from othello_env.games.game import State
from othello_env.games.othello.position import Othello

__all__ = ["EXACT_EMPTIES", "Assessment", "assess", "exact", "powers"]

EXACT_EMPTIES = 14
"""Positions with at most this many empty squares are solved."""
_POWERS = ("analyse", "action_values", "action_probabilities", "search", "evaluate", "exact_scores")
_DISCS, _VALUE = "discs", "value"


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an agent thinks of a position.

    Attributes:
        kind: what `actions` holds: ``"values"`` or ``"probabilities"``.
        unit: the unit of the values.
        values: the value of the position for each player; None if the agent gives none.
        actions: for each legal action, its value for the player to move, or its probability.
    """

    kind: str
    unit: str
    values: tuple[float, ...] | None
    actions: dict[int, float]

    def to_json(self) -> dict[str, Any]:
        """The fields as plain values. JSON has no infinity, so a sure win is the text ``inf``, a sure loss ``-inf``."""
        return {
            "kind": self.kind,
            "unit": self.unit,
            "values": None if self.values is None else [_plain(value) for value in self.values],
            "actions": {str(action): _plain(value) for action, value in self.actions.items()},
        }


def powers(agent: Agent) -> list[str]:
    """The names of the optional methods that an agent has."""
    return [name for name in _POWERS if callable(getattr(agent, name, None))]


def assess(agent: Any, state: State, *, actions: bool) -> Assessment:
    """What an agent thinks of a position.

    Args:
        agent: an agent with at least one of the optional methods.
        state: a position of a game that is not over.
        actions: whether to give each action's value, too; this may take longer.

    Raises:
        AgentError: the agent has none of the optional methods, or cannot use them for this position.
    """
    try:
        found = _assess(agent, state, actions)
    except (ValueError, TypeError, NotImplementedError) as error:
        raise AgentError(f"{agent!r} cannot look into this position: {error}") from error
    if found is None:
        raise AgentError(f"{agent!r} gives no values for positions")
    legal = set(state.legal_actions())
    return Assessment(found.kind, found.unit, found.values, {a: v for a, v in found.actions.items() if a in legal})


def _assess(agent: Any, state: State, actions: bool) -> Assessment | None:
    """Assess by the first of the optional methods that the agent has; None if it has none."""
    known = powers(agent)
    if "analyse" in known:
        found = agent.analyse(state, scores=actions)
        return Assessment("values", found.unit, _for_both(state, found.score), dict(found.scores or {}))
    values = _evaluated(agent, state) if "evaluate" in known else None
    if "action_probabilities" in known:
        return Assessment("probabilities", _VALUE, values, agent.action_probabilities(state) if actions else {})
    if "action_values" in known:
        if not actions and values is not None:
            return Assessment("values", _VALUE, values, {})
        each = agent.action_values(state)
        if values is None and state.num_players == 2:
            values = _for_both(state, max(each.values()))
        return Assessment("values", _VALUE, values, each)
    if "search" in known and state.num_players == 2:
        return _searched(agent, state)
    return None if values is None else Assessment("values", _VALUE, values, {})


def _searched(agent: Any, state: State) -> Assessment:
    """The value that a search finds, and for each action its share of the search's visits."""
    found = agent.search(state)
    visits = getattr(found, "visits", {})
    total = max(1, sum(visits.values()))
    shares = {action: count / total for action, count in visits.items()}
    return Assessment("probabilities", _VALUE, _for_both(state, found.value), shares)


def _evaluated(agent: Any, state: State) -> tuple[float, ...]:
    """The position's value for each player by the agent's evaluation."""
    if state.num_players == 2:
        first = float(agent.evaluate(state, 0))
        return first, -first
    return tuple(float(agent.evaluate(state, player)) for player in range(state.num_players))


def _for_both(state: State, value: float) -> tuple[float, float]:
    """The values for both players, from the value for the player to move."""
    first = float(value) if state.to_move == 0 else -float(value)
    return first, -first


def exact(agent: Any, state: State) -> Assessment:
    """The final disc difference under perfect play after each legal action, positive if the player to move wins.

    Raises:
        AgentError: the agent has no solver, or the position is not near the end of a game of Othello.
    """
    if "exact_scores" not in powers(agent):
        raise AgentError(f"{agent!r} does not solve endgames")
    if not isinstance(state, Othello) or state.owners().count(None) > EXACT_EMPTIES:
        raise AgentError(f"only Othello with at most {EXACT_EMPTIES} empty squares is solved")
    row = agent.exact_scores([state])[0]
    values = {action: float(row[action]) for action in state.legal_actions()}
    return Assessment("values", _DISCS, _for_both(state, max(values.values())), values)


def _plain(value: float) -> float | str:
    number = float(value)
    if math.isnan(number):
        raise AgentError("an agent's value is not a number")
    return number if math.isfinite(number) else "inf" if number > 0 else "-inf"
