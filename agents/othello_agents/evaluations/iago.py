"""The evaluation of Iago, Paul Rosenbloom's program, in Norvig's version.

The source is Norvig, Paradigms of Artificial Intelligence Programming, chapter 18. The evaluation is for 8x8 boards. It
is the sum of three terms: one for the edges (from a table of all edge configurations), one for the legal moves, and one
for the empty squares beside the other side's discs. The weights of the terms depend on the move number at the root of
the search.

The edge table gives values for one player, and assumes that it is this player's turn. In minimax and alpha-beta, this
is true. But the maximizer, max^n and paranoid also evaluate positions for a player whose turn it is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from othello_agents.evaluations.registry import Evaluation
from othello_env.games.othello.bitboard import BOARDS, legal_moves, popcount
from othello_env.games.othello.position import Othello
from othello_env.support.jit import Int, kernel

__all__ = ["EDGES", "ROUNDS", "Iago", "edge_table", "iago"]

EDGES = (
    (9, 0, 1, 2, 3, 4, 5, 6, 7, 14),
    (14, 7, 15, 23, 31, 39, 47, 55, 63, 54),
    (54, 63, 62, 61, 60, 59, 58, 57, 56, 49),
    (49, 56, 48, 40, 32, 24, 16, 8, 0, 9),
)
"""The squares of each edge as bit numbers: X-square, corner, C, A, B, B, A, C, corner, X-square. (C, A and B are the
usual names of the edge squares between a corner and the middle of the edge.)"""

ROUNDS = 5
"""The number of rounds that compute the edge table. Each round recomputes all entries with 1 to 9 discs."""

_EMPTY, _OWN, _OTHER = (np.int64(number) for number in (0, 1, 2))  # not literals, which Numba would compile anew
_STABLE, _SEMI, _UNSTABLE = 0, 1, 2
_EDGES = np.array(EDGES)
_POWERS = 3 ** np.arange(9, -1, -1)
_KINDS = np.array([0, 1, 2, 3, 4, 4, 3, 2, 1, 0])
_STATIC = np.array([[0, 0, -2000], [700, 0, 0], [1200, 200, -25], [1000, 200, 75], [1000, 200, 50]])
"""(5, 3) int64, the value of a disc. Rows: X-square, corner, C, A and B. Columns: stable, semi-stable and unstable."""
_CHANCE = np.array([[0.1, 0.4, 0.7], [0.05, 0.3, 0.0], [0.01, 0.0, 0.0]])
"""(3, 3) float64, the probability that the player moves on a C-, A- or B-square, if the move turns no disc of the edge.
The row is the number of the player's discs on the two edge squares beside the square. The column is the number of the
other side's discs there. If the other side could move on the square and turn discs of the edge, the probability is
halved."""

_0, _1, _7, _8, _9 = (np.uint64(shift) for shift in (0, 1, 7, 8, 9))
_NOT_A, _NOT_H = np.uint64(0xFEFE_FEFE_FEFE_FEFE), np.uint64(0x7F7F_7F7F_7F7F_7F7F)


@kernel
def _stability(cells: npt.NDArray[np.int64], place: int) -> int:
    """The stability of the disc at a place of an edge."""
    if place in (1, 8):
        return _STABLE
    if place in (0, 9):
        return _UNSTABLE if cells[1 if place == 0 else 8] == _EMPTY else _SEMI
    colour, has_empty = cells[place], False
    right = left = place
    while right <= 8 and cells[right] == colour:
        right += 1
    while left >= 1 and cells[left] == colour:
        left -= 1
    for i in range(1, 9):
        has_empty |= cells[i] == _EMPTY
    after = cells[right] if right <= 8 else colour  # the place beyond a corner counts as a disc of this colour
    before = cells[left] if left >= 1 else colour
    if after == colour or before == colour:
        return _STABLE
    if after != before:
        return _UNSTABLE
    return _SEMI if after == _EMPTY or has_empty else _STABLE


@kernel
def _static_value(cells: npt.NDArray[np.int64]) -> int:
    value = 0
    for place in range(10):
        if cells[place] != _EMPTY:
            weight = _STATIC[_KINDS[place], _stability(cells, place)]
            value += weight if cells[place] == _OWN else -weight
    return value


@kernel
def _turn(cells: npt.NDArray[np.int64], place: int, colour: Int, after: npt.NDArray[np.int64]) -> int:
    """Make a move of `colour` at `place`, write the new edge into `after`, and return the number of turned discs.

    A move on an X-square turns no discs of the edge, since the square is not on the edge itself.
    """
    for i in range(10):
        after[i] = cells[i]
    after[place] = colour
    turned = 0
    if place in (0, 9):
        return 0
    for step in (-1, 1):
        i = place + step
        while 1 <= i <= 8 and cells[i] == 3 - colour:
            i += step
        if 1 <= i <= 8 and cells[i] == colour:
            i -= step
            while i != place:
                after[i] = colour
                turned += 1
                i -= step
    return turned


@kernel
def _chance(cells: npt.NDArray[np.int64], place: int, turned: int, scratch: npt.NDArray[np.int64]) -> float:
    """The probability that the player has a move at an empty place and plays it.

    `turned` is the number of discs of the edge that this move turns.
    """
    if place in (0, 9):
        return 0.5
    if turned > 0:
        return 1.0
    if place in (1, 8):
        beside = cells[0 if place == 1 else 9]
        return 0.1 if beside == _EMPTY else 0.001 if beside == _OWN else 0.9
    own = other = 0
    for i in (place - 1, place + 1):
        own += cells[i] == _OWN
        other += cells[i] == _OTHER
    halves = 2.0 if _turn(cells, place, _OTHER, scratch) > 0 else 1.0
    return float(_CHANCE[own, other] / halves)


@kernel
def _expected_value(cells: npt.NDArray[np.int64], table: npt.NDArray[np.int64], index: int) -> Int:
    """The expected value of an edge for the player to move, who may play on this edge or elsewhere.

    `index` is the edge's index in the table.
    """
    chances, values = np.empty(11), np.empty(11)
    after, scratch = np.empty_like(cells), np.empty_like(cells)
    chances[0], values[0], count = 1.0, table[index], 1
    for place in range(10):
        if cells[place] == _EMPTY:
            turned = _turn(cells, place, _OWN, after)
            chances[count] = _chance(cells, place, turned, scratch)
            swapped = 0
            for i in range(10):
                swapped = 3 * swapped + (0 if after[i] == _EMPTY else 3 - after[i])
            values[count] = -table[swapped]
            count += 1
    left, total = 1.0, 0.0
    for _ in range(count):
        best = 0
        for i in range(1, count):
            if values[i] > values[best]:
                best = i
        total += left * chances[best] * values[best]
        left -= left * chances[best]
        values[best] = -np.inf
        chances[best] = 0.0
        if left <= 0.0:
            break
    return np.int64(np.rint(total))


@kernel
def _fill(table: npt.NDArray[np.int64], rounds: int) -> None:
    discs = np.empty(len(table), np.int64)
    cells = np.empty((len(table), 10), np.int64)
    for index in range(len(table)):
        discs[index] = 0
        for place in range(10):
            cells[index, place] = index // _POWERS[place] % 3
            discs[index] += cells[index, place] != _EMPTY
        table[index] = _static_value(cells[index])
    for _ in range(rounds):
        for number in range(9, 0, -1):
            for index in range(len(table)):
                if discs[index] == number:
                    table[index] = _expected_value(cells[index], table, index)


@cache
def edge_table(rounds: int = ROUNDS) -> npt.NDArray[np.int64]:
    """The value of each configuration of an edge, (3**10,) int64.

    At first, each entry is the sum of the values of the player's discs on the edge (see `_STATIC`), minus the sum for
    the other player's discs. Then the table is recomputed `rounds` times. The index of an edge is a number in base 3.
    Its most significant digit belongs to the first square of the edge. A digit is 0 for an empty square, 1 for a disc
    of the player and 2 for a disc of the other player.
    """
    table = np.empty(3**10, np.int64)
    _fill(table, rounds)
    table.flags.writeable = False
    return table


@kernel
def _beside(squares: np.uint64) -> np.uint64:
    """A set of squares, together with all squares that touch a square of the set."""
    row = squares | ((squares << _1) & _NOT_A) | ((squares >> _1) & _NOT_H)
    return row | (row << _8) | (row >> _8)


@kernel
def _round_ratio(numerator: Int, denominator: Int) -> Int:
    """A ratio rounded to the nearest integer; halves are rounded to the even integer."""
    quotient, rest = numerator // denominator, numerator % denominator
    return quotient + (2 * rest > denominator or (2 * rest == denominator and quotient % 2 == 1))


@kernel
def _value(own: np.uint64, opponent: np.uint64, board: np.uint64, n: Int, table: npt.NDArray[np.int64]) -> Int:
    """The value of a position for the player whose discs are `own`; `n` is the move number."""
    edge = 0
    for side in range(4):
        index: Int = 0
        for place in range(10):
            bit = _1 << np.uint64(_EDGES[side, place])
            index = 3 * index + (_OWN if own & bit else _OTHER if opponent & bit else _EMPTY)
        edge += table[index]
    empty = board & ~(own | opponent)
    mine, other = legal_moves(own, opponent, board), legal_moves(opponent, own, board)
    p, o = np.int64(popcount(mine)), np.int64(popcount(other))
    pp = np.int64(popcount(mine | (empty & _beside(opponent))))
    op = np.int64(popcount(other | (empty & _beside(own))))
    c_edge = 312_000 + 6_240 * n
    c_current = 50_000 + 2_000 * n if n < 25 else 75_000 + 1_000 * n
    return (
        _round_ratio(c_edge * edge, np.int64(32_000))
        + _round_ratio(c_current * (p - o), p + o + 2)
        + _round_ratio(20_000 * (pp - op), pp + op + 2)
    )


@dataclass(frozen=True)
class Iago:
    """Iago's evaluation. The weights of its terms depend on a move number.

    Attributes:
        move_number: the move number at the root of a search. If it is None, each position is evaluated with its own
            move number.
    """

    move_number: int | None = None

    def __call__(self, state: Othello, player: int) -> int:
        n = _move_number(state) if self.move_number is None else self.move_number
        own, opponent = (state.own, state.opponent) if player == state.to_move else (state.opponent, state.own)
        return int(_value(np.uint64(own), np.uint64(opponent), BOARDS[8], n, edge_table()))

    def at_root(self, state: Othello) -> Iago:
        """The evaluation with this position's move number. A move number that is already set is kept."""
        return Iago(_move_number(state)) if self.move_number is None else self


iago = Evaluation(Iago(), "iago", Othello, sizes=(8,))
"""Othello on 8x8: Iago's evaluation, with the name ``iago`` in specs."""


def _move_number(state: Othello) -> int:
    """The number of the next move, counted from 1."""
    return sum(state.discs()) - 3
