"""Make the packaged list of balanced openings.

    python scripts/balanced_openings.py othello_env/arena/balanced-v0.txt

Of all positions after some plies, each taken once whatever the order of moves and the symmetry that lead to it, some
are drawn in random order and kept if the engine expects a result close to even. A quick search passes over most of the
others. The same arguments, engine and weights repeat the list.
"""

import argparse
import hashlib
import random
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from _arguments import real, whole

import othello_env
from othello_agents.engine import Engine
from othello_env import Othello
from othello_env.games.othello import symmetries
from othello_env.support.files import write_file

QUICK_DEPTH = 4
QUICK_MARGIN = 0.25


def canonical(state: Othello) -> bytes:
    """The same for a position and its mirror images."""
    planes = state.observation(state.to_move)
    return min(symmetries.transform_observation(planes, k).tobytes() for k in range(symmetries.COUNT))


def positions_after(plies: int) -> list[Othello]:
    """All unfinished positions after this many plies from the start, one of each eight mirror images, in a fixed order.

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
    """Those whose expected result (-1 to 1, for the player to move) is within the margin, with it."""
    quick, engine = Engine(depth=QUICK_DEPTH), Engine(depth=depth)
    for state in candidates:
        if abs(quick.analyse(state).score) <= QUICK_MARGIN:
            score = engine.analyse(state).score
            if abs(score) <= margin:
                yield state, score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=whole(1), default=500, help="openings to keep")
    parser.add_argument("--plies", type=whole(0, 60), default=8)
    parser.add_argument("--depth", type=whole(1, 60), default=10, help="of the engine's search")
    parser.add_argument("--margin", type=real(0, 1), default=0.05, help="of the expected result, which is -1 to 1")
    parser.add_argument("--seed", type=whole(0), default=0)
    args = parser.parse_args()
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
    weights = resources.files("othello_agents") / "weights" / "ntuple_8x8.npz"
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()[:16]
    head = [
        f"# {args.count} openings of {args.plies} plies, different under symmetry, in which the engine at depth "
        f"{args.depth} expects a result",
        f"# within {args.margin} of even. Made by scripts/balanced_openings.py with seed {args.seed}, othello-env "
        f"{othello_env.__version__}, weights {digest}.",
    ]
    write_file(args.file, "".join(f"{line}\n" for line in head + lines).encode())
    print(f"\nwritten to {args.file}")


if __name__ == "__main__":
    main()
