"""The script that labels positions and fits the tables to the labels."""

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from othello_agents.ntuple import NTupleNetwork, Trainer

SCRIPTS = Path(__file__).parents[3] / "scripts"
SMALL = ["--size=4", "--self-play=300", "--rounds=3", "--games=60", "--window=2", "--depth=2", "--exact=4"]


@pytest.fixture(scope="module")
def main():
    sys.path.insert(0, str(SCRIPTS))
    try:
        return runpy.run_path(str(SCRIPTS / "make/fit_ntuple.py"))["main"]
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


def test_more_rounds_continue_the_work(main, undisturbed, tmp_path):
    run(main, tmp_path, "--rounds", "1")
    np.testing.assert_array_equal(run(main, tmp_path), NTupleNetwork.load(undisturbed / "out.npz").weights)


def test_a_fit_can_begin_with_given_weights(main, tmp_path):
    trainer = Trainer(4, 7)
    trainer.run(games=100)
    start = tmp_path / "start.npz"
    trainer.network.save(start)
    fitted = run(main, tmp_path, "--start", str(start), "--rounds", "1", "--rate", "0")
    np.testing.assert_array_equal(fitted, trainer.network.weights)
    recipe = json.loads((tmp_path / "work" / "recipe.json").read_text())["recipe"]
    assert recipe["start"] != str(start)
    assert "self_play" not in recipe
    first = tmp_path / "out.npz"
    arguments = [*SMALL, "--start", str(first), "--rounds=1", "--out", str(tmp_path / "again.npz")]
    main([*arguments, "--folder", str(tmp_path / "second")])
    before, after = (NTupleNetwork.load(file).training for file in (first, tmp_path / "again.npz"))
    assert after["earlier_fit"] == before["fit"]
    assert after["fit"]["positions"] > 0


def refused(main, capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    assert stop.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_a_folder_of_another_fit_is_refused(main, undisturbed, tmp_path, capsys):
    out, work = ["--out", str(tmp_path / "out.npz")], ["--folder", str(undisturbed / "work")]
    assert "holds another fit" in refused(main, capsys, *SMALL, *out, *work, "--seed", "2")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    trained = Path(out[1])
    NTupleNetwork(4).save(trained)
    before = trained.read_bytes()
    assert "exists and is not the result of this fit" in refused(main, capsys, *SMALL, *out, *work)
    assert trained.read_bytes() == before
    trained.unlink()
    assert "has files, but no recipe.json" in refused(main, capsys, *SMALL, *out, "--folder", str(tmp_path / "other"))


def test_the_first_weights_are_not_overwritten(main, tmp_path, capsys):
    file = str(tmp_path / "a.npz")
    arguments = [*SMALL, "--start", file, "--out", file, "--folder", str(tmp_path / "work")]
    assert "--out and --start are the same file" in refused(main, capsys, *arguments)


def test_weights_for_another_board_are_refused(main, tmp_path, capsys):
    Trainer(6).network.save(tmp_path / "six.npz")
    arguments = [*SMALL, "--start", str(tmp_path / "six.npz"), "--out", str(tmp_path / "out.npz")]
    assert "for size 6, not for --size 4" in refused(main, capsys, *arguments, "--folder", str(tmp_path / "work"))
    assert not (tmp_path / "work").exists()
