"""Self-play training at the terminal, with a line that shows the progress, and a learning curve.

Ctrl-C ends the training and keeps what was learned.
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from othello_env.arena.match import play_match
from othello_env.cli import _options as options
from othello_env.games.othello.position import Othello

if TYPE_CHECKING:
    from othello_agents.ntuple import Trainer
    from othello_agents.ntuple.loop import Goal

__all__ = ["GAMES", "YARDSTICK", "Curve", "train"]

YARDSTICK = "alphabeta:depth=2,eval=weighted"
"""The opponent against which the learner is measured from time to time."""

Curve = list[tuple[float, float]]
"""The points of a learning curve: (seconds of training, score against `YARDSTICK`)."""

GAMES = 100
"""The number of games in which the learner is measured."""


def train(
    trainer: Trainer,
    *,
    seconds: float | None,
    games: int | None,
    keep: Callable[[], None],
    every: float,
) -> tuple[Curve, bool]:
    """Train until a number of seconds or a number of games is reached, whichever comes first.

    Args:
        trainer: the trainer, which may have trained before.
        seconds: the seconds of training from now on; None for no limit.
        games: the number of self-play games from now on; None for no limit.
        keep: a function that saves what was learned. This function is called after each point of the curve, and
            after Ctrl-C.
        every: the seconds of training between two points of the curve.

    Returns:
        The curve, and whether Ctrl-C ended the training.
    """
    from othello_agents.ntuple.loop import Goal, train_until

    trainer.network.training["command"] = " ".join(["othello-env", *sys.argv[1:]])
    watch = _Watch(trainer, every)
    end = Goal(
        games=math.inf if games is None else trainer.games + games,
        seconds=math.inf if seconds is None else trainer.seconds + seconds,
    )
    interrupted = False
    try:
        train_until(end, trainer, next_point=watch.next_point, measure=watch.measure, keep=keep, show=watch.show)
    except KeyboardInterrupt:
        interrupted = True
        if watch.curve and trainer.seconds > watch.curve[-1][0] and not watch.is_measuring:
            with contextlib.suppress(KeyboardInterrupt):
                watch.measure()
                keep()
    if sys.stderr.isatty():
        click.echo(err=True)
    return watch.curve, interrupted


class _Watch:
    """Measures the learning curve during a training, and shows the training's progress on a line of the terminal."""

    def __init__(self, trainer: Trainer, every: float) -> None:
        self.curve: Curve = []
        self.is_measuring = False
        self._trainer, self._every = trainer, every
        self._first_games, self._first_seconds = trainer.games, trainer.seconds

    def next_point(self) -> Goal:
        """The time of training at which the next point of the curve is measured, as a `Goal`.

        The first point is measured at once. Each later point is measured `every` seconds after the point before it.
        """
        from othello_agents.ntuple.loop import Goal

        return Goal(seconds=self.curve[-1][0] + self._every if self.curve else self._first_seconds)

    def measure(self) -> None:
        """Measure the score, add it to the curve, and store it in the network, so that it is saved with the network."""
        self.is_measuring = True
        score = _score(self._trainer)
        self._trainer.network.training["scores"] = {"games": self._trainer.games, YARDSTICK: score}
        self.curve.append((self._trainer.seconds, score))
        self.is_measuring = False

    def show(self) -> None:
        """Show the time of training, the number of games and the last score."""
        seconds = self._trainer.seconds - self._first_seconds
        rate = (self._trainer.games - self._first_games) / max(seconds, 1e-9)
        clock = time.strftime("%M:%S" if seconds < 3600 else "%H:%M:%S", time.gmtime(seconds))
        score = f"{self.curve[-1][1]:.2f} against {YARDSTICK}" if self.curve else ""
        options.show(f"{clock}  {self._trainer.games:,} games  {rate:,.0f} games/s  {score}")


def _score(trainer: Trainer) -> float:
    from othello_agents.ntuple import NTupleAgent

    size = trainer.network.size
    plies = "random:10" if size > 4 else "random:3"
    agent = NTupleAgent(trainer.network)
    return play_match(agent, YARDSTICK, games=GAMES, openings=plies, new_game=lambda _: Othello(size)).score
