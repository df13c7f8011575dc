"""The batch of games against the rules and against a loop of single environments."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from othello_env import Othello
from othello_env.envs.conventions import final_info
from othello_env.envs.sampling import sample_legal
from othello_env.envs.seeding import env_key, game_key
from othello_env.envs.single import OthelloEnv
from othello_env.envs.starts import Starts
from othello_env.envs.vector import OthelloVectorEnv

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
        """(reward, reward_to, terminated, the finished position or None) a game."""
        told = []
        for i, action in enumerate(actions.tolist()):
            state = self.states[i]
            mover = state.to_move
            if self.is_over(i):
                self.next_game(i)
                told.append((0.0, mover, False, None))
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
            told.append((worth, mover, over, final_info(state, self.lost[i]) if over else None, state))
            if over and self.mode == AutoresetMode.SAME_STEP:
                self.next_game(i)
        return told

    def observations(self):
        planes = np.stack([state.observation(state.to_move) for state in self.states])
        masks = np.stack(
            [state.action_mask() * (lost is None) for state, lost in zip(self.states, self.lost, strict=True)]
        )
        return planes, masks


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
def test_self_play_is_the_rules(mode, size, openings, reward, share):
    n, steps = 60, 500
    env = OthelloVectorEnv(n, size, None, openings=openings, reward=reward, autoreset_mode=mode)
    twin = SelfPlayTwin(n, mode, size, openings, reward)
    rng = np.random.default_rng(size)
    observation, info = env.reset(seed=5)
    twin.reset(5)
    for _ in range(steps):
        planes, masks = twin.observations()
        np.testing.assert_array_equal(observation["observation"], planes)
        np.testing.assert_array_equal(observation["action_mask"], masks)
        assert info["action_mask"] is observation["action_mask"]
        assert info["to_move"].tolist() == [state.to_move for state in twin.states]
        for i in range(0, n, 7):
            assert env.state(i) == twin.states[i]
            assert env.state(i).moves == twin.states[i].moves
        actions = disturbed(sample_legal(masks, rng), masks, rng, share)
        observation, rewards, terminated, truncated, info = env.step(actions)
        told = twin.step(actions)
        assert rewards.tolist() == [each[0] for each in told]
        assert info["reward_to"].tolist() == [each[1] for each in told]
        assert terminated.tolist() == [each[2] for each in told]
        assert not truncated.any()
        check_ends(info, told, mode)
        if mode == AutoresetMode.DISABLED and terminated.any():
            observation, info = env.reset(options={"reset_mask": terminated})
            for i in np.flatnonzero(terminated):
                twin.next_game(i)


def check_ends(info, told, mode):
    ended = [each[2] for each in told]
    if not any(ended):
        assert set(info) == {"action_mask", "_action_mask", "to_move", "_to_move", "reward_to", "_reward_to"}
        return
    if mode == AutoresetMode.SAME_STEP:
        assert info["_final_obs"].tolist() == info["_final_info"].tolist() == ended
        for observation, (_, _, over, *rest) in zip(info["final_obs"], told, strict=True):
            assert (observation is not None) == over
            if over:
                state = rest[-1]
                np.testing.assert_array_equal(observation["observation"], state.observation(state.to_move))
                assert not observation["action_mask"].any()
        info = info["final_info"]
    assert info["_winner"].tolist() == info["_discs"].tolist() == info["_moves"].tolist() == ended
    for i, (_, _, over, expected, *_) in enumerate(told):
        if over:
            found = {"winner": info["winner"][i], "discs": tuple(info["discs"][i]), "moves": info["moves"][i]}
            if "illegal_action" in expected:
                assert info["_illegal_action"][i]
                found["illegal_action"] = info["illegal_action"][i]
            else:
                assert not info.get("_illegal_action", np.zeros(len(told), bool))[i]
            assert found == expected


def assert_same_info(found, expected):
    """All that Gymnasium's own vector environment has in its info is in ours, where it counts."""
    for name, value in expected.items():
        if name.startswith("_"):
            continue
        where = expected[f"_{name}"]
        if isinstance(value, dict):
            np.testing.assert_array_equal(found[f"_{name}"], where)
            assert_same_info(found[name], value)
            continue
        for i in np.flatnonzero(where):
            assert found[f"_{name}"][i]
            if name == "final_obs":
                assert found[name][i].keys() == value[i].keys()
                for key in value[i]:
                    np.testing.assert_array_equal(found[name][i][key], value[i][key])
            else:
                np.testing.assert_array_equal(found[name][i], value[i])


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
def test_against_an_opponent_it_is_a_loop_of_single_environments(mode, size, options):
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
        for i in range(0, n, 5):
            assert env.state(i) == twin.envs[i].state
            assert env.state(i).moves == twin.envs[i].state.moves
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
