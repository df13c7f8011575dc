"""Other programs as opponents of our agents, and our agents as opponents of other programs."""

import gc
import os
import pickle
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from othello_agents.gtp.agent import Gtp
from othello_env import Agent, AgentError, Othello, WrongGameError, make_agent
from othello_env.agent import SpecError, ask
from othello_env.cli._gtp_server import GtpServer
from othello_env.games.checkers.position import Checkers

SCRIPT = Path(__file__).with_name("scripted_engine.py")
RHINO = shutil.which("gtp-rhino") or shutil.which("gtp-rhino", path="/usr/games")


def scripted(*words, seconds=20.0):
    return Gtp(shlex.join([sys.executable, str(SCRIPT), *words]), seconds)


@pytest.fixture
def engines(tmp_path, monkeypatch, all_end):
    """A function that lists the process ids of all scripted engines started. The fixture kills what still runs."""
    folder = tmp_path / "engines"
    folder.mkdir()
    monkeypatch.setenv("SCRIPTED_ENGINES", str(folder))

    def started():
        return [int(file.name) for file in folder.iterdir()]

    yield started
    all_end(started(), 0)


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def in_time(function, seconds=60):
    """The error that a function raises. A function that hangs fails the test."""
    raised = []

    def call():
        try:
            function()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "it hangs"
    return raised[0] if raised else None


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
    ("clock", "settings", "left"),
    [
        ({"move_seconds": 5.9}, "time_settings 0 5 1", "time_left white 5 1"),
        ({"move_seconds": 0.1}, "time_settings 0 1 1", "time_left white 1 1"),
        ({"seconds_left": 60.0, "move_seconds": 5.0}, "time_settings 0 5 1", "time_left white 5 1"),
        ({"seconds_left": 3.0, "move_seconds": 5.0}, "time_settings 3 0 0", "time_left white 3 0"),
    ],
)
def test_a_limit_for_the_move_is_told_as_byo_yomi(clock, settings, left):
    agent = scripted("clock", f"{settings}; {left}", "d6", left, "f4")
    state = Othello.from_moves("f5")
    assert agent.act(state, **clock) == state.action_from_text("d6")
    state = state.play_transcript("d6c3")
    assert agent.act(state, **clock) == state.action_from_text("f4")
    agent.close()


@pytest.mark.parametrize(
    ("words", "seconds", "messages"),
    [
        (("hang",), 3, ["gave no answer within 3 s", "> genmove white"]),
        (("die",), 20, ["has ended with status 3", "> genmove white", "out of luck"]),
        (("honest", "a1"), 20, ["does not see this position", "a1 (action 0) is not legal", "< = a1"]),
        (("honest", "resign"), 20, ["did not answer with a move", "< = resign"]),
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
    assert agent._program is None


def test_what_a_program_writes_is_shown_in_part_and_steers_no_terminal():
    agent = scripted("shout")
    with pytest.raises(AgentError) as caught:
        agent.act(Othello.from_moves("f5"))
    assert len(str(caught.value)) < 2000
    assert "\x1b" not in str(caught.value)


def test_it_starts_again_after_a_failure():
    agent = scripted("honest", "a1", "d6")
    for _ in range(2):
        with pytest.raises(AgentError, match="a1"):
            agent.act(Othello.from_moves("f5"))


def test_a_program_that_cannot_be_started():
    with pytest.raises(AgentError, match="no-such-engine"):
        Gtp("no-such-engine -x").act(Othello())


@pytest.mark.parametrize(
    ("behaviour", "seconds", "message"),
    [
        ("chatter", 600, "without ending its answer to 'genmove white'"),
        ("essay", 600, "without ending its answer to 'genmove white'"),
        ("endless", 600, "without ending its answer to 'genmove white'"),
        ("drip", 3, "gave no answer within 3 s"),
    ],
)
def test_a_program_that_never_stops_writing_is_ended(engines, behaviour, seconds, message, all_end):
    error = in_time(lambda: scripted(behaviour, seconds=seconds).act(Othello.from_moves("f5")))
    assert isinstance(error, AgentError)
    assert message in str(error)
    assert len(str(error)) < 5000
    assert all_end(engines())


def test_only_the_last_words_on_stderr_are_kept():
    error = in_time(lambda: scripted("complain").act(Othello.from_moves("f5")))
    assert "has ended with status 3" in str(error)
    assert "its stderr:" in str(error)
    assert "oh! out of luck" in str(error)
    assert len(str(error)) < 5000


def test_the_limit_of_time_holds_for_all_that_a_program_is_told():
    state = Othello()
    for _ in range(30):
        state = state.play(state.legal_actions()[0])
    error = in_time(lambda: scripted("slow", "a1", seconds=3).act(state))  # each command takes half a second
    assert "gave no answer within 3 s" in str(error)


def test_what_a_program_writes_while_nobody_asks_is_not_collected(engines, all_end):
    agent = scripted("babble", "d6")
    agent.act(Othello.from_moves("f5"))
    lines = agent._program._lines
    assert wait_until(lambda: len(lines._text) > 1 << 16)
    time.sleep(0.5)  # in this time it could write hundreds of megabytes
    assert len(lines._text) <= (1 << 16) + 4096
    agent.close()
    assert all_end(engines())
    assert wait_until(lambda: not [t for t in threading.enumerate() if t.name.startswith("gtp-")])


@pytest.mark.parametrize("behaviour", ["child", "deaf"])
def test_no_process_is_left_behind(engines, behaviour, all_end):
    with pytest.raises(AgentError):
        scripted(behaviour, seconds=3).act(Othello.from_moves("f5"))
    assert len(engines()) == 1 + (behaviour == "child")
    assert all_end(engines())


def test_the_program_ends_with_its_agent(engines, is_alive, all_end):
    agent = scripted("honest", "d6")
    agent.act(Othello.from_moves("f5"))
    assert all(map(is_alive, engines()))
    del agent
    gc.collect()
    assert len(engines()) == 1
    assert all_end(engines())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process when its parent is killed")
def test_the_program_ends_when_its_supervisor_is_killed(engines, all_end):
    agent = Gtp(shlex.join([sys.executable, str(SCRIPT), "deaf", "d6"]))
    asking = threading.Thread(target=in_time, args=(lambda: agent.act(Othello.from_moves("f5")),))
    asking.start()
    assert wait_until(lambda: len(engines()) == 1)
    (program,) = engines()
    supervisor = int(Path(f"/proc/{program}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(supervisor, signal.SIGKILL)
    assert all_end(engines())
    asking.join()


def end_of_its_own(process):
    process.stdin.close()


@pytest.mark.parametrize("end", [end_of_its_own, subprocess.Popen.terminate, subprocess.Popen.kill])
@pytest.mark.parametrize(
    ("behaviour", "processes"), [("honest", 1), ("child", 2)], ids=["while it waits", "while it thinks"]
)
def test_the_program_ends_with_the_process_that_uses_it(engines, tmp_path, behaviour, processes, end, all_end):
    script = tmp_path / "script.py"
    command = shlex.join([sys.executable, str(SCRIPT), behaviour, "d6"])
    script.write_text(
        "import sys, threading\n"
        "from othello_agents.gtp.agent import Gtp\n"
        "from othello_env import Othello\n"
        f"agent = Gtp({command!r})\n"
        "threading.Thread(target=agent.act, args=(Othello.from_moves('f5'),), daemon=True).start()\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdin=subprocess.PIPE) as process:
        assert wait_until(lambda: len(engines()) == processes)
        end(process)
        process.wait(60)
    assert all_end(engines())


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="there is no SIGTERM that a command could handle")
def test_a_match_that_is_terminated_leaves_no_program(engines, all_end):
    spec = f'gtp:command="{sys.executable} {SCRIPT} child"'
    command = [
        sys.executable,
        "-c",
        "from othello_env.cli import main; main()",
        "match",
        spec,
        "random",
        "--games",
        "2",
    ]
    with subprocess.Popen(command) as process:
        assert wait_until(lambda: len(engines()) == 2)
        process.terminate()
        process.wait(60)
    assert all_end(engines())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_forked_process_does_not_keep_the_program(engines, tmp_path, all_end):
    script, forked = tmp_path / "script.py", tmp_path / "forked"
    command = shlex.join([sys.executable, str(SCRIPT), "stall", "d6"])
    script.write_text(
        "import os, pathlib, signal, sys, time, warnings\n"
        "from othello_agents.gtp.agent import Gtp\n"
        "from othello_env import Othello\n"
        "warnings.simplefilter('ignore')\n"
        f"agent = Gtp({command!r})\n"
        "agent.act(Othello.from_moves('f5'))\n"
        "child = os.fork()\n"
        "if child == 0: time.sleep(600)\n"
        f"pathlib.Path({str(forked)!r}).write_text(str(child))\n"
        "agent.act(Othello.from_moves('f5d6c3'))\n"
    )
    with subprocess.Popen([sys.executable, str(script)]) as process:
        assert wait_until(lambda: forked.exists() and forked.read_text())
        time.sleep(0.5)  # it is thinking now
        process.kill()
    ended = all_end(engines())
    os.kill(int(forked.read_text()), signal.SIGKILL)
    assert ended


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_forked_process_starts_a_program_of_its_own(engines, tmp_path, all_end):
    script = tmp_path / "script.py"
    command = shlex.join([sys.executable, str(SCRIPT), "honest", "d6", "f4"])
    script.write_text(
        "import os, warnings\n"
        "from othello_agents.gtp.agent import Gtp\n"
        "from othello_env import Othello\n"
        "warnings.simplefilter('ignore')\n"
        f"agent = Gtp({command!r}, 20)\n"
        "state = Othello.from_moves('f5')\n"
        "agent.act(state)\n"
        "child = os.fork()\n"
        "print(state.action_to_text(agent.act(state if child == 0 else state.play_transcript('d6c3'))))\n"
        "if child: raise SystemExit(os.waitpid(child, 0)[1])\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert (sorted(done.stdout.split()), done.returncode) == (["d6", "f4"], 0), done.stderr
    assert len(engines()) == 2
    assert all_end(engines())


def test_the_game_has_to_begin_at_the_start():
    agent = scripted("honest")
    for state in (Othello.from_moves("f5d6").from_text(Othello.from_moves("f5d6").to_text()), Othello.from_bits(16, 8)):
        with pytest.raises(AgentError, match="from the standard start"):
            agent.act(state)
    with pytest.raises(WrongGameError, match="plays Othello, not Checkers"):
        agent.act(Checkers())
    assert agent._program is None, "nothing was started for it"


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
    with pytest.raises(SpecError, match="seconds is "):
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

    @pytest.mark.parametrize(
        ("lines", "clocks"),
        [
            ([], [(None, None)]),
            (["time_settings 60 0 0"], [(60.0, None), (59.0, None)]),
            (["time_settings 0 5 1"], [(None, 5.0), (None, 5.0)]),
            (["time_settings 0 30 10"], [(None, 3.0), (None, 3.0)]),
            (["time_settings 1 6 3"], [(1.0, None), (None, 2.0)]),
            (["time_settings 1 0 0"], [(1.0, None), (0.0, None)]),
            (["time_settings 60 5 0"], [(None, None)]),
            (["time_settings 0 0 0"], [(None, None)]),
            (["time_left black 12 0"], [(12.0, None), (11.0, None)]),
            (["time_left black 12 3"], [(None, 4.0)]),
            (["time_left white 12 0"], [(None, None)]),
            (["time_settings 60 0 0", "time_left black 7 0"], [(7.0, None)]),
            (["time_settings 60 0 0", "time_left black 7 0", "clear_board"], [(60.0, None)]),
        ],
    )
    def test_its_agent_has_the_clock_that_the_commands_say(self, monkeypatch, lines, clocks):
        told, now = [], [0.0]

        class Noting(Agent):
            def act(self, state, *, seconds_left=None, move_seconds=None):
                told.append((seconds_left, move_seconds))
                now[0] += 1.0  # a second passes
                return state.legal_actions()[0]

        monkeypatch.setattr("othello_env.cli._gtp_server.time.monotonic", lambda: now[0])
        server = GtpServer(Noting(), "noting")
        for line in lines:
            assert server.answer(line) == "="
        for _ in clocks:
            assert server.answer("genmove black").startswith("= ")
            assert server.answer("undo") == "="
        assert told == clocks

    @pytest.mark.parametrize(
        "line",
        [
            "time_left black nan 0",
            "time_left black inf 0",
            "time_left black 5 -1",
            "time_left black 5",
            "time_settings",
            "time_settings 1 2",
            "time_settings 1e999 0 0",
            "time_settings a b c",
        ],
    )
    def test_a_clock_that_makes_no_sense_is_refused(self, server, line):
        assert server.answer(line).startswith("? syntax error: expected ")
        assert server.answer("genmove black").startswith("= ")

    def test_the_seed_the_game_and_the_colour_determine_what_is_drawn(self):
        def games(seed):
            server = GtpServer(make_agent("random"), "random", seed=seed)
            for _ in range(2):
                while not server.state.is_over:
                    server.answer(f"genmove {server.state.player_names[server.state.to_move]}")
                yield server.state.moves
                server.answer("clear_board")

        first, second = games(1)
        assert [first, second] == list(games(1))
        assert len({first, second, *games(2)}) == 4

    def test_an_agent_that_fails_is_an_answer(self):
        class Failing(Agent):
            def act(self, state, *, seconds_left=None):
                raise ZeroDivisionError("oops")

        server = GtpServer(Failing(), "failing")
        assert server.answer("3 genmove black") == "?3 ZeroDivisionError: oops"
        assert server.answer("showboard").startswith("=")

    def test_a_size_that_the_agent_does_not_play_is_refused(self):
        server = GtpServer(make_agent("ntuple"), "ntuple")
        assert server.answer("boardsize 4").startswith("? unacceptable size: no n-tuple weights")
        assert server.state == Othello()
        with pytest.raises(WrongGameError):
            GtpServer(make_agent("ntuple"), "ntuple", 4)

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
