"""Files that are written completely or not at all, and untrusted files."""

import errno
import json
import os
import subprocess
import sys

import pytest

from othello_env.arena.tournament.records import open_records, read_records
from othello_env.support.files import check_output, in_one_process, parse_json, read_file, write_file, write_json

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX's links, devices and locks")
WRITERS = {
    "write_file": lambda path: write_file(path, b"new"),
    "write_json": lambda path: write_json(path, "new"),
    "open_records": lambda path: open_records(path).__enter__(),
    "check_output": check_output,
}


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("é" * 126 + "abc")  # 255 bytes
    for data in (b"one", b"two"):
        write_file(path, data)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [(path.name, b"two")]


def test_a_full_disk_leaves_the_old_file_alone_and_the_error_names_it(tmp_path, monkeypatch):
    write_file(tmp_path / "new" / "results.json", b"old")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device.*results\.json"):
        write_file(tmp_path / "new" / "results.json", b"{}")
    assert [path.read_bytes() for path in (tmp_path / "new").iterdir()] == [b"old"]


def test_a_file_has_the_rights_that_the_user_gives(tmp_path):
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "a.txt", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


@needs_posix
@pytest.mark.parametrize("exists", [True, False], ids=["to a file", "dangling"])
@pytest.mark.parametrize("name", WRITERS)
def test_nothing_is_written_through_a_link_or_over_it(tmp_path, name, exists):
    if exists:
        (tmp_path / "elsewhere").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"link' is a symbolic link, and files are not written through links"):
        WRITERS[name](tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "elsewhere").exists() == exists
    if exists:
        assert (tmp_path / "elsewhere").read_bytes() == b""


def special(tmp_path, kind):
    """A path that does not lead to a regular file."""
    if kind == "device":
        return "/dev/zero"
    path = tmp_path / "special"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    return path


@needs_posix
@pytest.mark.parametrize("kind", ["device", "folder", "pipe"])
@pytest.mark.parametrize("name", WRITERS)
def test_only_regular_files_are_written(tmp_path, name, kind):
    with pytest.raises(OSError, match="is not a regular file, so nothing is written to it"):
        WRITERS[name](special(tmp_path, kind))


@needs_posix
@pytest.mark.parametrize("kind", ["device", "folder", "pipe"])
@pytest.mark.parametrize("read", [lambda path: read_file(path, 10), read_records], ids=["read_file", "read_records"])
def test_only_regular_files_are_read(tmp_path, read, kind):
    with pytest.raises(OSError, match="is not a regular file to read"):
        read(special(tmp_path, kind))


@needs_posix
def test_a_link_can_be_read(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"text")
    (tmp_path / "link").symlink_to(tmp_path / "a.txt")
    assert read_file(tmp_path / "link", 4) == b"text"


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "a.txt"
    for size, told in ((1001, "1,001"), (1 << 40, "1,099,511,627,776")):
        with path.open("wb") as file:
            file.truncate(size)  # on most systems, this takes no space on the disk
        with pytest.raises(ValueError, match=rf"a\.txt' has {told} bytes; at most 1,000 are read"):
            read_file(path, 1000)
    with pytest.raises(ValueError, match=r"a\.txt"), open_records(path):
        pass
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*none\.txt' to take openings from"):
        read_file(tmp_path / "none.txt", 10, "take openings from")


@pytest.mark.parametrize("value", [None, 2**64, -0.5, "text", [[1], {"a": []}], {"a": {"b": [True]}}], ids=str)
def test_json_is_read_as_it_was_written(value):
    assert parse_json(json.dumps(value)) == parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deep"),
        ('[{"a":' * 100_000, "nested too deep"),
        ("NaN", "it is not JSON"),
        ("-Infinity", "it is not JSON"),
        ("[1e999]", "Number out of range"),
        ("[1,", "it is not JSON: Input data was truncated"),
        (b"\xff\xfe\xfd", "it is not JSON"),
    ],
    ids=lambda value: str(value)[:9],
)
def test_json_that_nobody_can_use_is_a_value_error(text, message):
    with pytest.raises(ValueError, match=message):
        parse_json(text)


def test_one_process_at_a_time_runs_a_block(tmp_path):
    path = tmp_path / "a.lock"
    for _ in range(2):
        with (
            in_one_process(path, ValueError("busy")),
            pytest.raises(ValueError, match="busy"),
            in_one_process(path, ValueError("busy")),
        ):
            pass
        assert not path.exists()
    code = "import sys, pathlib; from othello_env.support.files import in_one_process as one\n"
    code += "with one(pathlib.Path(sys.argv[1]), ValueError('busy')): pass"
    with in_one_process(path, ValueError("busy")):
        done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.stderr.endswith("ValueError: busy\n")
