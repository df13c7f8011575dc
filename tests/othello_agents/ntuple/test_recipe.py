"""The recipe scripts/train/ntuple.py."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from othello_agents.ntuple import NTupleAgent, NTupleNetwork
from othello_env.arena import measure_regret

SCRIPT = Path(__file__).parents[3] / "scripts" / "train/ntuple.py"


@pytest.mark.parametrize("interrupted", ["run", "measure"])
def test_an_interrupted_training_that_is_resumed_ends_as_if_never_stopped(tmp_path, monkeypatch, capsys, interrupted):
    recipe = runpy.run_path(str(SCRIPT))
    main, variables = recipe["main"], recipe["main"].__globals__

    def train(name, *options):
        common = ["--games", "200", "--first", "50", "--matches", "2", "--half"]
        main([*common, "--out", str(tmp_path / f"{name}.npz"), "--picture", str(tmp_path / f"{name}.png"), *options])

    def result(name):
        network = NTupleNetwork.load(tmp_path / f"{name}.npz")
        curve = json.loads((tmp_path / f"{name}.json").read_text())["curve"]
        return network, [{key: value for key, value in point.items() if key != "seconds"} for point in curve]

    options = ["--size", "4", "--seed", "5", "--batch", "8"]
    train("whole", *options)
    network, curve = result("whole")
    assert [point["games"] for point in curve] == [56, 104, 200]
    regret = measure_regret(NTupleAgent(network), size=4)
    assert (curve[-1]["perfect moves"], curve[-1]["discs lost"]) == (round(regret.rate, 4), round(regret.loss, 3))

    measure, measured, run = variables["measure"], [], variables["Trainer"].run

    def stopped_measure(*arguments):
        measured.append(measure(*arguments))
        if len(measured) == 2:
            raise KeyboardInterrupt
        return measured[-1]

    def stopped_run(trainer, **arguments):
        if trainer.games:
            run(trainer, games=16)
            raise KeyboardInterrupt
        return run(trainer, **arguments)

    with monkeypatch.context() as patch:
        if interrupted == "run":
            patch.setattr(variables["Trainer"], "run", stopped_run)
        else:
            patch.setitem(variables, "measure", stopped_measure)
        with pytest.raises(SystemExit) as stop:
            train("part", *options)
    assert stop.value.code == 130
    part, points = result("part")
    assert part.training["games"] == {"run": 72, "measure": 104}[interrupted]
    assert part.errors is not None
    assert points == curve[:1]
    assert (tmp_path / "part.png").exists()

    train("part", "--resume")
    resumed, points = result("part")
    assert np.array_equal(resumed.weights, network.weights)
    assert points == curve
    assert resumed.errors is None
    assert resumed.training | {"seconds": 0} == network.training | {"seconds": 0}

    train("part", "--resume", "--games", "100")  # the training has already played 100 games
    assert result("part")[1] == curve
    with pytest.raises(SystemExit):
        train("part", "--resume", "--games", "300")
    assert "was saved in half precision or was fitted" in capsys.readouterr().err
