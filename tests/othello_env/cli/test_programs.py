"""The commands gtp and nboard: agents for other programs."""

import io
import os
import subprocess
import sys


def test_gtp_does_not_read_a_line_without_end(run, monkeypatch):
    text = io.StringIO("name\n" + "y" * 10_000_000)
    monkeypatch.setattr("sys.stdin", text)
    status, out, error = run("gtp", "--agent", "random")
    assert (status, out, error) == (
        2,
        "= othello-env random\n\n",
        "othello-env: a command has at most 65,535 characters\n",
    )
    assert text.tell() < 100_000


def test_gtp_answers_until_quit(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("name\n1 play black f5\ngenmove white\nquit\nname\n"))
    status, out, _ = run("gtp", "--agent", "maximizer:eval=count")
    assert status == 0
    answers = out.split("\n\n")
    assert answers[:2] == ["= othello-env maximizer:eval=count", "=1"]
    assert answers[2].startswith("= ")
    assert answers[3:] == ["=", ""]


def test_nboard_answers_until_quit(run, monkeypatch):
    text = "nboard 2\nset depth 1\nping 1\ngo\nquit\nping 2\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    status, out, error = run("nboard", "--agent", "alphabeta:depth={depth},eval=count")
    assert (status, error) == (0, "")
    *_, pong, thinking, answer, end = out.splitlines()
    assert (pong, thinking.split()[-1], end) == ("pong 1", "thinking", "status")
    assert answer.startswith("=== ")


def test_bytes_that_are_no_text_end_nothing():
    done = subprocess.run(
        [sys.executable, "-m", "othello_env", "nboard", "--agent", "random"],
        input=b"\xff\xfe\nping \xff\nhint \xff\nplay \xff\nping 7\nquit\nping 8\n",
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    assert b"\npong 7" in done.stdout
