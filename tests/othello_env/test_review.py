"""Reviews of games: exact losses are those of minimax and of `solve`, and estimates are the engine's scores."""

import math

import numpy as np
import pytest

from othello_env import Othello, make_agent
from othello_env.data import random_games
from othello_env.review import review_game, summarise


def test_exact_losses_are_those_of_minimax(twin):
    games = random_games(2, size=4, seed=5)
    losses = []
    for i in range(2):
        reviewed = list(review_game(games.state(i), exact=5))
        assert [move.action for move in reviewed] == games.actions[i, : games.lengths[i]].tolist()
        assert [move.ply for move in reviewed] == [*range(1, games.lengths[i] + 1)]
        for ply, move in enumerate(reviewed):
            assert move.state == games.state(i, ply)
            empties = move.state.owners().count(None)
            if empties <= 5:
                assert move.exact
                scores = twin.from_state(move.state).values()
                assert move.score == scores[move.action]
                assert move.best_score == max(scores.values()) == scores[move.best]
                assert move.loss == max(scores.values()) - scores[move.action] >= 0
                assert (move.best == move.action) == (move.loss == 0)
                assert move.depth == empties
                losses.append(move.loss)
    assert max(losses) > 0


def test_exact_losses_are_those_of_solve():
    game = random_games(1, seed=8)
    engine = make_agent("engine")
    moves = [move for move in review_game(game.state(0), "engine:depth=1", exact=9) if move.exact and move.had_choice]
    assert len(moves) > 4
    for move in moves:
        after = move.state.play(move.action)
        assert move.score == (after.margins()[move.player] if after.is_over else -engine.solve(after).score)
        assert move.best_score == engine.solve(move.state).score


def test_estimates_are_the_engines_scores_in_discs():
    final = Othello.from_moves("f5d6c3d3c4f4")
    engine = make_agent("engine:depth=3")
    reviewed = list(review_game(final, "engine:depth=3"))
    assert [move.to_json() for move in reviewed] == [move.to_json() for move in review_game(final, "engine:depth=3")]
    for move in reviewed:
        found = engine.analyse(move.state, lines=64)
        discs = {line.pv[0]: line.discs for line in found.lines}
        assert not move.exact
        assert move.depth == found.depth == 3
        assert set(discs) == set(move.state.legal_actions())
        assert move.score == discs[move.action]
        assert move.best_score == discs[move.best] == found.discs


def test_a_review_from_a_later_ply_on():
    game = random_games(1, size=4, seed=2)
    for exact in (0, 6):
        whole = list(review_game(game.state(0), "engine:depth=2", exact=exact))
        for first in (1, 5, len(whole), len(whole) + 1):
            part = [*review_game(game.state(0), "engine:depth=2", exact=exact, first=first)]
            assert part == [move for move in whole if move.ply >= first]
    with pytest.raises(ValueError, match="first must be at least 1, not 0"):
        review_game(game.state(0), first=0)


def test_summaries():
    games = random_games(4, size=4, seed=3)
    moves = [move for i in range(4) for move in review_game(games.state(i), "engine:depth=1", exact=6)]
    black = [move for move in moves if move.player == 0]
    found = summarise(black, blunder=4)
    chosen = [move for move in black if len(move.state.legal_actions()) > 1]
    assert found.moves == len(chosen) < len(black)
    assert found.loss == pytest.approx(np.mean([move.loss for move in chosen]))
    assert found.best == pytest.approx(np.mean([move.loss == 0 for move in chosen]))
    exact = [move.loss for move in chosen if move.exact]
    assert (found.exact_moves, found.exact_loss) == (len(exact), pytest.approx(np.mean(exact)))
    assert [move.loss for move in found.worst] == sorted((move.loss for move in chosen), reverse=True)[:3]
    assert list(found.blunders) == [move for move in chosen if move.loss >= 4]
    nothing = summarise([])
    assert (nothing.moves, nothing.worst, nothing.blunders) == (0, (), ())
    assert math.isnan(nothing.loss)
    assert nothing.to_json()["mean_loss"] is None
