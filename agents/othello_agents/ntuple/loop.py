"""The loop around a `Trainer`: it trains in short portions, measures a learning curve, and saves the network."""

import math
from collections.abc import Callable
from typing import NamedTuple

from othello_agents.ntuple.trainer import Trainer

__all__ = ["Goal", "train_until"]

_PORTION = 0.5  # seconds


class Goal(NamedTuple):
    """A number of games and a number of seconds of training.

    A trainer reaches the goal as soon as it reaches one of these numbers. If the network was already trained before,
    its earlier games and seconds count, too.
    """

    games: float = math.inf
    seconds: float = math.inf

    def is_reached(self, trainer: Trainer) -> bool:
        """Whether a trainer has reached the goal."""
        return trainer.games >= self.games or trainer.seconds >= self.seconds


def train_until(
    end: Goal,
    trainer: Trainer,
    *,
    next_point: Callable[[], Goal],
    measure: Callable[[], None],
    keep: Callable[[], None],
    show: Callable[[], None],
    measured: int | None = None,
    keep_every: float = math.inf,
) -> None:
    """Train until a goal is reached, and measure points of a learning curve on the way and at the end.

    Args:
        end: the goal at which the training ends.
        trainer: the trainer. It may have learned from games before.
        next_point: returns the goal at which the next point of the curve is measured.
        measure: adds a point to the curve. After this call, `next_point` must return the goal of the following point.
        keep: saves the network. It is called after each point, after Ctrl-C, and when `keep_every` seconds have passed
            since the last call of `keep`.
        show: shows the progress. The training runs in portions of half a second, and `show` is called before each
            portion.
        measured: the number of games at the curve's last point so far; None if the curve has no point. If the training
            also ends at this number of games, no second point is measured at the end.
        keep_every: the number of seconds of training after which `keep` is called again, even if no point was measured.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed. The network has been saved.
    """
    kept = trainer.seconds
    try:
        while True:
            is_done = end.is_reached(trainer)
            is_point = next_point().is_reached(trainer) or (is_done and measured != trainer.games)
            if is_point:
                measure()
                measured = trainer.games
            if is_point or trainer.seconds >= kept + keep_every:
                keep()
                kept = trainer.seconds
            if is_done:
                return
            show()
            games = min(end.games, next_point().games) - trainer.games
            trainer.run(
                games=None if games == math.inf else int(games), seconds=min(_PORTION, end.seconds - trainer.seconds)
            )
    except KeyboardInterrupt:
        keep()
        raise
