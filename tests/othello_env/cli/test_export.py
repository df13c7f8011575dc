"""The command export, which needs packages of the extra ``export``."""

import sys

import pytest


@pytest.mark.parametrize("package", ["torch", "safetensors", "onnx"])
def test_a_missing_package_names_the_extra(run, tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    status, out, err = run("export", tmp_path / "a.safetensors", tmp_path / "a.onnx")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.endswith(": pip install 'othello-env[export]'\n")
    assert list(tmp_path.iterdir()) == []


def test_it_says_what_it_has_written(run, tmp_path):
    for package in ("torch", "onnx"):
        pytest.importorskip(package, reason="the network needs PyTorch, an optional extra")
    from othello_agents.network.neural import ResidualNetwork

    ResidualNetwork(6, 4, 1).save(tmp_path / "a.safetensors")
    out = tmp_path / "a.onnx"
    assert run("export", tmp_path / "a.safetensors", out) == (0, f"{out}: a network for 6x6\n", "")
    assert out.exists()
    assert f"{out} exists; give another name" in run("export", tmp_path / "a.safetensors", out)[2]
