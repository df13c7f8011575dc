"""The best moves of an analysis with their expected lines, and scores in discs."""

import math
from dataclasses import replace

import pytest

from othello_agents.engine import Engine
from othello_agents.engine.analysis import to_discs, to_unit_of_best
from othello_env import Othello


@pytest.mark.parametrize("evaluation", ["weighted", "ntuple"])
def test_the_lines_are_the_best_of_all_scores(evaluation, random_position):
    for key in range(6):
        state = random_position(key, 14 + 6 * key)
        if state.must_pass:
            continue
        engine = Engine(depth=5, exact=0, eval=evaluation, selective=False)
        found = engine.analyse(state, scores=True, lines=3)
        best = sorted(found.scores.values(), reverse=True)[:3]
        assert [line.score for line in found.lines] == pytest.approx(best)
        assert found.lines[0].pv[0] == found.best
        for line in found.lines:
            assert found.scores[line.pv[0]] == pytest.approx(line.score)
            after = state
            for action in line.pv:
                after = after.play(action)
        assert engine.analyse(state).lines is None


def test_exact_lines_are_played_to_the_end(ffo):
    for endgame in [end for end in ffo if end.number in (1, 3, 5)]:
        found = Engine(exact=20).analyse(endgame.state, lines=len(endgame.moves))
        assert len(found.lines) == len(endgame.moves)
        assert found.lines == tuple(sorted(found.lines, key=lambda line: -line.score))
        for line in found.lines:
            end = endgame.state
            for action in line.pv:
                end = end.play(action)
            assert end.margins()[endgame.state.to_move] == line.score == line.discs
            assert endgame.moves[line.pv[0]] == line.score


def test_before_a_pass_there_is_one_line(random_position):
    key, state = 0, random_position(0, 10)
    while not state.must_pass:
        key += 1
        state = random_position(key, 10)
    found = Engine(exact=12).analyse(state, lines=4)
    assert len(found.lines) == 1
    assert found.lines[0].pv == found.pv
    assert found.lines[0].score == found.score
    assert (found.lines[0].depth, found.lines[0].nodes) == (found.depth, found.nodes)


def test_one_line_is_the_first_of_several():
    state = Othello.from_moves("f5d6c3d3c4")
    one, several = (Engine(depth=5, exact=0).analyse(state, lines=lines).lines for lines in (1, 3))
    assert one == several[:1]


def test_each_line_says_how_it_was_searched():
    state = Othello.from_moves("f5d6c3d3c4")
    found = Engine(depth=5, exact=0).analyse(state, lines=64)
    assert {line.depth for line in found.lines} == {found.depth}
    assert found.lines[0].nodes == found.nodes == Engine(depth=5, exact=0).analyse(state).nodes
    assert all(0 < line.nodes < found.nodes for line in found.lines[1:])
    assert all(len(line.pv) <= found.depth for line in found.lines)


def test_discs_are_exact_or_estimated_from_the_expected_result():
    exact = Engine(exact=16).analyse(Othello(4))
    assert exact.discs == exact.score == -10
    estimate = Engine(depth=4).analyse(Othello.from_moves("f5f6"))
    assert estimate.unit == "expected result"
    assert math.copysign(1, estimate.discs) == math.copysign(1, estimate.score)
    assert abs(estimate.score) < abs(estimate.discs) < 64
    for score, discs in ((1.0, 64.0), (-1.0, -64.0), (1 - 1e-12, 64.0), (0.0, 0.0)):
        assert to_discs(score, "expected result", Othello()) == discs
    assert Engine(depth=2, eval="count").analyse(Othello()).discs is None
    assert Engine().solve(Othello(4), result_only=True).discs is None


@pytest.mark.parametrize(
    ("moves", "evaluation", "unit", "finished"),
    [
        ("f5d6c3f3e3f4d7", "ntuple", "expected result", -1.0),
        ("f5d6c3f3e3f4d7", "mobility", "points", -math.inf),
        ("e6f4e3f6g5d6e7f5", "ntuple", "discs", 64.0),
    ],
)
def test_all_scores_have_the_unit_of_the_best(moves, evaluation, unit, finished):
    """In each position, one move soon ends the game. The searches of the other moves end with estimates."""
    state, engine = Othello.from_moves(moves), Engine(depth=4, eval=evaluation)
    found = engine.analyse(state, scores=True, lines=64)
    assert found.unit == unit
    assert engine.action_values(state) == found.scores
    assert max(found.scores.values()) == found.score == found.scores[found.best]
    for line in found.lines:
        score = found.scores[line.pv[0]]
        if line.unit == "discs":
            assert score == finished
        else:
            assert score == (line.discs if unit == "discs" else line.score)


def test_an_estimate_is_never_more_than_a_certain_win():
    best = replace(Engine(depth=1).analyse(Othello()), score=2.0, unit="discs")
    assert to_unit_of_best(0.9, "expected result", best) == 2.0
    assert to_unit_of_best(-0.9, "expected result", best) == to_discs(-0.9, "expected result", Othello())
    assert to_unit_of_best(12.0, "points", best) == 2.0


def test_bad_numbers_of_lines_are_refused():
    for lines, error in ((-1, ValueError), (65, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match="lines must be "):
            Engine().analyse(Othello(), lines=lines)


def test_the_winner_is_found_first_where_time_is_short(ffo, monkeypatch):
    monkeypatch.setattr("othello_agents.engine.agent._affordable", lambda seconds: 12)
    monkeypatch.setattr("othello_agents.engine.agent._RESULT_EARLIER", 20)
    for number in (21, 23, 24):
        endgame = next(end for end in ffo if end.number == number)
        engine = Engine(ms=600_000)
        assert engine.act(endgame.state) in endgame.best
        last = engine.last_analysis
        assert (last.score, last.unit, last.exact) == (endgame.score, "discs", True)
        with monkeypatch.context() as patch:  # as if the time were over when only the winner is known
            patch.setattr("othello_agents.engine.searcher.Searcher._find_exact", lambda self, value: None)
            action = engine.act(endgame.state)
            last = engine.last_analysis
        sign = (endgame.score > 0) - (endgame.score < 0)
        assert (last.score, last.unit, last.exact) == (sign, "wins" if sign else "discs", True)
        assert (endgame.moves[action] > 0) - (endgame.moves[action] < 0) == sign
        assert Engine(ms=1).analyse(endgame.state).unit != "wins"
