"""The names of moves in printed games of checkers: steps, jumps, and whole chains of jumps as one move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, Self, TypeVar

from othello_env.games.checkers import notation
from othello_env.games.game import IllegalActionError, NotationError

__all__ = ["move_names", "play_named"]


class _Position(Protocol):
    """The parts of `othello_env.games.checkers.position.Checkers` that are used here.

    The class itself cannot be imported here, because its module imports this module.
    """

    size: int
    going: int
    to_move: int

    @property
    def player_names(self) -> tuple[str, ...]: ...
    @property
    def must_jump(self) -> bool: ...
    def legal_actions(self) -> tuple[int, ...]: ...
    def is_legal(self, action: int) -> bool: ...
    def play(self, action: int) -> Self: ...
    def action_to_text(self, action: int) -> str: ...
    def action_from_text(self, text: str) -> int: ...
    def illegal(self, action: int) -> IllegalActionError: ...


_C = TypeVar("_C", bound=_Position)


def play_named(state: _C, move: str) -> _C:
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


def _illegal_chain(state: _Position, move: str) -> IllegalActionError:
    legal = " ".join(state.action_to_text(action) for action in state.legal_actions())
    player = state.player_names[state.to_move]
    return IllegalActionError(f"{move.strip()} is not legal for {player}; the legal first moves are: {legal}\n{state}")


def move_names(start: _Position, actions: Iterable[int]) -> Iterator[str]:
    """The names of the moves from `start`, as in printed games: ``11-15``, or ``15x22x31`` for a whole chain of jumps.

    >>> from othello_env import Checkers
    >>> game = Checkers.from_moves("11-15 22-18 15x22")
    >>> list(move_names(Checkers(), game.moves))
    ['11-15', '22-18', '15x22']
    """
    state = start
    name = ""
    for action in actions:
        text = state.action_to_text(action)
        name = f"{name}x{text.partition('x')[2]}" if name else text
        state = state.play(action)
        if not state.going:
            yield name
            name = ""
    if name:
        yield name
