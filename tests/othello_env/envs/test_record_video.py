"""Videos of games, made by a wrapper of Gymnasium."""

import gymnasium
import pytest

import othello_env  # noqa: F401 - registers the environments

pytest.importorskip("moviepy", reason="RecordVideo needs moviepy (nox -s page)")


@pytest.mark.filterwarnings("ignore:.*Overwriting existing videos.*")
@pytest.mark.parametrize("name", ["Othello-v0", "Tribolo-v0", "Checkers-v0"])
def test_record_video_writes_a_game(name, tmp_path):
    env = gymnasium.make(f"othello_env/{name}", opponent="random", render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path), episode_trigger=lambda _: True, disable_logger=True)
    observation, _ = env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(6):
        observation, _, terminated, _, _ = env.step(env.action_space.sample(observation["action_mask"]))
        assert not terminated
    env.close()
    (video,) = tmp_path.glob("*.mp4")
    assert b"ftyp" in video.read_bytes()[:16]
