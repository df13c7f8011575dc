"""Threads that share the steps of a batch: whatever happens, the games stay the same and no thread stays awake."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

from othello_env import sample_legal
from othello_env.envs.othello import OthelloVectorEnv
from othello_env.games.batch import crew as module
from othello_env.support.jit import interruptible

LIMIT = 60.0
"""The number of seconds after which something counts as hanging."""

pytestmark = [
    pytest.mark.usefixtures("always_shared"),
    pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="only compiled kernels are shared"),
]


def play(env, steps, before_step=lambda step: None, seed=5):
    """Play random games. Returns what each step returned: the observations, the rewards and the ended games."""
    rng = np.random.default_rng(seed)
    masks = env.reset(seed=seed)[0]["action_mask"]
    told = []
    for step in range(steps):
        actions = sample_legal(masks, rng)
        before_step(step)
        observations, rewards, terminated, *_ = env.step(actions)
        masks = observations["action_mask"].copy()
        ends = [env.final_position(i) for i in np.flatnonzero(terminated).tolist()]
        told.append((observations["observation"].copy(), masks, rewards.copy(), terminated.copy(), ends))
    return told


def assert_same(found, expected):
    for mine, other in zip(found, expected, strict=True):
        for array, other_array in zip(mine[:4], other[:4], strict=True):
            np.testing.assert_array_equal(array, other_array)
        assert mine[4] == other[4]


@pytest.fixture
def new_env():
    """Make an environment with three threads."""
    made = []

    def make(opponent=None, **options):
        made.append(OthelloVectorEnv(7, 4, opponent, num_threads=3, **options))
        return made[-1]

    yield make
    for env in made:
        env.close()


def crew_of(env):
    return env._parts._crew


def awake(crew):
    return crew._box[module._AWAKE : module._AWAKE + 2]


def eventually(is_so):
    end = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.001)


def helpers():
    """All helper threads that have not ended, of all environments."""
    return [thread for thread in threading.enumerate() if thread.name.endswith("(_serve)")]


@pytest.fixture(scope="module")
def expected():
    """The results of random play in one thread: in self-play (the key None), and against an opponent."""
    return {opponent: play(OthelloVectorEnv(7, 4, opponent), 30) for opponent in (None, "random")}


@pytest.mark.parametrize("opponent", [None, "random"])
@pytest.mark.parametrize("copied", [True, False])
def test_sleeping_and_waking_make_no_difference(opponent, copied, new_env, expected):
    def wait(step):
        """At different steps, let the helpers be awake, asleep or about to fall asleep."""
        if step % 3 == 1:
            time.sleep(0.003)
        elif step % 3 == 2:
            crew_of(env).dismiss()

    env = new_env(opponent, copy=copied)
    assert_same(play(env, 30, wait), expected[opponent])


def test_each_thread_plays_at_least_two_games():
    for n in range(2, 24):
        for threads in range(1, n + 2):
            env = OthelloVectorEnv(n, 4, None, num_threads=threads)
            crew = module.Crew(env._batch, env._parts._threads)
            sizes = [places.stop - places.start for places in crew.places]
            assert (len(sizes), sum(sizes)) == (max(1, min(threads, n // 2)), n)
            assert min(sizes) >= 2


def test_helpers_take_parts(new_env, expected):
    """A step is divided into parts. If the leader plays none of them, the helpers play all parts."""
    env = new_env(copy=False)
    play(env, 1)
    crew, real = crew_of(env), crew_of(env)._lead

    def lead(box, layout, like, number, patience):
        module._lend(box, layout[0], like[0])
        box[module._NEXT] = box[module._DONE] = 0
        box[module._PATIENCE], box[module._LATEST] = patience, number
        box[module._JOB] = number
        while box[module._DONE] != 3:
            crew._call_helpers((box, layout, like))  # a helper may have gone to sleep before the job was open
            time.sleep(0.001)
        module._close(box)
        return 3

    crew._lead = lead
    assert_same(play(env, 30), expected[None])
    crew._lead = real
    assert_same(play(env, 30), expected[None])


@pytest.mark.parametrize(("gap", "sleeps"), [(0.0, False), (4e-4, False), (6e-4, True), (1e-3, True)])
def test_helpers_wait_about_as_long_as_the_next_step_takes_to_come(gap, sleeps, new_env):
    env = new_env()
    env._parts._sharing.gap = gap
    play(env, 1)
    crew = crew_of(env)
    patience = int(crew._box[module._PATIENCE])
    assert patience == (0 if sleeps else int((2 * gap + 5e-5) * crew._rests_a_second))
    assert (patience == 0) == sleeps
    eventually(lambda: not awake(crew).any())


def test_other_arrays_of_the_batch(new_env, expected):
    def replace(step):
        if step % 4 == 3:
            env._parts.cut(env._batch)

    env = new_env(copy=False)
    assert_same(play(env, 30, replace), expected[None])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_while_helpers_are_awake(new_env, expected):
    env = new_env()
    play(env, 3)
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(int(LIMIT))
            box = crew_of(env)._box
            box[module._INSIDE] = 1  # as if a helper had worked on a job during the fork
            awake(crew_of(env))[:] = 1
            assert_same(play(env, 30), expected[None])
            eventually(lambda: not awake(crew_of(env)).any())  # the child's own helpers were called
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert_same(play(env, 30), expected[None])


def test_closing_lets_all_threads_end(new_env, expected):
    before = len(helpers())
    env = new_env()
    for _ in range(3):
        assert_same(play(env, 30), expected[None])
        env.closed = False  # Gymnasium closes an environment only once
        env.close()
        eventually(lambda: len(helpers()) <= before)


def test_an_environment_that_is_gone_leaves_no_thread():
    gc.collect()
    before = len(helpers())
    env = OthelloVectorEnv(7, 4, None, num_threads=3)
    play(env, 5)
    batch, crew = weakref.ref(env._batch), weakref.ref(crew_of(env))
    del env
    gc.collect()
    eventually(lambda: len(helpers()) <= before)
    assert batch() is None
    assert crew() is None


def test_the_interpreter_can_exit_at_once():
    code = (
        "import numpy as np; from othello_env.envs import OthelloVectorEnv\n"
        "from othello_env.envs.vector.sharing import Sharing; Sharing.begin = lambda self: self._most\n"
        "env = OthelloVectorEnv(7, 4, None, num_threads=3); observation, _ = env.reset(seed=0)\n"
        "env.step(observation['action_mask'].argmax(1)); print('done', flush=True)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal for one thread")
def test_ctrl_c(new_env, expected):
    env = new_env()
    play(env, 3)
    for delay in (0.01, 0.02, 0.05):
        main = threading.main_thread().ident
        timer = threading.Timer(delay, lambda main=main: signal.pthread_kill(main, signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt), interruptible():  # noqa: PT012
            while True:
                play(env, 30)
        timer.join()
        box = crew_of(env)._box
        assert (box[module._JOB], box[module._INSIDE]) == (0, 0)
        eventually(lambda: not awake(crew_of(env)).any())
        assert_same(play(env, 30), expected[None])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal for one thread")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_while_a_step_runs(threads):
    env = OthelloVectorEnv(2000, 8, None, copy=False, num_threads=threads)
    for delay in (0.005, 0.01, 0.015, 0.02):
        masks = env.reset(seed=0)[0]["action_mask"]
        env.step(masks.argmax(axis=1))
        main = threading.main_thread().ident
        timer = threading.Timer(delay, lambda main=main: signal.pthread_kill(main, signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            timer.start()
            while True:
                env.step(masks.argmax(axis=1))
        timer.join()
    env.close()


def test_an_error_of_the_leader_closes_the_job(new_env, expected):
    env = new_env()
    play(env, 1)
    crew, real = crew_of(env), crew_of(env)._lead

    def fail(box, layout, like, number, patience):
        module._lend(box, layout[0], like[0])
        box[module._NEXT] = 100
        box[module._JOB] = number
        raise MemoryError("no memory")

    crew._lead = fail
    with pytest.raises(MemoryError, match="no memory"):
        env.step(np.zeros(7, np.int64))
    assert (crew._box[module._JOB], crew._box[module._INSIDE]) == (0, 0)
    crew._lead = real
    assert_same(play(env, 30), expected[None])


def test_an_error_of_a_helper_is_raised(new_env, expected):
    env = new_env()
    play(env, 1)
    crew, attend, lead = crew_of(env), crew_of(env)._attend, crew_of(env)._lead
    eventually(lambda: not awake(crew).any())

    def fail(box, layout, like, helper, first, longest):
        if helper == 0:  # this helper fails while it works on the job
            eventually(lambda: box[module._JOB])
            box[module._INSIDE] += 1
            awake(crew)[helper] = 2
        raise MemoryError("no memory")

    def lead_too_little(box, layout, like, number, patience):
        box[module._JOB] = number
        eventually(lambda: not awake(crew).any())
        module._close(box)
        return 2

    crew._attend, crew._lead = fail, lead_too_little
    with pytest.raises(MemoryError, match="no memory"):
        env.step(np.zeros(7, np.int64))
    crew._attend, crew._lead = attend, lead
    assert_same(play(env, 30), expected[None])
