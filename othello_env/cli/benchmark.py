"""``othello-env benchmark AGENT``: an agent against the classic opponents."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from othello_env.agent import make_agent
from othello_env.arena.benchmark import CLASSICS, Benchmark, run_benchmark
from othello_env.arena.games import Record
from othello_env.arena.match import MatchResult
from othello_env.cli import _options as options
from othello_env.cli.match import HEAD, result_row
from othello_env.drawing.chart import ScoreRow, score_chart
from othello_env.files import write_file, write_json

__all__ = ["command", "measure", "picture"]


@click.command("benchmark")
@click.argument("agent")
@click.option("--opponent", "opponents", multiple=True, help="A spec; may be repeated.  [default: the classic ones]")
@click.option("--games", type=int, default=200, callback=options.even, help="Against each opponent, even.")
@options.openings_option
@options.size_option
@options.seed_option
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the results here.")
@click.option(
    "--picture", "picture_file", type=click.Path(dir_okay=False, path_type=Path), help="Draw them here (PNG)."
)
def command(
    agent: str,
    opponents: tuple[str, ...],
    games: int,
    openings: str | list[str] | None,
    size: int,
    seed: int,
    json_file: Path | None,
    picture_file: Path | None,
) -> None:
    """Measure AGENT (a spec, a file of weights, or policy.py:function) against the classic opponents."""
    result = measure(agent, opponents or CLASSICS, games, openings, size, seed)
    if json_file is not None:
        write_json(json_file, result.to_json())
    if picture_file is not None:
        write_file(picture_file, picture(result))


def measure(
    agent: str, opponents: Sequence[str], games: int, openings: str | list[str] | None, size: int, seed: int
) -> Benchmark:
    """Run a benchmark behind a progress bar and print its table; after an interrupt, of what was played."""
    playing = make_agent(agent, seed)
    for opponent in opponents:
        make_agent(opponent)  # a wrong spec is told before the first game
    head = f"{games} games against each, openings {options.openings_text(openings)}, seed {seed}:"
    records: list[Record] = []
    try:
        with options.bar(agent, games * len(opponents)) as step:

            def progress(record: Record) -> None:
                records.append(record)
                step()

            result = run_benchmark(
                playing,
                name=agent,
                opponents=opponents,
                games=games,
                openings=openings,
                seed=seed,
                size=size,
                progress=progress,
            )
    except KeyboardInterrupt:
        played = [records[first : first + games] for first in range(0, len(records), games)]
        pairs = [MatchResult(tuple(part[: len(part) - len(part) % 2])) for part in played if len(part) > 1]
        _tell(agent, f"up to {head}", dict(zip(opponents, pairs, strict=False)))
        raise
    _tell(agent, head, result.results)
    return result


def _tell(agent: str, head: str, results: Mapping[str, MatchResult]) -> None:
    """Print the table of an agent's matches, and why it lost games on the spot."""
    click.echo(f"{agent}, {head}")
    click.echo(options.table(HEAD, [result_row(*each) for each in results.items()]))
    for match in results.values():
        if faults := match.faults(0):
            click.echo(f"{agent} lost {len(faults)} games on the spot, the first since {faults[0]}", err=True)


def picture(result: Benchmark, curve: Sequence[tuple[float, float]] = (), curve_title: str = "") -> bytes:
    """The results, and perhaps a learning curve, as a PNG."""
    rows = [ScoreRow(opponent, match.score, *match.interval) for opponent, match in result.results.items()]
    games, seed = result.settings["games"], result.settings["seed"]
    openings = options.openings_text(result.settings["openings"])
    chart = score_chart(
        f"The scores of {Path(result.agent).name}",
        f"{games} games each in colour-swapped pairs, openings {openings}, seed {seed}; 95% intervals",
        rows,
        curve,
        curve_title,
    )
    buffer = io.BytesIO()
    chart.save(buffer, "PNG")
    return buffer.getvalue()
