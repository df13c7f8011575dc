"""MaskablePPO trains against a league of its past selves."""

import numpy as np
import pytest
from events import read_events
from load_script import load_script

pytest.importorskip("sb3_contrib", reason="this trainer is an optional extra")
pytest.importorskip("onnx", reason="snapshots are ONNX files")
pytest.importorskip("onnxruntime", reason="snapshots are ONNX files")

from othello_env import Othello, OthelloPositions, make_agent
from othello_env.envs import OthelloVecEnv
from othello_env.league import League

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def script():
    return load_script("train/league_sb3")


def test_a_snapshot_plays_as_the_policy(script, tmp_path):
    sb3 = load_script("train/sb3")
    model = sb3.make_model(OthelloVecEnv(4, size=4), seed=3)
    script.export(model, tmp_path / "a.onnx")
    states = [Othello(4)]
    for k in range(30):
        state = states[-1] if not states[-1].is_over else Othello(4)
        legal = state.legal_actions()
        states.append(state.play(legal[k % len(legal)]))
    batch = OthelloPositions.from_states([state for state in states if not state.is_over])
    expected = sb3.as_policy(model)(batch.observations(), batch.masks())
    np.testing.assert_array_equal(make_agent(str(tmp_path / "a.onnx")).act_batch(batch), expected)


def test_games_are_counted_and_the_league_can_be_read(script, tmp_path, capsys):
    out = tmp_path / "league"
    script.main(script.Args(out, steps=5000, games=8, size=4, every=1, keep=2))
    told = capsys.readouterr().out
    assert "against random: 0." in told
    assert f"othello-env league {out}" in told
    assert read_events(next(out.glob("*_1")))["rollout/ep_rew_mean"]
    league = League.load(out)
    assert [member.played for member in league.snapshots] == [4608, 5120]
    assert league.payoffs().training.sum() > 100
    assert sum(member.games > 0 for member in league) > 2
    assert league.complete(2, game="othello:size=4", openings="random:2") == 2 * 6


def test_ctrl_c_keeps_what_was_learned(script, monkeypatch, tmp_path):
    def learn(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(script.MaskablePPO, "learn", learn)
    script.main(script.Args(tmp_path / "league", size=4, games=4))
    assert len(League.load(tmp_path / "league").snapshots) == 1
