"""The script that labels positions and fits the tables to the labels."""

import numpy as np
import pytest
from load_script import load_script

from othello_agents.ntuple import NTupleNetwork

SMALL = {"size": 4, "self_play": 300, "rounds": 3, "games": 60, "window": 2, "depth": 2, "exact": 4}

script = load_script("make/fit_ntuple")


def run(where, **more):
    """Fit in a folder, and return the weights."""
    script.main(script.Args(**{"out": where / "out.npz", "folder": where / "work", **SMALL, **more}))
    return NTupleNetwork.load(where / "out.npz").weights


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit")
    run(folder)
    return folder


def test_the_card_says_what_the_weights_were_made_from(undisturbed):
    network = NTupleNetwork.load(undisturbed / "out.npz")
    made = network.training["fit"]
    assert (network.size, network.training["games"], network.training["trace"]) == (4, 300, 0.9)
    assert (made["depth"], made["exact"], made["rounds"], made["games"]) == (2, 4, 3, 60)
    assert made["positions"] == sum(len(np.load(part)["own"]) for part in undisturbed.glob("work/labels-*.npz"))
    assert len(made["error"]) == network.stages + 1
    assert network.training["command"].startswith("python ")


def test_a_run_that_was_cut_off_continues_to_the_same_weights(undisturbed, tmp_path, monkeypatch):
    """The first run is interrupted in its second round."""
    calls = []
    labelled_games = script.labelled_games

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return labelled_games(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(script, "labelled_games", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path)
    assert not (tmp_path / "out.npz").exists()
    np.testing.assert_array_equal(run(tmp_path, threads=2), NTupleNetwork.load(undisturbed / "out.npz").weights)


def test_a_folder_of_another_fit_is_refused(undisturbed, tmp_path):
    work = undisturbed / "work"
    with pytest.raises(SystemExit, match="holds another fit"):
        run(tmp_path, folder=work, seed=2)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    with pytest.raises(SystemExit, match=r"has files, but no recipe\.json"):
        run(tmp_path, folder=tmp_path / "other")
    trained = tmp_path / "out.npz"
    NTupleNetwork(4).save(trained)
    before = trained.read_bytes()
    with pytest.raises(SystemExit, match="exists and is not the result of this fit"):
        run(tmp_path, folder=work)
    assert trained.read_bytes() == before
