"""The arguments of the vector environment, and its errors when they are wrong."""

import copy
import os
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from othello_env import Agent, AgentError, IllegalActionError, Othello, SpecError, sample_legal
from othello_env.envs.othello import OthelloEnv, OthelloVectorEnv
from othello_env.support.threads import Threads

pytestmark = pytest.mark.nojit

START = Othello(4)
FIRST = START.legal_actions()[0]


def play(env, steps, seed=0, actions_seed=0):
    """Copies of all values that `steps` random steps return."""
    rng = np.random.default_rng(actions_seed)
    observation, info = env.reset(seed=seed)
    told = []
    for _ in range(steps):
        actions = sample_legal(observation["action_mask"], rng)
        observation, rewards, terminated, _, info = env.step(actions)
        moves = [env.final_position(i).moves for i in np.flatnonzero(terminated)]
        told.append(copy.deepcopy((observation, rewards, terminated, dict(info), moves)))
    return told


@pytest.fixture
def assert_same(assert_same_info):
    def check(a, b):
        for found, expected in zip(a, b, strict=True):
            for x, y in zip(found[:4], expected[:4], strict=True):
                assert_same_info(x, y)
            assert found[4] == expected[4]

    return check


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"num_envs": 0}, "num_envs must be an integer of at least 1, not 0"),
        ({"num_envs": 2.0}, "num_envs must be an integer of at least 1, not 2.0"),
        ({"num_envs": True}, "num_envs must be an integer of at least 1, not True"),
        ({"num_threads": 0}, "num_threads must be an integer of at least 1, not 0"),
        ({"size": 5}, "size must be one of 4, 6, 8"),
        ({"side": "red"}, "side must be one of 'random', 'black', 'white', not 'red'"),
        ({"reward": "points"}, "reward must be one of"),
        ({"render_mode": "human"}, "render_mode must be one of None, 'rgb_array', 'ansi'"),
        ({"openings": "random:x"}, "openings"),
        ({"openings": [Othello(6)]}, "openings for"),
        ({"opponent": {"random": 0.0}}, "weights"),
        ({"opponent": {"random": -1.0}}, "weights"),
        ({"autoreset_mode": "sometimes"}, "autoreset_mode must be one of .*'NextStep'.*, not 'sometimes'"),
        ({"opponent": None, "side": "black"}, "side='black' needs an opponent"),
    ],
)
def test_wrong_arguments_are_named(arguments, text):
    with pytest.raises(ValueError, match=text):
        OthelloVectorEnv(**({"num_envs": 2, "size": 4} | arguments))


def test_wrong_opponents_are_named():
    with pytest.raises(SpecError, match="nobody"):
        OthelloVectorEnv(2, 4, "nobody")
    with pytest.raises(ValueError, match="self-play"):
        OthelloVectorEnv(2, 4, None).set_opponents("random")


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        ([FIRST] * 3, r"shape \(2,\).*got shape \(3,\)"),
        ([[FIRST], [FIRST]], r"got shape \(2, 1\)"),
        (np.array([FIRST, FIRST], np.float32), "dtype float32"),
        (np.array([True, False]), "dtype bool"),
        ([FIRST, 17], "from 0 to 16, got 17 for game 1"),
        ([-1, FIRST], "from 0 to 16, got -1 for game 0"),
        (np.array([FIRST, 2**64 - 1], np.uint64), "for game 1"),
    ],
)
def test_wrong_actions_change_nothing(actions, text):
    env = OthelloVectorEnv(2, 4, None)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=text):
        env.step(actions)
    assert [env.position(i) for i in range(2)] == [START, START]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, ">i4"])
def test_any_integers_will_do(dtype):
    env = OthelloVectorEnv(2, 4, None)
    env.reset(seed=0)
    actions = np.array([FIRST, 0, FIRST, 0], dtype)[::2]
    actions.flags.writeable = False
    env.step(actions)
    assert env.position(1) == START.play(FIRST)


def test_a_strict_environment_names_the_first_illegal_action_and_steps_nothing():
    env = OthelloVectorEnv(3, 4, None, strict=True)
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match=r"game 1: a1 \(action 0\) is not legal for black"):
        env.step([FIRST, 0, 1])
    assert all(env.position(i) == START for i in range(3))
    env.step([FIRST] * 3)
    assert env.position(0) == START.play(FIRST)


def test_nothing_goes_without_a_reset():
    env = OthelloVectorEnv(2, 4)
    with pytest.raises(ResetNeeded):
        env.step([FIRST, FIRST])
    with pytest.raises(ResetNeeded):
        env.position(0)
    with pytest.raises(ResetNeeded, match="all games"):
        env.reset(options={"reset_mask": np.array([True, False])})


def test_a_game_that_is_not_there():
    env = OthelloVectorEnv(2, 4)
    env.reset(seed=0)
    for i in (-1, 2):
        with pytest.raises(IndexError, match=f"the games are 0 to 1; there is no game {i}"):
            env.position(i)
        with pytest.raises(LookupError):
            env.final_position(i)


def test_a_finished_game_waits_for_its_reset_when_autoreset_is_disabled():
    env = OthelloVectorEnv(2, 4, None, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=0)
    _, rewards, terminated, _, info = env.step([FIRST, 0])
    assert terminated.tolist() == [False, True]
    assert rewards.tolist() == [0.0, -1.0]
    assert (info["winner"][1], info["illegal_action"][1]) == (-1, 0)
    with pytest.raises(ResetNeeded, match="game 1 is over"):
        env.step([FIRST, FIRST])
    before = env.position(0)
    observation, _ = env.reset(options={"reset_mask": np.array([False, True])})
    assert env.position(0) == before
    assert env.position(1) == START
    assert observation["action_mask"][1].sum() == 4


@pytest.mark.parametrize("copied", [True, False])
def test_the_last_steps_ends_are_a_mask_for_reset(copied):
    env = OthelloVectorEnv(2, 4, None, autoreset_mode=AutoresetMode.DISABLED, copy=copied)
    env.reset(seed=0)
    _, _, terminated, _, _ = env.step([FIRST, 0])
    before = env.position(0)
    _, info = env.reset(options={"reset_mask": terminated})
    assert env.position(0) == before
    assert env.position(1) == START
    assert info["_winner"].tolist() == [False, True]
    env.step([env.position(0).legal_actions()[0], FIRST])


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"sides": "black"}, ValueError, "unknown reset option 'sides'; expected position, moves"),
        ({"side": "red"}, ValueError, "side must be"),
        ({"position": "XX"}, ValueError, "board"),
        ({"moves": "a1"}, ValueError, "ply 1"),
        ({"random_plies": -1}, ValueError, "random_plies"),
        ({"random_plies": 30}, ValueError, "random plies ended"),
        ({"reset_mask": [True, False]}, TypeError, "bool array"),
        ({"reset_mask": np.ones(2, np.int8)}, TypeError, "bool array, not int8"),
        ({"reset_mask": np.ones(3, bool)}, ValueError, r"shape \(2,\)"),
        ({"reset_mask": np.zeros(2, bool)}, ValueError, "True"),
    ],
)
def test_wrong_options_are_named(options, error, text):
    env = OthelloVectorEnv(2, 4)
    env.reset(seed=0)
    with pytest.raises(error, match=text):
        env.reset(options=options)


@pytest.mark.parametrize(("seed", "error"), [([1, 2, 3], ValueError), ([1, "x"], TypeError), (1.5, TypeError)])
def test_wrong_seeds_are_refused(seed, error):
    env = OthelloVectorEnv(2, 4)
    with pytest.raises(error):
        env.reset(seed=seed)


@pytest.mark.parametrize(
    "options",
    [
        {"moves": "c1d1"} | {"side": "white"},
        {"position": "-----XO--OX-----", "side": "black"},
        {"position": Othello(4).play(FIRST), "random_plies": 2},
        {"random_plies": 3},
        {"side": "white"},
    ],
)
def test_options_say_what_they_say_to_a_single_environment(options):
    if "moves" in options:
        state = START.play(FIRST)
        options |= {"moves": START.action_to_text(FIRST) + START.action_to_text(state.legal_actions()[0])}
    n = 12
    env = OthelloVectorEnv(n, 4, openings="random:2")
    env.reset(seed=[7 * i for i in range(n)], options=options)
    singles = [OthelloEnv(4, openings="random:2") for _ in range(n)]
    for i, single in enumerate(singles):
        single.reset(seed=7 * i, options=options)
        assert (env.position(i), env.position(i).moves) == (single.position, single.position.moves)
    env.reset()  # the options apply to one reset only
    for i, single in enumerate(singles):
        single.reset()
        assert env.position(i) == single.position


def test_a_game_that_the_opponent_would_end_at_once_is_drawn_again():
    """With few empty squares, the opponent's first move often ends the game. Then another position is drawn."""
    n = 300
    env = OthelloVectorEnv(n, 4, openings="random:11")
    env.reset(seed=0)
    assert (env._batch.course.redraws > 0).any()
    single = OthelloEnv(4, openings="random:11")
    for i in range(n):
        single.reset(seed=i)
        assert env.position(i) == single.position


def test_seeds_repeat_and_differ(assert_same):
    env = OthelloVectorEnv(6, 4)
    first = play(env, 20)
    assert_same(first, play(env, 20))
    other = play(env, 20, seed=100)
    assert any(not np.array_equal(a[0]["observation"], b[0]["observation"]) for a, b in zip(first, other, strict=True))
    a, b = OthelloVectorEnv(6, 4, openings="random:4"), OthelloVectorEnv(6, 4, openings="random:4")
    a.reset()
    b.reset()
    assert [a.position(i) for i in range(6)] != [b.position(i) for i in range(6)]


@pytest.mark.usefixtures("always_shared")
@pytest.mark.parametrize("opponent", [None, "random"])
def test_threads_and_copies_make_no_difference(opponent, assert_same):
    plain = play(OthelloVectorEnv(7, 4, opponent, openings="random:2"), 25)
    for arguments in ({"num_threads": 3}, {"copy": False}, {"copy": False, "num_threads": 20}):
        env = OthelloVectorEnv(7, 4, opponent, openings="random:2", **arguments)
        assert_same(plain, play(env, 25))
        env.close()


def failing(cause):
    """A kernel that fails as Numba's kernels do if an error is raised in them."""

    def kernel(*args):
        raise SystemError("a kernel returned a result with an exception set") from cause()

    return kernel


@pytest.mark.parametrize("kernel", ["check", "step", "waiting", "answer", "encode"])
def test_ctrl_c_in_a_kernel_of_a_step(kernel, monkeypatch):
    env = OthelloVectorEnv(4, 4, openings="random:2")
    observation, _ = env.reset(seed=1)
    actions = observation["action_mask"].argmax(axis=1)
    with monkeypatch.context() as patched:
        patched.setattr(env._batch, kernel, failing(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            env.step(actions)
    if kernel != "check":
        with pytest.raises(ResetNeeded):
            env.step(actions)
    np.testing.assert_equal(env.reset(seed=1)[0], observation)


@pytest.mark.parametrize("kernel", ["begin", "waiting", "encode"])
def test_ctrl_c_in_a_kernel_of_a_reset(kernel, monkeypatch):
    env = OthelloVectorEnv(4, 4)
    observation, _ = env.reset(seed=1)
    with monkeypatch.context() as patched:
        patched.setattr(env._batch, kernel, failing(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            env.reset()
    with pytest.raises(ResetNeeded):
        env.step([FIRST] * 4)
    np.testing.assert_equal(env.reset(seed=1)[0], observation)


def test_other_errors_of_a_kernel_stay_what_they_are(monkeypatch):
    env = OthelloVectorEnv(4, 4)
    env.reset(seed=1)
    monkeypatch.setattr(env._batch, "step", failing(ValueError))
    with pytest.raises(SystemError, match="exception set"):
        env.step([FIRST] * 4)


@pytest.mark.usefixtures("always_shared")
@pytest.mark.parametrize(("n", "threads"), [(3, 2), (4, 3), (5, 3), (7, 4)])
def test_threads_make_no_difference_to_few_games(n, threads, assert_same):
    env = OthelloVectorEnv(n, 8, None, num_threads=threads)
    assert_same(play(OthelloVectorEnv(n, 8, None), 10), play(env, 10))
    env.close()


def test_arrays_are_the_callers_unless_not_copied():
    for copied in (True, False):
        env = OthelloVectorEnv(3, 4, None, copy=copied)
        first, _ = env.reset(seed=0)
        second, *_, info = env.step([FIRST] * 3)
        assert (first["observation"] is second["observation"]) != copied
        assert info["action_mask"] is second["action_mask"]
        assert env.observation_space.contains(second)


@pytest.mark.usefixtures("always_shared")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_threads_come_back_after_a_fork(assert_same):
    env = OthelloVectorEnv(4, 4, None, num_threads=2)
    told = play(env, 5)
    child = os.fork()
    if child == 0:
        try:
            assert_same(told, play(env, 5))
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert_same(told, play(env, 5))
    env.close()


def test_what_fails_in_a_thread_is_raised():
    threads = Threads(3)
    assert threads.run(lambda k: k * k) == [0, 1, 4]
    with pytest.raises(ZeroDivisionError):
        threads.run(lambda k: 1 // (2 - k))
    assert threads.run(lambda k: -k) == [0, -1, -2]
    threads.close()
    assert threads.run(lambda k: k) == [0, 1, 2]
    threads.close()


@pytest.mark.usefixtures("always_shared")
@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_the_environment_goes_its_own_way(clone):
    env = OthelloVectorEnv(5, 4, copy=False, num_threads=2)
    observation, _ = env.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(4):
        observation, *_ = env.step(sample_legal(observation["action_mask"], rng))
    twin = clone(env)
    masks = observation["action_mask"].copy()
    for _ in range(20):
        actions = sample_legal(masks, rng)
        (a, ra, *_), (b, rb, *_) = env.step(actions), twin.step(actions)
        np.testing.assert_equal((a, ra), (b, rb))
        assert a["observation"] is not b["observation"]
        masks = a["action_mask"].copy()
    env.close()
    twin.close()


class Fixed(Agent):
    """Plays the legal action at a fixed index of the list, and counts the calls."""

    def __init__(self, place):
        self.place, self.asked = place, 0

    def act(self, state, *, seconds_left=None):
        self.asked += 1
        return state.legal_actions()[self.place]


def test_opponents_are_asked_only_where_they_have_a_choice():
    class Watching(Fixed):
        def act_batch(self, batch):
            assert batch.masks()[:, :-1].any(axis=1).all()
            assert not batch.masks()[:, -1].any()
            return super().act_batch(batch)

    agent = Watching(0)
    play(OthelloVectorEnv(20, 4, agent), 40)
    assert agent.asked > 400


def test_a_callable_is_asked_once_a_round():
    rng = np.random.default_rng(0)
    sizes = []

    def policy(observations, masks):
        assert observations.shape == (len(masks), 2, 4, 4)
        sizes.append(len(masks))
        return sample_legal(masks, rng)

    play(OthelloVectorEnv(50, 4, policy, side="black"), 6)
    assert len(sizes) <= 8
    assert sizes[0] == 50


def test_games_draw_their_opponents_by_weight_and_keep_them():
    n = 2000
    first, last, unused = Fixed(0), Fixed(-1), Fixed(1)
    env = OthelloVectorEnv(n, 4, {first: 3.0, unused: 0.0, last: 1.0}, side="white")
    env.reset(seed=0)
    # White learns, so each game begins with its opponent's move.
    moves = [env.position(i).moves[0] for i in range(n)]
    legal = START.legal_actions()
    assert set(moves) == {legal[0], legal[-1]}
    assert 0.71 < np.mean(np.array(moves) == legal[0]) < 0.79  # 4 standard deviations
    assert unused.asked == 0
    env.reset(seed=0)
    assert [env.position(i).moves[0] for i in range(n)] == moves


def test_new_opponents_play_from_the_next_reset_on():
    n = 30
    old, new = Fixed(0), Fixed(-1)
    env = OthelloVectorEnv(n, 4, old, side="black", autoreset_mode="Disabled")
    observation, _ = env.reset(seed=0)
    env.set_opponents({new: 1.0})
    env.set_opponents({new: 1.0})
    rng = np.random.default_rng(0)
    for _ in range(3):
        observation, *_ = env.step(sample_legal(observation["action_mask"], rng))
    assert (old.asked, new.asked) == (3 * n, 0)
    mask = np.arange(n) < 10
    observation, _ = env.reset(options={"reset_mask": mask})
    env.step(sample_legal(observation["action_mask"], rng))
    assert new.asked == 10
    env.reset()
    env.set_opponents(new)
    assert old not in env._pool.agents


def test_openings_can_change():
    env = OthelloVectorEnv(4, 4, None)
    env.reset(seed=0)
    pool = [START.play(action) for action in START.legal_actions()]
    env.set_openings(pool)
    assert env.position(0) == START
    env.reset()
    assert all(env.position(i) in pool and len(env.position(i).moves) == 1 for i in range(4))
    with pytest.raises(ValueError, match="empty"):
        env.set_openings([])
    with pytest.raises(ValueError, match="40 moves cannot lead to this position"):
        env.set_openings([START.with_moves((0,) * 40)])


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda n: np.full(n, 5), "illegal action, 5"),
        (lambda n: np.full(n, 99), "illegal action, 99"),
        (lambda n: np.full(n, 16), "illegal action, 16"),
    ],
)
def test_an_opponents_illegal_answer_raises_and_asks_for_a_reset(answer, text):
    env = OthelloVectorEnv(3, 4, lambda observations, masks: answer(len(masks)), side="black")
    env.reset(seed=0)
    with pytest.raises(AgentError, match=text):
        env.step([FIRST] * 3)
    with pytest.raises(ResetNeeded):
        env.step([FIRST] * 3)
    env.reset(seed=0)
    assert env.position(0) == START


def test_an_agent_that_answers_with_no_integers_is_named():
    class Odd(Fixed):
        def act_batch(self, batch):
            return np.zeros(len(batch))

    env = OthelloVectorEnv(3, 4, Odd(0), side="black")
    env.reset(seed=0)
    with pytest.raises(AgentError, match=r"must answer 3 positions with \(3,\) integers.*float64"):
        env.step([FIRST] * 3)


def test_pictures_of_each_game():
    env = OthelloVectorEnv(2, 4, None, render_mode="rgb_array")
    env.reset(seed=0)
    frames = env.render()
    assert len(frames) == 2
    assert frames[0].dtype == np.uint8
    assert frames[0].shape[2] == 3
    texts = OthelloVectorEnv(2, 4, None, render_mode="ansi")
    texts.reset(seed=0)
    assert "a  b  c  d" in texts.render()[1]


def test_masks_as_bool():
    env = gymnasium.make_vec("othello_env/Othello-v0", num_envs=3, size=4)
    observation, _ = env.reset(seed=0)
    assert env.action_masks().dtype == np.bool_
    np.testing.assert_array_equal(env.action_masks(), observation["action_mask"])
