"""The protocol of a batch: N games of one kind, stored as arrays and stepped together.

A game implements the protocol with a subclass of `Batch` and with its own versions of the kernels in
`othello_env.games.batch.primitives`. If agents read the game's arrays directly, the game also has a subclass of
`Positions`. A vector environment needs nothing else from the game.

Each letter in a shape stands for a number: N games, M games of a subset, E games that ended in a step, P players, A
actions, K opponents, and L plies that can be stored in each game.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import asked, play
from othello_env.games.batch.arrays import Course, Plan, ends_dtype, new_course
from othello_env.games.batch.positions import Positions
from othello_env.games.batch.primitives import check, encode
from othello_env.games.game import State
from othello_env.games.openings import Openings
from othello_env.support.generic import version_for
from othello_env.support.jit import entry_point

__all__ = ["Batch", "Begins", "Ends", "Waiting"]

_MADE = ("_plain_course", "_seats", "_entry_points")  # `_settle` makes these attributes, so a pickle leaves them out
_Array = npt.NDArray[Any]


class Ends(NamedTuple):
    """The E games that ended in a step."""

    rows: npt.NDArray[np.void]
    """(E,) one record per game, with the fields of `othello_env.games.batch.arrays.ends_dtype`."""
    moves: npt.NDArray[np.integer]
    """(E, L), the actions of each game. Only the first ``rows["plies"][k]`` entries of row k have a meaning."""

    def moves_of(self, k: int) -> tuple[int, ...]:
        """The actions of the k-th game that ended."""
        return tuple(self.moves[k, : self.rows["plies"][k]].tolist())


class Waiting(NamedTuple):
    """The M games in which an opponent must choose an action."""

    numbers: npt.NDArray[np.int64]
    """(M,) the indices of the games in the batch, in ascending order."""
    rival: npt.NDArray[np.int16]
    """(M,) the number of the opponent that is to move in each game."""
    positions: Positions
    boards: tuple[_Array, ...]
    """The arrays that the game's kernel `take` returned for these games."""


class Begins(NamedTuple):
    """The arguments that tell the kernels how games begin; see `Batch.begins`."""

    plan: tuple[Any, ...]
    openings: tuple[_Array, ...]
    longest: int
    """The largest number of plies with which a game begins: the plies of its opening and the random plies."""


class Batch(ABC):
    """N games of one kind. A game counts as over until `begin` starts it.

    Args:
        n: the number of games.
        start: the start position of a game. Its board size and its rules apply to all games.
        rules: a NamedTuple with the constants that the game's kernels need. The class of the NamedTuple selects the
            game's versions of the kernels.
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
        rules: Any,
        boards: Iterable[_Array],
        fields: list[Any],
        longest: int,
        action_dtype: npt.DTypeLike,
    ) -> None:
        self.start = start
        self.rules = rules
        self.boards = tuple(boards)
        self.course = new_course(n, start.num_players, longest, action_dtype)
        self.template = np.empty(0, ends_dtype(start.num_players, fields))
        self._settle()

    def _settle(self) -> None:
        """Make the arguments of the kernels from the arrays. This is necessary after an array was replaced."""
        self._plain_course = tuple(self.course)
        self._seats = self.course.to_move, self.course.learner
        self._entry_points: dict[Any, Callable[..., Any]] = {}

    def _call(self, kernel: Callable[..., Any], *args: Any) -> Any:
        """Call a kernel with the rules and `args`. All calls of a kernel must have `args` of the same types."""
        entry = self._entry_points.get(kernel)
        if entry is None:
            entry = self._entry_points[kernel] = entry_point(version_for(kernel, type(self.rules)), self.rules, *args)
        return entry(self.rules, *args)

    def __len__(self) -> int:
        return len(self.course.over)

    def part(self, places: slice) -> Self:
        """A batch of some of these games. The new batch shares the memory of this batch."""
        other = copy.copy(self)
        fields: list[Any] = [field[places] for field in self.course]
        other.course = Course(*fields)
        other.boards = tuple(field[places] for field in self.boards)
        other._settle()
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _MADE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._settle()

    def make_room(self, begins: Begins) -> bool:
        """Make sure that one more ply can be stored in each game.

        Returns whether an array was replaced. If so, batches that `part` returned still have the old array and must be
        made again.
        """
        if self.bounded:
            return False
        needed = max(int(self.course.plies.max(initial=0)), begins.longest) + 2
        room = self.course.moves.shape[1]
        if needed <= room:
            return False
        moves = np.zeros((len(self), max(needed, 2 * room)), self.course.moves.dtype)
        moves[:, :room] = self.course.moves
        self.course = self.course._replace(moves=moves)
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

    @abstractmethod
    def scoring(self, *, copy: bool) -> Callable[[], npt.NDArray[np.int64]]:
        """Make a function that returns the present scores of the games, (N, P).

        If `copy` is true, the function has its own copies of the arrays and may be called at any time. If `copy` is
        false, the function must be called before the next step.
        """

    def begins(
        self,
        positions: Sequence[State],
        random_plies: int,
        *,
        redraws: int,
        side: int,
        pool: npt.NDArray[np.uint64],
        first: int,
    ) -> Begins:
        """The arguments that tell the kernels how games begin.

        `othello_env.games.batch.arrays.Plan` describes all arguments except `positions` in more detail.

        Args:
            positions: each game begins in one of these positions, chosen at random. If there are no positions, each
                game begins at its usual start.
            random_plies: the number of random plies that are played after the position.
            redraws: how often, at most, a game is replaced because it ended before the learner's first turn.
            side: the index of the player that the learner plays, SIDE_DRAWN for a random player, or -1 if the learner
                plays every side.
            pool: (P - 1, K) uint64, the bounds by which the opponents are chosen at random.
            first: the number of the opponent in the pool's first column.
        """
        if not positions and not self.starts_differ:
            positions = (self.start,)
        longest = max((len(position.moves) for position in positions), default=0)
        moves = np.zeros((len(positions), longest), self.course.moves.dtype)
        for row, position in zip(moves, positions, strict=True):
            row[: len(position.moves)] = position.moves
        plan = Plan(
            to_move=np.array([position.to_move for position in positions], np.int8),
            plies=np.array([len(position.moves) for position in positions], np.int32),
            moves=moves,
            random_plies=min(random_plies, self.MOST_RANDOM_PLIES),
            attempts=Openings.ATTEMPTS,
            redraws=redraws,
            side=side,
            pool=pool,
            first=first,
        )
        return Begins(tuple(plan), self.opening_boards(positions), longest + plan.random_plies)

    def begin(self, numbers: npt.NDArray[np.int64], begins: Begins) -> int:
        """Start games at the indices `numbers`, (M,). Returns 0, or NO_OPENING if a game could not begin.

        The key of a game is a hash of its `env_key` and `number` (see `othello_env.games.batch.arrays.Course`).
        """
        fields = (self._plain_course, self.boards)
        return int(play.begin_all(self.rules, *fields, numbers, 0, begins.plan, begins.openings))

    def check(self, actions: npt.NDArray[np.int64]) -> int:
        """Check the actions before a step. `actions` is (N,) int64 and contiguous.

        Returns the sum of the numbers of all problems (OUT_OF_RANGE, ILLEGAL, OVER), or 0 if there is no problem.
        """
        return int(self._call(check, self.boards, actions, self.course.over, self.start.num_actions))

    def step(
        self,
        actions: npt.NDArray[np.int64],
        problems: int,
        outcome: tuple[_Array, ...],
        views: tuple[_Array, ...],
        encodes: bool,
        begins: Begins,
        begin_next: bool,
        by_margin: bool,
    ) -> tuple[Ends, int]:
        """Play an action in each game. An illegal action ends its game.

        If a game was already over, its action is ignored and the next game begins.

        Args:
            actions: (N,) int64, contiguous, all in range.
            problems: the result of `check` for these actions.
            outcome: the arrays of `othello_env.games.batch.arrays.Outcome`. The step overwrites them.
            views: the result of the method `views` for the planes and masks.
            encodes: whether to write the next observations and masks, as `encode` does.
            begins: how games begin.
            begin_next: when a game ends, whether the next game begins in the same step.
            by_margin: whether rewards are margins instead of results.

        Returns:
            The games that ended, and a number: NO_OPENING if a game could not begin, else 0.
        """
        rows, moves, failed = self._call(
            play.step,
            self._plain_course,
            self.boards,
            actions,
            problems,
            outcome,
            views,
            encodes,
            begins.plan,
            begins.openings,
            begin_next,
            by_margin,
            self.template,
        )
        return Ends(rows, moves), failed

    def waiting(self) -> Waiting:
        """Play the forced passes of opponents, and return the games in which an opponent must choose an action."""
        numbers, to_move, key, rival, boards = self._call(play.waiting, self._plain_course, self.boards)
        return Waiting(numbers, rival, self._positions(numbers, to_move, key, boards), boards)

    def _positions(
        self,
        numbers: npt.NDArray[np.int64],
        to_move: npt.NDArray[np.int8],
        key: npt.NDArray[np.uint64],
        boards: tuple[_Array, ...],
    ) -> Positions:
        """The `Positions` that agents get for some games. `boards` is the result of the kernel `take`."""
        return _BatchPositions(self, numbers, to_move, key)

    def answer(
        self,
        actions: npt.NDArray[np.int64],
        waiting: Waiting,
        outcome: tuple[_Array, ...],
        begins: Begins,
        begin_next: bool,
        by_margin: bool,
    ) -> tuple[Ends, int]:
        """Play a legal action of an opponent in each of the M games of `waiting`. `step` explains the other arguments.

        Returns:
            The games that ended, and a number: NO_OPENING or NO_TURN if a game could not begin, else 0.
        """
        how = begins.plan, begins.openings, begin_next, by_margin, self.template
        fields = self._plain_course, self.boards
        rows, moves, failed = self._call(play.answer, *fields, waiting.numbers, waiting.boards, actions, outcome, *how)
        return Ends(rows, moves), failed

    def views(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> tuple[_Array, ...]:
        """The arrays that this game's kernel `encode` takes as its last argument.

        The kernel writes `planes`, (N, planes, H, W), and `masks`, (N, A). Some of the returned arrays are views of
        `planes` and `masks`, for example as 64-bit words. The kernel can write such words faster than single bytes.
        """
        return planes, masks

    def encode(self, views: tuple[_Array, ...]) -> None:
        """Write the observations and masks of all games.

        An observation has the point of view of the player to move. In a finished game, it has the point of view of the
        learner or, in self-play, of the player that would move next.
        """
        self._call(encode, self.course.over, self._seats, self.boards, views)

    def final_observations(self, ends: npt.NDArray[np.void]) -> npt.NDArray[np.int8]:
        """(E, planes, H, W), the last observation of each game that ended, as the player `ends["viewer"]` sees it."""
        n, start = len(ends), self.start
        seats = np.ascontiguousarray(ends["to_move"]), np.ascontiguousarray(ends["viewer"])
        planes = np.zeros((n, *start.observation_shape), np.int8)
        masks = np.zeros((n, start.num_actions), np.int8)
        encode(self.rules, np.ones(n, np.bool_), seats, self.final_boards(ends), self.views(planes, masks))
        return planes


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
        batch, start = self._batch, self._batch.start
        planes = np.zeros((len(self), *start.observation_shape), np.int8)
        masks = np.zeros((len(self), start.num_actions), np.int8)
        nobody = np.zeros(len(self), np.bool_)
        boards = tuple(field[self._numbers] for field in batch.boards)
        encode(batch.rules, nobody, (self.to_move, self.to_move), boards, batch.views(planes, masks))
        return planes, masks

    def are_legal(self, actions: npt.NDArray[np.int64]) -> bool:
        batch = self._batch
        return bool(asked.are_legal(batch.rules, batch.boards, self._numbers, actions, batch.start.num_actions))

    def draw_actions(self) -> npt.NDArray[np.int64]:
        batch = self._batch
        return asked.draw_actions(batch.rules, batch._plain_course, batch.boards, self._numbers, self.key)

    def randomise(self, actions: npt.NDArray[np.int64], threshold: int) -> None:
        self._check_length(actions)
        batch = self._batch
        asked.randomise(
            batch.rules, batch._plain_course, batch.boards, self._numbers, self.key, np.uint64(threshold), actions
        )
