"""Games of self-play from which a network learns: by a look of one ply, and by the engine's search.

All random choices in a game depend only on the game's key, a 64-bit number.

Letters for shapes: the same as in `td`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from othello_agents.engine.evaluator import LOGIT, Evaluator, ntuple_evaluator
from othello_agents.engine.memory import BEST, LIMIT, NO_LIMIT, Memory, clear, new_memory
from othello_agents.engine.midgame import FINAL, search_from, to_score
from othello_agents.engine.solver import solve
from othello_agents.ntuple.kernels import (
    Tables,
    best_move,
    configure,
    ends_game,
    follow,
    outcome,
    stage,
    sum_weights,
)
from othello_agents.ntuple.network import NTupleNetwork
from othello_agents.training.td import Learning, Record, learn, record_errors, turn_over
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, below, mix
from othello_env.games.othello import bitboard
from othello_env.games.othello.bitboard import final_margin, flips, legal_moves, nth_bit, popcount, square_of
from othello_env.support.jit import kernel

__all__ = ["OnePlyGames", "SearchedGames"]

_0, _1, _2, _32 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(32)
_GRABS = np.uint64(0.7 * 2.0**32)
"""2**32 times the probability that a grabbing player (see `Trainer`) plays the move that turns the most
discs."""
_SOLVED = 12
"""In searched games, positions with at most this number of empty squares have their exact outcome."""
_MEGABYTES = 1


@kernel
def _grab(own: np.uint64, opponent: np.uint64, legal: np.uint64) -> np.int64:
    """The square of the move that turns the most discs (the lowest square if several are equal)."""
    best, most = np.int64(-1), np.int64(-1)
    while legal != _0:
        disc = legal & (_0 - legal)
        legal ^= disc
        turned = np.int64(popcount(flips(disc, own, opponent)))
        if turned > most:
            best, most = square_of(disc), turned
    return best


@kernel
def _grabber(key: np.uint64, learning: Learning) -> np.int64:
    """The player who grabs discs in a game: +1 for the first player, -1 for the second player, 0 for neither."""
    draw = mix(key, np.uint64(OPPONENT))
    if draw >> _32 >= np.uint64(learning.grabbing * 2.0**32):
        return np.int64(0)
    return np.int64(1) - np.int64(_2 * (draw & _1))


@kernel
def _random_plies(key: np.uint64, learning: Learning) -> np.int64:
    """The number of random moves at the beginning of a game."""
    return np.int64(below(mix(key, np.uint64(OPENING)), np.uint64(learning.random_plies + 1)))


@kernel
def _played(
    best: np.int64,
    key: np.uint64,
    own: np.uint64,
    opponent: np.uint64,
    legal: np.uint64,
    is_random: bool,
    is_grabber: bool,
    epsilon: float,
) -> np.int64:
    """The square that is played instead of the best one, or the best one."""
    draw = mix(mix(key, np.uint64(EPSILON)), np.uint64(popcount(own | opponent) + _1))
    if is_random or draw >> _32 < np.uint64(epsilon * 2.0**32):
        return np.int64(nth_bit(legal, below(mix(draw, np.uint64(CHOICE)), popcount(legal))))
    if is_grabber and mix(draw, np.uint64(OPPONENT)) >> _32 < _GRABS:
        return _grab(own, opponent, legal)
    return best


@kernel(no_refcount=True)
def _play(
    key: np.uint64,
    own: np.uint64,
    opponent: np.uint64,
    tables: Tables,
    learning: Learning,
    record: Record,
    configuration: npt.NDArray[np.int16],
    after: npt.NDArray[np.int16],
) -> np.int64:
    """Play and record a game. Returns its number of plies.

    `key` determines the game. `configuration` (L,) and `after` (L,) are working memory.
    """
    grabber, random_plies = _grabber(key, learning), _random_plies(key, learning)
    squares = np.int64(popcount(tables.board))
    sign, t = np.int64(1), np.int64(0)
    configure(own, opponent, tables, configuration)
    while True:
        legal = legal_moves(own, opponent, tables.board)
        if legal == _0:
            own, opponent, sign = opponent, own, -sign
            turn_over(configuration, configuration)
            legal = legal_moves(own, opponent, tables.board)
            if legal == _0:
                return t
        discs = np.int64(popcount(own | opponent)) + 1
        best, logit = best_move(own, opponent, legal, configuration, tables, after)
        square = _played(
            best, key, own, opponent, legal, bool(t < random_plies), bool(sign == grabber), learning.epsilon
        )
        disc, played = _1 << np.uint64(square), record.configurations[t]
        turned = flips(disc, own, opponent)
        follow(configuration, square, turned, tables, played)
        own, opponent = opponent & ~turned, own | turned | disc
        value = greedy = np.tanh(np.float64(logit))
        if square != best:
            value = np.tanh(np.float64(sum_weights(tables.weights[stage(discs, tables)], played, tables.offsets)))
        if ends_game(own, opponent, tables.board):
            value = outcome(final_margin(opponent, own, squares), squares)
            greedy = value if square == best else greedy
        record.discs[t], record.signs[t] = discs, sign
        record.values[t], record.greedy[t], record.followed[t] = value, greedy, value == greedy
        turn_over(played, configuration)
        sign, t = -sign, t + 1


@kernel
def _train(
    key: np.uint64,
    games: int,
    own: np.uint64,
    opponent: np.uint64,
    tables: Tables,
    learning: Learning,
    sums: npt.NDArray[np.float32],
    mirrors: npt.NDArray[np.int32],
    record: Record,
    played: npt.NDArray[np.int64],
) -> None:
    """Play the next games of the sequence that `key` determines, and learn from each.

    All games start from the same position. For `sums` and `mirrors`, see `learn`. `played` (1,) counts the games; it is
    increased after each game, so it is correct even after an interrupt.
    """
    scratch = np.empty((2, tables.deltas.shape[1]), np.int16)
    for _ in range(games):
        game = mix(key, np.uint64(played[0]))
        plies = _play(game, own, opponent, tables, learning, record, scratch[0], scratch[1])
        record_errors(plies, learning.trace, record)
        learn(np.int64(0), plies, learning.rate, tables, sums, mirrors, record)
        played[0] += 1


@kernel
def _searched(
    own: np.uint64, opponent: np.uint64, depth: np.int64, evaluator: Evaluator, memory: Memory
) -> tuple[np.int64, np.float64]:
    """The square of the move that a search finds, and the search's value as an expected outcome for the player to
    move.
    """
    value = search_from(own, opponent, depth, evaluator, memory)
    if value >= FINAL or value <= -FINAL:
        return memory.control[BEST], np.float64(outcome(np.int64(to_score(value)), np.int64(popcount(evaluator.board))))
    return memory.control[BEST], np.tanh(np.float64(value) / LOGIT)


@kernel
def _play_searched(
    key: np.uint64,
    own: np.uint64,
    opponent: np.uint64,
    tables: Tables,
    learning: Learning,
    depth: np.int64,
    evaluator: Evaluator,
    memory: Memory,
    record: Record,
) -> np.int64:
    """Play and record a game in which both sides search. Returns its number of plies.

    The values of the best moves are those of searches, and near the end exact ones. No search is made in the random
    moves at the beginning, except in the last two, and their plies in the record mean nothing.
    """
    grabber, random_plies = _grabber(key, learning), _random_plies(key, learning)
    squares = np.int64(popcount(tables.board))
    sign, t = np.int64(1), np.int64(0)
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    after = np.empty_like(configuration)
    configure(own, opponent, tables, configuration)
    while True:
        legal = legal_moves(own, opponent, tables.board)
        if legal == _0:
            own, opponent, sign = opponent, own, -sign
            turn_over(configuration, configuration)
            legal = legal_moves(own, opponent, tables.board)
            if legal == _0:
                return t
        discs = np.int64(popcount(own | opponent)) + 1
        best, greedy, is_solved = np.int64(-1), np.float64(0), squares - discs < _SOLVED
        if is_solved:
            best, _ = best_move(own, opponent, legal, configuration, tables, after)
            score = np.int64(solve(own, opponent, -squares, squares, tables.board, memory))
            greedy = np.float64(outcome(score, squares))
        elif t >= random_plies - 1:
            best, greedy = _searched(own, opponent, depth, evaluator, memory)
        square = _played(
            best, key, own, opponent, legal, bool(t < random_plies), bool(sign == grabber), learning.epsilon
        )
        disc, played = _1 << np.uint64(square), record.configurations[t]
        turned = flips(disc, own, opponent)
        follow(configuration, square, turned, tables, played)
        own, opponent = opponent & ~turned, own | turned | disc
        if ends_game(own, opponent, tables.board):
            value = outcome(final_margin(opponent, own, squares), squares)
        else:
            value = np.tanh(np.float64(sum_weights(tables.weights[stage(discs, tables)], played, tables.offsets)))
        record.discs[t], record.signs[t] = discs, sign
        record.values[t], record.greedy[t], record.followed[t] = value, greedy, square == best and not is_solved
        turn_over(played, configuration)
        sign, t = -sign, t + 1


@kernel
def _train_searched(
    key: np.uint64,
    games: int,
    own: np.uint64,
    opponent: np.uint64,
    tables: Tables,
    learning: Learning,
    depth: np.int64,
    evaluator: Evaluator,
    memory: Memory,
    sums: npt.NDArray[np.float32],
    mirrors: npt.NDArray[np.int32],
    record: Record,
    played: npt.NDArray[np.int64],
) -> None:
    """The same as `_train` for one game or none, in which both sides search. The memory must be clear."""
    for _ in range(games):
        game = mix(key, np.uint64(played[0]))
        plies = _play_searched(game, own, opponent, tables, learning, depth, evaluator, memory, record)
        record_errors(plies, learning.trace, record)
        first = max(np.int64(0), _random_plies(game, learning) - 2)
        learn(first, plies, learning.rate, tables, sums, mirrors, record)
        played[0] += 1


class OnePlyGames:
    """Learns from games in which both sides look one ply ahead.

    Args:
        network: the network, with errors; it is changed in place.
        key: determines the sequence of games.
        learning: the settings.
        played: (1,) int64, the number of games so far. It is increased after each game.
    """

    chunk = 64
    """The number of games between two checks of the clock."""

    def __init__(
        self, network: NTupleNetwork, key: np.uint64, learning: Learning, played: npt.NDArray[np.int64]
    ) -> None:
        assert network.errors is not None
        tables = network.tables
        self._black, self._white = (np.uint64(discs) for discs in bitboard.STARTS)
        self._key, self._tables, self._learning = key, tables, learning
        self._learned = network.errors, network.layout.mirrors, Record.empty(tables), played

    def play(self, games: int) -> None:
        """Play the next games and learn from them. With 0 games, the kernels are only compiled."""
        _train(self._key, games, self._black, self._white, self._tables, self._learning, *self._learned)


class SearchedGames(OnePlyGames):
    """Learns from games in which both sides search `depth` plies ahead, with exact outcomes near the end."""

    chunk = 1

    def __init__(
        self,
        network: NTupleNetwork,
        key: np.uint64,
        learning: Learning,
        played: npt.NDArray[np.int64],
        depth: int,
    ) -> None:
        super().__init__(network, key, learning, played)
        self._depth = np.int64(depth)
        self._evaluator, self._memory = ntuple_evaluator(network.tables), new_memory(_MEGABYTES)
        self._memory.control[LIMIT] = NO_LIMIT

    def play(self, games: int) -> None:
        for _ in range(max(games, 1)):
            clear(self._memory)
            _train_searched(
                self._key,
                min(games, 1),
                self._black,
                self._white,
                self._tables,
                self._learning,
                self._depth,
                self._evaluator,
                self._memory,
                *self._learned,
            )
