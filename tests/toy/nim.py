"""Nim with one heap: a game outside the package. It is an example for people who add a game.

Two players take turns, and each takes one to three stones. Whoever takes the last stone wins. Action k takes k + 1
stones. An observation is one plane with a single row, which has a 1 for each stone.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from othello_env import Game, register_game
from othello_env.games.batch import Batch, EndedGames
from othello_env.games.batch import functions as batch
from othello_env.games.game import NotationError, State, check_text
from othello_env.games.hashing import below
from othello_env.support.dispatch import implementation

STONES = 12


class Nim(State):
    """A position: a heap of stones."""

    __slots__ = ("stones",)
    player_names = ("first", "second")
    stones: int

    def __init__(self, stones: int = STONES) -> None:
        self._set(stones, 0, ())

    def _set(self, stones: int, to_move: int, moves: tuple[int, ...]) -> Self:
        for name, value in (("stones", stones), ("to_move", to_move), ("moves", moves)):
            object.__setattr__(self, name, value)
        return self

    @classmethod
    def at(cls, stones: int, to_move: int, moves: tuple[int, ...]) -> Self:
        return cls.__new__(cls)._set(stones, to_move, moves)

    num_actions = 3
    observation_shape = (1, 1, STONES)
    largest_margin = 1.0

    @property
    def placed(self) -> int:
        return len(self.moves)

    @property
    def is_over(self) -> bool:
        return self.stones == 0

    def legal_actions(self) -> tuple[int, ...]:
        return tuple(range(min(3, self.stones)))

    def play(self, action: int) -> Self:
        action = self.check_action(action)
        if not self.is_legal(action):
            raise self.illegal(action)
        return self.at(self.stones - action - 1, 1 - self.to_move, (*self.moves, action))

    def scores(self) -> tuple[int, ...]:
        return self.stones, self.stones

    def returns(self) -> tuple[float, ...]:
        if not self.is_over:
            return 0.0, 0.0
        return (-1.0, 1.0) if self.to_move == 0 else (1.0, -1.0)

    def margins(self) -> tuple[float, ...]:
        return self.returns()

    def mobility(self, player: int) -> int:
        return len(self.legal_actions())

    def observation(self, player: int) -> npt.NDArray[np.int8]:
        return (np.arange(STONES) < self.stones).astype(np.int8).reshape(self.observation_shape)

    def action_to_text(self, action: int) -> str:
        return str(action + 1)

    def action_from_text(self, text: str) -> int:
        if check_text(text, "a move").strip() not in ("1", "2", "3"):
            raise NotationError(f"expected 1, 2 or 3, got {text!r}")
        return int(text) - 1

    def play_move(self, move: int | str) -> Self:
        return self.play(self.action_from_text(move) if isinstance(move, str) else move)

    @staticmethod
    def transcript_moves(transcript: str) -> Iterator[str]:
        yield from transcript.split()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nim) and (self.stones, self.to_move) == (other.stones, other.to_move)

    def __hash__(self) -> int:
        return hash((self.stones, self.to_move))

    def __reduce__(self) -> tuple[Any, ...]:
        return Nim.at, (self.stones, self.to_move, self.moves)

    def __repr__(self) -> str:
        return f"Nim.at({self.stones}, {self.to_move}, {self.moves})"


class NimConstants(NamedTuple):
    """The constants that the kernels take. This type selects the game's functions."""

    most: int
    """The largest number of stones that may be taken at once."""


class NimBoards(NamedTuple):
    """The boards of N games."""

    stones: npt.NDArray[np.int64]
    """(N,)"""


@implementation(batch.set_start, NimConstants)
def _set_start(constants: Any, state: Any, i: int, key: Any, initial: Any, chosen: int) -> bool:
    state.boards.stones[i], state.to_move[i] = initial.boards.stones[chosen], initial.to_move[chosen]
    return True


@implementation(batch.placed, NimConstants)
def _placed(constants: Any, state: Any, i: int) -> np.uint64:
    return np.uint64(state.plies[i])


@implementation(batch.choose, NimConstants)
def _choose(constants: Any, state: Any, i: int, bits: np.uint64) -> int:
    return int(below(bits, np.uint64(min(constants.most, state.boards.stones[i]))))


@implementation(batch.play, NimConstants)
def _play(constants: Any, state: Any, i: int, action: int) -> None:
    stones = state.boards.stones
    stones[i] -= action + 1
    state.to_move[i] ^= 1
    state.over[i] = stones[i] == 0


@implementation(batch.is_legal, NimConstants)
def _is_legal(constants: Any, state: Any, i: int, action: int) -> bool:
    return bool(action < min(constants.most, state.boards.stones[i]))


@implementation(batch.score, NimConstants)
def _score(constants: Any, state: Any, i: int, player: int) -> int:
    return int(state.boards.stones[i])


@implementation(batch.result, NimConstants)
def _result(constants: Any, state: Any, i: int, player: int, by_margin: bool) -> float:
    return -1.0 if player == state.to_move[i] else 1.0


@implementation(batch.largest_margin, NimConstants)
def _largest_margin(constants: Any, state: Any, i: int) -> float:
    return 1.0


@implementation(batch.store_board, NimConstants)
def _store_board(constants: Any, state: Any, i: int, records: Any, k: int) -> None:
    records["stones"][k] = state.boards.stones[i]


@implementation(batch.encode, NimConstants)
def _encode(constants: Any, state: Any, out: Any) -> None:
    batch.score_all(constants, state, out.scores)
    planes, masks = out.planes, out.masks
    for i in range(len(state.over)):
        stones = state.boards.stones[i]
        for k in range(planes.shape[3]):
            planes[i, 0, 0, k] = k < stones
        for action in range(masks.shape[1]):
            masks[i, action] = not state.over[i] and action < min(constants.most, stones)


class NimBatch(Batch):
    """N games of Nim."""

    def __init__(self, n: int, start: Nim) -> None:
        super().__init__(start, NimConstants(3), NimBoards(np.zeros(n, np.int64)), ("stones",), STONES, np.int8)

    def opening_boards(self, positions: Sequence[State]) -> NimBoards:
        return NimBoards(np.array([position.stones for position in positions if isinstance(position, Nim)], np.int64))

    def state(self, i: int) -> Nim:
        arrays = self.arrays
        return Nim.at(int(arrays.boards.stones[i]), int(arrays.to_move[i]), arrays.moves_of(i))

    def final_state(self, ended: EndedGames, k: int) -> Nim:
        return Nim.at(int(ended.rows["stones"][k]), int(ended.rows["to_move"][k]), ended.moves_of(k))


register_game(Game(name="nim", state=Nim, batch=NimBatch))
