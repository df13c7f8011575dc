"""``othello-env match A B``: two agents play colour-swapped pairs of games."""

from typing import Any

import click

from othello_env.arena.match import MatchResult, match_names, play_match
from othello_env.arena.number import interval_text, score_text
from othello_env.arena.play.records import GameRecord
from othello_env.arena.sprt import Sprt
from othello_env.cli import _options as options
from othello_env.games.registry import GameSpec

__all__ = ["HEAD", "command", "result_row"]

_GAMES, _GAMES_WITH_SPRT = 200, 100_000

_FEW = 40
"""Below this number of games, the table says all that the games can say."""
_POINTS = ("0 points", ".5", "1", "1.5", "2")

HEAD = ("opponent", "wins", "draws", "losses", "score", "95% interval", "discs")


class _Differences(click.ParamType):
    """Two Elo differences, separated by a comma, as an `Sprt` (a sequential probability ratio test)."""

    name = "elo0,elo1"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Sprt:
        if isinstance(value, Sprt):
            return value
        try:
            differences = [float(part) for part in value.split(",")]
        except ValueError:
            differences = []
        if len(differences) != 2:
            self.fail(f"expected two Elo differences, separated by a comma, such as 0,10, got {value!r}", param, ctx)
        try:
            return Sprt(*differences)
        except ValueError as error:
            self.fail(f"{error}", param, ctx)


@click.command("match")
@click.argument("a")
@click.argument("b")
@click.option(
    "--games",
    type=click.IntRange(2, options.MOST_GAMES),
    help="The number of games, even: each opening is played with both colours. With --sprt, the largest number of "
    f"games.  [default: {_GAMES}, with --sprt {_GAMES_WITH_SPRT}]",
)
@options.openings_option
@options.game_option
@options.seed_option()
@click.option(
    "--sprt",
    type=_Differences(),
    help="Two Elo differences, such as 0,10. The match ends when a test has decided whether A is stronger than B by "
    "the first or by the second number. If one of them is true, the decision is wrong with a probability of 5 %.",
)
@options.workers_option
def command(a: str, b: str, games: int | None, sprt: Sprt | None, **how: Any) -> None:
    """Play a match of agent A against agent B.

    The command prints A's score. An agent is a spec (random, alphabeta:depth=4,eval=weighted), a file of weights
    (agent.npz), or a Python function (policy.py:function). Ctrl-C ends the match and prints the score so far.
    """
    names = match_names(a, b)
    most = games or (_GAMES if sprt is None else _GAMES_WITH_SPRT)

    def report(records: list[GameRecord]) -> bool:
        result = MatchResult(names, tuple(records[: len(records) - len(records) % 2]))
        forfeited_all = options.report_forfeits(result.records, dict(zip(names, (a, b), strict=True)))
        named = "" if how["game"] == GameSpec() else f"{how['game']}, "
        _print(a, b, result, f"{named}openings {options.openings_text(how['openings'])}, seed {how['seed']}")
        if result.games >= (_FEW if sprt is None else 1):
            _print_pairs(result)
        if sprt is not None:
            options.say(f"{sprt}: {sprt.judge(result.pairs)}")
        elif result.games >= _FEW:  # a match that a test ended early would make the p-value of another test too small
            options.say(f"A's mean result (win +1, draw 0, loss -1): {result.paired_test()}")
        return forfeited_all

    with options.recorded(most, report) as progress:
        play_match(a, b, games=most, sprt=sprt, progress=progress, **how)


def _print(a: str, b: str, result: MatchResult, settings: str) -> None:
    """Print the score of A."""
    if not result.games:
        click.echo("no pair of games was finished")
        return
    options.say(f"{a}, {result.games} games, {settings}:")
    click.echo(options.table(HEAD, [result_row(b, result)]))


def _print_pairs(result: MatchResult) -> None:
    points = ", ".join(f"{point} in {n}" for point, n in zip(_POINTS, result.pairs, strict=True))
    count = sum(result.pairs)
    pairs_of_games = f"{count} pair{'s' if count > 1 else ''} of games (one opening, both colours)"
    options.say(f"{pairs_of_games}: {points}; draws {100 * result.draw_rate:.1f} %")


def result_row(opponent: str, result: MatchResult) -> tuple[str, ...]:
    """The row of a match in a table with the columns of `HEAD`."""
    return (
        opponent,
        str(result.wins),
        str(result.draws),
        str(result.losses),
        score_text(result.score),
        interval_text(*result.interval),
        f"{result.margin:+.1f}",
    )
