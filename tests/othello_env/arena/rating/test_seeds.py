"""The mean over runs of one method with several seeds."""

import math

import numpy as np
import pytest

from othello_env.arena import mean_over_seeds
from othello_env.arena.rating.accuracy import EndgameAccuracy, MoveAccuracy, Regret
from othello_env.arena.rating.benchmark import Benchmark
from othello_env.arena.rating.ladder import Placement, load_ladder
from othello_env.arena.rating.perfection import PerfectionBenchmark
from othello_env.arena.rating.seeds import seeds_json, seeds_rows


class Rated(Placement):
    """A placement with a given rating."""

    elo, open_end = 0.0, None


def run(elo, losses, open_end=None):
    placement = Rated(load_ladder())
    object.__setattr__(placement, "elo", elo)
    object.__setattr__(placement, "open_end", open_end)
    return Benchmark("a", placement, EndgameAccuracy(losses.count(0), tuple(losses)), {"seed": 0}, 1.0)


def test_the_runs_are_the_units():
    runs = [run(1400.0, [0, 2]), run(1450.0, [0, 0]), run(1430.0, [4, 4])]
    found = mean_over_seeds(runs)
    assert list(found) == ["Elo", "best endgame moves", "discs lost a move"]
    assert found["Elo"].values == (1400, 1450, 1430)
    half = 4.30265 * np.std([1400, 1450, 1430], ddof=1) / math.sqrt(3)  # Student's t with two degrees of freedom
    assert found["Elo"].interval == pytest.approx((1426.667 - half, 1426.667 + half), abs=1e-3)
    assert found["best endgame moves"].values == (0.5, 1.0, 0.0)
    assert found["discs lost a move"].mean == pytest.approx(5 / 3)
    row, shares, losses = seeds_rows(runs)
    assert shares == ("best endgame moves", "3", "50.0%", "0.0% to 100.0%", "50.0%")
    assert losses[2:4] == ("1.667", "0.000 to 6.838")
    assert row == ("Elo", "3", "1427", f"{1426.667 - half:.0f} to {1426.667 + half:.0f}", "25")
    assert seeds_json(runs)["Elo"]["interval95"] == list(found["Elo"].interval)


def test_a_run_without_a_rating_is_not_left_out():
    runs = [run(1400.0, [0]), run(2300.0, [0], "above")]
    assert mean_over_seeds(runs)["Elo"] is None
    assert seeds_json(runs)["Elo"] is None
    assert seeds_rows(runs)[0][2:4] == ("-", "a run has no number")


def test_one_run_has_no_interval():
    assert seeds_rows([run(1400.0, [0])])[0] == ("Elo", "1", "1400", "-", "-")
    assert seeds_json([run(1400.0, [0])])["Elo"]["interval95"] is None
    with pytest.raises(ValueError, match="at least one run"):
        mean_over_seeds([])


def test_results_of_both_kinds_on_a_small_board():
    regrets = [Regret(4, (), MoveAccuracy(1, (0.0, loss))) for loss in (2.0, 4.0)]
    small = [PerfectionBenchmark("a", regret, None, None, {"size": 4, "seed": 0}, 1.0) for regret in regrets]
    runs = [run(1400.0, [0]), small[0], run(1500.0, [0]), small[1]]
    found = mean_over_seeds(runs[1::2])
    assert found["perfect moves"].values == (0.5, 0.5)
    assert found["discs lost a move"].values == (1.0, 2.0)
    assert mean_over_seeds(runs)["Elo"].mean == 1450
