"""The server for OpenEnv: OpenEnv's own client plays whole games."""

import threading
import time

import pytest

pytest.importorskip("openenv", reason="the recipe needs OpenEnv, which is not a dependency")
pytest.importorskip("tyro", reason="the recipe reads its options with tyro")

import uvicorn
from load_script import load_script
from openenv.core import GenericEnvClient


@pytest.fixture
def url():
    """The address of a running server."""
    recipe = load_script("train/openenv_othello")
    app = recipe.make_app(recipe.Args(size=4, openings="random:2", reward="regret", legal_moves=True))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(30)


@pytest.mark.filterwarnings("ignore")
def test_a_client_plays_whole_games(url):
    with GenericEnvClient(base_url=url).sync() as client:
        first = client.reset(seed=1)
        assert first.observation["text"].startswith("This is Othello")
        rewards, result = [], first
        while not result.done:
            move = result.observation["text"].rpartition("Legal moves: ")[2].split()[0]
            result = client.step({"move": move})
            rewards.append(result.reward)
        assert all(0 < reward < 0.1 for reward in rewards[:-1])
        assert 0.1 < sum(rewards) <= 1
        assert client.state()["step_count"] == len(rewards)
        assert client.reset(seed=1).observation == first.observation
        assert not client.step({"move": "?"}).done
        lost = client.step({"move": "?"})
        assert (lost.done, lost.reward) == (True, 0)  # a game without a move pays nothing
