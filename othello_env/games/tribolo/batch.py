"""N games of Tribolo as arrays; see `othello_env.games.batch`.

The boards are two int8 arrays. The first array, (N, (H + 2) * (W + 2)), has a grid for each game (see
`othello_env.games.tribolo.kernels`). The second array, (N, H * W), is 1 for each cell that the player to move may
take, else 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch, Ends
from othello_env.games.batch import functions as batch
from othello_env.games.batch.state import BatchState, InitialArrays
from othello_env.games.game import State
from othello_env.games.hashing import below
from othello_env.games.tribolo import kernels
from othello_env.games.tribolo.kernels import EMPTY, NOBODY, PLAYERS, WALL
from othello_env.games.tribolo.position import ATTEMPTS, Tribolo
from othello_env.support.dispatch import implementation

__all__ = ["TriboloBatch", "TriboloConstants"]

_Array = npt.NDArray[Any]
_Boards = tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]


class TriboloConstants(NamedTuple):
    """The constants of a game that the kernels need; see `Tribolo`."""

    width: int
    height: int
    cells: int
    walls: int
    attempts: int
    """The largest number of random starts that are tried in order to find a start in which somebody can move."""


@implementation(batch.set_start, TriboloConstants)
def _set_start(
    constants: TriboloConstants,
    games: BatchState,
    boards: _Boards,
    i: int,
    key: np.uint64,
    initial: InitialArrays,
    chosen: int,
) -> bool:
    grid, legal = boards[0][i], boards[1][i]
    if len(initial.plies) > 0:
        for spot in range(len(grid)):
            grid[spot] = initial.boards[0][chosen, spot]
        for action in range(len(legal)):
            legal[action] = initial.boards[1][chosen, action]
        games.to_move[i] = initial.to_move[chosen]
        return True
    mover = kernels.scatter(
        grid, key, constants.width, constants.height, constants.cells, constants.walls, legal, constants.attempts
    )
    games.to_move[i] = mover
    return mover != NOBODY


@implementation(batch.turn, TriboloConstants)
def _turn(constants: TriboloConstants, games: BatchState, boards: _Boards, i: int) -> np.uint64:
    owned = 0
    for owner in boards[0][i]:
        owned += owner < PLAYERS
    return np.uint64(owned)


@implementation(batch.choose, TriboloConstants)
def _choose(constants: TriboloConstants, games: BatchState, boards: _Boards, i: int, bits: np.uint64) -> int:
    legal = boards[1][i]
    total = 0
    for flag in legal:
        total += flag
    left = int(below(bits, np.uint64(total)))
    action = 0
    while left > 0 or legal[action] == 0:
        left -= legal[action]
        action += 1
    return action


@implementation(batch.play, TriboloConstants)
def _play(constants: TriboloConstants, games: BatchState, boards: _Boards, i: int, action: int) -> None:
    grid, legal, mover = boards[0][i], boards[1][i], games.to_move[i]
    kernels.place(grid, action, mover, constants.width)
    first = (mover + 1) % PLAYERS
    following = kernels.next_mover(grid, first, constants.width, constants.height, legal)
    games.over[i] = following == NOBODY
    games.to_move[i] = first if following == NOBODY else following


@implementation(batch.score, TriboloConstants)
def _score(constants: TriboloConstants, games: BatchState, boards: _Boards, i: int, player: int) -> int:
    owned = 0
    for owner in boards[0][i]:
        owned += owner == player
    return owned


@implementation(batch.result, TriboloConstants)
def _result(
    constants: TriboloConstants, games: BatchState, boards: _Boards, i: int, player: int, by_margin: bool
) -> float:
    mine = _score(constants, games, boards, i, player)
    total, best, winners = 0, 0, 0
    for each in range(PLAYERS):
        owned = _score(constants, games, boards, i, each)
        total += owned
        winners = 1 if owned > best else winners + (owned == best)
        best = max(best, owned)
    if by_margin:
        return mine - (total - mine) / 2
    if winners == PLAYERS:
        return 0.0
    if mine < best:
        return -0.5
    return 1.0 if winners == 1 else 0.25


@implementation(batch.largest_margin, TriboloConstants)
def _largest_margin(constants: TriboloConstants, games: BatchState, boards: _Boards, i: int) -> float:
    free = 0
    for owner in boards[0][i]:
        free += owner <= EMPTY
    return float(free)


@implementation(batch.is_legal, TriboloConstants)
def _is_legal(constants: TriboloConstants, boards: _Boards, i: int, action: int) -> bool:
    return bool(boards[1][i, action] == 1)


@implementation(batch.keep, TriboloConstants)
def _keep(constants: TriboloConstants, boards: _Boards, i: int, ends: _Array, k: int) -> None:
    for spot in range(boards[0].shape[1]):
        ends[k]["grid"][spot] = boards[0][i, spot]


@implementation(batch.encode, TriboloConstants)
def _encode(
    constants: TriboloConstants,
    over: npt.NDArray[np.bool_],
    seats: _Boards,
    boards: _Boards,
    arrays: tuple[_Array, ...],
) -> None:
    to_move, learner = seats
    planes, masks = arrays
    for i in range(len(over)):
        viewer = learner[i] if over[i] and learner[i] >= 0 else to_move[i]
        following, last = (viewer + 1) % PLAYERS, (viewer + 2) % PLAYERS
        for row in range(constants.height):
            spot = (row + 1) * (constants.width + 2) + 1
            line = boards[0][i, spot : spot + constants.width]
            for column in range(constants.width):
                planes[i, 0, row, column] = line[column] == viewer
            for column in range(constants.width):
                planes[i, 1, row, column] = line[column] == following
            for column in range(constants.width):
                planes[i, 2, row, column] = line[column] == last
            for column in range(constants.width):
                planes[i, 3, row, column] = line[column] == WALL
        for action in range(masks.shape[1]):
            masks[i, action] = 0 if over[i] else boards[1][i, action]


class TriboloBatch(Batch):
    """N games of Tribolo with the options of `start`. Each game has its own board."""

    start: Tribolo
    starts_differ = True

    def __init__(self, n: int, start: Tribolo) -> None:
        width, height, walls = start.width, start.height, len(start.walls())
        spots = (width + 2) * (height + 2)
        super().__init__(
            n,
            start,
            TriboloConstants(width, height, start.cells, walls, ATTEMPTS),
            [np.zeros((n, spots), np.int8), np.zeros((n, width * height), np.int8)],
            [("grid", np.int8, (spots,))],
            width * height,
            np.int16,
        )

    def opening_boards(self, positions: Sequence[State]) -> tuple[_Array, ...]:
        grid, legal = (np.zeros((len(positions), array.shape[1]), np.int8) for array in self.boards)
        for k, position in enumerate(positions):
            assert isinstance(position, Tribolo)
            if len(position.moves) + len(position.legal_actions()) > position.num_actions:
                raise ValueError(f"{len(position.moves)} moves cannot lead to this position:\n{position}")
            grid[k], legal[k] = position.grid(), position.action_mask()
        return grid, legal

    def state(self, i: int) -> Tribolo:
        games = self.games
        return self._state(self.boards[0][i], int(games.to_move[i]), games.moves_of(i))

    def final_state(self, ends: Ends, k: int) -> Tribolo:
        return self._state(ends.rows["grid"][k], int(ends.rows["to_move"][k]), ends.moves_of(k))

    def _state(self, grid: npt.NDArray[np.int8], to_move: int, moves: tuple[int, ...]) -> Tribolo:
        return self.start.at(grid.tobytes(), to_move, moves)

    def final_boards(self, ends: npt.NDArray[np.void]) -> tuple[_Array, ...]:
        grid = np.ascontiguousarray(ends["grid"])
        return grid, np.zeros((len(ends), self.start.num_actions), np.int8)
