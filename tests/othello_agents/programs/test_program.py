"""Programs of any protocol: their limits, how they end, and what happens if they misbehave."""

import gc
import os
import shlex
import subprocess
import sys
import threading
import time

import pytest

from othello_env import AgentError, Othello, make_agent

pytestmark = pytest.mark.slow


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


@pytest.mark.parametrize("name", ["gtp", "nboard"])
def test_a_program_that_does_not_exist_is_an_error_before_a_game(name):
    with pytest.raises(FileNotFoundError, match="there is no program 'no-such-engine', the first word of the command"):
        make_agent(f'{name}:command="no-such-engine -x"')


@pytest.mark.parametrize("protocol", [(), ("nboard",)], ids=["gtp", "nboard"])
def test_a_program_that_never_answers_is_given_up_early(scripted, protocol):
    error = in_time(lambda: scripted(*protocol, "mute", seconds=600, start=0.3).act(Othello.from_moves("f5")))
    assert "gave no answer within 0.3 s" in str(error)


@pytest.mark.parametrize(
    ("words", "seconds", "message"),
    [
        (["endless"], 600, "without ending its answer to 'genmove white'"),
        (["drip"], 0.3, "gave no answer within 0.3 s"),
        (["nboard", "chatter"], 600, "without ending its answer to 'go'"),
    ],
)
def test_a_program_that_never_stops_writing_is_ended(scripted, engines, words, seconds, message, all_end):
    error = in_time(lambda: scripted(*words, seconds=seconds).act(Othello.from_moves("f5")))
    assert isinstance(error, AgentError)
    assert message in str(error)
    assert len(str(error)) < 5000
    assert all_end(engines())


@pytest.mark.parametrize(("words", "processes"), [(["child"], 2), (["nboard", "deaf"], 1)])
def test_no_process_is_left_behind(scripted, engines, words, processes, all_end):
    with pytest.raises(AgentError):
        scripted(*words, seconds=0.3).act(Othello.from_moves("f5"))
    assert len(engines()) == processes
    assert all_end(engines())


def test_the_program_ends_with_its_agent(scripted, engines, is_alive, all_end):
    agent = scripted("honest", "d6")
    agent.act(Othello.from_moves("f5"))
    assert all(map(is_alive, engines()))
    del agent
    gc.collect()
    assert len(engines()) == 1
    assert all_end(engines())


def end_of_its_own(process):
    process.stdin.close()


@pytest.mark.parametrize(
    ("behaviour", "processes", "end"),
    [("honest", 1, end_of_its_own), ("child", 2, subprocess.Popen.kill)],
    ids=["while it waits", "while it thinks"],
)
def test_the_program_ends_with_the_process_that_uses_it(
    engine_file, engines, tmp_path, behaviour, processes, end, all_end
):
    script = tmp_path / "script.py"
    command = shlex.join([sys.executable, str(engine_file), behaviour, "d6"])
    script.write_text(
        "import sys, threading\n"
        "from othello_agents.programs import Gtp\n"
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_forked_process_starts_a_program_of_its_own(engine_file, engines, tmp_path, all_end):
    script = tmp_path / "script.py"
    command = shlex.join([sys.executable, str(engine_file), "honest", "d6", "f4"])
    script.write_text(
        "import os, warnings\n"
        "from othello_agents.programs import Gtp\n"
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
