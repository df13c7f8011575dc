"""``othello-env benchmark AGENT...``: measure agents by all that the package has for a game."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from othello_env.agent import Agent, make_agent
from othello_env.agent.spec import named_files
from othello_env.arena.benchmark.ladder import LADDERS, Ladder, load_ladder
from othello_env.arena.benchmark.perfect import PERFECT
from othello_env.arena.benchmark.run import benchmark_parts, expected_moves, run_benchmark
from othello_env.arena.compare import (
    SEEDS_COLUMNS,
    leaderboard_chart,
    leaderboard_page,
    leaderboard_table,
    seeds_json,
    seeds_rows,
)
from othello_env.arena.play.records import GameRecord
from othello_env.arena.report import AGENT, Limits, Part, Report
from othello_env.arena.tournament.schedule import check_games
from othello_env.cli import _options as options
from othello_env.drawing.charts import png
from othello_env.games.keys import seat_key
from othello_env.games.registry import GameSpec
from othello_env.support.files import write_file
from othello_env.text.chat import ChatAgent

__all__ = ["command"]

_SHOW_EVERY = 0.2


@click.command("benchmark")
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True)
@click.option(
    "--within",
    type=options.FloatRange(0, 1e4, above=True),
    help="Play until both ends of the 95% interval are at most this number of Elo points away from the rating "
    f"[{Limits.half_width:g}].",
)
@options.game_option
@click.option(
    "--ladder",
    "ladder_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The opponents: a file of othello-env tournament --ladder.  [default: the game's packaged ladder]",
)
@click.option(
    "--games",
    type=click.IntRange(1, options.MOST_GAMES),
    help="The largest number of games, a multiple of the number of players.",
)
@click.option(
    "--minutes", type=options.FloatRange(0, 1e7, above=True), help="The largest number of minutes of play on a ladder."
)
@click.option(
    "--endgame", is_flag=True, help="Play no games. Only compare moves in packaged positions with perfect play."
)
@click.option(
    "--out",
    type=options.FOLDER,
    help="Write the results as .json, .md and .png to this new or empty folder, the games and the moves in packaged "
    "positions as .jsonl. Each part is written before the next one begins.",
)
@options.seed_option("The same seed repeats the run, unless --minutes ends it.")
def command(
    agents: tuple[str, ...],
    within: float | None,
    game: GameSpec,
    ladder_file: Path | None,
    games: int | None,
    minutes: float | None,
    endgame: bool,
    out: Path | None,
    seed: int,
) -> None:
    """Rate AGENT on a ladder of opponents, and compare its moves with perfect play.

    AGENT is a spec (alphabeta:depth=4), a file of weights (agent.npz) or a Python function (policy.py:function).

    The opponents come with the package. The weakest opponent plays at random and has an Elo rating of 0. AGENT plays
    against opponents near its own level. It plays each opening with both colours, in Tribolo in every seat. The games
    end when the rating is exact enough for --within. Then the endgame moves of AGENT are compared with perfect play.
    Ctrl-C ends the games and prints the rating so far.

    With --size 6, AGENT is rated on the ladder for 6x6, whose strongest opponent plays perfectly. Then the moves of
    AGENT in packaged positions are compared with perfect play, and AGENT plays against the perfect player from solved
    openings. --games limits the games on the ladder and also the games against the perfect player. With --size 4 there
    is no rating, since there is no ladder. Instead the command finds the opponent that wins the most against AGENT.

    Give several agents to compare them in a leaderboard. With --out, it is in leaderboard.md and leaderboard.png, and
    the results of the first agent are in the folder run-1 and so on.

    Give several files of weights to quote a training method: the runs of this method with different seeds. Each file is
    rated, and then the command prints the mean of each number over the runs, with the 95% interval of the mean by
    Student's t. With --out, the means are in seeds.json.

    For any other game, a tournament makes a ladder: othello-env tournament random A B... --game GAME --ladder FILE
    """
    ladder = None if ladder_file is None else Ladder.from_file(ladder_file)
    if ladder is not None and not options.is_given("game", "size"):
        game = ladder.spec
    if ladder is None and str(game) not in LADDERS and (within is not None or minutes is not None):
        raise click.UsageError(f"--within and --minutes are for a ladder, and there is no ladder for {game}")
    if games is not None:
        check_games(games, game.num_players)
    seconds, within = None if minutes is None else 60 * minutes, Limits.half_width if within is None else within
    limits = Limits(within, 0 if endgame else games, seconds, ladder)
    if not benchmark_parts(game, limits):
        advice = (
            "make a ladder by othello-env tournament random A B... --game GAME --ladder FILE, and give it by --ladder"
        )
        raise click.UsageError(f"there is no benchmark for {game}; {advice}")
    players = [make_agent(agent, seed) for agent in agents]
    for player in players:
        player.check_game(game.start(0))
    with options.results_folder(out):
        for player in players:
            _estimate(player, game, limits)
        reports = []
        for number, (player, name) in enumerate(
            zip(players, _names(players, agents, game, limits), strict=True), start=1
        ):
            own = out / f"run-{number}" if out is not None and len(agents) > 1 else out
            reports.append(_measure(player, name, game, limits, own, seed))
        if len(agents) > 1:
            _compare(agents, reports, out)


def _estimate(player: Agent, game: GameSpec, limits: Limits) -> None:
    """Say what a language model will take."""
    if isinstance(player, ChatAgent):
        options.say(player.estimate(game.start(0), expected_moves(game, limits)), err=True)


def _names(players: Sequence[Agent], agents: Sequence[str], game: GameSpec, limits: Limits) -> list[str]:
    """The agents' names in the results: their specs, and for language models the names that they were given.

    If another model or an opponent has the same name, the spec follows it.
    """
    ladder = limits.ladder or (load_ladder(game) if str(game) in LADDERS else None)
    opponents = [rung.spec for rung in ladder.rungs] if ladder is not None else []
    pairs = list(zip(players, agents, strict=True))
    names = [repr(player) if isinstance(player, ChatAgent) else agent for player, agent in pairs]
    count = Counter([*names, *opponents, PERFECT])
    named = zip(names, agents, strict=True)
    return [name if name == agent or count[name] == 1 else f"{name} ({agent})" for name, agent in named]


def _compare(agents: tuple[str, ...], reports: list[Report], folder: Path | None) -> None:
    """Print and write the means over the runs of one method, or the leaderboard of agents that are no such runs."""
    files = [tuple(file for file in named_files(agent) if file.suffix != ".py") for agent in agents]
    if len(set(files) - {()}) == len(agents):
        if folder is not None:
            write_file(folder / "seeds.json", json.dumps(seeds_json(reports), indent=2).encode())
        click.echo(options.table(SEEDS_COLUMNS, seeds_rows(reports)))
        return
    if folder is not None:
        write_file(folder / "leaderboard.md", leaderboard_page(reports).encode())
        if (chart := leaderboard_chart(reports)) is not None:
            write_file(folder / "leaderboard.png", png(chart))
    click.echo(options.table(*leaderboard_table(reports)))


def _measure(player: Agent, name: str, game: GameSpec, limits: Limits, folder: Path | None, seed: int) -> Report:
    """Run the benchmark. Write and print each part when it is measured; after an error, also what there is of it."""
    told: list[str] = []
    last: Report | None = None
    shown = time.perf_counter()

    def tell(report: Report, measuring: str = "") -> None:
        new = [part for part in report.parts if part.part not in (*told, measuring)]
        told.extend(part.part for part in new)
        options.show("")
        try:
            if folder is not None and (new or not measuring):
                _write(report, new, folder, player)
        finally:
            for part in new:
                _print(report, part)

    def progress(report: Report) -> None:
        nonlocal last, shown
        if last is not None and not last.parts and report.parts:  # the first answers are there
            options.show("")
            _estimate(player, game, limits)
        last, measuring = report, report.settings.get("measuring", "")
        if measuring and (not report.parts or report.parts[-1].part != measuring):
            tell(report, measuring)  # a part begins, so the one before it has ended
        elif measuring and time.perf_counter() > shown + _SHOW_EVERY:
            shown = time.perf_counter()
            options.show(*report.parts[-1].status())

    try:
        report = run_benchmark(
            player,
            game,
            ladder=limits.ladder,
            name=name,
            half_width=limits.half_width,
            games=limits.games,
            seconds=limits.seconds,
            seed=seed,
            progress=progress,
        )
    except BaseException:
        if last is not None:
            tell(last)
            for sentence in last.ending():
                options.say(sentence)
        raise
    tell(report)
    return report


def _print(report: Report, part: Part) -> None:
    """Print a part of the results."""
    if part.numbers:
        options.say(report.head(part))
    for table in part.tables:
        click.echo(options.table(*table.texts()))
    for note in part.notes:
        options.say(note)
    if part.faults:
        told = f"{len(part.faults)} answers of {report.agent} failed or were illegal moves"
        options.say(f"{told}; the first: {options.without_board(part.faults[0])}", err=True)


def _write(report: Report, parts: Sequence[Part], folder: Path, player: Agent) -> None:
    """Write the report into a folder, and the chart, the games and the positions of some of its parts."""
    write_file(folder / "benchmark.json", json.dumps(report.to_json(), indent=2, allow_nan=False).encode())
    write_file(folder / "benchmark.md", report.to_markdown().encode())
    label = report.agent if isinstance(player, ChatAgent) else Path(report.agent).name
    for part in parts:
        if rows := part.position_rows():
            write_file(folder / f"{part.part}.jsonl", _lines(map(json.dumps, rows)))
        if part.records:
            games = (record.to_json() for record in _games(report, part, player))
            write_file(folder / f"{part.part}-games.jsonl", _lines(games))
        if (chart := part.chart(label)) is not None:
            write_file(folder / f"{part.part}.png", png(chart))


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _games(report: Report, part: Part, player: Agent) -> Iterator[GameRecord]:
    """The games of a part, with the agent's name. Beside the moves of a language model stands what it said."""
    for record in part.records:
        if isinstance(player, ChatAgent):
            key = seat_key(record.key, record.agents.index(AGENT))
            positions = record.first_position().positions(record.replay().moves)
            record = replace(record, words=player.words(key, positions[:-1]))
        yield replace(record, agents=tuple(report.agent if name == AGENT else name for name in record.agents))
