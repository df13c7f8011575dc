"""``othello-env train``: an n-tuple network learns Othello by playing against itself."""

from pathlib import Path

import click
from click.core import ParameterSource

from othello_env.cli import _options as options
from othello_env.cli._training import YARDSTICK, train
from othello_env.support.files import check_output

__all__ = ["command"]

_BATCH, _LARGEST_BATCH = 32, 10_000
_PRECISE_BELOW = 10.0
"""A time below this number of seconds is printed with one decimal, any other time without decimals."""


@click.command("train")
@click.option(
    "--seconds",
    type=options.FloatRange(0, options.MOST_SECONDS, above=True),
    help="Seconds of training in this run. With --resume, seconds of earlier runs do not count.  [default: 60 without "
    "--games]",
)
@click.option(
    "--games",
    type=click.IntRange(1, options.MOST_GAMES),
    help="Games of self-play in this run. With --resume, games of earlier runs do not count. If the number of games of "
    "each run is a multiple of --batch, several runs give the same network as one run with all these games.",
)
@click.option("--out", type=options.FILE, required=True, help="The .npz file for the agent.")
@click.option("--resume", is_flag=True, help="Continue with the network in --out, and with its size, seed and batch.")
@click.option(
    "--threads",
    type=click.IntRange(1, options.MOST_THREADS),
    default=1,
    help="Number of threads, at most --batch. They share the games of a batch and the learning from it.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, _LARGEST_BATCH),
    help=f"Number of games to play before the agent learns from them.  [default: 1; with several threads "
    f"{_BATCH}, or the number of threads if that is more]",
)
@options.size_option
@options.seed_option(
    "The same seed, --games and --batch repeat the run. A run that --seconds ends may play a different number of games."
)
@click.pass_context
def command(
    context: click.Context,
    seconds: float | None,
    games: int | None,
    out: Path,
    resume: bool,
    threads: int,
    batch: int | None,
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
    if seconds is None and games is None:
        seconds = 60.0
    if resume:
        network = NTupleNetwork.load(out)
        Trainer.check_errors(network)
        trainer = Trainer.resume(network, num_threads=threads)
        _check_same(context, size=trainer.network.size, seed=trainer.seed, batch=trainer.batch)
    else:
        trainer = Trainer(size, seed, batch=batch or (1 if threads == 1 else max(_BATCH, threads)), num_threads=threads)
    curve, interrupted = train(trainer, seconds=seconds, games=games, keep=lambda: trainer.network.save(out), every=30)
    score = f", {curve[-1][1]:.2f} against {YARDSTICK}" if curve else ""
    decimals = 1 if trainer.seconds < _PRECISE_BELOW else 0
    click.echo(f"{out}: {trainer.games:,} games of self-play in {trainer.seconds:.{decimals}f} s{score}")
    if interrupted:
        raise KeyboardInterrupt


def _check_same(context: click.Context, **resumed: int) -> None:
    """Check that the user's options agree with the values with which the network was trained.

    `resumed` is a dict from the names of the options to these values.
    """
    for name, number in resumed.items():
        given = context.params[name]
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE and given != number:
            raise click.BadParameter(
                f"the network in --out was trained with {number}, not {given}.", param_hint=f"--{name}"
            )
