"""Programs that speak GTP as opponents of our agents."""

import shlex
import shutil
import sys

import numpy as np
import pytest

from othello_agents.programs import Gtp
from othello_env import AgentError, Othello, WrongGameError, make_vec_env, play_match, sample_legal
from othello_env.agent import ask
from othello_env.games.checkers.position import Checkers

pytestmark = pytest.mark.slow

RHINO = shutil.which("gtp-rhino") or shutil.which("gtp-rhino", path="/usr/games")


def test_it_plays_what_the_program_answers(scripted):
    agent = scripted("noise", "D6", "f4")
    state = Othello.from_moves("f5")
    assert ask(agent, state) == state.action_from_text("d6")
    state = state.play_transcript("d6c3")
    assert ask(agent, state) == state.action_from_text("f4")
    agent.close()


def test_its_clock_is_not_told_to_a_program_that_knows_nothing_about_time(scripted):
    agent = scripted("honest", "d6")
    assert agent.act(Othello.from_moves("f5"), seconds_left=5.0) == Othello().action_from_text("d6")
    agent.close()


def test_a_program_is_the_opponent_of_a_batch():
    server = shlex.join([sys.executable, "-m", "othello_env", "gtp", "--agent", "alphabeta:depth=2,eval=weighted"])
    agent = Gtp(server)
    envs = [make_vec_env(2, opponent=each) for each in (agent, "alphabeta:depth=2,eval=weighted")]
    found = [env.reset(seed=5)[0] for env in envs][-1]
    rng = np.random.default_rng(1)
    for _ in range(12):
        actions = sample_legal(found["action_mask"], rng)
        (found, *_), (expected, *_) = (env.step(actions) for env in envs)
        np.testing.assert_equal(found, expected)
    agent.close()


@pytest.mark.parametrize(
    ("clock", "settings", "left"),
    [
        ({"seconds_left": 60.9}, "time_settings 60 0 0", "time_left white 60 0"),
        ({"seconds_left": 0.5}, "time_settings 1 0 0", "time_left white 1 0"),
        ({"move_seconds": 5.9}, "time_settings 0 5 1", "time_left white 5 1"),
        ({"move_seconds": 0.1}, "time_settings 0 1 1", "time_left white 1 1"),
        ({"seconds_left": 60.0, "move_seconds": 5.0}, "time_settings 0 5 1", "time_left white 5 1"),
        ({"seconds_left": 3.0, "move_seconds": 5.0}, "time_settings 3 0 0", "time_left white 3 0"),
    ],
)
def test_its_clock_is_told_and_a_limit_for_the_move_is_byo_yomi(scripted, clock, settings, left):
    agent = scripted("told", f"{settings}; {left}", "d6", left, "f4")
    state = Othello.from_moves("f5")
    assert agent.act(state, **clock) == state.action_from_text("d6")
    state = state.play_transcript("d6c3")
    assert agent.act(state, **clock) == state.action_from_text("f4")
    agent.close()


@pytest.mark.parametrize(
    ("words", "seconds", "messages"),
    [
        (("hang",), 0.5, ["gave no answer within 0.5 s", "> genmove white"]),
        (("die",), 20, ["has ended with status 3", "> genmove white", "out of luck"]),
        (("honest", "a1"), 20, ["answered with an illegal move", "a1 (action 0) is not legal", "< = a1"]),
        (("honest", "resign"), 20, ["did not answer with a move", "< = resign"]),
        (("honest", "PASS"), 20, ["answered with an illegal move", "pass"]),
        (("refuse",), 20, ["refused 'play black f5'", "< ? illegal move"]),
    ],
)
def test_a_program_that_fails_is_reported_with_the_last_exchange(scripted, words, seconds, messages):
    agent = scripted(*words, seconds=seconds)
    with pytest.raises(AgentError) as caught:
        agent.act(Othello.from_moves("f5"))
    for message in messages:
        assert message in str(caught.value)
    assert agent._program is None


def test_the_game_has_to_begin_at_the_start(scripted):
    agent = scripted("honest")
    for state in (Othello.from_moves("f5d6").from_text(Othello.from_moves("f5d6").to_text()), Othello.from_bits(16, 8)):
        with pytest.raises(AgentError, match="from the standard start"):
            agent.act(state)
    with pytest.raises(WrongGameError, match="plays Othello, not Checkers"):
        agent.act(Checkers())
    assert agent._program is None, "nothing was started for it"


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino (Debian package grhino) is not installed")
def test_gtp_rhino_plays_whole_games():
    result = play_match(f'gtp:command="{RHINO} -l 1 -b 0"', "random", games=4, openings="start")
    assert not result.faults(0)
