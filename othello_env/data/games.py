"""Games as arrays: the moves of N games, other data about each game, how the games ended, and numbers about them.

Letters for shapes: N = games, T = plies of the longest game, P = players. For games as lists of squares without passes,
as some file formats and language models have them: K = the largest number of moves in a game, M = discs that are placed
in all games.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.data import kernels
from othello_env.data.replay import AT_ONCE, Outcomes, play_to_end
from othello_env.games.game import IllegalActionError, State, check_board_size
from othello_env.games.hashing import mix_int
from othello_env.games.openings import Openings
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import check_each, check_type, check_whole
from othello_env.support.threads import Threads

__all__ = [
    "Games",
    "GamesError",
    "Outcomes",
    "Statistics",
    "check_standard",
    "padded",
    "placed_discs",
    "play_randomly",
    "random_games",
    "random_games_of",
    "with_passes",
]


@dataclass(frozen=True)
class Statistics:
    """Numbers about games of two players.

    The shares (from 0 to 1) and the margin are computed from the finished games only.

    Attributes:
        games: the number of games.
        finished: the number of games that are over.
        first_wins: the share of games that the first player won.
        second_wins: the share of games that the second player won.
        draws: the share of games that ended in a draw.
        margin: the mean lead of the first player at the end of the game (in Othello, in discs). It is negative if the
            second player was ahead on average.
        plies: the mean number of plies of a game, passes included. Unfinished games also count.
        passes: the mean number of passes of a game. Unfinished games also count.
    """

    games: int
    finished: int
    first_wins: float
    second_wins: float
    draws: float
    margin: float
    plies: float
    passes: float

    @classmethod
    def from_parts(cls, parts: Iterable[Statistics]) -> Statistics:
        """Combine the statistics of several parts into the statistics of all their games."""
        given = list(check_each("parts", parts, Statistics))
        games, finished = sum(part.games for part in given), sum(part.finished for part in given)

        def mean(name: str, weight: str, total: int) -> float:
            known = [part for part in given if getattr(part, weight)]
            return sum(getattr(part, name) * getattr(part, weight) for part in known) / total if total else float("nan")

        names = ("first_wins", "second_wins", "draws", "margin")
        shares = {name: mean(name, "finished", finished) for name in names}
        return cls(
            games, finished, **shares, plies=mean("plies", "games", games), passes=mean("passes", "games", games)
        )


_Array = npt.NDArray[Any]
_MOST_ACTIONS = 1 << 31
"""The largest number of entries in the array of actions. Without this limit, a damaged file could fill the memory."""


class GamesError(ValueError):
    """Games cannot be read, or a move is illegal.

    The message about an illegal move names the game and the ply, both counted from 1.
    """


class Games:
    """N games with the same rules, stored as arrays.

    Slices and masks select games. For example, ``games[:100]`` are the first 100 games, and
    ``games[games.outcomes.over]`` are the finished games.

    Args:
        actions: (N, T) integers, the actions of each game, passes included. Entries after a game's last action are
            ignored.
        lengths: (N,) integers, the number of actions of each game.
        game: the game, such as ``"othello:size=6"``, a GameSpec or a State to begin from.
        starts: all positions in which games of this object begin. By default, only the start of `game`.
        start: (N,) integers. Game `i` begins at the position ``starts[start[i]]``. By default, ``start[i]`` is 0.
        columns: a mapping with more data about each game. The keys are names, such as ``"black"`` or ``"year"``. The
            values are arrays. An array (N,) has an entry for each game. An array (N, T) of floats, such as the column
            ``"scores"``, has a number for each action.

    Raises:
        ValueError: a shape is wrong, or a number is out of range.
        TypeError: `actions`, `lengths` or `start` are not integers, or a column (N, T) is not of floats.

    Attributes:
        actions: (N, T) int8, or int16 if the number of an action can be larger than 127; -1 after a game's last action.
        lengths: (N,) int32, the number of actions of each game.
        game: the game and its options.
        starts: all positions in which games of this object begin. A selection, such as ``games[:100]``, keeps all these
            positions, even if none of its games begins there.
        start: (N,) int32. Game `i` begins at the position ``starts[start[i]]``.
        columns: a dict of arrays (N,) or (N, T). An array (N, T) has NaN after a game's last action.
    """

    def __init__(
        self,
        actions: npt.ArrayLike,
        lengths: npt.ArrayLike,
        game: GameLike = "othello",
        starts: Sequence[State] = (),
        start: npt.ArrayLike | None = None,
        columns: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        spec = GameSpec.parse(game)
        self.game, usual = spec.usual, spec.start(0)
        self.starts = tuple(starts) or (usual,)
        for state in self.starts:
            if type(state) is not type(usual) or state.observation_shape != usual.observation_shape:
                raise ValueError(f"expected starts of {self.game}, got {state!r}")
        given = _integers("actions", actions, 2)
        n, width = given.shape
        self.lengths = _integers("lengths", lengths, 1, n, (0, width)).astype(np.int32)
        first = np.zeros(n, np.int32) if start is None else start
        self.start = _integers("start", first, 1, n, (0, len(self.starts) - 1)).astype(np.int32)
        named = {} if columns is None else check_type("columns", columns, Mapping)
        self.columns = {name: np.asarray(column) for name, column in named.items()}
        for name, column in self.columns.items():
            if column.shape[:1] != (n,) or column.ndim > 2:
                raise ValueError(f"expected {n} entries in the column {name!r}, got shape {column.shape}")
            if column.ndim == 2 and column.dtype.kind != "f":
                raise TypeError(f"expected floats in the column {name!r} of shape (N, T), got {column.dtype}")
        most = self.starts[0].num_actions - 1
        longest = int(self.lengths.max(initial=0))
        if n * longest > _MOST_ACTIONS:
            raise ValueError(
                f"{n:,} games of up to {longest:,} plies are too many; use parts of {_MOST_ACTIONS:,} plies"
            )
        inside = np.arange(longest) < self.lengths[:, np.newaxis]
        filled = np.where(inside, given[:, :longest], 0)
        if filled.size and not 0 <= filled.min() <= filled.max() <= most:
            raise ValueError(f"actions must be 0 to {most}, not {filled.min()} to {filled.max()}")
        kind = np.int8 if most <= np.iinfo(np.int8).max else np.int16
        self.actions: npt.NDArray[np.signedinteger] = np.where(inside, filled, -1).astype(kind)
        for name, column in self.columns.items():
            if column.ndim == 2:
                self.columns[name] = np.where(inside, _widened(column, longest), column.dtype.type(np.nan))

    @classmethod
    def from_states(
        cls,
        states: Iterable[State],
        starts: Sequence[State] = (),
        columns: Mapping[str, npt.ArrayLike] | None = None,
        game: GameLike | None = None,
    ) -> Games:
        """Make `Games` from the last positions of games. Each position stores the moves that led to it.

        Args:
            states: the last position of each game. There must be at least one. All games must have the same rules.
            starts: the position in which each game began, or a single position in which all games began. By default,
                all games began at the usual start.
            columns: more data about each game; see `Games`.
            game: the game, as in `Games`. By default, it is found from the positions. Positions of Tribolo do
                not store all options. So for games of Tribolo, give this argument if an option is not at its default.

        Raises:
            ValueError: `states` is empty; `starts` is empty, but `GameSpec` knows no usual start of this game; `starts`
                has entries, but neither one entry nor as many as `states`; or the starts do not fit `game`.
        """
        ends = list(check_each("states", states, State))
        if not ends:
            raise ValueError("expected at least one position")
        known = GameSpec.from_state(ends[0])
        kind = GameSpec.parse(game) if game is not None else known or GameSpec(type(ends[0]).__name__.lower())
        if known is None and not starts:
            raise ValueError(f"games of {kind} have no usual start; give the argument starts")
        begins = list(check_each("starts", starts, State)) or [kind.start(0)]
        if len(begins) not in (1, len(ends)):
            raise ValueError(f"expected a start for each of {len(ends)} positions, got {len(begins)}")
        if len(begins) == 1:
            begins *= len(ends)
        indices = {state: index for index, state in enumerate(dict.fromkeys(begins))}
        moves = [state.moves[len(begin.moves) :] for state, begin in zip(ends, begins, strict=True)]
        return cls(*padded(moves), kind, tuple(indices), [indices[begin] for begin in begins], columns)

    @classmethod
    def joined(cls, parts: Iterable[Games]) -> Games:
        """Join several `Games` objects into one. The games keep their order.

        A column is kept only if all parts have this column.

        Raises:
            ValueError: `parts` is empty, or the rules of the games differ.
        """
        given = list(check_each("parts", parts, Games))
        if len({str(part.game) for part in given}) != 1:
            raise ValueError(f"expected games of one kind, got {sorted({str(part.game) for part in given})}")
        starts = {state: index for index, state in enumerate(dict.fromkeys(s for part in given for s in part.starts))}
        start = [np.array([starts[state] for state in part.starts], np.int32)[part.start] for part in given]
        width = max(part.actions.shape[1] for part in given)
        rows = [np.pad(part.actions, ((0, 0), (0, width - part.actions.shape[1]))) for part in given]
        columns = {}
        for name in given[0].columns:
            of_parts = [part.columns.get(name) for part in given]
            present = [
                _widened(column, width) if column.ndim == 2 else column for column in of_parts if column is not None
            ]
            if len(present) == len(given):
                columns[name] = np.concatenate(present)
        return cls(
            np.concatenate(rows),
            np.concatenate([part.lengths for part in given]),
            given[0].game,
            tuple(starts),
            np.concatenate(start),
            columns,
        )

    def __len__(self) -> int:
        return len(self.lengths)

    def __repr__(self) -> str:
        columns = f", {', '.join(self.columns)}" if self.columns else ""
        return f"<Games: {len(self):,} of {self.game}, {int(self.lengths.sum()):,} plies{columns}>"

    def __getitem__(self, places: slice | npt.ArrayLike) -> Games:
        """Return some of the games. A slice, a mask of shape ``(N,)`` or an array of indices selects them."""
        where = places if isinstance(places, slice) else np.asarray(places)
        if not isinstance(where, slice) and not where.size:
            where = slice(0)
        if not isinstance(where, slice) and where.ndim != 1:
            raise TypeError(f"games must be selected by a slice, a mask or an array of indices, not {places!r}")
        columns = {name: column[where] for name, column in self.columns.items()}
        return Games(self.actions[where], self.lengths[where], self.game, self.starts, self.start[where], columns)

    def state(self, i: int, plies: int | None = None) -> State:
        """The position of game `i` after its first `plies` actions. Without `plies`, the game's last position.

        Raises:
            IndexError: there is no such game or ply.
            GamesError: a move is illegal.
        """
        i = range(len(self))[index(i)]
        length = int(self.lengths[i])
        end = length if plies is None else index(plies)
        if not 0 <= end <= length:
            raise IndexError(f"game {i} has {length} plies; there is no position after {end}")
        state: State = self.starts[self.start[i]]
        for ply, action in enumerate(self.actions[i, :end].tolist(), start=1):
            try:
                state = state.play(action)
            except IllegalActionError as error:
                raise GamesError(f"game {i + 1}, ply {ply}: {error}") from None
        return state

    def check(self) -> None:
        """Check that every action is legal.

        Raises:
            GamesError: an action is illegal.
        """
        for i in np.flatnonzero(self.illegal() >= 0)[:1].tolist():
            self.state(i)  # this call plays the game again, and raises the error at the illegal action

    @property
    def begin_as_usual(self) -> bool:
        """Whether all games begin at the usual start of the game."""
        usual = self.game.start(0)
        return all(self.starts[i] == usual for i in np.unique(self.start))

    @property
    def outcomes(self) -> Outcomes:
        """How the games ended. Every move is checked.

        Raises:
            GamesError: a move is illegal.
        """
        self.check()
        return self._played[0]

    def illegal(self) -> npt.NDArray[np.int32]:
        """For each game, the first ply with an illegal action; -1 if all actions are legal. The array is (N,) int32.

        Plies are counted from 0.
        """
        return self._played[1]

    @cached_property
    def _played(self) -> tuple[Outcomes, npt.NDArray[np.int32]]:
        """The results of `outcomes` and `illegal`. Both are found at once, so each game is played only once."""
        return play_to_end(self)

    def statistics(self) -> Statistics:
        """Return numbers about the games, such as the share of draws. The game must have two players.

        Raises:
            ValueError: the games are of three players.
            GamesError: a move is illegal.
        """
        if self.starts[0].num_players != 2:
            raise ValueError(f"statistics are for games of two players, not for {self.game}")
        outcomes = self.outcomes
        returns = outcomes.returns[outcomes.over, 0]
        first, second, drawn = (
            float((returns == value).mean()) if len(returns) else float("nan") for value in (1, -1, 0)
        )
        margin = float(outcomes.margins[outcomes.over, 0].mean()) if len(returns) else float("nan")
        passing = getattr(self.starts[0], "pass_action", None)
        passes = int((self.actions == passing).sum()) if passing is not None else 0
        n = len(self) or float("nan")
        plies = int(self.lengths.sum())
        return Statistics(len(self), len(returns), first, second, drawn, margin, plies / n, passes / n)

    def distinct(self) -> Games:
        """The games without duplicates. Of several games with the same start and actions, only the first is kept."""
        rows = np.column_stack([self.start, self.lengths, self.actions])
        kept = np.unique(rows, axis=0, return_index=True)[1] if len(rows) else np.zeros(0, np.int64)
        return self[np.sort(kept)]


def padded(rows: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int32]]:
    """Turn N lists of actions into an array (N, T), with -1 after a list's end. Also return the N lengths, (N,)."""
    lengths = np.array([len(row) for row in rows], np.int32)
    actions = np.full((len(rows), lengths.max(initial=0)), -1, np.int16)
    for padded_row, row in zip(actions, rows, strict=True):
        padded_row[: len(row)] = row
    return actions, lengths


def _widened(column: _Array, width: int) -> _Array:
    """Cut or extend the rows of an array of floats to the length `width`. New entries are NaN."""
    missing = max(0, width - column.shape[1])
    return np.pad(column[:, :width], ((0, 0), (0, missing)), constant_values=np.nan)


def _integers(
    name: str, values: npt.ArrayLike, ndim: int, n: int | None = None, limits: tuple[int, int] | None = None
) -> _Array:
    array = np.asarray(values)
    if array.size == 0 and array.ndim == ndim:
        array = array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"expected integers in {name}, got dtype {array.dtype}")
    if array.ndim != ndim or (n is not None and len(array) != n):
        shape = "(N, T)" if ndim == 2 else f"({n},)"
        raise ValueError(f"expected {name} of shape {shape}, got {array.shape}")
    if limits is not None and array.size and not limits[0] <= array.min() <= array.max() <= limits[1]:
        raise ValueError(f"{name} must be {limits[0]} to {limits[1]}, not {array.min()} to {array.max()}")
    return array


def check_standard(games: Games, what: str) -> None:
    """Check that games are of Othello on 8x8 and begin at the usual start.

    Args:
        games: the games.
        what: the beginning of the error message, such as ``"WTHOR files have"``.

    Raises:
        ValueError: the games are of another kind, or begin at another position.
    """
    if str(check_type("games", games, Games).game) != "othello" or not games.begin_as_usual:
        given = f"games of {games.game}" if games.begin_as_usual else f"games of {games.game} from other positions"
        raise ValueError(f"{what} games of othello on 8x8 from the usual start, not {given}")


def placed_discs(games: Games) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The discs that are placed in games on 8x8, in the order of the games and moves.

    Returns:
        Three arrays (M,) int64. For each disc, the first array has the index of the game, the second has the number of
        the move in this game, and the third has the square. Moves are counted from 0, and passes do not count.
    """
    placed = (games.actions >= 0) & (games.actions < 64)
    game, ply = np.nonzero(placed)
    return game, np.cumsum(placed, axis=1)[game, ply] - 1, games.actions[game, ply].astype(np.int64)


def with_passes(
    squares: npt.NDArray[np.int8], start: Othello
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Add the passes to N games of Othello that are given as lists of squares.

    Args:
        squares: (N, K), the squares of each game's moves in order; -1 after the last move.
        start: the position in which all games begin.

    Returns:
        Three arrays. The first array, (N, LONGEST) int8, has the actions of each game, and -1 after the last action.
        The second array, (N,) int32, has the number of actions of each game. The third array, (N,) int32, has the
        number of each game's first illegal move, counted from 0; -1 if all moves are legal. The actions of a game end
        before its first illegal move.
    """
    played = kernels.replay(squares, start)
    return played.actions, played.lengths, played.wrong


def random_games(count: int, *, size: int = 8, seed: int = 0, first: int = 0, num_threads: int = 1) -> Games:
    """Play random games of Othello from the start. In each position, all legal actions are equally likely.

    A game depends only on the seed and on the number of the game. So ``random_games(10, first=5)`` returns the games 5
    to 14, which are also in ``random_games(15)``.

    Args:
        count: the number of games.
        size: the height and width of the board: 4, 6 or 8.
        seed: an integer of at least 0, which determines all random choices.
        first: the number of the first game, counted from 0.
        num_threads: the number of threads. The games do not depend on this number.

    Raises:
        ValueError: a number is out of range.
        TypeError: an argument is not an integer.
    """
    count, first = check_whole("count", count, 0), check_whole("first", first, 0, 2**62)
    seed, num_threads = check_whole("seed", seed, 0), check_whole("num_threads", num_threads, 1)
    size = check_board_size(size, bitboard.SIZES)
    game = GameSpec.parse(f"othello:size={size}")
    return Games(*play_randomly(game, seed, first, count, num_threads), game)


def random_games_of(game: GameSpec, count: int, seed: int, first: int) -> Games:
    """As `random_games`, for any game that has a batch."""
    numbers = range(first, first + count)
    keys = np.array([mix_int(mix_int(seed, 0), number) for number in numbers], np.uint64)
    batch, starts = game.batch(count), [game.start(int(key)) for key in keys]
    batch.begin_at(starts)
    batch.play_randomly(keys)
    return Games.from_states([batch.state(i) for i in range(count)], starts, game=game)


def play_randomly(
    game: GameSpec, seed: int, first: int, count: int, num_threads: int = 1
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """The actions and lengths of `random_games`, by the rules of Othello or of a variant that has a batch.

    Returns:
        (N, LONGEST) int8, the actions of each game; and (N,) int32, their number. What follows the last action has no
        meaning.

    Raises:
        ValueError: the game was registered without a batch.
    """
    episodes, key = np.arange(first, first + count, dtype=np.uint64), np.uint64(mix_int(0, seed))
    actions, lengths = np.empty((count, kernels.LONGEST), np.int8), np.empty(count, np.int32)
    initial = game.batch(0).initial_arrays(
        Openings(None, game.start), redraws=0, side=-1, pool=np.zeros((1, 1), np.uint64), first=0
    )
    parts = [slice(k, min(k + AT_ONCE, count)) for k in range(0, count, AT_ONCE)]

    def work(k: int) -> None:
        for part in parts[k::num_threads]:
            batch = game.batch(len(episodes[part]))
            batch.arrays.env_key[:], batch.arrays.episode[:] = key, episodes[part] - np.uint64(1)
            batch.begin(np.arange(len(batch)), initial)
            batch.play_randomly(batch.arrays.key)
            plies, moves = batch.arrays.plies, batch.arrays.moves
            lengths[part], actions[part, : moves.shape[1]] = plies, moves

    threads = Threads(num_threads)
    threads.run(work)
    threads.close()
    return actions, lengths
