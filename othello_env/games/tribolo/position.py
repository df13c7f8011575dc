"""Tribolo, a game for three players with Othello's captures, on a board with walls.

Blue, Red and Green take turns in this order. A random player begins. At the start, the board has some cells of each
player and some walls at random places. In a move, a player takes an empty cell. In at least one of the eight
directions, there must be a run of one opponent's cells next to this cell, and one of the player's own cells after the
run. All such runs become cells of the player, even if they belong to different opponents. A run must not contain an
empty cell, a wall or a cell of the other opponent. After a move, players that cannot move are skipped, so the same
player may move several times in a row. There is no pass. The game is over when nobody can move. The player with the
most cells wins.

Actions are ``width * row + column``, so a1 is 0. Observations are four planes, from the point of view of a player: the
player's own cells, the cells of the next player in the order of turns, the cells of the third player, and the walls.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from othello_env.games.game import NotationError, State, check_seed, check_text
from othello_env.games.tribolo import kernels
from othello_env.games.tribolo.kernels import NOBODY, PLAYERS, WALL
from othello_env.support.numbers import check_integer, check_type, check_whole

__all__ = ["ATTEMPTS", "Tribolo"]

_CELLS = "BRG-#"
_COLUMNS = "abcdefghijklmnopqrstuvwxyz"
ATTEMPTS = 1000
"""The largest number of random starts that are tried in order to find a start in which somebody can move."""
_MOST_CELLS = 32_767  # batches and `othello_env.data.games.Games` store actions as 16-bit integers
_TOKEN = re.compile(r"[a-z]\d+|[^\s,;]+", re.IGNORECASE)
_MOVE_NUMBER = re.compile(r"\b\d+\.+(?!\d)")


class Tribolo(State):
    """A position of Tribolo. ``Tribolo(seed=...)`` is a random start that depends on the seed.

    Args:
        seed: an integer of at least 0. Only its low 64 bits count. None means a random seed from the operating system.
        width: the number of columns of the board, at most 26.
        height: the number of rows of the board. The board has at most 32,767 cells.
        cells: the number of cells that each player owns at the start.
        walls: the number of walls on the board.

    Raises:
        ValueError: a number is out of range, the board is too small for the cells and walls, or nobody could move in
            any of `ATTEMPTS` random starts.
        TypeError: a number is not an integer.

    >>> game = Tribolo.from_text("--RB-/-GRB-/-----", to_move="blue")
    >>> print(game)
      a b c d e
    1 - - R B -
    2 - G R B -
    3 - - - - -
    blue (B) 2, red (R) 2, green (G) 1, blue to move
    >>> [game.action_to_text(a) for a in game.legal_actions()]
    ['b1', 'b3']
    >>> print(game.play_transcript("b1").to_text())
    -BBB-/-GRB-/-----
    """

    __slots__ = ("_grid", "_legal", "cells", "height", "width")

    player_names = ("blue", "red", "green")

    width: int
    height: int
    cells: int
    """The number of cells that each player owned at the start of the game."""
    _grid: bytes  # the cells and the border; see `othello_env.games.tribolo.kernels`
    _legal: bytes  # one byte per cell: 1 if the player to move may take the cell, else 0

    def __init__(
        self, seed: int | None = None, width: int = 16, height: int = 11, cells: int = 12, walls: int = 12
    ) -> None:
        key, width, height, cells, walls = _check_start(seed, width, height, cells, walls)
        grid, legal = np.empty((width + 2) * (height + 2), np.int8), np.empty(width * height, np.int8)
        mover = kernels.scatter(grid, key, width, height, cells, walls, legal, ATTEMPTS)
        if mover == NOBODY:
            raise _no_start(width, height, cells, walls)
        self._fill(width, height, cells, grid.tobytes(), legal.tobytes(), mover, ())

    def _fill(
        self, width: int, height: int, cells: int, grid: bytes, legal: bytes, to_move: int, moves: tuple[int, ...]
    ) -> None:
        put = object.__setattr__
        put(self, "width", width)
        put(self, "height", height)
        put(self, "cells", cells)
        put(self, "_grid", grid)
        put(self, "_legal", legal)
        put(self, "to_move", to_move)
        put(self, "moves", moves)

    def at(self, grid: bytes, first: int, moves: tuple[int, ...]) -> Self:
        """A position of this game with this grid, after `moves`.

        The player `first` is to move. If this player cannot move, it is the turn of the next player that can move.

        Raises:
            TypeError, ValueError: a number is wrong, or the grid does not have (height + 2) * (width + 2) bytes.
        """
        first = check_whole("first", first, 0, PLAYERS - 1)
        size = (self.width + 2) * (self.height + 2)
        if len(check_type("grid", grid, bytes)) != size:
            raise ValueError(f"a grid for {self.width}x{self.height} cells has {size} bytes, not {len(grid)}")
        return _at(type(self), self.width, self.height, self.cells, grid, first, moves)

    @classmethod
    def from_text(cls, text: str, to_move: str | int = "blue", *, cells: int = 12) -> Self:
        """Read a position from rows of cells: ``B``, ``R`` or ``G`` for the owner, ``-`` for empty, ``#`` for a wall.

        Rows are separated by ``/`` or spaces. If the given player cannot move, it is the turn of the next player that
        can move. `cells` is the number of cells that each player owned at the start, which the text does not show.

        Raises:
            NotationError: the text does not show a board, or there is no such player.
            TypeError: the argument is not text.
        """
        rows = check_text(text, "a board").upper().replace("/", " ").split()
        wrong = sorted(set("".join(rows)) - set(_CELLS))
        if wrong or not rows or len({len(row) for row in rows}) > 1 or len(rows[0]) > len(_COLUMNS):
            raise NotationError(
                f"a board is rows of up to {len(_COLUMNS)} cells B, R, G, - (empty) and # (wall), all of one length, "
                f"separated by /, got {text!r}"
            )
        width, height = len(rows[0]), len(rows)
        grid = np.full((height + 2, width + 2), WALL, np.int8)
        grid[1:-1, 1:-1] = [[_CELLS.index(cell) for cell in row] for row in rows]
        return _at(cls, width, height, check_integer("cells", cells), grid.tobytes(), cls.player_index(to_move), ())

    def position_from_text(self, text: str) -> Self:
        return self.from_text(text, cells=self.cells)

    @property
    def options(self) -> dict[str, int | str]:
        return {"width": self.width, "height": self.height, "cells": self.cells, "walls": len(self.walls())}

    def to_text(self) -> str:
        """The board on one line, in the format that `from_text` reads. The player to move is not included."""
        return "/".join(self._rows())

    def _rows(self) -> list[str]:
        return ["".join(_CELLS[cell] for cell in row) for row in self._board().tolist()]

    def grid(self) -> npt.NDArray[np.int8]:
        """((H + 2) * (W + 2),) int8, the cells and the border; see `othello_env.games.tribolo.kernels`."""
        return np.frombuffer(self._grid, np.int8)

    def _board(self) -> npt.NDArray[np.int8]:
        """(H, W) int8, each cell's owner, or EMPTY or WALL."""
        return np.frombuffer(self._grid, np.int8).reshape(self.height + 2, self.width + 2)[1:-1, 1:-1]

    def owners(self) -> list[int | None]:
        """The owner of each cell, row by row from a1: 0 blue, 1 red, 2 green, None for empty cells and walls."""
        return [cell if cell < PLAYERS else None for cell in self._board().ravel().tolist()]

    def walls(self) -> list[int]:
        """The cells that are walls, in ascending order. Cells are numbered row by row, and a1 is 0."""
        return np.flatnonzero(self._board() == WALL).tolist()

    def play_move(self, move: int | str) -> Self:
        return self.play(self.action_from_text(move) if isinstance(move, str) else self.check_action(move))

    @staticmethod
    def transcript_moves(transcript: str) -> Iterator[str]:
        yield from _TOKEN.findall(_MOVE_NUMBER.sub(" ", check_text(transcript, "a transcript")))

    @property
    def num_actions(self) -> int:
        return self.width * self.height

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return (4, self.height, self.width)

    @property
    def placed(self) -> int:
        """The number of cells that somebody owns. Every move raises this number by one."""
        return sum(self.scores())

    @property
    def is_over(self) -> bool:
        return 1 not in self._legal

    def legal_actions(self) -> tuple[int, ...]:
        return tuple(np.flatnonzero(np.frombuffer(self._legal, np.int8)).tolist())

    def is_legal(self, action: int) -> bool:
        return 0 <= action < len(self._legal) and self._legal[action] == 1

    def play(self, action: int) -> Self:
        action = self.check_action(action)
        if not self._legal[action]:
            raise self.illegal(action)
        grid = bytearray(self._grid)
        kernels.place(np.frombuffer(grid, np.int8), action, self.to_move, self.width)
        first, moves = (self.to_move + 1) % PLAYERS, (*self.moves, action)
        return _at(type(self), self.width, self.height, self.cells, bytes(grid), first, moves)

    def scores(self) -> tuple[int, ...]:
        """The number of cells that each player owns."""
        return tuple(self._grid.count(player) for player in range(PLAYERS))

    def returns(self) -> tuple[float, ...]:
        """A single winner gets +1, and each of the other players gets -1/2. Before the end, all results are 0.0.

        If two players share the first place, each of them gets +1/4, and the third player gets -1/2. If all three
        players have equally many cells, each player gets 0.
        """
        scores = self.scores()
        best = [score == max(scores) for score in scores]
        if not self.is_over or all(best):
            return (0.0,) * PLAYERS
        prize = 1.0 if sum(best) == 1 else 0.25
        return tuple(prize if is_best else -0.5 for is_best in best)

    def margins(self) -> tuple[float, ...]:
        """At the end, each player's number of cells minus the mean of the other two players' numbers.

        Before the end, all margins are 0.0.
        """
        scores = self.scores()
        if not self.is_over:
            return (0.0,) * PLAYERS
        return tuple(score - (sum(scores) - score) / 2 for score in scores)

    @property
    def largest_margin(self) -> float:
        return float(self.num_actions - len(self.walls()))

    def mobility(self, player: int) -> int:
        if player == self.to_move:
            return self._legal.count(1)
        if player not in range(PLAYERS):
            raise self.no_player(player)
        grid, legal = np.frombuffer(bytearray(self._grid), np.int8), np.empty(self.num_actions, np.int8)
        return int(kernels.count_moves(grid, int(player), self.width, self.height, legal))

    def observation(self, player: int) -> npt.NDArray[np.int8]:
        if player not in range(PLAYERS):
            raise self.no_player(player)
        order = [player, (player + 1) % PLAYERS, (player + 2) % PLAYERS, WALL]
        planes: npt.NDArray[np.bool_] = self._board() == np.array(order, np.int8)[:, np.newaxis, np.newaxis]
        return planes.view(np.int8)

    def action_mask(self) -> npt.NDArray[np.int8]:
        return np.frombuffer(bytearray(self._legal), np.int8)

    def action_to_text(self, action: int) -> str:
        if not 0 <= action < self.num_actions:
            raise ValueError(f"actions here must be 0 to {self.num_actions - 1}, not {action!r}")
        row, column = divmod(action, self.width)
        return f"{_COLUMNS[column]}{row + 1}"

    def action_from_text(self, text: str) -> int:
        name = check_text(text, "a cell").strip().lower()
        column, row = _COLUMNS.find(name[:1]), name[1:]
        if name and 0 <= column < self.width and row.isascii() and row.isdecimal() and 1 <= int(row) <= self.height:
            return (int(row) - 1) * self.width + column
        last = self.action_to_text(self.num_actions - 1)
        raise NotationError(f"expected a cell from a1 to {last}, got {text.strip()!r}")

    def names_of(self, actions: Iterable[int]) -> str:
        return " ".join(map(self.action_to_text, actions))

    def transcript(self) -> str:
        """The moves so far without separators, such as ``f5d6c11``."""
        return "".join(self.action_to_text(action) for action in self.moves)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._position() == other._position()

    def __hash__(self) -> int:
        return hash(self._position())

    def _position(self) -> tuple[bytes, int, int]:
        return (self._grid, self.to_move, self.width)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_at, (type(self), self.width, self.height, self.cells, self._grid, self.to_move, self.moves))

    def __repr__(self) -> str:
        return f"Tribolo.from_text({self.to_text()!r}, to_move={self.player_names[self.to_move]!r})"

    def __str__(self) -> str:
        edge = len(str(self.height))
        lines = [" " * edge + " " + " ".join(_COLUMNS[: self.width])]
        lines += [f"{number:{edge}} {' '.join(row)}" for number, row in enumerate(self._rows(), start=1)]
        counts = ", ".join(
            f"{name} ({_CELLS[player]}) {count}"
            for player, (name, count) in enumerate(zip(self.player_names, self.scores(), strict=True))
        )
        status = "game over" if self.is_over else f"{self.player_names[self.to_move]} to move"
        return "\n".join([*lines, f"{counts}, {status}"])


_T = TypeVar("_T", bound=Tribolo)


def _at(cls: type[_T], width: int, height: int, cells: int, grid: bytes, first: int, moves: tuple[int, ...]) -> _T:
    """Make a position; see `Tribolo.at`."""
    legal = np.empty(width * height, np.int8)
    mover = kernels.next_mover(np.frombuffer(bytearray(grid), np.int8), first, width, height, legal)
    state = cls.__new__(cls)
    state._fill(width, height, cells, grid, legal.tobytes(), first if mover == NOBODY else mover, moves)
    return state


def _check_start(
    seed: int | None, width: int, height: int, cells: int, walls: int
) -> tuple[np.uint64, int, int, int, int]:
    """Check the arguments of a random start. Returns the key of the random numbers, and the other arguments as ints.

    Raises:
        ValueError: a number is out of range, or the board is too small for the cells and walls.
        TypeError: a number is not an integer.
    """
    names = ("width", "height", "cells", "walls")
    width, height, cells, walls = map(check_integer, names, (width, height, cells, walls))
    if not 1 <= width <= len(_COLUMNS) or height < 1:
        raise ValueError(f"a board must be 1 to {len(_COLUMNS)} wide and at least 1 high, not {width} x {height}")
    if width * height > _MOST_CELLS:
        raise ValueError(f"a board has at most {_MOST_CELLS:,} cells, not {width * height:,} ({width} x {height})")
    if cells < 1 or walls < 0:
        raise ValueError(f"expected at least 1 cell for each player and at least 0 walls, got {cells} and {walls}")
    taken = PLAYERS * cells + walls
    if taken >= width * height:
        raise ValueError(f"{cells} cells for each player and {walls} walls leave no empty cell on {width} x {height}")
    key = secrets.randbits(64) if seed is None else check_seed(seed) % 2**64
    return np.uint64(key), width, height, cells, walls


def _no_start(width: int, height: int, cells: int, walls: int) -> ValueError:
    return ValueError(
        f"nobody could move in {ATTEMPTS} random starts of {width} x {height} with {cells} cells for each player "
        f"and {walls} walls"
    )
