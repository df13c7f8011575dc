"""``othello-env benchmark``: what it prints and writes."""

import io
import json
from functools import partial

import numpy as np
import pytest
from PIL import Image

from othello_agents.ntuple import NTupleNetwork
from othello_env.arena import read_records
from othello_env.arena.rating.benchmark import Benchmark
from othello_env.arena.rating.elo import Fit
from othello_env.arena.rating.ladder import Placement, place
from othello_env.page.results import Recorded
from othello_env.support.files import parse_json

POLICY = "import numpy as np\ndef first(observations, masks):\n    return np.argmax(masks, axis=1)\n"


@pytest.fixture
def run(run):
    """Run the command benchmark. Return its status, its output and its errors."""
    return partial(run, "benchmark")


def test_it_prints_and_writes_what_it_found(run, tmp_path):
    (tmp_path / "policy.py").write_text(POLICY)
    folder = tmp_path / "deep" / "results"
    agent = f"{tmp_path}/policy.py:first"
    status, out, err = run(agent, "--games", 40, "--seed", 2, "--out", folder)
    assert (status, err) == (0, "")
    written = json.loads((folder / "benchmark.json").read_text())
    assert (written["agent"], written["seed"], written["ladder"], written["games"]) == (agent, 2, "ladder-v0", 40)
    low, high = written["interval95"]
    assert low < written["elo"] < high
    assert out.startswith(f"{agent}: Elo {written['elo']:.0f}, 95% interval {low:.0f} to {high:.0f} (ladder-v0, 40 ")
    assert sum(row["games"] for row in written["results"]) == 40
    for row in written["results"]:
        assert row["wins"] + row["draws"] + row["losses"] == row["games"]
        assert f"{row['score']:.3f}".removeprefix("0") in out
    assert f"{written['endgame']['best_move_rate']:.1%}" in out
    page = (folder / "benchmark.md").read_text()
    assert "| rung | Elo | games |" in page
    assert all(f"| {row['opponent']} |" in page for row in written["results"])
    assert out.splitlines()[0] in page
    with Image.open(io.BytesIO((folder / "benchmark.png").read_bytes())) as image:
        assert image.width > 600
    names = ["benchmark.json", "benchmark.md", "benchmark.png", "games.jsonl", "positions.jsonl"]
    assert sorted(path.name for path in folder.iterdir()) == names
    games = read_records(folder / "games.jsonl")
    assert len(games) == 40
    assert all(agent in game.agents and game.words is None for game in games)
    rows = [json.loads(line) for line in (folder / "positions.jsonl").read_text().splitlines()]
    losses = [row["loss"] for row in rows]
    assert len(rows) == written["endgame"]["count"]
    assert sum(losses) / len(rows) == pytest.approx(written["endgame"]["mean_loss"], abs=1e-3)


def test_scores_that_fit_no_rating_are_reported_unless_the_misfit_is_small(monkeypatch):
    """With many games, scores that differ by as much as the errors of the rungs' own ratings are significant."""
    placement = place("maximizer:eval=count", games=8)
    for fit, is_told in ((Fit(99.0, 3, 0.04), False), (Fit(99.0, 3, 0.06), True), (Fit(1.0, 3, 0.06), False)):
        monkeypatch.setattr(Placement, "fit", fit)
        found = Benchmark("a", placement, None, {"seed": 0}, 1.0)
        notes = " ".join(found.notes())
        assert ("One rating does not explain its scores" in notes) == is_told
        assert ("they differ from the expected scores by .060 (about 42 Elo). Quote the scores" in notes) == is_told
        assert all(note in found.to_markdown() for note in found.notes())
        assert found.to_json()["fit"]["p"] == pytest.approx(fit.p_value, abs=1e-4)


def test_illegal_moves_are_reported(run, tmp_path):
    (tmp_path / "policy.py").write_text(POLICY.replace("np.argmax(masks, axis=1)", "np.zeros(len(masks), int)"))
    status, out, err = run(f"{tmp_path}/policy.py:first", "--games", 20)
    assert status == 0
    assert "20 games lost by illegal moves or errors" in out
    assert ": Elo none, all games were forfeited (" in out
    assert "474 illegal or failed" in out  # a1 is legal in the other 26 of the 500 positions
    assert "a1 (action 0) is not legal" in err


@pytest.mark.parametrize(
    ("size", "options", "missing"),
    [
        (8, ["--games", 20], "4 games of at most 20 were played; the endgames were not measured."),
        (8, ["--within", 50], "4 games were played, too few for +-50 Elo; the endgames were not measured."),
        (6, ["--games", 20], "4 games of at most 20 were played; no move was compared with perfect play."),
    ],
)
def test_an_interrupt_keeps_what_was_played(run, tmp_path, monkeypatch, size, options, missing):
    def interrupted(*_, progress, **__):
        progress(place("random", size=size, games=4))
        raise KeyboardInterrupt

    monkeypatch.setattr("othello_env.cli.benchmark.run_benchmark", interrupted)
    status, out, _ = run("random", *options, "--size", size, "--out", tmp_path / "out")
    assert status == 130
    page = (tmp_path / "out" / "benchmark.md").read_text()
    for text in (out, page):
        assert "4 games, interrupted" in text
        assert f"The run was interrupted: {missing}" in text
    written = json.loads((tmp_path / "out" / "benchmark.json").read_text())
    assert (written["games"], written["interrupted"]) == (4, True)
    assert "endgame" not in written


def test_a_small_board_is_measured_against_perfect_play(run, tmp_path):
    status, out, err = run("maximizer:eval=weighted", "--size", 4, "--games", 8, "--seed", 3, "--out", tmp_path)
    assert (status, err) == (0, "")
    names = ["perfection.json", "perfection.md", "perfection.png", "positions.jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    written = json.loads((tmp_path / "perfection.json").read_text())
    assert out.startswith(f"maximizer:eval=weighted on 4x4: {written['moves']['best_move_rate']:.1%} of its moves are ")
    assert f"{written['games']['discs_lost_a_game']:.1f} discs lost a game" in out
    assert f"{written['exploitability']['discs']:.1f} discs a game" in out
    page = (tmp_path / "perfection.md").read_text()
    for stage in written["moves"]["stages"]:
        low, high = stage["empty"]
        assert f"| {low} to {high} | {stage['count']} | {stage['best_move_rate']:.1%} |" in page


def test_on_6x6_an_agent_is_rated_and_measured_against_perfect_play(run, tmp_path):
    agent = "maximizer:eval=weighted"
    status, out, err = run(agent, "--size", 6, "--games", 4, "--seed", 3, "--out", tmp_path)
    assert (status, err) == (0, "")
    rated, measured = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("benchmark", "perfection"))
    assert (rated["ladder"], rated["openings"], rated["games"]) == ("ladder-6x6-v0", "balanced-6x6-v0", 4)
    assert (measured["size"], measured["games"]["games"]) == (6, 4)
    assert "endgame" not in rated  # the packaged endgames are on 8x8
    first, second = (line for line in out.splitlines() if line.startswith(agent) and "seed 3" in line)
    assert "(ladder-6x6-v0, 4 games, openings balanced-6x6-v0, seed 3)" in first
    assert f"{measured['moves']['best_move_rate']:.1%} of its moves are perfect" in second
    assert {f"{name}.{kind}" for name in ("benchmark", "perfection") for kind in ("md", "png")} < {
        path.name for path in tmp_path.iterdir()
    }


def test_the_files_are_whole_if_nobody_reads_the_output(run, tmp_path, monkeypatch):
    def closed(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr("click.echo", closed)
    run("random", "--endgame", "--out", tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"benchmark.json", "benchmark.md", "positions.jsonl"}
    assert parse_json((tmp_path / "out" / "benchmark.json").read_bytes())["endgame"]["count"] == 500


def test_an_interrupt_before_the_first_game_leaves_whole_json(run, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("othello_env.arena.rating.perfection.play_match", interrupted)
    status, _, _ = run("random", "--size", 4, "--out", tmp_path / "out")
    assert status == 130
    written = parse_json((tmp_path / "out" / "perfection.json").read_bytes())
    assert "games" not in written
    assert written["moves"]["count"] > 0
    page = (tmp_path / "out" / "perfection.md").read_text()
    assert "The run was interrupted: 0 of " in page


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nobody"], "there is no agent 'nobody'"),
        (["random", "--games", "3"], "not even"),
        (["random", "--size", "5"], "size must be one of 4, 6, 8, not 5"),
        (["random", "--size", "4", "--within", "50"], "for a ladder, and there is no ladder for 4x4"),
        (["perfect", "--size", "8"], "perfect plays Othello on 4x4 and 6x6"),
        (["random", "--out", "full"], "full exists and is not an empty folder"),
        (["random", "--out", "full/file"], "full/file exists and is not an empty folder"),
        (["random", "--out", "full/file/deeper"], "Not a directory"),
    ],
)
def test_wrong_arguments_are_an_error_before_any_game(run, tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_the_runs_of_one_method_have_a_mean(run, tmp_path):
    agents = [f"{tmp_path}/seed{n}.npz" for n in range(3)]
    for n, agent in enumerate(agents):
        network = NTupleNetwork(4)
        network.weights += np.random.default_rng(n).normal(size=network.weights.shape).astype(np.float32)
        network.save(agent)
    tmp_path /= "out"
    status, out, _ = run(*agents, "--size", 4, "--games", 2, "--out", tmp_path)
    assert status == 0
    runs = [json.loads((tmp_path / f"run-{n}" / "perfection.json").read_text()) for n in (1, 2, 3)]
    rates = [each["moves"]["best_move_rate"] for each in runs]
    written = json.loads((tmp_path / "seeds.json").read_text())
    assert written["agents"] == agents
    assert written["perfect moves"]["values"] == pytest.approx(rates, abs=1e-4)
    assert written["perfect moves"]["mean"] == pytest.approx(sum(rates) / 3, abs=1e-4)
    row = next(line.split() for line in out.splitlines() if line.startswith("perfect moves"))
    assert row[2:4] == ["3", f"{written['perfect moves']['mean']:.1%}"]
    assert "over the runs" not in run("random", agents[0], "--size", 4, "--endgame")[1], "these are no runs of a method"


MODELS = """
import chat_server
from othello_env.text import Answer, ChatAgent

def model(name):
    def chat(messages):
        text = chat_server.answer(name, messages)
        return Answer(text, tokens=len(text) // 4, cost=0.001)
    return ChatAgent(chat, name=name, workers=4, transcripts=f"{name}.jsonl")

random, greedy, rambling = map(model, ("random", "greedy", "rambling"))
twin = ChatAgent(lambda messages: chat_server.answer("greedy", messages), name="greedy")
"""


def test_language_models_get_a_leaderboard(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.py").write_text(MODELS)
    agents = [f"models.py:{name}" for name in ("rambling", "random", "greedy")]
    names = ["rambling", "random (models.py:random)", "greedy"]  # an opponent is called random
    status, out, err = run(*agents, "--size", 6, "--games", 4, "--out", "out")
    assert status == 0
    assert "rambling: up to about 508 moves, with" in err, "380 positions and twice 4 games of 16 moves"
    page = (tmp_path / "out" / "leaderboard.md").read_text()
    assert (tmp_path / "out" / "leaderboard.png").read_bytes().startswith(b"\x89PNG")
    rows = {}
    for line in page.splitlines():
        if line.startswith(("| rambling ", "| random ", "| greedy ")):
            name, *cells = line.strip("| ").split(" | ")
            rows[name] = cells
            assert all(cell in out for cell in cells)
    assert set(rows) == set(names)
    for number, agent in enumerate(names, start=1):
        folder = tmp_path / "out" / f"run-{number}"
        answers = json.loads((folder / "benchmark.json").read_text())["answers"]
        assert (folder / "benchmark.md").read_text().count(" a move; ") == 0, "one time, that of the calls"
        legal = rows[agent][3]
        assert legal.startswith(f"{answers['legal_rate']:.1%} (")
        assert (answers["legal_rate"] == 1) == (agent != "rambling")
        low, high = answers["unreadable_rate_interval95"]
        assert (low <= 0.1 <= high) == (agent == "rambling")
        lost = json.loads((folder / "perfection.json").read_text())["moves"]["mean_loss"]
        assert rows[agent][4] == f"{lost:.2f}"
        assert answers["cost"] == pytest.approx(0.001 * answers["answers"])
        assert [phase["empty"] for phase in answers["regret"]][-1] == [1, 4]
    assert float(rows["rambling"][5]) > 100 > float(rows["greedy"][5])
    (record, *_) = read_records(tmp_path / "out" / "run-1" / "games.jsonl")
    final, own = record.replay(), record.agents.index("rambling")
    assert len(record.words) == len(final.moves)
    before = record.first_position().positions(final.moves)[:-1]
    spoken = [position.to_move for position, words in zip(before, record.words, strict=True) if words]
    assert spoken
    assert set(spoken) == {own}
    shown = Recorded.read(tmp_path / "out" / "run-1" / "games.jsonl")
    assert record.words in [shown.game(number)["words"] for number in range(len(shown))]
    again = run(agents[1], "--size", 6, "--endgame")[2]
    assert "random: up to about 380 moves" in again
    assert "and a cost of 0.38, as in the transcripts" in again


def test_models_of_one_name_are_told_apart(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.py").write_text(MODELS)
    _, out, _ = run("models.py:greedy", "models.py:twin", "models.py:rambling", "--size", 6, "--endgame")
    table = out[out.index("95% interval") :].splitlines()
    told = {line.split("  ")[0] for line in table[-3:]}
    assert told == {
        "greedy (models.py:greedy)",
        "greedy (models.py:twin)",
        "rambling",
    }
