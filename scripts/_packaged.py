"""What the scripts share that make the data of the package: how they tell positions apart, and what they note."""

import hashlib
from importlib import resources

from othello_env import Othello
from othello_env.games.othello import symmetries

__all__ = ["canonical", "weights_digest"]


def canonical(state: Othello) -> bytes:
    """The same bytes for a position and its mirror images."""
    planes = state.observation(state.to_move)
    return min(symmetries.transform_observation(planes, k).tobytes() for k in range(symmetries.COUNT))


def weights_digest() -> str:
    """A short hash of the packaged weights, by which data that depend on them name them."""
    weights = resources.files("othello_agents") / "weights" / "ntuple_8x8.npz"
    return hashlib.sha256(weights.read_bytes()).hexdigest()[:16]
