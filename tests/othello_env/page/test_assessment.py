"""What the page shows of an agent's thoughts: values in discs where they can be, for the first player, and shares."""

import math
import shutil
from pathlib import Path

import pytest

import othello_agents
from othello_env import Othello, make_agent
from othello_env.agent import Agent, AgentError
from othello_env.games.tribolo.position import Tribolo
from othello_env.page.answers import Answers
from othello_env.page.assessment import assess
from othello_env.page.messages import PageGame

WEIGHTS = Path(othello_agents.__file__).parent / "weights"


def values_of(found):
    return {move.action: move.value for move in found.moves}


def facts_of(found):
    return {move.action for move in found.moves if move.exact}


@pytest.mark.parametrize("spec", ["engine:depth=2", "alphabeta:depth=2"])
def test_values_are_the_agents_own_for_black(spec):
    state = Othello.from_moves("f5d6c3")  # white is to move
    agent = make_agent(spec)
    told = Answers()({"spec": spec, "task": "assess", "record": PageGame("othello", moves=state.moves).to_json()})
    if spec.startswith("engine"):
        expected = {line.pv[0]: -line.discs for line in agent.analyse(state, lines=64).lines}
    else:
        expected = {action: -value for action, value in agent.action_values(state).items()}
    assert {move["action"]: move["value"] for move in told["moves"]} == expected
    best = told["moves"][0]
    assert best["action"] == agent.act(state)
    assert told["values"] == [best["value"], -best["value"]]
    assert not told["exact"]


@pytest.mark.parametrize(
    ("spec", "unit", "bound"),
    [
        ("ntuple", "discs", 64.0),
        ("engine:depth=2", "discs", 64.0),
        ("engine:depth=2,eval=weighted", "points of the weights", None),
        ("alphabeta:depth=2,eval=count", "pieces ahead", None),
    ],
)
def test_each_agent_has_one_unit_discs_where_they_can_be(spec, unit, bound):
    found = assess(make_agent(spec), Othello.from_moves("f5d6c3"))
    assert (found.unit, found.bound) == (unit, bound)


def test_the_values_of_n_tuples_are_the_discs_that_the_engine_would_tell():
    state = Othello.from_moves("f5d6c3d3")  # black is to move
    agent = make_agent("ntuple")
    found = assess(agent, state)
    one_ply = make_agent("engine:depth=1,eval=ntuple").analyse(state, lines=64)
    values, engine = agent.action_values(state), {line.pv[0]: line for line in one_ply.lines}
    for action, value in values_of(found).items():
        assert value == agent.expected_discs(state.play(action), values[action])
        assert value == pytest.approx(engine[action].discs, abs=1.5)  # the engine counts the empty squares before it


def test_a_move_that_ends_the_game_has_its_result():
    state = Othello.from_moves("f5d6c5f4e3f6g5e6")  # e7 takes the last white disc
    found = assess(make_agent("ntuple"), state)
    assert {state.action_to_text(action) for action, value in values_of(found).items() if value == 64} == {"e7"}
    assert found.values == (64.0, -64.0)
    assert {state.action_to_text(action) for action in facts_of(found)} == {"e7"}
    assert found.exact  # no move can be better than all discs
    before = Othello.from_moves(state.moves[:-1])  # white can still avoid this
    assert not assess(make_agent("ntuple"), before).exact


@pytest.mark.parametrize("spec", ["engine:depth=2", "perfect"])
def test_values_near_the_end_are_exact(spec):
    state = Othello(4)
    while state.owners().count(None) > 8:
        state = state.play(state.legal_actions()[0])

    def best(position):
        if position.is_over:
            return position.margins()[0]
        values = [best(position.play(action)) for action in position.legal_actions()]
        return max(values) if position.to_move == 0 else min(values)

    found = assess(make_agent(spec), state)
    assert (found.unit, found.exact, found.bound) == ("discs", True, 16.0)
    assert values_of(found) == {action: best(state.play(action)) for action in state.legal_actions()}
    assert found.values == (best(state), -best(state))
    assert facts_of(found) == {*state.legal_actions()}


def test_perfect_play_gives_scores_only_where_they_take_seconds():
    agent, state = make_agent("perfect"), Othello(6)
    best = state.play(agent.act(state))
    worse = best.play(min(best.legal_actions(), key=lambda action: agent.action_values(best)[action]))
    known, unknown = assess(agent, best), assess(agent, worse)
    assert (known.unit, known.exact, known.values, known.bound) == ("discs", True, (-4.0, 4.0), 36.0)
    assert values_of(known) == {action: -value for action, value in agent.action_values(best).items()}
    assert values_of(assess(make_agent("engine:depth=2"), best)) == values_of(known)
    assert (unknown.values, unknown.moves) == (None, ())


def test_a_sure_win_is_sent_as_text():
    state = Othello.from_text("XO--" + "----" * 3)
    found = assess(make_agent("alphabeta:depth=2"), state)
    assert values_of(found) == {2: math.inf}
    assert found.to_json()["moves"][0]["value"] == "inf"
    assert found.to_json()["values"] == ["inf", "-inf"]
    assert found.exact
    assert facts_of(found) == {2}


def test_a_tree_search_gives_the_share_of_its_visits_to_each_action():
    state, agent = Othello.from_moves("f5"), make_agent("mcts:simulations=64", seed=1)
    agent.new_game(5)
    found = assess(agent, state)
    agent.new_game(5)
    searched = agent.search(state)
    assert (found.unit, found.bound) == ("win minus loss", 1.0)
    assert {move.action: move.share for move in found.moves} == {a: n / 64 for a, n in searched.visits.items()}
    assert found.moves[0].action == max(searched.visits, key=searched.visits.get)
    assert found.values == (-searched.value, searched.value)  # white is to move


@pytest.mark.parametrize(
    ("spec", "unit"),
    [
        ("maxn:depth=2", "pieces ahead"),
        ("tribolo:strategy=score", "cells"),
        ("tribolo:strategy=alliance", "cells"),
        ("tribolo:strategy=mobility", "moves"),
        ("tribolo:strategy=high-level", "cells or moves"),
    ],
)
def test_three_players_have_a_value_each_in_one_unit(spec, unit):
    state, agent = Tribolo(seed=3), make_agent(spec)
    found = assess(agent, state)
    assert found.unit == unit
    assert found.values == tuple(agent.evaluate(state, player) for player in range(3))
    assert found.values[state.to_move] == max(agent.action_values(state).values()) == found.moves[0].value
    assert {*values_of(found)} == {*state.legal_actions()}
    assert found.moves[0].action == agent.act(state)


def test_positions_that_cannot_be_assessed():
    with pytest.raises(AgentError, match="gives no values"):
        assess(make_agent("random"), Othello())
    with pytest.raises(AgentError, match="cannot assess this position"):
        assess(make_agent("ntuple"), Tribolo(seed=1))


def test_a_search_says_how_it_found_its_numbers():
    state = Othello.from_moves("f5d6c3d3c4")
    engine = make_agent("engine:depth=3")
    analysis, found = engine.analyse(state, lines=64), assess(engine, state)
    assert found.values == (-analysis.discs, analysis.discs)
    assert (found.depth, found.nodes) == (3, analysis.nodes)
    assert found.moves[0].line == tuple(zip(analysis.pv, state.names_of(analysis.pv).split(), strict=True))


@pytest.mark.parametrize("evaluation", ["ntuple", "mobility"])
def test_all_values_of_an_engine_have_the_same_unit(evaluation):
    """In this position, one move certainly wins."""
    engine, state = make_agent(f"engine:depth=4,eval={evaluation}"), Othello.from_moves("e6f4e3f6g5d6e7f5")
    found, lines = assess(engine, state), engine.analyse(state, lines=64).lines
    best, values = lines[0], values_of(found)
    assert facts_of(found) == {line.pv[0] for line in lines if line.unit == "discs"} == {best.pv[0]}
    assert found.exact
    before = Othello.from_moves("e6f4e3f6g5d6e7")  # white can choose another move than this
    warned = assess(engine, before)
    assert (warned.exact, facts_of(warned)) == (False, {state.moves[-1]})
    for line in lines:
        value = values[line.pv[0]]
        if line.discs is None:
            assert value == line.score
        elif best.discs is None:
            assert value == math.copysign(math.inf, line.score)
        else:
            assert value == min(best.discs, line.discs)
        assert value <= found.values[0]  # black is to move


def test_the_error_of_an_agent_has_its_type_and_its_place(tmp_path):
    file = tmp_path / "boom.py"
    file.write_text("def policy(observations, masks):\n    raise KeyError('on purpose')\n")
    illegal = tmp_path / "illegal.py"
    illegal.write_text("import numpy as np\ndef policy(observations, masks):\n    return np.zeros(len(masks), int)\n")
    answers = Answers()
    record = PageGame("othello").to_json()
    told = answers({"spec": f"{file}:policy", "task": "move", "record": record})
    assert "on purpose" in told["error"]
    assert told["type"] == "KeyError"
    assert "boom.py" in told["where"]
    told = answers({"spec": f"{illegal}:policy", "task": "move", "record": record})
    assert "a1" in told["error"]
    assert len(told["error"].splitlines()) == 1  # the board is beside it
    illegal.write_text("from othello_env import IllegalActionError\ndef policy(*_):\n    raise IllegalActionError\n")
    told = Answers()({"spec": f"{illegal}:policy", "task": "move", "record": record})
    assert told["error"] == told["type"] == "IllegalActionError"


def test_an_agent_is_made_again_when_its_file_is_new(tmp_path):
    file, answers = tmp_path / "agent.npz", Answers()
    for name in ("ntuple_8x8", "ntuple_6x6"):
        shutil.copy(WEIGHTS / f"{name}.npz", file)
        told, again = (answers({"spec": str(file), "task": "about", "version": name}) for _ in range(2))
        games = ("othello",) if name == "ntuple_8x8" else ("othello:size=6",)
        assert told == again == {"games": games, "powers": ("action_values", "evaluate")}


def test_an_agent_may_have_any_of_the_optional_methods():
    class Mine(Agent):
        def act(self, state, *, seconds_left=None):
            return state.legal_actions()[0]

        def search(self, state):
            return make_agent("mcts:simulations=16", seed=1).search(state)

    Mine.evaluate = lambda _self, state, player: 0.5 if player == state.to_move else -0.5
    found = assess(Mine(), Othello())
    assert (found.values, found.bound) == ((0.5, -0.5), 1.0)
    assert sum(move.share for move in found.moves) == pytest.approx(1)
    Mine.action_probabilities = lambda _self, state: dict.fromkeys(range(state.num_actions), 0.25)
    for values in ((0.5, -0.5), None):
        found = assess(Mine(), Othello())
        assert found.values == values
        assert {move.action: move.share for move in found.moves} == dict.fromkeys(Othello().legal_actions(), 0.25)
        Mine.evaluate = None
