"""Tournaments and labels on a Ray cluster of two nodes. A test kills one node. ``nox -s cluster`` runs this file."""

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from othello_env.agent.clock import TimeControl
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.records import read_records
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


def test_what_a_node_lacks_is_an_error_and_no_loss(connected, tmp_path, monkeypatch):
    policy = tmp_path / "policy.py"
    policy.write_text("def first(observations, masks):\n    return masks.argmax(1)\n")
    spec = f"{policy}:first"

    def progress(_):
        policy.unlink(missing_ok=True)

    assert len(play((spec, "random"), 4, ray=True).records) == 4
    monkeypatch.chdir(tmp_path)
    assert len(play(("policy.py:first", "random"), 4, ray=True).records) == 4
    monkeypatch.setattr(
        "othello_env.arena.tournament.playing.make_agent", lambda agent, seed: policy.unlink(missing_ok=True)
    )
    with pytest.raises(WorkerError) as error:
        play((spec, "random"), 4, ray=True)
    assert "there is no file" in str(error.value)
    assert socket.gethostname() in str(error.value)


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


def test_the_command_and_its_interrupt(cluster, tmp_path):
    out = tmp_path / "games.jsonl"
    command = [sys.executable, "-c", "from othello_env.cli import main; main()", "tournament", *NAMES[:2], "--ray"]
    process = subprocess.Popen(
        [*command, "--games", "100000", "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (out.exists() and out.stat().st_size) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == "othello-env: interrupted"
    assert text.startswith(f"{len(read_records(out))} of 100000 games")
