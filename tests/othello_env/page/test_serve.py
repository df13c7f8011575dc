"""The command that serves the page."""

import contextlib
import http.client
import json
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from othello_env.cli import main

pytestmark = pytest.mark.slow
FEWEST = Path(__file__).parents[2] / "toy/fewest.py"


def ask(running, spec):
    """A connection on which a request for an agent's move was sent."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    record = {"game": "othello", "seed": 0, "position": None, "moves": []}
    message = {"agent": spec, "task": "move", "record": record}
    headers = {"content-type": "application/json", "origin": running.address.rstrip("/")}
    connection.request("POST", "/api/think", json.dumps(message), headers)
    return contextlib.closing(connection)


def test_it_opens_in_the_browser_listens_on_this_computer_only_and_ctrl_c_stops_it_cleanly(serve, tmp_path, capsys):
    noted, browser = tmp_path / "address", tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\necho $1 > {noted}\n")
    browser.chmod(0o755)
    running = serve(browser=browser)
    with socket.create_connection(("127.0.0.1", running.port), timeout=10):
        pass
    with socket.socket() as other:
        other.bind(("127.0.0.2", running.port))  # fails if the server listens on all addresses
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", str(running.port)])
    assert stop.value.code == 2
    assert "try --port 0" in capsys.readouterr().err  # the port is taken
    while not (noted.exists() and noted.read_text().endswith("\n")):
        time.sleep(0.05)
    assert noted.read_text().strip() == running.address
    assert running.stop() == (130, "", "othello-env: interrupted\n")


def test_ctrl_c_stops_it_cleanly_while_an_agent_thinks(serve, tmp_path):
    file, asked = tmp_path / "slow.py", tmp_path / "asked"
    lines = (f"pathlib.Path({str(asked)!r}).touch()", "time.sleep(600)")
    file.write_text("\n    ".join(("import pathlib, time\ndef policy(observations, masks):", *lines)))
    spec = f"{file}:policy"
    running = serve(spec)
    with ask(running, spec) as connection:
        answer = connection.getresponse()
        assert json.loads(answer.readline()) == {"doing": "starting"}
        while not asked.exists():
            time.sleep(0.05)
        assert running.stop() == (130, "", "othello-env: interrupted\n")
        assert answer.read() == b""  # there is no last line, so the page asks again when a server runs


def test_the_page_begins_with_a_game_of_ones_own(serve):
    running = serve("--game", f"{FEWEST}:Fewest")
    address = urlsplit(running.address)
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)) as connection:
        connection.request("GET", "/api/offers", headers={"origin": f"http://{address.netloc}"})
        offers = json.loads(connection.getresponse().read())
    assert offers["first"] == "fewest" in [game["spec"] for game in offers["games"]]
    assert "fewest" in next(agent["games"] for agent in offers["agents"] if agent["spec"] == "random")


@pytest.mark.parametrize(
    ("arguments", "content", "part"),
    [
        (["nobody"], "", "there is no agent 'nobody'"),
        (["human"], "", "human is not an agent"),
        (["--game", "tribolo:width=9"], "", "expected one of othello, "),
        (["--results", "a.json"], "{", "a.json"),
        (["--results", "a.json"], "NaN", "a.json"),
        (["--results", "a.json"], '{"results": 3}', "a.json"),
    ],
)
def test_what_cannot_be_served_is_an_error_before_anything_is_served(
    arguments, content, part, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", "0", *arguments])
    assert stop.value.code == 2
    assert part in capsys.readouterr().err
