"""The command play: a game at the terminal."""

import io
import re

import pytest

from othello_env import Checkers, Othello, make_agent
from othello_env.agent import Seat
from othello_env.cli import main
from othello_env.cli.play import TerminalGame


class Terminal:
    """Types prepared lines, and stores the texts that were shown. After the last line, the input ends."""

    def __init__(self, *lines):
        self.lines = list(lines)
        self.told = []

    def prompt(self, text):
        self.told.append(text)
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    @property
    def text(self):
        return "\n".join(self.told)


def play(lines, state=None, *, black=None, white="random", others=()):
    terminal = Terminal(*lines)
    seats = [(spec and Seat(make_agent(spec), 1), spec or "human") for spec in (black, white, *others)]
    adviser = make_agent("maximizer:eval=count")
    final = TerminalGame(state or Othello(), seats, adviser, terminal.prompt, terminal.told.append).play()
    return final, terminal


def test_a_move_is_played_and_the_agent_answers_until_it_is_taken_back():
    final, terminal = play(["f5", "undo", "hint", "d3"])
    assert "would play d3" in terminal.text
    assert len(final.moves) == 2
    assert final.moves[0] == 19
    assert "white (random) plays" in terminal.text
    assert "you left the game" in terminal.text


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("z9", "expected a square from a1 to h8, or pass, got 'z9'"),
        ("", "got ''"),
        ("a1", "a1 (action 0) is not legal for black; the legal moves are: d3 c4 f5 e6"),
        ("pass", "pass (action 64) is not legal"),
        ("f5 d6", "got 'f5 d6'"),
    ],
)
def test_a_wrong_entry_says_why_and_asks_again(line, why):
    final, terminal = play([line, "F5", "quit"])
    assert why in terminal.text
    assert final.moves[0] == 37


def test_undo_goes_back_over_a_pass():
    # White has no move after c1, so a human moves again as Black.
    start = Othello.from_text("XO------XO------", "X")
    final, terminal = play(["c1", "undo", "quit"], start, white=None)
    assert final == start
    assert "white has no move and passes" in terminal.text


def typed(monkeypatch, capsys, lines, *arguments):
    """The text that the command prints when a person types these lines."""
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    with pytest.raises(SystemExit) as stop:
        main(["play", *arguments])
    assert not stop.value.code
    return capsys.readouterr().out


def test_moves_that_were_given_can_be_taken_back(monkeypatch, capsys):
    sides = ("--black", "human", "--white", "random", "--moves", "f5d6")
    boards = typed(monkeypatch, capsys, "undo\nundo\nquit\n", *sides).split("black to move> ")
    assert "black (X) 3, white (O) 3" in boards[0]
    assert "black (X) 2, white (O) 2" in boards[1]
    assert "no move of yours to take back" in boards[2]


@pytest.mark.parametrize(
    ("arguments", "offered"),
    [
        ([], ["black", "human", "white", "alphabeta:depth=2"]),
        (["--white", "human"], ["black", "alphabeta:depth=2"]),
        (["--black", "random"], ["white", "human"]),
        (["--game", "tribolo", "--red", "human"], ["blue", "maxn:depth=2", "green", "maxn:depth=2"]),
    ],
)
def test_one_person_is_offered_opponents(monkeypatch, capsys, arguments, offered):
    out = typed(monkeypatch, capsys, "\n" * (len(offered) // 2) + "quit\n", *arguments)
    assert re.findall(r"(\w+) \(human, or an agent such as [^)]*\) \[([^]]*)\]", out) == [
        *zip(offered[::2], offered[1::2], strict=True)
    ]


def test_checkers_takes_a_whole_chain_as_one_entry():
    start = Checkers().play_transcript("11-15 22-18 15x22")
    final, _ = play(["25x18", "quit"], start, black="random", white=None)
    assert final.moves[3] == start.action_from_text("25x18")


def test_the_seed_is_also_the_seed_of_your_own_agent(monkeypatch, capsys, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import random\n"
        "from othello_env import Agent\n"
        "class Mine(Agent):\n"
        "    def __init__(self, seed=None):\n"
        "        self.rng = random.Random(seed)\n"
        "    def act(self, state, *, seconds_left=None):\n"
        "        return self.rng.choice(state.legal_actions())\n"
    )
    sides = ("--black", f"{tmp_path / 'mine.py'}:Mine", "--white", "random", "--game", "othello:size=6")
    games = [typed(monkeypatch, capsys, "", *sides, "--seed", str(seed)) for seed in (3, 3, 4)]
    assert games[0] == games[1] != games[2]
