"""The analysis of a position: its value, the best line, and how they were found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from othello_agents.engine.evaluator import LOGIT, NTUPLE
from othello_agents.engine.midgame import FINAL
from othello_env.games.othello.position import Othello

__all__ = ["DISCS", "POINTS", "RESULT", "WINS", "Analysis", "to_unit"]

DISCS, RESULT, POINTS, WINS = "discs", "expected result", "points", "wins"


@dataclass(frozen=True)
class Analysis:
    """A position's value for the player to move, and the best line of play.

    Attributes:
        state: the position.
        best: the best action found.
        score: the value for the player to move.
        unit: the unit of the score. ``"discs"``: the disc difference at the end of the game, where the winner also gets
            the empty squares. ``"expected result"``: from -1 to +1, from n-tuple tables. ``"points"``: the value of a
            textbook evaluation. ``"wins"``: +1, 0 or -1, if only the winner was asked for.
        pv: the principal variation: the actions that both sides are expected to play, as far as they are known.
        depth: the depth in plies of the last finished search; the number of empty squares if it went to the end.
        exact: whether the score is the result of perfect play.
        nodes: the number of positions visited.
        seconds: the wall-clock time of the analysis.
        scores: the score of each legal action; None if these scores were not asked for.
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

    def before_pass(self, state: Othello) -> Analysis:
        """Turn this into the analysis of `state`, the previous position, in which the other player had to pass."""
        action = state.pass_action
        return replace(
            self,
            state=state,
            best=action,
            score=-self.score,
            pv=(action, *self.pv),
            depth=self.depth + (not self.exact),
            scores={action: -self.score},
        )

    def __str__(self) -> str:
        state = self.state
        line = " ".join(state.action_to_text(action) for action in self.pv)
        score = f"{self.score:+.0f}" if self.unit != RESULT else f"{self.score:+.3f}"
        kind = "exact" if self.exact else f"depth {self.depth}"
        return (
            f"{state.action_to_text(self.best)} {score} {self.unit} ({kind}): {line}; "
            f"{self.nodes:,} nodes in {self.seconds:.2f} s"
        )


def to_unit(value: int, kind: int, *, exact: bool) -> tuple[float, str]:
    """Convert a search's value to a score and its unit. `kind` is the kind of the `Evaluator`."""
    if abs(value) >= FINAL:
        return float(value - FINAL if value > 0 else value + FINAL), DISCS
    if exact:
        return 0.0, DISCS
    if kind == NTUPLE:
        return math.tanh(value / LOGIT), RESULT
    return float(value), POINTS
