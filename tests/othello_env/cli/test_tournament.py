"""The command tournament: its tables, its file of games, and the faults that it reports."""

from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from othello_env.arena import Schedule, Tournament, play_tournament, rate_tournament
from othello_env.arena.benchmark.ladder import Ladder
from othello_env.arena.tables import cross_table, tournament_chart
from othello_env.arena.tournament.records import read_records
from othello_env.games import registry

AGENTS = ("random", "maximizer:eval=weighted", "maximizer:eval=count")


@pytest.fixture
def run(run):
    """Run the command tournament. Return its status, its output and its errors."""
    return partial(run, "tournament")


def test_tables(run, tmp_path):
    out = tmp_path / "games.jsonl"
    arguments = (*AGENTS, "--games", 20, "--out", out)
    status, text, errors = run(*arguments)
    assert (status, errors) == (0, "")
    lines = text.splitlines()
    assert lines[0] == "60 of 60 games, othello, openings random:10, seed 0, no clock:"
    cross = [line.split() for line in lines[3:6]]
    assert [row[0] for row in cross] == ["1", "2", "3"]
    table = [[float(cell) if cell != "-" else None for cell in row[2:5]] for row in cross]
    for i in range(3):
        assert table[i][i] is None
        for j in range(i):
            assert table[i][j] + table[j][i] == pytest.approx(1, abs=0.0011)
        assert cross[i][5] == "40"
        assert float(cross[i][6]) == pytest.approx(sum(cell for cell in table[i] if cell is not None) / 2, abs=0.001)
    elo = [line.split() for line in lines[9:12]]
    assert [row[0] for row in elo] == [row[1] for row in cross]  # the best first, numbered as in the picture
    assert sorted(row[0] for row in elo) == sorted(AGENTS)
    assert [float(row[1]) for row in elo] == sorted((float(row[1]) for row in elo), reverse=True)
    assert next(row for row in elo if row[0] == "random")[1:5] == ["0", "0", "to", "0"]
    assert lines[12].startswith("Elo of these games alone, random is 0: a scale of its own, not that of another")

    assert len(read_records(out)) == 60
    before = out.read_bytes()
    assert run(*arguments) == (0, text, "")
    assert "line 1: it was played with seed 0, not 1" in run(*arguments, "--seed", 1)[2]
    assert out.read_bytes() == before


def test_a_full_disk_is_named_and_the_games_before_are_kept(run, tmp_path):
    resource = pytest.importorskip("resource")
    out, limits = tmp_path / "games.jsonl", resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, limits[1]))
    try:
        status, text, errors = run(*AGENTS[:2], "--games", 20, "--out", out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert status == 2
    assert errors.splitlines()[-1].startswith(f"othello-env: {str(out)!r} cannot be used: ")
    kept = len(read_records(out))
    assert text.startswith(f"{kept} of 20 games")
    assert 0 < kept < 20


def test_a_picture_of_scores_and_ratings(run, tmp_path):
    assert run("random", "maximizer:eval=weighted", "--games", 4, "--picture", tmp_path / "a.png")[0] == 0
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.format == "PNG"
    agents = {"random": "random", "maximizer:eval=weighted": "maximizer:eval=weighted"}
    result = play_tournament(agents, Schedule(tuple(agents), games=20))
    figure = tournament_chart(result)
    first, second = (label.get_text().split() for label in figure.axes[0].get_yticklabels())
    assert first[:2] == ["1", "maximizer:eval=weighted"]
    assert int(first[2]) > 100
    assert second == ["2", "random", "0"]
    assert [row[0] for row in cross_table(result)[1]] == ["1 maximizer:eval=weighted", "2 random"]


def test_a_gauntlet_and_an_anchor(run):
    status, text, _ = run(*AGENTS, "--games", 10, "--gauntlet", "--anchor", AGENTS[1])
    assert status == 0
    assert text.startswith("20 of 20 games")
    assert any(line.split()[:2] == [AGENTS[1], "0"] for line in text.splitlines())
    assert f"Elo of these games alone, {AGENTS[1]} is 0" in text


def test_openings_from_a_file_of_transcripts(run, tmp_path):
    openings, out = tmp_path / "openings.txt", tmp_path / "games.jsonl"
    openings.write_text("# two\nf5d6c3\n\nf5f6\n")
    status, text, _ = run(*AGENTS[:2], "--games", 4, "--openings", openings, "--out", out)
    assert status == 0
    assert "openings 2 given" in text
    assert [record.opening_moves for record in read_records(out)] == ["f5 d6 c3"] * 2 + ["f5 f6"] * 2


def test_any_game_gets_a_ladder(run, tmp_path):
    """The command makes it of its games, and `benchmark` reads it."""
    fewest, file = Path(__file__).parents[2] / "toy" / "fewest.py", tmp_path / "mine.json"
    game, games = f"{fewest}:Fewest:size=4", ("--games", 40, "--openings", "random:3")
    agents = ("random", "maximizer", "maximizer:epsilon=0.5")
    try:
        status, out, _ = run(*agents, "--game", game, *games, "--out", tmp_path / "games.jsonl", "--ladder", file)
        assert status == 0
        assert f"othello-env benchmark AGENT --ladder {file}" in out
        ladder = Ladder.from_file(file)
        assert (ladder.name, ladder.game, ladder.openings) == ("mine", "fewest:size=4", "random:3")

        expected = rate_tournament(Tournament.from_records(agents, read_records(tmp_path / "games.jsonl"))).elo
        found = {rung.spec: rung.elo for rung in ladder.rungs}
        assert found == pytest.approx(expected, abs=0.1)
        assert [rung.elo for rung in ladder.rungs] == sorted(found.values())
        assert [rung.games for rung in ladder.rungs] == [80, 80, 80]

        benchmark = partial(run.func, "benchmark", "maximizer:epsilon=0.2", "--games", 20, "--ladder", file)
        status, out, errors = benchmark()
        assert (status, errors) == (0, "")
        assert out.startswith("maximizer:epsilon=0.2: Elo on mine ")
        assert "(mine, 20 games, openings random:3, seed 0)" in out
        assert "mine is for fewest:size=4, not fewest" in benchmark("--game", "fewest")[2]
        file.write_text(file.read_text().replace('"fewest:size=4"', '"slowest"'))
        assert "mine.json is no ladder: expected one of the games" in benchmark()[2]
    finally:
        registry._GAMES.pop("fewest", None)  # other tests know only the package's own games


def test_a_ladder_without_limits_is_no_ladder(run, tmp_path):
    file = tmp_path / "mine.json"
    status, out, errors = run("random", "alphabeta:depth=4", "--games", 4, "--ladder", file)
    assert status == 2
    assert "no ladder, since the games set no limits to the rating of alphabeta:depth=4 (at least" in errors
    assert "alphabeta:depth=4" in out
    assert not file.exists()


def test_clocks_and_other_games(run, tmp_path):
    out = tmp_path / "games.jsonl"
    status, text, _ = run(*AGENTS[:2], "--games", 2, "--game", "othello:size=6", "--clock", "1m", "--out", out)
    assert status == 0
    assert "othello:size=6, openings random:10, seed 0, clock 60s" in text
    for record in read_records(out):
        assert record.clock == "60s"
        assert all(0 < seconds < 60 for seconds in record.seconds)
        record.replay()
    assert run(AGENTS[0], AGENTS[2], "--games", 2, "--game", "checkers", "--move-time", "10s")[0] == 0
