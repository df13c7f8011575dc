"""Rate the opponents of the ladder by a tournament, and write the ladder's file.

    python scripts/rate_ladder.py othello_env/arena/rating/ladder-v0.json --records ladder-v0.jsonl

The ladder is a list of rated opponents. Each opponent is called a rung. A rung plays the two rungs above it, from all
packaged openings and with both colours. Each game is added to the file ``--records``. So if the script is stopped, the
same command continues its work. `othello_env.arena.rating.elo` computes the ratings from all results. The lowest rung
has the rating 0. The ladder's file says how the ratings were found, and has a hash of the games from the first opening.
A test plays these games again. The test fails if a rung plays differently.

At the end, the script compares the ratings with the packaged ratings. With ``--first N``, only the N weakest rungs are
rated. To check the ratings with other games, give other openings and another seed:

    python scripts/balanced_openings.py openings.txt --seed 1 --depth 6
    python scripts/rate_ladder.py second.json --records second.jsonl --openings openings.txt --seed 1
"""

import hashlib
import math
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from _arguments import even, parse, path, text, whole
from _packaged import weights_digest

from othello_env.arena.openings import BALANCED, parse_openings
from othello_env.arena.play.records import GameRecord, versions
from othello_env.arena.rating.ladder import LADDER, Ladder, Rung, load_ladder
from othello_env.arena.rating.standings import rate_tournament
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.results import Tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.support.files import write_json

RUNGS = (
    "random",
    "maximizer:eval=count",
    "mcts:simulations=10",
    "maximizer:eval=weighted",
    "alphabeta:depth=2,eval=weighted",
    "mcts:simulations=100",
    "alphabeta:depth=4,eval=weighted",
    "mcts:simulations=300",
    "alphabeta:depth=6,eval=modified",
    "engine:depth=6,eval=modified",
    "ntuple:epsilon=0.1",
    "ntuple",
    "engine:depth=1",
    "engine:depth=2",
    "engine:depth=3",
    "engine:depth=4",
    "engine:depth=6",
    "engine:depth=8",
    "engine:depth=10",
)
"""The rungs from the weakest to the strongest. Each rung wins some games against its neighbours.

No rung has a limit of time, so that the same games can be played again.
"""

STEPS = 2
"""Each rung plays against this number of rungs just above it."""


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    file: Path = path("the ladder's file, JSON", positional=True)
    records: Path = path("the file to which the games are added")
    games: int = even(1000, "games of two rungs that play each other")
    openings: str = text(BALANCED, "the packaged list, or a file with one transcript in each line")
    seed: int = whole(0, "the seed of the games", least=0)
    workers: int = whole(2, "processes that play", most=1024)
    first: int = whole(len(RUNGS), "number of rungs to rate, counted from the weakest", least=2)


def schedule(rungs: Sequence[str], games: int, openings: str | tuple[str, ...] = BALANCED, seed: int = 0) -> Schedule:
    """A schedule in which each rung plays the `STEPS` rungs above it."""
    return Schedule(tuple(rungs), games, openings, seed, near=STEPS)


def ratings(result: Tournament) -> Ladder:
    """The rungs with their ratings, from the lowest to the highest."""
    found = rate_tournament(result, result.agents[0])
    games = Counter(name for record in result.records for name in record.agents)
    rungs = [Rung(name, elo, found.interval(name), games[name]) for name, elo in found.elo.items()]
    return Ladder(LADDER, tuple(sorted(rungs, key=lambda rung: rung.elo)))


def signature(result: Tournament) -> str:
    """A hash of the games from the first opening, as 16 hexadecimal digits."""
    first = [record for record in result.records if record.opening == 0]
    games = "\n".join(" ".join([*record.agents, record.opening_moves, record.moves]) for record in first)
    return hashlib.sha256(games.encode()).hexdigest()[:16]


def compare(ladder: Ladder, other: Ladder) -> str:
    """A table of two ladders' ratings and their differences, in Elo points and in standard errors."""
    theirs = {rung.spec: rung for rung in other.rungs}
    lines = [f"{'rung':34}{'Elo':>6}{'95% interval':>17}{'packaged':>10}{'difference':>12}{'in errors':>11}"]
    for rung in ladder.rungs:
        low, high = rung.interval
        line = f"{rung.spec:34}{rung.elo:6.0f}{f'{low:.0f} to {high:.0f}':>17}"
        if (known := theirs.get(rung.spec)) is not None:
            difference = rung.elo - known.elo
            error = math.hypot(high - low, known.interval[1] - known.interval[0]) / 2 / 1.96
            line += f"{known.elo:10.0f}{difference:+12.0f}{difference / error if error else 0.0:+11.1f}"
        lines.append(line)
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    is_packaged = args.openings == BALANCED
    openings = BALANCED if is_packaged else parse_openings(Path(args.openings).read_text(encoding="utf-8"))
    plan = schedule(RUNGS[: args.first], args.games, openings, args.seed)
    began = time.monotonic()
    done = 0

    def progress(_: GameRecord) -> None:
        nonlocal done
        done += 1
        if done % 100 == 0:
            print(f"{done} of {len(plan)} games, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)

    agents = {name: name for name in plan.agents}
    result = play_tournament(agents, plan, file=args.records, workers=args.workers, progress=progress)
    ladder = ratings(result)
    how = {
        "made_by": "scripts/rate_ladder.py",
        "openings": BALANCED if is_packaged else Path(args.openings).name,
        "seed": args.seed,
        "games": args.games,
        "versions": versions(),
        "weights": weights_digest(),
        "signature": signature(result),
    }
    print(compare(ladder, load_ladder()))
    write_json(args.file, ladder.to_json() | how)
    print(f"{time.monotonic() - began:.0f} s; written to {args.file}")


if __name__ == "__main__":
    main()
