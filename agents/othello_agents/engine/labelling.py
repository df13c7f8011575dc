"""Labels for fitting an evaluation: compiled code plays games and searches their positions.

A labelled position is a position after a move (an afterstate), seen by the player who has just moved. Its label is the
outcome that this player can expect, on the scale of the n-tuple network. This outcome is the mean of two numbers: the
result (+1, 0 or -1), and the disc difference divided by the number of squares. Near the end of the game, the label is
exact. In earlier positions, the label is the value that a search finds with the network's present weights.

All random choices in a game depend only on the game's key, a 64-bit number. So the same games can be made again, in any
order and on any number of threads.

Letters for shapes: N = positions, G = games.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.engine.evaluator import LOGIT, Evaluator, ntuple_evaluator, set_root
from othello_agents.engine.memory import LIMIT, NO_LIMIT, ROOT, WORST, Memory, clear, new_memory
from othello_agents.engine.midgame import FINAL, search, to_score
from othello_agents.engine.solver import solve
from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.fitting import Examples
from othello_agents.ntuple.kernels import Tables, best_move, configure, outcome
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, POOL, REDRAW, SIDE, below, mix, mix_int
from othello_env.games.othello.bitboard import STARTS, final_margin, flips, legal_moves, nth_bit, popcount
from othello_env.support.jit import Int, interruptible, kernel
from othello_env.support.threads import Threads

__all__ = ["MOST_ROWS", "Plan", "label", "label_games", "labelled_games", "share"]

MOST_ROWS = 2100
"""No game has more labelled positions than this. A game has at most 60 moves, each chosen from at most 33 legal
moves."""

_CHUNK = 16
"""The compiled code plays this number of games in one call. Ctrl-C takes effect between two calls."""
_MEGABYTES = 2

_0, _1, _32 = np.uint64(0), np.uint64(1), np.uint64(32)


class Plan(NamedTuple):
    """How games are played, which of their positions are labelled, and how the labels are found.

    All probabilities are multiplied by 2**32 (see `share`).

    Attributes:
        depth: the depth in plies of the search that labels a position.
        exact: positions with at most this number of empty squares get exact labels.
        random_plies: the largest number of random moves at the beginning of a game.
        epsilon: the probability that a later move is random.
        random_games: the probability that all moves of a game are random.
        singles: for each ply of a game, the probability that only the position after the played move is labelled.
        siblings: for each ply of a game, the probability that the positions after all legal moves are labelled instead.
        stray: in the case of `siblings`, the probability that one or two random moves are played first. Then the
            positions after all legal moves of the new position are labelled. The game itself goes on without these
            random moves.
    """

    depth: int
    exact: int
    random_plies: int
    epsilon: np.uint64
    random_games: np.uint64
    singles: np.uint64
    siblings: np.uint64
    stray: np.uint64


def share(probability: float) -> np.uint64:
    """Turn a probability into a number from 0 to 2**32, which compiled code compares with 32 random bits."""
    return np.uint64(probability * 2.0**32)


@kernel
def label(own: np.uint64, opponent: np.uint64, depth: Int, exact: Int, evaluator: Evaluator, memory: Memory) -> float:
    """The label of one position, in which `own` has just moved.

    The label does not depend on the contents of the transposition table, if all results in the table come from this
    evaluator.
    """
    board = evaluator.board
    squares = np.int64(popcount(board))
    if (legal_moves(own, opponent, board) | legal_moves(opponent, own, board)) == _0:
        return outcome(np.int64(final_margin(own, opponent, squares)), squares)
    empty = np.int64(popcount(board & ~(own | opponent)))
    if empty <= exact:
        return outcome(-np.int64(solve(opponent, own, -squares, squares, board, memory)), squares)
    memory.control[ROOT] = empty
    balance = np.int64(set_root(opponent, own, empty, evaluator))
    value = -np.int64(search(opponent, own, balance, -WORST, WORST, np.int64(depth), evaluator, memory))
    if value >= FINAL or value <= -FINAL:
        return outcome(np.int64(to_score(value)), squares)
    return float(np.tanh(np.float64(value) / LOGIT))


@kernel
def _write(
    own: np.uint64,
    opponent: np.uint64,
    disc: np.uint64,
    n: Int,
    plan: Plan,
    evaluator: Evaluator,
    memory: Memory,
    rows: Examples,
) -> Int:
    """Write the position after a move, with its label, into row `n`. Returns the number of the next free row.

    A position on a full board gets no row, because a search never needs its evaluation.
    """
    turned = flips(disc, own, opponent)
    mover, other = own | turned | disc, opponent ^ turned
    if (mover | other) == evaluator.board:
        return n
    rows.own[n], rows.opponent[n] = mover, other
    rows.values[n] = np.float32(label(mover, other, plan.depth, plan.exact, evaluator, memory))
    return n + 1


@kernel
def _stray(own: np.uint64, opponent: np.uint64, bits: np.uint64, board: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The position after one or two random moves. A player without a legal move passes."""
    for turn in range(1 + np.int64(bits & _1)):
        legal = legal_moves(own, opponent, board)
        if legal == _0:
            own, opponent = opponent, own
            continue
        draw = mix(bits, np.uint64(turn))
        disc = _1 << nth_bit(legal, below(draw, popcount(legal)))
        turned = flips(disc, own, opponent)
        own, opponent = opponent ^ turned, own | turned | disc
    return own, opponent


@kernel
def _label_moves(
    own: np.uint64,
    opponent: np.uint64,
    n: Int,
    plan: Plan,
    evaluator: Evaluator,
    memory: Memory,
    rows: Examples,
) -> Int:
    """Label the positions after all legal moves, from row `n` on, and return the number of the next free row."""
    left = legal_moves(own, opponent, evaluator.board)
    while left != _0:
        disc = left & (_0 - left)
        left ^= disc
        n = _write(own, opponent, disc, n, plan, evaluator, memory, rows)
    return n


@kernel
def _label_game(
    key: np.uint64,
    own: np.uint64,
    opponent: np.uint64,
    n: Int,
    plan: Plan,
    tables: Tables,
    evaluator: Evaluator,
    memory: Memory,
    rows: Examples,
) -> Int:
    """Play one game, label its positions from row `n` on, and return the number of the next free row."""
    is_random = mix(key, np.uint64(SIDE)) >> _32 < plan.random_games
    opening = np.int64(below(mix(key, np.uint64(OPENING)), np.uint64(plan.random_plies + 1)))
    board = tables.board
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    after = np.empty_like(configuration)
    ply = np.int64(0)
    while True:
        legal = legal_moves(own, opponent, board)
        if legal == _0:
            own, opponent = opponent, own
            legal = legal_moves(own, opponent, board)
            if legal == _0:
                return n
        turn = mix(key, np.uint64(100) + popcount(own | opponent))
        if ply < opening or is_random or mix(turn, np.uint64(EPSILON)) >> _32 < plan.epsilon:
            disc = _1 << nth_bit(legal, below(mix(turn, np.uint64(CHOICE)), popcount(legal)))
        else:
            configure(own, opponent, tables, configuration)
            disc = _1 << np.uint64(best_move(own, opponent, legal, configuration, tables, after)[0])
        draw = mix(turn, np.uint64(POOL)) >> _32
        if draw < plan.siblings:
            bits = mix(turn, np.uint64(REDRAW))
            here, there = own, opponent
            if bits >> _32 < plan.stray:
                here, there = _stray(own, opponent, bits, board)
            n = _label_moves(here, there, n, plan, evaluator, memory, rows)
        elif draw < plan.siblings + plan.singles:
            n = _write(own, opponent, disc, n, plan, evaluator, memory, rows)
        turned = flips(disc, own, opponent)
        own, opponent = opponent ^ turned, own | turned | disc
        ply += 1


@kernel
def label_games(
    key: np.uint64,
    first: Int,
    games: Int,
    own: np.uint64,
    opponent: np.uint64,
    plan: Plan,
    tables: Tables,
    evaluator: Evaluator,
    memory: Memory,
    rows: Examples,
    ends: npt.NDArray[np.int64],
) -> None:
    """Play `games` games that start from one position, and label their positions.

    Args:
        key: determines a sequence of games. The random choices in a game depend only on this key and on the game's
            number.
        first: the number of the first game.
        games: G, the number of games.
        own: the discs of the player who moves first.
        opponent: the discs of the other player.
        plan: how the games are played and labelled.
        tables: the network that chooses the moves that are not random.
        evaluator: an `Evaluator` with the weights of the same network, without cuts (see `probcut`). The search
            overwrites the evaluator's configurations.
        memory: the search's memory, without a limit of nodes. No other search may use it at the same time.
        rows: the arrays for the labelled positions. They must have `MOST_ROWS` rows for each game.
        ends: (G,) int64. After each game, this function writes here how many rows are filled so far.
    """
    n: Int = np.int64(0)
    for game in range(games):
        n = _label_game(mix(key, np.uint64(first + game)), own, opponent, n, plan, tables, evaluator, memory, rows)
        ends[game] = n


def labelled_games(
    network: NTupleNetwork, plan: Plan, seed: int, first: int, games: int, threads: Threads
) -> tuple[Examples, npt.NDArray[np.int64]]:
    """Let a network play games, and label their positions by searches with the same network.

    Args:
        network: chooses the moves that are not random, and evaluates the leaves of the searches.
        plan: how the games are played and labelled.
        seed: determines the sequence of games.
        first: the number of the first game. Games are numbered from 0.
        games: the number of games.
        threads: the threads among which the games are divided. The number of threads does not change the result.

    Returns:
        The labelled positions, in the order of the games, and the number of each position's game, (N,) int64.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    key, (black, white) = np.uint64(mix_int(0, seed)), (np.uint64(discs) for discs in STARTS)
    starts = range(first, first + games, _CHUNK)
    found: list[tuple[Examples, npt.NDArray[np.int64]]] = [()] * len(starts)  # type: ignore[list-item]
    stopped: list[BaseException] = []  # the error of a thread, or Ctrl-C; an entry here stops all threads

    def work(k: int) -> None:
        try:
            label_share(k)
        except BaseException as error:
            stopped.append(error)
            raise

    def label_share(k: int) -> None:
        evaluator, memory = ntuple_evaluator(network.tables), new_memory(_MEGABYTES)
        memory.control[LIMIT] = NO_LIMIT
        rows = Examples.empty(_CHUNK * MOST_ROWS)
        for chunk in range(k, len(starts), threads.count):
            if stopped:
                return
            clear(memory)
            count = min(_CHUNK, first + games - starts[chunk])
            ends = np.zeros(count, np.int64)
            begin = np.int64(starts[chunk])
            label_games(key, begin, count, black, white, plan, network.tables, evaluator, memory, rows, ends)
            numbers = np.repeat(np.arange(begin, begin + count), np.diff(ends, prepend=0))
            found[chunk] = rows.part(slice(len(numbers))), numbers

    try:
        with interruptible():
            threads.run(work)
    except KeyboardInterrupt as error:
        stopped.append(error)
        raise
    return Examples.joined([rows for rows, _ in found]), np.concatenate([numbers for _, numbers in found])
