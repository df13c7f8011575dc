"""Where games begin: at the start, after random plies, or at given positions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

from othello_env.games.game import IllegalActionError, NotationError, State
from othello_env.games.hashing import OPENING, mix_int, weight_bounds
from othello_env.support.numbers import is_ordered

__all__ = ["Openings", "OpeningsSpec", "opening_position", "random_opening"]

OpeningsSpec = str | Sequence[str | State] | Mapping[str | State, float] | None
"""The argument `openings` of the environments; `Openings` explains it."""


def random_opening(start: State, plies: int, key: int) -> State | None:
    """The position after a number of random plies from `start`, or None if these plies end the game.

    `start`, `plies` and `key` determine the position. At each ply, every legal action is equally likely. A pass counts
    as a ply.
    """
    state = start
    for _ in range(plies):
        if state.is_over:
            return None
        state = state.play(state.draw_action(key, state.placed))
    return None if state.is_over else state


class Openings:
    """The positions in which games can begin.

    Args:
        spec: None for the game's own start, ``"random:10"`` for ten random plies, or a sequence of transcripts or
            States. From a sequence, one opening is chosen at random for each game. A dict from transcripts or States to
            weights makes some openings likelier than others. A set is refused, since it has no order.
        begin: a function that takes the key of a game and returns the game's own start.
        random_plies: the number of random plies that follow the start or the opening.

    Raises:
        ValueError: the spec has none of these forms, the spec is empty, an opening is not valid, an opening ends the
            game, or a weight is wrong.
        TypeError: a weight is not a number.

    Attributes:
        positions: the openings that were given, or an empty tuple.
        bounds: for each position, an ascending bound. Each game has a random 32-bit number, and begins at the first
            position whose bound is greater than this number.
        random_plies: the number of random plies after the start or the opening.
    """

    ATTEMPTS = 1000
    """The largest number of attempts to find random plies that do not end the game."""

    def __init__(self, spec: OpeningsSpec, begin: Callable[[int], State], random_plies: int = 0) -> None:
        self.random_plies = random_plies
        self.positions: tuple[State, ...] = ()
        self.bounds: tuple[int, ...] = ()
        self._begin = begin
        if isinstance(spec, str):
            kind, _, count = spec.partition(":")
            if kind != "random" or not (count.isascii() and count.isdecimal()):
                raise _no_openings(spec)
            self.random_plies = int(count)
        elif spec is not None:
            if not (isinstance(spec, Mapping) or is_ordered(spec)):
                raise _no_openings(spec)
            start = begin(0)
            self.positions = tuple(opening_position(start, opening) for opening in spec)
            if not self.positions:
                raise ValueError("openings is empty: expected transcripts or States, or None for the start")
            if isinstance(spec, Mapping):
                self.bounds = weight_bounds("openings", spec)
            else:  # the openings are equally likely
                n = len(self.positions)
                self.bounds = tuple(-(-k * 2**32 // n) for k in range(1, n + 1))

    def draw(self, game_key: int) -> State:
        """The position in which the game with this key begins."""
        if self.positions:
            number = mix_int(mix_int(game_key, OPENING), 0) >> 32
            start = self.positions[bisect_right(self.bounds, number)]
        else:
            start = self._begin(game_key)
        return self.random(start, self.random_plies, game_key)

    @classmethod
    def random(cls, start: State, plies: int, game_key: int) -> State:
        """The position after random plies from `start`. If the plies end the game, other plies are tried.

        Raises:
            ValueError: the game ended in each of `ATTEMPTS` attempts.
        """
        key = mix_int(game_key, OPENING)
        for attempt in range(cls.ATTEMPTS):
            state = random_opening(start, plies, mix_int(key, attempt))
            if state is not None:
                return state
        raise ValueError(
            f"{plies} random plies ended the game in each of {cls.ATTEMPTS} attempts; use fewer random plies"
        )


def _no_openings(spec: object) -> ValueError:
    return ValueError(f'openings must be None, "random:PLIES", transcripts or States, not {spec!r}')


def opening_position(start: State, opening: str | State) -> State:
    """The position of an opening.

    The opening is a State of the same game and rules as `start`, or a transcript whose moves are played from `start`.

    Raises:
        ValueError: the State is of another game or board size or has other rules, the transcript cannot be played, or
            the opening ends the game.
    """
    if isinstance(opening, str):
        return _position_after(start, opening)
    if not start.has_same_rules(opening):
        raise ValueError(f"expected openings for {start!r}, got {opening!r}")
    if opening.is_over:
        raise ValueError(f"an opening ends the game:\n{opening}")
    return opening


def _position_after(start: State, transcript: str) -> State:
    try:
        state = start.play_transcript(transcript)
    except (IllegalActionError, NotationError) as error:
        raise type(error)(f"opening {transcript!r}: {error}") from None
    if state.is_over:
        raise ValueError(f"the opening {transcript!r} ends the game")
    return state
