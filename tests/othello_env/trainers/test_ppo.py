"""PPO by self-play: it learns, wins count for the right player, and mistakes in its command are told."""

import numpy as np
import pytest
from ppo_settings import SMALL

torch = pytest.importorskip("torch", reason="PPO needs PyTorch, an optional extra")

from othello_env import Othello  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def score(learner):
    return learner.measure(200, ("random",))["random"].score


def test_it_learns_to_beat_the_maximizer_with_the_network_on_afterstates(ppo):
    learner = ppo.Learner(ppo.Settings(size=6, games=128, steps=32, rate=3e-3, seed=3))
    for _ in range(20):
        learner.iterate()
    assert repr(learner.network).startswith("<CustomNetwork 6x6 of afterstates, ")
    assert learner.measure(200, ("maximizer:eval=weighted",))["maximizer:eval=weighted"].score > 0.6


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_it_learns_to_beat_random_play(ppo, precision):
    settings = ppo.Settings(
        size=6,
        network="residual",
        channels=12,
        blocks=1,
        games=48,
        steps=32,
        minibatch=256,
        epochs=4,
        rate=3e-3,
        seed=3,
        precision=precision,
    )
    learner = ppo.Learner(settings)
    before = score(learner)
    for _ in range(12):
        seen = learner.iterate()
    assert before < 0.6
    assert score(learner) > 0.7
    assert seen["value"] < 0.9  # mean squared error; for a win or a loss, the value 0 has the error 1
    assert learner.plies == 12 * 48 * 32


def test_the_file_of_a_run_can_hold_all_past_selves(ppo):
    with pytest.raises(ValueError, match=r"--past: a file can hold at most \d+ past selves of this network, not 5000"):
        ppo.Settings(**SMALL | {"past": 5000}).check()
    ppo.Settings(**SMALL | {"past": 500}).check()


def test_the_agent_has_the_mean_of_the_weights(ppo):
    learner = ppo.Learner(ppo.Settings(**SMALL, average=2.0))
    mean = {name: weight.detach().double() for name, weight in learner.network.weights.items()}
    for iteration in range(40):
        learner.iterate()
        kept = min(0.5**0.5, iteration / (iteration + 9))
        for name, weight in learner.network.weights.items():
            mean[name] = kept * mean[name] + (1 - kept) * weight.detach().double()
            torch.testing.assert_close(learner.average.weights[name].double(), mean[name], atol=1e-5, rtol=1e-4)
    assert kept == 0.5**0.5
    assert not torch.equal(learner.network.weights["value.weight"], learner.average.weights["value.weight"])


def watch(env, ends):
    """Append a list to `ends` in each step: the winner of each game that ends, and None for the other games."""
    step = env.step

    def watched(actions):
        answer = step(actions)
        terminated, info = answer[2], answer[4]
        winners = info["final_info"]["winner"] if terminated.any() else np.zeros(len(terminated))
        ends.append([int(winner) if over else None for winner, over in zip(winners, terminated, strict=True)])
        return answer

    env.step = watched


@pytest.mark.parametrize("seed", [1, 2])
def test_a_won_games_moves_are_praised_and_the_losers_blamed(ppo, monkeypatch, seed):
    # If all values are 0 and lambda is 1, an advantage is the result of the game for the player that acted.
    settings = ppo.Settings(**SMALL | {"games": 40, "steps": 30}, gae_lambda=1.0, seed=seed)
    learner = ppo.Learner(settings)
    with torch.no_grad():
        learner.network.weights["value.weight"].zero_()
    ends = [[], []]
    envs = ppo.environments(settings, 0)
    for env, found in zip(envs, ends, strict=True):
        watch(env, found)
    monkeypatch.setattr(ppo, "environments", lambda settings, share: envs)
    caught = {}
    learner.learn = lambda rollout, advantages, returns, rng: caught.update(rollout, advantages=advantages) or {}
    learner.iterate()
    table = np.concatenate([np.array(found, object) for found in ends], axis=1)
    judged = {-1: 0, 0: 0, 1: 0}
    for game in range(table.shape[1]):
        winner = None
        for step in reversed(range(settings.steps)):
            if table[step, game] is not None:
                winner = table[step, game]
            if winner is None:  # this game does not end in the rollout
                continue
            expected = 0 if winner == -1 else 1 if caught["players"][step, game] == winner else -1
            assert caught["advantages"][step, game] == expected
            judged[expected] += 1
    assert judged[1] > 100
    assert judged[-1] > 100


def test_what_is_learned_from_is_what_was_played(ppo):
    # The environments are strict, so a mistake in the symmetries would raise an error. Before the first change of the
    # weights, the network must give the probabilities and values that were recorded during play.
    learner = ppo.Learner(ppo.Settings(**SMALL))
    caught = {}
    learner.learn = lambda rollout, advantages, returns, rng: caught.update(rollout) or {}
    learner.iterate()
    shape = caught["observations"].shape
    assert shape == (16, 12, 2, 4, 4)
    observations, masks = caught["observations"].reshape(-1, 2, 4, 4), caught["masks"].reshape(-1, 17)
    policy, values = learner.network.answers(observations, masks)
    actions = caught["actions"].ravel()
    assert masks[np.arange(len(masks)), actions].all()
    np.testing.assert_allclose(
        np.log(policy[np.arange(len(policy)), actions]), caught["log_probabilities"].ravel(), atol=1e-4
    )
    np.testing.assert_allclose(values, caught["values"].ravel(), atol=1e-5)
    for planes, mask in zip(observations, masks, strict=True):  # each mask belongs to its position
        own, opponent = (sum(1 << (8 * (i // 4 + 2) + i % 4 + 2) for i in np.flatnonzero(plane)) for plane in planes)
        np.testing.assert_array_equal(Othello.from_bits(own, opponent, 0, 4).action_mask(), mask)


def test_without_a_league_all_games_are_self_play(ppo):
    learner = ppo.Learner(ppo.Settings(**SMALL, league=0.0))
    learner.iterate()
    assert [env.num_envs for env in ppo.environments(learner.settings, 0)] == [12]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "a.npz"], "--out: expected a .safetensors file, got 'a.npz'"),
        (["--out", "a.safetensors", "--every", "0"], "--every: expected a whole number from 1 to"),
        (["--out", "a.safetensors", "--match", "3"], "--match: expected an even number from 2 to"),
        (["--out", "a.safetensors", "--size", "7"], "--size: expected 4, 6 or 8, got '7'"),
        (["--out", "a.safetensors", "--games", "0"], "--games: expected a whole number from 1 to"),
        (["--out", "a.safetensors", "--rate", "nan"], "--rate: expected a number from 1e-09 to 1e+09, got 'nan'"),
        (["--out", "a.safetensors", "--rate", "inf"], "--rate: expected a number from 1e-09 to 1e+09, got 'inf'"),
        (["--out", "a.safetensors", "--iterations", "-1"], "--iterations: expected a whole number from 0 to"),
        (["--out", "a.safetensors", "--seconds", "-1"], "--seconds: expected a number from 0 to 1e+09, got '-1'"),
        (["--out", "a.safetensors", "--seconds", "nan"], "--seconds: expected a number from 0 to 1e+09, got 'nan'"),
        (
            ["--out", "a.safetensors", "--random-plies", "6000"],
            "--random-plies: expected a whole number from 0 to 48, got '6000'",
        ),
        (["--out", "a.safetensors", "--league", "5"], "--league: expected a number from 0 to 1, got '5'"),
        (["--out", "a.safetensors", "--gae-lambda", "2"], "--gae-lambda: expected a number from 0 to 1, got '2'"),
        (["--out", "a.safetensors", "--precision", "half"], "--precision: expected float32 or bfloat16, got 'half'"),
        (["--out", "a.safetensors", "--device", "cuda:99"], "--device: there is no cuda:99 that PyTorch can use"),
    ],
)
def test_mistakes_in_the_command_are_told(ppo, capsys, arguments, message):
    with pytest.raises(SystemExit):
        ppo.main(arguments)
    assert message in capsys.readouterr().err.splitlines()[-1]
