"""The recipe scripts/train/ntuple.py."""

import importlib.util
import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from events import read_events

pytest.importorskip("tyro", reason="the recipe reads its options with tyro")

from othello_agents.ntuple import NTupleAgent, NTupleNetwork
from othello_agents.training import Trainer
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


def test_a_run_has_a_curve_and_its_weights_are_those_of_the_trainer_at_each_point(variables, tmp_path):
    out = tmp_path / "a.npz"
    train(variables, out, f"--size 4 --seed 5 --games 180 --first 50 --matches 2 --picture {tmp_path / 'a.png'}")
    network, curve = result(out)
    assert [point["games"] for point in curve] == [50, 100, 180]
    regret = measure_positions(NTupleAgent(network), game="othello:size=4")
    assert (curve[-1]["perfect moves"], curve[-1]["discs lost"]) == (round(regret.rate, 4), round(regret.loss, 3))
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    whole = Trainer(size=4, seed=5)
    whole.run(games=180)
    np.testing.assert_array_equal(network.weights, whole.network.weights)
    assert network.errors is not None  # the training can go on
    if importlib.util.find_spec("torch") and importlib.util.find_spec("tensorboard"):
        points = [(point["games"], pytest.approx(point["perfect moves"])) for point in curve]
        assert read_events(tmp_path / "a")["perfect moves"] == points
    train(variables, tmp_path / "half.npz", "--size 4 --seed 5 --games 60 --first 50 --matches 2 --half")
    assert result(tmp_path / "half.npz")[0].errors is None


def test_mistakes_are_told_and_nothing_is_overwritten(variables, tmp_path):
    (tmp_path / "a.npz").write_text("kept")
    for file, options, message in (
        ("a.npz", "--games 8", r"a\.npz exists; give another --out"),
        ("b.npz", "--games 8 --matches 3", "--matches even"),
        ("b.json", "--games 8", r"--out must end in \.npz"),
    ):
        with pytest.raises(SystemExit, match=message):
            train(variables, tmp_path / file, options)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.npz", "kept")]
