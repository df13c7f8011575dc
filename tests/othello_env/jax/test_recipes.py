"""The two recipes with tiny budgets: they learn, write their files, go on from them, and refuse wrong options."""

import importlib.util
import json
import sys

import numpy as np
import pytest
from events import read_events
from load_script import load_script

jax = pytest.importorskip("jax", reason="JAX is an optional extra")
for package in ("flax", "mctx", "optax", "safetensors"):
    pytest.importorskip(package, reason="the recipes need the whole extra jax")

from othello_env import Othello, make_agent  # noqa: E402 - only if there is JAX

TINY = {
    "jax_ppo": ["--games", "8", "--steps", "6", "--minibatch", "16", "--random-plies", "4"],
    "jax_alphazero": [
        *("--games", "4", "--simulations", "2", "--considered", "2", "--minibatch", "16", "--window", "200"),
        *("--random-plies", "6"),
    ],
}
ALL = ["--size", "4", "--every", "1", "--match", "2"]


@pytest.fixture(scope="module", params=TINY)
def recipe(request):
    return request.param, load_script(f"train/{request.param}").main


@pytest.mark.filterwarnings("default")  # of flax and mctx
def test_a_recipe_writes_its_files_and_another_run_goes_on(recipe, tmp_path, capsys):
    name, main = recipe
    first, more = tmp_path / "first.safetensors", tmp_path / "more.safetensors"
    main([*ALL, *TINY[name], "--out", str(first), "--iterations", "2"])
    assert "next: othello-env benchmark" in capsys.readouterr().out
    curve = json.loads(first.with_suffix(".json").read_text())["curve"]
    assert [point["iteration"] for point in curve] == [0, 1, 2]
    assert np.isfinite(curve[-1]["policy"])
    assert first.with_suffix(".png").stat().st_size > 1000
    if importlib.util.find_spec("torch") and importlib.util.find_spec("tensorboard"):
        events = read_events(tmp_path / "first")
        assert [value for _, value in events["scores/random"]] == [point["scores"]["random"] for point in curve]
        assert [value for _, value in events["losses/policy"]] == pytest.approx([p["policy"] for p in curve[1:]])
    agent = make_agent(f"{first}:network={sys.modules[main.__module__].__file__}:make")
    assert Othello(4).is_legal(agent.act(Othello(4)))

    main([*ALL, *TINY[name], "--out", str(more), "--iterations", "0", "--init", str(first)])
    tensors = [sys.modules["safetensors.numpy"].load(path.read_bytes()) for path in (first, more)]
    assert tensors[0].keys() == tensors[1].keys()
    for key in tensors[0]:
        assert (tensors[0][key] == tensors[1][key]).all(), key


def test_mistakes_are_told_and_nothing_is_overwritten(recipe, tmp_path):
    name, main = recipe
    out = ["--out", str(tmp_path / "a.safetensors")]
    wrong = ["--minibatch", "1000"] if name == "jax_ppo" else ["--window", "5"]
    with pytest.raises(SystemExit, match=f"{wrong[0]} must be at"):
        main([*ALL, *TINY[name], *out, *wrong])
    (tmp_path / "a.safetensors").write_text("{}")
    with pytest.raises(SystemExit, match=r"a\.safetensors exists; give another --out"):
        main([*ALL, *TINY[name], *out])
