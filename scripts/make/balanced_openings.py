"""Make a packaged list of balanced openings.

    python scripts/make/balanced_openings.py othello_env/arena/balanced-v0.txt
    python scripts/make/balanced_openings.py othello_env/arena/balanced-6x6-v0.txt --size 6 --count 250

On 8x8, the script finds all positions after 8 plies (``--plies``), and goes through them in random order. It keeps a
position if the engine expects a result close to even. On 6x6, the script takes positions after 10 random plies. It
keeps a position if the game ends in a draw under perfect play of both sides.

On both boards, a quick search first rules out most of the uneven positions. Of positions that are equal after the board
is turned or mirrored, only one is used. The engine uses the packaged weights of the agent ``ntuple``, as it did when
the packaged lists were made. The same arguments, engine and weights give the same list.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro
from _lists import canonical, random_positions, weights_digest, write_list

import othello_env
from othello_agents.engine import Engine
from othello_agents.perfect.solving import Solver
from othello_env import Othello

QUICK_DEPTH = 4
QUICK_MARGIN = 0.25
QUICK_DEPTH_6X6 = 6
PLIES = {8: 8, 6: 10}
"""For each size of the board, the number of plies of an opening."""
MEGABYTES = 256
"""The size of the solver's transposition table."""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    file: tyro.conf.Positional[Path]  # the file of the list
    size: Literal[8, 6] = 8  # size of the board
    count: int = 500  # openings to keep
    plies: int | None = None  # plies of each opening, by default 8 on 8x8 and 10 on 6x6
    depth: int = 10  # on 8x8: depth of the engine's search
    margin: float = 0.05  # on 8x8: the largest expected result that counts as balanced, 0 to 1
    seed: int = 0  # the seed of the order of the positions


def positions_after(plies: int) -> list[Othello]:
    """All unfinished positions after some plies from the start, in a fixed order.

    Positions that are equal after the board is turned or mirrored count once.

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


def balanced(candidates: Iterable[Othello], depth: int, margin: float) -> Iterator[Othello]:
    """Yield the positions that both a quick and a deep search judge as close to even."""
    quick, engine = (Engine(depth=plies, eval="ntuple") for plies in (QUICK_DEPTH, depth))
    for state in candidates:
        if abs(quick.analyse(state).score) <= QUICK_MARGIN and abs(engine.analyse(state).score) <= margin:
            yield state


def drawn(candidates: Iterable[Othello]) -> Iterator[Othello]:
    """Yield the positions on 6x6 that a quick search judges as close to even and that are draws with perfect play."""
    quick, solver = Engine(depth=QUICK_DEPTH_6X6), Solver(MEGABYTES)
    for state in candidates:
        is_close = not state.must_pass and abs(quick.analyse(state).score) <= QUICK_MARGIN
        if is_close and solver.is_score(state, 0):
            yield state


def openings(args: Args) -> tuple[str, Iterator[Othello]]:
    """A comment of two lines, and the openings. The comment says what all openings of the list have in common."""
    plies = PLIES[args.size] if args.plies is None else args.plies
    what = f"# {args.count} openings of {plies} plies"
    if args.size == 6:
        rng = random.Random(f"balanced {args.seed}")  # noqa: S311 - no secret
        what += " on 6x6, different under symmetry, in which the game ends in a\n# draw under perfect play."
        return what, drawn(random_positions(args.size, plies, rng))
    candidates = positions_after(plies)
    print(f"{len(candidates):,} different positions after {plies} plies")
    random.Random(args.seed).shuffle(candidates)  # noqa: S311 - no secret
    what += (
        f", different under symmetry, in which the engine at depth {args.depth} expects a result\n"
        f"# within {args.margin} of even."
    )
    return what, balanced(candidates, args.depth, args.margin)


def main(args: Args) -> None:
    what, found = openings(args)
    made = (
        f"Made by scripts/make/balanced_openings.py with seed {args.seed}, othello-env {othello_env.__version__}, "
        f"weights {weights_digest(args.size)}."
    )
    write_list(args.file, f"{what} {made}", (state.transcript() for state in found), args.count)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
