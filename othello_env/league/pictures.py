"""Pictures of a league: the payoff matrix, and the ratings of the snapshots over training."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

from PIL import Image

from othello_env.drawing.charts import matrix_chart, png, rating_chart
from othello_env.league.payoffs import Payoffs
from othello_env.support.numbers import check_type

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["payoff_chart", "payoff_picture", "rating_picture", "snapshot_chart"]


def payoff_picture(payoffs: Payoffs, title: str = "Payoffs of the league") -> Image.Image:
    """A heat map of the scores between members. The members are in the order in which they were added."""
    return _image(payoff_chart(payoffs, title))


def payoff_chart(payoffs: Payoffs, title: str = "Payoffs of the league") -> Figure:
    """The heat map of `payoff_picture` as a matplotlib figure."""
    games = int(check_type("payoffs", payoffs, Payoffs).games.sum()) // 2
    return matrix_chart(
        title, f"score of each row against each column, {games:,} games", payoffs.names, payoffs.scores.tolist()
    )


def rating_picture(
    payoffs: Payoffs, anchor: str | None = None, title: str = "Ratings of the snapshots", unit: str = "plies"
) -> Image.Image:
    """A chart of the snapshots' Elo ratings over training, with 95% intervals.

    A horizontal line shows the rating of each fixed member.

    Args:
        payoffs: the results. Games must connect all members, directly or through other members.
        anchor: the member whose rating is 0, as in `Payoffs.ratings`.
        title: the text at the top.
        unit: the unit of `Payoffs.played`, which the label of the horizontal axis names.

    Raises:
        ValueError: games do not connect all members, or there is no snapshot.
    """
    return _image(snapshot_chart(payoffs, anchor, title, unit))


def snapshot_chart(
    payoffs: Payoffs, anchor: str | None = None, title: str = "Ratings of the snapshots", unit: str = "plies"
) -> Figure:
    """The chart of `rating_picture` as a matplotlib figure."""
    ratings = check_type("payoffs", payoffs, Payoffs).ratings(anchor)
    points, lines = [], {}
    for name, played in zip(payoffs.names, payoffs.played, strict=True):
        elo, (low, high) = ratings.elo[name], ratings.interval(name)
        if played is None:
            lines[name] = elo
        else:
            points.append((played, elo, low if math.isfinite(low) else elo, high if math.isfinite(high) else elo))
    zero = next(name for name, elo in ratings.elo.items() if elo == 0)
    return rating_chart(title, f"Elo, {zero} = 0, with 95% intervals", points, lines, f"{unit} of training")


def _image(chart: Figure) -> Image.Image:
    return Image.open(io.BytesIO(png(chart))).convert("RGB")
