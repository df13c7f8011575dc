"""Threads that search together: the results that they find, and the events that end their search."""

import os
import signal
import threading
import time

import pytest

from othello_agents.engine import Engine
from othello_env import Othello


def have_all_ended():
    """Whether the threads of all teams end within a minute."""
    end = time.monotonic() + 60
    while any(thread.name.startswith("othello-engine") for thread in threading.enumerate()):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("threads", [2, 3])
def test_the_exact_score_is_that_of_one_thread(ffo, threads):
    engine = Engine(threads=threads)
    for endgame in [end for end in ffo if 20 <= end.number <= 24]:
        found = engine.solve(endgame.state)
        assert found.score == endgame.score
        assert found.best in endgame.best
        end = endgame.state
        for action in found.pv:
            end = end.play(action)
        assert end.is_over
        assert end.margins()[endgame.state.to_move] == endgame.score
        sign = engine.solve(endgame.state, result_only=True).score
        assert sign == (endgame.score > 0) - (endgame.score < 0)
    assert have_all_ended()


@pytest.mark.parametrize("evaluation", ["weighted", "mobility", "ntuple"])
def test_the_score_to_a_depth_is_that_of_one_thread(evaluation, random_position):
    options = {"depth": 8, "exact": 0, "eval": evaluation, "selective": False}
    one, many = Engine(**options), Engine(**options, threads=3)
    for key in range(6):
        state = random_position(key, 22 + 4 * key)
        assert many.analyse(state).score == one.analyse(state).score, state


def test_the_limit_of_nodes_holds_for_all_threads_together(random_position):
    for nodes in (3_000, 200_000):
        found = Engine(nodes=nodes, threads=4, eval="weighted").analyse(random_position(9, 45))
        assert found.nodes < nodes + 1_000
        assert found.depth > 2


def test_time_ends_all_threads():
    state = Othello.from_moves("f5d6c3")
    assert Engine(ms=60, threads=3).act(state) in state.legal_actions()
    assert Engine(threads=2).act(state, move_seconds=0.1) in state.legal_actions()
    assert have_all_ended()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="there is no way to send the interrupt")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_all_threads_and_the_engine_goes_on(threads):
    engine = Engine(depth=40, threads=threads)
    engine.analyse(Othello(4))  # compiles
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.act(Othello())
    timer.join()
    assert have_all_ended()
    assert engine.analyse(Othello(4)).exact


@pytest.mark.parametrize("threads", [1, 2])
def test_stop_ends_the_search_and_the_best_move_so_far_is_played(threads):
    engine = Engine(ms=600_000, threads=threads)
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
