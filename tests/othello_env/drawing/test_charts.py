"""Charts of results: the numbers in the figures, and whether a person can read them."""

import io
import subprocess
import sys
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import same_color
from matplotlib.text import Text
from PIL import Image

from othello_env.drawing.charts import (
    CurvePoint,
    Row,
    games_chart,
    learning_chart,
    matrix_chart,
    png,
    rating_chart,
    row_chart,
)

SPEC = "alphabeta:depth=2,eval=weighted"
CURVE = [CurvePoint(10**k, 10 * k, k / 10, k / 10 - 0.05, k / 10 + 0.05) for k in range(2, 8)]
ROWS = [Row(SPEC, 0.9, 0.8, 0.95, "0.900", compare=0.5), Row("random", 1.0, 0.96, 1.0, "1.000", compare=0.4)]


def learning(**changes):
    curves = {SPEC: CURVE, "random": [CurvePoint(0, 0, 0.1), CurvePoint(5_000, 30, 0.4)]}
    return learning_chart("title", "subtitle", curves, **changes)


def elo(**changes):
    rungs = [Row(f"rung {n}", 100.0 * n, 100.0 * n - 30, 100.0 * n + 40, f"{100 * n}") for n in range(15)]
    return row_chart("title", "subtitle", [Row(SPEC, **{**AGENT, **changes}), *rungs], "Elo")


AGENT = {"value": 120.0, "low": 90.0, "high": 150.0, "text": "120", "own": True}
LEAGUE = [[0.5, 0.25, np.nan], [0.75, 0.5, 1.0], [np.nan, 0.0, 0.5]]


def league(m=3):
    scores = LEAGUE if m == 3 else np.random.default_rng(1).random((m, m)).tolist()
    return matrix_chart("title", "subtitle", [SPEC, *(f"snapshot {k}" for k in range(1, m))], scores)


def test_the_scores_of_two_members_add_up_to_1_in_a_heat_map():
    figure = matrix_chart("title", "", ["a", "b"], [[np.nan, 0.575], [0.425, np.nan]])
    assert [text.get_text() for text in figure.axes[0].texts] == [".58", ".42"]


def ratings():
    points = [(k * 80_000, 20.0 * k, 20.0 * k - 50, 20.0 * k + 60) for k in range(20)]
    return rating_chart("title", "subtitle", points, {SPEC: 37.0, "random": -300.0}, "plies of training")


def games():
    margins = {margin: 65 - abs(margin) for margin in range(-64, 65)}
    openings = {f"f5 d6 c{k} d3": 20 - k for k in range(1, 15)}
    return games_chart("title", "subtitle", ("black", "white"), margins, {59: 5, 60: 80, 61: 15}, openings)


CHARTS = {
    "learning": learning,
    "scores": lambda: row_chart("title", "subtitle", ROWS, "score", (0, 1), CURVE, f"score against {SPEC} " * 3),
    "elo": elo,
    "above": lambda: elo(low=1500.0, high=np.inf, value=1500.0),
    "league": league,
    "full league": lambda: league(22),
    "long league": lambda: league(60),
    "one member": lambda: league(1),
    "ratings": ratings,
    "games": games,
    "long texts": lambda: row_chart("a title " * 50, "a subtitle " * 50, [Row("a" * 300, 1, 0, 2, "1")] * 3, "Elo"),
}


@pytest.fixture(params=CHARTS)
def chart(request):
    return CHARTS[request.param]()


def labels(axis):
    """The texts of an axis's ticks. Matplotlib also has ticks outside the visible range, which it does not draw."""
    low, high = sorted(axis.get_view_interval())
    ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [text for tick in ticks for text in (tick.label1, tick.label2) if text.get_visible() and text.get_text()]


def test_texts_have_ten_points_at_720_pixels_and_do_not_cover_each_other(chart):
    assert chart.get_figwidth() * 96 == 720  # a page has 96 pixels an inch
    FigureCanvasAgg(chart).draw()
    axes = [axis for each in chart.axes for axis in (each.xaxis, each.yaxis)]
    ticks = {text for axis in axes for tick in axis.get_major_ticks() for text in (tick.label1, tick.label2)}
    others = [text for text in set(chart.findobj(Text)) - ticks if text.get_visible() and text.get_text()]
    assert len(others) > 2
    for text in (*others, *(text for axis in axes for text in labels(axis))):
        assert text.get_fontsize() >= 10
        box = text.get_window_extent()
        assert 0 <= box.x0 < box.x1 <= chart.bbox.width + 1, text
        assert 0 <= box.y0 < box.y1 <= chart.bbox.height + 1, text
    for axis in axes:
        low, high = ("x0", "x1") if axis.axis_name == "x" else ("y0", "y1")
        boxes = sorted((text.get_window_extent() for text in labels(axis)), key=lambda box: getattr(box, low))
        assert all(getattr(box, high) <= getattr(following, low) for box, following in pairwise(boxes))


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


def test_rows_show_scores_with_intervals_and_a_curve():
    rows, curve = CHARTS["scores"]().axes
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
    assert curve.lines[0].get_ydata().tolist() == [point.score for point in CURVE]


@pytest.mark.parametrize(
    ("low", "high", "begins"), [(90.0, 150.0, None), (1500.0, np.inf, 1500.0), (-np.inf, -200.0, -200.0)]
)
def test_the_row_of_the_agent_stands_out_and_a_missing_end_is_an_arrow(low, high, begins):
    axes = elo(low=low, high=high).axes[0]
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
    axes = league().axes[0]
    scores, unmet = (image.get_array() for image in axes.images)
    assert scores.filled(-1).tolist() == [[-1, 0.25, -1], [0.75, -1, 1.0], [-1, 0.0, -1]]  # no one plays itself
    assert unmet.filled(-1).tolist() == [[-1, -1, 1], [-1, -1, -1], [1, -1, -1]]
    cells = {(text.get_position()[1], text.get_position()[0]): text.get_text() for text in axes.texts}
    assert cells == {(0, 1): ".25", (1, 0): ".75", (1, 2): "1.0", (2, 1): ".00"}
    assert "have not met" in league().axes[1].get_xlabel()
    assert "have not met" not in league(4).axes[1].get_xlabel()


def test_a_chart_of_ratings_has_intervals_and_lines():
    axes = ratings().axes[0]
    ends = [segment[:, 1].tolist() for segment in axes.collections[0].get_segments()]
    assert ends == [pytest.approx([20 * k - 50, 20 * k + 60]) for k in range(20)]
    assert axes.lines[0].get_xdata().tolist() == [80_000 * k for k in range(20)]
    levels = [line.get_ydata() for line in axes.lines if list(line.get_xdata()) == [0, 1]]
    assert levels == [[37.0, 37.0], [-300.0, -300.0]]
    with pytest.raises(ValueError, match="expected at least one rating"):
        rating_chart("a", "b", [], {}, "plies")


def bars(axes):
    return {bar.get_x() + bar.get_width() / 2: bar for bar in axes.patches}


def test_a_chart_of_games_shows_shares():
    margins, plies, openings = games().axes
    found = bars(margins)
    assert sum(bar.get_height() for bar in found.values()) == pytest.approx(1)
    assert len(found) <= 33
    assert found[0.0].get_height() == pytest.approx(65 / 65**2)  # this bar has only the draws
    assert found[4.0].get_height() == pytest.approx((64 + 63 + 62 + 61) / 65**2)
    assert found[-4.0].get_height() == pytest.approx(found[4.0].get_height())
    assert not any(same_color(found[0].get_facecolor(), found[x].get_facecolor()) for x in (-4.0, 4.0))
    assert {x: bar.get_height() for x, bar in bars(plies).items()} == pytest.approx({59: 0.05, 60: 0.8, 61: 0.15})
    assert len(openings.patches) == 12
    assert openings.get_yticklabels()[0].get_text() == "f5 d6 c1 d3"
    assert openings.patches[0].get_width() == pytest.approx(19 / sum(20 - k for k in range(1, 15)))
