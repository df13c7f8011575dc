"""Compiled rules of Othello on two 64-bit sets of squares.

A position has two sets: `own`, the discs of the player to move, and `opponent`, the discs of the other player. After
each move and each pass the two sets change places. Bit 0 is a1, and bit 63 is h8::

        a  b  c  d  e  f  g  h
    1   0  1  2  3  4  5  6  7
    2   8  9 10 11 12 13 14 15
    .   .  .  .  .  .  .  .  .
    8  56 57 58 59 60 61 62 63

Smaller boards lie in the middle of the same 64 bits: 6x6 on b2-g7, 4x4 on c3-f6. The argument `board` is the set of all
squares of the board, so the same kernels work for every size. The kernels do not check their arguments. Constants are
wrapped in ``np.uint64``, because a bare literal would turn unsigned arithmetic into signed arithmetic.
"""

import numpy as np
import numpy.typing as npt

from othello_env.games.hashing import below
from othello_env.support.jit import kernel

__all__ = [
    "ACTION_BITS",
    "ACTION_SQUARES",
    "BOARDS",
    "BOARD_INTS",
    "SIZES",
    "STARTS",
    "advance",
    "advance_batch",
    "count_sides",
    "draw_move",
    "encode",
    "final_margin",
    "flips",
    "game_result",
    "legal_moves",
    "legal_moves_batch",
    "mobility",
    "nth_bit",
    "perft",
    "play",
    "play_discs",
    "popcount",
    "square_of",
    "square_to_action",
]

SIZES = (4, 6, 8)

ACTION_SQUARES: dict[int, tuple[int, ...]] = {
    size: tuple(8 * (row + (8 - size) // 2) + column + (8 - size) // 2 for row in range(size) for column in range(size))
    for size in SIZES
}
"""For each size, the square (0-63) of each action except the pass."""

ACTION_BITS: dict[int, tuple[int, ...]] = {
    size: (*(1 << square for square in squares), 0) for size, squares in ACTION_SQUARES.items()
}
"""For each size, the bit of the disc that each action places; 0 for the pass."""

BOARD_INTS: dict[int, int] = {size: sum(bits) for size, bits in ACTION_BITS.items()}
BOARDS: dict[int, np.uint64] = {size: np.uint64(board) for size, board in BOARD_INTS.items()}
"""For each size, the set of all squares of the board."""

STARTS: tuple[int, int] = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36)
"""Black's discs (e4, d5) and White's discs (d4, e5) at the start, on boards of every size. Black moves first."""

_0 = np.uint64(0)
_1 = np.uint64(1)
_INNER = np.uint64(0x7E7E_7E7E_7E7E_7E7E)  # files b-g: a run of discs on these files cannot wrap around the edge
_INNER_6 = np.uint64(0x007E_7E7E_7E7E_7E00)
_INNER_4 = np.uint64(0x0000_3C3C_3C3C_0000)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_EAST, _SOUTH, _SOUTH_EAST, _SOUTH_WEST = np.uint64(1), np.uint64(8), np.uint64(9), np.uint64(7)

_PAIRS = np.uint64(0x5555_5555_5555_5555)
_NIBBLES = np.uint64(0x3333_3333_3333_3333)
_BYTES = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_SUM_BYTES = np.uint64(0x0101_0101_0101_0101)
_HIGH_BITS, _LOW_BITS = np.uint64(0x8080_8080_8080_8080), np.uint64(0x7F7F_7F7F_7F7F_7F7F)
_DIAGONAL = np.uint64(0x8040_2010_0804_0201)
_BYTE = np.uint64(0xFF)
_2, _3, _4, _7, _8, _32, _56 = (np.uint64(n) for n in (2, 3, 4, 7, 8, 32, 56))


@kernel(inline=True)
def popcount(x: np.uint64) -> np.uint64:
    """The number of squares in a set. LLVM compiles this function (Hacker's Delight, 5-1) to one instruction."""
    x = x - ((x >> _1) & _PAIRS)
    x = (x & _NIBBLES) + ((x >> _2) & _NIBBLES)
    x = (x + (x >> _4)) & _BYTES
    return (x * _SUM_BYTES) >> _56


@kernel(inline=True)
def square_of(disc: np.uint64) -> np.int64:
    """The square (0-63) of one disc, which is given as a bit."""
    return np.int64(popcount(disc - _1))


@kernel(inline=True)
def _bytes_up_to(sums: np.uint64, n: np.uint64) -> np.uint64:
    """How many of the eight bytes of `sums` are at most n. All these bytes and n must be below 128."""
    return (((((n * _SUM_BYTES) | _HIGH_BITS) - sums) & _HIGH_BITS) >> _7) * _SUM_BYTES >> _56


@kernel(inline=True)
def nth_bit(x: np.uint64, n: np.uint64) -> np.uint64:
    """The n-th square (from 0, in ascending order) of a set that has more than n squares.

    The code has no branch (Vigna, "Broadword implementation of rank/select queries", 2008).
    """
    sums = x - ((x >> _1) & _PAIRS)
    sums = (sums & _NIBBLES) + ((sums >> _2) & _NIBBLES)
    sums = ((sums + (sums >> _4)) & _BYTES) * _SUM_BYTES  # byte k: the number of squares on ranks 0 to k
    shift = _bytes_up_to(sums, n) << _3
    earlier = ((sums << _8) >> shift) & _BYTE
    spread = (((x >> shift) & _BYTE) * _SUM_BYTES) & _DIAGONAL
    files = (((spread + _LOW_BITS) >> _7) & _SUM_BYTES) * _SUM_BYTES  # byte k: the number on files 0 to k of this rank
    return shift + _bytes_up_to(files, n - earlier)


# A run that a player can enclose has at most six discs. `_targets` and `_enclosed` follow it in four steps of 1, 1, 2
# and 2 squares (a parallel prefix). Source: the page "Kogge-Stone algorithm" of the chess programming wiki.


@kernel(inline=True)
def _targets(own: np.uint64, through: np.uint64, step: np.uint64) -> np.uint64:
    """The squares behind runs in `through`. Each run begins next to a disc of `own` and goes along +step or -step."""
    up = through & (own << step)
    down = through & (own >> step)
    up |= through & (up << step)
    down |= through & (down >> step)
    step2 = step + step
    pair_up = through & (through << step)
    pair_down = through & (through >> step)
    up |= pair_up & (up << step2)
    down |= pair_down & (down >> step2)
    up |= pair_up & (up << step2)
    down |= pair_down & (down >> step2)
    return (up << step) | (down >> step)


@kernel(inline=True)
def legal_moves(own: np.uint64, opponent: np.uint64, board: np.uint64) -> np.uint64:
    """The empty squares of `board` on which the player with the discs `own` may place a disc."""
    inner = opponent & _INNER
    reached = _targets(own, inner, _EAST)
    reached |= _targets(own, opponent, _SOUTH)
    reached |= _targets(own, inner, _SOUTH_EAST)
    reached |= _targets(own, inner, _SOUTH_WEST)
    return reached & board & ~(own | opponent)


@kernel(inline=True)
def _enclosed(disc: np.uint64, own: np.uint64, through: np.uint64, step: np.uint64) -> np.uint64:
    """The runs of `through` between the new disc and a disc of `own`, in the directions +step and -step."""
    up = through & (disc << step)
    down = through & (disc >> step)
    up |= through & (up << step)
    down |= through & (down >> step)
    step2 = step + step
    pair_up = through & (through << step)
    pair_down = through & (through >> step)
    up |= pair_up & (up << step2)
    down |= pair_down & (down >> step2)
    up |= pair_up & (up << step2)
    down |= pair_down & (down >> step2)
    # Keep a run only if a disc of `own` follows it: combine the run with all ones if so, otherwise with 0. There is no
    # branch, so LLVM can vectorise a loop over games.
    up &= _0 - np.uint64((own & (up << step)) != _0)
    down &= _0 - np.uint64((own & (down >> step)) != _0)
    return up | down


@kernel(inline=True)
def flips(disc: np.uint64, own: np.uint64, opponent: np.uint64) -> np.uint64:
    """The opponent's discs that turn over when `disc` (one bit, or 0 for a pass) is placed."""
    inner = opponent & _INNER
    turned = _enclosed(disc, own, inner, _EAST)
    turned |= _enclosed(disc, own, opponent, _SOUTH)
    turned |= _enclosed(disc, own, inner, _SOUTH_EAST)
    turned |= _enclosed(disc, own, inner, _SOUTH_WEST)
    return turned


@kernel
def mobility(own: np.uint64, opponent: np.uint64, board: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The legal moves of the player to move, and the moves that the other player would have."""
    return legal_moves(own, opponent, board), legal_moves(opponent, own, board)


@kernel
def legal_moves_batch(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], board: np.uint64
) -> npt.NDArray[np.uint64]:
    """The result of `legal_moves` for each of N positions, (N,) uint64."""
    legal = np.empty_like(own)
    for i in range(len(own)):
        legal[i] = legal_moves(own[i], opponent[i], board)
    return legal


@kernel
def advance(
    own: np.uint64, opponent: np.uint64, disc: np.uint64, board: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Place a disc, or pass if `disc` is 0. Return the next `own` and `opponent`, and both players' legal moves."""
    turned = flips(disc, own, opponent)
    new_opponent = own | turned | disc
    new_own = opponent & ~turned
    return (
        new_own,
        new_opponent,
        legal_moves(new_own, new_opponent, board),
        legal_moves(new_opponent, new_own, board),
    )


# The class `Othello` passes sets to `play` and `encode` as Python integers. A call with Python integers takes half the
# time of a call with NumPy scalars. Each set is passed as two halves of 32 bits, because a whole set can be 2**63 or
# more. Numba gives such integers another type, so it would compile every kernel a second time for them.


@kernel(inline=True)
def _board(size: int) -> np.uint64:
    if size == 8:
        return _ALL
    return _INNER_6 if size == 6 else _INNER_4


@kernel(inline=True)
def _join(low: int, high: int) -> np.uint64:
    return np.uint64(high) << _32 | np.uint64(low)


@kernel
def play(
    own_low: int, own_high: int, opponent_low: int, opponent_high: int, disc_low: int, disc_high: int, size: int
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """`advance` for sets that are given as halves of 32 bits, on a board of height and width `size`."""
    own, opponent = _join(own_low, own_high), _join(opponent_low, opponent_high)
    return advance(own, opponent, _join(disc_low, disc_high), _board(size))


@kernel
def encode(
    own_low: int,
    own_high: int,
    opponent_low: int,
    opponent_high: int,
    legal_low: int,
    legal_high: int,
    must_pass: bool,
    size: int,
    out: npt.NDArray[np.int8],
) -> None:
    """Write two planes (own discs, opponent's discs) and the action mask into `out`, (3 * size * size + 1,)."""
    squares = size * size
    first = (8 - size) // 2 * 9
    for plane, bits in enumerate(
        (_join(own_low, own_high), _join(opponent_low, opponent_high), _join(legal_low, legal_high))
    ):
        for row in range(size):
            line = bits >> np.uint64(first + 8 * row)
            for column in range(size):
                out[plane * squares + row * size + column] = (line >> np.uint64(column)) & _1
    out[3 * squares] = must_pass


@kernel
def advance_batch(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], disc: npt.NDArray[np.uint64], board: np.uint64
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Apply `advance` to N positions in place.

    Returns two arrays (N,): the legal moves of the next player to move, and those that the other player would have.
    """
    legal, reply = np.empty_like(own), np.empty_like(own)
    for i in range(len(own)):
        own[i], opponent[i], legal[i], reply[i] = advance(own[i], opponent[i], disc[i], board)
    return legal, reply


@kernel(inline=True)
def square_to_action(square: int | np.int64, size: int) -> int | np.int64:
    """The action that places a disc on a square (0-63) of the board."""
    edge = (8 - size) // 2
    return ((square >> 3) - edge) * size + (square & 7) - edge


@kernel(inline=True)
def draw_move(legal: np.uint64, bits: np.uint64, size: int) -> int | np.int64:
    """A uniformly random legal action, chosen by 64 random bits. It is the pass if no square is legal."""
    action = square_to_action(np.int64(nth_bit(legal, below(bits, popcount(legal)))), size)
    return np.int64(size * size) if legal == _0 else action


@kernel
def count_sides(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    to_move: npt.NDArray[np.int8],
    counts: npt.NDArray[np.int64],
) -> None:
    """Write the number of each player's squares in N games, (2 * N,): game after game, player 0 first.

    `own` has the squares of the player to move, and `opponent` has those of the other player.
    """
    for i in range(len(own)):
        mine, other = popcount(own[i]), popcount(opponent[i])
        swap = (mine ^ other) & (_0 - np.uint64(to_move[i]))
        counts[2 * i] = mine ^ swap
        counts[2 * i + 1] = other ^ swap


@kernel
def perft(own: np.uint64, opponent: np.uint64, board: np.uint64, depth: int) -> int:
    """The number of different sequences of `depth` plies from this position. A pass is a ply.

    A game that ends earlier counts as one sequence. The kernel keeps its own stack and does not call itself.
    """
    if depth == 0:
        return 1
    owns = np.empty(depth + 1, np.uint64)
    opponents = np.empty(depth + 1, np.uint64)
    todo = np.empty(depth + 1, np.uint64)
    passes = np.empty(depth + 1, np.bool_)
    leaves = 0
    shared = _0
    level = 0
    owns[0], opponents[0] = own, opponent
    todo[0] = legal_moves(own, opponent, board)
    passes[0] = todo[0] == _0
    if passes[0] and legal_moves(opponent, own, board) == _0:
        return 1
    while level >= 0:
        if todo[level] == _0 and not passes[level]:
            level -= 1
            continue
        p, o = owns[level], opponents[level]
        disc = todo[level] & (_0 - todo[level])
        todo[level] &= ~disc
        passes[level] = False
        turned = flips(disc, p, o)
        level += 1
        p, o = o & ~turned, p | turned | disc
        if level == depth:
            shared |= p & o  # always 0; without this line, the compiler could skip the computation of p and o
            leaves += 1
            level -= 1
            continue
        moves = legal_moves(p, o, board)
        if moves == _0 and legal_moves(o, p, board) == _0:
            leaves += 1
            level -= 1
            continue
        owns[level], opponents[level], todo[level], passes[level] = p, o, moves, moves == _0
    return leaves if shared == _0 else -1


@kernel(inline=True)
def game_result(own: np.uint64, opponent: np.uint64) -> int | np.int64:
    """The result of a finished game for the player with the discs `own`: +1, 0 or -1."""
    mine, other = popcount(own), popcount(opponent)
    return np.int64(mine > other) - np.int64(mine < other)


@kernel
def final_margin(own: np.uint64, opponent: np.uint64, squares: int | np.int64) -> int | np.int64:
    """The discs of `own` minus the discs of `opponent` in a finished game. The winner also gets the empty squares.

    `squares` is the number of squares of the board.
    """
    mine, other = np.int64(popcount(own)), np.int64(popcount(opponent))
    if mine > other:
        return squares - 2 * other
    if mine < other:
        return 2 * mine - squares
    return 0


@kernel
def play_discs(
    own: np.uint64, opponent: np.uint64, discs: npt.NDArray[np.uint64], board: np.uint64
) -> tuple[np.uint64, np.uint64, int]:
    """Play moves until a move is illegal. Each move is given as the bit of its disc, or as 0 for a pass.

    Returns the sets `own` and `opponent` of the last position, and the number of moves that were played.
    """
    for i in range(len(discs)):
        legal, reply = mobility(own, opponent, board)
        if discs[i] & legal != discs[i] or (discs[i] == _0 and (legal != _0 or reply == _0)):
            return own, opponent, i
        own, opponent, _, _ = advance(own, opponent, discs[i], board)
    return own, opponent, len(discs)
