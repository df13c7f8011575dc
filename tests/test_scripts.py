"""The scripts that measure and make: each tells its options, runs with a small budget, and measures what it says."""

import dataclasses
import json
import sys

import numpy as np
import pytest
import tyro
from load_script import SCRIPTS, load_script
from PIL import Image

NAMES = sorted(
    str(file.relative_to(SCRIPTS).with_suffix(""))
    for folder in ("make", "measure", "train")
    for file in (SCRIPTS / folder).glob("[!_]*.py")
)
NEED_TORCH = {f"train/{name}" for name in ("alphazero", "dqn", "imitation", "ppo", "rootstrap", "self_play")}
NEED_TORCH |= {"measure/policy"}
NEED_JAX = {"measure/jax_env": "pgx", "measure/policy": "jax", "train/jax_alphazero": "mctx", "train/jax_ppo": "flax"}
QUICK = ["--seconds", "0.001", "--windows", "1"]


def run(monkeypatch, name, *arguments):
    """Run a script with these words on its command line."""
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
    script = load_script(name)
    script.main(tyro.cli(script.Args, description=script.__doc__))


@pytest.mark.filterwarnings("ignore")  # other libraries' own
@pytest.mark.parametrize("name", NAMES)
def test_a_script_tells_its_options(monkeypatch, capsys, name):
    if name in NEED_TORCH:
        pytest.importorskip("torch", reason="this recipe needs PyTorch, an optional extra")
    if name in NEED_JAX:
        pytest.importorskip(NEED_JAX[name], reason="this script needs JAX, an optional extra")
    try:
        script = load_script(name)
    except SystemExit as missing:
        pytest.skip(f"an optional package is missing: {missing}")
    with pytest.raises(SystemExit) as stop:
        tyro.cli(script.Args, description=script.__doc__, args=["--help"])
    assert stop.value.code == 0
    assert script.__doc__.split()[0] in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["alphazero", "dqn", "imitation", "league_sb3", "ppo", "rootstrap", "sb3", "self_play", "sequence_gpt"]
)
def test_a_recipe_computes_with_one_thread_unless_it_is_told_otherwise(monkeypatch, name):
    torch = pytest.importorskip("torch", reason="the recipes need PyTorch, an optional extra")
    if name.endswith("sb3"):
        pytest.importorskip("sb3_contrib", reason="this recipe needs Stable-Baselines3, an optional extra")
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert load_script(f"train/{name}").Args.threads == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert load_script(f"train/{name}").Args.threads == 3


def test_the_game_on_the_first_page_is_whole():
    script = load_script("make/draw_board")
    states, values = script.whole_game("engine:depth=4")
    assert states[-1].is_over
    assert len(states) == len(values) == len(states[-1].moves) + 1
    for state, after, each in zip(states, states[1:], values, strict=False):
        assert each[after.moves[-1]] == max(each.values())
        assert set(each) == set(state.legal_actions())
    with Image.open(SCRIPTS.parent / "docs" / "game.gif") as shown:
        assert shown.n_frames == len(states)


@pytest.mark.parametrize(
    ("name", "package"),
    [
        *((f"train/{name}", "torch") for name in ("alphazero", "dqn", "imitation", "league_sb3", "ppo")),
        *((f"train/{name}", "torch") for name in ("rootstrap", "self_play")),
        *((f"train/{name}", "jax") for name in ("jax_alphazero", "jax_ppo")),
        *(("train/sb3", "sb3_contrib"), ("train/ntuple", "tyro"), ("train/grpo", "datasets")),
        ("make/page_pictures", "playwright.sync_api"),
    ],
)
def test_without_its_package_a_line_says_what_to_install(monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SystemExit, match=f"({package}|torch).*: pip install .") as stop:
        load_script(name)
    assert "\n" not in stop.value.code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("make/balanced_openings", ["FOLDER/a.txt", "--count", 2, "--depth", 1, "--plies", 4], "written to"),
        ("make/fit_discs", ["--size", 6, "--games", 2, "--depth", 1], "discs = ("),
        ("make/fit_probcut", ["--out", "FOLDER/a.json", "--size", 6, "--positions", 200, "--depth", 3], "stage 7"),
        ("measure/curves", ["--runs", "RUN", "--out", "FOLDER/a.png"], "written to"),
        ("measure/data", [*QUICK, "--games", 100], "tokens of Othello-GPT"),
        (
            "measure/evaluation",
            ["--games", 40, "--empties", 8, 28, "--positions", 9, "--depth", 2],
            "    28          9 ",
        ),
        ("measure/checkers", ["--depth", 2, "--slow-depth", 2, "--positions", 2, "--repeats", 1], "OpenSpiel, depth 2"),
        ("measure/perft", ["--depth", 4], "244"),
        ("measure/search", ["--depths", 2, "--evals", "ntuple", "--positions", 1, "--ffo", "none"], "exact score"),
        (
            "measure/speed",
            [*QUICK, "--sizes", 4, "--opponents", "random", "--opponent-sizes", 4, "--picture", "FOLDER/a.png"],
            "vector env, random, N=4",
        ),
    ],
)
def test_a_small_run(monkeypatch, tmp_path, capsys, name, arguments, told):
    places = {"FOLDER": str(tmp_path), "RUN": str(SCRIPTS.parent / "docs" / "curves" / "ppo_residual.json")}
    words = [str(word) for word in arguments]
    for place, path in places.items():
        words = [word.replace(place, path) for word in words]
    if name == "measure/speed":
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)  # no other libraries
    run(monkeypatch, name, *words)
    assert told in capsys.readouterr().out
    for picture in tmp_path.glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("make/fit_probcut", ["--out", "a.json", "--size=6", "--depth=23"], "expected at most 22 on this board"),
        ("measure/search", ["--ffo", "44-40"], "expected none, or numbers from 1 to 44 .*, got '44-40'"),
        ("measure/search", ["--empties", "1"], "--empties: expected a number from 6 to 60, got 1"),
        ("measure/curves", ["--runs", "none.json"], "expected a curve of scores against alphabeta.* in 'none.json'"),
    ],
)
def test_what_a_script_cannot_use_is_named(monkeypatch, name, arguments, message):
    with pytest.raises(SystemExit, match=message):
        run(monkeypatch, name, *arguments)


def test_runs_of_different_seeds_become_one_curve():
    curves = load_script("measure/curves")
    runs = [
        curves.Run("plies", "same", {"seconds": np.array(x)}, np.array(y), np.zeros(len(x)))
        for x, y in (([0.0, 10.0], [0.0, 1.0]), ([0.0, 5.0, 20.0], [0.2, 0.5, 0.5]))
    ]
    x, score, low, high = curves.joined(runs, "seconds")
    np.testing.assert_allclose([x, score, low, high], [[0, 10], [0.1, 0.75], [0, 0.5], [0.2, 1]])


def test_a_list_with_too_few_positions_is_not_written(tmp_path):
    with pytest.raises(SystemExit, match="only 2 of 3 positions were found"):
        load_script("make/_lists").write_list(tmp_path / "a.txt", "# head", ["one", "two"], 3)
    assert not (tmp_path / "a.txt").exists()


def test_a_curve_tells_the_minutes_to_its_marks():
    points = [{"seconds": 30.0, "elo": 900}, {"seconds": 90.0, "elo": 1000}, {"seconds": 120.0, "elo": 990}]
    reached = load_script("measure/curves").reached
    assert reached(points) == "1000 Elo 1.5, 1200 Elo -, 1500 Elo -, last 990 Elo after 2.0"
    assert reached([{"seconds": 6.0, "perfect moves": 0.75}]) == "60 % 0.1, 75 % 0.1, 90 % -, last 75 % after 0.1"


def test_a_published_result_is_measured_once_and_goes_on_where_it_was_stopped(monkeypatch, tmp_path):
    script = load_script("make/results")
    command = "othello-env train --size 4 --depth 1 --games 20 --seed {seed} --out {out}.npz"
    numbers = {"score": "{out}.npz", "again": "{out}.npz:epsilon=0.5"}
    result = script.Result("tiny", command, numbers, 2, against="random", openings="random:2", games=4)
    result = dataclasses.replace(result, game="othello:size=4")
    old = {"commit": "0000000", "date": "2026-01-01", "avx512": True, "minutes": 3, "numbers": {"score": [0.5]}}
    (tmp_path / "results.json").write_text(json.dumps({"tiny": {"1": old}, "other": {"1": old}}))
    args = script.Args(docs=tmp_path, runs=tmp_path / "runs")
    monkeypatch.setattr(script, "commit_now", lambda: "12345678")
    (args.runs / "tiny-2-12345678").mkdir(parents=True)
    (args.runs / "tiny-2-12345678.npz").write_text("of a training that was stopped")
    measured, asked = script.measured, []

    def stopped(result, spec):
        asked.append(spec)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return measured(result, spec)

    def trained():
        return {file: file.stat().st_mtime_ns for file in args.runs.glob("*.npz")}

    monkeypatch.setattr(script, "measured", stopped)
    with pytest.raises(KeyboardInterrupt):
        script.measure_missing(args, (result,))
    assert script.read_results(tmp_path)["tiny"] == {"1": old}
    files = trained()
    script.measure_missing(args, (result,))
    assert trained() == files  # no second training
    assert asked == [asked[0], asked[1], asked[1]]  # the first number was kept
    found = script.read_results(tmp_path)
    assert (found["tiny"]["1"], found["other"]) == (old, {"1": old})
    run = found["tiny"]["2"]
    assert (run["numbers"].keys(), run["commit"]) == (numbers.keys(), "12345678")
    score, low, high = run["numbers"]["score"]
    assert low <= score <= high
    for words, again in (((), False), (("oth",), True)):
        script.measure_missing(dataclasses.replace(args, names=words, again=again), (result,))
    assert script.read_results(tmp_path) == found
    script.measure_missing(dataclasses.replace(args, again=True), (result,))
    assert script.read_results(tmp_path)["tiny"] == {"1": script.read_results(tmp_path)["tiny"]["1"], "2": run}
    assert script.read_results(tmp_path)["tiny"]["1"]["commit"] == run["commit"]
