"""Which deep searches a shallow one makes superfluous: Multi-ProbCut.

The value of a position at some depth is nearly a linear function of its value at a smaller depth: slope * shallow +
offset, with a normal error. Where the shallow value says that the deep one lies beyond the window with a probability of
about 93 % (`CONFIDENCE` standard deviations), the deep search is left out (Buro, "Experiments with Multi-ProbCut and a
new high-quality evaluation function for Othello", 1997). ``scripts/fit_probcut.py`` fits the numbers to the weights
that ship.

Letters: S stages of the game, D depths.
"""

from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from othello_agents.search.kernels import Int
from othello_env.support.files import parse_json
from othello_env.support.jit import kernel

__all__ = [
    "CONFIDENCE",
    "FITTED_SIZES",
    "NO_CUTS",
    "SHALLOWEST",
    "SQUARES_A_STAGE",
    "shallow_depth",
    "shipped_cuts",
    "stage_of",
    "sufficient",
]

CONFIDENCE = 1.5
"""How many standard deviations beyond the window a shallow value has to promise."""
SHALLOWEST = 3
"""The smallest depth that is ever cut."""
SQUARES_A_STAGE = 8
"""A stage of the game is so many empty squares long."""

FITTED_SIZES = (8,)
"""The sizes of boards for which fits come with the package."""
NO_CUTS = np.zeros((0, 0, 3), np.float32)
"""The table of a search that leaves nothing out."""


@kernel
def shallow_depth(depth: Int) -> Int:
    """The depth whose values predict those at `depth`: about half, and of the same parity."""
    half = depth // 2
    return half - ((depth - half) & 1)


@kernel
def stage_of(empty: Int) -> Int:
    """The stage of the game with so many empty squares."""
    return empty // SQUARES_A_STAGE


@kernel
def sufficient(bound: Int, direction: Int, depth: Int, empty: Int, cuts: npt.NDArray[np.float32]) -> Int:
    """The shallow value with which a value of at least (direction 1) or at most (-1) `bound` is likely enough.

    A depth beyond the table counts as the table's deepest one.
    """
    slope, offset, deviation = cuts[stage_of(empty), min(depth - SHALLOWEST, cuts.shape[1] - 1)]
    shallow = (np.float32(bound) - offset + np.float32(direction * CONFIDENCE) * deviation) / slope
    return np.int64(np.ceil(shallow)) if direction > 0 else np.int64(np.floor(shallow))


@cache
def shipped_cuts(size: int) -> npt.NDArray[np.float32]:
    """(S, D, 3) float32: slope, offset and deviation for the n-tuple weights that ship; `NO_CUTS` if none are fitted.

    Stages are counted by `stage_of`, depths from `SHALLOWEST` on.

    Raises:
        OSError: the file is not there any more; the message names it.
        ValueError: the file is damaged; the message names it.
    """
    if size not in FITTED_SIZES:
        return NO_CUTS
    file = resources.files("othello_agents") / "weights" / f"probcut_{size}x{size}.json"
    try:
        fits = np.array(parse_json(file.read_bytes())["fits"], np.float32)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(file)!r} holds no fits for selective search: {error!r}") from error
    stages = (size * size - 4) // SQUARES_A_STAGE + 1
    if fits.ndim != 3 or len(fits) < stages or not fits.shape[1] or fits.shape[2] != 3 or not np.isfinite(fits).all():
        raise ValueError(f"{str(file)!r}: expected finite fits of shape (at least {stages}, D, 3), got {fits.shape}")
    return fits
