"""``othello-env train``: an n-tuple network learns Othello by playing against itself or an opponent."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from othello_env.arena.match import play_match
from othello_env.arena.number import score_text
from othello_env.cli import _options as options
from othello_env.support.extras import import_extra
from othello_env.support.files import check_output, in_one_process

if TYPE_CHECKING:
    from othello_agents.training import Trainer

__all__ = [
    "GAMES",
    "SEARCHED_YARDSTICK",
    "YARDSTICK",
    "command",
    "score",
    "show",
]

_PRECISE_BELOW = 10.0
"""A time below this number of seconds is printed with one decimal, any other time without decimals."""

YARDSTICK = "alphabeta:depth=2,eval=weighted"
"""The opponent against which the learner is measured from time to time."""
SEARCHED_YARDSTICK = "engine:depth=4"
"""The same once the games of the training are searched."""

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
    help="Games in this run. Several runs with --resume give the same network as one run with all these games. Against "
    "an opponent, the games are played in rounds of 128.",
)
@click.option("--out", type=options.FILE, required=True, help="The .npz file for the agent.")
@click.option(
    "--opponent", metavar="SPEC", help="Learn to beat this agent. Without this option, the network plays itself."
)
@click.option(
    "--depth",
    type=click.IntRange(1, 60),
    help="How many plies each side looks ahead in self-play, after 400,000 games at one ply. With 1, it is always one "
    "ply, which is best for an agent that plays without a search.  [default: 4]",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Continue with the network in --out, with its size and seed, and if no others are given with its opponent and "
    "depth.",
)
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
    opponent: str | None,
    depth: int | None,
    resume: bool,
    tensorboard: Path | None,
    size: int,
    seed: int,
) -> None:
    """Train an agent by self-play and write it to a file. Other commands take the file's path as an agent.

    After about half a minute of games at one ply, both sides search. FILE.npz:depth=8 then plays best: one ply ahead,
    as FILE.npz, the agent becomes somewhat weaker.

    The file is also written from time to time during the training. Ctrl-C ends the training and keeps what was learned.
    Later, --resume continues the training.
    """
    from othello_agents.ntuple import NTupleNetwork
    from othello_agents.training import DEPTH, Trainer, train

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
        trainer = Trainer.resume(network, opponent=opponent, depth=depth)
        _check_same(context, "--size", ("game", "size"), size, trainer.network.size)
        _check_same(context, "--seed", ("seed",), seed, trainer.seed)
    else:
        trainer = Trainer(size, seed, opponent=opponent, depth=depth or DEPTH)
    curve, interrupted = train(
        trainer,
        seconds=seconds,
        games=games,
        keep=lambda: trainer.network.save(out),
        every=30,
        score=score,
        show=show,
        writer=writer,
    )
    options.show()
    if writer is not None:
        writer.close()
    scores = trainer.network.training["scores"] if curve else {}
    found = [f", {score_text(score)} against {name}" for name, score in scores.items() if name != "games"]
    decimals = 1 if trainer.seconds < _PRECISE_BELOW else 0
    options.say(f"{out}: {trainer.games:,} games in {trainer.seconds:.{decimals}f} s{''.join(found)}")
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


def score(trainer: Trainer) -> tuple[str, float]:
    """An opponent's spec, and the score of what the trainer has learned against it.

    The opponent is the one that the network learns to beat. In self-play, it is `YARDSTICK`, or `SEARCHED_YARDSTICK`
    once the games are searched.
    """
    size = trainer.network.size
    yardstick = trainer.opponent or (SEARCHED_YARDSTICK if trainer.is_searched else YARDSTICK)
    plies = "random:10" if size > 4 else "random:3"
    match = play_match(trainer.agent(), yardstick, games=GAMES, openings=plies, game=f"othello:size={size}")
    return yardstick, match.score


def show(trainer: Trainer, seconds: float, games: int, found: float) -> None:
    """Show the seconds of this run, all games, the last score with its games, and the games a second."""
    clock = time.strftime("%M:%S" if seconds < 3600 else "%H:%M:%S", time.gmtime(seconds))
    measured = trainer.network.training["scores"]["games"]
    options.show(
        clock,
        f"{trainer.games:,} games",
        f"score {score_text(found)} at {measured:,} games",
        f"{games / max(seconds, 1e-9):,.0f} games/s",
    )
