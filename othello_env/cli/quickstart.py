"""``othello-env quickstart``: train an agent from nothing, and measure how strong it is, in a few minutes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from othello_env.arena.benchmark.ladder import LADDERS, place
from othello_env.arena.match import MatchResult, play_match
from othello_env.arena.number import Number
from othello_env.arena.report import Found, Report, Table
from othello_env.arena.tournament.schedule import check_games
from othello_env.cli import _options as options
from othello_env.cli.match import HEAD, result_row
from othello_env.cli.train import YARDSTICK, score, show
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameSpec
from othello_env.support.files import write_json

__all__ = ["command"]

_CLASSICS = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted", "alphabeta:depth=4,eval=weighted")
"""The opponents against which the agent is measured, from the weakest to the strongest."""
_GAME, _OPENINGS = "othello", "random:10"
_DEPTH = 4
"""The depth of the search in which the trained agent is rated once more."""


@click.command("quickstart")
@click.option(
    "--seconds",
    type=options.FloatRange(0, options.MOST_SECONDS, above=True),
    default=60.0,
    help="Seconds of training; measurements do not count.",
)
@click.option(
    "--games",
    type=click.IntRange(2, options.MOST_GAMES),
    default=200,
    help="An even number of games against each opponent, and for each rating.",
)
@click.option(
    "--out",
    type=options.FOLDER,
    help="A new or empty folder for the results.  [default: othello-quickstart, or -2, -3, ... if it exists]",
)
@options.seed_option("Determines all random choices. Runs may still differ, because --seconds ends the training.")
@partial(options.game_option, text="only othello.")
def command(seconds: float, games: int, out: Path | None, seed: int, game: GameSpec) -> None:
    """Train an agent from nothing by self-play, and measure how well it plays.

    The agent plays against four classic opponents. Then it is rated on the ladder of `othello-env benchmark`, as it was
    trained (one ply ahead), and in the engine's search, which looks four plies ahead with what was learned.
    """
    if options.othello_start(game) != Othello():
        raise click.BadParameter(
            f"expected {_GAME}, got {game}; use othello-env train --game {game}", param_hint="--game"
        )
    check_games(games)
    folder = out or _unused_folder()
    agent = folder / "agent.npz"
    with options.results_folder(folder):
        _train_and_measure(agent, seconds, games, seed)
    click.echo()
    options.say(f"Written: {agent}, {folder / 'results.json'}")
    click.echo(f"""
Next, try
  # play against it, here or in the browser (needs othello-env[page])
  othello-env play --black human --white {agent}
  othello-env serve {agent} --results {folder / "results.json"}
  # more training, by games of searches, and its Elo rating in a deeper search
  othello-env train --seconds 240 --depth {_DEPTH} --resume --out {agent}
  othello-env benchmark {agent}:depth=8
  # a file that plays in any browser, to hand on
  othello-env export {agent} {agent.parent / "agent.html"}""")


def _train_and_measure(agent: Path, seconds: float, games: int, seed: int) -> None:
    from othello_agents.training import Trainer, train

    trainer = Trainer(seed=seed, depth=1)  # the agent is also rated without a search
    options.say(f"An agent learns Othello from nothing, by playing against itself for {seconds:g} s.")
    curve, interrupted = train(
        trainer,
        seconds=seconds,
        games=None,
        keep=lambda: trainer.network.save(agent),
        every=seconds / 12,
        score=score,
        show=show,
    )
    options.show()
    options.say(f"It learned from {trainer.games:,} games and is kept as {agent}.")
    if interrupted:
        raise KeyboardInterrupt
    results = _measure(agent, games, seed)
    ratings = _rate((f"{agent}", f"{agent}:depth={_DEPTH}"), games, seed)
    training = {"seconds": trainer.seconds, "games": trainer.games, "yardstick": YARDSTICK, "curve": curve}
    report = Report(str(agent), _GAME, (_matches(results), *ratings), {"seed": seed, "training": training})
    write_json(agent.parent / "results.json", report.to_json())


def _measure(agent: Path, games: int, seed: int) -> dict[str, MatchResult]:
    """Play the matches and print a table of their scores. After an interrupt, the table has only finished matches."""
    results: dict[str, MatchResult] = {}
    try:
        with options.bar("games", games * len(_CLASSICS)) as step:
            for opponent in _CLASSICS:
                results[opponent] = play_match(
                    str(agent), opponent, games=games, openings=_OPENINGS, seed=seed, progress=lambda _: step()
                )
    finally:
        options.say(f"{agent}, {games} games against each, openings {_OPENINGS}, seed {seed}:")
        click.echo(options.table(HEAD, [result_row(*item) for item in results.items()]))
    return results


def _matches(results: dict[str, MatchResult]) -> Found:
    """The scores against the opponents, as a part of the report."""
    rows = [
        {"opponent": name, **match.to_json(), "score": Number("score", _GAME, match.score, "score", *match.interval)}
        for name, match in results.items()
    ]
    table = Table(("opponent", "games", "wins", "draws", "losses", "score"), tuple(rows))
    return Found("matches", how=f"openings {_OPENINGS}", tables=(table,))


def _rate(specs: tuple[str, ...], games: int, seed: int) -> list[Found]:
    """Rate the agents, and print a table of their ratings and of the time that they took for a move."""
    ratings, rows = [], list[tuple[str, ...]]()
    with options.bar("games", games * len(specs)) as step:
        for spec in specs:
            placement = place(spec, half_width=1.0, games=games, seed=seed, progress=lambda _: step(2))
            name = "Elo" if spec == specs[0] else f"Elo with depth={_DEPTH}"
            number = replace(placement.number, name=name)
            details = {"spec": spec, **placement.details}
            ratings.append(Found(name, (number,), placement.how, placement.tables, placement.notes, details=details))
            rows.append((spec, placement.number.text, f"{1e3 * placement.seconds_a_move:.2g}"))
    click.echo()
    options.say(f"The same by {games} games each on {LADDERS[_GAME]}, seed {seed}:")
    click.echo(options.table(("agent", "Elo", "ms a move"), rows))
    return ratings


def _unused_folder() -> Path:
    folder, number = Path("othello-quickstart"), 1
    while folder.exists():
        number += 1
        folder = Path(f"othello-quickstart-{number}")
    return folder
