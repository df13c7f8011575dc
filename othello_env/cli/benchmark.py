"""``othello-env benchmark AGENT``: an agent's rating on the ladder, and its play in endgames."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import click

from othello_env.agent import AgentLeftError, make_agent
from othello_env.arena.rating.benchmark import HEAD, Benchmark, run_benchmark
from othello_env.arena.rating.endgame import measure_endgame
from othello_env.arena.rating.placement import HALF_WIDTH, Placement
from othello_env.cli import _options as options
from othello_env.drawing.chart import EloRow, elo_chart, png
from othello_env.support.files import write_file, write_json

__all__ = ["command"]

_SHOW_EVERY = 0.2


@click.command("benchmark")
@click.argument("agent")
@click.option(
    "--within",
    type=options.FloatRange(0, 1e4, above=True),
    default=HALF_WIDTH,
    help="Play until the 95% interval reaches at most this number of Elo points to each side of the rating.",
)
@click.option("--games", type=options.EvenRange(), help="The largest number of games, even.")
@click.option("--minutes", type=options.FloatRange(0, 1e7, above=True), help="The largest number of minutes of play.")
@click.option("--endgame", is_flag=True, help="Play no games; only compare endgame moves with perfect play.")
@click.option("--out", type=options.FOLDER, help="Write benchmark.json, .md and .png to this new or empty folder.")
@options.seed_option("The same seed repeats the run, unless --minutes ends it.")
def command(
    agent: str, within: float, games: int | None, minutes: float | None, endgame: bool, out: Path | None, seed: int
) -> None:
    """Rate AGENT on a ladder of opponents.

    AGENT is a spec (alphabeta:depth=4), a file of weights (agent.npz) or a Python function (policy.py:function).

    The opponents come with the package. The weakest is the random mover, with an Elo rating of 0; the strongest is the
    engine. AGENT plays opponents near its own level, and each opening with both colours, until its rating is known well
    enough. Then its endgame moves are compared with perfect play. Ctrl-C ends the games and prints the rating so far.

    The ladder is for Othello on 8x8. For other boards and games, compare agents with each other:
    othello-env tournament AGENT OTHER... --gauntlet --game othello:size=6
    """
    player = make_agent(agent, seed)
    if out is not None:
        options.make_new_folder(out)
    if endgame:
        began = time.perf_counter()
        accuracy = measure_endgame(player, seed=seed)
        _report(Benchmark(agent, None, accuracy, {"seed": seed}, time.perf_counter() - began), out)
        return
    limits = {"half_width": within, "games": games, "seconds": None if minutes is None else 60 * minutes}
    partial = Benchmark(agent, None, None, {"seed": seed, "limits": limits}, 0.0)
    shown = began = time.perf_counter()

    def progress(placement: Placement) -> None:
        nonlocal partial, shown
        now = time.perf_counter()
        partial = replace(partial, placement=placement, seconds=now - began)
        if now > shown + _SHOW_EVERY:
            shown = now
            options.show(f"{placement.games} games  Elo {placement.elo_text}")

    try:
        result = run_benchmark(
            player, name=agent, half_width=within, games=games, seconds=limits["seconds"], seed=seed, progress=progress
        )
    except (KeyboardInterrupt, AgentLeftError):
        options.show("")
        if partial.placement is not None:
            _report(replace(partial, settings=partial.settings | {"interrupted": True}), out)
        raise
    options.show("")
    _report(result, out)


def _report(result: Benchmark, out: Path | None) -> None:
    """Print the results. If `out` is not None, also write them into this folder."""
    click.echo(result.head())
    if result.placement is not None:
        click.echo(options.table(HEAD, result.rows()))
    for note in result.notes():
        click.echo(note)
    if faults := result.faults():
        click.echo(
            f"{len(faults)} answers of {result.agent} failed or were no legal moves, the first: {faults[0]}", err=True
        )
    if out is None:
        return
    write_json(out / "benchmark.json", result.to_json())
    write_file(out / "benchmark.md", result.to_markdown().encode())
    if result.placement is not None:
        write_file(out / "benchmark.png", _picture(result, result.placement))


def _picture(result: Benchmark, placement: Placement) -> bytes:
    """A chart, as a PNG, of the ratings of the rungs and the agent."""
    rows = [EloRow(rung.spec, rung.elo, *rung.interval) for rung in placement.ladder.rungs]
    low, high = placement.interval
    elo = high if placement.elo is None else placement.elo
    own = EloRow(Path(result.agent).name, elo, low, high, own=True, beyond=placement.open_end)
    chart = elo_chart(
        f"{own.label} on {placement.ladder.name}: Elo {placement.elo_text}",
        f"{placement.games} games in colour-swapped pairs from balanced openings; 95% intervals, random = 0",
        sorted([*rows, own], key=lambda row: -row.elo),
    )
    return png(chart)
