"""The recipe scripts/train/ntuple.py."""

import json
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from othello_agents.ntuple import NTupleAgent, NTupleNetwork, Trainer
from othello_env.arena import measure_regret

SCRIPT = Path(__file__).parents[3] / "scripts" / "train/ntuple.py"


@pytest.mark.parametrize("interrupted", ["run", "measure"])
def test_an_interrupted_training_that_is_resumed_ends_as_if_never_stopped(tmp_path, monkeypatch, capsys, interrupted):
    recipe = runpy.run_path(str(SCRIPT))
    main, variables = recipe["main"], recipe["main"].__globals__

    def train(name, *options):
        common = ["--games", "200", "--first", "50", "--matches", "2", "--half"]
        main([*common, "--out", str(tmp_path / f"{name}.npz"), "--picture", str(tmp_path / f"{name}.png"), *options])

    def result(name):
        network = NTupleNetwork.load(tmp_path / f"{name}.npz")
        curve = json.loads((tmp_path / f"{name}.json").read_text())["curve"]
        return network, [{key: value for key, value in point.items() if key != "seconds"} for point in curve]

    options = ["--size", "4", "--seed", "5", "--batch", "8"]
    train("whole", *options)
    network, curve = result("whole")
    assert [point["games"] for point in curve] == [56, 104, 200]
    regret = measure_regret(NTupleAgent(network), size=4)
    assert (curve[-1]["perfect moves"], curve[-1]["discs lost"]) == (round(regret.rate, 4), round(regret.loss, 3))

    measure, measured, run = variables["measure"], [], variables["Trainer"].run

    def stopped_measure(*arguments):
        measured.append(measure(*arguments))
        if len(measured) == 2:
            raise KeyboardInterrupt
        return measured[-1]

    def stopped_run(trainer, **arguments):
        if trainer.games:
            run(trainer, games=16)
            raise KeyboardInterrupt
        return run(trainer, **arguments)

    with monkeypatch.context() as patch:
        if interrupted == "run":
            patch.setattr(variables["Trainer"], "run", stopped_run)
        else:
            patch.setitem(variables, "measure", stopped_measure)
        with pytest.raises(SystemExit) as stop:
            train("part", *options)
    assert stop.value.code == 130
    part, points = result("part")
    assert part.training["games"] == {"run": 72, "measure": 104}[interrupted]
    assert part.errors is not None
    assert points == curve[:1]
    assert (tmp_path / "part.png").exists()

    train("part", "--resume")
    resumed, points = result("part")
    assert np.array_equal(resumed.weights, network.weights)
    assert points == curve
    assert resumed.errors is None
    assert resumed.training | {"seconds": 0} == network.training | {"seconds": 0}

    train("part", "--resume", "--games", "100")  # the training has already played 100 games
    assert result("part")[1] == curve
    with pytest.raises(SystemExit):
        train("part", "--resume", "--games", "300")
    assert "was saved in half precision or was fitted" in capsys.readouterr().err


def test_the_weights_are_written_between_two_points_too(tmp_path, monkeypatch):
    recipe = runpy.run_path(str(SCRIPT))
    variables, run, written = recipe["main"].__globals__, recipe["Trainer"].run, []

    def slow_run(trainer, **arguments):
        if (tmp_path / "a.npz").exists():
            written.append(NTupleNetwork.load(tmp_path / "a.npz").training["games"])
        run(trainer, games=16)
        trainer.seconds += 200

    monkeypatch.setattr(variables["Trainer"], "run", slow_run)
    recipe["main"](["--size", "4", "--games", "112", "--matches", "2", "--out", str(tmp_path / "a.npz")])
    # A step takes 200 seconds. The weights are written when 300 seconds have passed, so after every second step.
    assert written == [32, 32, 64, 64, 96]


def test_it_goes_on_with_a_network_that_has_no_curve(tmp_path, capsys):
    main, out = runpy.run_path(str(SCRIPT))["main"], tmp_path / "a.npz"
    arguments = ["--matches", "2", "--first", "50", "--out", str(out)]
    main([*arguments, "--size", "4", "--seed", "3", "--games", "50"])
    out.with_suffix(".json").unlink()
    main([*arguments, "--size", "4", "--seed", "3", "--games", "100", "--resume"])
    assert [point["games"] for point in json.loads(out.with_suffix(".json").read_text())["curve"]] == [50, 100]
    for name, was, other in (("size", 4, 6), ("seed", 3, 4), ("batch", 1, 8)):
        with pytest.raises(SystemExit):
            main([*arguments, "--games", "200", "--resume", f"--{name}", str(other)])
        assert capsys.readouterr().err.endswith(f"error: --{name} was {was}, not {other}\n")
    assert NTupleNetwork.load(out).training["games"] == 100


@pytest.mark.parametrize(
    "text", ["", "[" * 100_000, "[]", '{"curve": 4}', '{"curve": [{"games": 50}]}', "\\xff"], ids=len
)
def test_a_damaged_curve_is_told_before_anything_is_played(tmp_path, capsys, text):
    main, out = runpy.run_path(str(SCRIPT))["main"], tmp_path / "a.npz"
    Trainer(4).network.save(out)
    out.with_suffix(".json").write_text(text)
    with pytest.raises(SystemExit):
        main(["--games", "50", "--out", str(out), "--resume"])
    assert "a.json' holds no curve of these weights" in capsys.readouterr().err
    assert out.with_suffix(".json").read_text() == text


def test_each_point_is_a_line_and_a_terminal_shows_what_goes_on_between(tmp_path, capsys, monkeypatch):
    main = runpy.run_path(str(SCRIPT))["main"]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    arguments = ["--size", "4", "--games", "100", "--first", "50", "--matches", "2"]
    main([*arguments, "--out", str(tmp_path / "a.npz")])
    told = capsys.readouterr()
    numbers = re.sub(r"\d+ s|\d\.\d{3}", "#", told.out).splitlines()
    assert numbers == [f"{games} games  #  depth 2 # +- #  depth 4 # +- #  perfect moves # +- #" for games in (50, 100)]
    assert told.err.startswith("\r0 games  0 s\x1b[K")
    assert told.err.endswith("measuring\x1b[K\r\x1b[K")
    monkeypatch.undo()
    main([*arguments, "--out", str(tmp_path / "b.npz")])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "kept.npz", "--games", "8"], "--out kept.npz exists; --resume continues it"),
        (["--out", "kept.npz", "--games", "8", "--resume"], "kept.npz"),  # kept.npz holds no network
        (["--out", "a.npz", "--games", "8", "--resume"], "a.npz"),
        (["--out", "a.npz"], "give --games or --seconds"),
        (["--out", "a.json", "--games", "8"], "--out: expected a .npz file, got 'a.json'"),
        (["--out", "a.npz", "--games", "8", "--matches", "3"], "--matches: expected an even number from 2 to"),
        (["--out", "a.npz", "--games", "8", "--size", "7"], "--size: expected 4, 6 or 8, got '7'"),
        (["--out", "kept.npz/a.npz", "--games", "8"], "kept.npz"),  # kept.npz is not a folder
        (["--out", "a.npz", "--games", "8", "--first", "0"], "--first: expected a whole number from 1 to"),
        (["--out", "a.npz", "--games", "-10"], "--games: expected a whole number from 1 to"),
        (["--out", "a.npz", "--games", "8", "--batch", "0"], "--batch: expected a whole number from 1 to"),
        (["--out", "a.npz", "--games", "8", "--threads", "0"], "--threads: expected a whole number from 1 to"),
        (["--out", "a.npz", "--seconds", "-1"], "--seconds: expected a number from 0 to 1e+09, got '-1'"),
        (["--out", "a.npz", "--seconds", "nan"], "--seconds: expected a number from 0 to 1e+09, got 'nan'"),
    ],
)
def test_mistakes_in_the_command_are_told_and_nothing_is_written(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    Path("kept.npz").write_bytes(b"trained")
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(SCRIPT))["main"](arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
    assert [path.read_bytes() for path in Path().iterdir()] == [b"trained"]


def test_the_curve_of_another_run_is_not_overwritten(tmp_path, capsys):
    (tmp_path / "a.json").write_bytes(b"curve")
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(SCRIPT))["main"](["--out", str(tmp_path / "a.npz"), "--games", "8"])
    assert stop.value.code == 2
    assert f"{tmp_path / 'a.json'}, where this run would write its curve, exists" in capsys.readouterr().err
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"curve"]
