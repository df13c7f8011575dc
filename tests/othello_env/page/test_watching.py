"""Checkpoints that appear in the watched folder while the server runs."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
import reports
from asking import run_async
from starlette.testclient import TestClient

import othello_agents
from othello_env import Othello, make_agent
from othello_env.agent import spec_file
from othello_env.page.app import make_app
from othello_env.page.assessment import assess
from othello_env.page.offers import Offer, Offers
from othello_env.page.pool import AgentFailedError, WorkerPool
from othello_env.page.runs import Runs
from othello_env.page.watching import Checkpoints

pytestmark = pytest.mark.slow

PORT = 8750
SITE = f"http://127.0.0.1:{PORT}"
WEIGHTS = Path(othello_agents.__file__).parent / "weights"


@pytest.fixture
def client(tmp_path):
    app = make_app([Offer("random")], PORT, pool=WorkerPool(processes=2), runs=Runs(tmp_path))
    with TestClient(app, base_url=SITE) as made:
        yield made


def until(client, condition):
    """Ask for news as the page does, until `condition` is true. Return the offered agents, a dict by spec."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        agents = {each["spec"]: each for each in client.get("/api/runs").json()["agents"]}
        if condition(agents):
            return agents
        time.sleep(0.05)
    pytest.fail(f"the agents are {[*agents]}")
    return {}


def think(client, spec, task, game="othello"):
    record = {"game": game, "seed": 0, "moves": [], "position": None}
    message = {"agent": spec, "task": task, "record": record, "request": os.urandom(8).hex()}
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        answer = client.post("/api/think", json=message, headers={"origin": SITE})
        if answer.status_code != 202:
            return answer
    pytest.fail(f"{spec} does not answer")
    return None


def test_a_checkpoint_that_appears_can_be_asked_and_one_that_changes_is_read_again(client, tmp_path):
    file = tmp_path / "deep" / "agent.npz"
    spec = str(file)
    assert think(client, spec, "move").status_code == 400  # there is no such file yet
    file.parent.mkdir()
    (tmp_path / "broken.npz").write_bytes(b"no weights")
    shutil.copy(WEIGHTS / "ntuple_8x8.npz", file)
    offered = until(client, lambda agents: spec in agents)
    assert [*offered] == [spec, "random"]  # a broken file is left out
    deadline = time.monotonic() + 120
    while not (left_out := client.get("/api/runs").json()["leftOut"]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [Path(each["file"]).name for each in left_out] == ["broken.npz"]
    assert left_out[0]["reason"]
    assert (offered[spec]["label"], offered[spec]["games"]) == ("checkpoint", ["othello"])
    expected = assess(make_agent("ntuple"), Othello()).to_json()
    assert think(client, spec, "assess").json() == json.loads(json.dumps(expected))
    before = offered[spec]["version"]
    shutil.copy(WEIGHTS / "ntuple_6x6.npz", file)
    offered = until(client, lambda agents: agents.get(spec, {}).get("version", before) != before)
    assert offered[spec]["games"] == ["othello:size=6"]
    assert len(think(client, spec, "assess", "othello:size=6").json()["moves"]) == 4
    file.unlink()
    until(client, lambda agents: spec not in agents)
    assert think(client, spec, "move").status_code == 400


def test_a_file_name_is_never_read_as_something_else(client, tmp_path):
    mark = tmp_path / "mark"
    (tmp_path / "policy.py").write_text(f"open({str(mark)!r}, 'w')\n")
    for name in ("policy.py:evil.npz", "a:epsilon=0.5.npz", "b,c=d.npz", 'q"uote.npz'):
        shutil.copy(WEIGHTS / "ntuple_6x6.npz", tmp_path / name)
    good = tmp_path / "good.npz"
    shutil.copy(WEIGHTS / "ntuple_6x6.npz", good)
    os.utime(good, (1, 1))  # the oldest file, which the server loads last
    offered = until(client, lambda agents: str(good) in agents)
    files = [spec for spec, each in offered.items() if each["label"] == "checkpoint"]
    assert str(good) in files
    # The name "a:epsilon=0.5.npz" would be read as a file "a" with an option, so this file is not offered.
    assert not any(":epsilon" in spec for spec in files)
    assert all(spec_file(spec) == (Path(spec), "") for spec in files)
    assert not mark.exists()  # the Python file was not run


def test_only_news_are_sent(client, tmp_path):
    first = client.get("/api/runs").json()
    assert client.get(f"/api/runs?known={first['version']}").status_code == 204
    (tmp_path / "a.json").write_text(json.dumps(reports.rated().to_json()))
    second = client.get(f"/api/runs?known={first['version']}").json()
    assert [each["file"] for each in second["rated"]] == ["a.json"]
    assert second["version"] != first["version"]


def test_a_network_of_your_own_in_the_folder_needs_its_function(tmp_path):
    class Pool:
        async def ask(self, request):
            if "network=" in request["spec"]:
                return {"games": ["othello"]}
            raise AgentFailedError("it is of a function", agent=request["spec"], type="ValueError", where="")

    file = tmp_path / "mine.safetensors"
    file.touch()
    for network, specs in ((None, []), ("nets.py:make", [f"{file}:network=nets.py:make"])):
        offers = Offers([])
        checkpoints = Checkpoints(Runs(tmp_path, network=network), offers, Pool())
        run_async(checkpoints.look())
        assert [offer.spec for offer in offers.found] == specs
        reasons = [each["reason"] for each in checkpoints.left_out]
        assert all("othello-env serve --network nets.py:make" in reason for reason in reasons)
        assert bool(reasons) == (network is None)
