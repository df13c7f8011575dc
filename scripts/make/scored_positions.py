"""Take positions and openings from games, and find their exact scores.

    python scripts/make/scored_positions.py othello_env/arena/benchmark --size 8
    python scripts/make/scored_positions.py othello_env/arena/benchmark --size 6

The positions are for `othello_env.arena.measure_positions`. On 6x6 and 4x4, the script also makes the openings of
`play_perfect`.

The positions come from games that textbook players of different strengths play after a few random plies. The players
use no learned weights, so new weights do not change the positions. On 8x8, the first position of the list has 8 empty
squares, the second has 9, and so on up to 12. Then the numbers begin again with 8. On 6x6 they go from 4 to 22. Each
game gives at most one position: the first one with the wanted number of empty squares. A position is kept only if its
moves do not all have the same score. Of positions that are equal after the board is turned or mirrored, only one is
kept.

An opening is a few random plies from the start. Black's exact score after these plies is stored with the opening. On
6x6, about half of the openings are draws with perfect play. On 4x4, draws are rare, so the list has none. Openings that
one side wins by many discs are left out, because even weak play rarely changes the winner of such an opening.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import tyro
from _lists import canonical, random_positions, write_list

import othello_env
from othello_agents.engine import exact_scores
from othello_agents.perfect.solving import Solver, score_4x4
from othello_env import Othello, make_agent
from othello_env.arena.benchmark.perfect import OPENINGS
from othello_env.arena.benchmark.positions import LISTS
from othello_env.games.registry import GameSpec

PLAYERS = (
    "random",
    "maximizer:eval=count",
    "maximizer:eval=weighted,epsilon=0.1",
    "alphabeta:depth=2,eval=modified",
    "alphabeta:depth=4,eval=weighted",
    "alphabeta:depth=4,eval=mobility",
)
MEGABYTES = 1024


@dataclass(frozen=True)
class Plan:
    """The settings of the positions and openings for one size of the board."""

    empty: range  # the wanted numbers of empty squares, used in turn
    positions: int  # the number of positions
    random_plies: int  # random plies at the beginning of each game
    draws: int = 0  # openings that are draws with perfect play
    others: int = 0  # openings that one side wins
    opening_plies: int = 0  # plies in each opening
    largest: int = 0  # the largest margin, in discs, by which a side wins an opening with perfect play


PLANS = {
    4: Plan(range(2, 8), 120, 3, 0, 20, 4, 16),
    6: Plan(range(4, 23), 380, 6, 25, 24, 10, 12),
    8: Plan(range(8, 13), 500, 10),
}


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    folder: tyro.conf.Positional[Path]  # the folder for the lists
    size: Literal[8, 6, 4] = 8  # size of the board
    seed: int = 0  # the seed of the games


def position(number: int, seed: int, empty: int, size: int) -> Othello | None:
    """The first position with `empty` empty squares in the game with this number.

    If the game ends earlier, or if this position has only one legal action, the result is None.
    """
    rng = random.Random(f"{seed} {number}")  # noqa: S311 - no secret
    players = [make_agent(rng.choice(PLAYERS)) for _ in range(2)]
    for player in players:
        player.new_game(rng.getrandbits(64))
    state = Othello(size)
    while not state.is_over and state.empties > empty:
        legal = state.legal_actions()
        is_opening = len(state.moves) < PLANS[size].random_plies or state.must_pass
        state = state.play(rng.choice(legal) if is_opening else players[state.to_move].act(state))
    return state if not state.is_over and len(state.legal_actions()) > 1 else None


@cache
def scorer(size: int) -> Callable[[Othello], int]:
    """A function that returns the exact score of a position on a small board for the player to move."""
    return score_4x4 if size == 4 else Solver(MEGABYTES).score


def solved(state: Othello) -> dict[int, int]:
    """The exact score of each legal action, for the player to move."""
    if state.size == 8:
        row = exact_scores([state])[0]
        return {action: int(row[action]) for action in np.flatnonzero(~np.isnan(row)).tolist()}
    score = scorer(state.size)
    return {action: -score(state.play(action)) for action in state.legal_actions()}


def positions(size: int, seed: int) -> Iterator[str]:
    """Yield positions without end, as lines with the transcript and ``move:score`` for each legal move."""
    empty = PLANS[size].empty
    seen: set[bytes] = set()
    number = 0
    while True:
        state = position(number, seed, empty[len(seen) % len(empty)], size)
        number += 1
        if state is None or canonical(state) in seen:
            continue
        scores = solved(state)
        if len(set(scores.values())) > 1:
            seen.add(canonical(state))
            told = (f"{state.action_to_text(action)}:{score:+d}" for action, score in scores.items())
            yield " ".join([state.transcript(), *told])


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


def main(args: Args) -> None:
    made = f"Made by scripts/make/scored_positions.py with seed {args.seed}, othello-env {othello_env.__version__}."
    plan, size = PLANS[args.size], args.size
    head = (
        f"# {plan.positions} positions on {size}x{size} with {plan.empty[0]} to {plan.empty[-1]} empty squares: the "
        "game, and the final score\n"
        "# of each move for the player to move under perfect play, in discs, empty squares to the winner.\n"
        f"# {made}"
    )
    game = str(GameSpec.parse(f"othello:size={size}"))
    write_list(args.folder / f"{LISTS[game].name}.txt", head, positions(size, args.seed), plan.positions)
    if game in OPENINGS:
        head = (
            f"# {plan.draws} drawn and {plan.others} other openings on {size}x{size}, and Black's final score under\n"
            f"# perfect play, in discs. {made}"
        )
        write_list(args.folder / f"{OPENINGS[game][0]}.txt", head, openings(size, args.seed), plan.draws + plan.others)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
