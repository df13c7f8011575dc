"""The folder of training runs that the page watches."""

import json
import os

from othello_env.page.runs import Runs


def write(file, points, **more):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"curve": points} | more))


def point(games, score):
    return {"games": games, "scores": {"random": score}}


def curves_of(runs):
    return {run["name"]: run["curves"][0]["lines"][0]["points"] for run in runs.to_json()["runs"]}


def test_curves_grow_and_new_files_appear(tmp_path):
    runs = Runs(tmp_path)
    assert runs.to_json() == {"folder": tmp_path.name, "runs": []}
    write(tmp_path / "a_seed1.json", [point(1, 0.5)])
    write(tmp_path / "deep" / "b.json", [point(2, 0.25)])
    assert curves_of(runs) == {"a_seed1.json": [[1, 0.5]], "deep/b.json": [[2, 0.25]]}
    write(tmp_path / "a_seed1.json", [point(1, 0.5), point(9, 0.75)])
    assert curves_of(runs)["a_seed1.json"] == [[1, 0.5], [9, 0.75]]
    (tmp_path / "a_seed1.json").unlink()
    assert [*curves_of(runs)] == ["deep/b.json"]


def test_a_half_written_file_keeps_its_curves_and_others_are_left_out(tmp_path):
    file = tmp_path / "a.json"
    write(file, [point(1, 0.5)])
    runs = Runs(tmp_path)
    before = curves_of(runs)
    file.write_text(file.read_text()[:20])
    assert curves_of(runs) == before
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "link.json").symlink_to(file)
    assert curves_of(runs) == before


def test_the_newest_checkpoints_come_first(tmp_path):
    for age, name in enumerate(("old.npz", "new.npz", "notes.txt")):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (1000 + age, 1000 + age))
    assert [file.name for file in Runs(tmp_path).checkpoints(5)] == ["new.npz", "old.npz"]
    assert [file.name for file in Runs(tmp_path).checkpoints(1)] == ["new.npz"]
