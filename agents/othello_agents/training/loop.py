"""The loop of a training: play, measure from time to time, show the progress, and keep what was learned."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

from othello_agents.training.trainer import Trainer

__all__ = ["Curve", "train"]

_PORTION = 0.5
"""Seconds of training between two times that the progress is shown."""

Curve = list[tuple[float, float]]
"""The points of a learning curve: (seconds of training, score)."""


def train(
    trainer: Trainer,
    *,
    seconds: float | None,
    games: int | None,
    keep: Callable[[], None],
    every: float,
    score: Callable[[Trainer], tuple[str, float]],
    show: Callable[[Trainer, float, int, float], None] = lambda *_: None,
    writer: Any = None,
) -> tuple[Curve, bool]:
    """Train until a number of seconds or a number of games is reached, whichever comes first.

    Args:
        trainer: the trainer, which may have trained before.
        seconds: the seconds of training from now on; None for no limit.
        games: the number of games from now on; None for no limit.
        keep: a function that saves what was learned. This function is called after each point of the curve, and
            after Ctrl-C.
        every: the seconds of training between two points of the curve.
        score: a function that returns an opponent's spec and the network's score against this opponent.
        show: a function that shows the progress: the trainer, the seconds and games of this run, and the last score.
        writer: a `torch.utils.tensorboard.SummaryWriter` that gets the points of the curve; None for none.

    Returns:
        The curve, and whether Ctrl-C ended the training.
    """
    command = " ".join(["othello-env", *sys.argv[1:]])
    first_games, first_seconds = trainer.games, trainer.seconds
    curve: Curve = []
    measuring = False

    def measure() -> None:
        """Add the score to the curve, and store it in the network, so that it is saved with the network."""
        nonlocal measuring
        measuring = True
        opponent, found = score(trainer)
        trainer.network.training |= {"command": command, "scores": {"games": trainer.games, opponent: found}}
        curve.append((trainer.seconds, found))
        if writer is not None:
            writer.add_scalar(f"scores/{opponent}", found, trainer.games)
        measuring = False
        keep()

    interrupted = False
    try:
        measure()
        while True:
            played, spent = trainer.games - first_games, trainer.seconds - first_seconds
            done = (games is not None and played >= games) or (seconds is not None and spent >= seconds)
            if trainer.seconds >= curve[-1][0] + every or (done and trainer.seconds > curve[-1][0]):
                measure()
            if done:
                break
            show(trainer, spent, played, curve[-1][1])
            trainer.run(
                games=None if games is None else games - played,
                seconds=_PORTION if seconds is None else min(_PORTION, seconds - spent),
            )
    except KeyboardInterrupt:
        interrupted = True
        keep()
        if curve and trainer.seconds > curve[-1][0] and not measuring:
            with contextlib.suppress(KeyboardInterrupt):
                measure()
    return curve, interrupted
