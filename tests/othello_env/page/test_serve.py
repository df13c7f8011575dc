"""The command that serves the page."""

import contextlib
import http.client
import json
import socket
import time

import pytest

from othello_env.cli import main


class Sleeper:
    """A policy in a file. It never answers. It leaves a file when it is asked."""

    def __init__(self, folder):
        file, self._noted = folder / "slow.py", folder / "asked"
        file.write_text(
            "import pathlib, time\n"
            "def policy(observations, masks):\n"
            f"    pathlib.Path({str(self._noted)!r}).touch()\n"
            "    time.sleep(600)\n"
        )
        self.spec = f"{file}:policy"

    def think(self, running):
        """Ask the policy for a move, again and again as the page does, until the policy thinks."""
        while not self._noted.exists():
            with ask(running, self.spec) as connection:
                assert connection.getresponse().status == 202


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


def test_it_listens_on_this_computer_only_and_ctrl_c_stops_it_cleanly(serve, capsys):
    running = serve()
    with socket.create_connection(("127.0.0.1", running.port), timeout=10):
        pass
    with socket.socket() as other:
        other.bind(("127.0.0.2", running.port))  # fails if the server listens on all addresses
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", str(running.port)])
    assert stop.value.code == 2
    assert "try --port 0" in capsys.readouterr().err  # the port is taken
    assert running.stop() == (130, "", "othello-env: interrupted\n")


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


@pytest.mark.parametrize("content", ["{", "NaN", json.dumps({"results": 3})])
def test_a_file_without_results_is_an_error(content, tmp_path, capsys):
    file = tmp_path / "a.json"
    file.write_text(content)
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", "0", "--results", str(file)])
    assert stop.value.code == 2
    assert "a.json" in capsys.readouterr().err
