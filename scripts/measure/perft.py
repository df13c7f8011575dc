"""Count the lines of play from a position (perft). For the 8x8 start, compare the counts with published counts.

    python scripts/measure/perft.py                # depths 1 to 11 from the start
    python scripts/measure/perft.py --moves f5d6 --depth 8 --divide

At depth d, a line of play is a sequence of d plies. A pass is a ply. If a game ends before depth d, its plies count as
one line, too. `--divide` prints, for each move, the number of lines that begin with it. If a total is wrong, compare
these counts with the counts of another program. If the programs have different counts for a move, add this move to
`--moves`, and compare again. Repeat this until you find the position in which the programs differ.
"""

import time
from dataclasses import dataclass

import numpy as np
import tyro
from _bench import truth

from othello_env import Othello
from othello_env.games.othello import bitboard


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    depth: int = 11  # the greatest depth
    size: int = 8  # size of the board: 4, 6 or 8
    moves: str = ""  # a transcript that leads to the position
    divide: bool = False  # print only the count of each move at --depth


def published() -> dict[int, int]:
    """For each depth, the published number of lines of play from the 8x8 start."""
    return {int(row["depth"]): int(row["leaves"]) for row in truth("perft.csv")}


def count(state: Othello, depth: int) -> int:
    """The number of lines of play of `depth` plies from a position."""
    own, opponent = np.uint64(state.own), np.uint64(state.opponent)
    return int(bitboard.perft(own, opponent, bitboard.BOARDS[state.size], depth))


def divide(state: Othello, depth: int) -> str:
    """A text with the board and the count of each move, to compare with the counts of another program."""
    lines = [str(state), f"depth {depth}:"]
    for action in state.legal_actions():
        lines.append(f"{state.action_to_text(action)} {count(state.play(action), depth - 1)}")
    return "\n".join([*lines, f"total {count(state, depth)}"])


def main(args: Args) -> None:
    state = Othello.from_moves(args.moves, args.size)
    if args.divide:
        print(divide(state, args.depth))
        return
    expected = published() if state == Othello() else {}
    count(state, 1)  # not measured: the first call compiles code
    for depth in range(1, args.depth + 1):
        began = time.perf_counter()
        leaves = count(state, depth)
        seconds = time.perf_counter() - began
        speed = f"{seconds:8.2f} s {leaves / max(seconds, 1e-9) / 1e6:7.1f} M leaves/s"
        if leaves != expected.get(depth, leaves):
            raise SystemExit(f"depth {depth}: {leaves}, but {expected[depth]} were published\n{divide(state, depth)}")
        print(f"{depth:3} {leaves:16,} {speed} {'as published' if depth in expected else ''}", flush=True)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
