"""Make the packaged list of balanced openings.

    python scripts/balanced_openings.py othello_env/arena/balanced-v0.txt

The script finds all positions after ``--plies`` plies. Of positions that are equal after the board is turned or
mirrored, only one is used. The script goes through these positions in random order. It keeps a position if the engine
expects a result close to even. A quick search first rules out most of the uneven positions. The same arguments, engine
and weights give the same list.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from _arguments import parse, path, real, whole
from _packaged import canonical, weights_digest

import othello_env
from othello_agents.engine import Engine
from othello_env import Othello
from othello_env.support.files import write_file

QUICK_DEPTH = 4
QUICK_MARGIN = 0.25


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    file: Path = path("the file of the list", positional=True)
    count: int = whole(500, "openings to keep")
    plies: int = whole(8, "plies of each opening", least=0, most=60)
    depth: int = whole(10, "depth of the engine's search", most=60)
    margin: float = real(0.05, "the largest expected result, between 0 and 1, that counts as balanced", least=0, most=1)
    seed: int = whole(0, "the seed of the order of the positions", least=0)


def positions_after(plies: int) -> list[Othello]:
    """All unfinished positions after some plies from the start, in a fixed order. Mirror images count once.

    >>> [len(positions_after(plies)) for plies in range(1, 5)]
    [1, 3, 14, 60]
    """
    level = {canonical(Othello()): Othello()}
    for _ in range(plies):
        following: dict[bytes, Othello] = {}
        for state in level.values():
            for child in map(state.play, state.legal_actions()):
                if not child.is_over:
                    following.setdefault(canonical(child), child)
        level = following
    return [level[key] for key in sorted(level)]


def balanced(candidates: list[Othello], depth: int, margin: float) -> Iterator[tuple[Othello, float]]:
    """Yield the positions that both a quick and a deep search judge as close to even, with the deep search's score."""
    quick, engine = Engine(depth=QUICK_DEPTH), Engine(depth=depth)
    for state in candidates:
        if abs(quick.analyse(state).score) <= QUICK_MARGIN:
            score = engine.analyse(state).score
            if abs(score) <= margin:
                yield state, score


def main() -> None:
    args = parse(__doc__, Arguments)
    candidates = positions_after(args.plies)
    print(f"{len(candidates):,} different positions after {args.plies} plies")
    random.Random(args.seed).shuffle(candidates)  # noqa: S311 - no secret
    lines = []
    for state, score in balanced(candidates, args.depth, args.margin):
        lines.append(state.transcript())
        print(f"\r{len(lines)} of {args.count}: {lines[-1]} {score:+.3f} ", end="", flush=True)
        if len(lines) == args.count:
            break
    else:
        sys.exit(f"\nonly {len(lines)} openings are balanced")
    head = [
        f"# {args.count} openings of {args.plies} plies, different under symmetry, in which the engine at depth "
        f"{args.depth} expects a result",
        f"# within {args.margin} of even. Made by scripts/balanced_openings.py with seed {args.seed}, othello-env "
        f"{othello_env.__version__}, weights {weights_digest()}.",
    ]
    write_file(args.file, "".join(f"{line}\n" for line in head + lines).encode())
    print(f"\nwritten to {args.file}")


if __name__ == "__main__":
    main()
