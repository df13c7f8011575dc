"""Compiled rules of Tribolo on a grid of cells with a border.

A grid is an int8 array of the board's cells, row by row. A border of walls surrounds the board, so that no run of
cells crosses an edge. On a board of width W, cell (r, c) has the index ``(r + 1) * (W + 2) + c + 1``. The value of a
cell is its owner (0, 1 or 2), EMPTY or WALL. In the kernels, `spot` is the index of a cell, `step` is the difference of
the indices of two neighbouring cells, and `mover` is the player that moves. The kernels do not check their arguments.
"""

import numpy as np
import numpy.typing as npt

from othello_env.games.hashing import below, mix
from othello_env.support.jit import kernel

__all__ = ["EMPTY", "NOBODY", "PLAYERS", "WALL", "count_moves", "next_mover", "place", "scatter"]

PLAYERS = 3
EMPTY = 3
WALL = 4
NOBODY = 3
"""The return value of `next_mover` and `scatter` if no player can move."""


@kernel
def _run(grid: npt.NDArray[np.int8], spot: int, step: int, mover: int) -> int:
    """The number of cells that the mover converts in the direction `step` by taking the cell at `spot`.

    Next to `spot` there must be a run of one opponent's cells, and after the run a cell of the mover. The mover
    converts this run. Without such a run, the number is 0.
    """
    colour = grid[spot + step]
    if colour >= EMPTY or colour == mover:
        return 0
    length = 1
    end = spot + 2 * step
    while grid[end] == colour:
        length += 1
        end += step
    return length if grid[end] == mover else 0


@kernel
def _is_legal(grid: npt.NDArray[np.int8], spot: int, mover: int, stride: int) -> bool:
    if grid[spot] != EMPTY:
        return False
    for step in (1, stride - 1, stride, stride + 1):
        if _run(grid, spot, step, mover) > 0 or _run(grid, spot, -step, mover) > 0:
            return True
    return False


@kernel
def count_moves(grid: npt.NDArray[np.int8], mover: int, width: int, height: int, legal: npt.NDArray[np.int8]) -> int:
    """Fill `legal` (H * W,): 1 for each cell that the mover may take, 0 for the others. Returns the number of ones."""
    count = 0
    for row in range(height):
        for column in range(width):
            is_legal = _is_legal(grid, (row + 1) * (width + 2) + column + 1, mover, width + 2)
            legal[row * width + column] = is_legal
            count += is_legal
    return count


@kernel
def next_mover(grid: npt.NDArray[np.int8], first: int, width: int, height: int, legal: npt.NDArray[np.int8]) -> int:
    """The next player that can move, beginning with `first`, else NOBODY. Fills `legal` as `count_moves` does."""
    for k in range(PLAYERS):
        mover = (first + k) % PLAYERS
        if count_moves(grid, mover, width, height, legal) > 0:
            return mover
    return NOBODY


@kernel
def place(grid: npt.NDArray[np.int8], action: int, mover: int, width: int) -> None:
    """Take a cell for the mover and convert all runs that this move encloses. The grid is changed in place."""
    stride = width + 2
    spot = (action // width + 1) * stride + action % width + 1
    for step in (1, stride - 1, stride, stride + 1, -1, 1 - stride, -stride, -1 - stride):
        for k in range(_run(grid, spot, step, mover)):
            grid[spot + (k + 1) * step] = mover
    grid[spot] = mover


@kernel
def scatter(
    grid: npt.NDArray[np.int8],
    key: np.uint64,
    width: int,
    height: int,
    cells: int,
    walls: int,
    legal: npt.NDArray[np.int8],
    attempts: int,
) -> int:
    """Fill a grid with a random start. Returns the player that moves first.

    If nobody can move in a start, another start is tried. If all attempts fail, the result is NOBODY.

    The cells of players 0, 1 and 2 are placed in this order, then the walls. For each cell or wall, a random number
    chooses one of the places that are still free (Fisher-Yates shuffle). One more random number chooses the player that
    moves first. If this player cannot move, the next player that can move begins.

    The attempts are counted from 0, and so are the random numbers in each attempt. Random number k is
    `below(mix(mix(key, attempt), k), n)` (see `othello_env.games.hashing`), where n is the number of places or players
    to choose from.
    """
    size = width * height
    places = np.empty(size, np.int64)
    for attempt in range(attempts):
        attempt_key = mix(key, np.uint64(attempt))
        grid[:] = WALL
        for place_number in range(size):
            places[place_number] = (place_number // width + 1) * (width + 2) + place_number % width + 1
            grid[places[place_number]] = EMPTY
        taken = PLAYERS * cells + walls
        for k in range(taken):
            other = k + int(below(mix(attempt_key, np.uint64(k)), np.uint64(size - k)))
            spot = places[other]
            places[other] = places[k]
            grid[spot] = k // cells if k < PLAYERS * cells else WALL
        first = int(below(mix(attempt_key, np.uint64(taken)), np.uint64(PLAYERS)))
        mover = next_mover(grid, first, width, height, legal)
        if mover != NOBODY:
            return mover
    return NOBODY
