"""``othello-env tournament A B C...``: all agents play each other, or the first agent plays all others."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from othello_env.agent.clock import TimeControl
from othello_env.arena.benchmark.ladder import Ladder
from othello_env.arena.elo import find_anchor
from othello_env.arena.play.records import GameRecord, versions
from othello_env.arena.tables import ELO_COLUMNS, cross_table, elo_rows, tournament_chart
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.results import Tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.cli import _options as options
from othello_env.drawing.charts import png
from othello_env.support.files import check_output, write_file, write_json

__all__ = ["command"]


def _clock_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--clock`` and ``--move-time`` to a command, which gets the argument `clock`: a `TimeControl` or None."""

    @wraps(function)
    def run(game_time: str | None, move_time: str | None, **others: Any) -> None:
        if game_time is not None and move_time is not None:
            raise click.UsageError("give either --clock or --move-time, not both")
        time = game_time if move_time is None else f"{move_time}/move"
        function(clock=None if time is None else TimeControl.parse(time), **others)

    run = click.option("--move-time", help="Each side's time for a move: 100ms, 2s.")(run)
    return click.option("--clock", "game_time", help="Each side's time for a game: 30m, 90s.")(run)


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
@_clock_options
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
@click.option(
    "--ladder",
    type=options.FILE,
    help="Write the agents and their ratings to this file (.json), as a ladder for othello-env benchmark --ladder.",
)
@click.option("--picture", type=options.FILE, help="Draw the scores and the ratings to this file (.png).")
def command(
    agents: tuple[str, ...],
    anchor: str | None,
    ladder: Path | None,
    picture: Path | None,
    out: Path | None,
    clock: TimeControl | None,
    workers: int | None,
    ray: bool,
    **games: Any,
) -> None:
    """Play a tournament of AGENTS.

    The command prints each agent's score against every other agent, and the Elo ratings of all agents. AGENTS are specs
    (random, alphabeta:depth=4), files of weights (agent.npz) or Python functions (policy.py:function).

    With --out the games are kept in a file. If you give the same command again, for example after Ctrl-C or with more
    --games or AGENTS, the command plays only the missing games.
    """
    schedule = Schedule(agents, **games)
    if anchor is not None and anchor not in agents:
        raise click.UsageError(f"the anchor {anchor!r} does not play; expected one of {', '.join(agents)}")
    for file in filter(None, (ladder, picture)):
        check_output(file)

    def report(records: list[GameRecord]) -> bool:
        forfeited_all = options.report_forfeits(records, {agent: agent for agent in agents})
        result = Tournament.from_records(agents, records)
        _print(result, schedule, clock, anchor)
        if picture is not None and records:
            write_file(picture, png(tournament_chart(result, anchor)))
        if ladder is not None and len(records) == len(schedule):
            made = {"made_by": "othello-env tournament", "seed": schedule.seed, "games": schedule.games}
            made["versions"] = versions()
            write_json(ladder, Ladder.from_tournament(ladder.stem, result, schedule, anchor).to_json() | made)
            options.say(f"The ladder is in {ladder}: othello-env benchmark AGENT --ladder {ladder}")
        return forfeited_all

    with options.recorded(len(schedule), report) as progress:
        players = {agent: agent for agent in agents}
        play_tournament(players, schedule, file=out, clock=clock, workers=workers, ray=ray, progress=progress)


def _print(result: Tournament, schedule: Schedule, clock: TimeControl | None, anchor: str | None) -> None:
    given = schedule.openings
    openings = options.openings_text(given if given is None or isinstance(given, str) else [*map(str, given)])
    time = "no clock" if clock is None else f"clock {clock}"
    options.say(
        f"{len(result.records)} of {len(schedule)} games, {schedule.spec}, openings {openings}, seed {schedule.seed}, "
        f"{time}:"
    )
    if not result.records:
        return
    click.echo(options.table(*cross_table(result, anchor)))
    try:
        click.echo("\n" + options.table(ELO_COLUMNS, elo_rows(result, anchor)))
    except ValueError as error:
        if len(result.records) == len(schedule):
            raise
        options.say(f"no ratings yet: {error}", err=True)
        return
    options.say(
        f"Elo of these games alone, {find_anchor(anchor, result.agents)} is 0: a scale of its own, not that of another "
        "tournament or of othello-env benchmark."
    )
