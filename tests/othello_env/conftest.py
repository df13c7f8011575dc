"""Fixtures: a run of the command, and a Ray cluster of two nodes on this machine for tests that need Ray."""

import os
import secrets

import pytest

from othello_env import cli

# All nodes need the same token, as docs/how-to/clusters.md says. Ray reads these variables when it is imported.
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two nodes with one core each, on this machine. `RAY_ADDRESS` has its address."""
    cluster_utils = pytest.importorskip("ray.cluster_utils", reason="a cluster needs Ray, an optional extra")
    made = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    made.add_node(num_cpus=1)
    before = os.environ.get("RAY_ADDRESS")
    os.environ["RAY_ADDRESS"] = made.address
    yield made
    os.environ.pop("RAY_ADDRESS")
    if before is not None:
        os.environ["RAY_ADDRESS"] = before
    made.shutdown()


@pytest.fixture
def connected(cluster):
    """Connect this process to the cluster once, so that not every test has to connect."""
    import ray

    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()


@pytest.fixture
def run(capsys):
    """A function that runs the command in this process and returns its status, its output and its errors."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return call
