"""TorchRL's PPO really trains on the vector environment and plays only legal moves."""

import warnings

import pytest
from snippets import run_snippet

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the warnings of TorchRL's import
    torchrl = pytest.importorskip("torchrl", reason="this trainer is an optional extra")

import gymnasium
from torchrl.envs import GymWrapper

from othello_env.arena.match import play_match

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning"),
    pytest.mark.usefixtures("one_thread"),
]


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
def test_its_reader_takes_the_info(make):
    env = GymWrapper(make(), categorical_action_encoding=True)
    env = env.auto_register_info_dict()  # TorchRL plays here to check the specs
    played = env.rollout(400, break_when_any_done=False, auto_cast_to_device=True)["next"]
    over = played["terminated"].squeeze(-1)
    assert bool(over.any())
    assert bool(((played["winner"].reshape(over.shape) == -2) == ~over).all())
    assert played["discs"].shape[: over.ndim] == over.shape
    assert bool((played["plies"].reshape(over.shape)[over] > 0).any())


def test_it_learns_in_self_play_and_resets_what_has_ended():
    scores = []
    for iterations in ("1", "12"):  # the environment is strict: an illegal action raises an error
        names = run_snippet("how-to/trainers.md", "TorchRL", board_size="4", iterations=iterations)
        match = play_match(names["best"], "random", games=200, openings="random:2", seed=1, game="othello:size=4")
        assert not match.faults(0)
        scores.append(match.score)
    before, after = scores
    assert after > before + 0.05
    assert after > 0.6
    played = names["played"]
    assert bool(played["action_mask"].gather(-1, played["action"].unsqueeze(-1)).all())
    over = played["next", "done"]
    assert not bool(played["next", "action_mask"][over.squeeze(-1)].any())
    assert int(over.sum()) > 64  # more ends than environments, so new games began
    assert not bool(played["next", "reward"][~over].any())
