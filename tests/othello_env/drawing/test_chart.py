"""Charts of results."""

import io

import numpy as np
import pytest
from PIL import Image, ImageColor

from othello_env.drawing.chart import CurvePoint, EloRow, elo_chart, growth_chart, learning_chart, png
from othello_env.drawing.chart.axes import even_ticks
from othello_env.drawing.chart.curves import _tick_text
from othello_env.drawing.chart.progress import _short


def places(picture, colour):
    """The rows and columns of the pixels of exactly this colour."""
    return np.nonzero((np.asarray(picture) == ImageColor.getrgb(colour)).all(axis=2))


FIRST = (0, 106, 508, 456)  # the left plot, if the legend above it has one row
SECOND = (508, 106, 1000, 456)  # the right plot


def test_a_better_learner_is_drawn_higher_and_a_rising_curve_rises():
    better = [CurvePoint(100, 1, 0.6), CurvePoint(1_000, 10, 0.9)]
    worse = [CurvePoint(100, 1, 0.1), CurvePoint(1_000, 10, 0.1)]
    picture = learning_chart("a", "b", {"better": better, "worse": worse}).crop(FIRST)
    rows, columns = places(picture, "#1b7f4b")
    other_rows, _ = places(picture, "#1f5fa8")
    assert rows.max() < other_rows.min()
    assert np.corrcoef(rows, columns)[0, 1] < -0.9


def test_one_point_is_enough():
    picture = learning_chart("a", "b", {"only": [CurvePoint(64, 1, 0.5)]})
    rows, _ = places(picture.crop(FIRST), "#1b7f4b")
    assert len(rows) > 0


def test_the_point_before_training_begins_the_plot_over_seconds_and_has_no_place_on_a_logarithmic_axis():
    begun, later = CurvePoint(0, 0, 0.2), [CurvePoint(100, 1, 0.6), CurvePoint(1_000, 10, 0.9)]
    whole, rest = learning_chart("a", "b", {"c": [begun, *later]}), learning_chart("a", "b", {"c": later})
    assert png(whole.crop(FIRST)) == png(rest.crop(FIRST))
    rows, columns = places(whole.crop(SECOND), "#1b7f4b")
    later_rows, later_columns = places(rest.crop(SECOND), "#1b7f4b")
    assert rows.max() > later_rows.max() + 50
    assert columns.min() < later_columns.min()
    rows, _ = places(learning_chart("a", "b", {"c": [begun]}).crop(FIRST), "#1b7f4b")
    assert len(rows) > 0


def test_equal_times_have_equal_distances():
    points = [CurvePoint(10**k, 100 * k, k / 10) for k in range(6)]
    rows, columns = places(learning_chart("a", "b", {"c": points}).crop(SECOND), "#1b7f4b")
    bend = np.abs(columns - np.polyval(np.polyfit(rows, columns, 1), rows))
    assert bend.max() < 8  # the points lie on a straight line


def test_curves_with_different_units_are_drawn_over_seconds_only():
    curves = {"plies": [CurvePoint(1e6, 30, 0.2), CurvePoint(2e6, 60, 0.9)], "games": [CurvePoint(100, 60, 0.4)]}
    picture = learning_chart("a", "b", curves, None)
    assert picture.size == learning_chart("a", "b", curves).size
    _, columns = places(picture, "#1b7f4b")
    # There is one wide plot of 60 seconds. The curve begins at 30 seconds, so it takes half of the width.
    assert columns.max() - columns.min() > 400


@pytest.mark.parametrize(
    ("first", "last", "most"), [(64, 64, 2), (8_192, 70_000, 5), (1_000, 100_000, 7), (3e5, 1e7, 7), (1, 1e9, 10)]
)
def test_an_axis_has_several_ticks_however_short_the_run(first, last, most):
    picture = learning_chart("a", "b", {"c": [CurvePoint(played, 1, 0.0) for played in (first, last)]})
    between_scores = np.asarray(picture.convert("L").crop(FIRST))[180, 60:490] < 250
    lines = np.count_nonzero(np.diff(between_scores.astype(int)) == 1)
    assert 2 <= lines <= most


@pytest.mark.parametrize("count", [1, 3, 4])
def test_the_legend_is_above_the_plots(count):
    inks = ["#1b7f4b", "#1f5fa8", "#b3541e", "#7a3e9d"][:count]
    points = [CurvePoint(100, 1, 0.0), CurvePoint(1_000, 10, 0.0)]
    picture = learning_chart("a", "", {f"alphabeta:depth={depth}": points for depth in range(count)})
    bottom = picture.height - 62
    found = [set(places(picture.crop((0, 70, picture.width, bottom - 5)), ink)[0] + 70) for ink in inks]
    assert all(found)
    assert max(set().union(*found)) < bottom - 340 - 10


def test_more_curves_than_colours_are_refused():
    curves = {str(k): [CurvePoint(100, 1, 0.5)] for k in range(9)}
    with pytest.raises(ValueError, match="at most 8 curves, not 9"):
        learning_chart("a", "b", curves)
    with pytest.raises(ValueError, match="at most 8 curves, not 9"):
        growth_chart("a", "b", {label: {64: 2.0} for label in curves}, "games", "ns")
    assert learning_chart("a", "b", {label: curves[label] for label in "01234567"}).height > 0


def coloured_rows(chart: Image.Image) -> set[int]:
    """The rows of pixels that have the green of the highlighted row."""
    red, green, blue = np.moveaxis(np.asarray(chart).astype(int), 2, 0)
    return set(np.nonzero(((green > red + 60) & (green > blue + 30)).any(axis=1))[0].tolist())


@pytest.mark.parametrize("beyond", [None, "above", "below"])
def test_the_row_of_the_agent_stands_out_in_a_chart_of_ratings(beyond: str | None) -> None:
    others = [EloRow(f"rung {n}", 100.0 * n, 100.0 * n - 30, 100.0 * n + 30) for n in range(3)]
    own = EloRow("mine", 120.0, 90.0, 150.0, own=True, beyond=beyond)
    first, last = (elo_chart("title", "subtitle", rows) for rows in ([own, *others], [*others, own]))
    assert first.size == last.size
    assert max(coloured_rows(first)) < min(coloured_rows(last))
    assert not coloured_rows(elo_chart("title", "subtitle", others))
    taller = elo_chart("title", "subtitle", [*others, *others, own])
    assert taller.height > first.height
    assert Image.open(io.BytesIO(png(first))).size == first.size


def test_labels_too_long_for_a_chart_lose_their_middle() -> None:
    rows = [EloRow("a" * 300 + letter, 0.0, -1.0, 1.0) for letter in "bc"]
    drawn = [np.asarray(elo_chart("title" * 100, "subtitle", [row])) for row in rows]
    assert (drawn[0] != drawn[1]).any()  # the end of the label is drawn
    assert (drawn[0][:, 310:] == drawn[1][:, 310:]).all()  # and the label stays within its space


def test_a_cost_that_grows_rises_and_a_higher_cost_is_drawn_higher():
    curves = {"cheap": {64: 10.0, 1024: 10.0}, "growing": {64: 20.0, 1024: 2000.0}}
    picture = growth_chart("a", "b", curves, "games", "ns")
    plot = picture.crop((0, 110, picture.width, picture.height))  # without the legend
    cheap, _ = places(plot, "#1b7f4b")
    rows, columns = places(plot, "#1f5fa8")
    assert rows.max() < cheap.min()
    assert np.corrcoef(rows, columns)[0, 1] < -0.9


def test_costs_below_1_are_refused():
    with pytest.raises(ValueError, match=r"at least 1, got 0\.5"):
        growth_chart("a", "b", {"c": {64: 0.5}}, "games", "ns")


def test_labels_of_axes_are_short_and_different():
    numbers = [64, 999, 64_000, 350_000, 999_400, 999_700, 1_200_000, 999_999_999, 2e9]
    assert [_short(number) for number in numbers] == ["64", "999", "64k", "350k", "999k", "1M", "1.2M", "1G", "2G"]
    labels = [_tick_text(tick) for tick in even_ticks(2_000_001)]
    assert len({*labels}) == len(labels)
    assert "1.5M" in labels
