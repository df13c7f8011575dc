"""The command that serves the page."""

import http.client
import json
import os
import socket
import time

import pytest

from othello_env.cli import main


def test_ctrl_c_stops_it_cleanly(serve):
    status, out, errors = serve().stop()
    assert (status, out.strip(), errors) == (0, "stopped", "")


def test_it_listens_on_this_computer_only(serve):
    running = serve()
    with socket.create_connection(("127.0.0.1", running.port), timeout=10):
        pass
    with socket.socket() as other:
        other.bind(("127.0.0.2", running.port))  # free, as it is not where every address goes


def test_a_closed_tab_ends_its_work(serve, tmp_path):
    file, noted = tmp_path / "slow.py", tmp_path / "pid"
    file.write_text(
        "import os, pathlib, time\n"
        "def policy(observations, masks):\n"
        f"    pathlib.Path({str(noted)!r}).write_text(str(os.getpid()))\n"
        "    time.sleep(600)\n"
    )
    running = serve(f"{file}:policy")
    connection = http.client.HTTPConnection("127.0.0.1", running.port)
    record = {"game": "othello", "seed": 0, "position": None, "moves": []}
    message = {"agent": f"{file}:policy", "task": "move", "client": "a", "record": record}
    headers = {"content-type": "application/json", "origin": running.address.rstrip("/")}
    connection.request("POST", "/api/think", json.dumps(message), headers)
    while not (noted.exists() and noted.read_text()):
        time.sleep(0.05)
    thinker = int(noted.read_text())
    os.kill(thinker, 0)
    connection.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.kill(thinker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the agent still thinks")


def test_a_port_that_is_taken(serve, capsys):
    running = serve()
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", str(running.port)])
    assert stop.value.code == 2
    assert "try --port 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "part"), [(["nobody"], "there is no agent 'nobody'"), (["alphabeta:depth=0"], "depth is at least 1")]
)
def test_a_wrong_agent_is_told_before_anything_is_served(arguments, part, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", "0", *arguments])
    assert stop.value.code == 2
    assert part in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", ["{", "[]", "NaN", json.dumps({"results": 3}), json.dumps({"results": []}), json.dumps({"curve": [{}]})]
)
def test_what_holds_no_results(content, tmp_path, capsys):
    file = tmp_path / "a.json"
    file.write_text(content)
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", "0", "--results", str(file)])
    assert stop.value.code == 2
    assert "a.json" in capsys.readouterr().err
