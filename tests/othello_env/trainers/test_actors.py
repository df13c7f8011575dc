"""Self-play that is divided into shares, in this process and on a Ray cluster of two nodes.

The random choices in a share depend only on the run's seed, the iteration and the share's number. So the result is the
same in both cases.

``nox -s cluster`` runs this file with Ray. Without Ray, the tests that need a cluster are skipped.
"""

import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the recipes need PyTorch, an optional extra")

from othello_agents.network.neural import read_tensors  # noqa: E402
from othello_env.support.cluster import ClusterError, pack, run_on_cluster  # noqa: E402

SCRIPTS = Path(__file__).parents[3] / "scripts"
SMALL = {"size": 4, "network": "residual", "channels": 4, "blocks": 1, "shares": 3, "minibatch": 32}
RECIPES = {
    "train_alphazero": SMALL | {"games": 8, "simulations": 4, "window": 150},
    "train_ppo": SMALL | {"games": 13, "steps": 16, "snapshot": 1, "past": 2, "league": 0.4},
}

NETS = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.policy, self.value = (nn.Linear(2 * size * size, n) for n in (size * size + 1, 1))

    def forward(self, observations, masks):
        x = observations.flatten(1)
        return self.policy(x), torch.tanh(self.value(x)).squeeze(1)
"""

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("default"),  # Ray causes warnings that this package cannot avoid
]
each_recipe = pytest.mark.parametrize("name", RECIPES)


def words(name, out, iterations, *more, **settings):
    options = {"out": out, "iterations": iterations, "every": 100, "match": 2, "device": "cpu"}
    given = options | RECIPES[name] | settings
    return [text for key, value in given.items() for text in (f"--{key.replace('_', '-')}", str(value))] + [*more]


def state(out):
    """What a run has learned so far: its tensors and its card, without the seconds of the run."""
    tensors, card = read_tensors(out.with_suffix(".state.safetensors"))
    return {name: tensor.numpy().tobytes() for name, tensor in tensors.items()}, card | {"progress": None}


@each_recipe
def test_a_resumed_run_with_shares_equals_an_uninterrupted_one(recipe, tmp_path, name):
    whole, parts, other = (tmp_path / f"{out}.safetensors" for out in ("whole", "parts", "other"))
    recipe(name).main(words(name, whole, 3))
    recipe(name).main(words(name, parts, 1))
    assert state(parts) != state(whole)
    recipe(name).main(words(name, parts, 3, "--resume"))
    assert state(parts) == state(whole)
    recipe(name).main(words(name, other, 3, shares=2))
    assert state(other)[0] != state(whole)[0], "other shares have other seeds"


def plain(found):
    """Nested dicts and lists of arrays, in a form that can be compared."""
    if isinstance(found, dict):
        return {name: plain(each) for name, each in found.items()}
    return [plain(each) for each in found] if isinstance(found, list | tuple) else np.asarray(found).tobytes()


@each_recipe
def test_a_share_depends_only_on_the_seed_the_iteration_and_its_number(recipe, name):
    module, played = recipe(name), []

    def keep(s, networks, share, rng, *more):
        found = module.play(s, networks, share, rng, *more)
        played.append(({name: network.copy() for name, network in networks.items()}, more, plain(found)))
        return found

    learner = module.Learner(module.Settings(**RECIPES[name], seed=5))
    learner.iterate()
    learner.actors._play = keep
    learner.iterate()
    assert len(played) == 3
    for share in (2, 0):
        networks, more, found = played[share]
        rng = np.random.default_rng([5, 1, share + 1])
        assert plain(module.play(learner.settings, networks, share, rng, *more)) == found
    assert played[0][2] != played[1][2]


@pytest.mark.parametrize(("games", "shares"), [(13, 1), (13, 3), (13, 13), (128, 6)])
@pytest.mark.parametrize("league", [0.0, 0.25, 1.0])
def test_all_shares_together_have_all_games(recipe, games, shares, league):
    module = recipe("train_ppo")
    s = module.Settings(games=games, shares=shares, league=league, size=4)
    envs = [module.environments(s, share) for share in range(shares)]
    sizes = [sum(env.num_envs for env in each) for each in envs]
    assert sum(sizes) == games
    assert max(sizes) - min(sizes) <= 1
    against = sum(env.num_envs for each in envs for env in each if env.unwrapped.opponents)
    assert against == min(round(league * games), games - 1)
    numbers = [game for share in range(shares) for game in module.share_of(s, share)]
    assert sorted(numbers) == [*range(games)]


@each_recipe
def test_mistakes_are_told(recipe, tmp_path, capsys, monkeypatch, name):
    main, out = recipe(name).main, tmp_path / "a.safetensors"
    with pytest.raises(SystemExit):
        main(words(name, out, 1, shares=14))
    most = RECIPES[name]["games"]
    assert f"--shares must be at most --games, {most}, but it is 14" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit):
        main(words(name, out, 1, "--ray"))
    assert "pip install 'othello-env[ray]'" in capsys.readouterr().err
    monkeypatch.setattr(sys.modules["_actors"], "import_extra", lambda module, extra: None)
    with pytest.raises(SystemExit, match="--ray needs --shares N: at least 2"):
        main(words(name, out, 1, "--ray", shares=1))
    assert not out.exists()


@each_recipe
def test_a_run_equals_a_run_in_one_process(connected, recipe, tmp_path, name):
    import ray

    here, there = tmp_path / "here.safetensors", tmp_path / "there.safetensors"
    recipe(name).main(words(name, here, 3))
    recipe(name).main(words(name, there, 2, "--ray"))
    recipe(name).main(words(name, there, 3, "--ray", "--resume"))
    assert state(there) == state(here)
    assert ray.is_initialized(), "a connection that existed before the run stays open"


def test_a_node_is_killed_in_an_iteration(connected, recipe, tmp_path, monkeypatch):
    """Another node plays the killed node's share again. The result equals that of a run in one process."""
    import _actors

    module, begun = recipe("train_alphazero"), tmp_path / "begun"
    here, there, killed, play = tmp_path / "here.safetensors", tmp_path / "there.safetensors", [], module.play
    settings = {"size": 6, "games": 24, "shares": 6, "simulations": 64, "window": 2000}
    module.main(words("train_alphazero", here, 1, **settings))
    begun.mkdir()

    def marking(*arguments):
        (begun / f"{time.time_ns()}-{os.getpid()}").touch()
        return play(*arguments)

    def killing(*arguments, **options):
        for result in run_on_cluster(*arguments, **options):
            if not killed:
                killed.append(next(node for node in connected.list_all_nodes() if not node.head))
                while len([*begun.iterdir()]) < 3:  # wait until both nodes play
                    time.sleep(0.01)
                connected.remove_node(killed[0], allow_graceful=False)
            yield result

    monkeypatch.setattr(module, "play", marking)
    monkeypatch.setattr(_actors, "run_on_cluster", killing)
    module.main(words("train_alphazero", there, 1, "--ray", **settings))
    connected.add_node(num_cpus=1)
    assert len([*begun.iterdir()]) > settings["shares"], "no share was played again"
    assert state(there) == state(here)


def test_nodes_that_join_are_used(connected):
    import ray

    def where(common, job):
        time.sleep(0.2)
        return ray.get_runtime_context().get_node_id()

    found, jobs, third = [], iter(range(1, 200)), None
    for node in run_on_cluster(where, None, lambda: None if len({*found}) == 3 else next(jobs, None), versions={}):
        found.append(node)
        third = third or connected.add_node(num_cpus=1)
    connected.remove_node(third)
    assert len({*found}) == 3


@each_recipe
def test_the_command_its_interrupt_and_a_network_of_ones_own(cluster, recipe, tmp_path, monkeypatch, name):
    (tmp_path / "nets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)
    out, other = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    network = ("--network", "nets:Net")  # nets.py is in the current folder
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), *words(name, out, 100_000, *network, "--ray")]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        while not process.stdout.readline().startswith("iteration 0"):  # Ray may print lines about the cluster, too
            assert process.poll() is None
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, errors) == (0, "")
    iterations = int(re.findall(r"^iteration (\d+)", text, re.MULTILINE)[-1])
    assert iterations > 0
    assert state(out)[1]["iteration"] == iterations
    recipe(name).main(words(name, out, iterations + 1, *network, "--resume"))
    recipe(name).main(words(name, other, iterations + 1, *network))
    assert state(out) == state(other)


@each_recipe
def test_other_machines_need_no_scripts(recipe, tmp_path, monkeypatch, name):
    """The code that Ray would send plays the shares in a process that cannot import the scripts."""
    pytest.importorskip("ray", reason="Ray packs the code")
    import _actors

    code = """
import pickle, sys
work, common, jobs = pickle.load(sys.stdin.buffer)
found = [work(common, job) for job in jobs]
assert not {"_actors", "_recipe", "_run"} & set(sys.modules)
pickle.dump(found, sys.stdout.buffer)
"""
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and Path(path) != SCRIPTS]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}

    def elsewhere(work, common, next_job, workers, *, versions):
        command, packed = [sys.executable, "-c", code], pack((work, common, [*iter(next_job, None)]))
        done = subprocess.run(command, input=packed, capture_output=True, cwd=tmp_path, env=environment, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return iter(pickle.loads(done.stdout))

    monkeypatch.setattr(_actors, "run_on_cluster", elsewhere)
    here, there = (recipe(name).Learner(recipe(name).Settings(**RECIPES[name])) for _ in range(2))
    there.actors.on_cluster = True
    assert there.iterate() == here.iterate()


def test_failures_are_told_in_a_line(connected, recipe, tmp_path, monkeypatch):
    import _actors

    module, out = recipe("train_alphazero"), tmp_path / "a.safetensors"
    assert {type(each) for each in _actors._versions().values()} == {str}  # texts can be read without PyTorch
    with monkeypatch.context() as patched:
        patched.setattr(_actors, "_versions", lambda: {"torch": "0.1+cpu", "python": "3"})
        with pytest.raises(SystemExit, match=r"^iteration 0: node \S+ has the versions .* but this process .*'0\.1'"):
            module.main(words("train_alphazero", out, 1, "--ray"))
    diverged = words("train_alphazero", tmp_path / "b.safetensors", 30, "--ray", rate=1e9)
    with pytest.raises(SystemExit, match=r"^iteration \d+: the training has diverged"):
        module.main(diverged)

    def wrong(common, job):
        raise KeyError(common + job)

    with pytest.raises(ClusterError, match=r"a job failed on node \S+: KeyError: 3"):
        [*run_on_cluster(wrong, 1, iter([2, None]).__next__, versions={"no-such-package": "none"})]
