"""Take positions and openings from games on a small board, and find their exact scores.

    python scripts/regret_positions.py othello_env/arena/rating --size 6

The positions are for `othello_env.arena.measure_regret`. Each position has the exact score of every move. As in
`endgame_positions.py`, the positions come from games that textbook players play after a few random plies. The players
use no learned weights, so new weights do not change the positions. Each game gives at most one position: the first
position with a wanted number of empty squares. On 6x6, the wanted number is 4 for the first position, 5 for the second
position, and so on up to 22. After 22, the numbers begin again with 4. A position is kept only if its moves do not all
have the same score. Of positions that are equal after the board is turned or mirrored, only one is kept.

An opening is a few random plies from the start. Black's exact score after these plies is stored with the opening. On
6x6, about half of the openings are draws with perfect play. On 4x4, draws are rare, so the list has none. Openings that
one side wins by many discs are left out, because even weak play rarely changes the winner of such an opening.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from _arguments import one_of, parse, path, whole
from _packaged import random_positions, write_list
from endgame_positions import positions

import othello_env
from othello_agents.perfect.solving import Solver, score_4x4
from othello_env import Othello
from othello_env.arena.rating.accuracy import regret_name
from othello_env.arena.rating.benchmark import openings_name

MEGABYTES = 1024


@dataclass(frozen=True)
class Plan:
    """The settings of the positions and openings for one size of the board.

    Attributes:
        empty: the wanted numbers of empty squares. They are used in turn.
        positions: the number of positions.
        random_plies: the number of random plies at the beginning of each game from which a position comes.
        draws: the number of openings that are draws with perfect play.
        others: the number of openings that one side wins.
        opening_plies: the number of plies in each opening.
        largest: the largest margin, in discs, by which a side wins an opening with perfect play.
    """

    empty: range
    positions: int
    random_plies: int
    draws: int
    others: int
    opening_plies: int
    largest: int


PLANS = {4: Plan(range(2, 8), 120, 3, 0, 20, 4, 16), 6: Plan(range(4, 23), 380, 6, 25, 24, 10, 12)}


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    folder: Path = path("the folder for the lists of positions and openings", positional=True)
    size: int = one_of(6, "size of the board: 4 or 6", (4, 6))
    seed: int = whole(0, "the seed of the games", least=0)


@cache
def scorer(size: int) -> Callable[[Othello], int]:
    """A function that returns the exact score of a position for the player to move."""
    return score_4x4 if size == 4 else Solver(MEGABYTES).score


def scored_positions(size: int, seed: int) -> Iterator[str]:
    """Yield positions without end. Each position is a line of text with the exact scores of all moves."""
    plan, score = PLANS[size], scorer(size)

    def solve(state: Othello) -> dict[int, int]:
        return {action: -score(state.play(action)) for action in state.legal_actions()}

    return positions(seed, plan.empty, solve, size, plan.random_plies)


def openings(size: int, seed: int) -> Iterator[str]:
    """Yield the openings. Each opening is a line of text with its moves and Black's exact score."""
    plan, score = PLANS[size], scorer(size)
    rng = random.Random(f"openings {seed}")  # noqa: S311 - no secret
    wanted = {True: plan.draws, False: plan.others}
    for state in random_positions(size, plan.opening_plies, rng):
        if not any(wanted.values()):
            return
        black = score(state) * (1 if state.to_move == 0 else -1)
        if wanted[black == 0] and abs(black) <= plan.largest:
            wanted[black == 0] -= 1
            yield f"{state.transcript()} {black:+d}"


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    made = f"Made by scripts/regret_positions.py with seed {args.seed}, othello-env {othello_env.__version__}."
    plan, size = PLANS[args.size], args.size
    head = (
        f"# {plan.positions} positions on {size}x{size} with {plan.empty[0]} to {plan.empty[-1]} empty squares: the "
        "game, and the final score\n"
        "# of each move for the player to move under perfect play, in discs, empty squares to the winner.\n"
        f"# {made}"
    )
    write_list(args.folder / f"{regret_name(size)}.txt", head, scored_positions(size, args.seed), plan.positions)
    head = (
        f"# {plan.draws} drawn and {plan.others} other openings on {size}x{size}, and Black's final score under\n"
        f"# perfect play, in discs. {made}"
    )
    count = plan.draws + plan.others
    write_list(args.folder / f"{openings_name(size)}.txt", head, openings(size, args.seed), count)
    print(f"written to {args.folder}")


if __name__ == "__main__":
    main()
