"""``othello-env train``: an n-tuple network learns Othello by playing against itself.

At the terminal, a line shows the progress. Ctrl-C ends the training and keeps what was learned.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from othello_env.arena.match import play_match
from othello_env.arena.number import score_text
from othello_env.cli import _options as options
from othello_env.support.extras import import_extra
from othello_env.support.files import check_output, in_one_process

if TYPE_CHECKING:
    from othello_agents.ntuple import Trainer

__all__ = ["GAMES", "YARDSTICK", "Curve", "command", "train"]

_PORTION = 0.5
"""Seconds of training between two times that the progress is shown."""
_PRECISE_BELOW = 10.0
"""A time below this number of seconds is printed with one decimal, any other time without decimals."""

YARDSTICK = "alphabeta:depth=2,eval=weighted"
"""The opponent against which the learner is measured from time to time."""

Curve = list[tuple[float, float]]
"""The points of a learning curve: (seconds of training, score against `YARDSTICK`)."""

GAMES = 100
"""The number of games in which the learner is measured."""


@click.command("train")
@click.option(
    "--seconds",
    type=options.FloatRange(0, options.MOST_SECONDS, above=True),
    help="Seconds of training in this run; measurements do not count. With --resume, seconds of earlier runs do not "
    "count.  [default: 60 without --games]",
)
@click.option(
    "--games",
    type=click.IntRange(1, options.MOST_GAMES),
    help="Games of self-play in this run. Several runs with --resume give the same network as one run with all these "
    "games.",
)
@click.option("--out", type=options.FILE, required=True, help="The .npz file for the agent.")
@click.option("--resume", is_flag=True, help="Continue with the network in --out, and with its size and seed.")
@click.option("--tensorboard", type=options.FOLDER, help="A folder for TensorBoard's events; needs the extra torch.")
@options.size_option
@options.seed_option(
    "The same seed and --games repeat the run. A run that --seconds ends may play a different number of games."
)
@click.pass_context
def command(
    context: click.Context,
    seconds: float | None,
    games: int | None,
    out: Path,
    resume: bool,
    tensorboard: Path | None,
    size: int,
    seed: int,
) -> None:
    """Train an agent by self-play and write it to a file. Other commands take the file's path as an agent.

    The file is also written from time to time during the training. Ctrl-C ends the training and keeps what was learned.
    Later, --resume continues the training.
    """
    from othello_agents.ntuple import NTupleNetwork, Trainer

    if out.suffix != ".npz":
        raise click.BadParameter(f"{out} does not end in .npz, as it must.", param_hint="--out")
    if out.exists() and not resume:
        raise click.BadParameter(f"{out} exists; --resume continues it.", param_hint="--out")
    check_output(out)
    context.with_resource(in_one_process(out.with_name(f"{out.name}.lock"), OSError(f"another process trains {out}")))
    writer = None
    if tensorboard is not None:
        import_extra("tensorboard", "torch")  # PyTorch imports it, too, but does not name the extra
        writer = import_extra("torch.utils.tensorboard", "torch").SummaryWriter(tensorboard)
    if seconds is None and games is None:
        seconds = 60.0
    if resume:
        network = NTupleNetwork.load(out)
        Trainer.check_errors(network)
        trainer = Trainer.resume(network)
        _check_same(context, "--size", ("game", "size"), size, trainer.network.size)
        _check_same(context, "--seed", ("seed",), seed, trainer.seed)
    else:
        trainer = Trainer(size, seed)
    curve, interrupted = train(
        trainer, seconds=seconds, games=games, keep=lambda: trainer.network.save(out), every=30, writer=writer
    )
    if writer is not None:
        writer.close()
    score = f", {score_text(curve[-1][1])} against {YARDSTICK}" if curve else ""
    decimals = 1 if trainer.seconds < _PRECISE_BELOW else 0
    options.say(f"{out}: {trainer.games:,} games of self-play in {trainer.seconds:.{decimals}f} s{score}")
    if interrupted:
        raise KeyboardInterrupt


def _check_same(
    context: click.Context, option: str, names: tuple[str, ...], given: int | None, trained: int | None
) -> None:
    """Check that the value of an option is the one with which the network was trained, if the user gave the option.

    `names` are the names of the command's parameters that give the value.
    """
    is_given = ParameterSource.COMMANDLINE in map(context.get_parameter_source, names)
    if is_given and given != trained:
        raise click.BadParameter(f"the network in --out was trained with {trained}, not {given}.", param_hint=option)


def train(
    trainer: Trainer,
    *,
    seconds: float | None,
    games: int | None,
    keep: Callable[[], None],
    every: float,
    writer: Any = None,
) -> tuple[Curve, bool]:
    """Train until a number of seconds or a number of games is reached, whichever comes first.

    Args:
        trainer: the trainer, which may have trained before.
        seconds: the seconds of training from now on; None for no limit.
        games: the number of self-play games from now on; None for no limit.
        keep: a function that saves what was learned. This function is called after each point of the curve, and
            after Ctrl-C.
        every: the seconds of training between two points of the curve.
        writer: a `torch.utils.tensorboard.SummaryWriter` that gets the points of the curve; None for none.

    Returns:
        The curve, and whether Ctrl-C ended the training.
    """
    trainer.network.training["command"] = " ".join(["othello-env", *sys.argv[1:]])
    first_games, first_seconds = trainer.games, trainer.seconds
    curve: Curve = []
    measuring = False

    def measure() -> None:
        """Add the score to the curve, and store it in the network, so that it is saved with the network."""
        nonlocal measuring
        measuring = True
        score = _score(trainer)
        trainer.network.training["scores"] = {"games": trainer.games, YARDSTICK: score}
        curve.append((trainer.seconds, score))
        if writer is not None:
            writer.add_scalar(f"scores/{YARDSTICK}", score, trainer.games)
        measuring = False
        keep()

    interrupted = False
    try:
        measure()
        while True:
            played, spent = trainer.games - first_games, trainer.seconds - first_seconds
            done = played == games or (seconds is not None and spent >= seconds)
            if trainer.seconds >= curve[-1][0] + every or (done and trainer.seconds > curve[-1][0]):
                measure()
            if done:
                break
            _show(trainer, played, spent, curve[-1][1])
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
    if sys.stderr.isatty():
        click.echo(err=True)
    return curve, interrupted


def _show(trainer: Trainer, played: int, seconds: float, score: float) -> None:
    """Show the time of this run, the number of games and the last score against `YARDSTICK`, with its games."""
    clock = time.strftime("%M:%S" if seconds < 3600 else "%H:%M:%S", time.gmtime(seconds))
    measured = trainer.network.training["scores"]["games"]
    options.show(
        clock,
        f"{trainer.games:,} games",
        f"score {score_text(score)} at {measured:,} games",
        f"{played / max(seconds, 1e-9):,.0f} games/s",
    )


def _score(trainer: Trainer) -> float:
    from othello_agents.ntuple import NTupleAgent

    size = trainer.network.size
    plies = "random:10" if size > 4 else "random:3"
    agent = NTupleAgent(trainer.network)
    return play_match(agent, YARDSTICK, games=GAMES, openings=plies, game=f"othello:size={size}").score
