"""The loop around a `Trainer`: it trains in short portions, measures a curve, and keeps what was learned."""

import math
from collections.abc import Callable
from typing import NamedTuple

from othello_agents.ntuple.trainer import Trainer

__all__ = ["Goal", "train_until"]

_PORTION = 0.5  # seconds


class Goal(NamedTuple):
    """A number of games and a number of seconds of training; a trainer reaches the goal with the first of the two.

    Both count from the beginning of the training, also where it was resumed.
    """

    games: float = math.inf
    seconds: float = math.inf

    def is_reached(self, trainer: Trainer) -> bool:
        """Whether a trainer has come so far."""
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
    """Train until a goal is reached, and measure at the points of a curve and at the end.

    Args:
        end: where the training ends.
        trainer: what learns; it may have learned before.
        next_point: returns where the next point of the curve lies.
        measure: adds a point to the curve; then `next_point` returns another goal.
        keep: saves what was learned, after each point and after an interrupt.
        show: shows how far the training is, before each portion of half a second.
        measured: the games at the last point of the curve, where the end need not be measured again.
        keep_every: seconds of training after which to `keep` between two points.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; what was learned has been kept.
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
