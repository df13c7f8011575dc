"""Charts of results: the numbers in the figures, and whether a person can read them."""

import io
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from PIL import Image

from othello_env.drawing.charts import (
    CurvePoint,
    Row,
    learning_chart,
    matrix_chart,
    png,
    row_chart,
)

SPEC = "alphabeta:depth=2,eval=weighted"
CURVE = [CurvePoint(10**k, 10 * k, k / 10, k / 10 - 0.05, k / 10 + 0.05) for k in range(2, 8)]
ROWS = [Row(SPEC, 0.9, 0.8, 0.95, "0.900", compare=0.5), Row("random", 1.0, 0.96, 1.0, "1.000", compare=0.4)]


def learning():
    curves = {SPEC: CURVE, "random": [CurvePoint(0, 0, 0.1), CurvePoint(5_000, 30, 0.4)]}
    return learning_chart("title", "subtitle", curves)


def test_the_same_data_give_the_same_file_whatever_the_settings_are():
    first = png(learning())
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "savefig.bbox": "tight", "text.usetex": True}):
        settings = dict(matplotlib.rcParams)
        assert png(learning()) == first
        assert dict(matplotlib.rcParams) == settings
    with Image.open(io.BytesIO(first)) as image:
        assert image.width == 1080
        assert set(image.info) <= {"dpi"}  # no time, no version
        assert image.convert("RGB").getpixel((1, 1)) == (255, 255, 255)  # legible on a dark page, too


@pytest.mark.slow
def test_matplotlib_is_imported_when_a_chart_is_drawn_and_keeps_its_backend():
    code = """
import sys
import othello_env, othello_env.cli.quickstart, othello_env.data, othello_env.drawing, othello_env.league
assert "matplotlib" not in sys.modules
from othello_env.drawing.charts import CurvePoint, learning_chart, png
png(learning_chart("a", "b", {"c": [CurvePoint(1, 1, 0.5)]}))
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_learning_chart_shows_the_scores_and_their_intervals():
    played, seconds = learning().axes
    assert played.get_xscale() == "log"
    ticks = [label.get_text() for label in played.get_xticklabels()]
    assert {"1k", "10k", "100k", "1M"} <= {*ticks}
    assert "log scale" in played.get_xlabel()
    assert played.lines[0].get_xdata().tolist() == [point.played for point in CURVE]
    assert seconds.lines[0].get_xdata().tolist() == [point.seconds for point in CURVE]
    for axes in (played, seconds):
        assert axes.lines[0].get_ydata().tolist() == [point.score for point in CURVE]
        (band,) = axes.collections  # the second curve has no intervals
        corners = band.get_paths()[0].vertices
        assert {(x, round(y, 9)) for x, y in corners} == {
            (getattr(point, "played" if axes is played else "seconds"), round(end, 9))
            for point in CURVE
            for end in (point.low, point.high)
        }
    assert played.lines[1].get_xdata().tolist() == [5_000]  # a logarithmic axis has no 0
    assert seconds.lines[1].get_xdata().tolist() == [0, 30]
    (legend,) = learning().legends
    assert [text.get_text() for text in legend.get_texts()] == [SPEC, "random"]
    assert [key.get_color() for key in legend.get_lines()] == [line.get_color() for line in played.lines]


def test_rows_show_scores_with_intervals():
    (rows,) = row_chart("title", "subtitle", ROWS, "score", (0, 1)).axes
    ends = [bar.get_segments()[0] for bar in rows.collections]
    assert [(x0, y0, x1, y1) for (x0, y0), (x1, y1) in ends] == [
        pytest.approx((row.low, y, row.high, y)) for y, row in enumerate(ROWS)
    ]
    assert [text.get_text() for text in rows.get_yticklabels()] == [SPEC, "random"]
    assert [text.get_text() for text in rows.texts] == ["0.900", "1.000"]
    marks = [line.get_xydata().tolist() for line in rows.lines]
    assert [[0.5, -0.5], [0.5, 0.5]] in marks
    assert [[0.4, 0.5], [0.4, 1.5]] in marks
    assert [[0.9, 0.0]] in marks
    assert rows.yaxis_inverted()  # the first row is on top


@pytest.mark.parametrize(
    ("low", "high", "begins"), [(90.0, 150.0, None), (1500.0, np.inf, 1500.0), (-np.inf, -200.0, -200.0)]
)
def test_the_row_of_the_agent_stands_out_and_a_missing_end_is_an_arrow(low, high, begins):
    rungs = [Row(f"rung {n}", 100.0 * n, 100.0 * n - 30, 100.0 * n + 40, f"{100 * n}") for n in range(15)]
    agent = Row(SPEC, 120.0, low, high, "120", own=True)
    axes = row_chart("title", "subtitle", [agent, *rungs], "Elo").axes[0]
    weights = [text.get_weight() for text in axes.get_yticklabels()]
    assert weights[0] == "bold"
    assert set(weights[1:]) == {"normal"}
    arrows = [text for text in axes.texts if text.arrow_patch is not None]
    assert [arrow.xyann[0] for arrow in arrows] == ([] if begins is None else [begins])
    for arrow in arrows:
        assert arrow.xy[0] == axes.get_xlim()[high > 0]


def test_names_are_shown_as_they_are():
    names = ["_hidden", "$x^2$ and $y", "a" * 300 + "b"]
    chart = learning_chart("$a$", "b", dict.fromkeys(names, CURVE))
    texts = [text.get_text() for text in chart.legends[0].get_texts()]
    assert texts[0].strip() == "_hidden"
    assert texts[1] == "$x^2$ and $y"
    assert texts[2].startswith("aaa")
    assert texts[2].endswith("...aaaaaaaaaaab")
    assert png(chart)


def test_a_heat_map_shows_the_scores():
    members, scores = ("a", "b", "c"), [[0.5, 0.25, np.nan], [0.75, 0.5, 0.575], [np.nan, 0.425, 0.5]]
    figure = matrix_chart("title", "subtitle", members, scores)
    axes = figure.axes[0]
    scores, unmet = (image.get_array() for image in axes.images)
    assert scores.filled(-1).tolist() == [[-1, 0.25, -1], [0.75, -1, 0.575], [-1, 0.425, -1]]  # no one plays itself
    assert unmet.filled(-1).tolist() == [[-1, -1, 1], [-1, -1, -1], [1, -1, -1]]
    cells = {(text.get_position()[1], text.get_position()[0]): text.get_text() for text in axes.texts}
    assert cells == {(0, 1): ".25", (1, 0): ".75", (1, 2): ".58", (2, 1): ".42"}  # they add up to 1
    assert "have not met" in figure.axes[1].get_xlabel()
    assert "have not met" not in matrix_chart("", "", "ab", [[0.5, 1.0], [0.0, 0.5]]).axes[1].get_xlabel()
