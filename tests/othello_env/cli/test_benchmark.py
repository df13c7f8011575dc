"""``othello-env benchmark``: what it prints and writes."""

import io
import json
import re
from functools import partial

import numpy as np
import pytest
from PIL import Image

from othello_agents.ntuple import NTupleNetwork
from othello_env.arena import Report, mean_over_seeds, measure_positions, read_records, run_benchmark
from othello_env.arena.benchmark.ladder import Placement, place
from othello_env.arena.compare import leaderboard_table
from othello_env.arena.elo import Fit
from othello_env.page.results import Recorded, read_results
from othello_env.support.files import parse_json

POLICY = "import numpy as np\ndef first(observations, masks):\n    return np.argmax(masks, axis=1)\n"


@pytest.fixture
def run(run):
    """Run the command benchmark. Return its status, its output and its errors."""
    return partial(run, "benchmark")


def read(folder):
    """The report in a folder, read by everything that reads reports."""
    content = parse_json((folder / "benchmark.json").read_bytes())
    report = Report.from_json(content)
    assert report.to_json()["parts"] == content["parts"]
    shown = read_results("benchmark.json", content)
    numbers = [number for part in report.parts for number in part.numbers]
    facts = [fact for part in shown["parts"] for fact in part["facts"] if fact[0] != "illegal or failed answers"]
    assert [name for name, _ in facts] == [number.name for number in numbers]
    assert all(text.startswith(number.text) for (_, text), number in zip(facts, numbers, strict=True))
    assert leaderboard_table([report])[1] == [(report.agent, *(number.brief for number in numbers))]
    assert {name for _, name in mean_over_seeds([report])} == {number.name for number in numbers}
    assert all(number.text in (folder / "benchmark.md").read_text() for number in numbers)
    return report, {part.part: part for part in report.parts}


def test_it_prints_and_writes_what_it_found(run, tmp_path):
    (tmp_path / "policy.py").write_text(POLICY)
    folder = tmp_path / "deep" / "results"
    agent = f"{tmp_path}/policy.py:first"
    status, out, err = run(agent, "--games", 40, "--seed", 2, "--out", folder)
    assert (status, err) == (0, "")
    report, parts = read(folder)
    assert (report.agent, report.game, report.settings["seed"]) == (agent, "othello", 2)
    assert (parts["ladder"].details["ladder"], parts["ladder"].details["games"]) == ("ladder-v0", 40)
    elo = report["Elo"]
    assert elo.low < elo.value < elo.high
    interval = f"{elo.low:.0f} to {elo.high:.0f}"
    assert out.startswith(f"{agent}: Elo {elo.value:.0f}, 95% interval {interval} (ladder-v0, 40 games, openings ")
    rows, page = parts["ladder"].tables[0].rows, (folder / "benchmark.md").read_text()
    assert sum(row["games"] for row in rows) == 40
    for row in rows:
        assert row["wins"] + row["draws"] + row["losses"] == row["games"]
        assert f"{row['score'].value:.3f}".removeprefix("0") in out
        assert f"| {row['rung']} |" in page
    assert f"{report['best endgame moves'].value:.1%}" in out
    assert "| rung | Elo | games |" in page
    assert out.splitlines()[0] in page
    with Image.open(io.BytesIO((folder / "ladder.png").read_bytes())) as image:
        assert image.width > 600
    names = ["benchmark.json", "benchmark.md", "ladder-games.jsonl", "ladder.png", "positions.jsonl"]
    assert sorted(path.name for path in folder.iterdir()) == names
    games = read_records(folder / "ladder-games.jsonl")
    assert len(games) == 40
    assert all(agent in game.agents and game.words is None for game in games)
    losses = [json.loads(line)["loss"] for line in (folder / "positions.jsonl").read_text().splitlines()]
    assert len(losses) == parts["positions"].details["count"]
    assert sum(losses) / len(losses) == pytest.approx(report["discs lost a move"].value, abs=1e-3)


def test_scores_that_fit_no_rating_are_reported_unless_the_misfit_is_small(monkeypatch):
    """With many games, scores that differ by as much as the errors of the rungs' own ratings are significant."""
    placement = place("maximizer:eval=count", games=8)
    for fit, is_told in ((Fit(99.0, 3, 0.04), False), (Fit(99.0, 3, 0.06), True), (Fit(1.0, 3, 0.06), False)):
        monkeypatch.setattr(Placement, "fit", fit)
        notes = " ".join(placement.notes)
        assert ("One rating does not explain its scores" in notes) == is_told
        assert ("they differ from the expected scores by .060 (about 42 Elo). Quote the scores" in notes) == is_told
        assert placement.details["fit"]["p"] == pytest.approx(fit.p_value, abs=1e-4)


def test_illegal_moves_are_reported(run, tmp_path):
    (tmp_path / "policy.py").write_text(POLICY.replace("np.argmax(masks, axis=1)", "np.zeros(len(masks), int)"))
    status, out, err = run(f"{tmp_path}/policy.py:first", "--games", 20)
    assert status == 0
    assert "20 games lost by illegal moves or errors" in out
    assert ": Elo none (" in out
    assert "474 of 500 answers were illegal or failed" in out  # a1 is legal in the other 26 of the 500 positions
    assert "a1 (action 0) is not legal" in err


STOPS = """
from othello_env import Agent

class Stops(Agent):
    asked = 0

    def act(self, state):
        Stops.asked += 1
        if Stops.asked > 150:
            raise KeyboardInterrupt
        return state.legal_actions()[0]
"""


def test_an_interrupt_keeps_what_was_played(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(STOPS)
    status, out, _ = run("mine.py:Stops", "--games", 20, "--out", "out")
    assert status == 130
    report, parts = read(tmp_path / "out")
    games = parts["ladder"].details["games"]
    assert 0 < games < 20
    assert report.settings["interrupted"] == "ladder"
    for text in (out, (tmp_path / "out" / "benchmark.md").read_text()):
        assert f"{games} games" in text
        assert "The run was interrupted in the part ladder. Measured: ladder." in text
    assert len(read_records(tmp_path / "out" / "ladder-games.jsonl")) == games


@pytest.mark.parametrize(("size", "first"), [(4, ["positions", "exploitability"]), (6, ["ladder", "positions"])])
def test_a_small_board_is_measured_against_perfect_play(run, tmp_path, size, first):
    agent = "maximizer:eval=weighted"
    status, out, err = run(agent, "--size", size, "--games", 4, "--seed", 3, "--out", tmp_path)
    assert (status, err) == (0, "")
    report, parts = read(tmp_path)
    assert (report.game, list(parts)) == (f"othello:size={size}", [*first, "perfect"])
    told = [line for line in out.splitlines() if line.startswith(agent)]
    assert any(f"perfect moves {report['perfect moves'].value:.1%}, 95% interval " in line for line in told)
    if size == 4:
        assert f"exploitability {report['exploitability'].value:.2f} (discs a game, seed 3)" in out
    else:
        assert "(ladder-6x6-v0, 4 games, openings balanced-6x6-v0, seed 3)" in told[0]
        assert parts["ladder"].details["games"] == 4
    page = (tmp_path / "benchmark.md").read_text()
    for row in parts["positions"].tables[0].rows:
        assert f"| {row['empty']} | {row['positions']} | {row['perfect moves'].value:.1%} |" in page
    assert len(read_records(tmp_path / "perfect-games.jsonl")) == parts["perfect"].details["games"] == 4


def test_a_part_that_fails_takes_nothing_with_it(run, tmp_path, monkeypatch):
    def fails(agent, game, seed, limits, progress):
        assert (tmp_path / "out" / "benchmark.json").exists(), "the rating is written before the next part begins"
        raise RuntimeError("the model broke down")

    monkeypatch.setattr("othello_env.arena.benchmark.positions.measure", fails)
    status, out, err = run("random", "--games", 4, "--out", tmp_path / "out")
    assert (status, err.count("the model broke down")) == (2, 1)
    report, parts = read(tmp_path / "out")
    assert (list(parts), report.settings["failed"]) == (["ladder"], "positions")
    assert out.startswith("random: Elo ")
    assert "The part positions failed. Measured before: ladder." in out
    seen = []
    with pytest.raises(RuntimeError):
        run_benchmark("random", games=4, progress=seen.append)
    assert seen[-1].settings["failed"] == "positions"
    assert seen[-1].numbers == report.numbers or seen[-1]["Elo"].value is not None


def test_the_files_are_whole_if_nobody_reads_the_output(run, tmp_path, monkeypatch):
    def closed(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr("click.echo", closed)
    run("random", "--endgame", "--out", tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"benchmark.json", "benchmark.md", "positions.jsonl"}
    assert read(tmp_path / "out")[1]["positions"].details["count"] == 500


def test_two_runs_do_not_write_to_one_folder(run, tmp_path, monkeypatch):
    out, asked = tmp_path / "out", []

    def measure(agent, game, seed, limits, progress):
        asked.append(run("random", "--endgame", "--out", out))  # a second run, while the first is under way
        return measure_positions(agent, game=game)

    monkeypatch.setattr("othello_env.arena.benchmark.positions.measure", measure)
    assert run("random", "--endgame", "--out", out)[0] == 0
    assert asked == [(2, "", f"othello-env: another process writes to {out}\n")]
    assert (read(out)[0].agent, (out / ".lock").exists()) == ("random", False)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["random", "--ladder", "full/file"], "full/file is no ladder: "),
        (["random", "--out", "full"], "full exists and is not an empty folder"),
        (["random", "--out", "full/file"], "full/file exists and is not an empty folder"),
        (["random", "--out", "full/file/deeper"], "Not a directory"),
    ],
)
def test_a_folder_that_is_not_empty_is_an_error_before_any_game(run, tmp_path, monkeypatch, arguments, told):
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
    rates = [read(tmp_path / f"run-{n}")[0]["perfect moves"].value for n in (1, 2, 3)]
    written = json.loads((tmp_path / "seeds.json").read_text())
    assert written["agents"] == agents
    perfect = next(number for number in written["numbers"] if number["name"] == "perfect moves")
    assert perfect["game"] == "othello:size=4"
    assert perfect["values"] == pytest.approx(rates, abs=1e-4)
    assert perfect["mean"] == pytest.approx(sum(rates) / 3, abs=1e-4)
    row = next(line.split() for line in out.splitlines() if line.startswith("perfect moves  "))
    assert row[2:4] == ["3", f"{perfect['mean']:.1%}"]
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
    assert re.search(r"rambling: up .* tokens of answers and a cost of 0\.\d\d \(as in the first \d+\)", err)
    page = (tmp_path / "out" / "leaderboard.md").read_text()
    assert (tmp_path / "out" / "leaderboard.png").read_bytes().startswith(b"\x89PNG")
    rows = {}
    for line in page.splitlines():
        if line.startswith(("| rambling ", "| random ", "| greedy ")):
            name, *cells = line.strip("| ").split(" | ")
            rows[name] = cells
            assert all(cell in out for cell in cells)
    assert set(rows) == set(names)
    columns = next(line for line in page.splitlines() if line.startswith("| agent |")).strip("| ").split(" | ")[1:]
    rows = {name: dict(zip(columns, cells, strict=True)) for name, cells in rows.items()}
    for number, agent in enumerate(names, start=1):
        folder = tmp_path / "out" / f"run-{number}"
        report, parts = read(folder)
        answers = parts["answers"].details["summary"]
        legal = rows[agent]["legal answers"]
        assert legal.startswith(f"{answers['legal_rate']:.1%} (")
        assert (answers["legal_rate"] == 1) == (agent != "rambling")
        low, high = answers["unreadable_rate_interval95"]
        assert (low <= 0.1 <= high) == (agent == "rambling")
        assert rows[agent]["discs lost a move"].startswith(f"{report['discs lost a move'].value:.2f} (")
        assert answers["cost"] == pytest.approx(0.001 * (answers["answers"] + answers["unused"]))
        assert answers["judged"] > 0
    assert float(rows["rambling"]["tokens a move"]) > 100 > float(rows["greedy"]["tokens a move"])
    (record, *_) = read_records(tmp_path / "out" / "run-1" / "ladder-games.jsonl")
    final, own = record.replay(), record.agents.index("rambling")
    assert len(record.words) == len(final.moves)
    before = record.first_position().positions(final.moves)[:-1]
    spoken = [position.to_move for position, words in zip(before, record.words, strict=True) if words]
    assert spoken
    assert set(spoken) == {own}
    shown = Recorded.read(tmp_path / "out" / "run-1" / "ladder-games.jsonl")
    assert record.words in [shown.game(number)["words"] for number in range(len(shown))]
