"""Checkpoints that appear in the watched folder while the server runs."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from asking import PORT, SITE, record, run_async
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

WEIGHTS = Path(othello_agents.__file__).parent / "weights"


@pytest.fixture
def client(tmp_path):
    app = make_app([Offer("random")], PORT, pool=WorkerPool(processes=2), runs=Runs(tmp_path))
    with TestClient(app, base_url=SITE) as made:
        yield made


def until(client, condition):
    """Ask for news until `condition` is true. Return the offered agents, by spec, and the files that are left out."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        told = client.get("/api/runs").json()
        agents = {each["spec"]: each for each in told["agents"]}
        if condition(agents, told["leftOut"]):
            return agents, told["leftOut"]
        time.sleep(0.05)
    pytest.fail(f"the agents are {[*agents]}")


def think(client, spec, task, game="othello"):
    message = {"agent": spec, "task": task, "record": record(game)}
    return client.post("/api/think", json=message, headers={"origin": SITE})


def moves_of(got):
    return json.loads(got.text.splitlines()[-1])["answer"]["moves"]


def test_a_checkpoint_that_appears_can_be_asked_and_one_that_changes_is_read_again(client, tmp_path):
    file = tmp_path / "deep" / "agent.npz"
    spec = str(file)
    assert think(client, spec, "move").status_code == 400  # there is no such file yet
    file.parent.mkdir()
    (tmp_path / "broken.npz").write_bytes(b"no weights")
    shutil.copy(WEIGHTS / "ntuple_8x8.npz", file)
    offered, left_out = until(client, lambda agents, left_out: spec in agents and left_out)
    assert [*offered] == [spec, "random"]  # a broken file is left out
    assert [Path(each["file"]).name for each in left_out] == ["broken.npz"]
    assert left_out[0]["reason"]
    told = {name: offered[spec][name] for name in ("label", "games", "powers")}
    assert told == {"label": "checkpoint", "games": ["othello"], "powers": ["action_values", "evaluate"]}
    expected = assess(make_agent("ntuple"), Othello()).to_json()
    assert moves_of(think(client, spec, "assess")) == json.loads(json.dumps(expected))["moves"]
    before = offered[spec]["version"]
    shutil.copy(WEIGHTS / "ntuple_6x6.npz", file)
    offered, _ = until(client, lambda agents, _: agents.get(spec, {}).get("version", before) != before)
    assert offered[spec]["games"] == ["othello:size=6"]
    assert len(moves_of(think(client, spec, "assess", "othello:size=6"))) == 4
    file.unlink()
    until(client, lambda agents, _: spec not in agents)
    assert think(client, spec, "move").status_code == 400


def test_a_file_name_is_never_read_as_something_else(client, tmp_path):
    mark = tmp_path / "mark"
    (tmp_path / "policy.py").write_text(f"open({str(mark)!r}, 'w')\n")
    for name in ("policy.py:evil.npz", "a:epsilon=0.5.npz", "b,c=d.npz", 'q"uote.npz'):
        shutil.copy(WEIGHTS / "ntuple_6x6.npz", tmp_path / name)
    good = tmp_path / "good.npz"
    shutil.copy(WEIGHTS / "ntuple_6x6.npz", good)
    os.utime(good, (1, 1))  # the oldest file, which the server loads last
    offered, _ = until(client, lambda agents, _: str(good) in agents)
    files = [spec for spec, each in offered.items() if each["label"] == "checkpoint"]
    assert str(good) in files
    # The name "a:epsilon=0.5.npz" would be read as a file "a" with an option, so this file is not offered.
    assert not any(":epsilon" in spec for spec in files)
    assert all(spec_file(spec) == (Path(spec), "") for spec in files)
    assert not mark.exists()  # the Python file was not run


def test_a_network_of_your_own_in_the_folder_needs_its_function(tmp_path):
    class Pool:
        async def ask(self, request):
            if "network=" in request["spec"]:
                return {"games": ["othello"], "powers": []}
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
