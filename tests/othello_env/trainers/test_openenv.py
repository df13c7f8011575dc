"""The server for OpenEnv: OpenEnv's own client plays whole games."""

import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("openenv", reason="the package needs OpenEnv, which is not a dependency")
pytest.importorskip("tyro", reason="the package reads its options with tyro")

import httpx
import uvicorn
from load_script import SCRIPTS
from openenv.core import GenericEnvClient
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

PACKAGE = SCRIPTS / "environments" / "othello_openenv"


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """The package can be imported as if it were installed."""
    monkeypatch.syspath_prepend(PACKAGE.parent)


@pytest.fixture
def url():
    """The address of a running server."""
    from othello_openenv.server.app import Args, make_app

    app = make_app(Args(game="othello:size=4", openings="random:2", reward="regret", legal_moves=True))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(30)


def first_legal(text):
    return text.rpartition("Legal moves: ")[2].split()[0]


@pytest.mark.filterwarnings("ignore")
def test_a_client_plays_whole_games(url):
    with GenericEnvClient(base_url=url).sync() as client:
        first = client.reset(seed=1)
        assert first.observation["text"].startswith("This is Othello")
        rewards, result = [], first
        while not result.done:
            result = client.step({"move": first_legal(result.observation["text"])})
            rewards.append(result.reward)
        assert all(0 < reward < 0.1 for reward in rewards[:-1])
        assert 0.1 < sum(rewards) <= 1
        assert client.state()["step_count"] == len(rewards)
        assert client.reset(seed=1).observation == first.observation
        assert not client.step({"move": "?"}).done
        lost = client.step({"move": "?"})
        assert (lost.done, lost.reward) == (True, 0)  # a game without a move pays nothing


@pytest.mark.filterwarnings("ignore")
def test_an_episode_has_a_number(url):
    with GenericEnvClient(base_url=url).sync() as client:
        client.reset(seed=1)
        first = client.state()["episode_id"]
        client.reset(seed=1)
        assert len({None, first, client.state()["episode_id"]}) == 3
        client.reset(seed=1, episode_id="mine")
        assert client.state()["episode_id"] == "mine"


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}])
def test_pages_of_other_sites_are_refused(url, headers):
    host = url.removeprefix("http://")
    for ours in ({}, {"Origin": url}):
        with connect(f"ws://{host}/ws", additional_headers=ours):
            assert httpx.get(f"{url}/health", headers=ours).status_code == 200
    origin = headers.get("Origin")
    with pytest.raises(InvalidStatus), socket.create_connection(host.split(":")) as sock:
        # with a socket of our own, the client says another name of the host
        connect(f"ws://{headers.get('Host', host)}/ws", sock=sock, origin=origin)
    assert httpx.get(f"{url}/health", headers=headers).status_code in (400, 403)


@pytest.mark.parametrize("reward", ["result", "regret"])
def test_nothing_is_left_to_compile_when_it_listens(reward, monkeypatch):
    from othello_openenv.server import app

    played = []

    class Noted(app.OthelloText):
        def play(self, move):
            text = super().play(move)
            played.append((self.position.size, self.faults, self.regrets))
            return text

    monkeypatch.setattr(app, "OthelloText", Noted)
    app.make_app(app.Args(game="othello:size=6", reward=reward))
    assert played[0] == (6, [], [None])
    assert [regrets[0] is not None for _, _, regrets in played[1:]] == [True] * (reward == "regret")


@pytest.mark.filterwarnings("ignore")
def test_the_client_of_the_package_plays_several_games_at_once(url):
    from othello_openenv import Move, OthelloClient

    def play(seed):
        with OthelloClient(base_url=url).sync() as client:
            result, total, steps = client.reset(seed=seed), 0.0, 0
            while not result.done:
                result = client.step(Move(move=first_legal(result.observation.text)))
                total, steps = total + result.reward, steps + 1
            assert client.state().step_count == steps
            return total

    with ThreadPoolExecutor(4) as pool:
        totals = list(pool.map(play, range(8)))
    assert totals == [play(seed) for seed in range(8)]
    assert all(0.1 < total <= 1 for total in totals)


def test_the_package_is_valid_for_openenv():
    command = Path(sys.executable).with_name("openenv")
    found = subprocess.run(
        [command, "validate", PACKAGE, "--level", "static"], capture_output=True, text=True, timeout=300
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "Verdict: PASS" in found.stdout
