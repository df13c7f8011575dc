"""Functions for the scripts that make the package's data: keys of positions, lists in files, a hash of the weights."""

import hashlib
from collections.abc import Iterable, Mapping
from importlib import resources
from itertools import islice
from pathlib import Path

from _recipe import show

from othello_env import Othello
from othello_env.games.othello import symmetries
from othello_env.support.files import write_file

__all__ = ["canonical", "line_of", "weights_digest", "write_list"]


def canonical(state: Othello) -> bytes:
    """A key of a position. All mirror images of the position have the same key."""
    planes = state.observation(state.to_move)
    return min(symmetries.transform_observation(planes, k).tobytes() for k in range(symmetries.COUNT))


def line_of(state: Othello, scores: Mapping[int, int]) -> str:
    """A position as a line of a list: its transcript, then ``move:score`` for each move of the player to move."""
    return " ".join([state.transcript(), *(f"{state.action_to_text(a)}:{score:+d}" for a, score in scores.items())])


def write_list(file: Path, head: str, lines: Iterable[str], count: int) -> None:
    """Write a list of `count` lines to a file, after the comment `head`. Show the number of lines that are ready."""
    found = [head]
    for number, line in enumerate(islice(lines, count), start=1):
        found.append(line)
        show(f"{file.name}: {number} of {count}")
    show("")
    write_file(file, "".join(f"{line}\n" for line in found).encode())


def weights_digest() -> str:
    """A short hash of the packaged n-tuple weights for 8x8. Data files name it if they depend on the weights."""
    weights = resources.files("othello_agents") / "weights" / "ntuple_8x8.npz"
    return hashlib.sha256(weights.read_bytes()).hexdigest()[:16]
