"""How the scripts measure: a batch whose cheap and dear steps alternate must not be judged by its cheap ones."""

import itertools
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture
def measuring(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    import _measure

    yield _measure
    del sys.modules["_measure"]


def test_a_rate_is_units_over_all_the_time_that_passed(measuring):
    steps = itertools.cycle([(100, 0.01), (100, 0.09)])
    assert measuring.rate(lambda: next(steps), 10.0) == pytest.approx(2000, rel=0.01)


def test_a_figure_is_the_median_window_over_the_yardstick_beside_it(measuring):
    drift = itertools.chain([1.0, 1.0], itertools.cycle([1.0, 2.0, 4.0]))  # the machine slows down and recovers
    speed = 1.0

    def yardstick():
        nonlocal speed
        speed = next(drift)
        return 100.0, 100.0 * speed

    work_is_slow = itertools.cycle([1.0, 1.0, 3.0])
    figure = measuring.Bench(yardstick, windows=9, seconds=1.0).measure(
        lambda: (50.0, 100.0 * speed * next(work_is_slow))
    )
    assert figure.ratio == pytest.approx(0.5)
    assert min(figure.ratios) == pytest.approx(0.5 / 3)


def test_the_games_of_a_measured_batch_are_at_all_stages(measuring, monkeypatch):
    import numpy as np

    monkeypatch.delitem(sys.modules, "measure_speed", raising=False)
    from measure_speed import VectorWork

    work = VectorWork(600)
    ended = [work._env.step(work._masks.argmax(axis=1))[2].sum() for _ in range(60)]
    assert max(ended) < 4 * np.mean(ended)
    work.close()
