"""A game outside the package gets all features of the package: environments, a batch, agents, matches."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from othello_env import make_agent
from othello_env.arena import play_match
from othello_env.cli.play import command
from othello_env.games import registry
from othello_env.page.messages import MessageError, PageGame
from othello_env.text import OthelloText

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def nim():
    sys.path.insert(0, str(HERE))
    import nim

    yield nim
    sys.path.remove(str(HERE))
    del registry._GAMES["nim"]  # other tests know only the package's own games


def test_agents_play_it(nim):
    result = play_match("alphabeta:depth=4", "random", games=40, openings=None, game="nim")
    assert result.score > 0.9
    assert make_agent("alphabeta:depth=6").act(nim.Nim(7)) == 2  # it leaves four stones, so the opponent loses


def test_a_language_model_plays_it(nim):
    env = OthelloText(game="nim", opponent="alphabeta:depth=6", side="first", seed=0)
    assert "Moves have names such as 1, 2, 3." in env.reset()
    while not env.done:
        assert env.play("I take 2.").startswith("You played 2.")
    assert env.position.moves[0] == 1


def test_a_person_plays_it_at_the_terminal(nim):
    game, typed = ["--game", f"{HERE / 'nim.py'}:Nim"], "human\nalphabeta:depth=6\n1\n1\n1\n"
    done = CliRunner().invoke(command, game, input=typed, catch_exceptions=False)
    assert "second (alphabeta:depth=6) plays 3" in done.output
    assert done.output.endswith("second wins 0 - 0\n")


def test_the_page_does_not_know_a_game_without_pictures(nim):
    with pytest.raises(MessageError, match=r"game is one of othello, .*checkers, .*not 'nim'"):
        PageGame("nim")


@pytest.mark.slow
def test_an_edit_of_its_kernels_is_seen_by_the_packages_own(nim, tmp_path):
    """When this game changes, the package's kernels for it are compiled again."""
    games, action = nim.NimBatch(1, nim.Nim()), np.array([0])
    games.arrays.boards.stones[0], games.arrays.over[0] = 1, False
    assert games.check(action) == 0
    source = (HERE / "nim.py").read_text()
    rule = "return bool(action < min(constants.most, state.boards.stones[i]))"
    assert rule in source
    (tmp_path / "nim.py").write_text(source.replace(rule, "return bool(action > 0)"))
    script = (
        "import nim, numpy; games = nim.NimBatch(1, nim.Nim()); "
        "games.arrays.boards.stones[0], games.arrays.over[0] = 1, False; "
        "print(games.check(numpy.array([0])) > 0)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True
    )
    assert run.stdout == "True\n"
