"""The command: what it prints, what it writes, how it fails."""

import io
import os
import re
import subprocess
import sys
from contextlib import suppress

import click
import pytest

from othello_env import __version__
from othello_env.cli import _command
from othello_env.cli import _options as options

COMMAND = [sys.executable, "-m", "othello_env"]


def test_the_help_has_whole_summaries(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = run("--help")[1]
    assert run() == (0, out, "")
    assert "..." not in out.partition("Commands:")[2]
    assert "The names are alphabeta, engine, " in " ".join(out.split())
    assert run("--version") == (0, f"othello-env, version {__version__}\n", "")


def test_match_prints_a_table_that_the_seed_repeats(run):
    command = ("match", "random", "maximizer:eval=count", "--games")
    first = run(*command, 40, "--seed", 3)
    assert first[0] == 0
    row, _, test = (line.split() for line in first[1].splitlines()[-3:])
    assert " ".join(test).startswith("A's mean result (win +1, draw 0, loss -1): ")
    shown = [float(test[k].strip("(),")) for k in (9, 10, 12)]  # both lines say the same
    assert shown == pytest.approx([2 * float(row[k]) - 1 for k in (4, 5, 7)], abs=2e-3)
    assert row[0] == "maximizer:eval=count"
    assert sum(int(cell) for cell in row[1:4]) == 40
    assert first == run(*command, 40, "--seed", 3)
    assert first != run(*command, 40, "--seed", 4)
    assert len(run(*command, 38)[1].splitlines()) == 4, "of fewer games, a table"


BAD = [
    (["match", "nobody", "random"], "there is no agent 'nobody'; known are alphabeta"),
    (["match", "random", "random", "--sprt=50"], "'--sprt': expected two Elo differences, separated by a comma"),
    (["match", "random", "random", "--sprt=10,0"], "the smaller one first, within 2000 of 0, got 10 and 0"),
    (["match", "random", "random", "--openings", "random:many"], "transcripts or a file of them, got 'random:many'"),
    (["match", "random", "random", "--size", "6", "--game", "othello:size=6"], "either in --game othello:size=6 or"),
    (["match", "random", "random", "--game", "otello"], "got 'otello' (did you mean othello?)"),
    (["match", "perfect", "random"], "; --size and --game say what is played, such as --size 6"),
    (["train", "--out", "a.npz", "--game", "checkers"], "not made for checkers, use python scripts/train/self_play.py"),
    (["quickstart", "--game", "tribolo"], "not made for tribolo, use python scripts/train/self_play.py --game tribolo"),
    (["quickstart", "--size", "6"], "got othello:size=6; use othello-env train --game othello:size=6"),
    (["play", "--game", "checkers", "--black", "human"], "checkers has no side black; it has red, white"),
    (
        ["match", "random", "random", "--openings", "nosuch.txt"],
        "a file of them, got 'nosuch.txt' (opening",
    ),
    (["match", "random", "random", "--games", "3"], "games is an even number of at least 2"),
    (["quickstart", "--games", "3"], "games is an even number of at least 2"),
    (["data", "make", "match", "random", "--games", "3", "--out", "d"], "games is an even number of at least 2"),
    (["tournament", "random", "maximizer", "--clock", "9" * 400 + "h"], "seconds must be a finite number, not inf"),
    (["match", "random"], "Missing argument 'B'. othello-env match --help shows what it takes"),
    (["match", "random", "random", "10"], "Got unexpected extra argument (10). othello-env match --help"),
    (["data", "make", "match", "-n", "3"], "No such option '-n'. othello-env data make match --help shows"),
    (["play", "--black", "random", "--white", "random", "--moves", "f5d6q9"], "ply 3: expected a square"),
    (["train", "--out", "weights.txt"], ".npz"),
    (["tournament", "random", "maximizer", "--clock", "1m", "--move-time", "1s"], "not both"),
    (["tournament", "random", "maximizer", "--anchor", "edax"], "the anchor 'edax' does not play"),
    (["analyse", "f5d6" + "c3" * 200], "ply 4"),
    (["analyse", "XO-"], "16, 36 or 64"),
    (["analyse", "f5", "--agent", "random"], "random does not analyse"),
    (["analyse", "X" * 64], "the game is over"),
    (["analyse", "none.ggf"], "there is no file 'none.ggf'; expected a file of games, a transcript or a board"),
    (["analyse", ".", "--scores"], "--scores is for a position"),
    (["analyse", "f5d6", "--to-move", "O"], "--to-move is for a board"),
    (["analyse", ".", "--to-move", "O"], "--to-move is for a position"),
    (["analyse", "f5d6", "--exact", "3"], "--exact is for files of games"),
    (["analyse", "games/none"], "there is no file 'games/none'"),
    (["match", "random", "random", "--openings", "f5", "--game", "checkers"], "or a file of them, got 'f5'"),
    (["solve", "f5", "d6"], "Got unexpected extra argument (d6). othello-env solve --help shows what it takes"),
    (["benchmark", "random", "--games", "3"], "games is an even number"),
    (["benchmark", "random", "--game", "tribolo", "--games", "4"], "games is a positive multiple of 3"),
    (["benchmark", "random", "--size", "5"], "size must be one of 4, 6, 8, not 5"),
    (
        ["benchmark", "random", "--size", "4", "--within", "50"],
        "for a ladder, and there is no ladder for othello:size=4",
    ),
    (
        ["benchmark", "random", "--game", "checkers:size=6"],
        "no benchmark for checkers:size=6; make a ladder by othello-env",
    ),
    (["benchmark", "perfect", "--size", "8"], "perfect plays Othello on 4x4 and 6x6"),
    (["frobnicate"], "No such command 'frobnicate'"),
]


@pytest.mark.parametrize(("arguments", "why"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_an_error_is_one_line_and_status_2(run, tmp_path, monkeypatch, arguments, why):
    monkeypatch.chdir(tmp_path)
    status, _, err = run(*arguments)
    assert status == 2
    assert err.startswith("othello-env: ")
    assert err.count("\n") == 1
    assert why in err
    assert list(tmp_path.iterdir()) == []


NEEDS = {
    "analyse": ["f5d6"],
    "benchmark": ["random"],
    "data label": ["."],
    "data make match": ["random", "--games", "2", "--out", "d"],
    "data make random": ["--games", "2", "--out", "d"],
    "league": ["/"],
    "match": ["random", "random"],
    "solve": ["f5d6"],
    "tournament": ["random", "maximizer"],
    "train": ["--out", "a.npz"],
}
COMMANDS = _command.list_commands(click.Context(_command))


def leaves(command, *names):
    """A list of (names, command) of all commands in a group, or of `command` alone if it is not a group."""
    if not isinstance(command, click.Group):
        return [(names, command)]
    context = click.Context(command)
    return [
        leaf
        for name in command.list_commands(context)
        for leaf in leaves(command.get_command(context, name), *names, name)
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_numbers_are_finite_and_in_range(run, tmp_path, monkeypatch, name):
    """Each option that takes a number refuses a text that is not a number, and a number that is out of range."""
    monkeypatch.chdir(tmp_path)
    checked = 0
    below = leaves(_command.get_command(click.Context(_command), name), name)
    for names, option in [(names, option) for names, command in below for option in command.params]:
        kind = option.type
        bad = ["nan", "inf", "-inf", "", "x"]
        if isinstance(kind, options.FloatRange | click.IntRange):
            least, most = kind.min, kind.max
            assert least is not None, option.opts
            assert most is not None, option.opts
            bad += [least if kind.min_open else least - 1, -1 if least >= 0 else least - 1, 2 * most + 1]
        else:
            assert not isinstance(kind, type(click.INT) | type(click.FLOAT)), f"{option.opts} have no bounds"
            if not isinstance(kind, click.Choice) or not kind.choices[0].isdigit():
                continue
            bad += ["-1", "8.0", "5"]
        checked += 1
        for value in bad:
            status, out, err = run(*names, *NEEDS.get(" ".join(names), []), f"{option.opts[-1]}={value}")
            assert (status, out) == (2, ""), (option.opts, value)
            assert err.startswith(f"othello-env: Invalid value for '{option.opts[-1]}'"), err
            assert str(value) in err
            assert err.count("\n") == 1
    assert checked or name == "export"  # the only command without a number
    assert list(tmp_path.iterdir()) == []


POLICY, PLAY = "def f(observations, masks):\n    ", ["play", "--black", "policy.py:f", "--white", "random"]


@pytest.mark.parametrize(
    ("source", "arguments", "why"),
    [
        ("def f(:", ["match", "policy.py:f", "random"], "SyntaxError: invalid syntax (policy.py, line 1)"),
        ("\nx = y", ["match", "policy.py:f", "random"], "NameError: name 'y' is not defined (policy.py, line 2)"),
        (f"{POLICY}return {{}}[1]", PLAY, "KeyError: 1 (policy.py, line 2)"),
        (f"{POLICY}raise ValueError('odd\\nlines')", PLAY, "othello-env: odd (policy.py, line 2)"),
        (f"{POLICY}raise ValueError(' \\n')", PLAY, "othello-env: ValueError (policy.py, line 2)"),
        (f"class Stop(BaseException): pass\n{POLICY}raise Stop('own')", PLAY, "Stop: own (policy.py, line 3)"),
        ("f = open", PLAY, "TypeError: "),
    ],
)
def test_an_error_in_a_users_file_is_one_line_that_says_where(run, tmp_path, monkeypatch, source, arguments, why):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "policy", raising=False)
    (tmp_path / "policy.py").write_text(source)
    status, _, err = run(*arguments)
    assert status == 2
    assert err.startswith("othello-env: ")
    assert err.count("\n") == 1
    assert why in err


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "arguments",
    [
        [LONG],
        ["match", f"random:{LONG}", LONG],
        ["match", "a", "b", f"--games={LONG}"],
        ["play", f"--moves={LONG * 2}"],
    ],
    ids=range(4),
)
def test_long_input_is_not_repeated_whole(run, arguments):
    status, _, err = run(*arguments)
    assert (status, err.count("\n")) == (2, 1)
    assert len(err) < 1000
    assert "xxx" in err or arguments[0] == "play"


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "human", "random", "--games", "2"],
        ["match", "random", "human:epsilon=0.1", "--games", "2"],
        ["benchmark", "human", "--endgame"],
    ],
)
def test_a_human_who_leaves_loses_no_game(run, monkeypatch, arguments):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    status, out, err = run(*arguments)
    assert status == 2
    assert re.fullmatch(r"othello-env: (black|white) left the game: the input ended\n", err)
    assert "Elo" not in out
    assert "score" not in out


@pytest.mark.parametrize("command", [("match", "random", "random", "--games", 4), ("play", "--black", "random")])
def test_the_size_may_stand_in_the_game_or_alone(run, command):
    command = (*command, "--white", "random") if command[0] == "play" else command
    said = run(*command, "--game", "othello:size=4")
    assert said[0] == 0
    for size in (["--size", "4"], ["--size", "4", "--game", "othello"], ["--game", "othello", "--size", "4"]):
        assert run(*command, *size) == said
    assert run(*command) != said
    assert run(*command, "--size", "8") == run(*command)
    checkers = ("match", "random", "random", "--games", 2, "--openings", "start", "--game")
    assert run(*checkers, "checkers", "--size", "4") == run(*checkers, "checkers:size=4")


def test_an_error_of_a_policy_in_a_game_says_where(run, tmp_path):
    policy = tmp_path / "policy.py"
    policy.write_text(
        "import json\ndef f(observations, masks):\n    return helper()\ndef helper():\n    json.loads('')\n"
    )
    _, out, _ = run("match", f"{policy}:f", "random", "--games", 2)
    assert "JSONDecodeError: Expecting value: line 1 column 1 (char 0) (policy.py, line 5)\n" in out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that can close a stream")
@pytest.mark.parametrize(
    ("command", "out"),
    [("match random random --games 2 >&- 2>&-", ""), ("play --black human --white random <&-", "\n    a  b")],
)
def test_closed_streams(command, out):
    words = f'"{sys.executable}" -m othello_env {command}'
    done = subprocess.run(["sh", "-c", words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(out)


def test_a_long_first_cell_of_a_table_takes_a_line_of_its_own(monkeypatch):
    rows = [("1 random", "-", ".250"), ("2 maximizer:eval=weighted", ".750", "-")]
    shown = []
    for columns in (37, 36, 20):
        monkeypatch.setenv("COLUMNS", str(columns))
        shown.append(options.table(("agent", "1", "2"), rows).split("\n"))
    assert shown[0] == [
        "agent                         1     2",
        "-------------------------  ----  ----",
        "1 random                      -  .250",
        "2 maximizer:eval=weighted  .750     -",
    ]
    assert shown[1][3:] == ["2 maximizer:eval=weighted", "                          .750     -"]
    assert shown[2][2:] == ["1 random                 -  .250", "2 maximizer:eval=weighted", " " * 22 + ".750     -"]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("match random random --games 2", "games 2 of 2"),
        (
            "tournament random maximizer:eval=count --games 4",
            "games 1 of 4\ngames 2 of 4\ngames 3 of 4\ngames 4 of 4\n",
        ),
        ("data make random --games 2 --size 4 --out d", "games 2 of 2"),
        ("data make match random --games 2 --size 4 --out d", "games 2 of 2"),
        ("train --games 64 --depth 1 --size 4 --out a.npz", "0 games  score "),
        ("benchmark random --games 8", "games  Elo "),
    ],
)
def test_each_long_command_tells_its_progress(run, monkeypatch, tmp_path, command, line):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(options, "_SHOW_SECONDS", 0.0)
    monkeypatch.setattr("othello_env.cli.benchmark._SHOW_EVERY", -1.0)
    status, out, err = run(*command.split())
    assert status == 0
    assert line in err
    assert line not in out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_progress_and_sentences_fit_the_terminal():
    """A bar that is wider than the terminal would print a line for each game."""
    termios = pytest.importorskip("termios")
    leader, follower = os.openpty()
    termios.tcsetwinsize(follower, (30, 40))
    command = [*COMMAND, "match", "random", "maximizer:eval=count,epsilon=0.5", "--games", "40"]
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), follower)
    subprocess.run(command, env=environment, check=True, **streams)
    os.close(follower)
    shown = b""
    with suppress(OSError):  # raised at the end
        while part := os.read(leader, 4096):
            shown += part
    os.close(leader)
    lines = re.sub(r"\x1b\[\??\d*[a-zA-Z]", "", shown.decode()).replace("\r\n", "\n").split("\n")
    if lines[0].startswith("othello-env: compiling"):  # the first run
        del lines[0]
    bars = [text for text in re.split("[\r\n]", lines[0]) if text]
    assert len(bars) > 1
    assert bars[-1].rstrip().startswith("games  [####")
    assert bars[-1].rstrip().endswith("]  40/40")
    said = lines[1 : next(n for n, line in enumerate(lines) if line.startswith("opponent"))]
    assert max(len(text) for text in bars + said) <= 40
    assert " ".join(" ".join(said).split()) == "random, 40 games, openings random:10, seed 0:"
