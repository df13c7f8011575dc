"""Compiled rules of English draughts on 64-bit sets of dark squares.

A position has three sets: `own`, the pieces of the player to move; `opponent`, the pieces of the other player; and
`kings`, the kings of both players. `red` is true if Red is to move. Red's men move down the board. `going` is the bit
of the piece that must continue its chain of jumps, or 0 if there is no such piece.

After each pair of rows, one bit is not used. So a step in a given direction is the same shift on every square, and no
step crosses an edge. These are the first rows of the 8x8 board. For each square, the upper number is its standard
number, as in printed games, and the lower number is the index of its bit. The number in brackets is the index of an
unused bit::

          1     2     3     4            half = 4: squares per row
          0     1     2     3            NW = >> 5   NE = >> 4
       5     6     7     8               SW = << 4   SE = << 5
       4     5     6     7      (8)
          9    10    11    12
          9    10    11    12

Checkers programs have used this layout since Samuel's program. An SxS board needs S * (S + 1) / 2 bits, so 64 bits are
enough for a 10x10 board. The kernels do not check their arguments.
"""

import numpy as np
import numpy.typing as npt

from othello_env.games.hashing import below
from othello_env.games.othello.bitboard import popcount
from othello_env.support.jit import kernel

__all__ = [
    "BOARDS",
    "POSITIONS",
    "SIZES",
    "advance",
    "choose",
    "is_drawn",
    "legal_moves",
    "piece_on",
    "shift",
    "square_of",
    "step",
]

SIZES = (4, 6, 8, 10)

POSITIONS: dict[int, tuple[int, ...]] = {
    size: tuple((row // 2) * (size + 1) + (row % 2) * (size // 2) + k for row in range(size) for k in range(size // 2))
    for size in SIZES
}
"""For each size, the indices of the bits of all dark squares, in the order of the squares' standard numbers."""

BOARDS: dict[int, int] = {size: sum(1 << position for position in positions) for size, positions in POSITIONS.items()}
"""For each size, the set of dark squares."""

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)


@kernel
def legal_moves(
    own: np.uint64,
    opponent: np.uint64,
    kings: np.uint64,
    going: np.uint64,
    red: bool,
    half: np.uint64,
    board: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, bool]:
    """The sets of pieces that may move NW, NE, SW and SE, and a flag that is true if these moves are jumps.

    If a jump is possible, no step is legal.
    """
    far = half + _1
    empty = board & ~(own | opponent)
    movers = own if going == _0 else going
    up = movers & kings if red else movers
    down = movers if red else movers & kings
    north_west = up & (opponent << far) & (empty << (_2 * far))
    north_east = up & (opponent << half) & (empty << (_2 * half))
    south_west = down & (opponent >> half) & (empty >> (_2 * half))
    south_east = down & (opponent >> far) & (empty >> (_2 * far))
    jumps = (north_west | north_east | south_west | south_east) != _0
    if not (jumps or going != _0):
        north_west = up & (empty << far)
        north_east = up & (empty << half)
        south_west = down & (empty >> half)
        south_east = down & (empty >> far)
    return north_west, north_east, south_west, south_east, jumps


@kernel(inline=True)
def piece_on(square: int, half: np.uint64) -> np.uint64:
    """The bit of a dark square. `square` is the standard number of the square minus one."""
    number = np.uint64(square)
    return _1 << (number + number // (_2 * half))


@kernel
def square_of(piece: np.uint64, half: np.uint64) -> int:
    """The dark square of a bit. This is the inverse of `piece_on`."""
    place = popcount(piece - _1)
    return int(place - place // (_2 * half + _1))


@kernel
def shift(x: np.uint64, direction: int, half: np.uint64) -> np.uint64:
    """Move a set of squares one step in this direction (0 NW, 1 NE, 2 SW, 3 SE)."""
    if direction == 0:
        return x >> (half + _1)
    if direction == 1:
        return x >> half
    if direction == 2:
        return x << half
    return x << (half + _1)


@kernel
def step(
    own: np.uint64,
    opponent: np.uint64,
    kings: np.uint64,
    piece: np.uint64,
    direction: int,
    red: bool,
    half: np.uint64,
    board: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, bool, bool]:
    """Move a piece by one step or jump.

    Returns `own`, `opponent`, `kings`, `going` and `red` of the next position, and whether a king moved without a
    capture. After any other move, no earlier position can occur again.
    """
    target = shift(piece, direction, half)
    is_king = (kings & piece) != _0
    jumped = target & opponent
    if jumped != _0:
        target = shift(target, direction, half)
    own ^= piece | target
    opponent &= ~jumped
    kings &= ~jumped
    crowned = False
    if is_king:
        kings ^= piece | target
    else:
        # A man on its last row becomes a king. For Red's men, this is the bottom row (`last`); for White's men, it is
        # the row `top`.
        top = (_1 << half) - _1
        last = top << ((half - _1) * (_2 * half + _1) + half)
        if target & (last if red else top) != _0:
            crowned = True
            kings |= target
    if jumped != _0 and not crowned and legal_moves(own, opponent, kings, target, red, half, board)[4]:
        return own, opponent, kings, target, red, False
    return opponent, own, kings, _0, not red, is_king and jumped == _0


@kernel
def advance(
    own: np.uint64,
    opponent: np.uint64,
    kings: np.uint64,
    piece: np.uint64,
    direction: int,
    red: bool,
    half: np.uint64,
    board: np.uint64,
) -> tuple[
    tuple[np.uint64, np.uint64, np.uint64, np.uint64, bool, bool],
    tuple[np.uint64, np.uint64, np.uint64, np.uint64, bool],
]:
    """Move a piece. Returns the result of `step`, and the result of `legal_moves` for the next position."""
    after = step(own, opponent, kings, piece, direction, red, half, board)
    return after, legal_moves(after[0], after[1], after[2], after[3], after[4], half, board)


@kernel
def choose(
    north_west: np.uint64, north_east: np.uint64, south_west: np.uint64, south_east: np.uint64, bits: np.uint64
) -> tuple[np.uint64, int]:
    """Choose a uniformly random move by 64 random bits. Returns the bit of the piece, and the direction of the move.

    The random bits determine an index in the list of all moves. The list is ordered by square, then by direction.
    """
    todo = north_west | north_east | south_west | south_east
    total = popcount(north_west) + popcount(north_east) + popcount(south_west) + popcount(south_east)
    n = int(below(bits, total))
    while True:
        piece = todo & (_0 - todo)
        todo ^= piece
        if north_west & piece != _0:
            if n == 0:
                return piece, 0
            n -= 1
        if north_east & piece != _0:
            if n == 0:
                return piece, 1
            n -= 1
        if south_west & piece != _0:
            if n == 0:
                return piece, 2
            n -= 1
        if south_east & piece != _0:
            if n == 0:
                return piece, 3
            n -= 1


@kernel
def is_drawn(
    past: npt.NDArray[np.uint64],
    end: int,
    quiet: int,
    own: np.uint64,
    opponent: np.uint64,
    kings: np.uint64,
    repeats: int,
    quiet_limit: int,
) -> bool:
    """Whether the rules for draws end the game in the position (own, opponent, kings).

    The rows of `past[end - quiet : end]` are the positions since the last capture or the last move of a man. Each row
    has the sets `own`, `opponent` and `kings` of its position. The players take turns, so in every second row the
    player to move is the same as in the present position. The kernel compares the present position only with these
    rows.
    """
    if quiet_limit > 0 and quiet >= quiet_limit:
        return True
    seen = 0
    if repeats > 0:
        for i in range(end - 2, end - quiet - 1, -2):
            if past[i, 0] == own and past[i, 1] == opponent and past[i, 2] == kings:
                seen += 1
    return repeats > 0 and seen >= repeats
