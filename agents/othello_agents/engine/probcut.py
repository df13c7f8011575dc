"""Multi-ProbCut: deep searches that are skipped since a shallow one predicts their result.

The value of a position at some depth is nearly a linear function of its value at a smaller depth: slope * shallow +
offset, with a normal error. If the shallow value predicts with a probability of about 93 % (`CONFIDENCE` standard
deviations) that the deep one lies beyond the window, the deep search is skipped (Buro, "Experiments with Multi-ProbCut
and a new high-quality evaluation function for Othello", 1997). ``scripts/fit_probcut.py`` fits the numbers to the
packaged weights.

Letters: S stages of the game, D depths.
"""

from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from othello_env.support.files import parse_json
from othello_env.support.jit import Int, kernel

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
"""The distance beyond the window, in standard deviations, at which a deep value must be predicted."""
SHALLOWEST = 3
"""The smallest depth at which a search is skipped."""
SQUARES_A_STAGE = 8
"""The length of a stage of the game in empty squares."""

FITTED_SIZES = (8,)
"""The sizes of boards that have packaged fits."""
NO_CUTS = np.zeros((0, 0, 3), np.float32)
"""The table of a search that skips nothing."""


@kernel
def shallow_depth(depth: Int) -> Int:
    """The depth whose values predict those at `depth`: about half, and of the same parity."""
    half = depth // 2
    return half - ((depth - half) & 1)


@kernel
def stage_of(empty: Int) -> Int:
    """The stage of the game, given the number of empty squares."""
    return empty // SQUARES_A_STAGE


@kernel
def sufficient(bound: Int, direction: Int, depth: Int, empty: Int, cuts: npt.NDArray[np.float32]) -> Int:
    """The shallow value that makes a deep value of at least (direction 1) or at most (-1) `bound` likely enough.

    A depth beyond the table uses the numbers of the table's greatest depth.
    """
    slope, offset, deviation = cuts[stage_of(empty), min(depth - SHALLOWEST, cuts.shape[1] - 1)]
    shallow = (np.float32(bound) - offset + np.float32(direction * CONFIDENCE) * deviation) / slope
    return np.int64(np.ceil(shallow)) if direction > 0 else np.int64(np.floor(shallow))


@cache
def shipped_cuts(size: int) -> npt.NDArray[np.float32]:
    """(S, D, 3) float32: slope, offset and deviation for the packaged n-tuple weights; `NO_CUTS` if none are fitted.

    Stages are counted by `stage_of`, depths from `SHALLOWEST` on.

    Raises:
        OSError: the file is missing; the message names it.
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
