"""Functions for the scripts that make the package's data: a key that mirror images share, and a hash of the weights."""

import hashlib
from importlib import resources

from othello_env import Othello
from othello_env.games.othello import symmetries

__all__ = ["canonical", "weights_digest"]


def canonical(state: Othello) -> bytes:
    """A key of a position. All mirror images of the position have the same key."""
    planes = state.observation(state.to_move)
    return min(symmetries.transform_observation(planes, k).tobytes() for k in range(symmetries.COUNT))


def weights_digest() -> str:
    """A short hash of the packaged n-tuple weights for 8x8. Data files name it if they depend on the weights."""
    weights = resources.files("othello_agents") / "weights" / "ntuple_8x8.npz"
    return hashlib.sha256(weights.read_bytes()).hexdigest()[:16]
