"""Self-play training as a person watches it: a live line, a curve, and an interrupt that keeps what was learned."""

from __future__ import annotations

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

__all__ = ["YARDSTICK", "Curve", "train"]

YARDSTICK = "alphabeta:depth=2,eval=weighted"
"""Whom the learner plays now and then to show where it stands."""

Curve = list[tuple[float, float]]
"""Points (seconds of training, score against the yardstick)."""

_GAMES = 100
_SLICE = 0.5


def train(
    trainer: Trainer,
    *,
    seconds: float | None,
    games: int | None,
    keep: Callable[[], None],
    every: float,
) -> tuple[Curve, bool]:
    """Train for some seconds or games, whichever ends first.

    Args:
        trainer: what learns; it may have learned before.
        seconds: of training, None for no limit.
        games: of self-play, None for no limit.
        keep: called with each point of the curve, to save what was learned.
        every: seconds of training between two points.

    Returns:
        The curve, and whether Ctrl-C ended the training.
    """
    curve: Curve = []
    trainer.network.training["command"] = " ".join(["othello-env", *sys.argv[1:]])
    first_games, first_seconds = trainer.games, trainer.seconds
    interrupted = False
    try:
        while True:
            spent, played = trainer.seconds - first_seconds, trainer.games - first_games
            if not curve or spent >= curve[-1][0] - first_seconds + every:
                curve.append(_point(trainer))
                keep()
            if (seconds is not None and spent >= seconds) or (games is not None and played >= games):
                break
            trainer.run(
                seconds=_SLICE if seconds is None else min(_SLICE, seconds - spent),
                games=None if games is None else games - played,
            )
            _show(trainer, first_games, first_seconds, curve)
    except KeyboardInterrupt:
        interrupted = True
    keep()  # before the last score, which an interrupt can end
    try:
        if curve and trainer.seconds > curve[-1][0]:
            curve.append(_point(trainer))
            keep()
    except KeyboardInterrupt:
        interrupted = True
    if sys.stderr.isatty():
        click.echo(err=True)
    return curve, interrupted


def _point(trainer: Trainer) -> tuple[float, float]:
    """The point of the curve where the learner stands; its network's card tells the score, too."""
    score = _score(trainer)
    trainer.network.training["scores"] = {"games": trainer.games, YARDSTICK: score}
    return trainer.seconds, score


def _score(trainer: Trainer) -> float:
    from othello_agents.ntuple import NTupleAgent

    size = trainer.network.size
    plies = "random:10" if size > 4 else "random:3"
    agent = NTupleAgent(trainer.network)
    return play_match(agent, YARDSTICK, games=_GAMES, openings=plies, new_game=lambda _: Othello(size)).score


def _show(trainer: Trainer, first_games: int, first_seconds: float, curve: Curve) -> None:
    seconds = trainer.seconds - first_seconds
    rate = (trainer.games - first_games) / max(seconds, 1e-9)
    clock = time.strftime("%M:%S" if seconds < 3600 else "%H:%M:%S", time.gmtime(seconds))
    score = f"{curve[-1][1]:.2f} against {YARDSTICK}" if curve else ""
    options.show(f"{clock}  {trainer.games:,} games  {rate:,.0f} games/s  {score}")
