"""Tribolo on a bordered grid of cells, compiled.

A grid is an int8 array of the board's cells, row by row, with a border of walls on all four sides, so that no line
crosses an edge. Cell (r, c) of a board W wide is at ``(r + 1) * (W + 2) + c + 1``. A cell holds its owner (0, 1 or 2),
EMPTY or WALL. The kernels take plain numbers and check nothing.
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
"""Stands for the player to move if no player can move."""


@kernel
def _run(grid: npt.NDArray[np.int8], spot: int, step: int, mover: int) -> int:
    """The length of the run of one opponent's cells from beside a spot to a cell of the mover; 0 if there is none."""
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
    """Write 1 into `legal`, (H * W,), for each cell that a player may take, else 0. Returns the number of ones."""
    found = 0
    for row in range(height):
        for column in range(width):
            is_legal = _is_legal(grid, (row + 1) * (width + 2) + column + 1, mover, width + 2)
            legal[row * width + column] = is_legal
            found += is_legal
    return found


@kernel
def next_mover(grid: npt.NDArray[np.int8], first: int, width: int, height: int, legal: npt.NDArray[np.int8]) -> int:
    """The first player that can move, from `first` on in turn, or NOBODY. Fills `legal` as `count_moves` does."""
    for k in range(PLAYERS):
        mover = (first + k) % PLAYERS
        if count_moves(grid, mover, width, height, legal) > 0:
            return mover
    return NOBODY


@kernel
def place(grid: npt.NDArray[np.int8], action: int, mover: int, width: int) -> None:
    """Take a cell and convert all runs that this encloses; the grid is changed in place."""
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

    A start in which nobody can move is drawn again. If all attempts fail, the result is NOBODY. Draw k of an attempt is
    `below(mix(mix(key, attempt), k), n)`. The draws pick a place among the n that are left (Fisher and Yates), first
    for each of the cells of players 0, 1 and 2, then for each wall. The last draw picks the first player.
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
