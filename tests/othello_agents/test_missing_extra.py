"""The error messages when an optional package is not installed."""

import sys

import pytest

from othello_env import MissingExtraError, make_agent
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule


def test_without_onnx_runtime_a_models_file_names_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "a.onnx"
    path.write_bytes(b"")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'othello-env\[onnx\]'"):
        make_agent(str(path))


def test_without_ray_a_cluster_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'othello-env\[ray\]'"):
        play_tournament({"a": "random", "b": "random"}, Schedule(("a", "b"), 2), ray=True)


def test_without_pytorch_a_networks_file_names_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "a.safetensors"
    header = b'{"__metadata__": {"card": "{}"}}'
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    for package in ("safetensors", "torch"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'othello-env\[torch\]'"):
        make_agent(str(path))
