"""The batch of games against the rules and against a loop of single environments."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from othello_env import Othello
from othello_env.envs.conventions import game_info
from othello_env.envs.sampling import sample_legal
from othello_env.envs.seeding import env_key, game_key
from othello_env.envs.single import OthelloEnv
from othello_env.envs.starts import Starts
from othello_env.envs.vector.env import OthelloVectorEnv

MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED]


class SelfPlayTwin:
    """A self-play environment of N games, slowly: a list of positions."""

    def __init__(self, n, mode, size=8, openings=None, reward="result"):
        self.n, self.mode, self.reward = n, mode, reward
        self.starts = Starts(openings, lambda _: Othello(size))

    def reset(self, seed):
        self.seeds = [seed + i for i in range(self.n)]
        self.numbers = [0] * self.n
        self.lost = [None] * self.n  # the illegal action that ended a game
        self.states = [self.start(i) for i in range(self.n)]

    def start(self, i):
        return self.starts.draw(game_key(env_key(self.seeds[i]), self.numbers[i]), {})

    def next_game(self, i):
        self.numbers[i] += 1
        self.lost[i] = None
        self.states[i] = self.start(i)

    def is_over(self, i):
        return self.states[i].is_over or self.lost[i] is not None

    def step(self, actions):
        """(reward, reward_to, terminated, the last observation and info if it ended) a game."""
        told = []
        for i, action in enumerate(actions.tolist()):
            state = self.states[i]
            mover = state.to_move
            if self.is_over(i):
                self.next_game(i)
                told.append((0.0, mover, False))
                continue
            worth = 0.0
            if action in state.legal_actions():
                self.states[i] = state = state.play(action)
                if state.is_over:
                    worth = (state.returns() if self.reward == "result" else state.margins())[mover]
            else:
                self.lost[i] = action
                worth = -1.0 if self.reward == "result" else -float(state.size**2)
            over = self.is_over(i)
            told.append((worth, mover, over, self.observation(i), self.info(i)))
            if over and self.mode == AutoresetMode.SAME_STEP:
                self.next_game(i)
        return told

    def observation(self, i):
        state, lost = self.states[i], self.lost[i]
        return {"observation": state.observation(state.to_move), "action_mask": state.action_mask() * (lost is None)}

    def observations(self):
        found = [self.observation(i) for i in range(self.n)]
        return tuple(np.stack([each[name] for each in found]) for name in found[0])

    def info(self, i):
        mask = self.observation(i)["action_mask"].astype(np.int8)
        return {"action_mask": mask, **game_info(self.states[i], np.int64(-1), self.lost[i])}

    def infos(self, told=None, where=None):
        """The batch's info as Gymnasium's own vector environments put it together."""
        joined, add = {}, VectorEnv()
        add.num_envs = self.n
        for i in range(self.n):
            if told and told[i][2] and self.mode == AutoresetMode.SAME_STEP:
                observation, info = told[i][3:]
                joined = add._add_info(joined, {"final_obs": observation, "final_info": info}, i)
            if where is None or where[i]:
                players = {"to_move": np.int8(self.states[i].to_move), "reward_to": np.int8(told[i][1] if told else -1)}
                joined = add._add_info(joined, self.info(i) | players, i)
        return joined


def disturbed(actions, masks, rng, share):
    """Some actions replaced by any, so that some are illegal."""
    wild = rng.random(len(actions)) < share
    return np.where(wild, rng.integers(0, masks.shape[1], len(actions)), actions)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("size", "openings", "reward", "share"),
    [
        (8, None, "result", 0.0),
        (8, "random:7", "margin", 0.002),
        (6, None, "margin", 0.002),
        (4, "random:3", "result", 0.01),
    ],
)
def test_self_play_is_the_rules(mode, size, openings, reward, share, assert_same_info):
    n, steps = 60, 500
    env = OthelloVectorEnv(n, size, None, openings=openings, reward=reward, autoreset_mode=mode)
    twin = SelfPlayTwin(n, mode, size, openings, reward)
    rng = np.random.default_rng(size)
    observation, info = env.reset(seed=5)
    twin.reset(5)
    assert_same_info(info, twin.infos())
    for _ in range(steps):
        planes, masks = twin.observations()
        np.testing.assert_array_equal(observation["observation"], planes)
        np.testing.assert_array_equal(observation["action_mask"], masks)
        assert info["action_mask"] is observation["action_mask"]
        for i in range(0, n, 7):
            assert env.position(i) == twin.states[i]
            assert env.position(i).moves == twin.states[i].moves
        actions = disturbed(sample_legal(masks, rng), masks, rng, share)
        observation, rewards, terminated, truncated, info = env.step(actions)
        told = twin.step(actions)
        assert rewards.tolist() == [each[0] for each in told]
        assert terminated.tolist() == [each[2] for each in told]
        assert not truncated.any()
        assert_same_info(info, twin.infos(told))
        if mode == AutoresetMode.DISABLED and terminated.any():
            observation, info = env.reset(options={"reset_mask": terminated})
            for i in np.flatnonzero(terminated):
                twin.next_game(i)
            assert_same_info(only_where(info, terminated), twin.infos(where=terminated))


def only_where(info, mask):
    """The info of a partial reset with zeros for the masks and players of the games that go on: theirs stay there."""
    kept = {"action_mask", "to_move", "reward_to"} & info.keys()
    return {name: value if name not in kept else (value.T * mask).T.astype(value.dtype) for name, value in info.items()}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("size", "options"),
    [
        (8, {}),
        (8, {"openings": "random:10", "reward": "margin", "side": "white"}),
        (6, {"openings": ["c4", "b3"], "side": "black"}),
        (4, {"reward": "margin"}),
        (4, {"openings": "random:6"}),
        (8, {"opponent": "maximizer:eval=weighted,epsilon=0.3", "openings": "random:6"}),
    ],
)
def test_against_an_opponent_it_is_a_loop_of_single_environments(mode, size, options, assert_same_info):
    n, share = 24, 0.004
    if "openings" in options and isinstance(options["openings"], list):
        first = [Othello(size).action_to_text(a) for a in Othello(size).legal_actions()]
        options = options | {"openings": first}
    env = OthelloVectorEnv(n, size, autoreset_mode=mode, **options)
    twin = SyncVectorEnv([lambda: OthelloEnv(size, **options)] * n, autoreset_mode=mode)
    rng = np.random.default_rng(1)
    found, info = env.reset(seed=11)
    expected, expected_info = twin.reset(seed=11)
    for _ in range(120):
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name])
        assert_same_info(info, expected_info)
        over = [single.position.is_over or single.unwrapped.action_masks().sum() == 0 for single in twin.envs]
        learners = np.array([single.learner for single in twin.envs])
        np.testing.assert_array_equal(np.where(over, 0, env.to_move), np.where(over, 0, learners))
        for i in range(0, n, 5):
            assert env.position(i) == twin.envs[i].position
            assert env.position(i).moves == twin.envs[i].position.moves
        actions = disturbed(sample_legal(found["action_mask"], rng), found["action_mask"], rng, share)
        found, rewards, terminated, truncated, info = env.step(actions)
        expected, rewards2, terminated2, truncated2, expected_info = twin.step(actions)
        np.testing.assert_array_equal(rewards, rewards2)
        np.testing.assert_array_equal(terminated, terminated2)
        np.testing.assert_array_equal(truncated, truncated2)
        if mode == AutoresetMode.DISABLED and terminated.any():
            assert_same_info(info, expected_info)
            found, info = env.reset(options={"reset_mask": terminated.copy()})
            expected, expected_info = twin.reset(options={"reset_mask": terminated.copy()})
            info = only_where(info, terminated)
