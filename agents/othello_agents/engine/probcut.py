"""Multi-ProbCut: skip a deep search if a shallow search predicts its result.

Let "shallow" be the value that a shallow search of a position finds. A deep search of this position finds approximately
the value slope * shallow + offset, with a normally distributed error. So the shallow value gives the probability that
the deep value lies beyond the alpha-beta window. If this probability is at least about 93 % (`CONFIDENCE` standard
deviations), the deep search is skipped (Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation
function for Othello", 1997). A table of cuts holds the slope, the offset and the error's standard deviation for each
stage of the game and each depth. ``scripts/make/fit_probcut.py`` finds these numbers for packaged weights. The
engine's own weights and those of the agent ``ntuple`` have a table each.

Letters for shapes: S stages of the game, D depths.
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
    "cuts_file",
    "shallow_depth",
    "shipped_cuts",
    "stage_of",
    "sufficient",
]

CONFIDENCE = 1.5
"""A deep search is skipped if its predicted value lies at least this many standard deviations beyond the window."""
SHALLOWEST = 3
"""The smallest depth of a search that may be skipped."""
SQUARES_A_STAGE = 8
"""The number of discs that are placed during a stage of the game."""

FITTED_SIZES = (8,)
"""The board sizes that have a packaged table of cuts."""
NO_CUTS = np.zeros((0, 0, 3), np.float32)
"""The empty table of cuts, for a search that skips nothing."""


@kernel
def shallow_depth(depth: Int) -> Int:
    """The depth of the shallow search. Its value predicts the value of a search to `depth`.

    The returned depth is about half of `depth`. Both depths are odd, or both are even.
    """
    half = depth // 2
    return half - ((depth - half) & 1)


@kernel
def stage_of(empty: Int) -> Int:
    """The stage of the game, given the number of empty squares."""
    return empty // SQUARES_A_STAGE


@kernel
def sufficient(bound: Int, direction: Int, depth: Int, empty: Int, cuts: npt.NDArray[np.float32]) -> Int:
    """The value that a shallow search must reach, so that a deep search very likely reaches `bound`.

    In direction 1, if the shallow search finds at least the returned value, the deep value is likely to be at least
    `bound`. In direction -1, if the shallow search finds at most the returned value, the deep value is likely to be at
    most `bound`. If `depth` is too great for the table of cuts, the numbers of the greatest depth in the table are
    used that is odd if `depth` is odd, and even if `depth` is even.
    """
    column, last = depth - SHALLOWEST, cuts.shape[1] - 1
    if column > last:
        column = max(0, last - ((column - last) & 1))
    slope, offset, deviation = cuts[stage_of(empty), column]
    shallow = (np.float32(bound) - offset + np.float32(direction * CONFIDENCE) * deviation) / slope
    return np.int64(np.ceil(shallow)) if direction > 0 else np.int64(np.floor(shallow))


def cuts_file(size: int, agent: str) -> str:
    """The name of the file with the table of cuts for the packaged weights of an agent."""
    return f"probcut_{size}x{size}.json" if agent == "ntuple" else f"probcut_{agent}_{size}x{size}.json"


@cache
def shipped_cuts(size: int, agent: str = "ntuple") -> npt.NDArray[np.float32]:
    """The table of cuts for packaged n-tuple weights, (S, D, 3) float32: slope, offset and standard deviation.

    The weights are those that come with the package for the agent `ntuple` or `engine`.

    The first index is `stage_of`, and the second index is the depth minus `SHALLOWEST`. Returns `NO_CUTS` for a board
    size that is not in `FITTED_SIZES`.

    Raises:
        OSError: the file of the table is missing; the message names the file.
        ValueError: the file is damaged; the message names the file.
    """
    if size not in FITTED_SIZES:
        return NO_CUTS
    file = resources.files("othello_agents") / "weights" / cuts_file(size, agent)
    try:
        fits = np.array(parse_json(file.read_bytes())["fits"], np.float32)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(file)!r} holds no fits for selective search: {error!r}") from error
    stages = (size * size - 4) // SQUARES_A_STAGE + 1
    if fits.ndim != 3 or len(fits) < stages or not fits.shape[1] or fits.shape[2] != 3 or not np.isfinite(fits).all():
        raise ValueError(f"{str(file)!r}: expected finite fits of shape (at least {stages}, D, 3), got {fits.shape}")
    return fits
