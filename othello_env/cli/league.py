"""``othello-env league FOLDER``: play matches between the members of a league, and print their ratings."""

import math
from pathlib import Path
from typing import Any

import click

from othello_env.arena.number import score_text
from othello_env.arena.play.records import GameRecord
from othello_env.arena.tournament.schedule import check_games
from othello_env.cli import _options as options
from othello_env.drawing.charts import png
from othello_env.games.registry import GameSpec
from othello_env.league import League, Payoffs
from othello_env.league.payoffs import payoff_chart
from othello_env.support.files import check_output, in_one_process, write_file

__all__ = ["command"]


@click.command("league")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--games",
    type=click.IntRange(2, options.MOST_GAMES),
    help="First play matches, until each pair of members has played this even number of games.  [default: play none]",
)
@options.openings_option
@options.game_option
@options.workers_option
@click.option("--ray", is_flag=True, help="Play on a Ray cluster, as othello-env tournament does.")
@click.option("--anchor", help="The member whose rating is 0.  [default: random, or the first]")
@click.option("--matrix", type=options.FILE, help="Write the payoff matrix as a PNG picture to this file.")
def command(
    folder: Path,
    games: int | None,
    anchor: str | None,
    matrix: Path | None,
    **how: Any,
) -> None:
    """Print the members of the league in FOLDER, their Elo ratings, and the opponent that each scores least against.

    With --games, the command first plays games between the members, and adds the results to the league. After Ctrl-C,
    the games that were played are kept. While a training saves to FOLDER, play no games there. The members of a league
    may be Python files and programs, which the command then runs. So use only leagues whose author you trust.
    """
    if matrix is not None:
        check_output(matrix)
    league = League.load(folder)
    if anchor is not None and anchor not in league:
        names = ", ".join(member.name for member in league)
        raise click.UsageError(f"the anchor {anchor!r} is not a member; expected one of {names}")
    if games is not None:
        check_games(games)
        with in_one_process(folder / "games.lock", OSError(f"another process plays games in {folder}")):
            _play(league, folder, games, **how)
    payoffs = league.payoffs()
    if len(league) < 2:
        click.echo(f"{folder}: a league of {len(league)} members; there is nobody to compare")
        return
    options.say(f"{payoffs}, {int(payoffs.games.sum()) // 2} games:")
    click.echo(_table(league, payoffs, anchor))
    if matrix is not None:
        write_file(matrix, png(payoff_chart(payoffs)))


def _play(league: League, folder: Path, games: int, game: GameSpec, **how: Any) -> None:
    """Play the missing games, and save the league. After an interrupt, the games that were played are saved, too."""
    most = games * math.comb(len(league), 2) - 2 * league.results.all_pairs
    records: list[GameRecord] = []
    try:
        with options.bar("games", most) as step:

            def take(record: GameRecord) -> None:
                step()
                records.append(record)

            league.complete(games, game=str(game), progress=take, **how)
    finally:
        league.save(folder)
        options.report_forfeits(records, {member.name: member.name for member in league})


def _table(league: League, payoffs: Payoffs, anchor: str | None) -> str:
    """A table of the members with their ratings. The best member comes first.

    The last columns have each member's worst score and the opponent against which the member gets it. For a snapshot of
    the learner, the column ``played`` says how much the learner had played when the snapshot was added. The unit
    (plies, steps or games) depends on the training.
    """
    ratings = payoffs.ratings(anchor)
    rows: list[tuple[str, ...]] = []
    for name in ratings.order:
        worst = payoffs.worst(name)
        played = "" if league[name].fixed else f"{league[name].played:,}"
        elo = ratings.number(name)
        cells = (elo.value_text, elo.interval_text, score_text(worst.score), worst.opponent)
        rows.append((name, played, *cells))
    return options.table(("member", "played", "Elo", "95% interval", "worst", "against"), rows)
