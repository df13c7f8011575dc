"""The script that labels positions and fits the tables to the labels."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from othello_agents.ntuple import NTupleNetwork

SCRIPTS = Path(__file__).parents[3] / "scripts"
SMALL = ["--size=4", "--self-play=300", "--rounds=3", "--games=60", "--window=2", "--depth=2", "--exact=4"]


@pytest.fixture(scope="module")
def main():
    sys.path.insert(0, str(SCRIPTS))
    try:
        return runpy.run_path(str(SCRIPTS / "fit_ntuple.py"))["main"]
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def undisturbed(main, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit")
    main([*SMALL, "--out", str(folder / "out.npz"), "--folder", str(folder / "work")])
    return folder


def run(main, folder, *more):
    main([*SMALL, *more, "--out", str(folder / "out.npz"), "--folder", str(folder / "work")])
    return NTupleNetwork.load(folder / "out.npz").weights


def test_the_card_says_what_the_weights_were_made_from(undisturbed):
    network = NTupleNetwork.load(undisturbed / "out.npz")
    made = network.training["fit"]
    assert (network.size, network.training["games"], network.training["trace"]) == (4, 300, 0.9)
    assert (made["depth"], made["exact"], made["rounds"], made["games"]) == (2, 4, 3, 60)
    assert made["positions"] == sum(len(np.load(part)["own"]) for part in undisturbed.glob("work/labels-*.npz"))
    assert len(made["error"]) == network.stages + 1
    assert network.training["command"].startswith("python ")


def test_the_rounds_lower_the_error_on_held_out_positions(main, tmp_path, capsys):
    run(main, tmp_path, "--self-play=1", "--games=600", "--window=3", "--rate=0.03")
    lines = [line.replace(",", "").split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [int(line[0]) for line in lines] == [1, 2, 3]
    errors = [(float(line[2]), float(line[4])) for line in lines]
    assert all(after < before for before, after in errors)
    made = [NTupleNetwork.load(file).training["fit"] for file in sorted(tmp_path.glob("work/weights-*.npz"))[1:]]
    assert [(each["error_before"], each["error"][-1]) for each in made] == errors
    assert [each["positions"] for each in made] == [int(line[1]) for line in lines]


def test_a_run_that_was_cut_off_continues_to_the_same_weights(main, undisturbed, tmp_path, monkeypatch):
    """The first run is interrupted in its second round. A part of the labels and some weights are damaged as well."""
    calls = []
    labelled_games = main.__globals__["labelled_games"]

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return labelled_games(*arguments)

    with monkeypatch.context() as patch:
        patch.setitem(main.__globals__, "labelled_games", interrupted)
        with pytest.raises(SystemExit) as stop:
            run(main, tmp_path)
    assert stop.value.code == 130
    assert not (tmp_path / "out.npz").exists()
    part, weights = tmp_path / "work" / "labels-000-000.npz", tmp_path / "work" / "weights-001.npz"
    part.write_bytes(part.read_bytes()[:-100])
    weights.write_bytes(b"")
    np.testing.assert_array_equal(
        run(main, tmp_path, "--threads", "2"), NTupleNetwork.load(undisturbed / "out.npz").weights
    )
