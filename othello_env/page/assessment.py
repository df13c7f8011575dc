"""What an agent thinks of a position. The agent's optional methods give this information (see `OptionalMethods`).

In games of two players, all values are for the first player: in Othello, a positive value is good for Black.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from othello_env.agent import Agent, AgentError, OptionalMethods
from othello_env.agent.exact import known_scores
from othello_env.games.game import State
from othello_env.games.othello.position import Othello
from othello_env.review import EXACT_EMPTIES

__all__ = ["Assessment", "MoveAssessment", "assess", "powers"]

_POWERS = ("analyse", "action_values", "action_probabilities", "search", "evaluate", "exact_scores")
_DISCS = "discs"
_PERFECT = "discs, by perfect play"
"""The unit of the agent ``perfect``."""
_OWN = "in its own unit"
"""The page's name of the unit of an agent that names no unit."""
_BETWEEN_ONES = ("mean of result and margin", "win minus loss")
"""Units of values from -1 to +1."""
_NAMES = {"points": "points of the weights", "wins": "win minus loss", "value": _OWN}
"""The page's names of units whose own names say little."""
_MOST_LINES = 64  # no position has more moves than this


@dataclass(frozen=True, slots=True)
class MoveAssessment:
    """What an agent thinks of a move.

    Attributes:
        action: the action.
        value: the value of the action; None if the agent gives probabilities instead. In games of two players, it is
            the value for the first player, in other games for the player to move.
        exact: whether the value is a fact and not an estimate: the result of perfect play, or a sure win or loss.
        share: the probability of the action, or its share of the visits of a tree search. None if there is none.
        line: the moves that the agent expects, beginning with the move itself: for each, its action and its name. Empty
            if there is none.
    """

    action: int
    value: float | None = None
    exact: bool = False
    share: float | None = None
    line: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an agent thinks of a position.

    Attributes:
        unit: the unit of all values, such as ``"discs"``: the expected lead at the end of the game.
        moves: the legal actions, the best for the player to move first. Empty if the agent says nothing about actions.
        values: the value of the position for each player. In a game of two players, it is that of the best action if
            there are values of actions. None if the agent does not evaluate positions.
        exact: whether the values of the position are facts and not estimates (see `MoveAssessment.exact`).
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


def powers(agent: Agent | OptionalMethods) -> tuple[str, ...]:
    """The names of the optional methods that an agent has."""
    return tuple(name for name in _POWERS if callable(getattr(agent, name, None)))


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
    if (
        "exact_scores" in known
        and type(state) is Othello
        and (scores := known_scores(state, EXACT_EMPTIES)) is not None
    ):
        return _of_values(state, _DISCS, scores, exact=scores)
    if "analyse" in known:
        return _analysed(agent, state)
    two, unit = state.num_players == 2, _unit_name(getattr(agent, "unit", _OWN))
    if "action_values" in known and "action_probabilities" not in known:
        knows = getattr(agent, "knows", None)
        if knows is not None and not knows(state):  # perfect play may need a search of hours
            return Assessment(unit, (), None)
        action_values = agent.action_values(state)
        if hasattr(agent, "expected_discs"):
            return _converted(agent, state, action_values)
        values = None if two or "evaluate" not in known else _evaluated(agent, state)
        return _of_values(state, unit, action_values, exact=action_values if unit == _PERFECT else (), values=values)
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
    exact = two and values is not None and math.isinf(values[0])
    return Assessment(unit, moves, values, exact, _bound(state, unit, values or ()))


def _converted(agent: Any, state: State, values: Mapping[int, float]) -> Assessment:
    """The assessment by an agent that can convert its values to discs. The end of the game needs no conversion."""
    after = {action: state.play(action) for action in values}
    ends = {action: end.margins()[state.to_move] for action, end in after.items() if end.is_over}
    estimates = {action: agent.expected_discs(after[action], values[action]) for action in values if action not in ends}
    return _of_values(state, _DISCS, estimates | ends, exact=ends)


def _of_values(
    state: State,
    unit: str,
    action_values: Mapping[int, float],
    *,
    exact: Collection[int] = (),
    values: tuple[float, ...] | None = None,
    lines: Mapping[int, tuple[tuple[int, str], ...]] | None = None,
) -> Assessment:
    """The assessment that these values of the legal actions for the player to move make.

    The values of the actions in `exact` are facts. In a game of two players, infinite values are facts, too. The value
    of the position is a fact if no action can be better than the best one.
    """
    unit = _DISCS if unit == _PERFECT else unit
    legal = sorted(set(state.legal_actions()) & {*action_values}, key=lambda action: -action_values[action])
    two = state.num_players == 2
    sign = -1.0 if two and state.to_move == 1 else 1.0
    if two and legal:
        values = _for_both(state, action_values[legal[0]])
    facts = {action for action in legal if action in exact or (two and math.isinf(action_values[action]))}
    bound = _bound(state, unit, [*(values or ()), *action_values.values()])
    most = math.inf if bound is None else bound
    is_exact = bool(legal) and (facts == {*legal} or (legal[0] in facts and abs(action_values[legal[0]]) >= most))
    moves = (
        MoveAssessment(action, sign * action_values[action], action in facts, line=(lines or {}).get(action, ()))
        for action in legal
    )
    return Assessment(unit, tuple(moves), values, is_exact, bound)


def _analysed(agent: Any, state: State) -> Assessment:
    """What the method `analyse` of an engine finds: in discs where the engine can tell discs, else in its own unit."""
    if "lines" not in inspect.signature(agent.analyse).parameters:
        analysis = agent.analyse(state, scores=True)
        return _of_values(state, _unit_name(analysis.unit), analysis.scores)
    analysis = agent.analyse(state, lines=_MOST_LINES)
    unit = _unit_name(analysis.unit) if analysis.discs is None else _DISCS
    best = analysis.score if analysis.discs is None else analysis.discs
    action_values = {line.pv[0]: _comparable(line, analysis, best) for line in analysis.lines}
    lines = {line.pv[0]: tuple(zip(line.pv, state.names_of(line.pv).split(), strict=True)) for line in analysis.lines}
    # Where a line that ends the game is not solved, only its winner is certain: a longer line may win more discs. If
    # the line wins all, or if its first move ends the game, the number of discs is certain, too.
    exact = {
        action
        for action, line in zip(action_values, analysis.lines, strict=True)
        if line.unit == _DISCS
        and action_values[action] == line.score
        and (analysis.exact or abs(line.score) == state.largest_margin or state.play(action).is_over)
    }
    assessed = _of_values(state, unit, action_values, exact=exact, lines=lines)
    return replace(assessed, depth=analysis.depth, nodes=analysis.nodes)


def _unit_name(unit: str) -> str:
    """The page's name of a unit."""
    return str(_NAMES.get(unit, unit))


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
    small = unit == _OWN and all(abs(number) <= 1 for number in numbers if math.isfinite(number))
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
