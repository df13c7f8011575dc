"""Tests of how the scripts measure speed. If cheap and expensive steps alternate, the result must include both."""

import itertools
from types import SimpleNamespace

import _measure
import measure_speed
import numpy as np
import pytest
from measure_speed import VectorWork


def test_a_rate_is_units_over_all_the_time_that_passed():
    steps = itertools.cycle([(100, 0.01), (100, 0.09)])
    assert _measure.rate(lambda: next(steps), 10.0) == pytest.approx(2000, rel=0.01)


def test_a_figure_is_the_median_window_over_the_yardstick_beside_it():
    # The machine slows down and recovers, again and again. `drift` has the factors by which all work takes longer.
    drift = itertools.chain([1.0, 1.0], itertools.cycle([1.0, 2.0, 4.0]))
    speed = 1.0

    def yardstick():
        nonlocal speed
        speed = next(drift)
        return 100.0, 100.0 * speed

    work_is_slow = itertools.cycle([1.0, 1.0, 3.0])
    figure = _measure.Bench(yardstick, windows=9, seconds=1.0).measure(
        lambda: (50.0, 100.0 * speed * next(work_is_slow))
    )
    assert figure.ratio == pytest.approx(0.5)
    assert min(figure.ratios) == pytest.approx(0.5 / 3)


def test_the_games_of_a_measured_batch_are_at_all_stages():
    work = VectorWork(600)
    ended = [work._env.step(work._masks.argmax(axis=1))[2].sum() for _ in range(60)]
    assert max(ended) < 4 * np.mean(ended)
    work.close()


def test_without_pygame_all_but_connect_four_is_measured(monkeypatch, capsys):
    class Bench:
        def measure(self, work):
            return SimpleNamespace(rate=1.0, ratio=1.0)

    monkeypatch.setattr(measure_speed, "find_spec", lambda name: None)
    monkeypatch.setattr(measure_speed, "PEERS", {"other_library": None})
    measure_speed.measure_single(Bench())
    measure_speed.measure_peers(Bench())
    told = capsys.readouterr().out
    assert "AEC env" in told
    assert "pygame is not installed, so PettingZoo's connect_four is not measured" in told
    assert "other_library is not installed" in told
