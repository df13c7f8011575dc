"""The recipe scripts/train/ntuple.py."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from events import read_events

pytest.importorskip("tyro", reason="the recipe reads its options with tyro")

from othello_agents.ntuple import NTupleAgent, NTupleNetwork
from othello_env.arena import measure_positions

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[3] / "scripts" / "train" / "ntuple.py"


@pytest.fixture
def variables():
    """What the recipe defines and imports. A changed entry changes the recipe."""
    return runpy.run_path(str(SCRIPT))["main"].__globals__


def train(variables, out, options):
    variables["main"](["--out", str(out), *options.split()])


def result(out):
    """The network, and the curve without its times."""
    curve = json.loads(out.with_suffix(".json").read_text())["curve"]
    return NTupleNetwork.load(out), [{k: v for k, v in point.items() if k != "seconds"} for point in curve]


def test_an_interrupted_training_that_is_resumed_ends_as_if_never_stopped(variables, tmp_path, monkeypatch, capsys):
    begin, common = "--size 4 --seed 5", "--games 200 --first 50 --matches 2"
    whole, part = tmp_path / "whole.npz", tmp_path / "part.npz"
    train(variables, whole, f"{begin} {common} --half --picture {tmp_path / 'whole.png'}")
    network, curve = result(whole)
    assert [point["games"] for point in curve] == [50, 100, 200]
    regret = measure_positions(NTupleAgent(network), game="othello:size=4")
    assert (curve[-1]["perfect moves"], curve[-1]["discs lost"]) == (round(regret.rate, 4), round(regret.loss, 3))
    assert (tmp_path / "whole.png").read_bytes().startswith(b"\x89PNG")
    assert network.errors is None  # --half

    measure = variables["measure"]

    def stopped_measure(trainer, games):
        if trainer.games > 50:
            raise KeyboardInterrupt
        return measure(trainer, games)

    with monkeypatch.context() as patch:
        patch.setitem(variables, "measure", stopped_measure)
        with pytest.raises(SystemExit) as stop:
            train(variables, part, f"{begin} {common}")
    assert stop.value.code == 130
    assert result(part)[0].training["games"] == 100
    assert result(part)[1] == curve[:1]

    train(variables, part, f"{common} --resume --half")
    resumed, points = result(part)
    np.testing.assert_array_equal(resumed.weights, network.weights)
    assert points == curve
    capsys.readouterr()
    train(variables, part, "--games 100 --first 50 --matches 2 --resume")
    assert capsys.readouterr().out.startswith("nothing left to do after 200 games")
    np.testing.assert_array_equal(result(part)[0].weights, network.weights)
    with pytest.raises(SystemExit, match="was saved in half precision or was fitted"):
        train(variables, part, "--games 300 --resume")


def test_mistakes_are_told_and_nothing_is_overwritten(variables, tmp_path):
    out = tmp_path / "a.npz"
    train(variables, out, "--size 4 --seed 3 --games 20 --matches 2")
    before = out.read_bytes()
    for file, options, message in (
        (out, "--games 8", r"a\.npz exists; --resume continues its run"),
        (tmp_path / "b.npz", "", "give --games or --seconds"),
        (tmp_path / "b.npz", "--games 8 --matches 3", "--matches even"),
        (tmp_path / "b.npz", "--games 8 --resume", r"b\.npz"),
        (tmp_path / "b.json", "--games 8", r"--out must end in \.npz"),
        (out, "--games 40 --resume --seed 4", "--seed was 3, not 4"),
        (out, "--games 40 --resume --size 6", "--size was 4, not 6"),
    ):
        with pytest.raises(SystemExit, match=message):
            train(variables, file, options)
    out.with_suffix(".json").write_text("[]")
    with pytest.raises(SystemExit, match=r"ntuple\.py: "):
        train(variables, out, "--games 40 --resume")
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["a.json", "a.npz"]


def test_tensorboard_has_the_curve(variables, tmp_path):
    pytest.importorskip("torch.utils.tensorboard", reason="TensorBoard needs the extra torch")
    train(variables, tmp_path / "a.npz", "--size 4 --seed 3 --games 20 --first 8 --matches 2")
    curve = json.loads((tmp_path / "a.json").read_text())["curve"]
    points = [(point["games"], pytest.approx(point["perfect moves"])) for point in curve]
    assert read_events(tmp_path / "a")["perfect moves"] == points
