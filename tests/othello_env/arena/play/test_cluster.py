"""Tournaments and labels on a Ray cluster of two nodes. A test kills one node. ``nox -s cluster`` runs this file."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from othello_env.agent.clock import TimeControl
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.data import exact_labels, random_games
from othello_env.support.workers import WorkerError

pytest.importorskip("ray", reason="a cluster needs Ray, an optional extra")
pytestmark = pytest.mark.filterwarnings("default")  # Ray causes warnings that this package cannot avoid

import ray  # noqa: E402

ODD = Path(__file__).parents[1] / "odd_agents.py"
NAMES = ("alphabeta:depth=3,eval=weighted", "maximizer:eval=mobility", "random:epsilon=0.5")


def play(names=NAMES, games=20, **arguments):
    agents = names if isinstance(names, dict) else {name: name for name in names}
    return play_tournament(agents, Schedule(tuple(agents), games), **arguments)


def lines(path):
    return sorted(path.read_bytes().splitlines(keepends=True))


def test_a_node_is_killed_in_mid_tournament(connected, tmp_path):
    """The other node repeats the killed node's games. The sorted records equal those of one process, byte for byte."""
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    seen, nodes = [], []
    second = next(node for node in connected.list_all_nodes() if not node.head)

    def progress(record):
        seen.append(record)
        if len(seen) == 200:
            nodes.append({task["NodeID"] for task in ray.nodes() if task["Alive"]})
            threading.Thread(target=connected.remove_node, args=(second, False)).start()

    play(games=1000, file=there, ray=True, progress=progress)
    play(games=1000, file=here)
    assert lines(here) == lines(there)
    assert len(nodes[0]) == 2
    assert ray.is_initialized(), "a connection that existed before the tournament stays open"
    for _ in range(100):
        if len([node for node in ray.nodes() if node["Alive"]]) == 1:
            break
        time.sleep(0.1)
    else:
        pytest.fail("the removed node is still alive")
    connected.add_node(num_cpus=1)


def test_clocks_are_kept_where_the_agents_think(connected):
    odd = {"odd": f"{ODD}:Spinner", "killer": f"{ODD}:Killer", "polite": f"{ODD}:Polite"}
    result = play(odd, 2, clock=TimeControl(0.5, per_move=True), ray=True)
    assert not result.faults("polite")
    told = " ".join(result.faults("odd"))
    assert "lost on time (0.5s/move), was still thinking and was stopped" in told
    assert "its process ended (exit code 7)" in result.faults("killer")[0]
    for record in result.records:
        record.replay()
        assert len(record.seconds) == 2


def test_functions_that_no_module_defines_are_sent(connected):
    names = {"last": lambda observations, masks: masks.shape[1] - 1 - masks[:, ::-1].argmax(1), "random": "random"}
    assert play(names, 10, ray=True) == play(names, 10)
    lock = threading.Lock()
    with pytest.raises(TypeError, match="agent 'lock' cannot be sent to another process"):
        play({"lock": lambda observations, masks: lock, "random": "random"}, ray=True)


def test_labels_are_those_of_this_process(connected):
    games = random_games(100, seed=2)
    here, there = exact_labels(games, 6), exact_labels(games, 6, ray=True)
    assert len(here) > 500, "several jobs"
    for name, values in vars(here).items():
        np.testing.assert_array_equal(getattr(there, name), values)


def test_other_versions_are_refused(connected, monkeypatch):
    monkeypatch.setattr("othello_env.arena.play.elsewhere.versions", lambda: {"othello-env": "0.0.1"})
    with pytest.raises(WorkerError, match=r"node .* has the versions .* but this process has .*0\.0\.1"):
        play(ray=True)
