"""Solves 4x4 Othello: finds the exact score of every position that can arise from the start.

The exact score is the final difference in discs if both sides play perfectly. The winner also gets the empty squares.
"""

from __future__ import annotations

from functools import cache

from othello_env.games.othello.position import Othello

__all__ = ["score_4x4", "solved_4x4"]

_Scores = dict[tuple[int, int], int]


@cache
def solved_4x4() -> _Scores:
    """The exact score for the player to move in every position that can arise from the start.

    The keys are pairs: the discs of the player to move and the discs of the opponent. Finished games are included. The
    first call takes about a second: it follows every line of play to its end, and solves each position once.
    """
    scores: _Scores = {}
    _solve(Othello(4), scores)
    return scores


def score_4x4(state: Othello) -> int:
    """The exact score of a 4x4 position for the player to move, even if the position cannot arise from the start."""
    return _solve(state, _known())


@cache
def _known() -> _Scores:
    """The scores that `score_4x4` knows.

    These are a copy of the scores of `solved_4x4`, and the scores that `score_4x4` has added. Only the copy changes.
    """
    return dict(solved_4x4())


def _solve(state: Othello, scores: _Scores) -> int:
    key = state.own, state.opponent
    if key not in scores:
        if state.is_over:
            scores[key] = int(state.margins()[state.to_move])
        else:
            scores[key] = max(-_solve(state.play(action), scores) for action in state.legal_actions())
    return scores[key]
