"""The analysis of a position: its value, the best line of play, and facts about the search."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from othello_agents.engine.evaluator import LOGIT, NETWORK, NTUPLE
from othello_agents.engine.midgame import FINAL
from othello_agents.engine.searcher import Iteration
from othello_agents.ntuple.discs import expected_discs
from othello_env.games.othello.position import Othello
from othello_env.support.notebook import table

__all__ = ["DISCS", "OUTCOME", "POINTS", "RESULT", "WINS", "Analysis", "Line", "to_discs", "to_unit", "to_unit_of_best"]

DISCS, OUTCOME, POINTS, WINS = "discs", "mean of result and margin", "points", "wins"
RESULT = "win minus loss"


@dataclass(frozen=True)
class Line:
    """A move with its score and the expected line of play.

    Attributes:
        pv: the actions that both sides are expected to play. The first action is the move itself.
        score: the value for the player who makes the move.
        unit: the unit of the score (see `Analysis.unit`).
        discs: the expected disc difference at the end of the game, or None (see `Analysis.discs`).
        depth: the depth in plies of the search for this move, counted from the position before the move. If the search
            went to the end, the depth is the number of empty squares in that position.
        nodes: the number of positions that the search for this move visited. For the best move, it is the same number
            as `Analysis.nodes`. The searches share a transposition table, so a later search often visits fewer
            positions.
    """

    pv: tuple[int, ...]
    score: float
    unit: str
    discs: float | None
    depth: int
    nodes: int


@dataclass(frozen=True)
class Analysis:
    """A position's value for the player to move, and the best line of play.

    Attributes:
        state: the position.
        best: the best action found.
        score: the value for the player to move.
        unit: the unit of the score. ``"discs"``: the disc difference at the end of the game, where the winner also gets
            the empty squares. It is the result of perfect play if `exact` is true. Otherwise only the winner is
            certain: in a longer game, which the search has not seen, the winner may get more discs.
            ``"mean of result and margin"``: an estimate by n-tuple tables, from -1 to +1. It is the mean of the result
            (+1, 0 or -1) and the final disc difference divided by the number of squares. ``"win minus loss"``: the
            expected result by a network, from -1 to +1. ``"points"``: the value of an evaluation by squares or moves.
            ``"wins"``: +1, 0 or -1, if only the winner is known.
        pv: the principal variation: the actions that both sides are expected to play, as far as the search knows them.
        depth: the depth in plies of the last finished search. If this search went to the end, the depth is the number
            of empty squares.
        exact: whether the search went to the end of the game, so that the score is the result of perfect play.
        nodes: the number of positions that the search for the best move visited.
        seconds: the wall-clock time of the search for the best move, in seconds.
        scores: the score of each legal action in the unit of `score`; None if these scores were not requested. An
            action that certainly loses has the score -infinity if the unit is ``"points"``, and -1 if it is one of the
            units from -1 to +1. If the unit is ``"discs"`` and the analysis is not exact, the best action's
            score is the result of a finished game that the search has seen. The scores of other actions may be
            estimates in discs, but they are never higher than the best action's score. Points cannot be converted to
            discs, so they stay points. If the player must pass, the score of the pass is always given.
        lines: the best moves, in order from the best; None if these moves were not requested.
        weights: ``"engine"`` if the engine used its own packaged weights, otherwise ``"ntuple"``. The conversion of a
            mean of result and margin to discs depends on it.
    """

    state: Othello
    best: int
    score: float
    unit: str
    pv: tuple[int, ...]
    depth: int
    exact: bool
    nodes: int
    seconds: float
    scores: dict[int, float] | None = field(default=None, compare=False)
    lines: tuple[Line, ...] | None = field(default=None, compare=False)
    weights: str = "ntuple"

    @property
    def score_discs(self) -> dict[int, float] | None:
        """The scores of the actions in discs, like `discs`; None if `scores` or `discs` is None."""
        if self.scores is None or self.discs is None:
            return None
        discs = {a: to_discs(score, self.unit, self.state, self.weights) for a, score in self.scores.items()}
        return {action: number for action, number in discs.items() if number is not None}

    @property
    def discs(self) -> float | None:
        """The expected disc difference at the end of the game, for the player to move.

        If the unit of the score is ``"discs"``, this number is the score. If the unit is ``"mean of result and
        margin"``, this number is an estimate from the score. With the other units, it is None.
        """
        return to_discs(self.score, self.unit, self.state, self.weights)

    def before_pass(self, state: Othello) -> Analysis:
        """Turn the analysis of the position after a pass into the analysis of `state`, the position before the pass."""
        action, depth = state.pass_action, self.depth + (not self.exact)
        lines = None
        if self.lines is not None:
            lines = tuple(
                replace(
                    line,
                    pv=(action, *line.pv),
                    score=0.0 - line.score,  # unlike -line.score, never -0.0
                    discs=None if line.discs is None else 0.0 - line.discs,
                    depth=depth,
                )
                for line in self.lines[:1]
            )
        return replace(
            self,
            state=state,
            best=action,
            score=0.0 - self.score,
            pv=(action, *self.pv),
            depth=depth,
            scores={action: 0.0 - self.score},
            lines=lines,
        )

    def _repr_html_(self) -> str:
        """A notebook shows the position and the analysed moves, the best first."""
        state, name = self.state, self.state.action_to_text
        lines = self.lines or (Line(self.pv, self.score, self.unit, self.discs, self.depth, self.nodes),)
        rows = [
            (
                name(line.pv[0]),
                _score_text(line.score, line.unit),
                line.unit,
                "" if line.discs is None else f"{line.discs:+.1f}",
                " ".join(map(name, line.pv)),
            )
            for line in lines
        ]
        told = {line.pv[0] for line in lines}
        rest = sorted((self.scores or {}).items(), key=lambda item: -item[1])
        rows += [(name(a), _score_text(score, self.unit), self.unit, "", "") for a, score in rest if a not in told]
        player = state.player_names[state.to_move]
        how = "searched to the end of the game" if self.exact else f"depth {self.depth}"
        caption = f"Scores are for {player}, to move; {how}, {self.nodes:,} nodes"
        head = ("move", "score", "unit", "discs", "expected line")
        return f"{state._repr_svg_() or ''}{table(head, rows, caption)}"

    def __str__(self) -> str:
        state = self.state
        line = " ".join(state.action_to_text(action) for action in self.pv)
        score = _score_text(self.score, self.unit)
        kind = "exact" if self.exact else f"depth {self.depth}"
        return (
            f"{state.action_to_text(self.best)} {score} {self.unit} ({kind}): {line}; "
            f"{self.nodes:,} nodes in {self.seconds:.2f} s"
        )


def _score_text(score: float, unit: str) -> str:
    return f"{score:+.3f}" if unit in (OUTCOME, RESULT) else f"{score:+.0f}"


def to_discs(score: float, unit: str, state: Othello, weights: str) -> float | None:
    """Convert a score to a disc difference (see `Analysis.discs`); `weights` is `Analysis.weights`."""
    if unit == DISCS:
        return score
    if unit != OUTCOME:
        return None
    return expected_discs(score, state, weights)


def to_unit(value: int, kind: int, found: Iteration) -> tuple[float, str]:
    """Convert a search's value to a score and its unit.

    Args:
        value: a value from the search that returned `found`, or from a search with the same depth and the same goal (an
            exact score or only the winner).
        kind: the field `kind` of the search's `Evaluator`.
        found: the result of the search for the best move.
    """
    if found.result_only:
        return float((value > 0) - (value < 0)), WINS
    if abs(value) >= FINAL:
        return float(value - FINAL if value > 0 else value + FINAL), DISCS
    if found.exact:
        return 0.0, DISCS
    if kind == NTUPLE:
        return math.tanh(value / LOGIT), OUTCOME
    if kind == NETWORK:
        return math.tanh(value / LOGIT), RESULT
    return float(value), POINTS


def to_unit_of_best(score: float, unit: str, best: Analysis) -> float:
    """Convert the score of any move to the unit of the best move's score (see `Analysis.scores`)."""
    if unit == best.unit:
        return score
    if best.unit == DISCS:
        discs = to_discs(score, unit, best.state, best.weights)
        return min(best.score, score if discs is None else discs)  # an estimate may exceed a certain win's score
    return math.copysign(math.inf if best.unit == POINTS else 1.0, score)  # a score in discs is certain
