"""``othello-env match A B``: two agents play colour-swapped pairs."""

import click

from othello_env.agent import AgentLeftError
from othello_env.arena.match import MatchResult, match_names, play_match
from othello_env.arena.play.records import GameRecord
from othello_env.cli import _options as options
from othello_env.games.registry import Rules

__all__ = ["HEAD", "command", "result_row"]

HEAD = ("opponent", "wins", "draws", "losses", "score", "95% interval", "discs")


@click.command("match")
@click.argument("a")
@click.argument("b")
@click.option("--games", type=options.EvenRange(), default=200, help="Even: each opening with both colours.")
@options.openings_option
@options.game_option
@options.seed_option()
def command(a: str, b: str, games: int, openings: str | list[str] | None, rules: Rules, seed: int) -> None:
    """Play a match of agent A against agent B and print A's score.

    An agent is a spec (random, alphabeta:depth=4,eval=weighted), a file of weights (agent.npz), or a Python function
    (policy.py:function). An interrupt prints what was played.
    """
    records: list[GameRecord] = []
    with options.bar(f"{a} - {b}", games) as step:

        def progress(record: GameRecord) -> None:
            records.append(record)
            step()

        stopped: BaseException | None = None
        try:
            play_match(a, b, games=games, openings=openings, seed=seed, new_game=rules.start, progress=progress)
        except (KeyboardInterrupt, AgentLeftError) as error:
            stopped = error
    _report(a, b, MatchResult(match_names(a, b), tuple(records[: len(records) - len(records) % 2])), openings, seed)
    if stopped is not None:
        raise stopped


def _report(a: str, b: str, result: MatchResult, openings: str | list[str] | None, seed: int) -> None:
    if not result.games:
        click.echo("no pair of games was finished")
        return
    click.echo(f"{a}, {result.games} games, openings {options.openings_text(openings)}, seed {seed}:")
    click.echo(options.table(HEAD, [result_row(b, result)]))
    for index, name in enumerate((a, b)):
        if faults := result.faults(index):
            click.echo(f"{name} lost {len(faults)} games on the spot, the first since {faults[0]}", err=True)
    games = [((record.position, record.opening_moves), record.moves) for record in result.records]
    pairs = list(zip(games[::2], games[1::2], strict=True))
    starts = {start for start, _ in games}
    if len(set(pairs)) == len(starts) and 2 * len(starts) <= len(pairs):
        click.echo(
            f"the {len(pairs)} pairs of games are repetitions of {len(starts)}: whenever an opening came again, so did "
            "its games, and the interval means nothing",
            err=True,
        )


def result_row(opponent: str, result: MatchResult) -> tuple[str, ...]:
    """A line of a table of matches."""
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
