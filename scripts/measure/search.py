"""Measure the engine: its speed, the nodes and time to each depth, and exact endgames.

    python scripts/measure/search.py
    python scripts/measure/search.py --ffo 40-44 --depths 8 10

Each time is the median of several runs. The times depend on the machine, so the tables also have ratios.

Perft counts all move sequences of a given length from the start, and computes the last position of each sequence (a
leaf). The column "of perft" is the engine's nodes a second divided by the leaves a second of perft. The speed of perft
is measured before and after every row of the middlegame table and every group of endgames. The column uses the mean of
both measurements.
"""

import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import tyro
from _bench import machine, perft_work, rate, truth

from othello_agents.engine import Engine, exact_scores
from othello_agents.engine.evaluator import square_sums
from othello_agents.search.alphabeta import AlphaBeta
from othello_env import Othello
from othello_env.games.openings import Openings

T = TypeVar("T")
REFERENCE_RATE = 57.0  # in millions of leaves a second; endgame times are also printed for a machine of this speed
MOST_FFO = 44
LEAST_EMPTIES = 6  # with fewer, positions with a choice of moves are rare
PERFT = perft_work(8)


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    depths: tuple[int, ...] = (8, 10, 12)  # depths of the middlegame searches
    evals: tuple[str, ...] = ("weighted", "mobility", "ntuple", "engine")  # evaluations; engine: its default
    positions: int = 8  # number of searched positions
    empties: int = 40  # their number of empty squares
    ffo: str = "40-44"  # which endgames of the FFO suite (published test positions) to solve, 1-44, or none
    seed: int = 1  # the seed of the positions
    repeats: int = 3  # number of runs; each time is their median


def numbers(ffo: str) -> range:
    """The numbers of the endgames that ``--ffo`` names."""
    if ffo == "none":
        return range(0)
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", ffo)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= first <= last <= MOST_FFO:
        sys.exit(f"--ffo: expected none, or numbers from 1 to {MOST_FFO} such as 40-44, got {ffo!r}")
    return range(first, last + 1)


def perft_rate() -> float:
    """The number of leaves that perft counts in a second, in millions. The measurement takes half a second."""
    return rate(PERFT, 0.5) / 1e6


def beside_perft(run: Callable[[], T]) -> tuple[T, float]:
    """Call `run`. Return its result, and the mean speed of perft just before and just after the call."""
    before = perft_rate()
    result = run()
    return result, (before + perft_rate()) / 2


def positions(empty: int, n: int, seed: int) -> list[Othello]:
    """Positions of random games with `empty` empty squares and more than one legal move."""
    found: list[Othello] = []
    while len(found) < n:
        seed += 1
        state = Openings.random(Othello(), 60 - empty, seed)
        assert isinstance(state, Othello)
        if state.empties == empty and len(state.legal_actions()) > 1:
            found.append(state)
    return found


def measure_middlegame(
    depths: Sequence[int], states: Sequence[Othello], evaluations: Sequence[str], repeats: int
) -> None:
    """Print the nodes and the time to each depth, with and without selective search.

    If textbook alpha-beta can use the evaluation, and the depth is at most 8, also print the nodes of textbook
    alpha-beta divided by the engine's nodes.
    """
    print(
        f"{len(states)} middlegame positions       nodes each   M nodes/s   of perft   ms each   same moves   "
        f"nodes of the textbook's / these"
    )
    for name in evaluations:
        for depth in depths:
            best: list[int] = []  # the best moves without selective search
            for selective in (False, True) if name in ("ntuple", "engine") else (False,):
                evaluation = None if name == "engine" else name
                engine = Engine(depth=depth, exact=0, eval=evaluation, selective=selective)
                engine.act(states[0])
                runs, limit = beside_perft(
                    lambda engine=engine: [[engine.analyse(state) for state in states] for _ in range(repeats)]
                )
                found = runs[0]
                nodes = sum(a.nodes for a in found)
                seconds = statistics.median(sum(a.seconds for a in each) for each in runs)
                best = best or [a.best for a in found]
                same = sum(a.best == other for a, other in zip(found, best, strict=True))
                ratio = (
                    f"{textbook_nodes(depth, name, states) / nodes:10.1f}"
                    if name in square_sums() and depth <= 8
                    else ""
                )
                print(
                    f"{name:9}{' selective' if selective else '':10} depth {depth:2} {nodes / len(states):14,.0f} "
                    f"{nodes / seconds / 1e6:11.1f} {nodes / seconds / 1e6 / limit:10.2f} "
                    f"{1e3 * seconds / len(states):9.1f} {same:8} of {len(states)} {ratio}"
                )


def textbook_nodes(depth: int, name: str, states: Sequence[Othello]) -> int:
    """The number of nodes that alpha-beta visits without the engine's improvements.

    This alpha-beta tries the moves in ascending order of their action numbers.
    """
    textbook = AlphaBeta(depth, name)
    return sum(textbook.search(state).nodes for state in states)


def measure_exact(n: int, seed: int, repeats: int) -> None:
    """For positions with 12 empty squares, print two times: to find the best score, and to find every move's score."""
    states, engine = positions(12, n, seed), Engine(exact=12)
    engine.act(states[0])
    exact_scores(states[:1])

    def milliseconds(call: Callable[[Othello], object], state: Othello) -> float:
        began = time.perf_counter()
        call(state)
        return 1e3 * (time.perf_counter() - began)

    calls = {"exact score": engine.act, "every move's score": lambda state: exact_scores([state])}
    for name, call in calls.items():
        taken, limit = beside_perft(
            lambda call=call: [statistics.median(milliseconds(call, state) for _ in range(repeats)) for state in states]
        )
        median = statistics.median(taken)
        print(
            f"12 empty squares, {name:18} median {median:7.2f} ms, largest {max(taken):7.1f} ms; "
            f"median at {REFERENCE_RATE:.0f} M leaves/s: {median * limit / REFERENCE_RATE:.2f} ms"
        )


def measure_ffo(rows: Sequence[tuple[int, Othello, int]], repeats: int) -> None:
    """Print the nodes and the time that the engine needs to solve endgames of the FFO suite."""
    engine = Engine()
    engine.act(Othello())
    states = [state for _, state, _ in rows]
    runs, limit = beside_perft(lambda: [[engine.solve(state) for state in states] for _ in range(repeats)])
    print(f"{'FFO':>4} {'empty':>6} {'score':>6} {'M nodes':>9} {'seconds':>8} {'M/s':>6}   of perft")
    for (number, state, score), found in zip(rows, zip(*runs, strict=True), strict=True):
        nodes, seconds = found[0].nodes / 1e6, statistics.median(each.seconds for each in found)
        verdict = "" if found[0].score == score else f"   WRONG, it is {score}"
        print(
            f"{number:>4} {state.empties:6} {found[0].score:+6.0f} {nodes:9.1f} "
            f"{seconds:8.2f} {nodes / seconds:6.1f} {nodes / seconds / limit:10.2f}{verdict}"
        )
    totals = [sum(each.seconds for each in run) for run in runs]
    median = statistics.median(totals)
    print(
        f"together {median:.1f} s ({min(totals):.1f} to {max(totals):.1f} in {repeats} runs) where perft makes "
        f"{limit:.0f} M leaves a second; {median * limit / REFERENCE_RATE:.1f} s where it makes {REFERENCE_RATE:.0f}"
    )


def endgames(chosen: range) -> list[tuple[int, Othello, int]]:
    """Endgames of the FFO suite: their numbers, positions and exact scores."""
    rows = [row for row in truth("ffo.csv") if int(row["number"]) in chosen]
    return [(int(row["number"]), Othello.from_text(row["board"], row["to_move"]), int(row["score"])) for row in rows]


def main(args: Args) -> None:
    if not LEAST_EMPTIES <= args.empties <= 60:
        sys.exit(f"--empties: expected a number from {LEAST_EMPTIES} to 60, got {args.empties}")
    ends = endgames(numbers(args.ffo))
    print(machine())
    states = positions(args.empties, args.positions, args.seed)
    PERFT()  # not measured: the first call compiles code
    print(f"bare perft: {perft_rate():.1f} M leaves a second")
    if args.depths and args.evals:
        measure_middlegame(args.depths, states, args.evals, args.repeats)
    measure_exact(100, args.seed, args.repeats)
    if ends:
        measure_ffo(ends, args.repeats)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
