"""What the page shows of an agent's thoughts: values, exact scores and reviews."""

import math
import shutil
from pathlib import Path

import pytest

import othello_agents
from othello_env import Othello, make_agent
from othello_env.agent import Agent, AgentError
from othello_env.data import review_game, summarise
from othello_env.games.registry import position_to_text
from othello_env.games.tribolo.position import Tribolo
from othello_env.page.answers import answer
from othello_env.page.assessment import Assessment, assess, exact
from othello_env.page.messages import PageGame, Position

WEIGHTS = Path(othello_agents.__file__).parent / "weights"


@pytest.mark.parametrize("spec", ["ntuple", "engine:depth=2", "alphabeta:depth=2"])
def test_values_are_the_agents_own(spec):
    state = Othello.from_moves("f5d6c3")
    agent = make_agent(spec)
    told = answer({"spec": spec, "task": "actions", "record": PageGame("othello", moves=state.moves).to_json()}, {})
    assert [int(action) for action in told["actions"]] == list(state.legal_actions())
    if spec.startswith("engine"):
        lines = agent.analyse(state, lines=64).lines
        assert told["actions"] == {str(line.pv[0]): line.discs for line in lines}
    else:
        assert told["actions"] == {str(action): value for action, value in agent.action_values(state).items()}
    best = max(told["actions"], key=told["actions"].get)
    assert int(best) == agent.act(state)
    assert told["values"] == [-told["actions"][best], told["actions"][best]]  # white is to move
    request = {"spec": spec, "task": "value", "record": PageGame("othello", moves=state.moves).to_json()}
    assert answer(request, {})["values"] == told["values"]


@pytest.mark.parametrize(
    ("spec", "unit", "bound"),
    [
        ("ntuple", "mean of result and margin", 1.0),
        ("engine:depth=2", "expected discs", 64.0),
        ("engine:depth=2,eval=weighted", "points of the weights", None),
        ("alphabeta:depth=2,eval=count", "pieces ahead", None),
    ],
)
def test_each_agent_names_its_unit(spec, unit, bound):
    found = assess(make_agent(spec), Othello.from_moves("f5d6c3"), actions=True)
    assert (found.unit, found.bound) == (unit, bound)


def test_perfect_play_gives_scores_only_where_they_take_seconds():
    agent, state = make_agent("perfect"), Othello(6)
    best = state.play(agent.act(state))
    worse = best.play(min(best.legal_actions(), key=lambda action: agent.action_values(best)[action]))
    known, unknown = assess(agent, best, actions=True), assess(agent, worse, actions=True)
    assert (known.unit, known.values, known.bound) == ("discs, by perfect play", (-4.0, 4.0), 36.0)
    assert known.actions == agent.action_values(best)
    assert (unknown.values, unknown.actions) == (None, {})


def test_a_sure_win_is_sent_as_text():
    state = Othello.from_text("XO--" + "----" * 3)
    found = assess(make_agent("alphabeta:depth=2"), state, actions=True)
    assert found.actions == {2: math.inf}
    assert found.to_json()["actions"] == {"2": "inf"}


def test_probabilities():
    class Chooser(Agent):
        def act(self, state, *, seconds_left=None):
            return state.legal_actions()[0]

        def action_probabilities(self, state):
            return dict.fromkeys(range(state.num_actions), 0.25)

    found = assess(Chooser(), Othello(), actions=True)
    assert found.kind == "probabilities"
    assert found.actions == dict.fromkeys(Othello().legal_actions(), 0.25)


def test_a_tree_search_gives_the_share_of_its_visits_to_each_action():
    state, agent = Othello.from_moves("f5"), make_agent("mcts:simulations=64", seed=1)
    agent.new_game(5)
    found = assess(agent, state, actions=True)
    agent.new_game(5)
    searched = agent.search(state)
    assert (found.kind, found.unit, found.bound) == ("probabilities", "win minus loss", 1.0)
    assert sum(found.actions.values()) == pytest.approx(1)
    assert found.visits == searched.visits
    assert max(found.actions, key=found.actions.get) == max(searched.visits, key=searched.visits.get)
    assert found.values == (-searched.value, searched.value)  # white is to move


def test_exact_scores_are_those_of_playing_on():
    state = Othello(4)
    while state.owners().count(None) > 8:
        state = state.play(state.legal_actions()[0])

    def best(position):
        if position.is_over:
            return position.margins()[0]
        values = [best(position.play(action)) for action in position.legal_actions()]
        return max(values) if position.to_move == 0 else min(values)

    found = exact(make_agent("engine"), state)
    sign = 1 if state.to_move == 0 else -1
    assert (found.unit, found.bound) == ("discs, exact", 16.0)
    assert found.actions == {action: sign * best(state.play(action)) for action in state.legal_actions()}
    assert found.values == (best(state), -best(state))


@pytest.mark.parametrize("spec", ["maxn:depth=2", "tribolo"])
def test_three_players_have_a_value_each(spec):
    state, agent = Tribolo(seed=3), make_agent(spec)
    found = assess(agent, state, actions=True)
    assert found.values == tuple(agent.evaluate(state, player) for player in range(3))
    assert found.values[state.to_move] == max(agent.action_values(state).values())
    assert tuple(found.actions) == state.legal_actions()
    assert max(found.actions, key=found.actions.get) == agent.act(state)
    assert assess(agent, state, actions=False).actions == {}


def test_positions_that_are_not_solved():
    with pytest.raises(AgentError, match="at most 14 empty"):
        exact(make_agent("engine"), Othello())
    with pytest.raises(AgentError, match="does not solve"):
        exact(make_agent("random"), Othello(4))
    with pytest.raises(AgentError, match="cannot assess this position"):
        assess(make_agent("ntuple"), Tribolo(seed=1), actions=True)


def test_a_search_says_how_it_found_its_numbers():
    state = Othello.from_moves("f5d6c3d3c4")
    engine = make_agent("engine:depth=3")
    analysis, found = engine.analyse(state), assess(engine, state, actions=True)
    assert (found.unit, found.values) == ("expected discs", (-analysis.discs, analysis.discs))
    assert (found.depth, found.nodes) == (3, analysis.nodes)
    assert found.line == tuple(map(state.action_to_text, analysis.pv))
    best = found.moves[analysis.pv[0]]
    assert (best.line, best.depth, best.nodes, best.discs) == (found.line, 3, analysis.nodes, analysis.discs)
    searched = make_agent("alphabeta:depth=3")
    found = assess(searched, state, actions=True)
    assert (found.depth, found.nodes, found.bound) == (3, searched.search(state).nodes, None)
    found = assess(make_agent("ntuple"), state, actions=True)
    assert (found.bound, found.nodes, found.depth, found.line) == (1.0, None, None, ())


@pytest.mark.parametrize("evaluation", ["ntuple", "mobility"])
def test_all_values_of_an_engine_have_the_same_unit(evaluation):
    """In this position, some moves certainly lose."""
    engine, state = make_agent(f"engine:depth=4,eval={evaluation}"), Othello.from_moves("e6f4e3f6g5d6e7f5")
    found, lines = assess(engine, state, actions=True), engine.analyse(state, lines=64).lines
    best = lines[0]
    for line in lines:
        value = found.actions[line.pv[0]]
        if line.unit == "discs" != best.unit:
            assert value == math.copysign(math.inf, line.score)
        else:
            assert value == (line.score if line.discs is None else line.discs)
        assert value <= found.values[state.to_move] == found.actions[best.pv[0]]


def test_a_certain_end_is_no_mean_of_result_and_margin():
    state = Othello.from_moves("f5d6c5f4e3f6g5e6")  # e7 takes the last white disc
    found = assess(make_agent("ntuple"), state, actions=True)
    assert found.unit == "mean of result and margin"
    told = found.to_json()
    actions = {state.action_to_text(int(action)): value for action, value in told["actions"].items()}
    assert [name for name, value in actions.items() if value == "inf"] == ["e7"]
    assert told["values"] == ["inf", "-inf"]
    before = assess(make_agent("ntuple"), Othello(), actions=True)
    assert before.to_json()["values"] == list(before.values)
    shares = Assessment("probabilities", "mean of result and margin", (-1.0, 1.0), {0: 1.0})
    assert shares.to_json()["actions"] == {"0": 1.0}
    assert shares.to_json()["values"] == ["-inf", "inf"]


def test_a_review_is_that_of_python_and_leaves_out_the_opening():
    final = Othello.from_moves("f5d6c3d3c4f4f6")
    record = PageGame("othello", moves=final.moves).to_json()
    told = answer({"spec": "engine:depth=3", "task": "review", "record": record}, {})
    moves = [*review_game(final, "engine:depth=3")]
    assert told["moves"] == [move.to_json() for move in moves]
    assert told["sides"] == [summarise(move for move in moves if move.player == player).to_json() for player in (0, 1)]
    later = answer({"spec": "engine:depth=3", "task": "review", "record": record, "opening": 4}, {})
    assert later["moves"] == [move.to_json() for move in moves[4:]]
    assert [side["moves"] for side in later["sides"]] == [2, 1]


def test_a_review_of_a_game_from_a_position():
    start = Othello.from_text("-XXXOOOOOXXXOOO-", "X")
    moves = (start.legal_actions()[0],)
    record = PageGame("othello:size=4", position=Position(*position_to_text(start)), moves=moves).to_json()
    told = answer({"spec": "engine:depth=3", "task": "review", "record": record}, {})
    assert [(move["ply"], move["exact"]) for move in told["moves"]] == [(1, True)]


def test_an_agent_is_made_again_when_its_file_is_new(tmp_path):
    file, agents = tmp_path / "agent.npz", {}
    for name in ("ntuple_8x8", "ntuple_6x6"):
        shutil.copy(WEIGHTS / f"{name}.npz", file)
        told = answer({"spec": str(file), "task": "games", "version": name}, agents)
        again = answer({"spec": str(file), "task": "games", "version": name}, agents)
        assert told == again == {"games": ("othello",) if name == "ntuple_8x8" else ("othello:size=6",)}
    assert len(agents) == 1  # the agent from the old file is forgotten


@pytest.mark.parametrize(
    ("strategy", "unit"),
    [("score", "cells"), ("alliance", "cells"), ("mobility", "moves"), ("high-level", "cells or moves")],
)
def test_the_values_of_tribolo_have_one_unit(strategy, unit):
    state, agent = Tribolo(seed=3), make_agent(f"tribolo:strategy={strategy}")
    found = assess(agent, state, actions=True)
    assert (found.unit, found.values[state.to_move]) == (unit, max(found.actions.values()))
    assert assess(agent, state, actions=False).values == found.values


def test_an_agent_may_have_any_of_the_optional_methods():
    class Both(Agent):
        def act(self, state, *, seconds_left=None):
            return state.legal_actions()[0]

        def evaluate(self, state, player):
            return 0.5 if player == state.to_move else -0.5

        def search(self, state):
            return make_agent("mcts:simulations=16", seed=1).search(state)

    found = assess(Both(), Othello(), actions=True)
    assert found.kind == "probabilities"
    assert sum(found.visits.values()) == 16
    Both.action_probabilities = lambda _self, state: dict.fromkeys(state.legal_actions(), 0.25)
    found = assess(Both(), Othello(), actions=True)
    assert (found.values, found.kind, found.bound, found.nodes) == ((0.5, -0.5), "probabilities", 1.0, None)
