"""A single position of Othello, and the rules of the game.

Rules: Black moves first. A player places a disc on an empty square. In at least one of the eight directions, a run
of the opponent's discs must begin next to this square, and one of the player's own discs must follow the run. The discs
of all such runs are turned over. A player that has no such move must pass (action ``size * size``). A player that has
such a move must not pass. The game ends as soon as neither player has a move, even if the board is not full. The player
with more discs wins.

Actions are ``size * row + column``, so a1 is 0. Observations are two planes: the player's own discs and the opponent's
discs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from othello_env.games.game import State, check_board_size, check_text
from othello_env.games.hashing import draw
from othello_env.games.othello import bitboard, notation

__all__ = ["Othello", "check_size"]


_O = TypeVar("_O", bound="Othello")

_BIT_ACTIONS = {
    size: {bit: action for action, bit in enumerate(bits) if bit} for size, bits in bitboard.ACTION_BITS.items()
}
"""For each size, a dict from the bit of each disc to the action that places the disc."""

_NAMES = {
    size: {action: notation.square_to_text(action, size) for action in range(size * size + 1)}
    for size in bitboard.SIZES
}
"""For each size, a dict from each action to its name."""
_NAMED = {size: {name: action for action, name in names.items()} for size, names in _NAMES.items()}

_LOW = 0xFFFF_FFFF


def check_size(size: Any) -> int:
    """Check the size of a board (its height and width), and return the size as an int.

    Raises:
        ValueError: the size is not 4, 6 or 8.
    """
    return check_board_size(size, bitboard.SIZES)


class Othello(State):
    """An Othello position; ``Othello(size=8)`` is the start.

    >>> game = Othello.from_moves("f5d6c3")
    >>> print(game)
      a b c d e f g h
    1 - - - - - - - -
    2 - - - - - - - -
    3 - - X - - - - -
    4 - - - X X - - -
    5 - - - O X X - -
    6 - - - O - - - -
    7 - - - - - - - -
    8 - - - - - - - -
    black (X) 5, white (O) 2, white to move
    >>> [game.action_to_text(a) for a in game.legal_actions()]
    ['d3', 'f3', 'f4', 'g5']
    """

    # The base class has properties of two of these names.
    __slots__ = ("_legal", "_reply", "is_over", "must_pass", "opponent", "own", "size")  # pyright: ignore

    player_names = ("black", "white")

    size: int
    own: int
    """The discs of the player to move, as a set of bits (see `othello_env.games.othello.bitboard`)."""
    opponent: int
    """The other player's discs, as a set of bits."""
    is_over: bool
    must_pass: bool
    """Whether the pass is the only legal action."""
    _legal: int
    _reply: int

    def __init__(self, size: int = 8) -> None:
        black, white = bitboard.STARTS
        self._set(check_size(size), black, white, 0, ())

    def _set(self, size: int, own: int, opponent: int, to_move: int, moves: tuple[int, ...]) -> None:
        legal, reply = bitboard.mobility(np.uint64(own), np.uint64(opponent), bitboard.BOARDS[size])
        self._fill(size, own, opponent, to_move, moves, int(legal), int(reply))

    def _fill(
        self, size: int, own: int, opponent: int, to_move: int, moves: tuple[int, ...], legal: int, reply: int
    ) -> None:
        _put_size(self, size)
        _put_own(self, own)
        _put_opponent(self, opponent)
        _put_to_move(self, to_move)
        _put_moves(self, moves)
        _put_legal(self, legal)  # the legal squares of the player to move
        _put_reply(self, reply)  # the legal squares that the other player would have
        _put_must_pass(self, not legal and reply != 0)
        _put_is_over(self, not (legal or reply))

    @classmethod
    def from_bits(cls, own: int, opponent: int, to_move: int = 0, size: int = 8) -> Self:
        """The position with these sets of discs. Each set is an integer with one bit for each disc.

        Raises:
            ValueError: the sets overlap, a disc is off the board, or there is no such player or size.
        """
        size, own, opponent = check_size(size), index(own), index(opponent)
        board = bitboard.BOARD_INTS[size]
        if own & opponent or (own | opponent) & ~board or own < 0 or opponent < 0:
            raise ValueError(
                f"expected two disjoint sets of squares within {board:#018x}, got {own:#018x} and {opponent:#018x}"
            )
        state = cls.__new__(cls)
        state._set(size, own, opponent, notation.player_from_text(to_move), ())
        return state

    @classmethod
    def from_text(cls, text: str, to_move: str | int = "X") -> Self:
        """Read a position of 16, 36 or 64 squares, row by row: ``X`` is black, ``O`` is white, ``-`` is empty.

        Raises:
            NotationError: the text does not show a board, or there is no such player.
            TypeError: the board is not text, or the player is neither text nor an integer.
        """
        size, owners = notation.board_from_text(text)
        player = notation.player_from_text(to_move)
        bits = bitboard.ACTION_BITS[size]
        discs = [sum(bit for bit, owner in zip(bits, owners, strict=False) if owner == p) for p in (0, 1)]
        return cls.from_bits(discs[player], discs[1 - player], player, size)

    def position_from_text(self, text: str) -> Self:
        return self.from_text(text)

    def to_text(self) -> str:
        """The board on one line, in the format that `from_text` reads. The player to move is not included."""
        return notation.board_to_text(self.owners())

    @classmethod
    def from_moves(cls, moves: str | Iterable[int | str], size: int = 8) -> Self:
        """The position after a transcript from the start, such as ``"f5d6c3"``; see `play_transcript`."""
        return cls(size).play_transcript(moves)

    def at(self, own: int, opponent: int, to_move: int, moves: tuple[int, ...]) -> Self:
        """A position on a board of the same size. The player and the moves so far are not checked.

        Raises:
            ValueError: a set is not a number of 64 bits.
        """
        try:
            return _restore(type(self), self.size, own, opponent, to_move, moves)
        except OverflowError:
            raise ValueError(f"expected sets of squares as numbers of 64 bits, got {own!r} and {opponent!r}") from None

    def play_move(self, move: int | str) -> Self:
        action = self.action_from_text(move) if isinstance(move, str) else self.check_action(move)
        state = self.play(self.pass_action) if self.must_pass and action != self.pass_action else self
        return state.play(action)

    @staticmethod
    def transcript_moves(transcript: str) -> Iterator[str]:
        return notation.tokens(transcript)

    @property
    def num_actions(self) -> int:
        return self.size * self.size + 1

    @property
    def pass_action(self) -> int:
        return self.size * self.size

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return (2, self.size, self.size)

    @property
    def placed(self) -> int:
        """The number of discs on the board. Every move except a pass raises this number by one."""
        return (self.own | self.opponent).bit_count()

    @property
    def legal_bits(self) -> int:
        """The squares on which the player to move may place a disc, as a set of bits."""
        return self._legal

    def legal_actions(self) -> tuple[int, ...]:
        legal, size = self._legal, self.size
        if not legal:
            return (size * size,) if self._reply else ()
        actions = _BIT_ACTIONS[size]
        listed = []
        while legal:
            bit = legal & -legal
            listed.append(actions[bit])
            legal ^= bit
        return tuple(listed)

    def is_legal(self, action: int) -> bool:
        if action == self.size * self.size:
            return self.must_pass
        return 0 <= action < self.num_actions and self._legal & bitboard.ACTION_BITS[self.size][action] != 0

    def draw_action(self, key: int, counter: int) -> int:
        legal = self._legal
        if not legal:
            return self.legal_actions()[0]
        for _ in range(draw(key, counter, legal.bit_count())):
            legal &= legal - 1
        return _BIT_ACTIONS[self.size][legal & -legal]

    def play(self, action: int) -> Self:
        size = self.size
        try:
            number = index(action)
        except TypeError:
            number = -1
        if not 0 <= number <= size * size:
            self.check_action(action)  # raises the error
        disc = bitboard.ACTION_BITS[size][number]
        if not (self._legal & disc or (disc == 0 and self.must_pass)):
            raise self.illegal(number)
        mine, other = self.own, self.opponent
        own, opponent, legal, reply = bitboard.play(
            mine & _LOW, mine >> 32, other & _LOW, other >> 32, disc & _LOW, disc >> 32, size
        )
        state = type(self).__new__(type(self))
        state._fill(size, int(own), int(opponent), 1 - self.to_move, (*self.moves, number), int(legal), int(reply))
        return state

    def discs(self) -> tuple[int, int]:
        """The number of discs of Black and of White. Empty squares do not count."""
        mine, other = self.own.bit_count(), self.opponent.bit_count()
        return (other, mine) if self.to_move else (mine, other)

    scores = discs

    @property
    def empties(self) -> int:
        """The number of empty squares."""
        return self.size**2 - sum(self.discs())

    def returns(self) -> tuple[float, ...]:
        black, white = self.margins()
        return (float((black > 0) - (black < 0)), float((white > 0) - (white < 0)))

    def margins(self) -> tuple[float, ...]:
        """At the end, the number of each player's discs minus the number of the other player's discs.

        The winner also gets the empty squares. Before the end, both margins are 0.0.
        """
        black, white = self.discs()
        if black == white or not self.is_over:
            return (0.0, 0.0)
        difference = black - white + self.empties * (1 if black > white else -1)
        return (float(difference), float(-difference))

    @property
    def largest_margin(self) -> float:
        return float(self.size * self.size)

    def mobility(self, player: int) -> int:
        if player == self.to_move:
            return self._legal.bit_count()
        if player == 1 - self.to_move:
            return self._reply.bit_count()
        raise self.no_player(player)

    def owners(self) -> list[int | None]:
        """The owner of each square, row by row from a1: 0 black, 1 white, None nobody."""
        black, white = (self.opponent, self.own) if self.to_move else (self.own, self.opponent)
        return [
            0 if black & 1 << square else 1 if white & 1 << square else None
            for square in bitboard.ACTION_SQUARES[self.size]
        ]

    def observation(self, player: int) -> npt.NDArray[np.int8]:
        return self._encode(player)[0]

    def action_mask(self) -> npt.NDArray[np.int8]:
        return self._encode(self.to_move)[1]

    def encode(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        return self._encode(self.to_move)

    def _encode(self, player: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """The planes from the point of view of `player`, and the action mask of the player to move.

        The planes and the mask are views of one array.
        """
        if player == self.to_move:
            mine, other = self.own, self.opponent
        elif player == 1 - self.to_move:
            mine, other = self.opponent, self.own
        else:
            raise self.no_player(player)
        legal, size = self._legal, self.size
        squares = size * size
        out = np.empty(3 * squares + 1, np.int8)
        bitboard.encode(
            mine & _LOW,
            mine >> 32,
            other & _LOW,
            other >> 32,
            legal & _LOW,
            legal >> 32,
            self.must_pass,
            size,
            out,
        )
        return out[: 2 * squares].reshape(2, size, size), out[2 * squares :]

    def action_to_text(self, action: int) -> str:
        return notation.square_to_text(action, self.size)

    def action_from_text(self, text: str) -> int:
        return notation.square_from_text(text, self.size)

    def names_of(self, actions: Iterable[int]) -> str:
        names, actions = _NAMES[self.size], [*actions]
        try:
            return " ".join([names[action] for action in actions])
        except KeyError:
            return super().names_of(actions)  # raises the error

    def play_names(self, names: str) -> Self:
        """The position after actions that are named as in `names_of`; see `State.play_names`.

        Compiled code plays the moves in a twentieth of the time. The base class plays what this code refuses: an
        illegal move, a name that is spelled in another way, and moves of a subclass, which may have other rules.
        """
        known = _NAMED[self.size]
        actions = [known.get(name, -1) for name in check_text(names, "the names of moves").split()]
        if type(self) is not Othello or -1 in actions:
            return super().play_names(names)
        discs = np.array([bitboard.ACTION_BITS[self.size][action] for action in actions], np.uint64)
        own, opponent, played = bitboard.play_discs(
            np.uint64(self.own), np.uint64(self.opponent), discs, bitboard.BOARDS[self.size]
        )
        if played < len(discs):
            return super().play_names(names)
        return self.at(int(own), int(opponent), self.to_move ^ (len(discs) & 1), (*self.moves, *actions))

    def transcript(self) -> str:
        """The moves so far without separators and without passes, such as ``f5d6c3``."""
        return "".join(self.action_to_text(action) for action in self.moves if action != self.pass_action)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._position() == other._position()

    def __hash__(self) -> int:
        return hash(self._position())

    def _position(self) -> tuple[int, int, int, int]:
        return (self.own, self.opponent, self.to_move, self.size)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (type(self), self.size, self.own, self.opponent, self.to_move, self.moves))

    def __repr__(self) -> str:
        return f"{type(self).__name__}.from_text({self.to_text()!r}, to_move={'XO'[self.to_move]!r})"

    def __str__(self) -> str:
        size, cells = self.size, self.to_text()
        lines = ["  " + " ".join("abcdefgh"[:size])]
        lines += [f"{row + 1} " + " ".join(cells[size * row : size * row + size]) for row in range(size)]
        black, white = self.discs()
        status = "game over" if self.is_over else f"{self.player_names[self.to_move]} to move"
        return "\n".join([*lines, f"black (X) {black}, white (O) {white}, {status}"])


# `_fill` uses these setters, because the method `__setattr__` of a position raises an error. These setters are a third
# faster than `object.__setattr__`.
_put_size, _put_own, _put_opponent, _put_legal, _put_reply, _put_must_pass, _put_is_over, _put_to_move, _put_moves = (
    vars(owner)[name].__set__
    for owner, name in (
        (Othello, "size"),
        (Othello, "own"),
        (Othello, "opponent"),
        (Othello, "_legal"),
        (Othello, "_reply"),
        (Othello, "must_pass"),
        (Othello, "is_over"),
        (State, "to_move"),
        (State, "moves"),
    )
)


def _restore(cls: type[_O], size: int, own: int, opponent: int, to_move: int, moves: tuple[int, ...]) -> _O:
    state = cls.__new__(cls)
    state._set(size, own, opponent, to_move, moves)
    return state
