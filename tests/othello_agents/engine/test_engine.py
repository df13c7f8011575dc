"""The engine: its values compared with the searches, its lines of play, its options and its weights."""

import math

import numpy as np
import pytest

from othello_agents.engine import Engine
from othello_agents.engine.analysis import to_discs
from othello_agents.engine.evaluator import LOGIT, square_sums
from othello_agents.ntuple import NTupleNetwork
from othello_agents.search.alphabeta import AlphaBeta, alphabeta
from othello_agents.search.minimax import Minimax
from othello_env import Othello, make_agent
from othello_env.agent import ask
from othello_env.games.othello.batch import OthelloPositions


def as_searched(analysis):
    """The engine's score as the searches give it: plus or minus infinity for a won or lost game."""
    return math.copysign(math.inf, analysis.score) if analysis.unit == "discs" and analysis.score else analysis.score


@pytest.mark.parametrize("size", [4, 6, 8])
@pytest.mark.parametrize("name", square_sums())
def test_its_value_is_that_of_the_searches(name, size, random_position):
    for key in range(40):
        depth = 1 + key % 6
        state = random_position(key, 1 + (7 * key) % (size**2 - 5), size)
        analysis = Engine(depth=depth, exact=0, eval=name).analyse(state)
        depth += state.must_pass  # those searches count a forced pass as a ply, the engine does not
        assert as_searched(analysis) == AlphaBeta(depth, name).search(state).value, f"{state}\n{analysis}"
        if depth <= 3:
            assert as_searched(analysis) == Minimax(depth, name).search(state).value
        # The position after the chosen move has the same value with the opposite sign.
        after = state.play(analysis.best)
        if depth > 1 and not after.is_over:
            assert -as_searched(analysis) == AlphaBeta(depth - 1, name).search(after).value


def looked_up(network, state, player):
    """The n-tuple value in the engine's units, computed square by square, also for finished games."""
    places = network.layout
    # The tables show positions from the view of the player who has just moved.
    signs = [(state.opponent >> square & 1) - (state.own >> square & 1) for square in range(64)]
    configurations = np.array(signs) @ places.deltas.astype(np.int64)[:, : places.looked_up]
    stage = max(0, (sum(state.discs()) - 5) * network.stages // (state.size**2 - 4))
    logit = network.weights[stage][places.offsets[: places.looked_up] + configurations].astype(np.float64).sum()
    return -logit * LOGIT if player == state.to_move else logit * LOGIT


@pytest.mark.parametrize("size", [6, 8])
def test_its_value_with_ntuple_weights_is_that_of_the_search(size, weights, random_position):
    network = NTupleNetwork.load(weights[size])
    for key in range(12):
        depth = 1 + key % 4
        state = random_position(key, 2 + (5 * key) % (size**2 - 7), size)
        analysis = Engine(depth=depth, exact=0, eval=str(weights[size])).analyse(state)
        value = alphabeta(
            state, depth + state.must_pass, lambda position, player: looked_up(network, position, player)
        ).value
        if math.isinf(value):
            assert (analysis.unit, np.sign(analysis.score)) == ("discs", np.sign(value))
        else:
            assert analysis.unit == "mean of result and margin"
            assert analysis.score == pytest.approx(math.tanh(value / LOGIT), abs=2 / LOGIT), state


# The numbers of nodes of the deterministic search. They may change only if the engine is meant to behave differently.
SIGNATURE = {"weighted": 155_972, "mobility": 88_108}


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
    assert engine.answers_batches(states[0])
    assert not Engine(ms=1, eval="weighted").answers_batches(states[0])  # its answers depend on earlier searches


def test_what_is_remembered_of_one_size_is_not_used_on_another():
    # With a time limit, the engine keeps its table between moves. The start has the same bits on boards of all sizes.
    # The engine must not use a score that it stored for another size.
    engine = Engine(ms=60_000, depth=6, exact=0, eval="count")
    for size in (8, 4, 6, 8):
        expected = AlphaBeta(6, "count").search(Othello(size)).value
        assert as_searched(engine.analyse(Othello(size))) == expected


def test_a_forced_pass(random_position):
    state = next(s for s in (random_position(key, 8, 6) for key in range(200)) if s.must_pass)
    engine = Engine(eval="count")
    assert engine.act(state) == state.pass_action
    analysis, after = engine.analyse(state), engine.analyse(state.play(state.pass_action))
    assert (analysis.best, analysis.pv[0], analysis.score) == (state.pass_action, state.pass_action, -after.score)
    assert engine.solve(state).score == -after.score
    assert engine.action_values(state) == {state.pass_action: -after.score}


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


def test_discs_are_exact_or_estimated_from_the_expected_result():
    exact = Engine(exact=16).analyse(Othello(4))
    assert exact.discs == exact.score == -10
    estimate = Engine(depth=4).analyse(Othello.from_moves("f5f6"))
    assert estimate.unit == "mean of result and margin"
    assert math.copysign(1, estimate.discs) == math.copysign(1, estimate.score)
    assert abs(estimate.score) < abs(estimate.discs) < 64
    for score, discs in ((1.0, 64.0), (-1.0, -64.0), (1 - 1e-12, 64.0), (0.0, 0.0)):
        for weights in ("engine", "ntuple"):
            assert to_discs(score, "mean of result and margin", Othello(), weights) == discs
    assert Engine(depth=2, eval="count").analyse(Othello()).discs is None
    assert Engine().solve(Othello(4), result_only=True).discs is None


@pytest.mark.parametrize(
    ("moves", "evaluation", "unit", "finished"),
    [
        ("f5d6c3f3e3f4d7", "ntuple", "mean of result and margin", -1.0),
        ("f5d6c3f3e3f4d7", "mobility", "points", -math.inf),
        ("e6f4e3f6g5d6e7f5", "ntuple", "discs", 64.0),
    ],
)
def test_all_scores_have_the_unit_of_the_best(moves, evaluation, unit, finished):
    """In each position, one move soon ends the game. The searches of the other moves end with estimates."""
    state, engine = Othello.from_moves(moves), Engine(depth=4, eval=evaluation)
    found = engine.analyse(state, scores=True, lines=64)
    assert found.unit == unit
    values = engine.action_values(state)
    assert values == (found.scores if unit == "points" else found.score_discs)
    for line in found.lines:
        if line.discs is not None and line.unit == found.unit:
            assert values[line.pv[0]] == line.discs, "in discs, if there are discs"
    assert max(found.scores.values()) == found.score == found.scores[found.best]
    for line in found.lines:
        score = found.scores[line.pv[0]]
        if line.unit == "discs":
            assert score == finished
        else:
            assert score == (line.discs if unit == "discs" else line.score)


def test_specs_are_understood(weights):
    spec = f"engine:depth=3,exact=5,eval={weights[6]}"
    engine = make_agent(spec)
    assert repr(engine) == spec
    assert ask(engine, Othello(6)) in Othello(6).legal_actions()
    assert repr(make_agent(f"{weights[6]}:depth=3,exact=5")) == spec
    assert repr(make_agent(f"{weights[6]}:exact=0")) == f"engine:exact=0,eval={weights[6]}"
    with pytest.raises(ValueError, match="for size 6, not 8"):
        engine.act(Othello())


def test_where_no_weights_ship_it_counts_mobility():
    start = Othello(4)
    mobility = Engine(depth=3, exact=0, eval="mobility").analyse(start)
    found = Engine(depth=3, exact=0).analyse(start)
    assert (found.best, found.score) == (mobility.best, mobility.score)
