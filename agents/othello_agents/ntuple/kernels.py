"""Compiled evaluation and play with n-tuple networks.

Positions after a move ("afterstates") are evaluated for the player who has just moved. In an afterstate, `own` holds
the discs of the player who has just moved. In all other positions, `own` holds the discs of the player to move. The sum
x of the looked-up weights is called the logit. tanh(x), from -1 to +1, is the expected mean of result and margin: the
mean of the result (+1, 0 or -1) and the final disc difference divided by the number of squares.

Letters for shapes: S stages of the game, W weights in a stage, P placements of patterns on the board (see `network`),
L lanes (P rounded up to a multiple of 16), N positions.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.games.othello.bitboard import flips, game_result, legal_moves, popcount, square_of, square_to_action
from othello_env.support.jit import Int, kernel

__all__ = [
    "Tables",
    "best_actions",
    "best_move",
    "configure",
    "ends_game",
    "evaluate",
    "follow",
    "outcome",
    "position_logit",
    "stage",
    "stage_after",
    "sum_weights",
    "turn_discs",
]

_0, _1 = np.uint64(0), np.uint64(1)
_WIN = np.float32(np.inf)


class Tables(NamedTuple):
    """A network as the arrays and numbers that the kernels (compiled functions) read. `network` explains placements and
    configurations.

    Attributes:
        weights: (S, W) float32, the weights of all tables for each stage.
        deltas: (64, L) int16, the number that an own disc on a square adds to each placement's configuration.
        offsets: (P,) int64. With the configuration c, placement p looks up weight number offsets[p] + c of a stage.
        looked_up: P, the number of placements.
        board: the squares in play, one bit for each square.
    """

    weights: npt.NDArray[np.float32]
    deltas: npt.NDArray[np.int16]
    offsets: npt.NDArray[np.int64]
    looked_up: int
    board: np.uint64


@kernel(inline=True)
def stage_after(discs: np.int64, squares: np.int64, stages: int) -> np.int64:
    """The stage of the game to which a move belongs. All stages have about the same number of moves.

    `discs` is the number of discs after the move, `squares` the number of squares of the board, and `stages` the number
    of stages.
    """
    return max(np.int64(0), (discs - 5) * stages // (squares - 4))


@kernel
def stage(discs: np.int64, tables: Tables) -> np.int64:
    """The stage of the game to which a move belongs; `discs` is the number of discs after the move."""
    return stage_after(discs, np.int64(popcount(tables.board)), tables.weights.shape[0])


@kernel
def outcome(score: Int, squares: Int) -> float:
    """The outcome of a finished game, -1 to +1, from its score in discs and the board's number of squares."""
    result = np.float64(0) if score == 0 else np.float64(1) if score > 0 else np.float64(-1)
    return 0.5 * result + 0.5 * np.float64(score) / np.float64(squares)


# The kernels below use loops, since NumPy's array expressions take several times as long to compile.


@kernel(no_refcount=True)
def configure(own: np.uint64, opponent: np.uint64, tables: Tables, configuration: npt.NDArray[np.int16]) -> None:
    """Write the configurations of a position into `configuration` (L,)."""
    for i in range(len(configuration)):
        configuration[i] = 0
    while own != _0:
        deltas = tables.deltas[square_of(own & (_0 - own))]
        own &= own - _1
        for i in range(len(configuration)):
            configuration[i] += deltas[i]
    while opponent != _0:
        deltas = tables.deltas[square_of(opponent & (_0 - opponent))]
        opponent &= opponent - _1
        for i in range(len(configuration)):
            configuration[i] -= deltas[i]


@kernel(inline=True, no_refcount=True)
def turn_discs(configuration: npt.NDArray[np.int16], turned: np.uint64, deltas: npt.NDArray[np.int16]) -> None:
    """Update configurations (L,) when the discs `turned` become discs of the mover; `deltas` is (64, L)."""
    while turned != _0:
        row = deltas[square_of(turned & (_0 - turned))]
        turned &= turned - _1
        for i in range(len(configuration)):
            configuration[i] += row[i] + row[i]


@kernel(inline=True, no_refcount=True)
def follow(
    configuration: npt.NDArray[np.int16],
    square: np.int64,
    turned: np.uint64,
    tables: Tables,
    after: npt.NDArray[np.int16],
) -> None:
    """Write into `after` (L,) the configurations of the position after a move.

    The move puts a disc on `square` and turns the discs `turned`. At least one disc is turned. `configuration` (L,) and
    `after` are both from the mover's point of view.
    """
    # The first turned disc is added in the loop that adds the placed disc. Most moves turn few discs, so one loop less
    # saves much of the work.
    placed, deltas = tables.deltas[square], tables.deltas[square_of(turned & (_0 - turned))]
    for i in range(len(after)):
        after[i] = configuration[i] + placed[i] + deltas[i] + deltas[i]
    turn_discs(after, turned & (turned - _1), tables.deltas)


@kernel(inline=True, no_refcount=True)
def sum_weights(
    weights: npt.NDArray[np.float32], configuration: npt.NDArray[np.int16], offsets: npt.NDArray[np.int64]
) -> np.float32:
    """The sum of the weights that a position looks up in `weights` (W,), the tables of its stage."""
    # The function computes four sums side by side. In a single sum, each addition would wait for the previous addition.
    # For the mirror images of a position, the same weights are added in another order. In double precision, the order
    # almost never changes the rounded result. So mirror images almost always have the same logit.
    a = b = c = d = np.float64(0)
    fours = len(offsets) - len(offsets) % 4
    for p in range(0, fours, 4):
        a += weights[np.uint64(offsets[p] + configuration[p])]
        b += weights[np.uint64(offsets[p + 1] + configuration[p + 1])]
        c += weights[np.uint64(offsets[p + 2] + configuration[p + 2])]
        d += weights[np.uint64(offsets[p + 3] + configuration[p + 3])]
    for p in range(fours, len(offsets)):
        a += weights[np.uint64(offsets[p] + configuration[p])]
    return np.float32(a + b + (c + d))


@kernel(no_refcount=True)
def position_logit(
    own: np.uint64, opponent: np.uint64, tables: Tables, configuration: npt.NDArray[np.int16]
) -> np.float32:
    """The logit of one afterstate, for the player with the discs `own`. `configuration` is scratch memory (L,).

    The game must not be over.
    """
    configure(own, opponent, tables, configuration)
    weights = tables.weights[stage(np.int64(popcount(own | opponent)), tables)]
    return sum_weights(weights, configuration, tables.offsets)


@kernel(inline=True)
def ends_game(own: np.uint64, opponent: np.uint64, board: np.uint64) -> bool:
    """Whether neither side has a move."""
    return bool(legal_moves(own, opponent, board) == _0 and legal_moves(opponent, own, board) == _0)


@kernel
def evaluate(own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], tables: Tables) -> npt.NDArray[np.float64]:
    """The expected mean of result and margin of each of N afterstates, (N,) float64, for the player who has just moved.

    `own` (N,) holds the discs of this player, `opponent` (N,) those of the other player. If the game is over, its
    result is returned instead: +1, 0 or -1.
    """
    values = np.empty(len(own), np.float64)
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    for i in range(len(own)):
        if ends_game(own[i], opponent[i], tables.board):
            values[i] = game_result(own[i], opponent[i])
            continue
        values[i] = np.tanh(np.float64(position_logit(own[i], opponent[i], tables, configuration)))
    return values


@kernel(no_refcount=True)
def best_move(
    own: np.uint64,
    opponent: np.uint64,
    legal: np.uint64,
    configuration: npt.NDArray[np.int16],
    tables: Tables,
    after: npt.NDArray[np.int16],
) -> tuple[np.int64, np.float32]:
    """The square of the best move (the lowest if several are equal), and the logit of its afterstate.

    If a move ends the game, its logit is +infinity for a win, -infinity for a loss and 0 for a draw. So a sure win is
    worth more than any estimate.

    Args:
        own: the discs of the player to move.
        opponent: the discs of the other player.
        legal: the moves of the player to move, at least one.
        configuration: the configurations of the position (L,).
        tables: the network.
        after: scratch memory (L,).
    """
    weights = tables.weights[stage(np.int64(popcount(own | opponent)) + 1, tables)]
    best, best_logit = np.int64(-1), -_WIN
    while legal != _0:
        disc = legal & (_0 - legal)
        legal ^= disc
        square = square_of(disc)
        turned = flips(disc, own, opponent)
        new_own, new_opponent = opponent & ~turned, own | turned | disc
        if ends_game(new_own, new_opponent, tables.board):
            result = game_result(new_opponent, new_own)
            logit = np.float32(0) if result == 0 else np.float32(result) * _WIN
        else:
            follow(configuration, square, turned, tables, after)
            logit = sum_weights(weights, after, tables.offsets)
        if best < 0 or logit > best_logit:
            best, best_logit = square, logit
    return best, best_logit


@kernel
def best_actions(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], tables: Tables, size: int
) -> npt.NDArray[np.int64]:
    """The actions with the best afterstates in N positions, (N,); a pass if there is no other action."""
    actions = np.empty(len(own), np.int64)
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    after = np.empty_like(configuration)
    for i in range(len(own)):
        legal = legal_moves(own[i], opponent[i], tables.board)
        if legal == _0:
            actions[i] = size * size
            continue
        configure(own[i], opponent[i], tables, configuration)
        square, _ = best_move(own[i], opponent[i], legal, configuration, tables, after)
        actions[i] = square_to_action(square, size)
    return actions
