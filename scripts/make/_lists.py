"""What the scripts of this folder share: random positions, lists of lines, and the hash of the packaged weights."""

import hashlib
import random
import sys
from collections.abc import Iterable, Iterator
from importlib import resources
from itertools import islice
from pathlib import Path

from othello_env import Othello, symmetries
from othello_env.support.files import write_file

MOST_GAMES = 100_000
"""After this number of games without a new position, `random_positions` ends."""


def canonical(state: Othello) -> bytes:
    """A key of a position. The key stays the same if the board is turned or mirrored."""
    planes = state.observation(state.to_move)
    return min(symmetries.transform_observation(planes, k).tobytes() for k in range(symmetries.COUNT))


def random_positions(size: int, plies: int, rng: random.Random) -> Iterator[Othello]:
    """Yield unfinished positions after `plies` random plies from the start.

    Of positions that are equal after the board is turned or mirrored, only the first is used. If many games in a row
    give no new position, the generator ends.
    """
    seen: set[bytes] = set()
    last = game = 0
    while game - last < MOST_GAMES:
        game += 1
        state = Othello(size)
        while not state.is_over and len(state.moves) < plies:
            state = state.play(rng.choice(state.legal_actions()))
        if not state.is_over and canonical(state) not in seen:
            seen.add(canonical(state))
            last = game
            yield state


def write_list(file: Path, head: str, lines: Iterable[str], count: int) -> None:
    """Write the comment `head` and the first `count` lines to a file."""
    found = [head, *islice(lines, count)]
    if len(found) <= count:
        sys.exit(f"{file}: only {len(found) - 1} of {count} positions were found")
    write_file(file, "".join(f"{line}\n" for line in found).encode())
    print(f"written to {file}")


def weights_digest(weights: str) -> str:
    """A short hash of packaged weights, such as ``ntuple_8x8``. Data files that depend on them contain this hash."""
    packaged = resources.files("othello_agents") / "weights" / f"{weights}.npz"
    return hashlib.sha256(packaged.read_bytes()).hexdigest()[:16]
