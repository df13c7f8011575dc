"""A game outside the package gets all features of the package: environments, a batch, agents, matches."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from othello_env import make_agent, sample_legal
from othello_env.arena import play_match
from othello_env.cli.play import command
from othello_env.envs import GameAEC, GameEnv, GameVectorEnv
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


def check_the_batch():
    """It is a loop of single environments, and in self-play the last stone wins."""
    import nim  # noqa: F401 - registers the game

    for mode in AutoresetMode:
        compare_the_batch_with_single_environments(mode)
    env = GameVectorEnv("nim", 8, opponent=None)
    observation, _ = env.reset(seed=0)
    for _ in range(30):
        left = observation["observation"].sum(axis=(1, 2, 3))
        observation, rewards, terminated, _, info = env.step(np.minimum(left, 3) - 1)
        np.testing.assert_array_equal(terminated, left <= 3)
        np.testing.assert_array_equal(rewards, terminated)
        for i in np.flatnonzero(terminated):
            final = env.final_position(i)
            assert final.is_over
            assert info["final_info"]["winner"][i] == 1 - final.to_move


def compare_the_batch_with_single_environments(mode):
    n, opponent = 6, "alphabeta:depth=2,epsilon=0.3"
    env = GameVectorEnv("nim", n, opponent=opponent, autoreset_mode=mode)
    twin = SyncVectorEnv([lambda: GameEnv("nim", opponent=opponent)] * n, autoreset_mode=mode)
    rng = np.random.default_rng(0)
    found, _ = env.reset(seed=3)
    expected, _ = twin.reset(seed=3)
    for _ in range(30):
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name])
        actions = sample_legal(found["action_mask"], rng)
        actions[rng.random(n) < 0.05] = 2
        found, rewards, terminated, _, info = env.step(actions)
        expected, rewards2, terminated2, _, info2 = twin.step(actions)
        np.testing.assert_array_equal(rewards, rewards2)
        np.testing.assert_array_equal(terminated, terminated2)
        np.testing.assert_array_equal(info["winner"], info2["winner"])
        if mode == AutoresetMode.DISABLED and terminated.any():
            found, _ = env.reset(options={"reset_mask": terminated.copy()})
            expected, _ = twin.reset(options={"reset_mask": terminated.copy()})


def test_the_batch():
    """The kernels run as plain Python here: to compile them takes half a minute, and no cache keeps them."""
    done = subprocess.run(
        [sys.executable, "-c", "import test_nim; test_nim.check_the_batch()"],
        cwd=HERE,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr


# api_test warns about an observation that is a dict.
@pytest.mark.filterwarnings("ignore:Observation", "ignore:The old environment")
def test_pettingzoo_takes_it(nim):
    from pettingzoo.test import api_test

    api_test(GameAEC("nim"), num_cycles=50)


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
