"""``othello-env benchmark AGENT...``: rate agents on a ladder of opponents, or compare them with perfect play."""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import click

from othello_env.agent import Agent, AgentLeftError, make_agent
from othello_env.agent.spec import named_files
from othello_env.arena.play.records import GameRecord
from othello_env.arena.rating.accuracy import endgame_positions, measure_endgame, regret_positions, solved_openings
from othello_env.arena.rating.benchmark import Benchmark, file_settings, run_benchmark
from othello_env.arena.rating.ladder import AGENT, HALF_WIDTH, LADDERS, Placement, load_ladder
from othello_env.arena.rating.leaderboard import COLUMNS, leaderboard_chart, leaderboard_page, leaderboard_rows
from othello_env.arena.rating.perfection import PERFECT, PerfectionBenchmark, run_perfection
from othello_env.arena.rating.seeds import SEEDS_COLUMNS, seeds_json, seeds_rows
from othello_env.cli import _options as options
from othello_env.drawing.charts import Row, png, row_chart
from othello_env.games.keys import seat_key
from othello_env.games.othello.position import Othello
from othello_env.support.files import write_file, write_json
from othello_env.support.words import score_text
from othello_env.text.chat import ChatAgent

__all__ = ["command"]

_B = TypeVar("_B", Benchmark, PerfectionBenchmark)
_SHOW_EVERY = 0.2
_ELO_OF_ONE_GAME = 681.0
"""Half the width of a rating's 95% interval after one even game. After N games it is smaller by the root of N."""


@click.command("benchmark")
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True)
@click.option(
    "--within",
    type=options.FloatRange(0, 1e4, above=True),
    help="Play until both ends of the 95% interval are at most this number of Elo points away from the rating "
    f"[{HALF_WIDTH:g}].",
)
@options.size_option
@click.option("--games", type=options.EvenRange(), help="The largest number of games, even.")
@click.option(
    "--minutes", type=options.FloatRange(0, 1e7, above=True), help="The largest number of minutes of play on a ladder."
)
@click.option(
    "--endgame", is_flag=True, help="Play no games. Only compare moves in packaged positions with perfect play."
)
@click.option(
    "--out",
    type=options.FOLDER,
    help="Write the results as .json, .md and .png to this new or empty folder, the games as games.jsonl, and the move "
    "and the loss in each packaged position as positions.jsonl.",
)
@options.seed_option("The same seed repeats the run, unless --minutes ends it.")
def command(
    agents: tuple[str, ...],
    within: float | None,
    size: int,
    games: int | None,
    minutes: float | None,
    endgame: bool,
    out: Path | None,
    seed: int,
) -> None:
    """Rate AGENT on a ladder of opponents, and compare its moves with perfect play.

    AGENT is a spec (alphabeta:depth=4), a file of weights (agent.npz) or a Python function (policy.py:function).

    The opponents come with the package. The weakest opponent plays at random and has an Elo rating of 0; the strongest
    is the engine. AGENT plays against opponents near its own level. It plays each opening with both colours. The games
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

    For other games, compare agents with each other: othello-env tournament AGENT OTHER... --gauntlet --game checkers
    """
    has_ladder = size in LADDERS
    if not has_ladder and (within is not None or minutes is not None):
        raise click.UsageError(f"--within and --minutes are for a ladder, and there is no ladder for {size}x{size}")
    players = [make_agent(agent, seed) for agent in agents]
    for player in players:
        player.check_game(Othello(size))
    if out is not None:
        options.make_new_folder(out)
    seconds, within = None if minutes is None else 60 * minutes, HALF_WIDTH if within is None else within
    results: list[Benchmark | PerfectionBenchmark] = []
    for player in players:
        if isinstance(player, ChatAgent):
            moves = _expected_moves(size, games, within, endgame)
            options.say(player.estimate(Othello(size), moves), err=True)
    for number, (player, name) in enumerate(zip(players, _names(players, agents, size), strict=True), start=1):
        folder = out / f"run-{number}" if out is not None and len(agents) > 1 else out
        if endgame and size == Othello().size:
            began = time.perf_counter()
            accuracy = measure_endgame(player, seed=seed)
            settings = {"seed": seed, **file_settings(player)}
            seconds_taken = time.perf_counter() - began
            results.append(Benchmark(name, None, accuracy, settings, seconds_taken).with_answers(player))
            _report(results[-1], folder, player)
        if has_ladder and not endgame:
            results.append(_rate(player, name, size, within, games, seconds, folder, seed))
        if size != Othello().size:
            each_once = 2 * len(solved_openings(size))
            most = 0 if endgame else each_once if games is None else min(games, each_once)
            results.append(_measure_perfection(player, name, size, most, folder, seed))
    if len(agents) > 1:
        _compare(agents, results, out)


def _names(players: Sequence[Agent], agents: Sequence[str], size: int) -> list[str]:
    """The agents' names in the results: their specs, and for language models the names that they were given.

    If another model or an opponent has the same name, the spec follows it.
    """
    opponents = [rung.spec for rung in load_ladder(size).rungs] if size in LADDERS else []
    pairs = list(zip(players, agents, strict=True))
    names = [repr(player) if isinstance(player, ChatAgent) else agent for player, agent in pairs]
    count = Counter([*names, *opponents, PERFECT])
    named = zip(names, agents, strict=True)
    return [name if name == agent or count[name] == 1 else f"{name} ({agent})" for name, agent in named]


def _compare(agents: tuple[str, ...], results: list[Benchmark | PerfectionBenchmark], out: Path | None) -> None:
    """Print and write the means over the runs of one method, or the leaderboard of agents that are no such runs."""
    files = [tuple(file for file in named_files(agent) if file.suffix != ".py") for agent in agents]
    if len(set(files) - {()}) == len(agents):
        if out is not None:
            write_json(out / "seeds.json", seeds_json(results))
        click.echo(options.table(SEEDS_COLUMNS, seeds_rows(results)))
        return
    if out is not None:
        write_file(out / "leaderboard.md", leaderboard_page(results).encode())
        if (chart := leaderboard_chart(results)) is not None:
            write_file(out / "leaderboard.png", png(chart))
    click.echo(options.table(COLUMNS, leaderboard_rows(results)))


def _expected_moves(size: int, games: int | None, within: float, endgame: bool) -> int:
    """The number of moves that an agent is asked for, if no move is forced."""
    in_positions = len(endgame_positions() if size == Othello().size else regret_positions(size))
    if endgame:
        return in_positions
    played = 0.0
    if size in LADDERS:
        even_games = (_ELO_OF_ONE_GAME / within) ** 2  # that a rating needs against equal opponents
        played += even_games if games is None else min(games, even_games)
    if size != Othello().size:
        each_once = 2 * len(solved_openings(size))
        played += each_once if games is None else min(games, each_once)
    return in_positions + round(played * (size * size - 4) / 2)


def _rate(
    player: Agent,
    name: str,
    size: int,
    within: float,
    games: int | None,
    seconds: float | None,
    out: Path | None,
    seed: int,
) -> Benchmark:
    """Run the benchmark on the ladder, report its results and return them."""
    limits = {"half_width": within, "games": games, "seconds": seconds}
    settings = {"seed": seed, "limits": limits, **file_settings(player)}
    shown = began = time.perf_counter()

    def run(keep: Callable[[Benchmark], None]) -> Benchmark:
        def progress(placement: Placement) -> None:
            nonlocal shown
            now = time.perf_counter()
            keep(Benchmark(name, placement, None, settings, now - began))
            if now > shown + _SHOW_EVERY:
                shown = now
                options.show(f"{placement.games} games", *f"Elo {placement.elo_text}".split(", "))

        return run_benchmark(
            player, size=size, name=name, half_width=within, games=games, seconds=seconds, seed=seed, progress=progress
        )

    return _run(run, out, player)


def _measure_perfection(
    player: Agent, name: str, size: int, games: int, out: Path | None, seed: int
) -> PerfectionBenchmark:
    """Run the benchmark for small boards, report its results and return them."""

    def run(keep: Callable[[PerfectionBenchmark], None]) -> PerfectionBenchmark:
        def progress(so_far: PerfectionBenchmark) -> None:
            keep(so_far)
            if so_far.games is not None and so_far.games.match.games:
                options.show(f"{so_far.games.match.games} games", f"{so_far.games.loss:.1f} discs lost a game")

        return run_perfection(player, size=size, name=name, games=games, seed=seed, progress=progress)

    return _run(run, out, player)


def _run(run: Callable[[Callable[[_B], None]], _B], out: Path | None, player: Agent) -> _B:
    """Run a benchmark, report its results and return them. After an interrupt, report the results so far.

    Args:
        run: a function. ``run(keep)`` runs the benchmark and returns its results. During the run, it calls
            ``keep(so_far)`` with the results so far.
        out: see `_report`.
        player: the agent.
    """
    partial: deque[_B] = deque(maxlen=1)
    try:
        result = run(partial.append)
    except (KeyboardInterrupt, AgentLeftError):
        options.show("")
        for last in partial:
            so_far = last.with_answers(player) if isinstance(last, Benchmark) else last
            _report(replace(so_far, settings=last.settings | {"interrupted": True}), out, player)
        raise
    options.show("")
    _report(result, out, player)
    return result


def _report(result: Benchmark | PerfectionBenchmark, out: Path | None, player: Agent) -> None:
    """If `out` is not None, write the results into this folder. Then print them."""
    if out is not None:
        _write(result, out, player)
    options.say(result.head())
    if rows := result.rows():
        click.echo(options.table(result.columns, rows))
    for note in result.notes():
        options.say(note)
    if faults := result.faults():
        told = f"{len(faults)} answers of {result.agent} failed or were illegal moves"
        options.say(f"{told}; the first: {options.without_board(faults[0])}", err=True)


def _write(result: Benchmark | PerfectionBenchmark, out: Path, player: Agent) -> None:
    """Write the results into a folder.

    The files have the name ``perfection`` if `result` is a `PerfectionBenchmark`, otherwise ``benchmark``. The moves in
    the packaged positions are in ``positions.jsonl``, and the games on a ladder in ``games.jsonl``.
    """
    name, picture = "benchmark", None
    label = result.agent if isinstance(player, ChatAgent) else Path(result.agent).name
    measured = result.regret if isinstance(result, PerfectionBenchmark) else result.endgame
    if isinstance(result, PerfectionBenchmark):
        name, picture = "perfection", None if result.regret is None else _stages_picture(result, label)
    elif result.placement is not None:
        picture = png(result.placement.chart(label))
        games = (game.to_json() for game in _games(result, player))
        write_file(out / "games.jsonl", "".join(f"{line}\n" for line in games).encode())
    write_json(out / f"{name}.json", result.to_json())
    write_file(out / f"{name}.md", result.to_markdown().encode())
    if measured is not None:
        lines = "".join(f"{json.dumps(row)}\n" for row in measured.position_rows())
        write_file(out / "positions.jsonl", lines.encode())
    if picture is not None:
        write_file(out / f"{name}.png", picture)


def _games(result: Benchmark, player: Agent) -> Iterator[GameRecord]:
    """The games on the ladder, with the agent's name. Beside the moves of a language model stands what it said."""
    assert result.placement is not None
    for record in (record for match in result.placement.matches.values() for record in match.records):
        if isinstance(player, ChatAgent):
            key = seat_key(record.key, record.agents.index(AGENT))
            positions = record.first_position().positions(record.replay().moves)
            record = replace(record, words=player.words(key, positions[:-1]))
        yield replace(record, agents=tuple(result.agent if name == AGENT else name for name in record.agents))


def _stages_picture(result: PerfectionBenchmark, label: str) -> bytes:
    """A chart, as a PNG, of the share of perfect moves in each stage of the game."""
    assert result.regret is not None
    regret, size = result.regret, result.regret.size
    rows = [
        Row(
            f"{stage.fewest} to {stage.most} empty squares",
            stage.accuracy.rate,
            *stage.accuracy.rate_interval,
            score_text(stage.accuracy.rate),
            compare=stage.random[0],
        )
        for stage in reversed(regret.stages)
    ]
    played = "" if result.games is None else f"; {result.games.loss:.1f} discs lost a game against perfect play"
    chart = row_chart(
        f"{label} on {size}x{size}: {regret.rate:.1%} of its moves are perfect",
        f"{regret.all.positions} positions, 95% intervals; {regret.loss:.2f} discs lost a move{played}",
        rows,
        "share of perfect moves (grey: random moves)",
        limits=(-0.02, 1.02),
    )
    return png(chart)
