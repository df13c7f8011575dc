"""``othello-env train``: an n-tuple network learns Othello by playing against itself."""

from pathlib import Path

import click

from othello_env.cli import _options as options
from othello_env.cli._training import YARDSTICK, train

__all__ = ["command"]


@click.command("train")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Of training.  [default: 60 without --games]")
@click.option("--games", type=click.IntRange(1), help="Of self-play; the same number and seed repeat the weights.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Where to write: a .npz file."
)
@click.option("--resume", is_flag=True, help="Go on with the network in --out.")
@options.size_option
@options.seed_option
def command(seconds: float | None, games: int | None, out: Path, resume: bool, size: int, seed: int) -> None:
    """Train an agent by self-play and write it to a file, which is an agent by its path.

    The file is written now and then while it learns. An interrupt keeps what was learned; --resume goes on from there.
    """
    from othello_agents.ntuple import NTupleNetwork, Trainer

    if out.suffix != ".npz":
        raise click.BadParameter(f"{out} does not end in .npz, by which it is found as an agent.", param_hint="--out")
    if out.exists() and not resume:
        raise click.BadParameter(f"{out} exists; --resume goes on with it.", param_hint="--out")
    if seconds is None and games is None:
        seconds = 60.0
    trainer = Trainer(size, seed, network=NTupleNetwork.load(out) if resume else None)
    curve, interrupted = train(trainer, seconds=seconds, games=games, keep=lambda: trainer.network.save(out), every=30)
    score = f", {curve[-1][1]:.2f} against {YARDSTICK}" if curve else ""
    click.echo(f"{out}: {trainer.games:,} games of self-play in {trainer.seconds:.0f} s{score}")
    if interrupted:
        raise KeyboardInterrupt
