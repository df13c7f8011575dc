"""Tests of what the scripts check and report before they begin their work."""

import argparse
import ast
import json
import random
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from othello_env.arena.rating.accuracy import measure_regret
from othello_env.drawing.chart import CurvePoint, learning_chart, png
from othello_env.support.files import parse_json, read_file

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("measure_actors", "torch"),
        ("measure_page", "playwright.sync_api"),
        ("measure_torchrl", "torch"),
        ("train_agilerl", "torch"),
        ("train_alphazero", "torch"),
        ("train_imitation", "torch"),
        ("train_league_sb3", "torch"),
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


def test_no_script_takes_a_number_without_bounds():
    """With int or float as a type, argparse would accept negative numbers, nan and infinity."""
    numbers = 0
    for script in SCRIPTS.glob("*.py"):
        for node in ast.walk(ast.parse(script.read_text())):
            if isinstance(node, ast.keyword) and node.arg == "type" and isinstance(node.value, ast.Name):
                assert node.value.id not in ("int", "float"), f"{script.name}, line {node.value.lineno}"
            if isinstance(node, ast.ClassDef) and node.name in ("Arguments", "Options", "Settings", "Windows"):
                for each in node.body:
                    if isinstance(each, ast.AnnAssign) and re.search("int|float", ast.unparse(each.annotation)):
                        numbers += 1
                        assert each.value.func.id in ("even", "one_of", "real", "whole"), (
                            f"{script.name}: {each.lineno}"
                        )
    assert numbers


@pytest.mark.parametrize(
    "name",
    [
        "fit_ntuple",
        "measure_agents",
        "measure_arena",
        "measure_league",
        "measure_search",
        "measure_speed",
        "measure_sprt",
        "measure_start",
        "train_ntuple",
    ],
)
def test_numbers_that_are_none_or_out_of_range_are_refused(monkeypatch, capsys, name):
    parsers = []

    def parse_args(parser, arguments=None):
        parsers.append(parser)
        sys.exit()

    with monkeypatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", parse_args)
        with pytest.raises(SystemExit):
            runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
    (parser,) = parsers
    numbers = [each for each in parser._actions if each.type and each.type.__name__ != "path_to_write"]
    assert numbers
    for action in numbers:
        for bad in ("nan", "inf", "-inf", "-1", "1e99", "9" * 5000, "x", ""):
            with pytest.raises(SystemExit):
                parser.parse_args([f"{action.option_strings[0]}={bad}"])
            told = capsys.readouterr().err.splitlines()[-1]
            assert f"argument {action.option_strings[0]}: expected " in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ffo", "40-"], "--ffo: expected none, or numbers from 1 to 44 such as 40-44, got '40-'"),
        (["--ffo", "44-40"], "--ffo: expected none, or numbers from 1 to 44 such as 40-44, got '44-40'"),
        (["--evals", "nothing"], "the engine has no evaluation 'nothing'; it has "),
        (["--match", "nobody"], "there is no agent 'nobody'; known are "),
        (["--match", "none.npz"], "there is no file 'none.npz'"),
        (["--threads", "2", "--ffo", "none", "--depths"], None),
    ],
)
def test_what_the_search_is_measured_on_is_checked(monkeypatch, capsys, arguments, message):
    monkeypatch.setattr(sys, "argv", ["measure_search.py", *arguments])
    if message is None:  # no error, but these arguments leave nothing to measure
        runpy.run_path(str(SCRIPTS / "measure_search.py"), run_name="__main__")
        return
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(SCRIPTS / "measure_search.py"), run_name="__main__")
    assert stop.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("out", ["file/a.npz", "file/folder/a.npz", f"{'a' * 300}/a.npz", ""])
def test_a_path_that_cannot_be_written_is_refused_at_once(monkeypatch, tmp_path, capsys, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    monkeypatch.setattr(sys, "argv", ["solve_6x6.py", out])
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(SCRIPTS / "solve_6x6.py"), run_name="__main__")
    assert stop.value.code == 2
    assert f"got {out!r}" in capsys.readouterr().err.splitlines()[-1]


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
        is_cold = all(cache != each for _, each in begun)  # cold: this cache was not used before
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


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["ppo.json", "none.json"], "there is no file"),
        (["ppo.json", "--perfect"], "has no curve of perfect moves"),
        (["ntuple_minute_seed1.json"], "has no curve of scores against alphabeta:depth=2,eval=weighted"),
        ([f"{name}.json" for name in "abcdefghi"], "there is no file"),
    ],
)
def test_curves_are_compared(monkeypatch, tmp_path, capsys, files, message):
    curves, out = SCRIPTS.parent / "docs" / "curves", tmp_path / "a.png"

    def draw(files):
        monkeypatch.setattr(sys, "argv", ["compare_curves.py", "--runs", *files, "--out", str(out)])
        runpy.run_path(str(SCRIPTS / "compare_curves.py"), run_name="__main__")

    with pytest.raises(SystemExit) as stop:
        draw([file if file.startswith("--") else str(curves / file) for file in files])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
    assert not out.exists()
    draw([str(curves / "ppo.json"), str(curves / "ppo_seed2.json")])
    assert out.read_bytes().startswith(b"\x89PNG")


def test_random_positions_end_if_there_are_no_more(monkeypatch):
    positions = runpy.run_path(str(SCRIPTS / "_packaged.py"))["random_positions"]
    monkeypatch.setitem(positions.__globals__, "_MOST_GAMES", 200)
    assert len(list(positions(6, 2, random.Random(1)))) == 3


def test_a_list_with_too_few_positions_is_not_written(tmp_path):
    write_list = runpy.run_path(str(SCRIPTS / "_packaged.py"))["write_list"]
    with pytest.raises(SystemExit, match="only 2 of 3 positions were found"):
        write_list(tmp_path / "a.txt", "# head", ["one", "two"], 3)
    assert not (tmp_path / "a.txt").exists()


def test_a_fit_needs_enough_positions(monkeypatch, tmp_path, capsys):
    script = runpy.run_path(str(SCRIPTS / "fit_probcut.py"))
    with pytest.raises(SystemExit, match="too few positions for depth 3"):
        script["fits"](np.full(10, 20), np.zeros((10, 4)))
    monkeypatch.setattr(sys, "argv", ["fit_probcut.py", "--out", str(tmp_path / "a.json"), "--size=6", "--depth=23"])
    with pytest.raises(SystemExit):
        script["main"]()
    assert "--depth: expected at most 22 on this board, not 23" in capsys.readouterr().err


def test_runs_of_different_units_are_compared_over_seconds(monkeypatch, tmp_path):
    files = []
    for unit in ("games", "plies"):
        points = [{unit: 10 * k, "seconds": k, "perfect moves": k / 10} for k in range(5)]
        files.append(tmp_path / f"{unit}.json")
        files[-1].write_text(json.dumps({"curve": points}))
    out = tmp_path / "a.png"
    monkeypatch.setattr(sys, "argv", ["compare_curves.py", "--runs", *map(str, files), "--perfect", "--out", str(out)])
    runpy.run_path(str(SCRIPTS / "compare_curves.py"), run_name="__main__")
    points = [CurvePoint(k, k, k / 10) for k in range(5)]
    assert out.read_bytes() == png(perfect_moves(dict.fromkeys(("games", "plies"), points), None))


def perfect_moves(curves, unit):
    how = "in packaged positions; bands: 95% intervals"
    return learning_chart("Share of perfect moves", how, curves, unit, "share of perfect moves")


def test_runs_that_differ_only_in_their_seed_become_one_curve():
    script, curves = runpy.run_path(str(SCRIPTS / "compare_curves.py")), SCRIPTS.parent / "docs" / "curves"
    names = ["ppo_seed2", "ppo", "ppo_seed3", "ppo_afterstates_seed1"]
    runs = {name: script["read"](str(curves / f"{name}.json"), "random") for name in names}
    found = script["joined"](runs)
    assert [*found] == ["ppo, mean of 3 seeds", "ppo_afterstates_seed1"]
    assert found["ppo_afterstates_seed1"] == runs["ppo_afterstates_seed1"].points
    second, others = (found["ppo, mean of 3 seeds"][1], [runs[name].points[1] for name in names[:3]])
    assert second.score == pytest.approx(np.mean([point.score for point in others]))
    single = runs["ppo"].points[1]
    assert (single.low, single.high) == pytest.approx(interval_of(100, single.score, 0.0))  # 200 games


def test_runs_whose_files_have_the_same_name_are_all_drawn(monkeypatch, tmp_path, capsys):
    files = []
    for number, folder in enumerate(("a", "b")):
        points = [{"games": 10 * k, "seconds": k, "perfect moves": (k + number) / 10} for k in range(5)]
        (tmp_path / folder).mkdir()
        files.append(str(tmp_path / folder / "run.json"))
        Path(files[-1]).write_text(json.dumps({"curve": points}))

    def draw(*files):
        given = ["--runs", *files, "--perfect", "--out", str(tmp_path / "a.png")]
        monkeypatch.setattr(sys, "argv", ["compare_curves.py", *given])
        runpy.run_path(str(SCRIPTS / "compare_curves.py"), run_name="__main__")

    draw(*files)
    lines = {file: [CurvePoint(10 * k, k, (k + number) / 10) for k in range(5)] for number, file in enumerate(files)}
    assert (tmp_path / "a.png").read_bytes() == png(perfect_moves(lines, "games"))
    with pytest.raises(SystemExit):
        draw(files[0], str(tmp_path / "b" / ".." / "a" / "run.json"))
    assert capsys.readouterr().err.endswith("--runs: a file is given twice\n")


def test_trainers_are_compared_and_the_same_command_goes_on(monkeypatch, tmp_path, capsys):
    module = runpy.run_path(str(SCRIPTS / "compare_trainers.py"))
    out, main = tmp_path / "out", module["main"]
    given = ["--folder", str(out), "--minutes", "0.01", "--size", "4", "--only", "n-tuple", "--seeds"]

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(main.__globals__, "measure", interrupt)
        with pytest.raises(KeyboardInterrupt):
            main([*given, "1"])
    agent = out / "n-tuple-1" / "agent.npz"
    written = agent.read_bytes()
    main([*given, "1"])
    assert agent.read_bytes() == written  # the second call only rates the trained agent
    regret = measure_regret(str(agent), size=4, seed=1)
    first = parse_json(read_file(out / "results.json", 1 << 20))["rows"]["n-tuple 1"]
    assert (first["perfect"], first["loss"]) == (regret.rate, regret.loss)
    agent.unlink()  # a rated agent's file is not needed any more
    main([*given, "2"])
    assert not agent.exists()
    both = parse_json(read_file(out / "results.json", 1 << 20))["rows"]
    assert list(both) == ["n-tuple 1", "n-tuple 2"]
    assert both["n-tuple 1"] == first
    table = (out / "results.md").read_text()
    assert "| trainer | minutes | seed 1 | seed 2 |\n" in table
    assert f"| n-tuple network, self-play | 0.01 | {regret.rate:.1%} (" in table
    for wrong, message in (
        ({"--minutes": "0.02"}, "results.json is not of --size 4 and --minutes 0.02"),
        ({"--size": "6"}, "results.json is not of --size 6 and --minutes 0.01"),
    ):
        with pytest.raises(SystemExit):
            main([*given, "1", *(word for pair in wrong.items() for word in pair)])
        assert message in capsys.readouterr().err
    for damaged in ("[]", "{}", '{"format": "othello-env trainers 1", "rows": {"n-tuple 1": {}}, "trained": []}', "x"):
        (out / "results.json").write_text(damaged)
        with pytest.raises(SystemExit):
            main([*given, "1"])
        assert "results.json" in capsys.readouterr().err


@pytest.mark.parametrize("hangs", [False, True])
def test_a_trainer_without_a_clock_is_ended_by_ctrl_c(monkeypatch, tmp_path, hangs):
    """A trainer without an option for the time gets SIGINT when the time is over. If it still runs, it is killed."""
    module = runpy.run_path(str(SCRIPTS / "compare_trainers.py"))
    monkeypatch.setitem(module["train"].__globals__, "SCRIPTS", tmp_path)
    monkeypatch.setitem(module["wait"].__globals__, "_PATIENCE", 1.0)
    (tmp_path / "good.py").write_text(
        "import sys, time, pathlib\n"
        "out = pathlib.Path(sys.argv[sys.argv.index('--out') + 1])\n"
        "try:\n    (out.parent / 'begun').touch(); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    out.write_text('agent')\n"
    )
    (tmp_path / "bad.py").write_text(
        "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(60)\n"
    )
    make = module["Trainer"]
    if hangs:
        with pytest.raises(ValueError, match=r"bad\.py did not end within 1 seconds after Ctrl-C"):
            module["train"](make("", ("bad.py",), "a", "a", has_clock=False), tmp_path / "run", 4, 1, 1.0)
    else:
        module["train"](make("", ("good.py",), "a", "a", has_clock=False), tmp_path / "run", 4, 1, 3.0)
        assert (tmp_path / "run" / "a").read_text() == "agent"


@pytest.mark.parametrize("file", ["a.safetensors", "a.state.safetensors", None])
def test_a_trainer_goes_on_if_it_has_begun(monkeypatch, tmp_path, file):
    module = runpy.run_path(str(SCRIPTS / "compare_trainers.py"))
    monkeypatch.setitem(module["train"].__globals__, "SCRIPTS", tmp_path)
    (tmp_path / "told.py").write_text(
        "import pathlib, sys\npathlib.Path(__file__).with_name('x').write_text(sys.argv[-1])"
    )
    folder = tmp_path / "run"
    folder.mkdir()
    if file:
        (folder / file).touch()
    module["train"](module["Trainer"]("", ("told.py",), "a.safetensors", "a.safetensors"), folder, 4, 1, 3.0)
    assert (tmp_path / "x").read_text() == ("--resume" if file else "3.0")
