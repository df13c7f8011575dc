"""The native environment for TorchRL: the data of the batch, correct specs, and returns for both players."""

import warnings
from itertools import pairwise

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the warnings of TorchRL's import
    torchrl = pytest.importorskip("torchrl", reason="this trainer is an optional extra")

import gymnasium
import numpy as np
import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import EnvBase, RewardSum, TransformedEnv, check_env_specs
from torchrl.modules import ValueOperator

from othello_env import make_vec_env, sample_legal
from othello_env.envs import SelfPlayGAE, TorchRLEnv
from othello_env.league import League

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")

INFO = ("winner", "discs", "plies", "illegal_action", "opponent")


def policy_of(seed):
    """A policy of random legal actions. They depend only on the seed and on the positions so far."""
    rng = np.random.default_rng(seed)

    def policy(tensordict):  # TorchRL passes a TensorDict to an argument of this name
        masks = tensordict["action_mask"].to(torch.int8).numpy()
        return tensordict.set("action", torch.from_numpy(sample_legal(masks, rng)))

    return policy


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": 4},
        {"size": 4, "opponent": None, "info": INFO},
        {"size": 6, "info": ("winner",), "reward": "margin"},
        {"game": "checkers", "opponent": None},
        {"game": "tribolo", "info": ("discs", "opponent")},
    ],
    ids=["opponents", "self-play", "margins", "checkers", "Tribolo"],
)
def test_its_specs_hold(arguments):
    env = TorchRLEnv(3, **arguments)
    assert isinstance(env, EnvBase)
    assert env.batch_size == (3,)
    assert env.batch_locked
    check_env_specs(env, seed=1, break_when_any_done="both")
    played = env.rollout(40, break_when_any_done=False)
    assert played.shape == (3, 40)
    assert bool(played["action_mask"].gather(-1, played["action"].unsqueeze(-1)).all())


POOL = {"random": 1, "maximizer:eval=count": 2}


@pytest.mark.parametrize("opponent", [POOL, None], ids=["a pool", "self-play"])
def test_a_rollout_is_what_the_batch_plays(opponent):
    env = TorchRLEnv(4, size=4, opponent=opponent, info=INFO, openings="random:2")
    games = make_vec_env(4, size=4, opponent=opponent, openings="random:2", autoreset_mode="Disabled")
    if opponent is None:
        env = TransformedEnv(env, RewardSum())
    env.set_seed(5)
    played = env.rollout(60, policy_of(1), break_when_any_done=False)
    observation, info = games.reset(seed=5)
    kept = {name: np.array(info[name]) for name in INFO}
    rng, ended, met = np.random.default_rng(1), 0, set()
    for t in range(60):
        seen = played[:, t]
        for name, array in observation.items():
            np.testing.assert_array_equal(seen[name], array)
        for name in INFO:
            np.testing.assert_array_equal(seen[name], kept[name], err_msg=f"{name} at {t}")
        assert not bool(seen["done"].any())
        met.update(seen["opponent"].tolist())
        if opponent is None:
            np.testing.assert_array_equal(seen["to_move"], games.to_move)
        actions = sample_legal(observation["action_mask"], rng)
        np.testing.assert_array_equal(seen["action"], actions)
        observation, rewards, terminated, _, info = games.step(actions)
        after = seen["next"]
        np.testing.assert_array_equal(after["reward"].squeeze(-1), rewards.astype(np.float32))
        for name in ("done", "terminated"):
            np.testing.assert_array_equal(after[name].squeeze(-1), terminated)
        for name, array in observation.items():
            np.testing.assert_array_equal(after[name], array)
        kept = {name: np.array(info[name]) for name in INFO}
        for name in INFO:
            np.testing.assert_array_equal(after[name], kept[name])
        if terminated.any():
            ended += int(terminated.sum())
            observation, info = games.reset(options={"reset_mask": terminated})
            for name in INFO:
                kept[name][terminated] = info[name][terminated]
    assert ended > 10
    assert met == ({-1} if opponent is None else {0, 1})


def test_a_partial_reset_begins_only_the_games_that_it_names():
    env = TorchRLEnv(9, size=4, opponent=None)
    env.set_seed(2)
    data = env.reset()
    policy = policy_of(3)
    while int(data["done"].sum()) < 2:
        data = env.step_mdp(env.step(policy(env.maybe_reset(data))))
    over = data["done"].clone()
    first = int(over.flatten().nonzero()[0])
    data["_reset"] = torch.zeros(9, 1, dtype=torch.bool)
    data["_reset"][first] = True
    after = env.reset(data.clone())
    assert not bool(after["done"][first])
    assert int(after["done"].sum()) == int(over.sum()) - 1
    others = [i for i in range(9) if i != first]
    assert torch.equal(after["observation"][others], data["observation"][others])
    assert int(after["observation"][first].sum()) == 4
    env.rand_action(after)  # this works although some games are still over
    with pytest.raises(gymnasium.error.ResetNeeded, match="is over"):
        env.step(after)


def test_opponents_change_and_a_league_counts_the_games():
    league = League(["random", "maximizer:eval=count"], seed=1)
    env = TorchRLEnv(8, size=4, opponent="random")
    env.env.set_opponents(league.opponents(2))

    def count(env, data):
        results = data["next", "reward"].squeeze(-1).numpy(), data["next", "terminated"].squeeze(-1).numpy()
        counted.append(league.record(env.env, *results, env.step_info))

    counted = []
    played = env.rollout(60, policy_of(1), break_when_any_done=False, callback=count)
    assert sum(counted) == int(played["next", "done"][:, :-1].sum()) > 30  # the last step has no callback


def test_a_collector_goes_on_from_batch_to_batch():
    env = TorchRLEnv(4, size=4, opponent=None, strict=True)  # strict: an illegal action raises an error
    module = TensorDictModule(lambda mask: torch.multinomial(mask.float(), 1).squeeze(-1), ["action_mask"], ["action"])
    collector = Collector(lambda: env, module, frames_per_batch=40, total_frames=200)
    batches = list(collector)
    collector.shutdown()
    assert [batch.shape for batch in batches] == [(4, 10)] * 5
    assert sum(int(batch["next", "done"].sum()) for batch in batches) > 8
    for batch, after in pairwise(batches):
        going_on = ~batch["next", "done"][:, -1, 0]
        assert torch.equal(batch["next", "observation"][:, -1][going_on], after["observation"][:, 0][going_on])


def zero():
    """A value network whose value is always 0."""
    return ValueOperator(lambda planes: torch.zeros(*planes.shape[:-3], 1), in_keys=["observation"])


@pytest.mark.parametrize("strict", [True, False])
def test_both_sides_get_the_result_of_the_game(strict):
    # If all values are 0 and lambda is 1, an advantage is the result of the game for the player that acted.
    env = TorchRLEnv(6, size=4, opponent=None, info=("winner", "illegal_action"), strict=strict)

    generator, chosen = torch.Generator().manual_seed(1), policy_of(2)

    def policy(tensordict):
        chosen(tensordict)
        if not strict:  # one action in eight is random, and most often illegal
            wild = torch.rand(6, generator=generator) < 0.125
            tensordict["action"][wild] = torch.randint(17, (6,), generator=generator)[wild]
        return tensordict

    played = SelfPlayGAE(zero(), lmbda=1.0)(env.rollout(60, policy, break_when_any_done=False))
    judged, foul = {-1: 0, 0: 0, 1: 0}, 0
    for game in played:
        loser = winner = None
        for step in reversed(game.unbind(0)):
            after = step["next"]
            if bool(after["done"]):
                winner, loser = int(after["winner"]), None
                if int(after["illegal_action"]) >= 0:
                    loser, foul = int(step["to_move"]), foul + 1
            if winner is None:  # this game does not end in the rollout
                continue
            player = int(step["to_move"])
            if loser is not None:
                expected = -1 if player == loser else 0
            else:
                expected = 0 if winner == -1 else 1 if player == winner else -1
            assert float(step["advantage"]) == float(step["value_target"]) == expected
            judged[expected] += 1
    assert min(judged[1], judged[-1]) > 40
    assert (foul > 5) == (not strict)
