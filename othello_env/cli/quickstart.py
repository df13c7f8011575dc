"""``othello-env quickstart``: from nothing to a measured agent in a minute or two."""

from pathlib import Path

import click

from othello_env.arena.benchmark import CLASSICS
from othello_env.cli import _options as options
from othello_env.cli._training import YARDSTICK, train
from othello_env.cli.benchmark import measure, picture
from othello_env.files import write_file, write_json

__all__ = ["command"]


@click.command("quickstart")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), default=60.0, help="Of training.")
@click.option("--games", type=int, default=200, callback=options.even, help="Against each opponent, even.")
@click.option("--out", type=click.Path(path_type=Path), help="A new folder.  [default: othello-quickstart]")
@options.seed_option
def command(seconds: float, games: int, out: Path | None, seed: int) -> None:
    """Train an agent from nothing by self-play, and measure it against the classic opponents."""
    from othello_agents.ntuple import Trainer

    folder = _new_folder(out)
    agent = folder / "agent.npz"
    trainer = Trainer(seed=seed)
    click.echo(f"An agent learns Othello from nothing, by playing against itself for {seconds:g} s.")
    curve, interrupted = train(
        trainer, seconds=seconds, games=None, keep=lambda: trainer.network.save(agent), every=seconds / 12
    )
    click.echo(f"It learned from {trainer.games:,} games and is kept as {agent}.")
    if interrupted:
        raise KeyboardInterrupt
    result = measure(str(agent), CLASSICS, games, "random:10", 8, seed)
    training = {
        "seconds": trainer.seconds,
        "games": trainer.games,
        "seed": seed,
        "yardstick": YARDSTICK,
        "curve": curve,
    }
    write_json(folder / "results.json", result.to_json() | {"training": training})
    write_file(folder / "results.png", picture(result, curve, f"score against {YARDSTICK}"))
    click.echo(f"""
Written: {agent}, {folder / "results.json"}, {folder / "results.png"}

Next, try
  othello-env play --black human --white {agent}
  othello-env match {agent} alphabeta:depth=6,eval=weighted --games 100
  othello-env train --seconds 600 --resume --out {agent}
  othello-env benchmark policy.py:function     (your own policy; the README shows how)""")


def _new_folder(out: Path | None) -> Path:
    """A folder that holds no earlier results."""
    if out is not None:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise click.BadParameter(f"{out} exists and is not an empty folder.", param_hint="--out")
        return out
    folder, number = Path("othello-quickstart"), 1
    while folder.exists():
        number += 1
        folder = Path(f"othello-quickstart-{number}")
    return folder
