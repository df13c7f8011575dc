"""``othello-env tournament A B C...``: all agents play each other, or the first agent plays all others."""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from othello_env.agent.clock import TimeControl
from othello_env.arena.play.records import GameRecord
from othello_env.arena.rating.elo import find_anchor, rate_tournament
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.results import Tournament, overall
from othello_env.arena.tournament.schedule import Schedule
from othello_env.cli import _options as options
from othello_env.drawing.charts import matrix_chart, png
from othello_env.games.registry import GameSpec
from othello_env.support.files import check_output, write_file
from othello_env.support.words import score_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["command", "cross_table", "elo_table", "tournament_chart"]


@click.command("tournament")
@click.argument("agents", nargs=-1, required=True)
@click.option(
    "--games",
    type=click.IntRange(1, options.MOST_GAMES),
    help="The number of games for each pair of agents, even: each opening is played with both colours. For a game of "
    "three players, the number of games for each group of three agents, a multiple of 3.  [default: 200, or 201 for "
    "three players]",
)
@options.openings_option
@options.seed_option()
@options.game_option
@click.option("--out", type=options.FILE, help="Add each game to this file (JSON lines).")
@click.option("--gauntlet", is_flag=True, help="The first agent plays all others. The others do not play each other.")
@click.option("--clock", "game_time", help="Each side's time for a game: 30m, 90s.")
@click.option("--move-time", help="Each side's time for a move: 100ms, 2s.")
@click.option(
    "--workers",
    type=click.IntRange(1, options.MOST_THREADS),
    help="The number of processes that play.  [default: 1; with --ray all cores of the cluster]",
)
@click.option(
    "--ray",
    is_flag=True,
    help="Play on a Ray cluster. This is the cluster at RAY_ADDRESS, or else this machine's cluster, or else a new "
    "cluster that ends with the tournament.",
)
@click.option("--anchor", help="The agent whose rating is 0.  [default: random, or the first]")
@click.option("--picture", type=options.FILE, help="Draw the scores and the ratings to this file (.png).")
@click.option(
    "--transcripts", type=options.FILE, help="Write the moves of all games to this file, one game on each line."
)
def command(
    agents: tuple[str, ...],
    games: int | None,
    openings: str | list[str] | None,
    seed: int,
    rules: GameSpec,
    out: Path | None,
    gauntlet: bool,
    game_time: str | None,
    move_time: str | None,
    workers: int | None,
    ray: bool,
    anchor: str | None,
    picture: Path | None,
    transcripts: Path | None,
) -> None:
    """Play a tournament of AGENTS.

    The command prints each agent's score against every other agent, and the Elo ratings of all agents. AGENTS are specs
    (random, alphabeta:depth=4), files of weights (agent.npz) or Python functions (policy.py:function).

    With --out the games are kept in a file. If you give the same command again, for example after Ctrl-C or with more
    --games or AGENTS, the command plays only the missing games.
    """
    if game_time is not None and move_time is not None:
        raise click.UsageError("give either --clock or --move-time, not both")
    time = game_time if move_time is None else f"{move_time}/move"
    clock = None if time is None else TimeControl.parse(time)
    schedule = Schedule(agents, games, openings, seed, rules, gauntlet)
    if anchor is not None and anchor not in agents:
        raise click.UsageError(f"the anchor {anchor!r} does not play; expected one of {', '.join(agents)}")
    if picture is not None:
        check_output(picture)
    if transcripts is not None:
        check_output(transcripts)
        if out is not None:
            options.check_distinct(out, transcripts, "--out and --transcripts name the same file")

    def report(records: list[GameRecord]) -> bool:
        forfeited_all = options.report_forfeits(records, {agent: agent for agent in agents})
        result = Tournament.from_records(agents, records)
        _print(result, schedule, clock, anchor)
        if picture is not None and records:
            write_file(picture, png(tournament_chart(result, anchor)))
        if transcripts is not None:
            write_file(transcripts, "".join(f"{record.transcript()}\n" for record in records).encode())
        return forfeited_all

    with options.recorded(len(schedule), report) as progress:
        play_tournament(
            {agent: agent for agent in agents},
            schedule,
            file=out,
            clock=clock,
            workers=workers,
            ray=ray,
            progress=progress,
        )


def _print(result: Tournament, schedule: Schedule, clock: TimeControl | None, anchor: str | None) -> None:
    given = schedule.openings
    openings = options.openings_text(given if given is None or isinstance(given, str) else [*map(str, given)])
    time = "no clock" if clock is None else f"clock {clock}"
    options.say(
        f"{len(result.records)} of {len(schedule)} games, {schedule.rules}, openings {openings}, seed {schedule.seed}, "
        f"{time}:"
    )
    if not result.records:
        return
    click.echo(cross_table(result))
    try:
        click.echo("\n" + elo_table(result, anchor))
    except ValueError as error:
        if len(result.records) == len(schedule):
            raise
        options.say(f"no ratings yet: {error}", err=True)
        return
    options.say(
        f"Elo of these games alone, {find_anchor(anchor, result.agents)} is 0: a scale of its own, not that of another "
        "tournament or of othello-env benchmark."
    )


def tournament_chart(result: Tournament, anchor: str | None = None) -> Figure:
    """A heat map of the scores between the agents, the best first, with their Elo ratings.

    Without ratings, the agents stay in the order in which they were given; see `rate_tournament`.
    """
    agents, labels, what = [*result.agents], [*result.agents], "without ratings"
    with suppress(ValueError):
        ratings = rate_tournament(result, anchor)
        agents = [*ratings.order]
        labels = [f"{agent}   {options.elo_cells(ratings, agent)[0]}" for agent in agents]
        what = f"with Elo ratings, {find_anchor(anchor, result.agents)} = 0"
    scores = result.scores()
    cells = [[scores[a, b].score if (a, b) in scores else math.nan for b in agents] for a in agents]
    games = f"{len(result.records):,} games"
    return matrix_chart("Tournament", f"score of each row against each column, {games}, {what}", labels, cells)


def cross_table(result: Tournament) -> str:
    """A table with each agent's score (0 to 1) against every other agent, its total score and its mean margin."""
    scores = result.scores()
    head = ("agent", *map(str, range(1, len(result.agents) + 1)), "games", "score", "margin")
    rows = []
    for number, agent in enumerate(result.agents, start=1):
        against = [scores.get((agent, other)) for other in result.agents]
        games, total, margin = overall([score for score in against if score is not None])
        cells = ["-" if score is None else score_text(score.score) for score in against]
        rows.append((f"{number} {agent}", *cells, str(games), score_text(total), f"{margin:+.1f}"))
    return options.table(head, rows)


def elo_table(result: Tournament, anchor: str | None = None) -> str:
    """A table of the ratings, the best first, with 95% intervals.

    The last column is the likelihood that the agent is better than the agent in the next row.

    Raises:
        ValueError: there are no ratings; see `rate_tournament`.
    """
    ratings = rate_tournament(result, anchor)
    order = ratings.order
    rows: list[tuple[str, ...]] = []
    for place, agent in enumerate(order):
        following = order[place + 1 : place + 2]
        better = ratings.superiority(agent, following[0]) if following else math.nan
        rows.append((agent, *options.elo_cells(ratings, agent), "" if math.isnan(better) else score_text(better)))
    return options.table(("agent", "Elo", "95% interval", "better than next"), rows)
