"""The engine: its values compared with the textbook searches, and its reports on positions."""

import math
from dataclasses import replace

import numpy as np
import pytest

from othello_agents.engine import Engine
from othello_agents.engine.evaluator import LOGIT, NTUPLE, textbook_sums
from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.patterns import layout
from othello_agents.search.alphabeta import AlphaBeta, alphabeta
from othello_agents.search.minimax import Minimax
from othello_env import Othello
from othello_env.games.othello.positions import OthelloPositions


def as_textbook(analysis):
    """The engine's score in the form of a textbook search: plus or minus infinity for a won or lost game."""
    return math.copysign(math.inf, analysis.score) if analysis.unit == "discs" and analysis.score else analysis.score


@pytest.mark.parametrize("size", [4, 6, 8])
@pytest.mark.parametrize("name", textbook_sums())
def test_its_value_is_that_of_the_textbook_searches(name, size, random_position):
    for key in range(40):
        depth = 1 + key % 6
        state = random_position(key, 1 + (7 * key) % (size**2 - 5), size)
        analysis = Engine(depth=depth, exact=0, eval=name).analyse(state)
        depth += state.must_pass  # textbook searches count a forced pass as a ply, the engine does not
        assert as_textbook(analysis) == AlphaBeta(depth, name).search(state).value, f"{state}\n{analysis}"
        if depth <= 3:
            assert as_textbook(analysis) == Minimax(depth, name).search(state).value
        # The position after the chosen move has the same value with the opposite sign.
        after = state.play(analysis.best)
        if depth > 1 and not after.is_over:
            assert -as_textbook(analysis) == AlphaBeta(depth - 1, name).search(after).value


def looked_up(network, state, player):
    """The n-tuple value in the engine's units, computed square by square, also for finished games."""
    places = layout(state.size)
    # The tables show positions from the view of the player who has just moved.
    signs = [(state.opponent >> square & 1) - (state.own >> square & 1) for square in range(64)]
    configurations = np.array(signs) @ places.deltas.astype(np.int64)[:, : places.looked_up]
    stage = max(0, (sum(state.discs()) - 5) * network.stages // (state.size**2 - 4))
    logit = network.weights[stage][places.offsets[: places.looked_up] + configurations].astype(np.float64).sum()
    return -logit * LOGIT if player == state.to_move else logit * LOGIT


@pytest.mark.parametrize("size", [6, 8])
def test_its_value_with_ntuple_weights_is_that_of_the_textbook_search(size, weights, random_position):
    network = NTupleNetwork.load(weights[size])
    for key in range(12):
        depth = 1 + key % 4
        state = random_position(key, 2 + (5 * key) % (size**2 - 7), size)
        analysis = Engine(depth=depth, exact=0, eval=f"ntuple:weights={weights[size]}").analyse(state)
        value = alphabeta(
            state, depth + state.must_pass, lambda position, player: looked_up(network, position, player)
        ).value
        if math.isinf(value):
            assert (analysis.unit, np.sign(analysis.score)) == ("discs", np.sign(value))
        else:
            assert analysis.unit == "expected result"
            assert analysis.score == pytest.approx(math.tanh(value / LOGIT), abs=2 / LOGIT), state


# The numbers of nodes of the deterministic search. They may change only if the engine is meant to behave differently.
SIGNATURE = {"weighted": 189_426, "mobility": 150_414}


@pytest.mark.parametrize("name", SIGNATURE)
def test_signature(name, random_position):
    engine = Engine(depth=7, eval=name)
    nodes = sum(engine.analyse(random_position(key, 50 - 8 * key)).nodes for key in range(5))
    assert nodes == SIGNATURE[name]


def test_what_was_searched_before_does_not_matter(random_position):
    state, engine = random_position(3, 40), Engine(depth=6, eval="modified")
    first = engine.analyse(state)
    for key in range(5):
        engine.act(random_position(key, 30))
    again = engine.analyse(state)
    assert (first.best, first.score, first.nodes, first.pv) == (again.best, again.score, again.nodes, again.pv)


@pytest.mark.parametrize("options", [{"depth": 3}, {"nodes": 500}])
def test_a_batch_is_a_loop(options, random_position):
    states = [random_position(key, 30 + key % 3) for key in range(20)] + [random_position(key, 5) for key in range(20)]
    engine = Engine(eval="weighted", **options)
    expected = [Engine(eval="weighted", **options).act(state) for state in states]
    assert engine.act_batch(OthelloPositions.from_states(states)).tolist() == expected
    assert engine.answers_batches
    assert not Engine(ms=1, eval="weighted").answers_batches  # its answers depend on earlier searches


def test_what_is_remembered_of_one_size_is_not_used_on_another():
    # With a time limit, the engine keeps its table between moves. The start has the same bits on boards of all sizes.
    # The engine must not use a score that it stored for another size.
    engine = Engine(ms=60_000, depth=6, exact=0, eval="count")
    for size in (8, 4, 6, 8):
        expected = AlphaBeta(6, "count").search(Othello(size)).value
        assert as_textbook(engine.analyse(Othello(size))) == expected


def test_no_textbook_evaluation_is_taken_for_ntuple_tables():
    assert {"count", "mobility", "modified", "weighted"} <= textbook_sums().keys()
    assert NTUPLE not in {squares.term for squares in textbook_sums().values()}


def test_every_size_has_a_default_evaluation():
    engine = Engine(depth=2)
    for size in (4, 6, 8):
        assert engine.act(Othello(size)) in Othello(size).legal_actions()


def test_exact_scores_of_every_move(ffo):
    endgame = ffo[1]
    analysis = Engine(exact=14, eval="weighted").analyse(endgame.state, scores=True)
    assert (analysis.scores, analysis.score, analysis.exact) == (endgame.moves, endgame.score, True)
    assert Engine(exact=14, eval="weighted").action_values(endgame.state) == endgame.moves


def test_scores_by_move_agree_with_the_best(random_position):
    for key in range(5):
        analysis = Engine(depth=4, exact=0, eval="weighted").analyse(random_position(key, 35), scores=True)
        assert max(analysis.scores.values()) == analysis.score == analysis.scores[analysis.best]
        assert tuple(analysis.scores) == analysis.state.legal_actions()


def test_the_principal_variation_can_be_played(random_position):
    for key in range(20):
        analysis = Engine(depth=5, eval="mobility").analyse(random_position(key, 45 - 2 * key))
        state = analysis.state
        for action in analysis.pv:
            state = state.play(action)
        assert analysis.pv[0] == analysis.best
        assert analysis.exact == (45 - 2 * key <= 12)
        if analysis.exact:
            assert state.margins()[analysis.state.to_move] == analysis.score


def test_a_forced_pass(random_position):
    state = next(s for s in (random_position(key, 8, 6) for key in range(200)) if s.must_pass)
    engine = Engine(eval="count")
    assert engine.act(state) == state.pass_action
    analysis, after = engine.analyse(state), engine.analyse(state.play(state.pass_action))
    assert (analysis.best, analysis.pv[0], analysis.score) == (state.pass_action, state.pass_action, -after.score)
    assert engine.solve(state).score == -after.score
    assert engine.action_values(state) == {state.pass_action: -after.score}


def test_an_analysis_reads_well():
    text = str(Engine(depth=2, eval="weighted").analyse(Othello.from_moves("f5d6c3")))
    assert " points (depth 2): " in text
    assert "(exact): " in str(Engine(eval="weighted").solve(Othello(4)))


def test_a_drawn_position_before_a_pass_has_no_negative_zero():
    passing = Othello.from_moves("d3c3e6d2d1e1b2c1")
    assert passing.must_pass
    found = Engine(depth=1, eval="weighted").analyse(passing.play(passing.pass_action), scores=True)
    before = replace(found, score=0.0, unit="discs").before_pass(passing)
    assert "-0" not in str(before)
    assert [math.copysign(1, score) for score in (before.score, *before.scores.values())] == [1, 1]
