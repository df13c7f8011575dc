"""The command train."""

import sys

import numpy as np
import pytest
from events import read_events

from othello_agents.ntuple import NTupleNetwork, Trainer
from othello_env.cli import main
from othello_env.cli import train as training


def run(*arguments):
    with pytest.raises(SystemExit) as stop:
        main(["train", *(str(argument) for argument in arguments)])
    return stop.value.code or 0


def test_resumed_training_equals_an_uninterrupted_one(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["othello-env", "train", "--games", "150"])
    whole, part = tmp_path / "whole.npz", tmp_path / "part.npz"
    options = ["--size", 4, "--seed", 5]
    assert run("--games", 150, "--out", whole, *options) == 0
    assert run("--games", 64, "--out", part, *options) == 0
    assert run("--games", 86, "--out", part, "--resume") == 0
    expected, got = NTupleNetwork.load(whole), NTupleNetwork.load(part)
    assert expected.training["games"] == expected.training["scores"]["games"] == 150
    assert 0 <= expected.training["scores"][training.YARDSTICK] <= 1
    assert expected.training["command"] == "othello-env train --games 150"
    assert np.array_equal(got.weights, expected.weights)
    assert np.array_equal(got.errors, expected.errors)
    assert got.training | {"seconds": 0} == expected.training | {"seconds": 0}


def test_tensorboard_has_the_scores(tmp_path):
    pytest.importorskip("torch.utils.tensorboard", reason="TensorBoard needs the extra torch")
    options = ["--games", 20, "--size", 4, "--tensorboard", tmp_path / "events"]
    assert run(*options, "--out", tmp_path / "a.npz") == 0
    (points,) = read_events(tmp_path / "events").values()
    assert [games for games, _ in points] == [0, 20]
    assert points[-1][1] == pytest.approx(NTupleNetwork.load(tmp_path / "a.npz").training["scores"][training.YARDSTICK])


def test_without_tensorboard_an_error_names_the_extra(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    assert run("--games", 20, "--tensorboard", tmp_path / "events", "--out", tmp_path / "a.npz") == 2
    assert "pip install 'othello-env[torch]'" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_resuming_with_another_seed_is_an_error_and_changes_nothing(tmp_path, capsys):
    file = tmp_path / "a.npz"
    assert run("--games", 10, "--size", 4, "--seed", 5, "--out", file) == 0
    before = file.read_bytes()
    assert run("--games", 10, "--seed", 6, "--resume", "--out", file) == 2
    assert "trained with 5, not 6" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_only_one_process_trains_a_file(tmp_path, monkeypatch, capsys):
    file, play, codes = tmp_path / "a.npz", Trainer.run, []

    def play_beside_another_command(trainer, **limits):
        codes.append(run("--games", 10, "--resume", "--out", file))
        return play(trainer, **limits)

    monkeypatch.setattr(Trainer, "run", play_beside_another_command)
    assert run("--games", 10, "--size", 4, "--out", file) == 0
    assert codes == [2]
    assert f"another process trains {file}" in capsys.readouterr().err
    assert NTupleNetwork.load(file).training["games"] == 10
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


@pytest.mark.parametrize(
    ("array", "value", "message"),
    [
        ("weights", 3e38, "expected weights from -1000 to 1000, got one of 3e+38"),
        ("errors", -1.0, "expected errors whose sums are at most the sums of their absolute values"),
    ],
)
def test_numbers_that_no_training_gives_are_not_trained_on(tmp_path, capsys, array, value, message):
    file = tmp_path / "a.npz"
    network = Trainer(4, seed=1).network
    getattr(network, array)[0, 5] = value
    network.save(file)
    before = file.read_bytes()
    assert run("--games", 10, "--resume", "--out", file) == 2
    error = capsys.readouterr().err
    assert message in error
    assert str(file) in error
    assert file.read_bytes() == before


@pytest.mark.parametrize("interrupted_score", [1, 2])
def test_an_interrupt_while_the_learner_is_measured_keeps_what_was_learned(monkeypatch, interrupted_score):
    scores = iter(range(1, 10))

    def score(_):
        if next(scores) == interrupted_score:
            raise KeyboardInterrupt
        return 0.5

    monkeypatch.setattr(training, "_score", score)
    trainer, kept = Trainer(4, seed=1), []
    curve, interrupted = training.train(
        trainer, seconds=None, games=200, keep=lambda: kept.append(trainer.games), every=1e9
    )
    assert interrupted
    assert kept[-1] == trainer.games == (0 if interrupted_score == 1 else 200)
    assert len(curve) == interrupted_score - 1


def test_an_interrupt_of_the_training_keeps_what_was_learned_and_measures_it(monkeypatch):
    run = Trainer.run

    def interrupted_run(trainer, **_):
        run(trainer, games=16)
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "run", interrupted_run)
    monkeypatch.setattr(training, "_score", lambda trainer: trainer.games / 100)
    shown = []
    monkeypatch.setattr(training.options, "show", lambda *parts: shown.append(parts))
    trainer, kept = Trainer(4, seed=1), []
    curve, interrupted = training.train(
        trainer, seconds=60, games=None, keep=lambda: kept.append(trainer.games), every=1e9
    )
    assert interrupted
    assert kept[0] == 0
    assert kept[-1] == 16
    assert [score for _, score in curve] == [0, 0.16]
    assert shown[0][:3] == ("00:00", "0 games", "score .000 at 0 games")
