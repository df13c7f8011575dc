"""TorchRL's PPO really trains on the vector environment and plays only legal moves."""

import warnings

import pytest
from events import read_events

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the warnings of TorchRL's import
    torchrl = pytest.importorskip("torchrl", reason="this trainer is an optional extra")

import gymnasium
import numpy as np
import torch
from torchrl.envs import GymWrapper, PettingZooWrapper, default_info_dict_reader

from othello_env import Othello, othello_v0
from othello_env.envs import TorchRLEnv

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning"),
    pytest.mark.usefixtures("one_thread"),
]


def test_its_wrapper_plays_the_pettingzoo_environment_by_its_masks():
    env = PettingZooWrapper(othello_v0.env(size=4), use_mask=True, categorical_actions=True)
    env.set_seed(1)
    played = env.rollout(100, break_when_any_done=False)  # random actions
    turns, ended = [], 0
    for player in ("black", "white"):
        data, after = played[f"{player}_0"], played["next", f"{player}_0"]
        turn = data["mask"].flatten()
        legal = data["action_mask"].flatten(1).gather(1, data["action"].reshape(-1, 1)).flatten()
        assert bool(legal[turn].all())
        turns.append(turn)
        over = after["done"].flatten()
        ended += int(over.sum())
        assert bool((after["reward"].flatten()[over].abs() <= 1).all())
    assert bool((turns[0] ^ turns[1]).all())  # in each step, exactly one player acts
    assert ended > 4  # several games


BATCH = {"num_envs": 3, "size": 4, "autoreset_mode": "Disabled"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: gymnasium.make("othello_env/Othello-v0", size=4),
        lambda: gymnasium.make("othello_env/Tribolo-v0"),
        lambda: gymnasium.make("othello_env/Checkers-v0"),
        lambda: gymnasium.make_vec("othello_env/Othello-v0", **BATCH),
        lambda: gymnasium.make_vec("othello_env/Othello-v0", opponent=None, **BATCH),
    ],
    ids=["Othello", "Tribolo", "Checkers", "a batch", "self-play"],
)
@pytest.mark.parametrize("reader", [None, default_info_dict_reader(["winner", "discs", "plies", "opponent"])])
def test_its_readers_take_the_info(make, reader):
    env = GymWrapper(make(), categorical_action_encoding=True)
    if reader is None:
        env = env.auto_register_info_dict()  # TorchRL plays here to check the specs
    else:
        reader.reset()
        env.set_info_dict_reader(reader)
    played = env.rollout(400, break_when_any_done=False, auto_cast_to_device=True)["next"]
    over = played["terminated"].squeeze(-1)
    assert bool(over.any())
    assert bool(((played["winner"].reshape(over.shape) == -2) == ~over).all())
    assert played["discs"].shape[: over.ndim] == over.shape
    assert bool((played["plies"].reshape(over.shape)[over] > 0).any())


@pytest.fixture(scope="module")
def recipe_of_torchrl(recipe):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return recipe("torchrl_ppo")


@pytest.mark.parametrize("opponent", ["random", None])
def test_it_learns_and_resets_what_has_ended(recipe_of_torchrl, tmp_path, opponent):
    torch.manual_seed(1)
    env = TorchRLEnv(32, size=4, opponent=opponent, strict=True)  # strict: an illegal action raises an error
    env.set_seed(1)
    learner = recipe_of_torchrl.Learner(env, size=4)
    before = learner.score("random")
    for _ in range(12):
        played = learner.iterate()
        legal = played["action_mask"].gather(-1, played["action"].unsqueeze(-1))
        assert bool(legal.all())
        over = played["next", "done"]
        assert not bool(played["next", "action_mask"][over.squeeze(-1)].any())
        assert int(over.sum()) > 32  # more ends than environments, so new games began
        assert not bool(played["next", "reward"][~over].any())
    after = learner.score("random")
    assert after > before + 0.05
    assert after > 0.6
    torch.save(learner.scores.state_dict(), tmp_path / "kept.pt")
    kept = recipe_of_torchrl.load(tmp_path / "kept.pt", size=4)
    start = Othello(4)
    seen = np.array([start.observation(0)]), np.array([start.action_mask()])
    assert kept(*seen) == recipe_of_torchrl.as_policy(learner.scores)(*seen)


def test_tensorboard_has_the_losses_and_the_scores(recipe_of_torchrl, tmp_path):
    recipe_of_torchrl.main(recipe_of_torchrl.Args(tmp_path / "a.pt", iterations=2, games=4, size=4))
    events = read_events(tmp_path / "a")
    assert [iteration for iteration, _ in events["losses/objective"]] == [1, 2]
    assert [iteration for iteration, _ in events["scores/random"]] == [2]


def test_ctrl_c_keeps_what_was_learned_and_the_next_command_is_told(recipe_of_torchrl, monkeypatch, tmp_path, capsys):
    def iterate(_):
        raise KeyboardInterrupt

    args = recipe_of_torchrl.Args(tmp_path / "a.pt", size=4, games=4)
    monkeypatch.setattr(recipe_of_torchrl.Learner, "iterate", iterate)
    recipe_of_torchrl.main(args)
    assert recipe_of_torchrl.load(args.out, size=4)
    assert "othello-env match policy.py:best random" in capsys.readouterr().out


def test_games_of_self_play_reach_their_ends(recipe_of_torchrl):
    env = TorchRLEnv(8, size=8, opponent=None, strict=True)
    played = recipe_of_torchrl.Learner(env, size=8).iterate()
    assert int(played["next", "done"].sum()) >= 4
