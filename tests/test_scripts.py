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


def test_first_use_is_measured_cold_and_later(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["measure_start.py", "--cases", "single", "engine", "--repeats", "2"])
    main = runpy.run_path(str(SCRIPTS / "measure_start.py"))["main"]
    begun = []

    def seconds(program, cache, processes=1):
        is_cold = all(cache != each for _, each in begun)  # the first use of a cache
        begun.append((program, cache))
        return 2.0 * processes if is_cold else 0.5

    monkeypatch.setitem(main.__globals__, "seconds", seconds)
    main()
    rows = {line.split("  ")[-1]: line.split() for line in capsys.readouterr().out.splitlines()[1:]}
    for name in ("the environment: reset and step", "engine's first move"):
        assert rows[f"{name}, a later process"][0] == "0.50"
        assert rows[f"{name}, the first process"][0] == "2.00"
    assert rows["engine's first move, the first process"][5:7] == ["4.00", "x"]
    assert len({cache for _, cache in begun}) == 1 + 2 * 3
