"""Minari's collector records the infos of each step, and its datasets give them back."""

import gymnasium
import numpy as np
import pytest

minari = pytest.importorskip("minari", reason="this recorder is an optional package")
for needed in ("h5py", "jax"):
    pytest.importorskip(needed, reason="Minari needs it to record: minari[create,hdf5]")

import othello_env  # noqa: E402, F401 - registers the environments

pytestmark = pytest.mark.filterwarnings("ignore")  # Minari's own warnings


@pytest.mark.parametrize(
    ("name", "arguments"), [("Othello", {"size": 4}), ("Tribolo", {"width": 7, "height": 6}), ("Checkers", {"size": 4})]
)
def test_it_records_the_infos(name, arguments, tmp_path, monkeypatch):
    if name == "Tribolo":
        arguments |= {"cells": 3, "walls": 3}
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = minari.DataCollector(gymnasium.make(f"othello_env/{name}-v0", **arguments), record_infos=True)
    seen = []
    for seed in range(3):
        _, info = env.reset(seed=seed)
        infos, over = [info], False
        while not over:
            *_, over, _, info = env.step(int(info["action_mask"].argmax()))
            infos.append(info)
        seen.append(infos)
    env.create_dataset(
        "othello/test-v0", algorithm_name="first", author="a", author_email="a@b", code_permalink="https://c"
    )
    env.close()
    episodes = list(minari.load_dataset("othello/test-v0").iterate_episodes())
    assert len(episodes) == len(seen)
    for episode, infos in zip(episodes, seen, strict=True):
        assert set(episode.infos) == set(infos[0])
        for key, recorded in episode.infos.items():
            np.testing.assert_array_equal(recorded, [info[key] for info in infos])
