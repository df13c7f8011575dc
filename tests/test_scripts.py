"""What a script says before it does anything."""

import runpy
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("measure_page", "playwright.sync_api"),
        ("train_agilerl", "torch"),
        ("train_alphazero", "torch"),
        ("train_ppo", "torch"),
        ("train_rllib", "ray"),
        ("train_sb3", "sb3_contrib"),
        ("train_tianshou", "torch"),
        ("train_torchrl", "torch"),
    ],
)
def test_without_its_package_a_line_says_what_to_install(monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SystemExit, match=f"{package}.*: pip install .") as stop:
        runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
    assert "\n" not in stop.value.code


def test_help_of_the_boards_pictures_draws_nothing(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["draw_board.py", "--help"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(SCRIPTS / "draw_board.py"), run_name="__main__")
    assert stop.value.code == 0
    assert "folder" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
