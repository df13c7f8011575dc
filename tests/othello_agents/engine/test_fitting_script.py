"""The script that plays games and fits the engine's weights to them."""

import numpy as np
import pytest
from load_script import load_script

from othello_agents.ntuple import NTupleNetwork

pytestmark = pytest.mark.slow

SMALL = {
    "size": 4,
    "rounds": 2,
    "games": 60,
    "depth": 2,
    "exact": 4,
    "least_plies": 1,
    "most_plies": 4,
    "passes": 2,
    "rate": 0.02,
}

script = load_script("make/fit_engine")


@pytest.fixture(scope="module", autouse=True)
def small_parts():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(script, "PART", 25)
        yield


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """A file with random weights."""
    file = tmp_path_factory.mktemp("start") / "start.npz"
    network = NTupleNetwork(4, 3)
    network.weights[:] = np.random.default_rng(1).normal(0, 0.02, network.weights.shape)
    network.save(file)
    return file


@pytest.fixture(scope="module")
def run(start):
    """Fit in a folder, and return the weights."""

    def fit(where, **more):
        script.main(
            script.Args(**{"out": where / "out.npz", "folder": where / "work", "start": start, **SMALL, **more})
        )
        return NTupleNetwork.load(where / "out.npz").weights

    return fit


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, run):
    folder = tmp_path_factory.mktemp("fit")
    run(folder)
    return folder


def test_the_card_says_what_the_weights_were_made_from(undisturbed):
    made = NTupleNetwork.load(undisturbed / "out.npz").training["fit"]
    assert (made["depth"], made["exact"], made["rounds"], made["games"]) == (2, 4, 2, 120)
    parts = [np.load(file) for file in undisturbed.glob("work/games-1-*.npz")]
    assert [len(np.unique(part["episodes"])) for part in parts] in ([25, 25, 10], [25, 10, 25], [10, 25, 25])
    assert made["positions"] == sum((part["episodes"] % script.HELD_OUT != 0).sum() for part in parts)
    assert made["loss"][-1] <= made["loss_before"][-1]


def test_a_run_that_was_cut_off_continues_to_the_same_weights(undisturbed, tmp_path, monkeypatch, run):
    """The first run is interrupted in its second round."""
    calls = []
    labelled_games = script.labelled_games

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return labelled_games(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(script, "labelled_games", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path)
    assert not (tmp_path / "out.npz").exists()
    np.testing.assert_array_equal(run(tmp_path, threads=2), NTupleNetwork.load(undisturbed / "out.npz").weights)


def test_a_folder_of_another_fit_is_refused(undisturbed, tmp_path, run):
    with pytest.raises(SystemExit, match="holds another fit"):
        run(tmp_path, folder=undisturbed / "work", seed=2)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    with pytest.raises(SystemExit, match=r"has files, but no recipe\.json"):
        run(tmp_path, folder=tmp_path / "other")
    with pytest.raises(SystemExit, match="is for size 4, not for --size 6"):
        run(tmp_path, folder=tmp_path / "new", size=6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rounds": 0}, "--rounds must be at least 1, not 0"),
        ({"games": 1}, "--games must be at least 20, not 1"),
        ({"depth": 0}, "--depth must be 1 to 12, not 0"),
        ({"exact": 13}, "--exact must be 0 to 12, not 13"),
        ({"most_plies": 10}, "--most-plies must be 0 to 9, not 10"),
        ({"least_plies": 5}, "--least-plies must be 0 to 4, not 5"),
        ({"passes": 0}, "--passes must be at least 1"),
        ({"seed": -1}, "--seed must be 0 to"),
        ({"threads": 0}, "--threads must be 1 to"),
        ({"late_epsilon": 2.0}, "--late-epsilon must be"),
        ({"trust": -1.0}, "--trust must be"),
        ({"rate": 0.0}, "--rate must be greater than 0"),
        ({"rate": float("nan")}, "--rate must be a finite number"),
    ],
)
def test_settings_out_of_range_are_refused_before_anything_is_written(tmp_path, run, settings, message):
    with pytest.raises(SystemExit, match=message):
        run(tmp_path, **settings)
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_of_the_folder_is_named(tmp_path, run):
    run(tmp_path, rounds=1)
    (tmp_path / "work" / "weights-0.npz").unlink()
    part = next((tmp_path / "work").glob("games-0-*.npz"))
    whole = part.read_bytes()
    part.write_bytes(whole[:100])
    with pytest.raises(SystemExit, match=rf"{part.name} is damaged"):
        run(tmp_path, rounds=1)
    part.unlink()
    run(tmp_path, rounds=1)
    assert part.read_bytes() == whole
    (tmp_path / "work" / "recipe.json").write_text("{")
    with pytest.raises(SystemExit, match=r"recipe\.json is damaged: it is not JSON"):
        run(tmp_path, rounds=1)
