"""The folder of training runs that the page watches."""

import json
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


def test_files_change_new_files_appear_and_so_may_the_folder(tmp_path):
    runs = Runs(tmp_path / "runs")
    assert runs.to_json() == {"path": str(tmp_path / "runs"), "rated": [], "leagues": [], "leftOut": []}
    assert runs.checkpoints(5) == []
    write(tmp_path / "runs" / "a.json", 500.0)
    write(tmp_path / "runs" / "deep" / "b.json", 600.0)
    assert rated(runs) == {"a.json": 500.0, "deep/b.json": 600.0}
    write(tmp_path / "runs" / "a.json", 1500.0)
    assert rated(runs)["a.json"] == 1500.0
    (tmp_path / "runs" / "a.json").unlink()
    assert [*rated(runs)] == ["deep/b.json"]


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


def test_the_newest_checkpoints_come_first_but_members_of_leagues_last_and_no_file_that_is_too_large(tmp_path):
    League(["random"]).save(tmp_path / "league")
    names = ("old.npz", "older.onnx", "members/other.npz", "notes.txt", "new.safetensors", "league/members/0001.npz")
    for age, name in enumerate((*names, "large.npz")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        with (tmp_path / name).open("wb") as file:
            file.truncate((1 << 30) + 1 if name == "large.npz" else 1)  # takes no space on the disk
        os.utime(tmp_path / name, (1000 + age, 1000 + age))
    found = ["new.safetensors", "members/other.npz", "older.onnx", "old.npz", "league/members/0001.npz"]
    assert [file.relative_to(tmp_path).as_posix() for file in Runs(tmp_path).checkpoints(9)] == found
    assert [file.name for file in Runs(tmp_path).checkpoints(2)] == ["new.safetensors", "other.npz"]


def test_leagues_are_named_after_their_folders(tmp_path):
    league = League(["random", "maximizer"], seed=1)
    league.record_game("random", 1.0)
    league.save(tmp_path / "deep/mine")
    assert Runs(tmp_path).to_json()["leagues"] == [league_view("deep/mine", league.state())]
    assert [each["name"] for each in Runs(tmp_path / "deep/mine").to_json()["leagues"]] == ["mine"]
