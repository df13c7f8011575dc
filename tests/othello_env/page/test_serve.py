"""The command that serves the page."""

import contextlib
import http.client
import json
import os
import signal
import socket
import time

import pytest

from othello_env.cli import main
from othello_env.cli import serve as serving


class Sleeper:
    """A policy in a file. It never answers."""

    def __init__(self, folder):
        file, self._noted = folder / "slow.py", folder / "pid"
        file.write_text(
            "import os, pathlib, time\n"
            "def policy(observations, masks):\n"
            f"    pathlib.Path({str(self._noted)!r}).write_text(str(os.getpid()))\n"
            "    time.sleep(600)\n"
        )
        self.spec = f"{file}:policy"

    def think(self, running):
        """Ask the policy for a move, again and again as the page does, until the policy thinks."""
        while not (self._noted.exists() and self._noted.read_text()):
            with ask(running, self.spec) as connection:
                assert connection.getresponse().status == 202

    def wait_for_the_end(self):
        process = int(self._noted.read_text())
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                return
            time.sleep(0.05)
        pytest.fail("the agent still thinks")


@pytest.fixture
def sleeper(tmp_path):
    return Sleeper(tmp_path)


def ask(running, spec):
    """A connection on which a request for an agent's move was sent."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    record = {"game": "othello", "seed": 0, "position": None, "moves": []}
    message = {"agent": spec, "task": "move", "request": "1", "record": record}
    headers = {"content-type": "application/json", "origin": running.address.rstrip("/")}
    connection.request("POST", "/api/think", json.dumps(message), headers)
    return contextlib.closing(connection)


def test_ctrl_c_stops_it_cleanly(serve):
    status, out, errors = serve().stop()
    assert (status, out, errors) == (130, "", "othello-env: interrupted\n")


def test_ctrl_c_may_be_pressed_twice(serve):
    running = serve()
    running.process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    status, _, errors = running.stop()
    assert (status, errors) == (130, "othello-env: interrupted\n")


def test_ctrl_c_stops_it_cleanly_while_an_agent_thinks(serve, sleeper):
    running = serve(sleeper.spec)
    sleeper.think(running)
    with ask(running, sleeper.spec) as again:
        status, out, errors = running.stop()
        assert (status, out, errors) == (130, "", "othello-env: interrupted\n")
        assert again.getresponse().status == 503  # the page repeats its request until a server runs again


def test_it_opens_in_the_browser(serve, tmp_path):
    noted = tmp_path / "address"
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\necho $1 > {noted}\n")
    browser.chmod(0o755)
    running = serve(browser=browser)
    while not (noted.exists() and noted.read_text().endswith("\n")):
        time.sleep(0.05)
    assert noted.read_text().strip() == running.address


def test_it_listens_on_this_computer_only(serve):
    running = serve()
    with socket.create_connection(("127.0.0.1", running.port), timeout=10):
        pass
    with socket.socket() as other:
        other.bind(("127.0.0.2", running.port))  # fails if the server listens on all addresses


def test_a_closed_tab_ends_its_work(serve, sleeper):
    running = serve(sleeper.spec)
    sleeper.think(running)
    with ask(running, sleeper.spec):
        pass
    sleeper.wait_for_the_end()


def test_a_page_that_does_not_ask_again_ends_its_work(serve, sleeper):
    sleeper.think(serve(sleeper.spec))
    sleeper.wait_for_the_end()


def test_requests_may_leave_and_come_again(serve, sleeper):
    running = serve(sleeper.spec)
    sleeper.think(running)
    for _ in range(20):
        with ask(running, sleeper.spec) as stays:
            for _ in range(3):
                with ask(running, sleeper.spec):
                    pass
            assert stays.getresponse().status == 202
    status, _, errors = running.stop()
    assert (status, errors) == (130, "othello-env: interrupted\n")


def test_a_port_that_is_taken(serve, capsys):
    running = serve()
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", str(running.port)])
    assert stop.value.code == 2
    assert "try --port 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["nobody"], "there is no agent 'nobody'"),
        (["alphabeta:depth=0"], "depth must be 1 to 100"),
        (["human"], "human is not an agent"),
        (["--seconds", "nan"], "nan is not in the range 1<=x<=3600"),
    ],
)
def test_a_wrong_agent_is_an_error_before_anything_is_served(arguments, part, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", "0", *arguments])
    assert stop.value.code == 2
    assert part in capsys.readouterr().err


def test_a_folder_without_a_league_is_an_error(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", "0", "--league", str(tmp_path)])
    assert stop.value.code == 2
    assert "league.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", ["{", "[]", "NaN", json.dumps({"results": 3}), json.dumps({"results": []}), json.dumps({"curve": [{}]})]
)
def test_a_file_without_results_is_an_error(content, tmp_path, capsys):
    file = tmp_path / "a.json"
    file.write_text(content)
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", "0", "--results", str(file)])
    assert stop.value.code == 2
    assert "a.json" in capsys.readouterr().err


@pytest.mark.parametrize(("platform", "reuses"), [("linux", True), ("win32", False)])
def test_a_port_is_reused_except_on_windows(monkeypatch, platform, reuses):
    monkeypatch.setattr(serving.sys, "platform", platform)
    with serving._listen(0) as listener:
        assert bool(listener.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)) is reuses
