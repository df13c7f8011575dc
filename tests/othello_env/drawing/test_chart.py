"""Learning curves as pictures."""

import numpy as np
from PIL import ImageColor

from othello_env.drawing.chart import CurvePoint, learning_chart


def places(picture, colour):
    """The rows and columns of the pixels of exactly this colour."""
    return np.nonzero((np.asarray(picture) == ImageColor.getrgb(colour)).all(axis=2))


def test_a_better_learner_is_drawn_higher_and_a_rising_curve_rises():
    better = [CurvePoint(100, 1, 0.6), CurvePoint(1_000, 10, 0.9)]
    worse = [CurvePoint(100, 1, 0.1), CurvePoint(1_000, 10, 0.1)]
    picture = learning_chart("a", "b", {"better": better, "worse": worse}).crop((0, 92, 508, 430))  # the first panel
    rows, columns = places(picture, "#1b7f4b")
    other_rows, _ = places(picture, "#1f5fa8")
    assert rows.max() < other_rows.min()
    assert np.corrcoef(rows, columns)[0, 1] < -0.9


def test_one_point_is_enough():
    picture = learning_chart("a", "b", {"only": [CurvePoint(64, 1, 0.5)]})
    rows, _ = places(picture.crop((0, 92, 508, 430)), "#1b7f4b")
    assert len(rows) > 0
