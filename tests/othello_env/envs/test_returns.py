"""Advantages in self-play, compared with slow code that follows each side's turns one by one."""

import numpy as np
import pytest

from othello_env import make_vec_env
from othello_env.envs.returns import self_play_advantages
from othello_env.envs.sampling import sample_legal

pytestmark = pytest.mark.nojit


def twin(rewards, values, players, terminated, last_value, last_player, played=None):
    """The advantage of each ply in one game. A loop finds the later turns of the player who moved.

    `rewards` has a column for each player.
    """
    steps = [t for t in range(len(rewards)) if played is None or played[t]]
    advantages = np.zeros(len(rewards))
    for start, t in enumerate(steps):
        me, deltas, value, gained, ended = players[t], [], values[t], 0.0, False
        for u in steps[start:]:
            if u != t and players[u] == me:
                deltas.append(gained + 0.9 * values[u] - value)
                value, gained = values[u], 0.0
            gained += rewards[u, me]
            if ended := bool(terminated[u]):
                deltas.append(gained - value)
                break
        if not ended:
            last = last_value if last_player == me else last_value / (1 - rewards.shape[1])
            deltas.append(gained + 0.9 * last - value)
        advantages[t] = sum(0.72**k * delta for k, delta in enumerate(deltas))
    return advantages


def rollout(mode, steps=150, n=12, size=4, wild=0.03):
    env = make_vec_env(n, size, None, autoreset_mode=mode)
    rng = np.random.default_rng(3)
    observation, _ = env.reset(seed=1)
    log = {name: [] for name in ("rewards", "players", "terminated", "illegal", "played")}
    before = np.zeros(n, bool)
    for _ in range(steps):
        actions = sample_legal(observation["action_mask"], rng)
        actions = np.where(rng.random(n) < wild, 0, actions)
        observation, rewards, terminated, _, info = env.step(actions)
        played = ~before if mode == "NextStep" else np.ones(n, bool)
        ends = info.get("final_info", info)
        log["rewards"].append(rewards)
        log["players"].append(info["reward_to"])
        log["terminated"].append(terminated)
        log["illegal"].append(ends["_illegal_action"] & (ends["illegal_action"] >= 0))
        log["played"].append(played)
        before = terminated
    return {name: np.array(rows) for name, rows in log.items()}, info["to_move"]


@pytest.mark.parametrize(("mode", "against_opponents"), [("SameStep", False), ("NextStep", False), ("SameStep", True)])
def test_each_side_has_its_own_steps(mode, against_opponents):
    log, last_players = rollout(mode)
    assert log["illegal"].any()
    given = dict(log)
    if against_opponents:  # then all players are 0, and it is the usual estimation
        log["players"][:] = last_players = np.zeros_like(last_players)
        given = {name: rows for name, rows in log.items() if name not in ("illegal", "played")}
    rng = np.random.default_rng(0)
    values = rng.normal(size=log["rewards"].shape)
    last_values = rng.normal(size=len(last_players))
    advantages, returns = self_play_advantages(
        values=values, last_values=last_values, last_players=last_players, gamma=0.9, gae_lambda=0.8, **given
    )
    both = np.stack([log["rewards"], np.where(log["illegal"], 0.0, -log["rewards"])], axis=-1)
    both = np.where(log["players"][..., np.newaxis] == 0, both, both[..., ::-1])  # a column for each player
    for i in range(len(last_players)):
        rows = (each[:, i] for each in (both, values, log["players"], log["terminated"]))
        expected = twin(*rows, last_values[i], last_players[i], log["played"][:, i])
        np.testing.assert_allclose(advantages[:, i], expected, atol=1e-12)
    np.testing.assert_allclose(returns, advantages + values)


def test_three_players_get_what_each_collects_until_its_next_turn():
    rng, (steps, n) = np.random.default_rng(5), (60, 4)
    rewards, values = rng.normal(size=(steps, n, 3)), rng.normal(size=(steps, n))
    players, terminated = rng.integers(0, 3, (steps, n)), rng.random((steps, n)) < 0.1
    last_values, last_players = rng.normal(size=n), rng.integers(0, 3, n)
    found, _ = self_play_advantages(
        rewards, values, players, terminated, last_values, last_players, gamma=0.9, gae_lambda=0.8
    )
    for i in range(n):
        rows = (each[:, i] for each in (rewards, values, players, terminated))
        np.testing.assert_allclose(found[:, i], twin(*rows, last_values[i], last_players[i]), atol=1e-12)
    with pytest.raises(ValueError, match=r"players must be 0 and 1 and 2, not \[3\]"):
        self_play_advantages(rewards, values, players * 0 + 3, terminated, last_values, last_players)
