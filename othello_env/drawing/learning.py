"""The picture of a learning curve whose points `othello_env.arena.measure_progress` measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from othello_env.support.files import write_file

__all__ = ["learning_curve"]


def learning_curve(path: str | Path, title: str, curve: Sequence[Mapping[str, Any]], unit: str = "plies") -> None:
    """Draw the scores of a learning curve, with their 95% intervals, to a ``.png`` file.

    Args:
        path: the file. An existing file is replaced.
        title: the title.
        curve: at least one point. A point is a dict with ``scores`` and ``intervals`` by opponent, as
            `othello_env.arena.measure_progress` returns them, and the numbers ``seconds`` and `unit`.
        unit: what the training counts, such as ``plies`` or ``games``. It is the x axis.

    Raises:
        OSError: the file cannot be written.
    """
    from matplotlib.figure import Figure  # takes long to import

    figure, x = Figure(figsize=(7.2, 4.5), layout="constrained"), [point[unit] for point in curve]
    axes = figure.add_subplot(title=title, xlabel=unit, ylabel="score", ylim=(-0.02, 1.02))
    for opponent in curve[0]["scores"]:
        axes.plot(x, [point["scores"][opponent] for point in curve], marker=".", label=opponent)
        low, high = zip(*(point["intervals"][opponent] for point in curve), strict=True)
        axes.fill_between(x, low, high, alpha=0.2)
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)
    image = BytesIO()
    figure.savefig(image, dpi=150)
    write_file(path, image.getvalue())
