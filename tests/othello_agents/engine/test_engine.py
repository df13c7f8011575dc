"""The engine: its values compared with the textbook searches, its limits, and its reports on positions."""

import math
import os
import pickle
import re
import shutil
import signal
import threading
import time
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from othello_agents.engine import Engine, probcut
from othello_agents.engine import agent as engine_agent
from othello_agents.engine.evaluator import LOGIT, NTUPLE, textbook_sums
from othello_agents.engine.memory import LIMIT, NO_LIMIT, NODES, new_memory
from othello_agents.engine.running import run
from othello_agents.ntuple import NTupleNetwork, shipped_network
from othello_agents.ntuple import agent as ntuple_agent
from othello_agents.ntuple.patterns import layout
from othello_agents.search.alphabeta import AlphaBeta, alphabeta
from othello_agents.search.minimax import Minimax
from othello_env import Othello, WrongGameError, make_agent
from othello_env.agent import SpecError, ask
from othello_env.games.checkers.position import Checkers
from othello_env.games.othello.positions import OthelloPositions


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Files with random weights for each size."""
    folder = tmp_path_factory.mktemp("weights")
    files = {}
    for size in (4, 6, 8):
        rng = np.random.default_rng(size)
        values = rng.normal(0, 0.05, (3, layout(size).weights)).astype(np.float32)
        files[size] = folder / f"{size}.npz"
        NTupleNetwork(size, 3, values).save(files[size])
    return files


def as_textbook(analysis):
    """The engine's score in the form of a textbook search: infinite for a won or lost game."""
    return math.copysign(math.inf, analysis.score) if analysis.unit == "discs" and analysis.score else analysis.score


@pytest.mark.parametrize("size", [4, 6, 8])
@pytest.mark.parametrize("name", textbook_sums())
def test_its_value_is_that_of_the_textbook_searches(name, size, random_position):
    for key in range(40):
        depth = 1 + key % 6
        state = random_position(key, 1 + (7 * key) % (size**2 - 5), size)
        analysis = Engine(depth=depth, exact=0, eval=name).analyse(state)
        depth += state.must_pass  # the engine does not count a forced pass as a ply
        assert as_textbook(analysis) == AlphaBeta(depth, name).search(state).value, f"{state}\n{analysis}"
        if depth <= 3:
            assert as_textbook(analysis) == Minimax(depth, name).search(state).value
        # The chosen move has that value too.
        after = state.play(analysis.best)
        if depth > 1 and not after.is_over:
            assert -as_textbook(analysis) == AlphaBeta(depth - 1, name).search(after).value


def looked_up(network, state, player):
    """The n-tuple value in the engine's units, computed square by square. It also works for finished games."""
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
    assert not Engine(ms=1, eval="weighted").answers_batches  # it remembers a game's earlier searches


def test_a_limit_of_nodes_is_kept(random_position):
    for key, nodes in enumerate([1, 100, 3_000, 150_000]):
        analysis = Engine(nodes=nodes, eval="weighted", exact=20).analyse(random_position(key, 20))
        assert analysis.nodes < nodes + 100  # the search of the last four empty squares does not check the limit
        assert analysis.best in analysis.state.legal_actions()
    deep = Engine(nodes=20_000, eval="weighted").analyse(random_position(9, 45))
    assert 20_000 <= deep.nodes < 20_100
    assert deep.depth > 3


def test_time_ends_a_search_but_not_before_it_has_a_move():
    memory = new_memory(1)
    memory.control[LIMIT] = NO_LIMIT

    def search():
        while memory.control[NODES] < memory.control[LIMIT]:
            memory.control[NODES] += 1
        return "stopped"

    assert run(search, memory, seconds=0.01) == "stopped"
    state = Othello.from_moves("f5d6c3")
    analysis = Engine(ms=0.001, eval="weighted").analyse(state)
    assert analysis.best in state.legal_actions()
    assert analysis.depth >= 1
    assert Engine(depth=30, eval="weighted").act(state, seconds_left=0.1) in state.legal_actions()


@pytest.mark.parametrize(
    ("spec", "clock", "least", "most"),
    [
        ("engine", {"seconds_left": 60.0}, 2.5, 3.5),
        ("engine", {"move_seconds": 10.0}, 9.0, 9.9),
        ("engine", {"move_seconds": 0.1}, 0.05, 0.09),
        ("engine", {"move_seconds": 0.004}, 0.001, 0.003),
        ("engine", {"seconds_left": 60.0, "move_seconds": 10.0}, 2.5, 3.5),
        ("engine", {"seconds_left": 600.0, "move_seconds": 10.0}, 9.0, 9.9),
        ("engine:ms=500", {"move_seconds": 10.0}, 0.5, 0.5),
        ("engine", {"seconds_left": 0.0}, 0.0005, 0.002),
    ],
)
def test_its_share_of_a_clock(monkeypatch, spec, clock, least, most):
    given = []

    def note(search, memory, seconds=None, progress=None):
        given.append(seconds)
        return run(search, memory, 0.001)

    monkeypatch.setattr(engine_agent, "run", note)
    agent = make_agent(spec)
    agent.act(Othello())  # compiles the kernels

    def search(position, seconds, **options):
        given.append(seconds)
        return Engine._search(agent, position, seconds, **options)

    agent._search = search
    del given[:]
    agent.act(Othello(), **clock)
    whole, searched = given
    assert least <= whole <= most
    assert searched < whole, "what comes before the search counts, too"


def test_it_uses_a_limit_for_the_move():
    engine = Engine(eval="weighted")
    engine.act(Othello())  # compiles the kernels
    began = time.monotonic()
    engine.act(Othello(), move_seconds=1.0)
    assert time.monotonic() - began > 0.5


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """A copy of the folder with the package's weights. The engine reads them from this copy."""
    copy = tmp_path / "weights"
    shutil.copytree(Path(str(resources.files("othello_agents"))) / "weights", copy)
    for module in (ntuple_agent, probcut):
        monkeypatch.setattr(module.resources, "files", lambda _: tmp_path)
    caches = shipped_network, probcut.shipped_cuts
    for cache in caches:
        cache.cache_clear()
    yield copy
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize("name", ["ntuple_8x8.npz", "probcut_8x8.json"])
@pytest.mark.parametrize("damage", ["cut", "empty", "other"])
def test_weights_that_ship_and_are_damaged_are_an_error_that_names_the_file(packaged, name, damage):
    file = packaged / name
    data = file.read_bytes()
    file.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "other": b'{"fits": [[[1, 2]]]}'}[damage])
    for spec in ("engine", "engine:eval=ntuple"):
        with pytest.raises(ValueError, match=re.escape(repr(str(file)))) as caught:
            make_agent(spec).act(Othello())
        assert not isinstance(caught.value, WrongGameError)
    assert make_agent("engine:depth=1").act(Othello(6)) in Othello(6).legal_actions()


@pytest.mark.parametrize("name", ["ntuple_8x8.npz", "probcut_8x8.json"])
def test_weights_that_ship_and_are_gone_are_an_error_that_names_the_file(packaged, name):
    (packaged / name).unlink()
    with pytest.raises(FileNotFoundError, match=name):
        make_agent("engine").act(Othello())


def test_where_no_weights_ship_it_counts_mobility():
    start = Othello(4)
    mobility = Engine(depth=3, exact=0, eval="mobility").analyse(start)
    found = Engine(depth=3, exact=0).analyse(start)
    assert (found.best, found.score) == (mobility.best, mobility.score)
    with pytest.raises(WrongGameError, match="no n-tuple weights come with the package for size 4"):
        Engine(eval="ntuple").check_game(start)


def test_an_error_within_a_search_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        run(lambda: 1 // 0, new_memory(1))


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="the system cannot send itself Ctrl-C")
def test_an_interrupt_ends_a_search_and_the_engine_goes_on():
    engine = Engine(eval="weighted")
    engine.act(Othello())  # compiles the kernels
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.solve(Othello())  # would take years
    timer.join()
    assert not [thread for thread in threading.enumerate() if thread.name == "othello-engine" and thread.is_alive()]
    assert engine.act(Othello()) in Othello().legal_actions()


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


def test_bad_positions_are_refused():
    over = Othello.from_text("X" * 64)
    for call in (Engine().act, Engine().analyse, Engine().solve, Engine().action_values):
        with pytest.raises(ValueError, match="game is over"):
            call(over)
    with pytest.raises(ValueError, match="plays Othello, not Checkers"):
        Engine().act(Checkers())


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("engine:depth=0", "depth is 1 to 60, not 0"),
        ("engine:nodes=0", "nodes is 1 to"),
        ("engine:ms=0", "ms is a positive number"),
        ("engine:ms=inf", "ms is a finite number"),
        ("engine:exact=61", "exact is 0 to 60"),
        ("engine:hash=0", "hash is 1 to"),
        ("engine:eval=best", "no evaluation 'best'; it has ntuple"),
        ("engine:depth=1.5", "depth is int"),
        ("engine:plies=3", "no option plies"),
    ],
)
def test_bad_specs_are_refused(spec, message):
    with pytest.raises(SpecError, match=message):
        make_agent(spec)


def test_weights_that_do_not_fit_are_refused(weights, tmp_path):
    with pytest.raises(ValueError, match="for size 6, not 8"):
        Engine(eval=f"ntuple:weights={weights[6]}").act(Othello())
    with pytest.raises(FileNotFoundError):
        make_agent(f'engine:eval="ntuple:weights={tmp_path / "none.npz"}"')
    with pytest.raises(TypeError, match="depth is a whole number"):
        Engine(depth=2.5)


def test_specs_are_understood(weights):
    spec = f'engine:depth=3,exact=5,eval="ntuple:weights={weights[6]}"'
    engine = make_agent(spec)
    assert repr(engine) == spec
    assert ask(engine, Othello(6)) in Othello(6).legal_actions()
    assert repr(make_agent("engine:ms=100")) == "engine:ms=100"
    assert repr(make_agent("engine")) == repr(make_agent("engine:hash=16")) == "engine"
    assert repr(make_agent("engine:depth=3,hash=1")) == "engine:depth=3,hash=1"


def test_a_file_is_named_whatever_its_name(weights, tmp_path):
    odd = tmp_path / 'a "b", c.npz'
    odd.write_bytes(weights[6].read_bytes())
    engine = Engine(depth=2, eval=f"ntuple:weights={odd}")
    again = make_agent(repr(engine))
    assert again.__reduce__() == engine.__reduce__()
    assert again.act(Othello(6)) == engine.act(Othello(6))


def test_compilation_comes_before_the_time_for_the_move(monkeypatch):
    compiled = []

    def compile_slowly():
        time.sleep(0.5)
        compiled.append(True)

    monkeypatch.setattr("othello_agents.engine.agent._compile", compile_slowly)
    engine = Engine(ms=100, eval="weighted")
    assert engine.analyse(Othello()).seconds < 0.4
    Engine(depth=2).act(Othello())
    assert len(compiled) == 1
    engine.act(Othello())
    Engine(depth=2).act(Othello(), move_seconds=1.0)
    assert len(compiled) == 3


@pytest.mark.parametrize("ms", ["nan", "inf", "-inf", "-1", "0"])
def test_a_time_without_end_is_refused(ms):
    with pytest.raises(SpecError, match="ms is a"):
        make_agent(f"engine:ms={ms}")


def test_no_textbook_evaluation_is_taken_for_ntuple_tables():
    assert {"count", "mobility", "modified", "weighted"} <= textbook_sums().keys()
    assert NTUPLE not in {squares.term for squares in textbook_sums().values()}


def test_every_size_has_a_default_evaluation():
    engine = Engine(depth=2)
    for size in (4, 6, 8):
        assert engine.act(Othello(size)) in Othello(size).legal_actions()


def test_time_for_the_end_grows_with_the_time():
    affordable = [engine_agent._affordable(seconds) for seconds in (0.001, 0.01, 0.1, 1, 10)]
    assert affordable == sorted(affordable)
    assert affordable[0] == 12
    assert affordable[2] in range(14, 18)


def test_an_engine_travels_to_another_process():
    engine = pickle.loads(pickle.dumps(Engine(depth=3, eval="weighted")))
    assert repr(engine) == "engine:depth=3,eval=weighted"
    assert engine.act(Othello()) in Othello().legal_actions()


def test_what_is_remembered_of_one_size_is_not_used_on_another():
    # With a time limit the engine keeps its table between moves. The start has the same squares on boards of all sizes.
    engine = Engine(ms=60_000, depth=6, exact=0, eval="count")
    for size in (8, 4, 6, 8):
        expected = AlphaBeta(6, "count").search(Othello(size)).value
        assert as_textbook(engine.analyse(Othello(size))) == expected
