"""MaskablePPO really trains on the batch, and plays only legal moves."""

import re

import gymnasium
import numpy as np
import pytest
from events import read_events
from load_script import load_script
from snippets import DOCS

sb3_contrib = pytest.importorskip("sb3_contrib", reason="this trainer is an optional extra")

from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv  # noqa: E402

from othello_env.arena.match import play_match  # noqa: E402
from othello_env.envs import OthelloVecEnv  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def sb3():
    return load_script("train/sb3")


def match(sb3, model, size):
    return play_match(
        sb3.as_policy(model), "random", games=200, openings="random:3", seed=1, game=f"othello:size={size}"
    )


def test_the_batch_is_what_single_environments_are():
    # `OthelloVecEnv` and Stable-Baselines3's own `DummyVecEnv` get the same seeds and actions.
    pool = {"random": 1, "maximizer:eval=count": 2}
    ours = OthelloVecEnv(4, size=4, opponent=pool)
    assert is_masking_supported(ours)
    theirs = DummyVecEnv([lambda: gymnasium.make("othello_env/Othello-v0", size=4, opponent=pool)] * 4)
    rng = np.random.default_rng(1)
    ended = 0
    met = set()
    seen = []
    for env in (ours, theirs):
        env.seed(3)
        seen.append(env.reset())
    for _ in range(40):
        masks = get_action_masks(theirs)
        np.testing.assert_array_equal(get_action_masks(ours), masks)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        for name in ("observation", "action_mask"):
            np.testing.assert_array_equal(seen[0][name], seen[1][name])
        seen = []
        answers = [env.step(actions) for env in (ours, theirs)]
        for (observation, rewards, done, _), other in zip(answers, reversed(answers), strict=True):
            seen.append(observation)
            np.testing.assert_array_equal(rewards, other[1])
            np.testing.assert_array_equal(done, other[2])
        for i in np.flatnonzero(answers[0][2]):
            ended += 1
            mine, other = (answer[3][i] for answer in answers)
            assert mine["winner"] == other["winner"]
            assert mine["opponent"] == [*pool][other["opponent"]]
            met.add(mine["opponent"])
            assert mine["episode"]["r"] == answers[1][1][i]
            for name, array in mine["terminal_observation"].items():
                np.testing.assert_array_equal(array, other["terminal_observation"][name])
    assert ended > 10
    assert met == {*pool}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"copy": False}, "copy=False does not work"),
        ({"autoreset_mode": "SameStep"}, "autoreset_mode cannot be chosen"),
        ({"opponent": None}, "expected an opponent, not None"),
    ],
)
def test_what_it_cannot_train_with_is_refused(arguments, text):
    with pytest.raises(ValueError, match=text):
        OthelloVecEnv(2, size=4, **arguments)


def test_it_learns_on_the_batch(sb3):
    model = sb3.make_model(OthelloVecEnv(32, size=4, strict=True), seed=2, learning_rate=1e-3)
    before = match(sb3, model, 4)
    model.learn(16_000)
    after = match(sb3, model, 4)
    assert not before.faults(0)
    assert not after.faults(0)
    assert after.score > before.score + 0.05
    assert after.score > 0.65


def test_its_callback_evaluates_on_the_batch_and_tensorboard_has_the_means(sb3, tmp_path):
    model = sb3.make_model(OthelloVecEnv(4, size=4), seed=1, tensorboard_log=str(tmp_path))
    against = OthelloVecEnv(4, size=4, opponent="maximizer:eval=weighted", openings="random:2", strict=True)
    model.learn(256, callback=MaskableEvalCallback(against, eval_freq=32, n_eval_episodes=10, verbose=0))
    means = read_events(next(tmp_path.glob("*_1")))["eval/mean_reward"]
    assert len(means) == 2
    assert all(-1 <= mean <= 1 for _, mean in means)
    sb3.main(sb3.Args(tmp_path / "a.zip", size=4, games=4, steps=2560))
    assert read_events(tmp_path / "a_1")["rollout/ep_rew_mean"]


def test_the_program_of_the_page_saves_prints_and_goes_on(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "tutorials" / "stable-baselines3.md").read_text(encoding="utf-8")
    small = {
        "VecEnv(64": "VecEnv(4",
        "500_000": "300",
        "Callback(1000": "Callback(64",
        "batch_size=512": "batch_size=64",
    }
    names = {}
    for begins in ("python\n# train.py", "py\nmodel = MaskablePPO.load"):
        code = (
            re.search(f"^```{re.escape(begins)}.*?^```$", page, re.DOTALL | re.MULTILINE)[0]
            .strip("`")
            .partition("\n")[2]
        )
        for long, short in (small | {"log_interval=10": "log_interval=1"}).items():
            code = code.replace(long, short)
        exec(code, names)
        assert "ep_rew_mean" in capsys.readouterr().out
    assert names["model"].num_timesteps == 512 + 512
    saved = {f"rl_model_{steps}_steps.zip" for steps in (256, 512, 768, 1024)}
    assert {path.name for path in (tmp_path / "checkpoints").iterdir()} == saved


def test_ctrl_c_keeps_what_was_learned_and_the_next_command_is_told(sb3, monkeypatch, tmp_path, capsys):
    def learn(*_, **__):
        raise KeyboardInterrupt

    args = sb3.Args(tmp_path / "a.zip", size=4, games=4)
    monkeypatch.setattr(sb3.MaskablePPO, "learn", learn)
    sb3.main(args)
    assert sb3.MaskablePPO.load(args.out)
    told = capsys.readouterr().out
    assert f"{args.out} has the model" in told
    assert "othello-env match policy.py:best random" in told
    with pytest.raises(SystemExit, match="expected a new \\.zip file"):
        sb3.main(args)
