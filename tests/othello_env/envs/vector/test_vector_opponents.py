"""The opponents of the vector environment: when they are asked, how games draw them, and wrong answers."""

import numpy as np
import pytest
from random_steps import START, play

from othello_env import Agent, make_vec_env, sample_legal

pytestmark = pytest.mark.nojit


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
    play(make_vec_env(20, 4, agent), 40)
    assert agent.asked > 400


def test_games_draw_their_opponents_by_weight_and_keep_them():
    n = 2000
    first, last, unused = Fixed(0), Fixed(-1), Fixed(1)
    env = make_vec_env(n, 4, {first: 3.0, unused: 0.0, last: 1.0}, side="white")
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
    env = make_vec_env(n, 4, old, side="black", autoreset_mode="Disabled")
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
