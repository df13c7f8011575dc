"""Count the lines of play from a position (perft), and compare the 8x8 start with published counts.

    python scripts/perft.py                        # depths 1 to 11 from the start
    python scripts/perft.py --moves f5d6 --depth 8 --divide

A pass is a ply; a finished game is a leaf. When a count is wrong, compare the counts by move of `--divide` with those
of another program, play the move that differs, and repeat.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
from _arguments import whole

from othello_env import Othello
from othello_env.games.othello import bitboard

PUBLISHED = Path(__file__).parents[1] / "tests" / "data" / "perft.csv"


def published() -> dict[int, int]:
    """The leaves of each depth from the 8x8 start."""
    with PUBLISHED.open(encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {int(row["depth"]): int(row["leaves"]) for row in rows}


def count(state: Othello, depth: int) -> int:
    """The number of lines of `depth` plies from a position."""
    own, opponent = np.uint64(state.own), np.uint64(state.opponent)
    return int(bitboard.perft(own, opponent, bitboard.BOARDS[state.size], depth))


def divide(state: Othello, depth: int) -> str:
    """The board, and the count of each move: where two programs differ, this shows below which move."""
    lines = [str(state), f"depth {depth}:"]
    for action in state.legal_actions():
        lines.append(f"{state.action_to_text(action)} {count(state.play(action), depth - 1)}")
    return "\n".join([*lines, f"total {count(state, depth)}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=whole(1, 60), default=11, help="the largest depth")
    parser.add_argument("--size", type=whole(4, 8), default=8, choices=bitboard.SIZES, help="of the board")
    parser.add_argument("--moves", default="", help="a transcript that leads to the position")
    parser.add_argument("--divide", action="store_true", help="print the counts by move at this depth only")
    args = parser.parse_args()
    state = Othello.from_moves(args.moves, args.size)
    if args.divide:
        print(divide(state, args.depth))
        return
    expected = published() if state == Othello() else {}
    count(state, 1)  # compiles
    for depth in range(1, args.depth + 1):
        began = time.perf_counter()
        leaves = count(state, depth)
        seconds = time.perf_counter() - began
        speed = f"{seconds:8.2f} s {leaves / max(seconds, 1e-9) / 1e6:7.1f} M leaves/s"
        if leaves != expected.get(depth, leaves):
            raise SystemExit(f"depth {depth}: {leaves}, but {expected[depth]} were published\n{divide(state, depth)}")
        print(f"{depth:3} {leaves:16,} {speed} {'as published' if depth in expected else ''}", flush=True)


if __name__ == "__main__":
    main()
