"""N games of Othello as arrays; see `othello_env.games.batch`.

The boards are three arrays of sets of squares, each (N,) uint64. `own` has the discs of the player to move, and
`opponent` has the other player's discs. `legal` has the squares on which the player to move may place a disc. If
`legal` is 0 and the game is not over, the player must pass. After the end of a game, `own` has the discs of the player
that sees the last observation. The field `viewer` of `othello_env.games.batch.state.ends_dtype` is the index of this
player.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import Batch, Ends, Positions
from othello_env.games.batch import functions as batch
from othello_env.games.batch.state import BatchState, InitialArrays
from othello_env.games.game import State
from othello_env.games.othello import loops
from othello_env.games.othello.bitboard import BOARDS, advance, draw_move, final_margin, game_result, popcount
from othello_env.games.othello.position import Othello
from othello_env.games.othello.positions import OthelloPositions
from othello_env.support.dispatch import implementation

__all__ = ["OthelloBatch", "OthelloConstants"]

_Array = npt.NDArray[Any]
_Boards = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.uint64]]
_0, _1 = np.uint64(0), np.uint64(1)


class OthelloConstants(NamedTuple):
    """The constants of a board that the kernels need."""

    board: np.uint64
    """The squares of the board, as a set of bits."""
    size: int


@implementation(batch.set_start, OthelloConstants)
def _set_start(
    constants: OthelloConstants,
    games: BatchState,
    boards: _Boards,
    i: int,
    key: np.uint64,
    initial: InitialArrays,
    chosen: int,
) -> bool:
    own, opponent, legal = boards
    games.to_move[i] = initial.to_move[chosen]
    own[i], opponent[i], legal[i] = initial.boards[0][chosen], initial.boards[1][chosen], initial.boards[2][chosen]
    return True


@implementation(batch.turn, OthelloConstants)
def _turn(constants: OthelloConstants, games: BatchState, boards: _Boards, i: int) -> np.uint64:
    return popcount(boards[0][i] | boards[1][i])


@implementation(batch.choose, OthelloConstants)
def _choose(constants: OthelloConstants, games: BatchState, boards: _Boards, i: int, bits: np.uint64) -> int:
    return int(draw_move(boards[2][i], bits, constants.size))


@implementation(batch.play, OthelloConstants)
def _play(constants: OthelloConstants, games: BatchState, boards: _Boards, i: int, action: int) -> None:
    own, opponent, legal = boards
    disc = loops.disc_of(action, np.uint64(constants.size))
    own[i], opponent[i], legal[i], reply = advance(own[i], opponent[i], disc, constants.board)
    games.over[i] = legal[i] | reply == _0
    games.to_move[i] ^= 1


@implementation(batch.play_all, OthelloConstants)
def _play_all(
    constants: OthelloConstants,
    games: BatchState,
    boards: _Boards,
    actions: npt.NDArray[np.int64],
    illegal: npt.NDArray[np.bool_],
) -> None:
    for i in range(len(actions)):
        games.to_move[i] ^= 1
    loops.place(actions, boards[0], boards[1], boards[2], games.over, constants.board, constants.size)


@implementation(batch.forfeit, OthelloConstants)
def _forfeit(constants: OthelloConstants, games: BatchState, boards: _Boards, i: int) -> None:
    own, opponent, legal = boards
    own[i], opponent[i] = opponent[i], own[i]  # the illegal action was played as a pass: undo that pass
    games.to_move[i] ^= 1
    legal[i], games.over[i] = _0, True


@implementation(batch.must_pass, OthelloConstants)
def _must_pass(constants: OthelloConstants, games: BatchState, boards: _Boards, i: int) -> bool:
    return bool(boards[2][i] == _0)


@implementation(batch.score, OthelloConstants)
def _score(constants: OthelloConstants, games: BatchState, boards: _Boards, i: int, player: int) -> int:
    own, opponent, _ = boards
    return int(popcount(own[i] if player == games.to_move[i] else opponent[i]))


@implementation(batch.score_all, OthelloConstants)
def _score_all(constants: OthelloConstants, games: BatchState, boards: _Boards, scores: npt.NDArray[np.int64]) -> None:
    loops.count_sides(boards[0], boards[1], games.to_move, scores)


@implementation(batch.result, OthelloConstants)
def _result(
    constants: OthelloConstants, games: BatchState, boards: _Boards, i: int, player: int, by_margin: bool
) -> float:
    own, opponent, _ = boards
    result = game_result(own[i], opponent[i])
    if by_margin:
        result = final_margin(own[i], opponent[i], constants.size * constants.size)
    return float(result if player == games.to_move[i] else -result)


@implementation(batch.largest_margin, OthelloConstants)
def _largest_margin(constants: OthelloConstants, games: BatchState, boards: _Boards, i: int) -> float:
    return float(constants.size * constants.size)


@implementation(batch.view_from, OthelloConstants)
def _view_from(constants: OthelloConstants, games: BatchState, boards: _Boards, i: int, viewer: int) -> None:
    own, opponent, _ = boards
    if viewer != games.to_move[i]:
        own[i], opponent[i] = opponent[i], own[i]


@implementation(batch.take, OthelloConstants)
def _take(constants: OthelloConstants, boards: _Boards, numbers: npt.NDArray[np.int64]) -> _Boards:
    own, opponent, legal = boards
    return own[numbers], opponent[numbers], legal[numbers]


@implementation(batch.play_taken, OthelloConstants)
def _play_taken(
    constants: OthelloConstants,
    games: BatchState,
    boards: _Boards,
    numbers: npt.NDArray[np.int64],
    taken: _Boards,
    actions: npt.NDArray[np.int64],
) -> None:
    own, opponent, legal = taken
    over = np.zeros(len(numbers), np.bool_)
    loops.place(actions, own, opponent, legal, over, constants.board, constants.size)
    for k in range(len(numbers)):
        i = numbers[k]
        boards[0][i], boards[1][i], boards[2][i], games.over[i] = own[k], opponent[k], legal[k], over[k]
        games.to_move[i] ^= 1


@implementation(batch.keep, OthelloConstants)
def _keep(constants: OthelloConstants, boards: _Boards, i: int, ends: npt.NDArray[Any], k: int) -> None:
    ends[k]["own"], ends[k]["opponent"] = boards[0][i], boards[1][i]


@implementation(batch.is_legal, OthelloConstants)
def _is_legal(constants: OthelloConstants, boards: _Boards, i: int, action: int) -> bool:
    return bool(loops.allowed(action, boards[2][i], np.uint64(constants.size)) != _0)


@implementation(batch.check, OthelloConstants)
def _check(
    constants: OthelloConstants,
    boards: _Boards,
    actions: npt.NDArray[np.int64],
    over: npt.NDArray[np.bool_],
    num_actions: int,
) -> int:
    return loops.check(actions, boards[2], over, constants.size)


@implementation(batch.encode, OthelloConstants)
def _encode(
    constants: OthelloConstants,
    over: npt.NDArray[np.bool_],
    seats: tuple[Any, ...],
    boards: _Boards,
    arrays: tuple[Any, ...],
) -> None:
    if constants.size == 8:
        loops.encode_8x8(boards, over, arrays)
    else:
        loops.encode_small(boards, over, arrays, constants.size)


class _GamesPositions(OthelloPositions):
    """Positions of some games of a batch. The method `state` returns a position with its moves.

    In other `OthelloPositions`, this method returns a position without moves.

    Args:
        games: the batch.
        numbers: (M,) the indices of the games in the batch.
        to_move: (M,) the players to move.
        key: (M,) the games' keys.
        boards: the boards of these games, as arrays (M,).
    """

    def __init__(
        self, games: OthelloBatch, numbers: _Array, to_move: _Array, key: _Array, boards: tuple[_Array, ...]
    ) -> None:
        own, opponent, legal = boards
        super().__init__(own, opponent, to_move, key, games.start.size, legal)
        self._games, self._numbers = games, numbers

    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> _GamesPositions:
        boards = self.own[places], self.opponent[places], self.legal[places]
        return _GamesPositions(self._games, self._numbers[places], self.to_move[places], self.key[places], boards)

    def state(self, i: int) -> Othello:
        return self._games.state(int(self._numbers[i]))


class OthelloBatch(Batch):
    """N games of Othello on boards of one size.

    For a variant of the rules, a subclass sets `constants_class`.

    Args:
        n: the number of games.
        start: the start position, of `Othello` or a subclass. All games are played on boards of its size.
    """

    constants_class = OthelloConstants
    """The class of the constants. It selects the compiled functions; see `othello_env.support.dispatch`."""
    start: Othello

    def __init__(self, n: int, start: Othello) -> None:
        squares = start.size**2
        super().__init__(
            n,
            start,
            self.constants_class(BOARDS[start.size], start.size),
            [np.zeros(n, np.uint64) for _ in range(3)],
            [("own", np.uint64), ("opponent", np.uint64)],
            2 * squares,
            np.int8,
        )

    def opening_boards(self, positions: Sequence[State]) -> tuple[_Array, ...]:
        squares, found = self.start.size**2, []
        for position in positions:
            assert isinstance(position, Othello)
            if len(position.moves) + 2 * (squares - position.turn) > 2 * squares:
                raise ValueError(f"{len(position.moves)} moves cannot lead to this position:\n{position}")
            found.append((position.own, position.opponent, position.legal_bits))
        own, opponent, legal = np.array(found, np.uint64).T
        return np.ascontiguousarray(own), np.ascontiguousarray(opponent), np.ascontiguousarray(legal)

    def state(self, i: int) -> Othello:
        own, opponent, _ = self.boards
        games, to_move = self.games, int(self.games.to_move[i])
        mine, other = int(own[i]), int(opponent[i])
        if games.over[i] and games.learner[i] == 1 - to_move:  # a finished game: `own` has the learner's discs
            mine, other = other, mine
        return self._state(mine, other, to_move, games.moves_of(i))

    def final_state(self, ends: Ends, k: int) -> Othello:
        end = ends.rows[k]
        mine, other, to_move = int(end["own"]), int(end["opponent"]), int(end["to_move"])
        own, opponent = (mine, other) if end["viewer"] == to_move else (other, mine)
        return self._state(own, opponent, to_move, ends.moves_of(k))

    def _state(self, own: int, opponent: int, to_move: int, moves: tuple[int, ...]) -> Othello:
        return type(self.start).from_bits(own, opponent, to_move, self.start.size).with_moves(moves)

    def final_boards(self, ends: npt.NDArray[np.void]) -> tuple[_Array, ...]:
        own, opponent = np.ascontiguousarray(ends["own"]), np.ascontiguousarray(ends["opponent"])
        return own, opponent, np.zeros_like(own)

    def _positions(
        self,
        numbers: npt.NDArray[np.int64],
        to_move: npt.NDArray[np.int8],
        key: npt.NDArray[np.uint64],
        boards: tuple[_Array, ...],
    ) -> Positions:
        if type(self.start) is not Othello:  # agents may take `OthelloPositions` for games with the usual rules
            return super()._positions(numbers, to_move, key, boards)
        return _GamesPositions(self, numbers, to_move, key, boards)

    def views(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> tuple[_Array, ...]:
        n, size = len(planes), self.start.size
        ranks = 8 if size == 8 else size - 1
        plane_ranks = np.ndarray((2 * n, ranks), np.uint64, planes, strides=(size**2, size))
        mask_ranks = np.ndarray((n, ranks), np.uint64, masks, strides=(size**2 + 1, size))
        rows, words = planes.reshape(2 * n, size**2), planes.reshape(-1).view(np.uint64)
        return rows, words, plane_ranks, masks, mask_ranks, loops.EXPAND
