"""The protocol of a batch: N games of one kind, stored as arrays and stepped together.

A game implements the protocol with a subclass of `Batch` and with the functions of
`othello_env.games.batch.functions`. If agents read the game's arrays directly, the game also has a subclass of
`Positions`. A vector environment needs nothing else from the game.

Each letter in a shape stands for a number: N games, M games of a subset, E games that ended in a step, P players, A
actions, K opponents, O openings, and L plies that can be stored in each game.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import step as kernels
from othello_env.games.batch.functions import check, encode
from othello_env.games.batch.state import BatchState, Ends, InitialArrays, ends_dtype, new_state
from othello_env.games.game import State
from othello_env.games.openings import Openings

__all__ = ["Batch", "Positions", "Waiting"]

_Array = npt.NDArray[Any]
_MADE = ("_fields",)  # `_settle` makes it, so a pickle leaves it out


class Positions(ABC):
    """N positions for which an agent chooses actions in one call. None of the games is over.

    Attributes:
        to_move: (N,) int8, the players to move.
        key: (N,) uint64, each game's key for random choices. The key stays the same throughout a game.
    """

    to_move: npt.NDArray[np.int8]
    key: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.key)

    def copy(self) -> Positions:
        """The same positions for an agent. The agent may change the arrays."""
        return self

    @abstractmethod
    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> Self:
        """Some of the positions. `places` selects them; it is a slice, an array of indices or a mask."""

    @abstractmethod
    def state(self, i: int) -> State:
        """The i-th position."""

    @abstractmethod
    def observations(self) -> npt.NDArray[np.int8]:
        """(N, planes, H, W) int8, each position as its player to move sees it."""

    @abstractmethod
    def masks(self) -> npt.NDArray[np.int8]:
        """(N, A) int8, 1 for each legal action."""

    @abstractmethod
    def are_legal(self, actions: npt.NDArray[np.int64]) -> bool:
        """Whether the actions (N,) are all in range and legal."""

    @abstractmethod
    def draw_actions(self) -> npt.NDArray[np.int64]:
        """(N,) uniformly random legal actions. Each action depends only on the position and the game's key."""

    @abstractmethod
    def randomise(self, actions: npt.NDArray[np.int64], threshold: int) -> None:
        """Replace each action, with probability `threshold` / 2**32, by a uniformly random legal action.

        `actions`, (N,), is changed in place.

        Raises:
            ValueError: the shape of `actions` is not (N,).
        """

    def _check_length(self, actions: npt.NDArray[np.int64]) -> None:
        """Check the shape of `actions`, because a kernel would write outside an array that is too short."""
        if actions.shape != (len(self),):
            raise ValueError(f"actions must be of shape ({len(self)},), not {actions.shape}")


class Waiting(NamedTuple):
    """The M games in which an opponent must choose an action."""

    numbers: npt.NDArray[np.int64]
    """(M,) the indices of the games in the batch, in ascending order."""
    opponent: npt.NDArray[np.int16]
    """(M,) the number of the opponent that is to move in each game."""
    positions: Positions
    boards: tuple[_Array, ...]
    """The arrays that the game's function `take` returned for these games."""


class Batch(ABC):
    """N games of one kind. A game counts as over until `begin` starts it.

    Args:
        n: the number of games.
        start: the start position of a game. Its board size and its rules apply to all games.
        constants: a NamedTuple of the constants that the game's functions need. Its class selects these functions.
        boards: the arrays of the N boards, each with one entry per game along its first axis.
        fields: the fields of a board that are stored when a game ends, in the form that `numpy.dtype` takes.
        longest: the largest number of plies that can be stored in each game. If `bounded` is true, this is also the
            largest number of plies in a game. Otherwise, `make_room` increases the number when necessary.
        action_dtype: the dtype in which actions are stored.
    """

    MOST_RANDOM_PLIES = 4096
    """If more random plies are asked for, this number is used. No game of random moves is this long."""

    bounded = True
    """True if every game has at most `longest` plies."""

    starts_differ = False
    """Whether each game has its own start, which depends on the game's key."""

    def __init__(
        self,
        n: int,
        start: State,
        constants: Any,
        boards: Iterable[_Array],
        fields: list[Any],
        longest: int,
        action_dtype: npt.DTypeLike,
    ) -> None:
        self.start = start
        self.constants = constants
        self.boards = tuple(boards)
        self.games = new_state(n, start.num_players, longest, action_dtype)
        self.template = np.empty(0, ends_dtype(start.num_players, fields))
        self._settle()

    def _settle(self) -> None:
        """Make the arguments of the kernels from the arrays. This is necessary after an array was replaced."""
        self._fields = tuple(self.games)

    def __len__(self) -> int:
        return len(self.games.over)

    def part(self, places: slice) -> Self:
        """A batch of some of these games. The new batch shares the memory of this batch."""
        other = copy.copy(self)
        fields: list[Any] = [field[places] for field in self.games]
        other.games = BatchState(*fields)
        other.boards = tuple(field[places] for field in self.boards)
        other._settle()
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _MADE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._settle()

    def make_room(self, initial: InitialArrays) -> bool:
        """Make sure that one more ply can be stored in each game.

        Returns whether an array was replaced. If so, batches that `part` returned still have the old array and must be
        made again.
        """
        if self.bounded:
            return False
        needed = max(int(self.games.plies.max(initial=0)), initial.longest) + 2
        room = self.games.moves.shape[1]
        if needed <= room:
            return False
        moves = np.zeros((len(self), max(needed, 2 * room)), self.games.moves.dtype)
        moves[:, :room] = self.games.moves
        self.games = self.games._replace(moves=moves)
        self._settle()
        return True

    @abstractmethod
    def opening_boards(self, positions: Sequence[State]) -> tuple[_Array, ...]:
        """The boards of some positions, as arrays in the same order as the attribute `boards`."""

    @abstractmethod
    def state(self, i: int) -> State:
        """The position of game i. It has the moves of the game so far."""

    @abstractmethod
    def final_state(self, ends: Ends, k: int) -> State:
        """The last position of the k-th game that ended. It has the moves of the game."""

    @abstractmethod
    def final_boards(self, ends: npt.NDArray[np.void]) -> tuple[_Array, ...]:
        """The boards of the games that ended, as arrays in the same order as the attribute `boards`."""

    def initial_arrays(
        self,
        openings: Openings,
        *,
        redraws: int,
        side: int,
        pool: npt.NDArray[np.uint64],
        first: int,
    ) -> InitialArrays:
        """How games begin. `InitialArrays` describes the other arguments in more detail.

        Args:
            openings: the positions in which games begin, and the number of random plies that follow.
            redraws: how often, at most, a game is replaced because it ended before the learner's first turn.
            side: the index of the player that the learner plays, SIDE_DRAWN for a random player, or -1 if the learner
                plays every side.
            pool: (P - 1, K) uint64, the bounds by which the opponents are chosen at random.
            first: the number of the opponent in the pool's first column.
        """
        positions = openings.positions
        if not positions and not self.starts_differ:
            positions = (self.start,)
        longest = max((len(position.moves) for position in positions), default=0)
        moves = np.zeros((len(positions), longest), self.games.moves.dtype)
        for row, position in zip(moves, positions, strict=True):
            row[: len(position.moves)] = position.moves
        return InitialArrays(
            to_move=np.array([position.to_move for position in positions], np.int8),
            bounds=np.array(openings.bounds, np.uint64),
            plies=np.array([len(position.moves) for position in positions], np.int32),
            moves=moves,
            boards=self.opening_boards(positions),
            random_plies=min(openings.random_plies, self.MOST_RANDOM_PLIES),
            attempts=Openings.ATTEMPTS,
            redraws=redraws,
            side=side,
            pool=pool,
            first=first,
        )

    def begin(self, numbers: npt.NDArray[np.int64], initial: InitialArrays) -> int:
        """Start games at the indices `numbers`, (M,). Returns 0, or NO_OPENING if a game could not begin.

        The key of a game is a hash of its `env_key` and `number` (see `BatchState`).
        """
        return int(kernels.begin_all(self.constants, self._fields, self.boards, numbers, 0, tuple(initial)))

    def check(self, actions: npt.NDArray[np.int64]) -> int:
        """Check the actions before a step. `actions` is (N,) int64 and contiguous.

        Returns the sum of the numbers of all problems (OUT_OF_RANGE, ILLEGAL, OVER), or 0 if there is no problem.
        """
        return int(check(self.constants, self.boards, actions, self.games.over, self.start.num_actions))

    def step(
        self,
        actions: npt.NDArray[np.int64],
        problems: int,
        refused: int,
        out: tuple[Any, ...],
        observes: bool,
        initial: tuple[Any, ...],
        begin_next: bool,
        by_margin: bool,
    ) -> tuple[Ends, int, int]:
        """Play an action in each game. An illegal action ends its game.

        If a game was already over, its action is ignored and the next game begins. If the actions have a problem that
        is refused, nothing changes.

        Args:
            actions: (N,) int64, contiguous.
            problems: the result of `check` for these actions, or UNCHECKED if the step must check them.
            refused: the sum of the problems that are refused. OUT_OF_RANGE must be one of them.
            out: the fields of `Outputs`, which the step overwrites.
            observes: whether to do what `observe` does, too.
            initial: the fields of `InitialArrays`, which say how games begin.
            begin_next: when a game ends, whether the next game begins in the same step.
            by_margin: whether rewards are margins instead of results.

        Returns:
            The games that ended; a number, NO_OPENING if a game could not begin, else 0; and the problems.
        """
        rows, moves, failed, found = kernels.step(
            self.constants,
            self._fields,
            self.boards,
            actions,
            problems,
            refused,
            out,
            observes,
            initial,
            begin_next,
            by_margin,
            self.template,
        )
        return Ends(rows, moves), failed, int(found)

    def waiting(self) -> Waiting:
        """Play the forced passes of opponents, and return the games in which an opponent must choose an action."""
        numbers, to_move, key, opponent, boards = kernels.waiting(self.constants, self._fields, self.boards)
        return Waiting(numbers, opponent, self._positions(numbers, to_move, key, boards), boards)

    def _positions(
        self,
        numbers: npt.NDArray[np.int64],
        to_move: npt.NDArray[np.int8],
        key: npt.NDArray[np.uint64],
        boards: tuple[_Array, ...],
    ) -> Positions:
        """The `Positions` that agents get for some games. `boards` is the result of the function `take`."""
        return _BatchPositions(self, numbers, to_move, key)

    def answer(
        self,
        actions: npt.NDArray[np.int64],
        waiting: Waiting,
        out: tuple[Any, ...],
        initial: tuple[Any, ...],
        begin_next: bool,
        by_margin: bool,
    ) -> tuple[Ends, int]:
        """Play a legal action of an opponent in each of the M games of `waiting`. `step` explains the other arguments.

        Returns:
            The games that ended, and a number: NO_OPENING or NO_TURN if a game could not begin, else 0.
        """
        rows, moves, failed = kernels.answer(
            self.constants,
            self._fields,
            self.boards,
            waiting.numbers,
            waiting.boards,
            actions,
            out,
            initial,
            begin_next,
            by_margin,
            self.template,
        )
        return Ends(rows, moves), failed

    def views(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> tuple[_Array, ...]:
        """The arrays that this game's function `encode` takes as its last argument.

        It writes `planes`, (N, planes, H, W), and `masks`, (N, A). Some of the returned arrays are views of `planes`
        and `masks`, for example as 64-bit words, which are faster to write than single bytes.
        """
        return planes, masks

    def observe(self, out: tuple[Any, ...]) -> None:
        """Write the observations, masks and scores of all games into the fields of `Outputs`.

        An observation has the point of view of the player to move. In a finished game, it has the point of view of the
        learner or, in self-play, of the player that would move next.
        """
        kernels.observe(self.constants, self._fields, self.boards, out)

    def final_observations(self, ends: npt.NDArray[np.void]) -> npt.NDArray[np.int8]:
        """(E, planes, H, W), the last observation of each game that ended, as the player `ends["viewer"]` sees it."""
        seats = np.ascontiguousarray(ends["to_move"]), np.ascontiguousarray(ends["viewer"])
        return self._encoded(np.ones(len(ends), np.bool_), seats, self.final_boards(ends))[0]

    def _encoded(
        self, over: npt.NDArray[np.bool_], seats: tuple[_Array, _Array], boards: tuple[_Array, ...]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        planes = np.zeros((len(over), *self.start.observation_shape), np.int8)
        masks = np.zeros((len(over), self.start.num_actions), np.int8)
        encode(self.constants, over, seats, boards, self.views(planes, masks))
        return planes, masks


class _BatchPositions(Positions):
    """The present positions of some games of a batch. They are valid until the batch's next step."""

    def __init__(
        self, batch: Batch, numbers: npt.NDArray[np.int64], to_move: npt.NDArray[np.int8], key: npt.NDArray[np.uint64]
    ) -> None:
        self._batch = batch
        self._numbers = numbers
        self.to_move = to_move
        self.key = key

    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> _BatchPositions:
        return _BatchPositions(self._batch, self._numbers[places], self.to_move[places], self.key[places])

    def state(self, i: int) -> State:
        return self._batch.state(int(self._numbers[i]))

    def observations(self) -> npt.NDArray[np.int8]:
        return self._encoded[0]

    def masks(self) -> npt.NDArray[np.int8]:
        return self._encoded[1]

    @cached_property
    def _encoded(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        boards = tuple(field[self._numbers] for field in self._batch.boards)
        return self._batch._encoded(np.zeros(len(self), np.bool_), (self.to_move, self.to_move), boards)

    def are_legal(self, actions: npt.NDArray[np.int64]) -> bool:
        batch = self._batch
        return bool(kernels.are_legal(batch.constants, batch.boards, self._numbers, actions, batch.start.num_actions))

    def draw_actions(self) -> npt.NDArray[np.int64]:
        batch = self._batch
        return kernels.draw_actions(batch.constants, batch._fields, batch.boards, self._numbers, self.key)

    def randomise(self, actions: npt.NDArray[np.int64], threshold: int) -> None:
        self._check_length(actions)
        batch = self._batch
        kernels.randomise(
            batch.constants, batch._fields, batch.boards, self._numbers, self.key, np.uint64(threshold), actions
        )
