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
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from othello_env.games.batch import step as kernels
from othello_env.games.batch.functions import check
from othello_env.games.batch.state import (
    BatchState,
    EndedGames,
    InitialArrays,
    Outputs,
    StepOptions,
    new_state,
    record_dtype,
)
from othello_env.games.game import State
from othello_env.games.openings import Openings

__all__ = ["Batch", "Positions", "Waiting"]

_Array = npt.NDArray[Any]


class Positions(ABC):
    """N positions for which an agent chooses actions in one call. None of the games is over.

    The arrays belong to the agent, which may change them.

    Attributes:
        constants: the constants of the game, as in `Batch`.
        to_move: (N,) int8, the players to move.
        key: (N,) uint64, each game's key for random choices. The key stays the same throughout a game.
    """

    constants: Any
    to_move: npt.NDArray[np.int8]
    key: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.key)

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
    def arrays(self) -> BatchState:
        """The positions as the state of N games. Only the arrays that `choose` and `turn` read must have N entries."""

    def draw_actions(self) -> npt.NDArray[np.int64]:
        """(N,) uniformly random legal actions. Each action depends only on the position and the game's key."""
        return kernels.draw_actions(self.constants, tuple(self.arrays()), self.key)

    def randomise(self, actions: npt.NDArray[np.int64], threshold: int) -> None:
        """Replace each action, with probability `threshold` / 2**32, by a uniformly random legal action.

        `actions`, (N,), is changed in place.

        Raises:
            ValueError: the shape of `actions` is not (N,).
        """
        if actions.shape != (len(self),):  # the kernel would write outside an array that is too short
            raise ValueError(f"actions must be of shape ({len(self)},), not {actions.shape}")
        kernels.randomise(self.constants, tuple(self.arrays()), self.key, np.uint64(threshold), actions)


class Waiting(NamedTuple):
    """The M games in which an opponent must choose an action."""

    indices: npt.NDArray[np.int64]
    """(M,) the indices of the games in the batch, in ascending order."""
    opponent: npt.NDArray[np.int16]
    """(M,) the index of the opponent that is to move in each game."""
    positions: Positions


class Batch(ABC):
    """N games of one kind. A game counts as over until `begin` starts it.

    Args:
        start: the start position of a game. Its board size and its rules apply to all games.
        constants: a NamedTuple of the constants that the game's functions need. Its class selects these functions.
        boards: a NamedTuple of the arrays of the N boards, each with one entry per game along its first axis.
        stored: the names of those arrays whose last values are stored when a game ends.
        longest: the largest number of plies that can be stored in each game. If `bounded` is true, this is also the
            largest number of plies in a game. Otherwise, `make_room` increases the number when necessary.
        action_dtype: the dtype in which actions are stored.

    Attributes:
        start: the start position.
        num_players, num_actions, observation_shape: those of the start position.
        arrays: the state of the N games.
        template: (0,), an array with the dtype of the records of games that ended.
    """

    MOST_RANDOM_PLIES = 4096
    """If more random plies are asked for, this number is used. No game of random moves is this long."""

    bounded = True
    """True if every game has at most `longest` plies."""

    starts_differ = False
    """Whether each game has its own start, which depends on the game's key."""

    def __init__(
        self,
        start: State,
        constants: Any,
        boards: Any,
        stored: Sequence[str],
        longest: int,
        action_dtype: npt.DTypeLike,
    ) -> None:
        self.start = start
        self.constants = constants
        self.num_players, self.num_actions = start.num_players, start.num_actions
        self.observation_shape = start.observation_shape
        self.arrays = new_state(boards, self.num_players, longest, action_dtype)
        self.template = np.empty(0, record_dtype(self.num_players, boards, stored))

    def __len__(self) -> int:
        return len(self.arrays.over)

    def new_state(self, n: int) -> BatchState:
        """The arrays of `n` further games of this kind, without space for their moves. All games are over."""
        boards = self.arrays.boards
        empty = type(boards)(*(np.zeros((n, *board.shape[1:]), board.dtype) for board in boards))
        return new_state(empty, self.num_players, 0, self.arrays.moves.dtype)

    def part(self, places: slice) -> Self:
        """A batch of some of these games. The new batch shares the memory of this batch."""
        other = copy.copy(self)
        other.arrays = self.arrays.part(places)
        return other

    def make_room(self, plies: int = 0) -> bool:
        """Make sure that games can begin with this number of plies, and that one more ply can be stored in each game.

        Returns whether an array was replaced. If so, batches that `part` returned still have the old array and must be
        made again.
        """
        if self.bounded:
            return False
        needed = max(int(self.arrays.plies.max(initial=0)), plies) + 2
        room = self.arrays.moves.shape[1]
        if needed <= room:
            return False
        moves = np.zeros((len(self), max(needed, 2 * room)), self.arrays.moves.dtype)
        moves[:, :room] = self.arrays.moves
        self.arrays = self.arrays._replace(moves=moves)
        return True

    @abstractmethod
    def opening_boards(self, positions: Sequence[State]) -> Any:
        """The boards of some positions, as a tuple of the same class as `arrays.boards`."""

    @abstractmethod
    def state(self, i: int) -> State:
        """The position of game i. It has the moves of the game so far."""

    @abstractmethod
    def final_state(self, ended: EndedGames, k: int) -> State:
        """The last position of the k-th game that ended. It has the moves of the game."""

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
            first: the index of the opponent in the pool's first column.
        """
        positions = openings.positions
        if not positions and not self.starts_differ:
            positions = (self.start,)
        to_move, plies, moves, boards = self._opening_arrays(positions)
        return InitialArrays(
            to_move=to_move,
            bounds=np.array(openings.bounds, np.uint64),
            plies=plies,
            moves=moves,
            boards=boards,
            random_plies=min(openings.random_plies, self.MOST_RANDOM_PLIES),
            attempts=Openings.ATTEMPTS,
            redraws=redraws,
            side=side,
            pool=pool,
            first=first,
        )

    def _opening_arrays(self, positions: Sequence[State]) -> tuple[_Array, _Array, _Array, Any]:
        """The fields `to_move`, `plies`, `moves` and `boards` of `InitialArrays`."""
        longest = max((len(position.moves) for position in positions), default=0)
        moves = np.zeros((len(positions), longest), self.arrays.moves.dtype)
        for row, position in zip(moves, positions, strict=True):
            row[: len(position.moves)] = position.moves
        to_move = np.array([position.to_move for position in positions], np.int8)
        plies = np.array([len(position.moves) for position in positions], np.int32)
        return to_move, plies, moves, self.opening_boards(positions)

    def begin(self, indices: npt.NDArray[np.int64], initial: InitialArrays) -> int:
        """Begin the next games at the places `indices`, (M,). Returns 0, or NO_OPENING if a game could not begin.

        `BatchState.episode` counts the games at each place. The key of a game is a hash of its `env_key` and `episode`.
        """
        return int(kernels.begin(self.constants, tuple(self.arrays), indices, tuple(initial)))

    def begin_at(self, positions: Sequence[State], chosen: npt.NDArray[np.integer] | None = None) -> None:
        """Begin the N games at given positions. They have no learner, so `waiting` asks for every player's actions.

        Args:
            positions: the positions.
            chosen: (N,), game i begins at ``positions[chosen[i]]``; by default at ``positions[i]``.

        Raises:
            ValueError: the arrays cannot store a position.
        """
        places = np.arange(len(positions)) if chosen is None else chosen
        to_move, plies, moves, boards = self._opening_arrays(positions)
        over = np.array([position.is_over for position in positions], np.bool_)
        longest = moves.shape[1]
        self.make_room(longest)
        arrays = self.arrays
        for stored, given in zip(arrays.boards, boards, strict=True):
            stored[:] = given[places]
        arrays.to_move[:], arrays.plies[:], arrays.moves[:, :longest] = to_move[places], plies[places], moves[places]
        arrays.over[:], arrays.learner[:] = over[places], -1

    def play_all(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Play an action in each of the N games, which `begin_at` has begun. The arrays must have space for it.

        Returns:
            (N,) flags, True if the game was over or its action is not legal. These games are over now. The array is
            empty if there is no such game.
        """
        return kernels.play_all_checked(self.constants, tuple(self.arrays), actions, self.num_actions)

    def play_randomly(self, key: npt.NDArray[np.uint64]) -> None:
        """Play the N games to the end by random actions. `key`, (N,), has each game's key; see `draw_actions`."""
        kernels.play_randomly(self.constants, tuple(self.arrays), key)
        while self.make_room():
            kernels.play_randomly(self.constants, tuple(self.arrays), key)

    def results(self, by_margin: bool = False) -> npt.NDArray[np.float64]:
        """(N, P) each player's result or, if `by_margin` is true, each player's margin; 0 in unfinished games."""
        values: npt.NDArray[np.float64] = kernels.results(self.constants, tuple(self.arrays), by_margin)
        return values

    def check(self, actions: npt.NDArray[np.int64]) -> int:
        """Check the actions before a step. `actions` is (N,) int64 and contiguous.

        Returns the flags of all problems (OUT_OF_RANGE, ILLEGAL, OVER), or 0 if there is no problem.
        """
        return int(check(self.constants, self.arrays, actions, self.num_actions))

    def step(
        self,
        actions: npt.NDArray[np.int64],
        problems: int,
        out: Outputs,
        initial: InitialArrays,
        options: StepOptions,
    ) -> tuple[EndedGames, int, int]:
        """Play an action in each game. An illegal action ends its game.

        If a game was already over, its action is ignored and the next game begins. If the actions have a problem that
        is refused, nothing changes.

        Args:
            actions: (N,) int64, contiguous.
            problems: the result of `check` for these actions, or UNCHECKED if the step must check them.
            out: the arrays that the step overwrites; see `outputs`.
            initial: how new games begin.
            options: what the environment wants of every step.

        Returns:
            The games that ended; a number, NO_OPENING if a game could not begin, else 0; and the problems.
        """
        rows, moves, failed, flags = kernels.step(
            self.constants, tuple(self.arrays), actions, problems, tuple(out), tuple(initial), tuple(options)
        )
        return EndedGames(rows, moves), failed, int(flags)

    def waiting(self) -> Waiting | None:
        """Play the forced passes of opponents. Return the games in which an opponent must choose an action, if any."""
        indices, to_move, key, opponent = kernels.waiting(self.constants, tuple(self.arrays))
        return Waiting(indices, opponent, self.positions(indices, to_move, key)) if len(indices) else None

    def positions(
        self, indices: npt.NDArray[np.int64], to_move: npt.NDArray[np.int8], key: npt.NDArray[np.uint64]
    ) -> Positions:
        """What agents get for the M games at `indices`. They are valid until the next step of the batch.

        `to_move` and `key`, both (M,), have the players to move and the keys for the agents' random choices.
        """
        return _BatchPositions(self, indices, to_move, key)

    def are_legal(self, indices: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """(M,), whether each action is in range and legal in the game at its place of `indices`."""
        return kernels.are_legal(self.constants, tuple(self.arrays), indices, actions, self.num_actions)

    def play_at(self, indices: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        """Play a legal action in each of the M games at `indices`, which `begin_at` has begun."""
        self.make_room()
        kernels.play_at(self.constants, tuple(self.arrays), indices, actions)

    def answer(
        self,
        actions: npt.NDArray[np.int64],
        waiting: Waiting,
        out: Outputs,
        initial: InitialArrays,
        options: StepOptions,
    ) -> tuple[EndedGames, int]:
        """Play a legal action of an opponent in each of the M games of `waiting`. `step` explains the other arguments.

        Returns:
            The games that ended, and a number: NO_OPENING or NO_TURN if a game could not begin, else 0.
        """
        rows, moves, failed = kernels.answer(
            self.constants,
            tuple(self.arrays),
            waiting.indices,
            actions,
            tuple(out),
            tuple(initial),
            tuple(options),
        )
        return EndedGames(rows, moves), failed

    def outputs(self, m: int) -> Outputs:
        """New arrays for what a step of M games writes."""
        planes = np.zeros((m, *self.observation_shape), np.int8)
        masks = np.zeros((m, self.num_actions), np.int8)
        return Outputs(
            planes=planes,
            masks=masks,
            reward=np.zeros(m),
            reward_to=np.full(m, -1, np.int8),
            terminated=np.zeros(m, np.bool_),
            scores=np.zeros(m * self.num_players, np.int64),
            encoder_buffers=self.encoder_buffers(planes, masks),
            template=self.template,
        )

    def part_of(self, out: Outputs, places: slice) -> Outputs:
        """The outputs of some of the games. They share the memory of `out`."""
        planes, masks, players = out.planes[places], out.masks[places], self.num_players
        return Outputs(
            planes=planes,
            masks=masks,
            reward=out.reward[places],
            reward_to=out.reward_to[places],
            terminated=out.terminated[places],
            scores=out.scores[players * places.start : players * places.stop],
            encoder_buffers=self.encoder_buffers(planes, masks),
            template=self.template,
        )

    def encoder_buffers(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> Any:
        """Views of the planes, (M, planes, H, W), and masks, (M, A), by which `encode` writes them. By default none.

        For example, 64-bit words are faster to write than single bytes.
        """
        return ()

    def observe(self, out: Outputs) -> None:
        """Write the observations, masks and scores of all games.

        An observation has the point of view of the player to move. In a finished game, it has the point of view of the
        learner or, in self-play, of the player that would move next.
        """
        kernels.observe(self.constants, tuple(self.arrays), tuple(out))

    def final_observations(self, rows: npt.NDArray[np.void]) -> npt.NDArray[np.int8]:
        """(E, planes, H, W), the last observation of each game that ended, as the player `rows["viewer"]` sees it."""
        boards = self.arrays.boards
        stored = {
            name: np.ascontiguousarray(rows[name])
            if name in (rows.dtype.names or ())
            else np.zeros((len(rows), *board.shape[1:]), board.dtype)
            for name, board in boards._asdict().items()
        }
        state = new_state(type(boards)(**stored), self.num_players, 0, self.arrays.moves.dtype)
        state.to_move[:], state.learner[:] = rows["to_move"], rows["viewer"]
        return self.encoded(state)[0]

    def encoded(self, state: BatchState) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """The observations (M, planes, H, W) and action masks (M, A) of M games of this kind, int8; see `observe`."""
        out = self.outputs(len(state.over))
        kernels.observe(self.constants, tuple(state), tuple(out))
        return out.planes, out.masks


class _BatchPositions(Positions):
    """The present positions of some games of a batch. They are valid until the batch's next step."""

    def __init__(
        self, batch: Batch, indices: npt.NDArray[np.int64], to_move: npt.NDArray[np.int8], key: npt.NDArray[np.uint64]
    ) -> None:
        self._batch = batch
        self._indices = indices
        self.constants = batch.constants
        self.to_move = to_move
        self.key = key

    def part(self, places: slice | npt.NDArray[np.integer | np.bool_]) -> _BatchPositions:
        return _BatchPositions(self._batch, self._indices[places], self.to_move[places], self.key[places])

    def state(self, i: int) -> State:
        return self._batch.state(int(self._indices[i]))

    def observations(self) -> npt.NDArray[np.int8]:
        return self._encoded[0]

    def masks(self) -> npt.NDArray[np.int8]:
        return self._encoded[1]

    def arrays(self) -> BatchState:
        return self._batch.arrays.at(self._indices)

    @cached_property
    def _encoded(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        return self._batch.encoded(self.arrays())
