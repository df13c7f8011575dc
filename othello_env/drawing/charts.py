"""Charts of results: scores, ratings, learning curves and payoffs.

Each function returns a matplotlib `Figure`, and `png` makes a file of it. Every chart is 7.5 inches wide, which is 720
pixels on a page, and its text has 10 points or more. The same data give the same file, whatever the user's settings of
matplotlib are. Dots replace a part of a label that is too long. Matplotlib is imported when a chart is drawn.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from othello_env.games.game import check_text
from othello_env.support.files import write_file
from othello_env.support.numbers import is_ordered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "CurvePoint",
    "Row",
    "boards_chart",
    "learning_chart",
    "learning_curve",
    "matrix_chart",
    "png",
    "row_chart",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")

_WIDTH, _DPI = 7.5, 144  # inches, and pixels per inch in a file
_INK, _FAINT, _UNKNOWN = "#20262b", "#5d6770", "#c9ced3"
_BLUE, _ORANGE = "#0072b2", "#d55e00"
# Colours that colour-blind people can tell apart (Okabe and Ito, 2008). The markers differ, too.
_COLOURS = (_BLUE, _ORANGE, "#009e73", "#cc79a7", _INK, "#56b4e9", "#b58900", "#7a3e00")
_MARKERS = "os^DvPX*"
_STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": _FAINT,
    "axes.grid": True,
    "axes.labelcolor": _FAINT,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 10,
    "grid.color": "#dde2e6",
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "text.color": _INK,
    "text.parse_math": False,  # a name with dollar signs is a name
    "xtick.color": _FAINT,
    "ytick.color": _FAINT,
}


def _styled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Run a function with the style of our charts. Afterwards matplotlib has the user's settings again."""

    @wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        from matplotlib import style

        with style.context(["default", _STYLE]):
            return function(*args, **kwargs)

    return run


@_styled
def png(figure: Figure) -> bytes:
    """A chart as the contents of a PNG file."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DPI, metadata={"Software": None})
    return out.getvalue()


@dataclass(frozen=True)
class CurvePoint:
    """A learner's score after some training.

    Attributes:
        played: the number of games or plies of training.
        seconds: the duration of the training.
        score: the score, 0 to 1.
        low: the lower end of the score's interval; None if it is unknown.
        high: the upper end of the score's interval; None if it is unknown.
    """

    played: float
    seconds: float
    score: float
    low: float | None = None
    high: float | None = None


@_styled
def learning_chart(
    title: str,
    subtitle: str,
    curves: Mapping[str, Sequence[CurvePoint]],
    unit: str = "games",
    score: str = "score",
) -> Figure:
    """Two plots of scores during training: one over games or plies, and one over seconds. Bands show the intervals.

    The axis of the first plot is logarithmic. Such an axis has no zero. So the first plot leaves out points before any
    training (0 games or plies), unless the curve has no other point.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the numbers were measured.
        curves: a mapping from labels to curves. There are at most eight curves, and each curve has at least one point.
        unit: what `CurvePoint.played` counts, such as games.
        score: the text of the vertical axis, which says what the scores are.

    Raises:
        ValueError: there are more than eight curves.
    """
    looks = _looks([*curves])
    figure = _figure(title, subtitle, 3.4, looks)
    trained_axes, seconds_axes = figure.subplots(1, 2, sharey=True)
    trained_axes.set_ylabel(score)
    for curve, look in zip(curves.values(), looks.values(), strict=True):
        trained = [point for point in curve if point.played] or curve
        _draw_curve(trained_axes, [max(point.played, 1) for point in trained], trained, look)
        _draw_curve(seconds_axes, [point.seconds for point in curve], curve, look)
    _log_axis(trained_axes, f"{unit} of training (log scale)")
    _seconds_axis(seconds_axes)
    return figure


def learning_curve(path: str | Path, title: str, curve: Sequence[Mapping[str, Any]], unit: str = "plies") -> None:
    """Draw the scores of a training, with their 95% intervals, to a ``.png`` file.

    Args:
        path: the file. An existing file is replaced.
        title: the title.
        curve: at least one point. A point is a dict with ``scores`` and ``intervals`` by opponent, as
            `othello_env.arena.measure_progress` returns them, and the numbers ``seconds`` and `unit`.
        unit: what the training counts, such as ``plies`` or ``games``.

    Raises:
        OSError: the file cannot be written.
    """
    if not is_ordered(curve) or not all({"scores", "intervals", "seconds", unit} <= set(point) for point in curve):
        raise ValueError(f"expected points, each with scores, intervals, seconds and {unit}, got {curve!r:.80}")
    if not curve:
        raise ValueError("expected at least one point")
    curves = {
        opponent: [
            CurvePoint(point[unit], point["seconds"], point["scores"][opponent], *point["intervals"][opponent])
            for point in curve
        ]
        for opponent in curve[0]["scores"]
    }
    write_file(path, png(learning_chart(title, "score against each opponent, with its 95% interval", curves, unit)))


@dataclass(frozen=True)
class Row:
    """A score or a rating with its interval.

    Attributes:
        label: the text to the left of the row.
        value: the number that is marked.
        low: the lower end of the interval. If it is minus infinity, an arrow to the left begins at `high`.
        high: the upper end of the interval. If it is infinity, an arrow to the right begins at `low`.
        text: the text to the right of the row.
        compare: a number for comparison, which is drawn as a grey line; None for no line.
        own: True for the agent that was measured. Its row is highlighted.
    """

    label: str
    value: float
    low: float
    high: float
    text: str
    compare: float | None = None
    own: bool = False


@_styled
def row_chart(
    title: str,
    subtitle: str,
    rows: Sequence[Row],
    axis: str,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """A picture of scores or ratings, one in each row.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the numbers were measured.
        rows: the rows, from top to bottom.
        axis: the text below the rows, which says what the numbers are.
        limits: the numbers at the left and right side; by default they follow from the rows.
    """
    figure = _figure(title, subtitle, 0.65 + (0.33 if len(rows) < 8 else 0.27) * len(rows))
    top: Any = figure.subplots()
    if limits is None:
        ends = [end for row in rows for end in (row.low, row.high) if math.isfinite(end)]
        margin = max(0.06 * (max(ends) - min(ends)), 20)
        limits = (min(ends) - margin, max(ends) + margin)
    top.set(xlim=limits, xlabel=axis)
    for y, row in enumerate(rows):
        look = {"color": _ORANGE if row.own else _BLUE}
        if row.compare is not None:
            top.plot([row.compare, row.compare], [y - 0.5, y + 0.5], color="#9aa3ab", lw=1.5)
        if math.isfinite(row.low) and math.isfinite(row.high):
            errors = _errors(row.value, row.low, row.high)
            top.errorbar(row.value, y, None, errors, fmt="D" if row.own else "o", ms=6, capsize=4, **look)
        else:
            end, side = (row.low, limits[1]) if math.isfinite(row.low) else (row.high, limits[0])
            arrow = {"arrowstyle": "->", "lw": 2, "shrinkA": 0, "shrinkB": 0}
            top.annotate("", (side, y), (end, y), arrowprops=arrow | look)
            top.plot(end, y, "|", ms=10, mew=2, **look)
    top.set_yticks(range(len(rows)), [_short(row.label, 37) for row in rows], color=_INK)
    top.set_ylim(len(rows) - 0.5, -0.5)  # the first row is on top
    top.tick_params(axis="y", length=0)
    top.grid(False, axis="y")
    top.spines["left"].set_visible(False)
    across = top.get_yaxis_transform()
    for y, (row, label) in enumerate(zip(rows, top.get_yticklabels(), strict=True)):
        right = top.annotate(row.text, (1, y), (6, 0), across, "offset points", va="center_baseline")
        if row.own:
            label.set(color=_ORANGE, weight="bold")
            right.set(color=_ORANGE, weight="bold")
    return figure


@_styled
def matrix_chart(title: str, subtitle: str, names: Sequence[str], scores: Sequence[Sequence[float]]) -> Figure:
    """A heat map of scores. The colour of a cell shows the score of the row's member against the column's member.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the numbers were measured.
        names: the names of the M members. M is at least 1.
        scores: M rows of M numbers from 0 to 1. A number is the score of the row's member against the column's member.
            A score is NaN if the two members have not met. The diagonal is not drawn.
    """
    from matplotlib.colors import LinearSegmentedColormap, ListedColormap

    m = len(names)
    cell = min(0.5, 5.2 / m)  # the side of a cell in inches
    figure = _figure(title, subtitle, m * cell + 1.05)
    axes = figure.subplots()
    values = np.array(scores, float)
    np.fill_diagonal(values, np.nan)
    unmet = np.isnan(values) & ~np.eye(m, dtype=bool)
    colours = LinearSegmentedColormap.from_list("scores", [_ORANGE, "#f7f7f4", _BLUE])
    image = axes.imshow(np.ma.masked_invalid(values), colours, vmin=0, vmax=1)
    axes.imshow(np.ma.masked_equal(unmet.astype(int), 0), ListedColormap([_UNKNOWN]))
    for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True) if cell > 0.23 else ():  # three characters fit
        # halves are rounded away from .5, so that the scores of two members add up to 1
        text = "1.0" if values[i, j] > 0.995 else f"{values[i, j] + 1e-9 * np.sign(values[i, j] - 0.5):.2f}"[-3:]
        axes.text(j, i, text, ha="center", va="center", color="white" if abs(values[i, j] - 0.5) > 0.3 else _INK)
    most = int((7.15 - m * cell) / 0.083)  # the characters that fit to the left of the cells
    rows = range(0, m, math.ceil(0.19 / cell))  # if rows are lower than text, only some are labelled
    axes.set_yticks(rows, [f"{i + 1}  {_short(names[i], most)}" for i in rows])
    columns = range(0, m, math.ceil((0.22 if m < 100 else 0.32) / cell))
    axes.set_xticks(columns, [str(i + 1) for i in columns])
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    label = "score of the row's member" + ("; grey: have not met" if unmet.any() else "")
    figure.colorbar(image, location="bottom", label=label, shrink=0.6, aspect=30, panchor=(0, 0.5))
    return figure


@_styled
def boards_chart(title: str, subtitle: str, rows: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Rows of boards whose squares have shares as colours, such as how often a probe reads each square rightly.

    Args:
        title: the text at the top.
        subtitle: a smaller text, which says how the numbers were measured.
        rows: for the label of each row, the boards by their labels, each (S, S) numbers from 0 to 1. All rows have
            equally many boards.
    """
    across = max(map(len, rows.values()))
    side = min(1.9, (_WIDTH - 1.2) / across)
    figure = _figure(title, subtitle, len(rows) * (side + 0.4))
    panels = figure.subplots(len(rows), across, squeeze=False)
    for line, (name, boards) in zip(panels, rows.items(), strict=True):
        line[0].set_ylabel(name)
        for axes, (label, shares) in zip(line, boards.items(), strict=True):
            axes.imshow(np.asarray(shares, float), "viridis", vmin=0, vmax=1)
            axes.set_title(label, size=10)
            axes.set(xticks=[], yticks=[])
            axes.grid(False)
    figure.colorbar(panels[0, 0].images[0], ax=panels, label="share of right answers", aspect=30)
    return figure


def _looks(labels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The colour and the marker of each curve."""
    if len(labels) > len(_COLOURS):
        raise ValueError(f"a chart has at most {len(_COLOURS)} curves, not {len(labels)}")
    return {label: {"color": _COLOURS[k], "marker": _MARKERS[k]} for k, label in enumerate(labels)}


def _figure(
    title: str, subtitle: str, height: float, looks: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> Figure:
    """A figure with its title, its subtitle and a legend. The plots get the lower `height` inches."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D

    heads = textwrap.wrap(check_text(title, "a title"), 80, max_lines=2, placeholder="...")
    texts = textwrap.wrap(subtitle, 97, max_lines=3, placeholder="...")
    columns = 2 if all(len(label) <= 36 for label in looks) else 1
    parts = [0.12, 0.25 * len(heads), 0.2 * len(texts), 0.06 + 0.21 * math.ceil(len(looks) / columns)]
    whole = height + sum(parts)
    figure = Figure((_WIDTH, whole))
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=(0, 0, 1, height / whole), w_pad=0.1, h_pad=0.06))
    left = 0.1 / _WIDTH
    figure.text(left, 1 - parts[0] / whole, "\n".join(heads), size=12.5, va="top")
    figure.text(left, 1 - sum(parts[:2]) / whole, "\n".join(texts), color=_FAINT, va="top")
    if looks:
        labels = [_short(label, 36 if columns == 2 else 76) for label in looks]
        labels = [f" {label}" if label.startswith("_") else label for label in labels]  # matplotlib hides such a label
        keys = [Line2D([], [], **look) for look in looks.values()]
        space = {"borderaxespad": 0.0, "borderpad": 0.2, "labelspacing": 0.25}
        anchor = (left, height / whole)
        figure.legend(keys, labels, ncols=columns, loc="lower left", bbox_to_anchor=anchor, **space)
    return figure


def _draw_curve(axes: Axes, x: Sequence[float], points: Sequence[CurvePoint], look: Mapping[str, Any]) -> None:
    """Draw a curve of scores with its intervals."""
    size = 4.5 if len(points) < 20 else 3
    axes.plot(x, [point.score for point in points], clip_on=False, zorder=3, ms=size, **look)
    known = [(at, p.score, p.low, p.high) for at, p in zip(x, points, strict=True) if None not in (p.low, p.high)]
    if len(known) == 1:
        axes.errorbar(known[0][0], known[0][1], _errors(*known[0][1:]), fmt="none", capsize=3, color=look["color"])
    elif known:
        at, _, low, high = zip(*known, strict=True)
        axes.fill_between(at, low, high, alpha=0.18, lw=0, color=look["color"])
    axes.set(ylim=(-0.02, 1.02), yticks=[0, 0.2, 0.4, 0.6, 0.8, 1])


def _seconds_axis(axes: Axes) -> None:
    axes.set(xlim=(0, 1.03 * max(axes.dataLim.x1, 1e-9)), xlabel="seconds of training")
    axes.xaxis.set_major_formatter("{x:,g}")


def _log_axis(axes: Axes, label: str) -> None:
    """Make the horizontal axis logarithmic, with 1, 2, 5, 10, ... or, if it is long, with powers of ten."""
    from matplotlib.ticker import LogLocator, NullLocator

    low, high = axes.dataLim.intervalx
    axes.set(xscale="log", xlabel=label)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 200 * low else (1,)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(_number)


def _errors(value: float, low: Any, high: Any) -> np.ndarray:
    """The distances of an interval's two ends from a value, (2, 1)."""
    return np.array([[max(value - low, 0)], [max(high - value, 0)]])


def _number(number: float, _: Any = None) -> str:
    """A number in few characters: ``2G``, ``1.2M``, ``350k``, ``64``."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= 0.9995 * size:  # a number a little below `size` is rounded to `size`
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


def _short(text: str, most: int) -> str:
    """The text. If it has more than `most` characters, dots replace characters near its end.

    >>> _short("alphabeta:depth=2,eval=weighted", 24)
    'alphabeta:depth=2,...ted'
    """
    tail = (most - 3) // 6
    return text if len(text) <= most else f"{text[: most - 3 - tail]}...{text[-tail:]}"
