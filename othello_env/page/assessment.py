"""What an agent thinks of a position. The agent's optional methods give this information (see `OptionalMethods`).

In games of two players, all values are for the first player: in Othello, a positive value is good for Black.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from othello_env.agent import Agent, AgentError, OptionalMethods
from othello_env.data.review import exact_scores
from othello_env.games.game import State
from othello_env.games.othello.position import Othello

__all__ = ["Assessment", "MoveAssessment", "assess", "powers"]

_POWERS = ("analyse", "action_values", "action_probabilities", "search", "evaluate", "exact_scores")
_DISCS = "discs"
_PERFECT = "discs, by perfect play"
"""The unit of the agent ``perfect``."""
_VALUE = "value"
"""The unit of an agent that names no unit."""
_BETWEEN_ONES = ("mean of result and margin", "win minus loss")
"""Units of values from -1 to +1."""
_NAMES = {"points": "points of the weights", "wins": "win minus loss"}
"""The page's names of two units of an engine."""
_MOST_LINES = 64  # no position has more moves than this


@dataclass(frozen=True, slots=True)
class MoveAssessment:
    """What an agent thinks of a move.

    Attributes:
        action: the action.
        value: the value of the action; None if the agent gives probabilities instead. In games of two players, it is
            the value for the first player, in other games for the player to move.
        share: the probability of the action, or its share of the visits of a tree search. None if there is none.
        line: the names of the moves that the agent expects, beginning with the move itself. Empty if there is none.
    """

    action: int
    value: float | None = None
    share: float | None = None
    line: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an agent thinks of a position.

    Attributes:
        unit: the unit of all values, such as ``"discs"``: the expected lead at the end of the game.
        moves: the legal actions, the best for the player to move first. Empty if the agent says nothing about actions.
        values: the value of the position for each player. In a game of two players, it is that of the best action if
            there are values of actions. None if the agent does not evaluate positions.
        exact: whether the values are the results of perfect play.
        bound: the largest absolute value that is possible. None if this bound is not known.
        depth: the depth of the search in plies. None if the agent does not give it.
        nodes: the number of positions that the search visited. None if the agent does not give it.
    """

    unit: str
    moves: tuple[MoveAssessment, ...]
    values: tuple[float, ...] | None
    exact: bool = False
    bound: float | None = None
    depth: int | None = None
    nodes: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields as values for JSON. JSON has no infinity: a sure win is the text ``inf``, a sure loss ``-inf``."""
        moves = [asdict(replace(move, value=_plain(move.value))) for move in self.moves]
        values = None if self.values is None else [_plain(value) for value in self.values]
        return {name: getattr(self, name) for name in self.__slots__} | {"moves": moves, "values": values}


def powers(agent: Agent | OptionalMethods) -> list[str]:
    """The names of the optional methods that an agent has."""
    return [name for name in _POWERS if callable(getattr(agent, name, None))]


def assess(agent: Any, state: State) -> Assessment:
    """Ask an agent what it thinks of a position of a game that is not over.

    If the agent solves endgames, the values near the end of a game of Othello are exact.

    Raises:
        AgentError: the agent has none of the optional methods, or cannot use them for this position.
    """
    try:
        assessment = _assess(agent, state)
    except (ValueError, TypeError, NotImplementedError) as error:
        raise AgentError(f"{agent!r} cannot assess this position: {error}") from error
    if assessment is None:
        raise AgentError(f"{agent!r} gives no values for positions")
    return assessment


def _assess(agent: Any, state: State) -> Assessment | None:
    """What the agent's optional methods say about a position. None if the agent has no method that gives values."""
    known = powers(agent)
    if "exact_scores" in known and type(state) is Othello and (scores := exact_scores(state)) is not None:
        return _of_values(state, _DISCS, scores, exact=True)
    if "analyse" in known:
        return _analysed(agent, state)
    two, unit = state.num_players == 2, str(getattr(agent, "unit", _VALUE))
    if "action_values" in known and "action_probabilities" not in known:
        knows = getattr(agent, "knows", None)
        if knows is not None and not knows(state):  # perfect play may need a search of hours
            return Assessment(unit, (), None)
        unit, action_values = _in_discs(agent, state, unit, agent.action_values(state))
        values = None if two or "evaluate" not in known else _evaluated(agent, state)
        return _of_values(state, unit, action_values, exact=unit == _PERFECT, values=values)
    shares: Mapping[int, float] = {}
    values = _evaluated(agent, state) if "evaluate" in known else None
    if "action_probabilities" in known:
        shares = agent.action_probabilities(state)
    elif "search" in known and two:
        result = agent.search(state)
        values = values or _for_both(state, result.value)
        visits = getattr(result, "visits", {})
        shares = {action: count / max(1, sum(visits.values())) for action, count in visits.items()}
    if values is None and not shares:
        return None
    legal = sorted(set(state.legal_actions()) & {*shares}, key=lambda action: -shares[action])
    moves = tuple(MoveAssessment(action, share=float(shares[action])) for action in legal)
    return Assessment(unit, moves, values, bound=_bound(state, unit, values or ()))


def _in_discs(agent: Any, state: State, unit: str, values: Mapping[int, float]) -> tuple[str, Mapping[int, float]]:
    """The values of actions in discs, if the agent can convert them. The end of the game needs no conversion."""
    convert = getattr(agent, "expected_discs", None)
    if convert is None:
        return unit, values
    player = state.to_move
    after = {action: state.play(action) for action in values}
    return _DISCS, {
        action: after[action].margins()[player] if after[action].is_over else convert(after[action], value)
        for action, value in values.items()
    }


def _of_values(
    state: State,
    unit: str,
    action_values: Mapping[int, float],
    *,
    exact: bool = False,
    values: tuple[float, ...] | None = None,
    lines: Mapping[int, tuple[str, ...]] | None = None,
) -> Assessment:
    """The assessment that these values of the legal actions for the player to move make."""
    unit = _DISCS if unit == _PERFECT else unit
    legal = sorted(set(state.legal_actions()) & {*action_values}, key=lambda action: -action_values[action])
    two = state.num_players == 2
    sign = -1.0 if two and state.to_move == 1 else 1.0
    if two and legal:
        values = _for_both(state, action_values[legal[0]])
    moves = (
        MoveAssessment(action, sign * action_values[action], None, (lines or {}).get(action, ())) for action in legal
    )
    return Assessment(
        unit, tuple(moves), values, exact, _bound(state, unit, [*(values or ()), *action_values.values()])
    )


def _analysed(agent: Any, state: State) -> Assessment:
    """What the method `analyse` of an engine finds: in discs where the engine can tell discs, else in its own unit."""
    if "lines" not in inspect.signature(agent.analyse).parameters:
        analysis = agent.analyse(state, scores=True)
        return _of_values(state, _unit_name(analysis), analysis.scores)
    analysis = agent.analyse(state, lines=_MOST_LINES)
    unit = _unit_name(analysis) if analysis.discs is None else _DISCS
    best = analysis.score if analysis.discs is None else analysis.discs
    action_values = {line.pv[0]: _comparable(line, analysis, best) for line in analysis.lines}
    lines = {line.pv[0]: tuple(state.names_of(line.pv).split()) for line in analysis.lines}
    assessed = _of_values(state, unit, action_values, exact=analysis.exact and unit == _DISCS, lines=lines)
    return replace(assessed, depth=analysis.depth, nodes=analysis.nodes)


def _unit_name(analysis: Any) -> str:
    """The page's name of the unit of an engine's values."""
    return str(_NAMES.get(analysis.unit, analysis.unit))


def _comparable(line: Any, analysis: Any, best: float) -> float:
    """The value of an engine's line in the unit of the best line. It is at most `best`.

    A line whose end the search has seen is certain, while the best line may be an estimate.
    """
    if analysis.discs is None and line.unit == _DISCS:
        return math.copysign(math.inf, line.score)
    return float(min(best, line.score if line.discs is None else line.discs))


def _bound(state: State, unit: str, numbers: Iterable[float]) -> float | None:
    """The largest absolute value that is possible in a unit. None if it is not known.

    If the agent names no unit, and all finite numbers lie between -1 and 1, the bound is 1.
    """
    if unit == _DISCS:
        return float(state.largest_margin)
    small = unit == _VALUE and all(abs(number) <= 1 for number in numbers if math.isfinite(number))
    return 1.0 if small or unit in _BETWEEN_ONES else None


def _evaluated(agent: Any, state: State) -> tuple[float, ...]:
    """The value of the position for each player."""
    return tuple(float(agent.evaluate(state, player)) for player in range(state.num_players))


def _for_both(state: State, value: float) -> tuple[float, float]:
    """The pair of values for both players. `value` is the value for the player to move."""
    first = float(value) if state.to_move == 0 else -float(value)
    return first, -first


def _plain(value: float | None) -> float | str | None:
    if value is None:
        return None
    number = float(value)
    if math.isnan(number):
        raise AgentError("an agent's value is not a number")
    return number if math.isfinite(number) else "inf" if number > 0 else "-inf"
