"""The README's examples run as they stand."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()
EXAMPLES = [block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "# policy.py" not in block]
POLICY = next(block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "# policy.py" in block)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.split("\n", 1)[0])
def test_an_example_runs(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    exec(compile(example, "README.md", "exec"), {})


def test_the_example_policy_plays(tmp_path):
    from othello_env.arena.match import play_match

    (tmp_path / "policy.py").write_text(POLICY)
    match = play_match(f"{tmp_path / 'policy.py'}:greedy", "random", games=20)
    assert not match.faults(0)
    assert 0 < match.score < 1
