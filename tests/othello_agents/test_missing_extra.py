"""The error messages when an optional package is not installed."""

import sys

import numpy as np
import pytest

from othello_env import MissingExtraError, make_agent
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.support.networks import NetworkFile


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
    NetworkFile({"a": np.zeros(1)}, "residual", 8).write(path)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'othello-env\[torch\]'"):
        make_agent(str(path))
