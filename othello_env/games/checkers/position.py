"""English draughts (American checkers), played one step or jump at a time.

Red starts at the top, on squares 1-12 of an 8x8 board, and moves first. White starts on squares 21-32. Red's men move
down the board. Men step and jump diagonally forwards. Kings step and jump in all four diagonal directions. A player
that can jump must jump, but may choose any of the possible jumps. As long as the same piece can jump again, the player
must continue with this piece. Each jump is a separate action. A man that reaches the last row becomes a king, and the
player's turn ends. A player that cannot move loses. The argument `draws` chooses when the game is a draw:

- ``draws="repetition"`` (default): the same position, with the same player to move, occurred once before;
- ``draws="threefold"``: the same position, with the same player to move, occurred twice before;
- ``draws="40-move"``: each player has made 40 moves without a capture or a move of a man.

A draw depends only on the moves since the last capture or the last move of a man. After a capture or a move of a man,
earlier positions cannot occur again.

Actions are ``4 * square + direction``. In actions, squares are numbered from 0. Directions 0-3 are NW, NE, SW, SE.
Observations are six planes, from the point of view of one player: this player's men, this player's kings, the
opponent's men, the opponent's kings, the piece that must continue jumping, and a plane that is all ones if Red is to
move, else all zeros. The observation does not show the history on which draws depend.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from struct import Struct
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from othello_env.games.checkers import kernels, notation
from othello_env.games.game import IllegalActionError, NotationError, State, check_board_size, check_choice
from othello_env.support.numbers import check_whole

__all__ = ["CELLS", "DRAWS", "Checkers"]

_pack = Struct("<5Q").pack

_Past = tuple[int, int, int, int]
"""An earlier position that can occur again: own, opponent, kings, to_move."""

_Movers = tuple[int, int, int, int, bool]
"""Four sets of pieces (those that may move NW, NE, SW and SE), and a bool: whether these moves are jumps."""

DRAWS: dict[str, tuple[int, int]] = {"repetition": (1, 0), "threefold": (2, 0), "40-move": (0, 80)}
"""For each rule for draws, two limits. The game is a draw when a limit is reached. A limit of 0 does not apply.

The first limit is the number of times that the position occurred before. The second limit is the number of quiet plies:
the plies since the last capture or the last move of a man.
"""

_SQUARES = {
    size: {1 << position: square for square, position in enumerate(positions)}
    for size, positions in kernels.POSITIONS.items()
}
"""For each size, a dict from the bit of each dark square to the number of the square, from 0."""

_HALVES = {size: np.uint64(size // 2) for size in kernels.SIZES}
_BOARDS = {size: np.uint64(board) for size, board in kernels.BOARDS.items()}

CELLS = {
    size: np.array([square // (size // 2) * size + notation.column_of(square, size) for square in range(size**2 // 2)])
    for size in kernels.SIZES
}
"""For each size, the index of each dark square among all squares of the board, row by row."""

_PLANES = {
    size: (64 * np.arange(5)[:, np.newaxis] + np.array(positions)) for size, positions in kernels.POSITIONS.items()
}
"""For each size, an index array (5, number of dark squares) that selects the dark squares from five sets of 64 bits.

The 320 bits of the five sets are numbered from 0, one set after another. Entry [k, square] is the number of the
bit that stands for the square in set k.
"""


class Checkers(State):
    """A position of checkers with the history on which draws depend. ``Checkers(size=8)`` is the start.

    Two positions are equal if they have the same pieces, player to move, piece that must continue jumping, rule for
    draws, and history. Under the 40-move rule, only the number of quiet plies (see `quiet`) is compared as history.
    Under the other rules, the earlier positions that can occur again are compared. Their order does not matter.

    >>> game = Checkers.from_moves("11-15 22-18 15x22 25x18")
    >>> print(game)
       . r . r . r . r   1-4
       r . r . r . r .   5-8
       . r . r . - . r   9-12
       - . - . - . - .  13-16
       . - . w . - . -  17-20
       w . - . w . w .  21-24
       . - . w . w . w  25-28
       w . w . w . w .  29-32
    red (r, king R) 11, white (w, king W) 11, red to move
    >>> [game.action_to_text(a) for a in game.legal_actions()][:4]
    ['7-11', '8-11', '9-13', '9-14']
    """

    __slots__ = (
        "_drawn",
        "_jumps",
        "_movers",
        "draws",
        "earlier",
        "going",
        "kings",
        "opponent",
        "own",
        "quiet",
        "size",
    )

    player_names = ("red", "white")
    rule_names = ("draws",)

    size: int
    draws: str
    own: int
    """The pieces of the player to move, as a set of bits (see `othello_env.games.checkers.kernels`)."""
    opponent: int
    kings: int
    """The kings of both players."""
    going: int
    """The bit of the piece that must continue its chain of jumps; 0 if there is no such piece."""
    quiet: int
    """The number of quiet plies: the plies since the last capture or the last move of a man."""
    earlier: tuple[_Past, ...]
    """The position before each of the quiet plies. Empty if the rule for draws does not need these positions."""
    _movers: tuple[int, int, int, int]  # four sets: the pieces that may move NW, NE, SW and SE
    _jumps: bool
    _drawn: bool

    def __init__(self, size: int = 8, draws: str = "repetition") -> None:
        size = check_board_size(size, kernels.SIZES)
        positions, men = kernels.POSITIONS[size], _start_men(size)
        red, white = (sum(1 << position for position in side) for side in (positions[:men], positions[-men:]))
        self._set(size, _check_draws(draws), (red, white, 0, 0, 0), (), (), 0)

    def _set(
        self,
        size: int,
        draws: str,
        position: tuple[int, int, int, int, int],
        moves: tuple[int, ...],
        earlier: tuple[_Past, ...],
        quiet: int,
        movers: _Movers | None = None,
    ) -> None:
        """Set all attributes. `position` is the tuple (own, opponent, kings, going, to_move)."""
        own, opponent, kings, going, to_move = position
        movers = movers or _movers_of(own, opponent, kings, going, to_move == 0, size)
        put = object.__setattr__
        put(self, "size", size)
        put(self, "draws", draws)
        put(self, "own", own)
        put(self, "opponent", opponent)
        put(self, "kings", kings)
        put(self, "going", going)
        put(self, "to_move", to_move)
        put(self, "moves", moves)
        put(self, "quiet", quiet)
        put(self, "earlier", earlier)
        put(self, "_movers", movers[:4])
        put(self, "_jumps", movers[4])
        repeats, quiet_limit = DRAWS[draws]
        is_quiet = 0 < quiet_limit <= quiet
        is_drawn = is_quiet or 0 < repeats <= earlier.count((own, opponent, kings, to_move))
        put(self, "_drawn", any(self._movers) and is_drawn)

    def at(
        self, own: int, opponent: int, kings: int, going: int, to_move: int, quiet: int, moves: tuple[int, ...]
    ) -> Self:
        """A position under the rules of this State, after `moves`. The last `quiet` of these moves are quiet plies.

        Raises:
            TypeError, ValueError: a number is out of range, or not an integer.
        """
        sets = {"own": own, "opponent": opponent, "kings": kings, "going": going}
        own, opponent, kings, going = (check_whole(name, bits, 0, 2**64 - 1) for name, bits in sets.items())
        to_move, quiet = check_whole("to_move", to_move, 0, 1), check_whole("quiet", quiet, 0, len(moves))
        quiet_moves = moves[len(moves) - quiet :] if DRAWS[self.draws][0] else ()
        earlier = _positions_before((own, opponent, kings, to_move), quiet_moves, self.size)
        state = type(self).__new__(type(self))
        state._set(self.size, self.draws, (own, opponent, kings, going, to_move), moves, earlier, quiet)
        return state

    def board(self) -> tuple[int, int, int, int]:
        """The sets `own`, `opponent`, `kings` and `going`."""
        return self.own, self.opponent, self.kings, self.going

    def movers(self) -> tuple[int, int, int, int]:
        """Four sets of bits: the pieces that may move NW, NE, SW and SE. A draw does not make the sets empty."""
        return self._movers

    @classmethod
    def from_text(
        cls, text: str, to_move: str | int | None = None, *, size: int = 8, draws: str = "repetition", going: int = 0
    ) -> Self:
        """Read a position in Forsyth-Edwards notation, such as ``"B:W21-32:B1-11,K15"``. The position has no history.

        Args:
            text: the player to move, then each side's pieces. In this notation, the letter B (black) stands for Red.
            to_move: the player to move: ``"red"``, ``"white"`` or the index. None means the player in the text.
            size: the height and width of the board.
            draws: the rule for draws.
            going: the square (from 1) of the piece that must continue its chain of jumps; 0 if there is no such piece.

        Raises:
            NotationError: the text does not show a position, or there is no piece on `going` that can continue a chain.
            TypeError: the argument is not text.
            ValueError: there is no such size, rule for draws or player.
        """
        size = check_board_size(size, kernels.SIZES)
        player, pieces = notation.fen_to_pieces(text, size, _start_men(size))
        if to_move is not None:
            player = cls.player_index(to_move)
        bits = kernels.POSITIONS[size]
        sides = [sum(1 << bits[square] for owner, square, _ in pieces if owner == p) for p in (0, 1)]
        kings = sum(1 << bits[square] for _, square, is_king in pieces if is_king)
        piece = 1 << bits[going - 1] if 0 < going <= len(bits) else 0
        state = cls.__new__(cls)
        state._set(size, _check_draws(draws), (sides[player], sides[1 - player], kings, piece, player), (), (), 0)
        if going and not (piece & sides[player] and state.must_jump):
            raise NotationError(f"no piece of {cls.player_names[player]} on {going} can continue jumping in {text!r}")
        return state

    def to_text(self) -> str:
        """The pieces and the player to move, in the format that `from_text` reads."""
        sides: tuple[list[str], list[str]] = ([], [])
        for square, piece in enumerate(self.pieces()):
            if piece is not None:
                sides[piece[0]].append(f"{'K' if piece[1] else ''}{square + 1}")
        return notation.pieces_to_fen(*sides, self.to_move)

    def position_from_text(self, text: str) -> Self:
        return self.from_text(text, size=self.size, draws=self.draws)

    @classmethod
    def from_moves(cls, moves: str | Iterable[int | str], size: int = 8, draws: str = "repetition") -> Self:
        """The position after a transcript from the start, such as ``"11-15 22-18 15x22"``; see `play_transcript`."""
        return cls(size, draws).play_transcript(moves)

    def play_move(self, move: int | str) -> Self:
        """The position after a step, a jump or a whole chain.

        The first and the last square are usually enough to name a chain. They are not enough if several chains share
        these squares and lead to different positions.
        """
        return _play_named(self, move) if isinstance(move, str) else self.play(self.check_action(move))

    @staticmethod
    def transcript_moves(transcript: str) -> Iterator[str]:
        return notation.tokens(transcript)

    @property
    def num_actions(self) -> int:
        return 2 * self.size * self.size

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return (6, self.size, self.size)

    @property
    def placed(self) -> int:
        """The number of actions in `moves`."""
        return len(self.moves)

    @property
    def is_over(self) -> bool:
        return self._drawn or not any(self._movers)

    @property
    def must_jump(self) -> bool:
        """Whether the player to move can jump. If so, no step is legal."""
        return self._jumps

    def legal_actions(self) -> tuple[int, ...]:
        if self._drawn:
            return ()
        squares = _SQUARES[self.size]
        actions = []
        for direction, movers in enumerate(self._movers):
            while movers:
                piece = movers & -movers
                movers ^= piece
                actions.append(4 * squares[piece] + direction)
        return tuple(sorted(actions))

    def is_legal(self, action: int) -> bool:
        if self._drawn or not 0 <= action < self.num_actions:
            return False
        return self._movers[action % 4] >> kernels.POSITIONS[self.size][action // 4] & 1 != 0

    def play(self, action: int) -> Self:
        action = self.check_action(action)
        if not self.is_legal(action):
            raise self.illegal(action)
        size, uint64 = self.size, np.uint64
        after, movers = kernels.advance(
            uint64(self.own),
            uint64(self.opponent),
            uint64(self.kings),
            uint64(1 << kernels.POSITIONS[size][action // 4]),
            action % 4,
            self.to_move == 0,
            _HALVES[size],
            _BOARDS[size],
        )
        own, opponent, kings, going, red, undoable = after
        earlier: tuple[_Past, ...] = ()
        if undoable and DRAWS[self.draws][0]:
            earlier = (*self.earlier, (self.own, self.opponent, self.kings, self.to_move))
        state = type(self).__new__(type(self))
        position = (int(own), int(opponent), int(kings), int(going), 0 if red else 1)
        quiet = self.quiet + 1 if undoable else 0
        state._set(size, self.draws, position, (*self.moves, action), earlier, quiet, _as_ints(movers))
        return state

    def pieces(self) -> list[tuple[int, bool] | None]:
        """For each dark square, in order: (owner, whether it is a king), or None if empty. Owner 0 is Red, 1 White."""
        red, white = self._sides()
        pieces: list[tuple[int, bool] | None] = []
        for position in kernels.POSITIONS[self.size]:
            bit = 1 << position
            owner = 0 if red & bit else 1 if white & bit else None
            pieces.append(None if owner is None else (owner, self.kings & bit != 0))
        return pieces

    @property
    def going_square(self) -> int | None:
        """The square (from 0) of the piece that must continue its chain of jumps; None if there is no such piece."""
        return _SQUARES[self.size][self.going] if self.going else None

    def _sides(self) -> tuple[int, int]:
        return (self.opponent, self.own) if self.to_move else (self.own, self.opponent)

    def scores(self) -> tuple[int, int]:
        """The number of pieces of Red and of White."""
        red, white = self._sides()
        return red.bit_count(), white.bit_count()

    def returns(self) -> tuple[float, ...]:
        if self._drawn or not self.is_over:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.to_move == 0 else (1.0, -1.0)

    def margins(self) -> tuple[float, ...]:
        """The winner's margin is the number of the winner's pieces. The loser's margin is minus this number.

        Pieces that the loser still has make no difference. Before the end and in a draw, both margins are 0.0.
        """
        pieces = self.opponent.bit_count()
        red, white = self.returns()
        return (red * pieces, white * pieces)

    @property
    def largest_margin(self) -> float:
        return float(_start_men(self.size))

    def mobility(self, player: int) -> int:
        if player not in (0, 1):
            raise self.no_player(player)
        movers = self._movers
        if player != self.to_move:
            movers = _movers_of(self.opponent, self.own, self.kings, 0, player == 0, self.size)[:4]
        return sum(pieces.bit_count() for pieces in movers)

    def observation(self, player: int) -> npt.NDArray[np.int8]:
        if player not in (0, 1):
            raise self.no_player(player)
        mine, other = (self.own, self.opponent) if player == self.to_move else (self.opponent, self.own)
        kings, size = self.kings, self.size
        words = np.frombuffer(_pack(mine & ~kings, mine & kings, other & ~kings, other & kings, self.going), np.uint8)
        planes = np.zeros((6, size * size), np.int8)
        planes[:5, CELLS[size]] = np.unpackbits(words, bitorder="little")[_PLANES[size]]
        planes[5] = self.to_move == 0
        return planes.reshape(6, size, size)

    def action_to_text(self, action: int) -> str:
        return notation.action_to_text(self.check_action(action), self._is_jump(action), self.size)

    def action_from_text(self, text: str) -> int:
        squares = notation.squares_of_move(text, self.size)
        decoded = notation.action_from_squares(squares[0], squares[1], self.size)
        if len(squares) > 2 or decoded is None:
            raise NotationError(
                f"expected one step or jump along a diagonal, such as 11-15 or 15x22, got {text.strip()!r}"
            )
        action, steps = decoded
        if self._is_jump(action) != (steps == 2):
            reason = "there is nothing to jump over" if steps == 2 else "the square is taken, so it would be a jump"
            raise NotationError(f"{text.strip()!r} is not a move here: {reason}\n{self}")
        return action

    def transcript(self) -> str:
        """The steps and jumps from the usual start, such as ``11-15 22-18 15x22``.

        Raises:
            ValueError: the game did not begin at the usual start.
        """
        try:  # an action alone does not say whether it jumps
            positions = type(self)(self.size, self.draws).positions(self.moves)
        except IllegalActionError:
            positions = []
        if positions[-1:] != [self]:
            raise ValueError(f"a transcript begins at the usual start, where this game did not begin:\n{self}")
        return " ".join(state.action_to_text(action) for state, action in zip(positions, self.moves, strict=False))

    def _is_jump(self, action: int) -> bool:
        """Whether a piece of the other player stands on the next square in the action's direction."""
        target = notation.destination(action // 4, action % 4, 1, self.size)
        return target is not None and self.opponent >> kernels.POSITIONS[self.size][target] & 1 != 0

    def _position(self) -> tuple[Any, ...]:
        return (self.own, self.opponent, self.kings, self.going, self.to_move, self.size, self.draws)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or self._position() != other._position():
            return False
        if DRAWS[self.draws][1]:
            return self.quiet == other.quiet
        return self.earlier == other.earlier or Counter(self.earlier) == Counter(other.earlier)

    def __hash__(self) -> int:
        return hash(self._position())

    def __reduce__(self) -> tuple[Any, ...]:
        position = (self.own, self.opponent, self.kings, self.going, self.to_move)
        return (_restore, (type(self), self.size, self.draws, position, self.moves, self.earlier, self.quiet))

    def __repr__(self) -> str:
        options = f", size={self.size}" if self.size != 8 else ""
        options += f", draws={self.draws!r}" if self.draws != "repetition" else ""
        options += "" if self.going_square is None else f", going={self.going_square + 1}"
        return f"Checkers.from_text({self.to_text()!r}{options})"

    def __str__(self) -> str:
        red, white = self.scores()
        status = f"{self.player_names[self.to_move]} to move"
        if self.is_over:
            status = "game over"
        elif self.going_square is not None:
            status = f"{self.player_names[self.to_move]} must continue with {self.going_square + 1}"
        board = notation.board_to_text(self.pieces(), self.size)
        return f"{board}\nred (r, king R) {red}, white (w, king W) {white}, {status}"


def _restore(cls: type[Checkers], *state: Any) -> Checkers:
    restored = cls.__new__(cls)
    restored._set(*state)
    return restored


def _check_draws(draws: Any) -> str:
    """Check the name of a rule for draws and return it.

    Raises:
        ValueError: there is no such rule.
    """
    check_choice("draws", draws, (*DRAWS,))
    return str(draws)


def _start_men(size: int) -> int:
    """The number of men of each side at the start. In each half, only the row nearest to the middle is empty."""
    return (size // 2 - 1) * (size // 2)


def _positions_before(position: _Past, quiet_moves: Sequence[int], size: int) -> tuple[_Past, ...]:
    """The position before each of the quiet moves, in the order of the moves. `position` is the position after them."""
    own, opponent, kings, to_move = position
    bits = kernels.POSITIONS[size]
    before: list[_Past] = []
    for action in reversed(quiet_moves):
        square, direction = divmod(action, 4)
        target = notation.destination(square, direction, 1, size)
        assert target is not None
        both = 1 << bits[square] | 1 << bits[target]  # the squares that the step leaves and reaches
        own, opponent, kings, to_move = opponent ^ both, own, kings ^ both, 1 - to_move
        before.append((own, opponent, kings, to_move))
    return tuple(reversed(before))


def _movers_of(own: int, opponent: int, kings: int, going: int, red: bool, size: int) -> _Movers:
    """The result of `othello_env.games.checkers.kernels.legal_moves` for a position, as Python integers and a bool."""
    uint64 = np.uint64
    return _as_ints(
        kernels.legal_moves(
            uint64(own), uint64(opponent), uint64(kings), uint64(going), red, _HALVES[size], _BOARDS[size]
        )
    )


def _as_ints(movers: tuple[Any, Any, Any, Any, Any]) -> _Movers:
    """Convert the result of the kernel `legal_moves` to Python integers and a bool."""
    north_west, north_east, south_west, south_east, jumps = movers
    return int(north_west), int(north_east), int(south_west), int(south_east), bool(jumps)


_C = TypeVar("_C", bound=Checkers)


def _play_named(state: _C, move: str) -> _C:
    """The position after a move that is given by its name.

    If the single jump from 15 to 22 is legal, ``15x22`` means only this jump, and not the jumps that may follow.
    Otherwise ``15x22`` means a chain from 15 to 22. If the two jumps are legal, ``15x22x31`` means only these two
    jumps. Otherwise ``15x22x31`` means a chain that visits these squares in this order and ends on 31.

    Raises:
        NotationError: the name cannot be read, or several chains that lead to different positions have this name.
        IllegalActionError: no legal move has this name.
    """
    squares = notation.squares_of_move(move, state.size)
    decoded = notation.action_from_squares(squares[0], squares[1], state.size) if len(squares) == 2 else None
    if decoded and state.is_legal(decoded[0]):
        return state.play(state.action_from_text(move))
    chains = list(_chains(state, squares[0]))
    exact = [end for line, end in chains if line == squares]
    ends = exact[:1] or [end for line, end in chains if not end.going and _passes(line, squares)]
    if not ends:
        raise state.illegal(decoded[0]) if decoded else _illegal_chain(state, move)
    if any(end != ends[0] for end in ends):
        raise NotationError(f"{move.strip()!r} fits more than one chain of jumps: name every square\n{state}")
    return ends[0]


def _chains(state: _C, square: int) -> Iterator[tuple[list[int], _C]]:
    """All chains of jumps that the piece on this square can make, including unfinished chains.

    Yields the squares of each chain and the position after the chain.
    """
    for action in state.legal_actions() if state.must_jump else ():
        target = notation.destination(square, action % 4, 2, state.size)
        if action // 4 == square and target is not None:
            after = state.play(action)
            yield [square, target], after
            if after.going:
                yield from (([square, *line], end) for line, end in _chains(after, target))


def _passes(line: list[int], squares: list[int]) -> bool:
    """Whether a chain of jumps visits these squares in this order and ends on the last of these squares."""
    rest = iter(line)
    return line[-1] == squares[-1] and all(square in rest for square in squares)


def _illegal_chain(state: Checkers, move: str) -> IllegalActionError:
    legal = " ".join(state.action_to_text(action) for action in state.legal_actions())
    player = state.player_names[state.to_move]
    return IllegalActionError(f"{move.strip()} is not legal for {player}; the legal first moves are: {legal}\n{state}")
