"""The examples in the README run unchanged."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
FILES = {found[1]: block for block in BLOCKS if (found := re.match(r"# (\w+\.py)\n", block))}
EXAMPLES = [block for block in BLOCKS if block not in FILES.values()]


def plays(spec):
    from othello_env.arena.match import play_match

    match = play_match(spec, "random", games=20)
    assert not match.faults(0)
    assert 0 < match.score < 1


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.split("\n", 1)[0])
def test_an_example_runs(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    exec(compile(example, "README.md", "exec"), {})


def test_the_example_policy_plays(tmp_path):
    (tmp_path / "policy.py").write_text(FILES["policy.py"])
    plays(f"{tmp_path / 'policy.py'}:greedy")


def test_a_policy_of_stable_baselines3_plays(tmp_path, monkeypatch):
    sb3 = pytest.importorskip("sb3_contrib", reason="this trainer is an optional extra")
    import gymnasium

    monkeypatch.chdir(tmp_path)
    sb3.MaskablePPO("MultiInputPolicy", gymnasium.make("othello_env/Othello-v0"), seed=1).save("model.zip")
    Path("sb3_policy.py").write_text(FILES["sb3_policy.py"])
    plays("sb3_policy.py:best")


@pytest.mark.filterwarnings("ignore::FutureWarning")  # PyTorch's exporter warns about its own code
def test_an_exported_policy_plays(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is an optional extra")
    pytest.importorskip("onnxscript", reason="PyTorch needs it to export, this package does not")
    monkeypatch.chdir(tmp_path)
    exec(compile(FILES["export.py"], "README.md", "exec"), {})
    plays("model.onnx")
