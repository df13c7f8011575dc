"""The recipe of a sequence model: it trains, measures, looks inside and plays."""

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="the recipe needs PyTorch, an optional extra")
pytest.importorskip("tyro", reason="the recipe reads its options with tyro")

from events import read_events  # noqa: E402
from load_script import load_script  # noqa: E402
from safetensors.torch import load_file  # noqa: E402

SMALL = (
    "--size 4 --layers 1 --width 8 --heads 2 --batch 4 --games 6 --pairs 4 --probe-games 8 --cases 5 --match 2 "
    "--device cpu"
)


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return load_script("train/sequence_gpt")


def test_the_clock_ends_the_training_and_changes_nothing_else(recipe, monkeypatch):
    seconds = itertools.count()
    monkeypatch.setattr(recipe, "time", SimpleNamespace(process_time=lambda: next(seconds), perf_counter=None))
    learns = f"{SMALL} --steps 12 --every 2 --warmup 2"
    recipe.main(f"{learns} --out a.safetensors".split())
    recipe.main(f"{learns} --out b.safetensors --seconds 6".split())
    whole, ended = (json.loads(Path(f"{name}.json").read_text())["curve"] for name in "ab")
    assert [point["step"] for point in ended] == [0, 2, 4, 6]
    assert [point["loss"] for point in ended] == [point["loss"] for point in whole[:4]]


def test_a_sequence_model_is_trained_measured_and_plays(recipe, capsys):
    recipe.main(f"{SMALL} --out a.safetensors --steps 3 --every 2".split())
    out = capsys.readouterr().out
    for text in (
        "step 3  12 games",
        "distinction recall",
        "linear probes by layer:",
        "errors with a disc turned in layer 1: no change ",
        "as a player: ",
    ):
        assert text in out
    report = json.loads(Path("a.json").read_text())
    assert [point["step"] for point in report["curve"]] == [0, 2, 3]
    assert [(row["labels"], row["layer"]) for row in report["probes"]] == [
        (labels, layer) for labels in ("mine and yours", "black and white") for layer in (0, 1)
    ]
    assert [row.keys() for row in report["interventions"]] == [{"none": 0, "random": 0, "probe": 0}.keys()]
    assert Path("a.probes.png").read_bytes().startswith(b"\x89PNG")
    assert report["player"]["scores"].keys()
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    events = read_events(Path("a"))
    assert [value for _, value in events["error"]] == pytest.approx([p["error"] for p in report["curve"]])
    recipe.main(f"{SMALL} --out b.safetensors --steps 0 --init a.safetensors --first 3".split())
    assert json.loads(Path("b.json").read_text())["curve"][0]["games"] == 12
    one, two = (load_file(name) for name in ("a.safetensors", "b.safetensors"))
    assert one.keys() == two.keys()
    assert all(torch.equal(tensor, two[name]) for name, tensor in one.items())
    with pytest.raises(SystemExit, match=r"^a\.safetensors exists"):
        recipe.main(["--out", "a.safetensors"])
    with pytest.raises(SystemExit, match="the training has diverged"):
        recipe.main(f"{SMALL} --out c.safetensors --steps 30 --rate 1e30 --gradient 1e30 --warmup 1".split())
