"""N games of Tribolo as arrays; see `othello_env.games.batch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch, EndedGames
from othello_env.games.batch import functions as batch
from othello_env.games.batch.state import BatchState, InitialArrays, Outputs
from othello_env.games.game import State
from othello_env.games.hashing import below
from othello_env.games.tribolo import kernels
from othello_env.games.tribolo.kernels import EMPTY, NOBODY, PLAYERS, WALL
from othello_env.games.tribolo.position import ATTEMPTS, Tribolo
from othello_env.support.dispatch import implementation

__all__ = ["TriboloBatch", "TriboloBoards", "TriboloConstants"]

_Array = npt.NDArray[Any]


class TriboloConstants(NamedTuple):
    """The constants of a game that the kernels need; see `Tribolo`."""

    width: int
    height: int
    cells: int
    walls: int
    attempts: int
    """The largest number of random starts that are tried in order to find a start in which somebody can move."""


class TriboloBoards(NamedTuple):
    """The boards of N games, H rows and W columns each."""

    grid: npt.NDArray[np.int8]
    """(N, (H + 2) * (W + 2)), a grid for each game; see `othello_env.games.tribolo.kernels`."""
    legal: npt.NDArray[np.int8]
    """(N, H * W), 1 for each cell that the player to move may take, else 0."""


@implementation(batch.set_start, TriboloConstants)
def _set_start(
    constants: TriboloConstants, state: BatchState, i: int, key: np.uint64, initial: InitialArrays, chosen: int
) -> bool:
    grid, legal = state.boards.grid[i], state.boards.legal[i]
    if len(initial.plies) > 0:
        for spot in range(len(grid)):
            grid[spot] = initial.boards.grid[chosen, spot]
        for action in range(len(legal)):
            legal[action] = initial.boards.legal[chosen, action]
        state.to_move[i] = initial.to_move[chosen]
        return True
    mover = kernels.scatter(
        grid, key, constants.width, constants.height, constants.cells, constants.walls, legal, constants.attempts
    )
    state.to_move[i] = mover
    return mover != NOBODY


@implementation(batch.placed, TriboloConstants)
def _placed(constants: TriboloConstants, state: BatchState, i: int) -> np.uint64:
    owned = 0
    for owner in state.boards.grid[i]:
        owned += owner < PLAYERS
    return np.uint64(owned)


@implementation(batch.choose, TriboloConstants)
def _choose(constants: TriboloConstants, state: BatchState, i: int, bits: np.uint64) -> int:
    legal = state.boards.legal[i]
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
def _play(constants: TriboloConstants, state: BatchState, i: int, action: int) -> None:
    grid, legal, mover = state.boards.grid[i], state.boards.legal[i], state.to_move[i]
    kernels.place(grid, action, mover, constants.width)
    first = (mover + 1) % PLAYERS
    following = kernels.next_mover(grid, first, constants.width, constants.height, legal)
    state.over[i] = following == NOBODY
    state.to_move[i] = first if following == NOBODY else following


@implementation(batch.score, TriboloConstants)
def _score(constants: TriboloConstants, state: BatchState, i: int, player: int) -> int:
    owned = 0
    for owner in state.boards.grid[i]:
        owned += owner == player
    return owned


@implementation(batch.result, TriboloConstants)
def _result(constants: TriboloConstants, state: BatchState, i: int, player: int, by_margin: bool) -> float:
    mine = _score(constants, state, i, player)
    total, best, winners = 0, 0, 0
    for other in range(PLAYERS):
        owned = _score(constants, state, i, other)
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
def _largest_margin(constants: TriboloConstants, state: BatchState, i: int) -> float:
    free = 0
    for owner in state.boards.grid[i]:
        free += owner <= EMPTY
    return float(free)


@implementation(batch.is_legal, TriboloConstants)
def _is_legal(constants: TriboloConstants, state: BatchState, i: int, action: int) -> bool:
    return bool(state.boards.legal[i, action] == 1)


@implementation(batch.store_board, TriboloConstants)
def _store_board(constants: TriboloConstants, state: BatchState, i: int, records: _Array, k: int) -> None:
    grid = state.boards.grid
    for spot in range(grid.shape[1]):
        records["grid"][k][spot] = grid[i, spot]


@implementation(batch.encode, TriboloConstants)
def _encode(constants: TriboloConstants, state: BatchState, out: Outputs) -> None:
    batch.score_all(constants, state, out.scores)
    planes, masks = out.encoder_buffers
    for i in range(len(state.over)):
        viewer = state.learner[i] if state.over[i] and state.learner[i] >= 0 else state.to_move[i]
        following, last = (viewer + 1) % PLAYERS, (viewer + 2) % PLAYERS
        for row in range(constants.height):
            spot = (row + 1) * (constants.width + 2) + 1
            line = state.boards.grid[i, spot : spot + constants.width]
            for column in range(constants.width):
                planes[i, 0, row, column] = line[column] == viewer
            for column in range(constants.width):
                planes[i, 1, row, column] = line[column] == following
            for column in range(constants.width):
                planes[i, 2, row, column] = line[column] == last
            for column in range(constants.width):
                planes[i, 3, row, column] = line[column] == WALL
        for action in range(masks.shape[1]):
            masks[i, action] = 0 if state.over[i] else state.boards.legal[i, action]


class TriboloBatch(Batch):
    """N games of Tribolo with the options of `start`. Each game has its own board."""

    start: Tribolo
    starts_differ = True

    def __init__(self, n: int, start: Tribolo) -> None:
        width, height = start.width, start.height
        boards = TriboloBoards(
            grid=np.zeros((n, (width + 2) * (height + 2)), np.int8), legal=np.zeros((n, width * height), np.int8)
        )
        constants = TriboloConstants(width, height, start.cells, len(start.walls()), ATTEMPTS)
        super().__init__(start, constants, boards, ("grid",), width * height, np.int16)

    def opening_boards(self, positions: Sequence[State]) -> TriboloBoards:
        grid, legal = (np.zeros((len(positions), array.shape[1]), np.int8) for array in self.arrays.boards)
        for k, position in enumerate(positions):
            assert isinstance(position, Tribolo)
            if len(position.moves) + len(position.legal_actions()) > position.num_actions:
                raise ValueError(f"{len(position.moves)} moves cannot lead to this position:\n{position}")
            grid[k], legal[k] = position.grid(), position.action_mask()
        return TriboloBoards(grid, legal)

    def state(self, i: int) -> Tribolo:
        return self._state(self.arrays.boards.grid[i], int(self.arrays.to_move[i]), self.arrays.moves_of(i))

    def final_state(self, ended: EndedGames, k: int) -> Tribolo:
        return self._state(ended.rows["grid"][k], int(ended.rows["to_move"][k]), ended.moves_of(k))

    def _state(self, grid: npt.NDArray[np.int8], to_move: int, moves: tuple[int, ...]) -> Tribolo:
        return self.start.at(grid.tobytes(), to_move, moves)
