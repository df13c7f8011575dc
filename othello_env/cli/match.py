"""``othello-env match A B``: two agents play colour-swapped pairs of games."""

import click

from othello_env.arena.match import MatchResult, match_names, play_match
from othello_env.arena.play.records import GameRecord
from othello_env.cli import _options as options
from othello_env.games.registry import Rules

__all__ = ["HEAD", "command", "result_row"]

HEAD = ("opponent", "wins", "draws", "losses", "score", "95% interval", "discs")


@click.command("match")
@click.argument("a")
@click.argument("b")
@click.option(
    "--games",
    type=options.EvenRange(),
    default=200,
    help="An even number of games: each opening is played with both colours.",
)
@options.openings_option
@options.game_option
@options.seed_option()
def command(a: str, b: str, games: int, openings: str | list[str] | None, rules: Rules, seed: int) -> None:
    """Play a match of agent A against agent B.

    The command prints A's score. An agent is a spec (random, alphabeta:depth=4,eval=weighted), a file of weights
    (agent.npz), or a Python function (policy.py:function). Ctrl-C ends the match and prints the score so far.
    """
    names = match_names(a, b)

    def report(records: list[GameRecord]) -> None:
        result = MatchResult(names, tuple(records[: len(records) - len(records) % 2]))
        _print(a, b, result, f"openings {options.openings_text(openings)}, seed {seed}")

    with options.recorded(f"{a} - {b}", games, report) as progress:
        play_match(a, b, games=games, openings=openings, seed=seed, new_game=rules.start, progress=progress)


def _print(a: str, b: str, result: MatchResult, settings: str) -> None:
    """Print the score of A, the number of forfeited games, and a note if the agents repeated games."""
    if not result.games:
        click.echo("no pair of games was finished")
        return
    click.echo(f"{a}, {result.games} games, {settings}:")
    click.echo(options.table(HEAD, [result_row(b, result)]))
    for index, name in enumerate((a, b)):
        options.report_faults(name, result.faults(index))
    games = [((record.position, record.opening_moves), record.moves) for record in result.records]
    pairs = list(zip(games[::2], games[1::2], strict=True))
    starts = {start for start, _ in games}
    if len(set(pairs)) == len(starts) and 2 * len(starts) <= len(pairs):
        click.echo(
            f"the {len(pairs)} pairs of games are repetitions of {len(starts)}: each opening always led to the same "
            "games, so the interval means nothing",
            err=True,
        )


def result_row(opponent: str, result: MatchResult) -> tuple[str, ...]:
    """The row of a match in a table with the columns of `HEAD`."""
    low, high = result.interval
    return (
        opponent,
        str(result.wins),
        str(result.draws),
        str(result.losses),
        f"{result.score:.3f}",
        f"{low:.3f} - {high:.3f}",
        f"{result.margin:+.1f}",
    )
