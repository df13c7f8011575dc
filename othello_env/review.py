"""Reviews of whole games of Othello: how many discs each move lost.

The score of a move is the final lead in discs of the player who makes the move, if both sides play perfectly after it.
A move's loss is the score of the best move minus the score of the move that was played. Near the end of the game, the
scores are exact. Earlier in the game, an engine estimates the scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from othello_env.agent import Agent, as_othello, make_agent
from othello_env.agent.exact import exact_scores, known_scores
from othello_env.games.game import State
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_each, check_real, check_whole

__all__ = [
    "ANALYST",
    "BLUNDER",
    "EXACT_EMPTIES",
    "MoveReview",
    "PlayerReview",
    "review_game",
    "summarise",
]

ANALYST = "engine:depth=8"
"""The default agent. It estimates the scores of the moves in positions that are not solved exactly."""
EXACT_EMPTIES = 18
"""Positions with at most this many empty squares are solved exactly. This takes about half a second for each game."""
BLUNDER = 6.0
"""A move that loses at least this number of discs is a blunder."""

_MOST_LINES = 64  # the engine is asked for this many principal variations, so that it scores every move of a position


@dataclass(frozen=True)
class MoveReview:
    """A move of a game, and what the best move would have been.

    Attributes:
        ply: the number of the action in its game, from 1. Passes also have a number.
        state: the position before the move.
        action: the action that was played.
        best: an action with the best score. It is `action` itself if no action is better.
        score: the score of `action` in discs, for the player to move.
        best_score: the score of `best` in discs, for the player to move.
        exact: whether the scores are exact, that is, the results of perfect play.
        depth: the depth of the engine's search in plies. For an exact score, this is the number of empty squares.
    """

    ply: int
    state: Othello
    action: int
    best: int
    score: float
    best_score: float
    exact: bool
    depth: int

    @property
    def player(self) -> int:
        """The player that moved: 0 is Black, 1 is White."""
        return self.state.to_move

    @property
    def loss(self) -> float:
        """How many discs the move lost. This number is never negative."""
        return self.best_score - self.score

    @property
    def had_choice(self) -> bool:
        """Whether the player had more than one legal action."""
        return len(self.state.legal_actions()) > 1

    def to_json(self) -> dict[str, Any]:
        """The review as a dict for JSON. Scores are rounded to hundredths of a disc."""
        return {
            "ply": self.ply,
            "player": self.state.player_names[self.player],
            "move": self.state.action_to_text(self.action),
            "best": self.state.action_to_text(self.best),
            "loss": round(self.loss, 2),
            "score": round(self.score, 2),
            "best_score": round(self.best_score, 2),
            "exact": self.exact,
            "depth": self.depth,
            "choices": len(self.state.legal_actions()),
        }


@dataclass(frozen=True)
class PlayerReview:
    """A summary of a player's moves in one game or several games.

    A move is counted only if the player had more than one legal action.

    Attributes:
        moves: the number of moves.
        best: the share of moves that lost nothing; NaN if there are no moves.
        loss: the mean loss of a move in discs; NaN if there are no moves.
        exact_moves: the number of moves whose loss is exact.
        exact_loss: the mean loss of the moves whose loss is exact, in discs; NaN if there are no such moves.
        worst: up to three moves with the largest losses, the largest loss first. Moves without a loss are left out.
        blunders: the moves that lost at least `blunder` discs, in the order of the games. `blunder` is an argument of
            `summarise`.
    """

    moves: int
    best: float
    loss: float
    exact_moves: int
    exact_loss: float
    worst: tuple[MoveReview, ...]
    blunders: tuple[MoveReview, ...]

    def to_json(self) -> dict[str, Any]:
        """The summary as a dict for JSON. NaN becomes None."""
        return {
            "moves": self.moves,
            "best_move_rate": _rounded(self.best),
            "mean_loss": _rounded(self.loss),
            "exact_moves": self.exact_moves,
            "exact_mean_loss": _rounded(self.exact_loss),
            "worst": [move.to_json() for move in self.worst],
            "blunders": [move.to_json() for move in self.blunders],
        }


def review_game(
    final: State,
    agent: str | Agent = ANALYST,
    *,
    exact: int = EXACT_EMPTIES,
    start: State | None = None,
    first: int = 1,
) -> Iterator[MoveReview]:
    """Yield a review of each action of a game, in the order of play.

    The loss of an action is 0 if it is a pass or the only legal move.

    If the agent's search is limited by depth or by nodes, a second review of the same game gives the same result. A
    limit of time, such as 100 milliseconds in ``engine:ms=100``, holds only for the search for the best move. After
    this search, the engine searches the other moves to the same depth, however long this takes.

    Args:
        final: the last position of a game of Othello. Its attribute `moves` has the moves of the game.
        agent: an agent with the method `analyse`, or a text that names such an agent. The agent's scores must be in
            discs, or the agent must convert its scores into discs. The engine with n-tuple weights converts its scores.
        exact: positions with at most this number of empty squares are solved exactly. On 4x4 and 6x6, so are all
            positions whose scores the agent ``perfect`` knows without a long search.
        start: the position in which the game began; by default the usual start.
        first: the number of the first ply to review, from 1. For example, 11 leaves out an opening of ten plies.

    Raises:
        TypeError: `exact` or `first` is not an integer.
        ValueError: the agent has no method `analyse`, its scores cannot be converted into discs, or a number is out of
            range.
        IllegalActionError: a move is illegal when the game is played from `start`.
        WrongGameError: the game is not Othello, or the agent does not play on this board.
    """
    last = as_othello(final, "reviews are of")
    begin = Othello(last.size) if start is None else as_othello(start, "reviews are of")
    exact, first = check_whole("exact", exact, 0), check_whole("first", first, 1)
    analyst: Any = make_agent(agent)
    if not hasattr(analyst, "analyse"):
        raise ValueError(f"{analyst!r} does not analyse; expected an engine, such as {ANALYST}")
    analyst.check_game(begin)
    analyst.new_game(0)
    actions = last.moves[len(begin.moves) :]
    return _reviews(begin.positions(actions)[:-1], actions, analyst, exact, first - 1)


def _reviews(
    states: list[Othello], actions: tuple[int, ...], analyst: Any, exact: int, first: int
) -> Iterator[MoveReview]:
    """Yield a review of ``actions[first]`` and of each later action.

    All positions near the end are solved together, in one call. On small boards, perfect play is known for some of the
    positions before them, too.
    """
    solved = next((ply for ply, state in enumerate(states) if state.empties <= exact), len(states))
    solved = max(solved, min(first, len(states)))
    for ply in range(first, solved):
        state = states[ply]
        known = known_scores(state, exact)
        if known is not None:
            yield _judged(ply, state, actions[ply], known, is_exact=True, depth=state.empties)
            continue
        analysis = analyst.analyse(state, lines=_MOST_LINES)
        yield _judged(ply, state, actions[ply], _scores(analysis), is_exact=analysis.exact, depth=analysis.depth)
    if solved < len(states):
        rows = exact_scores(states[solved:])
        for ply, row in enumerate(rows.tolist(), start=solved):
            state = states[ply]
            scores = {action: row[action] for action in state.legal_actions()}
            yield _judged(ply, state, actions[ply], scores, is_exact=True, depth=state.empties)


def _judged(
    ply: int, state: Othello, action: int, scores: dict[int, float], *, is_exact: bool, depth: int
) -> MoveReview:
    best_score = max(scores.values())
    best = action if scores[action] == best_score else max(scores, key=lambda move: scores[move])
    return MoveReview(ply + 1, state, action, best, scores[action], best_score, is_exact, depth)


def _scores(analysis: Any) -> dict[int, float]:
    """The score in discs of each legal action. `analysis` has a principal variation for each action."""
    lines = {line.pv[0]: line.discs for line in analysis.lines}
    if None in lines.values():
        raise ValueError(f"scores in {analysis.unit} have no meaning in discs; use an engine with n-tuple weights")
    return {action: lines[action] for action in sorted(lines)}


def summarise(moves: Iterable[MoveReview], *, blunder: float = BLUNDER) -> PlayerReview:
    """Summarise the moves of one player.

    Args:
        moves: the player's moves in one game or several games.
        blunder: a move that loses at least this number of discs is a blunder.

    Raises:
        TypeError: `blunder` is not a number.
        ValueError: `blunder` is not finite.
    """
    blunder = check_real("blunder", blunder)
    chosen = [move for move in check_each("moves", moves, MoveReview) if move.had_choice]
    exact = [move.loss for move in chosen if move.exact]
    worst = sorted(chosen, key=lambda move: -move.loss)[:3]
    return PlayerReview(
        moves=len(chosen),
        best=_mean([float(move.loss == 0) for move in chosen]),
        loss=_mean([move.loss for move in chosen]),
        exact_moves=len(exact),
        exact_loss=_mean(exact),
        worst=tuple(move for move in worst if move.loss > 0),
        blunders=tuple(move for move in chosen if move.loss >= blunder),
    )


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else math.nan


def _rounded(number: float) -> float | None:
    return None if math.isnan(number) else round(number, 4)
