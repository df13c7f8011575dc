"""Strong games for fitting an evaluation: compiled code lets the engine play itself, and labels all positions.

A labelled position is seen by the player who has just moved. Its label is the outcome of the game for this player, on
the scale of the n-tuple network: the mean of the result (+1, 0 or -1) and the disc difference divided by the number of
squares.

A game begins with random moves. Then both sides play the move that a search finds, except for a few random moves. As
soon as few squares are empty, the exact solver gives the outcome of perfect play, and this outcome is the label of all
positions so far. After that, the game goes on with moves of the network and some random moves, and each further
position has its own exact label.

Each position also has the value of the search in it, on the same scale. A search's value is less noisy than an outcome,
but it has the faults of the weights with which it was found.

All random choices in a game depend only on the game's key, a 64-bit number. So the same games can be made again, in any
order and on any number of threads.

Letters for shapes: N = positions.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.engine.evaluator import LOGIT, Evaluator, ntuple_evaluator, set_root
from othello_agents.engine.memory import BEST, LIMIT, NO_LIMIT, ROOT, WORST, Memory, clear, new_memory
from othello_agents.engine.midgame import FINAL, search, to_score
from othello_agents.engine.solver import solve
from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.fitting import LabelledPositions
from othello_agents.ntuple.kernels import Tables, best_move, configure, outcome
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, below, mix, mix_int
from othello_env.games.othello.bitboard import STARTS, final_margin, flips, legal_moves, nth_bit, popcount
from othello_env.support.jit import Int, interruptible, kernel
from othello_env.support.threads import Threads

__all__ = ["MOST_ROWS", "LabelledGames", "Plan", "labelled_games", "play_game", "share"]

MOST_ROWS = 120
"""No game has more positions than this: at most 60 moves, and a pass after each of them."""

_MEGABYTES = 2

_0, _1, _32 = np.uint64(0), np.uint64(1), np.uint64(32)


class LabelledGames(NamedTuple):
    """The positions of games.

    Attributes:
        own: (N,) uint64, the discs of the player who has just moved.
        opponent: (N,) uint64, the discs of the other player.
        values: (N,) float32, the labels: the outcomes for `own`, from -1 to +1.
        searched: (N,) float32, the value that the search in this position found for `own`. Where there was no search,
            it is equal to the label.
        episodes: (N,) int64, the number of each position's game in the sequence of games.
    """

    own: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    values: npt.NDArray[np.float32]
    searched: npt.NDArray[np.float32]
    episodes: npt.NDArray[np.int64]


class Plan(NamedTuple):
    """How games are played. Probabilities are multiplied by 2**32 (see `share`).

    Attributes:
        depth: the depth in plies of the search that chooses a move.
        exact: positions with at most this number of empty squares get their own exact labels.
        least_plies: the smallest number of random moves at the beginning of a game.
        most_plies: the largest number of these moves.
        epsilon: the probability that a later move is random.
        late_epsilon: the same probability, when at most `exact` squares are empty.
    """

    depth: int
    exact: int
    least_plies: int
    most_plies: int
    epsilon: np.uint64
    late_epsilon: np.uint64


def share(probability: float) -> np.uint64:
    """Turn a probability into a number from 0 to 2**32, which compiled code compares with 32 random bits."""
    return np.uint64(probability * 2.0**32)


@kernel
def _random_move(bits: np.uint64, legal: np.uint64) -> np.uint64:
    """One of the legal moves, as a set with one square."""
    return _1 << nth_bit(legal, below(bits, popcount(legal)))


@kernel
def _opening(
    key: np.uint64, own: np.uint64, opponent: np.uint64, plan: Plan, board: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """The position after the random moves at the beginning, for the player to move. If these moves end the game, other
    moves are tried.
    """
    plies = np.int64(plan.least_plies) + np.int64(
        below(mix(key, np.uint64(OPENING)), np.uint64(plan.most_plies - plan.least_plies + 1))
    )
    attempt = np.uint64(0)
    while True:
        attempt += _1
        draws, mine, theirs, ply, passes = mix(key, np.uint64(1000) + attempt), own, opponent, np.int64(0), 0
        while passes < 2 and (ply < plies or passes == 1):
            legal = legal_moves(mine, theirs, board)
            if legal == _0:
                mine, theirs = theirs, mine
                passes += 1
                continue
            if ply == plies:
                break
            passes = 0
            disc = _random_move(mix(draws, np.uint64(ply)), legal)
            turned = flips(disc, mine, theirs)
            mine, theirs = theirs ^ turned, mine | turned | disc
            ply += 1
        if passes < 2 and (legal_moves(mine, theirs, board) | legal_moves(theirs, mine, board)) != _0:
            return mine, theirs


@kernel
def _best_move(
    own: np.uint64, opponent: np.uint64, empty: Int, depth: Int, evaluator: Evaluator, memory: Memory
) -> tuple[np.int64, np.float32]:
    """The square of the move that a search finds, and the search's value as an expected outcome for the player to move.

    A shallower search comes first, so that the moves are sorted.
    """
    memory.control[ROOT] = empty
    balance = np.int64(set_root(own, opponent, empty, evaluator))
    if depth > 2:
        search(own, opponent, balance, -WORST, WORST, np.int64(depth - 2), evaluator, memory)
    value = search(own, opponent, balance, -WORST, WORST, np.int64(depth), evaluator, memory)
    if value >= FINAL or value <= -FINAL:
        expected = np.float32(outcome(np.int64(to_score(value)), np.int64(popcount(evaluator.board))))
    else:
        expected = np.float32(np.tanh(np.float64(value) / LOGIT))
    return memory.control[BEST], expected


@kernel
def _set_labels(
    count: Int, label: np.float32, values: npt.NDArray[np.float32], searched: npt.NDArray[np.float32]
) -> None:
    """Multiply the signs in the first entries of `values` by a label. The result also replaces NaN in `searched`."""
    for i in range(count):
        values[i] *= label
        if np.isnan(searched[i]):
            searched[i] = values[i]


@kernel
def play_game(
    key: np.uint64,
    own: np.uint64,
    opponent: np.uint64,
    plan: Plan,
    tables: Tables,
    evaluator: Evaluator,
    memory: Memory,
    rows: LabelledPositions,
    searched: npt.NDArray[np.float32],
) -> np.int64:
    """Play one game, write its labelled positions into `rows`, and return their number.

    Args:
        key: determines all random choices.
        own: the discs of the player who moves first.
        opponent: the discs of the other player.
        plan: how the game is played.
        tables: the network that plays, in the form for one-ply play.
        evaluator: the same network, in the form for the search.
        memory: the search's memory, empty and without a limit of nodes.
        rows: arrays for at least `MOST_ROWS` positions.
        searched: an array for the values of the searches, of the same length.
    """
    board = evaluator.board
    squares = np.int64(popcount(board))
    own, opponent = _opening(key, own, opponent, plan, board)
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    after = np.empty_like(configuration)
    n = np.int64(0)
    sign = np.float32(1)  # +1 if the player to move is the one who moved first after the opening, otherwise -1
    is_late = False  # whether all further labels are exact
    while True:
        empty = np.int64(popcount(board & ~(own | opponent)))
        legal = legal_moves(own, opponent, board)
        if legal == _0 and legal_moves(opponent, own, board) == _0:
            break
        rows.own[n], rows.opponent[n] = opponent, own  # from here on, the player who has just moved comes first
        if empty <= plan.exact:
            label = np.float32(outcome(-np.int64(solve(own, opponent, -squares, squares, board, memory)), squares))
            rows.values[n] = searched[n] = label
            if not is_late:
                is_late = True
                _set_labels(n, sign * label, rows.values, searched)
        else:
            rows.values[n], searched[n] = sign, np.nan
        n += 1
        if legal == _0:
            own, opponent, sign = opponent, own, -sign
            continue
        turn = mix(key, np.uint64(100 + empty))
        if mix(turn, np.uint64(EPSILON)) >> _32 < (plan.late_epsilon if is_late else plan.epsilon):
            disc = _random_move(mix(turn, np.uint64(CHOICE)), legal)
        elif is_late:
            configure(own, opponent, tables, configuration)
            disc = _1 << np.uint64(best_move(own, opponent, legal, configuration, tables, after)[0])
        else:
            square, expected = _best_move(own, opponent, empty, np.int64(plan.depth), evaluator, memory)
            disc, searched[n - 1] = _1 << np.uint64(square), -expected
        turned = flips(disc, own, opponent)
        own, opponent, sign = opponent ^ turned, own | turned | disc, -sign
    if not is_late:
        label = np.float32(outcome(-np.int64(final_margin(own, opponent, squares)), squares))
        _set_labels(n, sign * label, rows.values, searched)
    return n


def labelled_games(
    network: NTupleNetwork, plan: Plan, seed: int, first: int, games: int, threads: Threads
) -> LabelledGames:
    """Let the engine play games with a network's weights, and label their positions.

    Args:
        network: the weights.
        plan: how the games are played.
        seed: determines the sequence of games.
        first: the number of the first game. Games are numbered from 0.
        games: the number of games.
        threads: the threads among which the games are divided. The number of threads does not change the result.

    Returns:
        The positions, in the order of the games.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    key, (black, white) = mix_int(0, seed), (np.uint64(discs) for discs in STARTS)
    by_game: list[tuple[npt.NDArray[Any], ...]] = [()] * games
    stopped: list[BaseException] = []  # the error of a thread, or Ctrl-C; an entry here stops all threads

    def play(k: int) -> None:
        evaluator, memory = ntuple_evaluator(network.tables), new_memory(_MEGABYTES)
        memory.control[LIMIT] = NO_LIMIT
        rows, searched = LabelledPositions.empty(MOST_ROWS), np.empty(MOST_ROWS, np.float32)
        for i in range(k, games, threads.count):
            if stopped:
                return
            clear(memory)
            game = np.uint64(mix_int(key, first + i))
            n = play_game(game, black, white, plan, network.tables, evaluator, memory, rows, searched)
            by_game[i] = tuple(column[:n].copy() for column in (*rows, searched))

    def work(k: int) -> None:
        try:
            play(k)
        except BaseException as error:
            stopped.append(error)
            raise

    try:
        with interruptible():
            threads.run(work)
    except KeyboardInterrupt as error:
        stopped.append(error)
        raise
    episodes = np.repeat(np.arange(first, first + games), [len(columns[0]) for columns in by_game])
    own, opponent, values, searched = (np.concatenate(columns) for columns in zip(*by_game, strict=True))
    return LabelledGames(own, opponent, values, searched, episodes)
