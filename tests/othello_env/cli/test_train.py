"""The command train."""

import sys
from functools import partial

import numpy as np
import pytest
from events import read_events

from othello_agents.ntuple import NTupleNetwork
from othello_agents.training import Trainer
from othello_env.cli import train as training


@pytest.fixture
def run(run):
    """Run the command train. Return its status, its output and its errors."""
    return partial(run, "train")


def test_resumed_training_equals_an_uninterrupted_one(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["othello-env", "train", "--games", "150"])
    whole, part = tmp_path / "whole.npz", tmp_path / "part.npz"
    options = ["--size", 4, "--seed", 5]
    assert run("--games", 150, "--out", whole, *options)[0] == 0
    assert run("--games", 64, "--out", part, *options)[0] == 0
    assert run("--games", 86, "--out", part, "--resume")[0] == 0
    expected, got = NTupleNetwork.load(whole), NTupleNetwork.load(part)
    assert expected.training["games"] == expected.training["scores"]["games"] == 150
    assert 0 <= expected.training["scores"][training.YARDSTICK] <= 1
    assert expected.training["command"] == "othello-env train --games 150"
    assert np.array_equal(got.weights, expected.weights)
    assert np.array_equal(got.errors, expected.errors)
    assert got.training | {"seconds": 0} == expected.training | {"seconds": 0}


def test_tensorboard_has_the_scores(run, tmp_path):
    pytest.importorskip("torch.utils.tensorboard", reason="TensorBoard needs the extra torch")
    options = ["--games", 20, "--size", 4, "--tensorboard", tmp_path / "events"]
    assert run(*options, "--out", tmp_path / "a.npz")[0] == 0
    (points,) = read_events(tmp_path / "events").values()
    assert [games for games, _ in points] == [0, 20]
    assert points[-1][1] == pytest.approx(NTupleNetwork.load(tmp_path / "a.npz").training["scores"][training.YARDSTICK])


def test_without_tensorboard_an_error_names_the_extra(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    status, _, err = run("--games", 20, "--tensorboard", tmp_path / "events", "--out", tmp_path / "a.npz")
    assert (status, "pip install 'othello-env[torch]'" in err) == (2, True)
    assert not [*tmp_path.iterdir()]


def test_a_network_learns_to_beat_the_opponent_that_is_given(run, tmp_path):
    options = ["--opponent", "random", "--out", tmp_path / "a.npz"]
    assert "1,024 games" in run("--games", 1024, "--size", 4, "--seed", 5, *options)[1]
    learned = NTupleNetwork.load(tmp_path / "a.npz").training
    assert (learned["games"], learned["opponent"]) == (1024, "random")
    assert learned["scores"]["random"] > 0.65
    assert run("--games", 1, "--resume", *options[2:])[0] == 0
    assert NTupleNetwork.load(tmp_path / "a.npz").training["games"] == 1152


def test_searched_games_are_measured_in_a_search(run, tmp_path):
    file = tmp_path / "a.npz"
    Trainer(4, seed=1, one_ply_games=0).network.save(file)
    out = run("--games", 5, "--depth", 2, "--resume", "--out", file)[1]
    learned = NTupleNetwork.load(file)
    assert (learned.wide, learned.training["depth"]) == (True, 2)
    assert [*learned.training["scores"]] == ["games", training.SEARCHED_YARDSTICK]
    assert f"against {training.SEARCHED_YARDSTICK}" in " ".join(out.split())


def test_only_one_process_trains_a_file(run, tmp_path, monkeypatch):
    file, play, others = tmp_path / "a.npz", Trainer.run, []

    def play_beside_another_command(trainer, **limits):
        others.append(run("--games", 10, "--resume", "--out", file))
        return play(trainer, **limits)

    monkeypatch.setattr(Trainer, "run", play_beside_another_command)
    assert run("--games", 10, "--size", 4, "--out", file)[0] == 0
    assert others == [(2, "", f"othello-env: another process trains {file}\n")]
    assert NTupleNetwork.load(file).training["games"] == 10
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


@pytest.mark.parametrize(
    ("array", "value", "options", "message"),
    [
        (None, 0, ["--seed", 6], "trained with 5, not 6"),
        (None, 0, ["--opponent", "ntuple"], "no weights of ntuple come with the package for size 4"),
        ("weights", 3e38, [], "expected weights from -1000 to 1000, got one of 3e+38"),
        ("errors", -1.0, [], "expected sums of errors, at most the sums of their absolute values"),
        ("errors", None, [], "its training cannot be resumed"),
    ],
)
def test_what_cannot_be_resumed_is_refused_and_stays_as_it_was(run, tmp_path, array, value, options, message):
    file = tmp_path / "a.npz"
    network = Trainer(4, seed=5).network
    if value is None:
        network.errors = None
    elif array is not None:
        getattr(network, array)[0, 5] = value
    network.save(file)
    before = file.read_bytes()
    status, _, err = run("--games", 10, "--resume", "--out", file, *options)
    assert (status, message in " ".join(err.split())) == (2, True)
    assert file.read_bytes() == before
