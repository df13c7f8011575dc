"""Tournaments: they are killed and resumed, and played in one process or two; their tables."""

import math
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from othello_env import WrongGameError, make_agent
from othello_env.agent import file_hashes
from othello_env.agent.clock import TimeControl
from othello_env.arena.benchmark.ladder import AGENT, Ladder, Rung, place
from othello_env.arena.benchmark.run import run_benchmark
from othello_env.arena.elo import rate_tournament
from othello_env.arena.match import play_match
from othello_env.arena.play.games import play_game
from othello_env.arena.play.records import RecordError, versions
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.records import read_records
from othello_env.arena.tournament.results import Tournament, overall
from othello_env.arena.tournament.schedule import Schedule

pytestmark = pytest.mark.filterwarnings("ignore::othello_env.arena.FaultWarning")  # some agents fail on purpose

NAMES = ("random", "maximizer:eval=count", "random:epsilon=0.5")


def play(names=NAMES, games=10, **arguments):
    options = {key: arguments.pop(key) for key in ("openings", "seed", "game", "gauntlet") if key in arguments}
    return play_tournament({name: name for name in names}, Schedule(tuple(names), games, **options), **arguments)


def lines(path):
    return sorted(path.read_bytes().splitlines(keepends=True))


@pytest.mark.parametrize(
    ("names", "game", "openings"),
    [
        (("random", "maximizer:epsilon=0.2"), "othello", "balanced-v0"),
        (("random:epsilon=0.5", "random"), "othello:size=6", None),
        (("maximizer:eval=weighted,epsilon=0.2", "random"), "othello", ("f5d6c3", "f5f6")),
        (("random", "maximizer:eval=material"), "checkers", "random:4"),
    ],
)
def test_a_match_is_a_tournament_of_two(names, game, openings):
    """A match has the openings, keys and colours of a tournament. So all moves agree, even those of random agents."""
    result = play(names, 12, seed=9, openings=openings, game=game)
    match = play_match(*names, games=12, openings=openings, seed=9, game=game)
    assert match.records == result.records
    assert match == result.scores()[names]
    assert len({record.moves for record in match.records}) > 6, "the games differ from each other"
    other = play_match(*names, games=12, openings=openings, seed=10, game=game)
    assert [record.moves for record in other.records] != [record.moves for record in match.records]


def test_a_placement_plays_the_games_of_the_tournament_with_the_rung():
    """Each rung has its own order of the packaged openings."""
    ladder = Ladder("cheap", tuple(Rung(spec, 0.0, (0.0, 0.0), 2) for spec in ("maximizer", "random:epsilon=0.5")))
    found = place("random", ladder=ladder, games=16, seed=3)
    games = 0
    for rung, match in found.matches.items():
        schedule = Schedule((AGENT, rung.spec), 1000, "balanced-v0", seed=3)
        agents = {AGENT: make_agent("random"), rung.spec: make_agent(rung.spec)}
        assert match.records == tuple(
            play_game(agents, schedule.pairing(record.opening, record.agents)) for record in match.records
        )
        games += match.games
    assert games == 16


@pytest.mark.parametrize("keep", [0, 7, 30])
def test_what_is_there_is_not_played_again(tmp_path, keep):
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    result = play(file=whole)
    kept = whole.read_bytes().splitlines(keepends=True)[:keep]
    part.write_bytes(b"".join(kept) + b'{"format": "othello-env ga')
    assert play(file=part) == result
    assert part.read_bytes().startswith(b"".join(kept))
    assert lines(part) == lines(whole)
    grown = tmp_path / "grown.jsonl"
    play(NAMES[:2], 6, file=grown)
    assert play(file=grown) == result, "a tournament grows"
    assert lines(grown) == lines(whole)


@pytest.mark.slow
def test_killed_again_and_again_it_ends_as_if_nothing_had_been(tmp_path):
    """SIGKILL ends the tournament at any moment. In the end, the sorted records are right, byte for byte."""
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    names = ("alphabeta:depth=3,eval=weighted", "alphabeta:depth=3,eval=mobility", "random")
    command = [sys.executable, "-c", "from othello_env.cli import main; main()", "tournament", *names]
    expected = play(names, 60, file=whole)
    kills = 0
    for workers in ("1", "2"):
        size = part.stat().st_size if part.exists() else 0
        arguments = [*command, "--games", "60", "--out", str(part), "--workers", workers]
        with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            while process.poll() is None and (not part.exists() or part.stat().st_size == size):
                time.sleep(0.005)
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert not process.stderr.read()
    assert kills, "it was too fast to be killed"
    assert len(read_records(part)) < 180
    assert play(names, 60, file=part) == expected
    assert lines(part) == lines(whole)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": 1}, "line 1: it was played with seed 0, not 1"),
        ({"openings": ("f5d6",)}, "line 1: it was played with openings random:10, not None"),
        ({"game": "othello:size=6"}, "line 1: it was played with game othello, not othello:size=6"),
        ({"clock": TimeControl(5)}, "line 1: it was played with clock None, not 5s"),
        ({"names": ("random", "maximizer")}, "line 1: opening 0 of random - maximizer:eval=count is not"),
        ({"games": 2}, "line 3: opening 1 of .* is not a game of this tournament"),
    ],
)
def test_another_tournaments_file_is_left_alone(tmp_path, change, told):
    path = tmp_path / "games.jsonl"
    arguments = {"names": ("random", "maximizer:eval=count"), "games": 4, "file": path}
    play(**arguments)
    before = path.read_bytes()
    with pytest.raises(RecordError, match=told):
        play(**(arguments | change))
    assert path.read_bytes() == before


def test_three_players():
    names = ("random", "tribolo", "random:epsilon=0.1")
    result = play(names, 12, game="tribolo:width=8,height=6,walls=3,cells=3", openings=None)
    assert len(result.records) == 12
    for record in result.records:
        assert record.replay().returns() == record.result
    scores = result.scores()
    assert scores[names[0], names[1]].games == 12
    assert scores[names[0], names[1]].score + scores[names[1], names[0]].score == pytest.approx(1)
    assert next(iter(rate_tournament(result).elo)) == "random"
    for name in names:
        games, score, margin = overall([scores[name, other] for other in names if other != name])
        own = [record.margins[record.agents.index(name)] for record in result.records]
        assert (games, margin) == (12, pytest.approx(sum(own) / 12))
        assert score == pytest.approx(sum(scores[name, other].score for other in names if other != name) / 2)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_agent_that_does_not_play_the_game_is_told_before_any_game(tmp_path, workers):
    path = tmp_path / "games.jsonl"
    with pytest.raises(WrongGameError, match="perfect plays Othello on 4x4 and 6x6"):
        play(("random", "maximizer", "perfect"), 2, file=path, workers=workers)
    with pytest.raises(ValueError, match="there is no agent 'nobody'"):
        play(("random", "nobody"), file=path, workers=workers)
    with pytest.raises(WrongGameError, match="the engine plays Othello, not Checkers"):
        play_match("random", "engine", games=4, openings="random:2", game="checkers", workers=workers)
    assert not path.exists()


def test_games_that_ended_by_a_fault_are_resumed(tmp_path):
    """A game can end by an error, an illegal answer, or a failed beginning."""
    odd = f"{Path(__file__).parents[1] / 'odd_agents.py'}:"
    names = ("random", *(odd + name for name in ("Raiser", "Liar", "Unprepared")))
    path = tmp_path / "games.jsonl"
    result = play(names, 2, file=path)
    assert all(map(result.faults, names[1:]))
    assert play(names, 2, file=path) == result


def test_ratings_have_their_anchor():
    result = play(("maximizer:eval=weighted", "random"), 100)
    ratings = rate_tournament(result)
    assert ratings.elo["random"] == 0
    score = result.scores()["maximizer:eval=weighted", "random"].score
    assert ratings.elo["maximizer:eval=weighted"] == pytest.approx(400 * math.log10(score / (1 - score)), rel=0.03)
    assert rate_tournament(result, "maximizer:eval=weighted").elo["maximizer:eval=weighted"] == 0
    with pytest.raises(ValueError, match="got 'edax'"):
        rate_tournament(result, "edax")


def test_an_interrupt_keeps_what_was_played(tmp_path):
    path = tmp_path / "games.jsonl"
    seen = []

    def progress(record):
        seen.append(record)
        if len(seen) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(file=path, progress=progress)
    assert read_records(path) == seen
    assert Tournament.from_records(NAMES, seen).agents == NAMES
    assert play(file=path) == play()


def test_records_say_which_files_played(tmp_path):
    policy, file = tmp_path / "policy.py", tmp_path / "games.jsonl"
    policy.write_text("import numpy as np\ndef first(observations, masks):\n    return np.argmax(masks, axis=1)\n")
    spec = f"{policy}:first"
    own = file_hashes(spec)
    for record in play((spec, "random", NAMES[1]), 2, file=file).records:
        assert {k: v for k, v in record.versions.items() if ":" in v} == (own if spec in record.agents else {})
    for workers in (1, 2):
        records = play_match(spec, "random", games=2, workers=workers).records
        assert [record.versions for record in records] == [versions() | own] * 2
    assert "files" not in run_benchmark("random", "othello:size=4", games=0).settings
    assert run_benchmark(spec, "othello:size=4", games=0).settings["files"] == own
    again = play((spec, "random", NAMES[1]), 4, file=file)
    assert len(again.records) == 12
    policy.write_text(policy.read_text() + "# edited\n")
    with pytest.raises(RecordError, match=r"line 1: it was played with another version of .*policy\.py; resume with"):
        play((spec, "random", NAMES[1]), 6, file=file)
