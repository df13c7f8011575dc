"""Other programs as opponents, and our agents as theirs."""

import gc
import os
import pickle
import shlex
import shutil
import sys
import time
from pathlib import Path

import pytest

from othello_agents.gtp import Gtp
from othello_agents.gtp_server import GtpServer
from othello_env import AgentError, Othello, WrongGameError, make_agent
from othello_env.agent import SpecError, ask
from othello_env.games.checkers import Checkers

SCRIPT = Path(__file__).with_name("scripted_engine.py")
RHINO = shutil.which("gtp-rhino") or shutil.which("gtp-rhino", path="/usr/games")


def scripted(*words, seconds=20.0):
    return Gtp(shlex.join([sys.executable, str(SCRIPT), *words]), seconds)


def is_alive(pid):
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().split()[2] != "Z"


def test_it_plays_what_the_program_answers():
    agent = scripted("noise", "D6", "f4")
    state = Othello.from_moves("f5")
    assert ask(agent, state) == state.action_from_text("d6")
    state = state.play_transcript("d6c3")
    assert ask(agent, state) == state.action_from_text("f4")
    agent.close()


def test_its_clock_is_told_to_a_program_that_knows_about_time():
    agent = scripted("clock", "time_settings 60 0 0; time_left white 60 0", "d6", "time_left white 1 0", "f4")
    state = Othello.from_moves("f5")
    assert agent.act(state, seconds_left=60.9) == state.action_from_text("d6")
    state = state.play_transcript("d6c3")
    assert agent.act(state, seconds_left=0.5) == state.action_from_text("f4")
    agent.close()
    agent = scripted("honest", "d6")
    assert agent.act(Othello.from_moves("f5"), seconds_left=5.0) == Othello().action_from_text("d6")
    agent.close()


@pytest.mark.parametrize(
    ("words", "seconds", "messages"),
    [
        (("hang",), 0.5, ["gave no answer within 0.5 s", "> genmove white"]),
        (("die",), 20, ["has ended with status 3", "> genmove white", "out of luck"]),
        (("honest", "a1"), 20, ["does not see this position", "a1 (action 0) is not legal", "< = a1"]),
        (("honest", "resign"), 20, ["answered with no move", "< = resign"]),
        (("honest", "PASS"), 20, ["does not see this position", "pass"]),
        (("refuse",), 20, ["refused 'play black f5'", "< ? illegal move"]),
    ],
)
def test_a_program_that_fails_is_reported_with_the_last_exchange(words, seconds, messages):
    agent = scripted(*words, seconds=seconds)
    with pytest.raises(AgentError) as caught:
        agent.act(Othello.from_moves("f5"))
    for message in messages:
        assert message in str(caught.value)
    assert agent._process is None


def test_it_starts_again_after_a_failure():
    agent = scripted("honest", "a1", "d6")
    for _ in range(2):
        with pytest.raises(AgentError, match="a1"):
            agent.act(Othello.from_moves("f5"))


def test_a_program_that_cannot_be_started():
    with pytest.raises(AgentError, match="no-such-engine"):
        Gtp("no-such-engine -x").act(Othello())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not show its processes")
@pytest.mark.parametrize("behaviour", ["child", "deaf"])
def test_no_process_is_left_behind(behaviour):
    agent = scripted(behaviour, seconds=2)
    with pytest.raises(AgentError) as caught:
        agent.act(Othello.from_moves("f5"))
    if behaviour == "child":
        child = int(str(caught.value).partition("child ")[2].split()[0])
        end = time.monotonic() + 10
        while is_alive(child) and time.monotonic() < end:
            time.sleep(0.05)
        assert not is_alive(child)
    agent = scripted("honest", "d6")
    agent.act(Othello.from_moves("f5"))
    pid = agent._process._process.pid
    assert is_alive(pid)
    del agent
    gc.collect()
    assert not is_alive(pid)
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)


def test_the_game_has_to_begin_at_the_start():
    agent = scripted("honest")
    for state in (Othello.from_moves("f5d6").from_text(Othello.from_moves("f5d6").to_text()), Othello.from_bits(16, 8)):
        with pytest.raises(AgentError, match="from the standard start"):
            agent.act(state)
    with pytest.raises(WrongGameError, match="plays Othello, not Checkers"):
        agent.act(Checkers())
    assert agent._process is None, "nothing was started for it"


def test_bad_options_are_refused():
    for spec in ('gtp:command=""', "gtp:command=x,seconds=0", "gtp:command=x,seconds=nan"):
        with pytest.raises(SpecError):
            make_agent(spec)
    with pytest.raises(SpecError, match="needs command"):
        make_agent("gtp")


def test_it_travels_to_another_process():
    agent = pickle.loads(pickle.dumps(scripted("honest", "d6")))
    assert agent.act(Othello.from_moves("f5")) == Othello().action_from_text("d6")
    assert repr(agent).startswith('gtp:command="')
    agent.close()


@pytest.mark.parametrize("command", ["edax", 'edax -name "A, B"', "a 'b \"c\"' d=1"])
def test_it_is_named_by_its_spec(command):
    for agent in (Gtp(command), Gtp(command, 1.5)):
        again = make_agent(repr(agent))
        assert repr(again) == repr(agent)
        assert again.__reduce__() == agent.__reduce__()


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "-1", "0", "1e300"])
def test_a_time_without_end_is_refused(seconds):
    with pytest.raises(SpecError, match="seconds is a"):
        make_agent(f"gtp:command=x,seconds={seconds}")


def play(first, second, state):
    agents = (first, second)
    while not state.is_over:
        action = state.pass_action if state.must_pass else ask(agents[state.to_move], state)
        state = state.play(action)
    return state


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino (Debian package grhino) is not installed")
def test_gtp_rhino_plays_whole_games():
    agent = make_agent(f'gtp:command="{RHINO} -l 1 -b 0"')
    passes = 0
    for seed in range(4):
        # Random play all over the board brings passes for both sides.
        random = make_agent("random")
        random.new_game(seed)
        pair = (agent, random) if seed % 2 else (random, agent)
        end = play(*pair, Othello())
        passes += end.moves.count(end.pass_action)
        assert end.is_over
    assert passes, "no game had a pass"
    agent.close()


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino (Debian package grhino) is not installed")
def test_gtp_rhino_takes_a_change_of_history():
    agent = make_agent(f'gtp:command="{RHINO} -l 1 -b 0"')
    for moves in ("f5d6c3", "f5f6", "f5d6c3d3c4"):
        state = Othello.from_moves(moves)
        assert ask(agent, state) in state.legal_actions()
    agent.close()


class TestServer:
    @pytest.fixture
    def server(self):
        return GtpServer(make_agent("maximizer:eval=count"), "maximizer")

    def test_protocol(self, server):
        assert server.answer("protocol_version") == "= 2"
        assert server.answer("12 name # a comment") == "=12 maximizer"
        assert server.answer("") is None
        assert server.answer("# only a comment") is None
        assert server.answer("7 fly") == "?7 unknown command"
        assert server.answer("known_command genmove") == "= true"
        assert server.answer("known_command") == "= false"
        listed = server.answer("list_commands")
        assert listed.removeprefix("= ").split("\n") == sorted(listed.removeprefix("= ").split("\n"))
        assert not server.is_done
        assert server.answer("quit") == "="
        assert server.is_done

    def test_a_game(self, server):
        assert server.answer("play black F5") == "="
        reply = server.answer("genmove white")
        assert server.state.moves[0] == server.state.action_from_text("f5")
        assert reply == f"= {server.state.action_to_text(server.state.moves[1]).upper()}"
        assert server.answer("play white d3").startswith("? illegal move: it is the other")
        assert server.answer("play black a1") == "? illegal move"
        assert server.answer("play black z9").startswith("? syntax error: expected a square")
        assert server.answer("play green f5").startswith("? syntax error: expected black or white")
        assert server.answer("play black").startswith("? syntax error")
        assert server.answer("undo") == "="
        assert server.answer("undo") == "="
        assert server.answer("undo") == "? cannot undo"
        assert server.state == Othello()
        before = server.state
        assert server.answer("reg_genmove b") == "= D3"
        assert server.state == before
        assert server.answer("boardsize 6") == "="
        assert server.state == Othello(6)
        assert server.answer("boardsize 7") == "? unacceptable size"
        assert server.answer("final_score").startswith("? cannot score")
        assert "black to move" in server.answer("showboard")
        assert server.answer("time_left white 30 0") == "="
        assert server.answer("time_left white").startswith("? syntax")
        assert server.answer("komi 0") == "="

    @pytest.mark.parametrize("explicit", [True, False])
    def test_passes_may_be_given_or_left_out(self, explicit):
        server = GtpServer(make_agent("random", 1), "random", size=6)
        other = make_agent("random", 2)
        for game in range(10):
            server.answer("clear_board")
            other.new_game(game)
            while not server.state.is_over:
                state = server.state
                colour = state.player_names[state.to_move]
                if state.must_pass:
                    if explicit:
                        assert server.answer(f"play {colour} pass") == "="
                        continue
                    colour = state.player_names[1 - state.to_move]
                    state = state.play(state.pass_action)
                if state.to_move == 0:
                    assert server.answer(f"genmove {colour}").startswith("= ")
                else:
                    move = state.action_to_text(other.act(state))
                    assert server.answer(f"play {colour} {move}") == "="
            assert server.answer("genmove black") == "= PASS"
            black, white = server.state.discs()
            score = server.answer("final_score")
            assert score == ("= 0" if black == white else f"= {'B' if black > white else 'W'}+{abs(black - white)}")
