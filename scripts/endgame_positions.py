"""Take endgame positions from random games, and find the exact score of every move.

    python scripts/endgame_positions.py othello_env/arena/rating/endgame-v0.txt

Textbook players of several strengths play each other after ten random plies. They use no learned weights, so new
weights do not change the positions. Each game gives at most one position: the first position with a wanted number of
empty squares. The wanted numbers are 8, 9, 10, 11 and 12 in turn. The position is kept only if the player to move has
moves of different scores, and if no mirror image of the position was kept before.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _arguments import parse, path, whole
from _packaged import canonical

import othello_env
from othello_agents.engine import exact_scores
from othello_env import Othello, make_agent
from othello_env.support.files import write_file

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
    """The first position of a game with `empty` empty squares.

    None if the game ends before, or if this position has only one legal action.
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


def positions(seed: int) -> Iterator[tuple[Othello, dict[int, int]]]:
    """An endless sequence of positions, each with the score of every move for the player to move."""
    seen: set[bytes] = set()
    found = number = 0
    while True:
        state = game(number, seed, EMPTY[found % len(EMPTY)])
        number += 1
        if state is None or canonical(state) in seen:
            continue
        row = exact_scores([state])[0]
        scores = {action: int(row[action]) for action in np.flatnonzero(~np.isnan(row)).tolist()}
        if len(set(scores.values())) > 1:
            seen.add(canonical(state))
            found += 1
            yield state, scores


def main(arguments: list[str] | None = None) -> None:
    args = parse(__doc__, Arguments, arguments)
    lines = [
        f"# {args.count} positions with {EMPTY[0]} to {EMPTY[-1]} empty squares: the game, and the final score of each",
        "# move for the player to move under perfect play, in discs, empty squares to the winner.",
        f"# Made by scripts/endgame_positions.py with seed {args.seed}, othello-env {othello_env.__version__}.",
    ]
    for (state, scores), _ in zip(positions(args.seed), range(args.count), strict=False):
        moves = " ".join(f"{state.action_to_text(action)}:{score:+d}" for action, score in scores.items())
        lines.append(f"{state.transcript()} {moves}")
        print(f"\r{len(lines) - 3} of {args.count}", end="", file=sys.stderr, flush=True)
    write_file(args.file, "".join(f"{line}\n" for line in lines).encode())
    print(f"\nwritten to {args.file}")


if __name__ == "__main__":
    main()
