"""The two recipes with tiny budgets: they learn, write their files, resume, and refuse wrong options."""

import json
import sys

import numpy as np
import pytest
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
def test_a_recipe_runs_and_resumes(recipe, tmp_path, capsys):
    name, main = recipe
    whole, parts = tmp_path / "whole.safetensors", tmp_path / "parts.safetensors"
    main([*ALL, *TINY[name], "--out", str(whole), "--iterations", "2"])
    main([*ALL, *TINY[name], "--out", str(parts), "--iterations", "1"])
    main([*ALL, *TINY[name], "--out", str(parts), "--iterations", "2", "--resume"])
    assert "next: othello-env benchmark" in capsys.readouterr().out
    tensors = [sys.modules["safetensors.numpy"].load(path.read_bytes()) for path in (whole, parts)]
    assert tensors[0].keys() == tensors[1].keys()
    for key in tensors[0]:
        assert (tensors[0][key] == tensors[1][key]).all(), key
    curve = json.loads(whole.with_suffix(".json").read_text())["curve"]
    assert [point["iteration"] for point in curve] == [0, 1, 2]
    assert np.isfinite(curve[-1]["policy"])
    assert whole.with_suffix(".png").stat().st_size > 1000
    agent = make_agent(f"{whole}:network={sys.modules[main.__module__].__file__}:make")
    assert Othello(4).is_legal(agent.act(Othello(4)))


def test_wrong_options(recipe, tmp_path):
    name, main = recipe
    out = ["--out", str(tmp_path / "a.safetensors")]
    with pytest.raises(SystemExit, match="--match even"):
        main([*ALL, *TINY[name], *out, "--match", "3"])
    with pytest.raises(SystemExit, match=name):
        main([*ALL, *TINY[name], *out, "--resume"])
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(SystemExit, match=r"a\.json exists"):
        main([*ALL, *TINY[name], *out])
