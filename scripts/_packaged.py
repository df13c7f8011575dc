"""What the scripts that make the data of the package share: one key for mirror images, and a hash of the weights."""

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
    """A short hash of the packaged weights, for data that depend on them."""
    weights = resources.files("othello_agents") / "weights" / "ntuple_8x8.npz"
    return hashlib.sha256(weights.read_bytes()).hexdigest()[:16]
