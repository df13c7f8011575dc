"""The limits of the engine's searches: nodes, time, clocks, Ctrl-C and `stop`."""

import math
import os
import random
import signal
import threading
import time

import numpy as np
import pytest

from othello_agents.engine import Engine, exact_scores
from othello_agents.engine.agent import share_of_clock
from othello_agents.engine.memory import LIMIT, NO_LIMIT, NODES, new_memory
from othello_agents.engine.searcher import Searcher, run
from othello_env import Othello, make_agent
from othello_env.agent import Clock, ask


def test_a_limit_of_nodes_is_kept(random_position):
    for key, nodes in enumerate([1, 100, 3_000, 150_000]):
        analysis = Engine(nodes=nodes, eval="weighted", exact=20).analyse(random_position(key, 20))
        assert analysis.nodes < nodes + 100  # the search of the last four empty squares does not check the limit
        assert analysis.best in analysis.state.legal_actions()
    deep = Engine(nodes=20_000, eval="weighted").analyse(random_position(9, 45))
    assert 20_000 <= deep.nodes < 20_100
    assert deep.depth > 3


@pytest.mark.parametrize("empties", [9, 11, 13])
def test_if_the_end_is_out_of_reach_the_result_is_of_a_search_of_several_plies(random_position, empties):
    for key in range(3):
        state = random_position(key, empties)
        found = Engine(nodes=1_500, eval="weighted", exact=13).analyse(state)
        assert found.exact or found.depth >= 3
        assert Engine(nodes=10_000_000, eval="weighted", exact=13).analyse(state).exact


def test_a_forced_move_takes_no_time():
    rng, state = random.Random(1), Othello()
    while state.must_pass or len(state.legal_actions()) > 1 or not 20 < state.empties < 40:
        state = Othello() if state.empties <= 20 or state.is_over else state.play(rng.choice(state.legal_actions()))
    engine = Engine(ms=300_000)
    assert engine.act(state) == state.legal_actions()[0]
    assert engine.last_analysis.depth == 1
    assert Engine(depth=4).analyse(state).depth == 4


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
    ("limits", "expected"),
    [
        ((None, 60.0, None), 3.0),
        ((None, None, 10.0), 9.48),
        ((None, None, 0.1), 0.075),
        ((None, None, 0.004), 0.002),
        ((None, 60.0, 10.0), 3.0),
        ((None, 600.0, 10.0), 9.48),
        ((0.5, None, 10.0), 0.5),
        ((None, 0.0, None), 0.001),
        ((None, None, None), None),
    ],
)
def test_its_share_of_a_clock(limits, expected):
    assert share_of_clock(*limits) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 10**30, math.inf])
def test_whatever_the_time_a_search_ends_at_its_depth(seconds):
    assert Othello().is_legal(ask(make_agent("engine:depth=1"), Othello(), Clock(seconds, seconds)))


def stopped(monkeypatch, name, **options):
    """An engine that is stopped just after each call of this method of its searcher."""
    engine, method = Engine(**options), getattr(Searcher, name)
    monkeypatch.setattr(Searcher, name, lambda *args, **more: (method(*args, **more), engine.stop())[0])
    return engine


def test_a_stop_in_the_first_search_also_ends_the_searches_for_lines_and_scores(monkeypatch):
    engine = stopped(monkeypatch, "deepen", depth=4, eval="weighted")
    state = Othello.from_moves("f5d6c3")
    found = engine.analyse(state, lines=4, scores=True)
    assert found.best in state.legal_actions()
    assert [line.pv for line in found.lines] == [found.pv]
    assert found.scores == {}


@pytest.mark.parametrize("result_only", [False, True])
def test_a_stopped_solver_reports_no_exact_score(monkeypatch, ffo, result_only):
    found = stopped(monkeypatch, "start", eval="weighted").solve(ffo[1].state, result_only=result_only)
    assert (found.exact, found.depth) == (False, 1)


@pytest.mark.parametrize(("depth", "exact", "result"), [(2, 12, 12), (4, 12, 14), (6, 12, 16), (8, 13, 17)])
def test_at_fixed_depth_the_endgame_begins_by_a_table(depth, exact, result, random_position):
    for key, empties in enumerate(range(exact - 1, result + 3)):
        state, engine = random_position(key, empties), Engine(depth=depth)
        move = engine.act(state)
        played, analysed = engine.last_analysis, engine.analyse(state)
        assert (played.exact, analysed.exact) == (empties <= result, empties <= exact)
        scores = exact_scores([state])[0]
        if empties <= exact:
            assert scores[move] == np.nanmax(scores) == played.score == analysed.score
        elif empties <= result:
            assert np.sign(scores[move]) == np.sign(np.nanmax(scores)) == np.sign(played.score)


def test_if_all_moves_lose_it_plays_the_move_of_the_search_before(random_position):
    found = 0
    for key in range(30):
        state = random_position(key, 15)
        engine = Engine(depth=6, eval="weighted")
        move = engine.act(state)
        if engine.last_analysis.unit == "wins" and engine.last_analysis.score == -1:
            found += 1
            assert move == Engine(depth=7, exact=0, eval="weighted").act(state)
    assert found > 3


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="there is no way to send the interrupt")
def test_an_interrupt_ends_the_search_and_the_engine_goes_on():
    engine = Engine(depth=40)
    engine.analyse(Othello(4))  # compiles
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.act(Othello())
    timer.join()
    for thread in threading.enumerate():
        if thread.name == "othello-engine":
            thread.join(60)
            assert not thread.is_alive()
    assert engine.analyse(Othello(4)).exact


def test_stop_ends_the_search_and_the_best_move_so_far_is_played():
    engine = Engine(ms=600_000)
    assert engine.last_analysis is None
    engine.stop()  # before the first search, this has no effect
    state, moves = Othello.from_moves("f5"), []
    thinking = threading.Thread(target=lambda: moves.append(engine.act(state)))
    thinking.start()
    end = time.monotonic() + 60
    while thinking.is_alive() and time.monotonic() < end:
        engine.stop()
        time.sleep(0.02)
    thinking.join(1)
    assert moves[0] in state.legal_actions()
    last = engine.last_analysis
    assert (last.state, last.best, last.pv) == (state, moves[0], (moves[0],))
