"""Small games other than Othello, for agents that play any game, and random positions of Othello."""

from collections.abc import Callable, Iterable
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
import pytest

from othello_env import Othello
from othello_env.games.game import State
from othello_env.games.hashing import draw, mix_int


class DoubleStep(State):
    """A random tree of 6 plies with 1 to 3 moves each, in which a player often moves twice in a row.

    Scores are random at every node. The scores at the end decide the game.
    """

    __slots__ = ()
    player_names: ClassVar[tuple[str, ...]] = ("first", "second")
    PLIES = 6
    seed = 0

    def __init__(self, moves: tuple[int, ...] = ()) -> None:
        object.__setattr__(self, "moves", moves)
        object.__setattr__(self, "to_move", self._random(0, self.num_players) if moves else 0)

    def _random(self, purpose: int, n: int) -> int:
        key = self.seed
        for move in self.moves:
            key = mix_int(key, move + 1)
        return (mix_int(key, 100 + purpose) >> 32) % n

    @property
    def num_actions(self) -> int:
        return 3

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return (1, 1, 1)

    @property
    def placed(self) -> int:
        return len(self.moves)

    def legal_actions(self) -> tuple[int, ...]:
        return () if self.is_over else tuple(range(1 + self._random(1, 3)))

    def play(self, action: int) -> Self:
        if self.check_action(action) not in self.legal_actions():
            raise self.illegal(action)
        return type(self)((*self.moves, action))

    @property
    def is_over(self) -> bool:
        # Some lines of play end early.
        return len(self.moves) == self.PLIES or (len(self.moves) > 2 and self._random(2, 6) == 0)

    def scores(self) -> tuple[int, ...]:
        return tuple(self._random(10 + player, 9) for player in range(self.num_players))

    def returns(self) -> tuple[float, ...]:
        return tuple(float((margin > 0) - (margin < 0)) for margin in self.margins())

    def margins(self) -> tuple[float, ...]:
        if not self.is_over:
            return (0.0,) * self.num_players
        first, second = self.scores()[:2]
        return (float(first - second), float(second - first))

    @property
    def largest_margin(self) -> float:
        return 8.0

    def mobility(self, player: int) -> int:
        return len(self.legal_actions())

    def observation(self, player: int) -> npt.NDArray[np.int8]:
        return np.zeros((1, 1, 1), np.int8)

    def action_to_text(self, action: int) -> str:
        return "lmr"[action]

    def action_from_text(self, text: str) -> int:
        return "lmr".index(text)

    def play_move(self, move: int | str) -> Self:
        return self.play(self.action_from_text(move) if isinstance(move, str) else move)

    @staticmethod
    def transcript_moves(transcript: str) -> Iterable[str]:
        return transcript

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DoubleStep) and self.moves == other.moves

    def __hash__(self) -> int:
        return hash(self.moves)

    def __repr__(self) -> str:
        return f"DoubleStep({self.moves})"


class ThreeStep(DoubleStep):
    """The same game with three players."""

    __slots__ = ()
    player_names = ("first", "second", "third")


@pytest.fixture(scope="session")
def double_step() -> type[State]:
    return DoubleStep


@pytest.fixture(scope="session")
def three_step() -> type[State]:
    return ThreeStep


@pytest.fixture(scope="session")
def random_position() -> Callable[..., Othello]:
    """`random_position(key, empty)`: a position with `empty` empty squares from a random game. A pass may be forced."""

    def position(key: int, empty: int, size: int = 8) -> Othello:
        for game in range(key << 16, (key + 1) << 16):
            state = Othello(size)
            while not state.is_over and size**2 - sum(state.discs()) > empty:
                legal = state.legal_actions()
                state = state.play(legal[draw(game, len(state.moves), len(legal))])
            if not state.is_over:
                return state
        raise AssertionError(f"no random game reaches {empty} empty squares")

    return position
