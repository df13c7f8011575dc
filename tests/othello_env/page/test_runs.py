"""The folder of training runs that the page watches."""

import json
import math
import os
from pathlib import Path

import reports

from othello_env.league import League
from othello_env.page.results import league_view
from othello_env.page.runs import Runs


def write(file, elo):
    """A file that rates an agent."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(reports.rated(elo).to_json()))


def rated(runs):
    return {each["file"]: each["elo"] for each in runs.to_json()["rated"]}


def test_files_change_and_new_files_appear(tmp_path):
    runs = Runs(tmp_path)
    nothing = {"rated": [], "leagues": [], "leftOut": []}
    assert runs.to_json() == {"folder": tmp_path.name, "path": str(tmp_path)} | nothing
    assert Runs(None).to_json() == {"folder": None, "path": None} | nothing
    assert Runs(None).checkpoints(5) == []
    write(tmp_path / "a.json", 500.0)
    write(tmp_path / "deep" / "b.json", 600.0)
    assert rated(runs) == {"a.json": 500.0, "deep/b.json": 600.0}
    write(tmp_path / "a.json", 1500.0)
    assert rated(runs)["a.json"] == 1500.0
    (tmp_path / "a.json").unlink()
    assert [*rated(runs)] == ["deep/b.json"]


def test_a_folder_that_appears_later(tmp_path):
    runs = Runs(tmp_path / "runs")
    assert (rated(runs), runs.checkpoints(5)) == ({}, [])
    write(tmp_path / "runs" / "a.json", 500.0)
    assert rated(runs) == {"a.json": 500.0}


def test_a_half_written_file_keeps_its_content_and_others_are_left_out(tmp_path):
    file = tmp_path / "a.json"
    write(file, 500.0)
    runs = Runs(tmp_path)
    before = rated(runs)
    file.write_text(file.read_text()[:20])
    assert rated(runs) == before == {"a.json": 500.0}
    (tmp_path / "curve.json").write_text('{"curve": [{"seconds": 1, "scores": {"random": 0.5}}]}')
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "link.json").symlink_to(file)
    assert rated(runs) == before
    assert runs.to_json()["leftOut"] == []


def test_a_file_that_is_too_large_and_a_league_of_too_many_members_are_left_out_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setattr("othello_env.page.results.MOST_MEMBERS", 1)
    League(["random", "maximizer"]).save(tmp_path / "many")
    (tmp_path / "large.json").write_text(" " * ((4 << 20) + 1))
    (tmp_path / "part.json").write_text('{"curve": [')
    told = Runs(tmp_path).to_json()
    assert told["leagues"] == []
    reasons = {Path(each["file"]).name: each["reason"] for each in told["leftOut"]}
    assert sorted(reasons) == ["large.json", "league.json"]
    assert "4,194,305 bytes" in reasons["large.json"]
    assert "at most 1" in reasons["league.json"]


def test_the_newest_checkpoints_come_first_whatever_their_kind(tmp_path):
    for age, name in enumerate(("old.npz", "older.onnx", "middle.npz", "notes.txt", "new.safetensors")):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (1000 + age, 1000 + age))
    names = ["new.safetensors", "middle.npz", "older.onnx", "old.npz"]
    assert [file.name for file in Runs(tmp_path).checkpoints(5)] == names
    assert [file.name for file in Runs(tmp_path).checkpoints(2)] == names[:2]


def test_the_members_of_leagues_come_last(tmp_path):
    League(["random"]).save(tmp_path / "league")
    for age, name in enumerate(("agent.npz", "league/members/0001.npz", "members/other.npz")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (1000 + age, 1000 + age))
    names = [file.relative_to(tmp_path).as_posix() for file in Runs(tmp_path).checkpoints(3)]
    assert names == ["members/other.npz", "agent.npz", "league/members/0001.npz"]


def test_a_file_that_is_too_large_is_no_checkpoint(tmp_path):
    with (tmp_path / "large.npz").open("wb") as file:
        file.truncate((1 << 30) + 1)  # takes no space on the disk
    assert Runs(tmp_path).checkpoints(5) == []


def test_ratings_of_the_folder_are_on_the_ladder(tmp_path):
    (tmp_path / "benchmark.json").write_text(json.dumps(reports.rated(500.0, 400.0, math.inf).to_json()))
    told = Runs(tmp_path).to_json()
    expected = {"name": "a.npz", "file": "benchmark.json", "elo": 400.0, "interval": [400.0, None]} | {
        "ladder": "ladder-v0"
    }
    assert told["rated"] == [expected]


def test_leagues_in_the_folder_and_in_other_folders(tmp_path):
    league = League(["random", "maximizer"], seed=1)
    league.record_game("random", 1.0)
    for name in ("runs/deep/mine", "elsewhere"):
        league.save(tmp_path / name)
    told = Runs(tmp_path / "runs", [tmp_path / "elsewhere"]).to_json()["leagues"]
    assert told == [league_view(name, league.state()) for name in ("deep/mine", "elsewhere")]
    assert [each["name"] for each in Runs(tmp_path / "runs/deep/mine").to_json()["leagues"]] == ["mine"]
