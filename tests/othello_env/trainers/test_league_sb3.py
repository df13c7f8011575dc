"""MaskablePPO trains against a league of its past selves."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="this trainer is an optional extra")
pytest.importorskip("onnx", reason="snapshots are ONNX files")
pytest.importorskip("onnxruntime", reason="snapshots are ONNX files")

from othello_env import Othello, make_agent
from othello_env.envs import OthelloVecEnv
from othello_env.games.othello.positions import OthelloPositions
from othello_env.league import League


@pytest.fixture(scope="module")
def script(recipe):
    recipe("train_sb3")
    return recipe("train_league_sb3")


def test_a_snapshot_plays_as_the_policy(script, tmp_path):
    from train_sb3 import as_policy, make_model

    model = make_model(OthelloVecEnv(4, size=4), seed=3)
    script.export(model, tmp_path / "a.onnx")
    states = [Othello(4)]
    for k in range(30):
        state = states[-1] if not states[-1].is_over else Othello(4)
        legal = state.legal_actions()
        states.append(state.play(legal[k % len(legal)]))
    batch = OthelloPositions.from_states([state for state in states if not state.is_over])
    expected = as_policy(model)(batch.observations(), batch.masks())
    np.testing.assert_array_equal(make_agent(str(tmp_path / "a.onnx")).act_batch(batch), expected)


def test_games_are_counted_and_the_league_can_be_read(script, tmp_path, capsys):
    out = tmp_path / "league"
    arguments = ["--size", "4", "--steps", "1600", "--games", "8", "--every", "1", "--keep", "2", "--out", str(out)]
    league = script.main(arguments)
    assert "random: 0." in capsys.readouterr().out
    loaded = League.load(out)
    assert loaded.state() == league.state()
    assert [member.played for member in league.snapshots] == [1536, 2048]
    assert league.payoffs().training.sum() > 100
    assert sum(member.games > 0 for member in league) > 2
    assert loaded.complete(2, game="othello:size=4", openings="random:2") == 2 * 6


def test_ctrl_c_in_a_kernel_keeps_what_was_learned(script, monkeypatch, tmp_path):
    def learn(*_, **__):
        raise SystemError("a kernel returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr(script.MaskablePPO, "learn", learn)
    league = script.main(["--size", "4", "--games", "4", "--out", str(tmp_path / "league")])
    assert len(league.snapshots) == 1
    assert League.load(tmp_path / "league").state() == league.state()
