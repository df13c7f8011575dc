"""``othello-env data``: makes, labels, converts and describes games."""

import numpy as np
import pytest

from othello_agents.ntuple import NTupleNetwork
from othello_env.arena.play.records import versions
from othello_env.data import (
    Dataset,
    Games,
    agent_labels,
    exact_labels,
    random_games,
    read_games,
    tokens,
    write_games,
)
from othello_env.data.formats import archive


def test_the_command(run, tmp_path):
    status, out, _ = run(
        "data", "make", "random", "--games", "50", "--out", tmp_path / "d", "--size", "6", "--seed", "2"
    )
    assert (status, out) == (0, f"{tmp_path / 'd'}: 50 games\n")
    (part,) = Dataset(tmp_path / "d")
    assert (part.actions == random_games(50, size=6, seed=2).actions).all()
    status, out, _ = run("data", "info", tmp_path / "d")
    assert status == 0
    assert "50 of 50 games in parts of 100,000" in out
    assert "made by: make random, size 6, seed 2" in out
    card = (tmp_path / "d" / "README.md").read_text()
    used = ", ".join(f"{name} {each}" for name, each in versions().items())
    for line in (
        "games: 50, in parts of 100,000",
        "make: random",
        "size: 6",
        "seed: 2",
        f"made with: {used}",
        f"command: `othello-env data make random --games 50 --out {tmp_path / 'd'} --size 6 --seed 2`",
    ):
        assert f"- {line}\n" in card
    status, out, _ = run(
        "data", "make", "match", "random", "--games", "4", "--out", tmp_path / "m", "--openings", "start"
    )
    assert status == 0
    status, out, _ = run("data", "label", tmp_path / "m", "--empties", "6")
    assert "exact-6-*.npz: " in out
    status, out, _ = run("data", "label", tmp_path / "m", "--empties", "6")
    assert "exact-6-*.npz: 0 positions; 1 of 1 parts were labelled before" in out
    before = (tmp_path / "m" / "README.md").read_text()
    run("data", "make", "match", "random", "--games", "6", "--out", tmp_path / "m", "--openings", "start")
    assert (tmp_path / "m" / "README.md").read_text() == f"{before}- continued to 6 games with: {used}\n"
    status, out, _ = run("data", "label", tmp_path / "m", "--empties", "6")
    assert "labelled before" not in out
    with np.load(tmp_path / "m" / "exact-6-000000.npz") as labels:
        assert labels["games"] == 6
        assert labels["game"].max() == 5
    status, out, _ = run("data", "convert", tmp_path / "m", tmp_path / "a.wtb")
    assert (status, out) == (0, f"{tmp_path / 'a.wtb'}: 6 games\n")
    status, out, _ = run("data", "convert", tmp_path / "a.wtb", tmp_path / "a.ggf", "--distinct")
    assert read_games(tmp_path / "a.ggf").state(0) == read_games(tmp_path / "m" / "games-000000.npz").state(0)
    status, out, _ = run("data", "info", tmp_path / "a.ggf")
    assert "6 games of othello, 1 different starts" in out
    assert "finished" in out
    assert "column result, such as " in out
    assert "column date" not in out
    assert "column black_rating" not in out
    status, _, errors = run("data", "convert", tmp_path / "a.ggf", tmp_path / "a.xyz")
    assert status == 2
    assert errors.startswith("othello-env: expected a file name that ends in .npz")


def test_what_does_not_fit_a_dataset_is_refused(run, tmp_path):
    run("data", "make", "random", "--games", "4", "--out", tmp_path / "d")
    (tmp_path / "J").write_bytes(bytes(8) + b"\1" + bytes(7) + b"a".ljust(20, b"\0"))
    another = f"{tmp_path / 'd'} has games of othello, not of"
    for command, arguments, told in (
        ("convert", ["--players", tmp_path / "J"], "--players is for files, not for a dataset"),
        ("convert", ["--tournaments", tmp_path / "J"], "--tournaments is for files, not for a dataset"),
        ("convert", ["--game", "checkers"], f"{another} checkers"),
        ("info", ["--size", "6"], f"{another} othello:size=6"),
        ("label", ["--game", "othello:size=4"], f"{another} othello:size=4"),
    ):
        target = [tmp_path / "a.npz"] if command == "convert" else []
        status, _, errors = run("data", command, tmp_path / "d", *target, *arguments)
        assert (status, errors) == (2, f"othello-env: {told}\n")
    assert not (tmp_path / "a.npz").exists()


@pytest.mark.parametrize("part", [0, 1])
def test_every_command_names_a_damaged_part_and_the_first_command_repairs_it(run, tmp_path, monkeypatch, part):
    monkeypatch.setattr("othello_env.cli.data._RANDOM_PART", 10)
    make = ("data", "make", "random", "--size", 4, "--games", 30, "--out", tmp_path / "d")
    run(*make)
    path = tmp_path / "d" / f"games-00000{part}.npz"
    path.write_bytes(path.read_bytes()[:-30])
    before = sorted(tmp_path.rglob("*"))
    for command in (
        ["convert", tmp_path / "d", tmp_path / "a.npz"],
        ["label", tmp_path / "d"],
        ["info", tmp_path / "d"],
    ):
        status, out, err = run("data", *command)
        assert (status, out) == (2, "")
        assert err.startswith(f"othello-env: {path} cannot be read; ")
    assert sorted(tmp_path.rglob("*")) == before
    assert run(*make) == (0, f"{tmp_path / 'd'}: 30 games\n", "")
    assert run("data", "convert", tmp_path / "d", tmp_path / "a.npz") == (0, f"{tmp_path / 'a.npz'}: 30 games\n", "")
    np.testing.assert_array_equal(read_games(tmp_path / "a.npz").actions, random_games(30, size=4).actions)


def test_damaged_games_of_a_dataset_are_left_out(run, tmp_path):
    run("data", "make", "random", "--games", "4", "--out", tmp_path / "d")
    (games,) = Dataset(tmp_path / "d")
    actions = games.actions.copy()
    actions[2, 1] = 0
    (tmp_path / "d" / "games-000000.npz").write_bytes(archive.dump(Games(actions, games.lengths)))
    for command in (["info"], ["convert"]):
        target = [tmp_path / "a.npz"] if command == ["convert"] else []
        assert "game 3, ply 2: the move is illegal" in run("data", *command, tmp_path / "d", *target)[2]
        status, _, errors = run("data", *command, tmp_path / "d", *target, "--skip")
        assert status == 0
        assert "1 damaged games were left out" in errors
    assert len(read_games(tmp_path / "a.npz")) == 3


def test_labels_by_an_agent(run, tmp_path):
    run("data", "make", "random", "--games", "3", "--out", tmp_path / "d", "--size", "6")
    spec = "alphabeta:depth=2"
    expected = agent_labels(random_games(3, size=6), spec)
    status, out, _ = run("data", "label", tmp_path / "d", "--agent", spec)
    name = tmp_path / "d" / "agent-alphabeta-depth-2"
    assert (status, out) == (0, f"{name}-*.npz: {len(expected):,} positions\n")
    with np.load(f"{name}-000000.npz") as file:
        for label, array in vars(expected).items():
            np.testing.assert_array_equal(file[label], array)
    again = run("data", "label", tmp_path / "d", "--agent", spec)[1]
    assert again.endswith(": 0 positions; 1 of 1 parts were labelled before\n")
    for option in ("--empties", "--count", "--seed", "--workers"):
        told = run("data", "label", tmp_path / "d", "--agent", spec, option, 2)[2]
        assert told == f"othello-env: {option} is for exact scores, not for --agent\n"
    errors = run("data", "label", tmp_path / "d", "--agent", "random")[2]
    assert "random has neither action_values nor action_probabilities" in errors


def test_labels_of_an_agent_whose_file_has_changed_are_not_taken_for_new(run, tmp_path):
    """Every file counts that a spec names."""
    run("data", "make", "random", "--games", "2", "--out", tmp_path / "d", "--size", "6")
    weights, module = tmp_path / "a.npz", tmp_path / "b.py"
    agents = [
        str(weights),
        f"ntuple:weights={weights}",
        f"engine:depth=1,eval={weights}",
        f"{module}:Mine",
    ]
    code = "from othello_agents.ntuple.agent import NTupleAgent\n\n\nclass Mine(NTupleAgent):\n    pass\n"
    network = NTupleNetwork(6)
    network.save(weights)
    module.write_text(code)
    commands = [("data", "label", tmp_path / "d", "--agent", agent) for agent in agents]
    for command in commands:
        assert run(*command)[0] == 0
        assert run(*command)[1].endswith("1 of 1 parts were labelled before\n")
    network.weights += 1
    network.save(weights)
    module.write_text(code + "\n")
    files = [*(tmp_path / "d").glob("agent-*.npz")]
    before = [file.read_bytes() for file in files]
    assert len(files) == len(agents)
    for command in commands:
        assert "has labels by another agent, or by an earlier version of its file" in run(*command)[2]
    assert [file.read_bytes() for file in files] == before
    for file in files:
        file.unlink()
    assert run(*commands[0])[0] == 0


def test_a_count_of_positions_is_labelled(run, tmp_path):
    path = tmp_path / "games.npz"
    write_games(path, random_games(20, seed=5))
    status, out, _ = run("data", "label", path, "--empties", "5", "--count", "7", "--seed", "3")
    assert (status, out) == (0, f"{tmp_path / 'games.exact-5-7.npz'}: 7 positions\n")
    with np.load(tmp_path / "games.exact-5-7.npz") as labels:
        np.testing.assert_array_equal(
            labels["values"], exact_labels(random_games(20, seed=5), 5, count=7, seed=3).values
        )
    assert "--seed belongs to --count" in run("data", "label", path, "--seed", "3")[2]
    run("data", "make", "random", "--games", "2", "--out", tmp_path / "d")
    assert "--count is for a file of games" in run("data", "label", tmp_path / "d", "--count", "3")[2]


@pytest.mark.parametrize("ending", ["npy", "parquet"])
@pytest.mark.parametrize(("vocabulary", "size"), [("othello-gpt", 8), ("metaothello", 8), ("othello-gpt", 6)])
def test_files_of_sequences(run, tmp_path, ending, vocabulary, size, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet") if ending == "parquet" else None
    monkeypatch.setattr("othello_env.cli.data._RANDOM_PART", 30)  # so that the file has several parts
    games, path = random_games(70, size=size, seed=3), tmp_path / f"a.{ending}"
    make = ["data", "make", "random", "--games", 70, "--out", path, "--size", size, "--seed", 3]
    assert run(*make, "--vocabulary", vocabulary) == (0, f"{path}: 70 sequences\n", "")

    def stored(path):
        if parquet is None:
            return np.load(path)
        table = parquet.read_table(path)
        assert table.column_names == ["tokens"]
        return np.array(table.column("tokens").to_pylist(), np.int8)

    np.testing.assert_array_equal(stored(path), tokens(games, vocabulary))
    write_games(tmp_path / "games.npz", games)
    again = tmp_path / f"b.{ending}"
    assert run("data", "convert", tmp_path / "games.npz", again, "--vocabulary", vocabulary)[0] == 0
    np.testing.assert_array_equal(stored(again), stored(path))
    if ending == "parquet" or (vocabulary, size) == ("othello-gpt", 8):
        length = size**2 - 4
        shown = np.where(np.arange(length) < np.minimum(games.lengths, length)[:, None], games.actions[:, :length], -1)
        np.testing.assert_array_equal(read_games(path).actions[:, :length], shown)
    status, _, err = run(*make[:6], tmp_path / "a.npz", "--vocabulary", vocabulary)
    assert status == 2
    assert "sequences of tokens are written to files that end in .npy or .parquet, not" in err
