"""Make a packaged list of balanced openings.

    python scripts/make/balanced_openings.py othello_env/arena/balanced-v1.txt
    python scripts/make/balanced_openings.py othello_env/arena/balanced-6x6-v0.txt --size 6 --count 250
    python scripts/make/balanced_openings.py othello_env/arena/balanced-checkers-v0.txt --checkers --count 500

In Othello, the script takes positions after 10 random plies. On 8x8, it keeps a position if the engine expects a result
close to even. On 6x6, it keeps a position if the game ends in a draw under perfect play of both sides.

On both boards, a quick search first rules out most of the uneven positions. Of positions that are equal after the board
is turned or mirrored, only one is used. The same arguments, engine and weights give the same list. (The 500 openings of
``balanced-v0`` are older: positions after 8 plies, by the engine with the weights of the agent ``ntuple``.)

In checkers, it takes positions after 6 random plies if `alphabeta:depth=8` finds at most a quarter of a man for a side.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro
from _lists import random_positions, weights_digest, write_list

import othello_env
from othello_agents.engine import Engine
from othello_agents.evaluations.boards import MAN
from othello_agents.perfect.solving import Solver
from othello_agents.search.alphabeta import AlphaBeta
from othello_env import Checkers, Othello

QUICK_DEPTH = 4
QUICK_MARGIN = 0.25
QUICK_DEPTH_6X6 = 6
CHECKERS_PLIES = 6
MEGABYTES = 256
"""The size of the solver's transposition table."""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    file: tyro.conf.Positional[Path]  # the file of the list
    size: Literal[8, 6] = 8  # size of the board
    checkers: bool = False  # openings of checkers, not of Othello
    count: int = 10_000  # openings to keep
    plies: int = 10  # plies of each opening
    depth: int = 10  # on 8x8: depth of the engine's search
    margin: float = 0.05  # on 8x8: the largest expected result that counts as balanced, 0 to 1
    seed: int = 0  # the seed of the order of the positions


def balanced(candidates: Iterable[Othello], depth: int, margin: float) -> Iterator[Othello]:
    """Yield the positions that both a quick and a deep search judge as close to even."""
    quick, engine = (Engine(depth=depth) for depth in (QUICK_DEPTH, depth))
    for state in candidates:
        if abs(quick.analyse(state).score) <= QUICK_MARGIN and abs(engine.analyse(state).score) <= margin:
            yield state


def drawn(candidates: Iterable[Othello]) -> Iterator[Othello]:
    """Yield the positions on 6x6 that a quick search judges as close to even and that are draws with perfect play."""
    quick, solver = Engine(depth=QUICK_DEPTH_6X6), Solver(MEGABYTES)
    for state in candidates:
        is_close = abs(quick.analyse(state).score) <= QUICK_MARGIN
        if is_close and solver.score(state) == 0:
            yield state


def checkers(plies: int, rng: random.Random) -> Iterator[Checkers]:
    """Yield different positions of checkers after random plies, in which a search finds a quarter of a man or less."""
    search, seen = AlphaBeta(depth=8), set[Checkers]()
    while True:
        state = Checkers()
        for _ in range(plies):
            state = state.play(rng.choice(state.legal_actions()))
        if state not in seen and not state.going and abs(search.search(state).value) <= MAN / 4:
            seen.add(state)
            yield state


def openings(args: Args) -> tuple[str, Iterator[Othello]]:
    """A comment of two lines, and the openings. The comment says what all openings of the list have in common."""
    rng = random.Random(f"balanced {args.seed}")  # noqa: S311 - no secret
    candidates = (state for state in random_positions(args.size, args.plies, rng) if not state.must_pass)
    what = f"# {args.count} openings of {args.plies} plies, different under symmetry, in which "
    if args.size == 6:
        return what + "the game ends in a\n# draw on 6x6 under perfect play.", drawn(candidates)
    what += f"the engine at depth {args.depth}\n# expects a result within {args.margin} of even."
    return what, balanced(candidates, args.depth, args.margin)


def main(args: Args) -> None:
    if args.checkers:
        what = f"# {args.count} different openings of {CHECKERS_PLIES} plies, at most a quarter of a man from even for "
        what += f"alphabeta:depth=8.\n# Made by scripts/make/balanced_openings.py with seed {args.seed}."
        found = checkers(CHECKERS_PLIES, random.Random(f"balanced {args.seed}"))  # noqa: S311 - no secret
        write_list(args.file, what, (state.transcript() for state in found), args.count)
        return
    what, found = openings(args)
    made = (
        f"Made by scripts/make/balanced_openings.py with seed {args.seed}, othello-env {othello_env.__version__}, "
        f"weights {weights_digest('engine_8x8' if args.size == 8 else 'ntuple_6x6')}."
    )
    write_list(args.file, f"{what} {made}", (state.transcript() for state in found), args.count)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
