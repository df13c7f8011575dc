"""A variant of the rules outside the package: environments, matches, records, data and commands know it by its name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from othello_env import Game, Othello, WrongGameError, register_game
from othello_env.arena import Schedule, play_match, play_tournament, read_records
from othello_env.arena.play.records import GameRecord, _parsed
from othello_env.cli import main
from othello_env.data import games_of_records
from othello_env.envs import GameEnv
from othello_env.games import registry
from othello_env.games.registry import GameSpec, find_game
from othello_env.page.messages import PageGame, Position
from othello_env.page.results import Recorded
from othello_env.page.texts import read_text, write_text
from othello_env.page.view import position_view
from othello_env.support.imports import import_object
from othello_env.text import ChatAgent, OthelloText

FILE = Path(__file__).parent / "fewest.py"


@pytest.fixture(scope="module")
def fewest():
    yield import_object(f"{FILE}:Fewest")
    del registry._GAMES["fewest"]  # other tests know only the package's own games


def test_fewer_discs_win(fewest):
    final = fewest()
    while not final.is_over:
        final = final.play(final.legal_actions()[0])
    same = Othello.from_moves(final.moves)
    assert type(final) is fewest
    assert final.discs() == same.discs()
    assert final.returns() == same.returns()[::-1] != (0.0, 0.0)
    assert final.margins() == same.margins()[::-1]


def test_a_language_model_plays_it(fewest):
    env = OthelloText(game="fewest:size=4", side="black", seed=1)
    said = env.reset()
    assert said.startswith("A position. The moves are those of Othello; the margins are swapped")
    assert "Moves have names such as b1, a2, d3." in said
    while not env.done:
        env.play(f"My move is {env.position.action_to_text(env.position.legal_actions()[-1]).upper()}.")
    black, white = env.position.discs()
    assert type(env.position) is fewest
    assert env.get_reward() == pytest.approx(1 if black < white else 0.2)
    assert fewest(4).is_legal(ChatAgent(lambda messages: "b1").act(fewest(4)))


def test_no_rules_of_a_base_class_are_told(fewest):
    class Silent(fewest):
        pass

    with pytest.raises(WrongGameError, match="rules in words for registered games, not for Silent"):
        ChatAgent(str).check_game(Silent())
    register_game(Game(name="silent", state=Silent))
    try:
        with pytest.raises(
            WrongGameError, match="silent has no rules in words: no rules_text, and no docstring of Silent"
        ):
            OthelloText(game="silent").reset()
    finally:
        del registry._GAMES["silent"]
    with pytest.raises(ValueError, match="the reward 'regret' is for Othello, not for fewest"):
        OthelloText(game="fewest", reward="regret")


def test_the_page_shows_it(fewest):
    state = fewest()
    while not state.is_over:
        state = state.play(state.legal_actions()[0])
    record = PageGame("fewest", moves=state.moves)
    assert type(record.states()[-1]) is fewest
    black, white = state.discs()
    winner = "black" if black < white else "white"
    assert position_view(state, None)["ending"] == f"{winner} wins {max(black, white)} to {min(black, white)}"
    assert position_view(state, None)["empties"] is None  # agents that solve Othello do not solve it
    middle = record.states()[20]
    later = PageGame("fewest", 0, Position(middle.to_text(), middle.player_names[middle.to_move]), state.moves[20:])
    for each in (record, later):
        assert read_text(PageGame("fewest"), write_text(each)) == each
    played = Recorded("games.jsonl", [GameRecord.from_transcript(state.transcript(), ("a", "b"), "fewest")])
    assert played.to_json(0)["canReplay"]
    assert PageGame.read(played.game(0)["record"]) == PageGame("fewest", moves=state.moves, agents=("a", "b"))


def test_a_tournament_and_its_records(fewest, tmp_path):
    file, names = tmp_path / "games.jsonl", ("maximizer:eval=count", "random")
    schedule = Schedule(names, 10, "random:2", 1, "fewest:size=4")
    played = play_tournament({name: name for name in names}, schedule, file=file)
    records = read_records(file)
    assert list(played.records) == records
    assert {record.game for record in records} == {"fewest:size=4"}
    for record in records:
        final = record.replay()
        assert type(final) is fewest
        black, white = final.discs()
        assert record.result[0] == (white > black) - (white < black)
    games = games_of_records(records)
    assert games.outcomes.returns.tolist() == [list(record.result) for record in records]
    assert not Recorded("games.jsonl", records).to_json(0)["canReplay"]  # the page shows the usual size alone
    match = play_match(*names, games=10, openings="random:2", seed=1, game=fewest(4))
    assert [record.moves for record in match.records] == [record.moves for record in records]


def test_what_does_not_know_it_says_how_to_read_its_games(fewest, tmp_path, capsys, monkeypatch):
    """In Python by an import, in a command by --game."""

    def call(*arguments):
        with pytest.raises(SystemExit):
            main([*arguments])
        captured = capsys.readouterr()
        return captured.out + captured.err

    data, file, game = f"{tmp_path}/d", f"{tmp_path}/g.jsonl", ["--game", f"{FILE}:Fewest:size=4"]
    played = ["random", "--games", "2", "--openings", "start", *game, "--out"]
    assert "2 games" in call("data", "make", "match", *played, data)
    assert "2 of 2 games" in call("tournament", "random:epsilon=1", *played, file)
    for source in (data, file):
        _parsed.cache_clear()
        with monkeypatch.context() as unknown:
            unknown.delitem(registry._GAMES, "fewest")
            told = call("data", "info", source)
        assert "got 'fewest:size=4'; import the file that registers it first, in a command by --game FILE.py" in told
        assert "damaged" not in told
        assert "finished: 2" in call("data", "info", source, *game)


@pytest.mark.parametrize(
    "command",
    [
        ["train", "--games", "1", "--out", "a.npz"],
        ["data", "make", "random", "--games", "1", "--out", "d", "--threads", "2"],
        ["benchmark", "random"],
        ["gtp"],
        ["solve", "f5d6"],
        ["analyse", "f5d6"],
        ["match", "ntuple", "random"],
    ],
    ids=" ".join,
)
def test_commands_for_othello_alone_refuse_it(fewest, command, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main([*command, "--game", f"{FILE}:Fewest"])
    words = {
        "benchmark": "there is no benchmark for fewest",
        "data": "--threads is for Othello, not for fewest",
        "match": "n-tuple networks play Othello, not Fewest",
    }
    assert words.get(command[0], "expected othello, perhaps with a size, got") in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_what_cannot_be_registered(fewest, tmp_path):
    class Other(fewest):
        pass

    class Open(Othello):
        def __init__(self, size):
            super().__init__(size)

    for name, game, error, message in (
        ("fewest", Other, ValueError, "there is a game 'fewest' already: fewest.Fewest"),
        ("othello", Othello, ValueError, "there is a game 'othello' already: othello_env"),
        ("tribolo", Other, ValueError, "there is a game 'tribolo' already"),
        ("Most", Other, ValueError, "lower-case letters, digits and hyphens, unlike 'Most'"),
        ("most", Othello(), TypeError, "the state of a game is a subclass of State"),
        ("most", int, TypeError, "the state of a game is a subclass of State"),
        ("most", Open, ValueError, "Open: the argument size needs a default"),
    ):
        with pytest.raises(error, match=message):
            register_game(Game(name=name, state=game))
    with pytest.raises(TypeError, match="expected a Game"):
        register_game(Othello)
    with pytest.raises(ValueError, match="expected one of the games checkers, fewest, othello, tribolo, got 'most'"):
        GameSpec.parse("most")
    with pytest.raises(ValueError, match=r"fewest has no option sze .did you mean size..; it takes size"):
        GameSpec.parse("fewest:sze=4")
    (tmp_path / "mute.py").write_text("from othello_env import Othello\nclass Mute(Othello):\n    __slots__ = ()\n")
    with pytest.raises(ValueError, match=r"mute\.py:Mute is not a registered game; the file must call"):
        find_game(f"{tmp_path}/mute.py:Mute")
    with pytest.raises(ValueError, match=r"got '.*fewest\.py:Fewest'"):  # text from a file of games is never run
        GameSpec.parse(f"{FILE}:Fewest")


@pytest.mark.parametrize("values", [(float("nan"),) * 2, (1.0, 1.0), (1.0, float("inf"))])
def test_results_that_do_not_sum_to_zero_are_an_error(fewest, values):
    class Wrong(fewest):
        __slots__ = ()

        def returns(self):
            return values if self.is_over else (0.0, 0.0)

    register_game(Game(name="wrong", state=Wrong))
    told = r"Wrong\.returns\(\) of a finished game must be numbers that sum to zero, not \("
    env = GameEnv("wrong", size=4)

    def play_on():
        observation, _ = env.reset(seed=1)
        while True:
            observation, *_ = env.step(env.action_space.sample(observation["action_mask"]))

    try:
        with pytest.raises(ValueError, match=told):
            play_on()
        with pytest.raises(ValueError, match=told):
            play_match("random", "random", games=2, game=Wrong(4))
    finally:
        del registry._GAMES["wrong"]


def test_an_installed_package_adds_a_game(tmp_path):
    package = tmp_path / "toy-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[othello_env.games]\nfewest = fewest\nnothing = json\n")
    script = """
from othello_env.games.registry import GameSpec
print(GameSpec.parse("fewest:size=4").start(0))
try:
    GameSpec.parse("nothing")
except ValueError as error:
    print(error)
"""
    folders = [str(tmp_path), str(FILE.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "black (X) 2, white (O) 2" in done.stdout
    known = "checkers, fewest, nothing, othello, tribolo"
    assert f"expected one of the games {known}, got 'nothing'; import the file that registers it first" in done.stdout
