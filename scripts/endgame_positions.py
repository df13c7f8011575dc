"""Take endgame positions from games of textbook players, and find the exact score of every move.

    python scripts/endgame_positions.py othello_env/arena/rating/endgame-v0.txt

The players are of different strengths. They play each other after ten random plies. They use no learned weights, so the
positions stay the same if the package gets new weights. The first position of the list has 8 empty squares, the second
has 9, and so on up to 12. Then the numbers begin again with 8. Each game gives at most one position: the first one with
the number of empty squares that the list needs next. A position is kept only if at least two of its moves have
different scores. Of positions that are equal after the board is turned or mirrored, only one is kept.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _arguments import parse, path, whole
from _packaged import canonical, line_of, write_list

import othello_env
from othello_agents.engine import exact_scores
from othello_env import Othello, make_agent

PLAYERS = (
    "random",
    "maximizer:eval=count",
    "maximizer:eval=weighted,epsilon=0.1",
    "alphabeta:depth=2,eval=modified",
    "alphabeta:depth=4,eval=weighted",
    "alphabeta:depth=4,eval=mobility",
)
EMPTY = (8, 9, 10, 11, 12)
RANDOM_PLIES = 10


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    file: Path = path("the file of the list", positional=True)
    count: int = whole(500, "positions to keep")
    seed: int = whole(0, "the seed of the games", least=0)


def game(number: int, seed: int, empty: int, size: int = 8, random_plies: int = RANDOM_PLIES) -> Othello | None:
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
        is_opening = len(state.moves) < random_plies or state.must_pass
        state = state.play(rng.choice(legal) if is_opening else players[state.to_move].act(state))
    return state if not state.is_over and len(state.legal_actions()) > 1 else None


def positions(
    seed: int,
    empty: Sequence[int],
    solve: Callable[[Othello], dict[int, int]],
    size: int = 8,
    random_plies: int = RANDOM_PLIES,
) -> Iterator[str]:
    """Yield positions without end. Each position is a line of text with the scores of all moves.

    Args:
        seed: the seed of the games.
        empty: the wanted numbers of empty squares. They are used in turn.
        solve: a function that returns the exact score of each legal action of a position, for the player to move.
        size: the side of the board.
        random_plies: the number of random plies at the beginning of each game.
    """
    seen: set[bytes] = set()
    number = 0
    while True:
        state = game(number, seed, empty[len(seen) % len(empty)], size, random_plies)
        number += 1
        if state is None or canonical(state) in seen:
            continue
        scores = solve(state)
        if len(set(scores.values())) > 1:
            seen.add(canonical(state))
            yield line_of(state, scores)


def solved(state: Othello) -> dict[int, int]:
    """The exact score of each legal action, for the player to move."""
    row = exact_scores([state])[0]
    return {action: int(row[action]) for action in np.flatnonzero(~np.isnan(row)).tolist()}


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    head = (
        f"# {args.count} positions with {EMPTY[0]} to {EMPTY[-1]} empty squares: the game, and the final score of each"
        "\n# move for the player to move under perfect play, in discs, empty squares to the winner.\n"
        f"# Made by scripts/endgame_positions.py with seed {args.seed}, othello-env {othello_env.__version__}."
    )
    write_list(args.file, head, positions(args.seed, EMPTY, solved), args.count)
    print(f"written to {args.file}")


if __name__ == "__main__":
    main()
