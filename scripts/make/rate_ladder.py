"""Rate the opponents of a ladder by a tournament, and write the ladder's file.

    python scripts/make/rate_ladder.py ladder-v0.json --records ladder-v0.jsonl
    python scripts/make/rate_ladder.py ladder-6x6-v0.json --records ladder-6x6-v0.jsonl --game othello:size=6
    python scripts/make/rate_ladder.py ladder-checkers-v0.json --records checkers.jsonl --game checkers
    python scripts/make/rate_ladder.py ladder-tribolo-v0.json --records tribolo.jsonl --game tribolo --games 180

A ladder is a list of rated opponents. Each opponent is called a rung. A rung plays the next two stronger rungs from
all packaged openings, with both colours; in Tribolo, three neighbours play from random boards, in every seat. Each game
is added to the file ``--records``. So if the script is stopped, the same command continues its work.
`othello_env.arena.elo` computes the ratings from all results. The lowest rung has the rating 0. The ladder's file says
how the ratings were found. It also has a hash of the games that begin with the first opening. A test of the package
plays these games again. The test fails if a rung plays differently.

At the end, the script compares the ratings with the packaged ratings. With ``--first N``, only the N weakest rungs are
rated. To check the ratings with other games, give other openings and another seed:

    python scripts/make/balanced_openings.py openings.txt --seed 1 --depth 6
    python scripts/make/rate_ladder.py second.json --records second.jsonl --openings openings.txt --seed 1 --first 12
"""

import hashlib
import math
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import tyro
from _lists import weights_digest

from othello_env.arena.benchmark.ladder import LADDERS, Ladder, load_ladder
from othello_env.arena.number import elo_text, interval_text
from othello_env.arena.openings import balanced_openings, parse_openings
from othello_env.arena.play.records import GameRecord, versions
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.results import Tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.support.files import write_json

RUNGS = {
    "othello": (
        "random",
        "maximizer:eval=count",
        "mcts:simulations=10",
        "maximizer:eval=weighted",
        "alphabeta:depth=2,eval=weighted",
        "mcts:simulations=100",
        "alphabeta:depth=4,eval=weighted",
        "mcts:simulations=300",
        "alphabeta:depth=6,eval=modified",
        "engine:depth=6,exact=12,eval=modified",
        "ntuple:epsilon=0.1",
        "ntuple",
        "engine:depth=1,eval=ntuple",
        "engine:depth=2,eval=ntuple",
        "engine:depth=3,eval=ntuple",
        "engine:depth=4,exact=12,eval=ntuple",
        "engine:depth=6,exact=12,eval=ntuple",
        "engine:depth=8,exact=12,eval=ntuple",
        "engine:depth=10,exact=12,eval=ntuple",
    ),
    "othello:size=6": (
        "random",
        "maximizer:eval=count",
        "maximizer:eval=weighted",
        "alphabeta:depth=4,eval=weighted",
        "mcts:simulations=300",
        "alphabeta:depth=6,eval=modified",
        "ntuple",
        "engine:depth=1",
        "engine:depth=2",
        "engine:depth=4,exact=12",
        "engine:depth=8,exact=12",
        "engine:depth=8,exact=16",
        "perfect",
    ),
    "checkers": (
        "random",
        "alphabeta:depth=2,epsilon=0.7",
        "alphabeta:depth=2,epsilon=0.5",
        "alphabeta:depth=2,epsilon=0.3",
        "alphabeta:depth=2,epsilon=0.1",
        "alphabeta:depth=3,epsilon=0.1",
        "alphabeta:depth=3",
        "alphabeta:depth=4",
        "alphabeta:depth=6",
        "alphabeta:depth=8",
    ),
    "tribolo": (
        "random",
        "maximizer",
        "tribolo:strategy=score",
        "tribolo",
        "maxn:depth=2",
        "paranoid:depth=2",
        "paranoid:depth=3",
    ),
}
"""For each game, the rungs from the weakest to the strongest.

Every rung wins or draws some games against the next rung. No rung has a limit of time, so that the same games can be
played again. The options `exact` and `eval` say what was the engine's default when these ladders were rated.
"""

OPENINGS = {
    "othello": "balanced-v0",
    "othello:size=6": "balanced-6x6-v0",
    "checkers": "balanced-checkers-v0",
    "tribolo": None,
}
"""For each game, the packaged openings; None for the random boards with which each game of Tribolo begins."""

WEIGHTS = {"othello": "ntuple_8x8", "othello:size=6": "ntuple_6x6"}
"""The packaged weights with which rungs play."""

STEPS = 2
"""Each rung plays against this number of rungs just above it."""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    file: tyro.conf.Positional[Path]  # the ladder's file, JSON
    records: Path  # the file to which the games are added
    game: str = "othello"  # the game
    games: int | None = None  # games of two rungs that play each other; by default each opening with both colours
    openings: Path | None = None  # a file with one transcript in each line; by default the packaged list
    seed: int = 0  # the seed of the games
    workers: int = 2  # processes that play
    first: int | None = None  # number of rungs to rate, counted from the weakest; by default all
    new: bool = False  # the game has no packaged ladder yet to compare with


def schedule(
    game: str,
    *,
    first: int | None = None,
    games: int | None = None,
    openings: tuple[str, ...] | None = None,
    seed: int = 0,
) -> Schedule:
    """A schedule in which each rung plays the `STEPS` rungs above it.

    Args:
        game: the game, one of `RUNGS`.
        first: if this is a number, only this many rungs play, the weakest ones. If it is None, all rungs play.
        games: the number of games between two rungs. If it is None, the rungs play each opening once with each colour.
        openings: the openings as transcripts. If it is None, the packaged list is used.
        seed: the seed of the games.
    """
    given = OPENINGS[game] if openings is None else openings
    if games is None and given is not None:
        games = 2 * len(balanced_openings(given) if isinstance(given, str) else given)
    return Schedule(RUNGS[game][:first], games, given, seed, game, near=STEPS)


def signature(result: Tournament) -> str:
    """A hash of all games that begin with the first opening, as 16 hexadecimal digits."""
    first = [record for record in result.records if record.opening == 0]
    games = "\n".join(" ".join([*record.agents, record.opening_moves, record.moves]) for record in first)
    return hashlib.sha256(games.encode()).hexdigest()[:16]


def compare(ladder: Ladder, other: Ladder) -> str:
    """A table of two ladders' ratings and their differences, in Elo points and in standard errors."""
    theirs = {rung.spec: rung for rung in other.rungs}
    lines = [f"{'rung':34}{'Elo':>6}{'95% interval':>17}{'packaged':>10}{'difference':>12}{'in errors':>11}"]
    for rung in ladder.rungs:
        low, high = rung.interval
        line = f"{rung.spec:34}{elo_text(rung.elo):>6}{interval_text(low, high, 'elo'):>17}"
        if (known := theirs.get(rung.spec)) is not None:
            difference = rung.elo - known.elo
            error = math.hypot(high - low, known.interval[1] - known.interval[0]) / 2 / 1.96
            line += f"{elo_text(known.elo):>10}{difference:+12.0f}{difference / error if error else 0.0:+11.1f}"
        lines.append(line)
    return "\n".join(lines)


def main(args: Args) -> None:
    game, openings = args.game, None
    if args.openings is not None:
        openings = parse_openings(args.openings.read_text(encoding="utf-8"))
    plan = schedule(game, first=args.first, games=args.games, openings=openings, seed=args.seed)
    began = time.monotonic()
    done = 0

    def progress(_: GameRecord) -> None:
        nonlocal done
        done += 1
        if done % 100 == 0:
            print(f"{done} of {len(plan)} games, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)

    agents = {name: name for name in plan.agents}
    result = play_tournament(agents, plan, file=args.records, workers=args.workers, progress=progress)
    ladder = Ladder.from_tournament(LADDERS[game], result, plan, plan.agents[0])
    if args.openings is not None:
        ladder = replace(ladder, openings=args.openings.name)
    how = {
        "made_by": "scripts/make/rate_ladder.py",
        "seed": args.seed,
        "games": plan.games,
        "versions": versions(),
        **({"weights": weights_digest(WEIGHTS[game])} if game in WEIGHTS else {}),
        "signature": signature(result),
    }
    if not args.new:
        print(compare(ladder, load_ladder(game)))
    write_json(args.file, ladder.to_json() | how)
    print(f"{time.monotonic() - began:.0f} s; written to {args.file}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
