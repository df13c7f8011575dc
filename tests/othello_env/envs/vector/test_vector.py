"""The batch of games, compared with the rules and with many environments for one game."""

import copy

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from othello_env import Agent, Checkers, Othello, Tribolo, make_vec_env
from othello_env.envs import GameEnv, GameVectorEnv
from othello_env.envs.conventions import game_info
from othello_env.envs.sampling import sample_legal
from othello_env.games.initial_states import InitialStates
from othello_env.games.keys import env_key, game_key

MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED]


class SelfPlayTwin:
    """A slow self-play environment of N games: a list of positions."""

    def __init__(self, n, mode, new_game, openings=None, reward="result"):
        self.n, self.mode, self.reward = n, mode, reward
        self.starts = InitialStates(openings, new_game)

    def reset(self, seed):
        self.seeds = [seed + i for i in range(self.n)]
        self.numbers = [0] * self.n
        self.lost = [None] * self.n  # the illegal action that ended each game, or None
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
        """For each game: (reward, reward_to, terminated, observation, info, state), before an autoreset in this step.

        If the step begins a new game instead of playing the action, there are only the first three.
        """
        told = []
        for i, action in enumerate(actions.tolist()):
            state = self.states[i]
            mover = state.to_move
            if self.is_over(i):
                self.next_game(i)
                told.append((0.0, -1, False))
                continue
            worth = 0.0
            if action in state.legal_actions():
                self.states[i] = state = state.play(action)
                if state.is_over:
                    worth = (state.returns() if self.reward == "result" else state.margins())[mover]
            else:
                self.lost[i] = action
                worth = -1.0 if self.reward == "result" else -state.largest_margin
            over = self.is_over(i)
            told.append((worth, mover, over, self.observation(i), self.info(i), state))
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
        nobody = np.int64(-1) if self.states[i].num_players == 2 else np.full(2, -1)
        return {"action_mask": mask, **game_info(self.states[i], nobody, self.lost[i])}

    def infos(self, told=None, where=None):
        """The info of the batch, as Gymnasium's vector environments make it from the infos of the games."""
        joined, add = {}, VectorEnv()
        add.num_envs = self.n
        for i in range(self.n):
            if told and told[i][2] and self.mode == AutoresetMode.SAME_STEP:
                observation, info = told[i][3:5]
                joined = add._add_info(joined, {"final_obs": observation, "final_info": info}, i)
            if where is None or where[i]:
                players = {"to_move": np.int8(self.states[i].to_move), "reward_to": np.int8(told[i][1] if told else -1)}
                joined = add._add_info(joined, self.info(i) | players, i)
        return joined


def lazy_policy(observations, masks):
    """The last legal action, or the first legal action if the player has few pieces."""
    few = observations[:, 0].sum(axis=(1, 2)) < 4
    return np.where(few, masks.argmax(axis=1), masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1))


def disturbed(actions, masks, rng, share):
    """The actions, but some are replaced by arbitrary actions, which may be illegal."""
    wild = rng.random(len(actions)) < share
    return np.where(wild, rng.integers(0, masks.shape[1], len(actions)), actions)


SMALL = {"width": 8, "height": 6, "cells": 6, "walls": 3}  # the size of the batch in games/test_batch.py, too
POOL = {"random": 1, lazy_policy: 2.0, "maximizer:eval=count": 0.5}
CHAIN = Checkers.from_text("B:W14,15,22,23,31:BK10,3").play_move("10x19")  # the piece that jumped must jump again
BOARD = Tribolo(8, **SMALL)


@pytest.mark.nojit
# All modes for the small board; the other cases take the modes in turn. For each size of Tribolo, the kernels are
# compiled again, so there are only two sizes.
@pytest.mark.parametrize(
    ("mode", "kind", "options", "openings", "reward", "share"),
    [
        *((mode, "othello", {"size": 4}, "random:3", "result", 0.01) for mode in MODES),
        (MODES[1], "othello", {}, "random:7", "margin", 0.002),
        (MODES[2], "othello", {"size": 6}, None, "margin", 0.002),
        (MODES[0], "checkers", {}, None, "result", 0.0),
        (MODES[2], "checkers", {}, [CHAIN, "11-15 22-18 15x22"], "result", 0.002),
        (MODES[1], "checkers", {"size": 6, "draws": "threefold"}, "random:3", "margin", 0.002),
        (MODES[2], "checkers", {"size": 10, "draws": "40-move"}, None, "margin", 0.0),
        (MODES[0], "tribolo", {}, None, "result", 0.0),
        (MODES[1], "tribolo", SMALL, "random:7", "margin", 0.002),
        (MODES[2], "tribolo", SMALL, [BOARD, BOARD.play(BOARD.legal_actions()[0])], "result", 0.01),
    ],
)
def test_self_play_is_the_rules(mode, kind, options, openings, reward, share, assert_same_info):
    n, steps = 12, 150
    env = GameVectorEnv(kind, n, opponent=None, openings=openings, reward=reward, autoreset_mode=mode, **options)
    twin = SelfPlayTwin(n, mode, env.game.start, openings, reward)
    rng = np.random.default_rng(steps)
    observation, info = env.reset(seed=5)
    twin.reset(5)
    assert_same_info(info, twin.infos())
    for _ in range(steps):
        planes, masks = twin.observations()
        np.testing.assert_array_equal(observation["observation"], planes)
        np.testing.assert_array_equal(observation["action_mask"], masks)
        assert info["action_mask"] is observation["action_mask"]
        for i in range(0, n, 5):
            assert env.position(i) == twin.states[i]
            assert env.position(i).moves == twin.states[i].moves
        actions = disturbed(sample_legal(masks, rng), masks, rng, share)
        kept, copied = (observation, info), copy.deepcopy((observation, info))
        observation, rewards, terminated, truncated, info = env.step(actions)
        for late, early in zip(kept, copied, strict=True):  # what a step returned is not changed by the next
            assert_same_info(late, early)
        told = twin.step(actions)
        assert rewards.tolist() == [each[0] for each in told]
        assert terminated.tolist() == [each[2] for each in told]
        assert not truncated.any()
        assert_same_info(info, twin.infos(told))
        for i in np.flatnonzero(terminated):
            final, expected = env.final_position(i), told[i][5]
            assert (final, final.moves) == (expected, expected.moves)
        if mode == AutoresetMode.DISABLED and terminated.any():
            observation, info = env.reset(options={"reset_mask": terminated})
            for i in np.flatnonzero(terminated):
                twin.next_game(i)
            assert_same_info(only_where(info, terminated), twin.infos(where=terminated))


def only_where(info, mask):
    """The info after a reset of the games in `mask`. For the other games, masks and players are replaced by zeros."""
    kept = {"action_mask", "to_move", "reward_to"} & info.keys()
    return {name: value if name not in kept else (value.T * mask).T.astype(value.dtype) for name, value in info.items()}


@pytest.mark.parametrize(
    ("mode", "kind", "options"),
    [
        *((mode, "othello", {"size": 4, "reward": "margin"}) for mode in MODES),
        (MODES[0], "othello", {"openings": "random:10", "reward": "margin", "side": "white"}),
        (MODES[2], "othello", {"size": 6, "openings": ["c2", "b3", "e4"], "side": "black"}),
        (MODES[1], "othello", {"openings": {"f5d6": 5, "f5f6d3": 1, "d3": 2}}),
        (MODES[1], "othello", {"opponent": "maximizer:eval=weighted,epsilon=0.3", "openings": "random:6"}),
        (MODES[0], "othello", {"size": 4, "opponent": POOL, "openings": "random:11"}),
        (MODES[0], "checkers", {"opponent": "alphabeta:depth=2,epsilon=0.2", "openings": "random:30"}),
        (MODES[1], "checkers", {"size": 6, "draws": "threefold", "side": "white", "reward": "margin"}),
        (MODES[2], "checkers", {"opponent": lazy_policy, "openings": [CHAIN]}),
        (MODES[0], "tribolo", SMALL),
        (MODES[1], "tribolo", SMALL | {"opponent": ("maximizer", "random"), "reward": "margin", "side": "green"}),
        (MODES[2], "tribolo", SMALL | {"opponent": POOL, "openings": "random:7"}),
    ],
)
def test_against_an_opponent_it_is_a_loop_of_single_environments(mode, kind, options, assert_same_info):
    n, share = 12, 0.008
    env = GameVectorEnv(kind, n, autoreset_mode=mode, **options)
    twin = SyncVectorEnv([lambda: GameEnv(kind, **options)] * n, autoreset_mode=mode)
    rng = np.random.default_rng(1)
    found, info = env.reset(seed=11)
    expected, expected_info = twin.reset(seed=11)
    for _ in range(120):
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name])
        assert_same_info(info, expected_info)
        learners = np.array([single.learner for single in twin.envs])
        np.testing.assert_array_equal(env.to_move, learners)
        for i in range(0, n, 5):
            assert env.position(i) == twin.envs[i].position
            assert env.position(i).moves == twin.envs[i].position.moves
        actions = disturbed(sample_legal(found["action_mask"], rng), found["action_mask"], rng, share)
        kept, copied = info, copy.deepcopy(info)
        found, rewards, terminated, truncated, info = env.step(actions)
        assert_same_info(kept, copied)
        expected, rewards2, terminated2, truncated2, expected_info = twin.step(actions)
        np.testing.assert_array_equal(rewards, rewards2)
        np.testing.assert_array_equal(terminated, terminated2)
        np.testing.assert_array_equal(truncated, truncated2)
        if mode == AutoresetMode.DISABLED and terminated.any():
            assert_same_info(info, expected_info)
            found, info = env.reset(options={"reset_mask": terminated.copy()})
            expected, expected_info = twin.reset(options={"reset_mask": terminated.copy()})
            info = only_where(info, terminated)


class Asked(Agent):
    """Plays the last legal action, and remembers the positions."""

    def __init__(self):
        self.states = []

    def act(self, state, *, seconds_left=None):
        self.states.append(state)
        return state.legal_actions()[-1]


@pytest.mark.parametrize(("kind", "start"), [("othello", Othello()), ("checkers", Checkers())])
def test_an_opponent_gets_positions_with_their_moves(kind, start):
    agent = Asked()
    env = GameVectorEnv(kind, 6, opponent={agent: 1.0, "random": 1.0})
    observations, _ = env.reset(seed=2)
    rng = np.random.default_rng(1)
    for _ in range(20):
        observations, *_ = env.step(sample_legal(observations["action_mask"], rng))
    assert len(agent.states) > 20
    for state in agent.states:
        replayed = start
        for action in state.moves:
            replayed = replayed.play(action)
        assert replayed == state


class Careless(Agent):
    """Plays the first legal square, and may work in the arrays of the positions."""

    def __init__(self, spoils):
        self.spoils = spoils

    def act(self, state, *, seconds_left=None):
        raise NotImplementedError

    def act_batch(self, batch):
        squares = batch.masks().argmax(axis=1)
        if self.spoils:
            batch.own[:] = batch.opponent[:] = batch.legal[:] = 0
        return squares


def test_an_opponent_may_change_the_arrays_that_it_gets():
    envs = [make_vec_env(8, opponent=Careless(spoils)) for spoils in (False, True)]
    found = [env.reset(seed=3)[0] for env in envs]
    rng = np.random.default_rng(1)
    for _ in range(70):
        actions = sample_legal(found[0]["action_mask"], rng)
        steps = [env.step(actions) for env in envs]
        found = [step[0] for step in steps]
        for one, other in zip(steps[0][:3], steps[1][:3], strict=True):
            np.testing.assert_equal(one, other)
        assert envs[0].position(5).moves == envs[1].position(5).moves
