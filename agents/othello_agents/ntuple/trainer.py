"""Learning by self-play: compiled games, a compiled learning rule, and the `Trainer` that runs them.

After each game, the value of each afterstate moves towards its TD(lambda) return. Each weight has its own learning
rate: `rate` * |sum of the weight's errors so far| / (sum of the absolute values of these errors). So the learning rate
is small if positive and negative errors cancel each other. This is temporal coherence learning (Beal and Smith,
"Temporal coherence and prediction decay in TD learning", 1999).

Letters for shapes: the same as in `kernels`, and also T plies (the most that a game can have).
"""

from __future__ import annotations

import time
from reprlib import repr as short
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

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
from othello_env.games.game import check_seed
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, OPPONENT, below, mix, mix_int
from othello_env.games.othello import bitboard
from othello_env.games.othello.bitboard import (
    final_margin,
    flips,
    legal_moves,
    nth_bit,
    popcount,
    square_of,
)
from othello_env.support.jit import interruptible, kernel
from othello_env.support.numbers import check_real, check_type, check_whole

__all__ = ["Learning", "Record", "Trainer"]

_0, _1, _2, _32 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(32)
_GRABS = np.uint64(0.7 * 2.0**32)
"""2**32 times the probability that a grabbing player (see `Trainer`) plays the move that turns the most
discs."""


class Learning(NamedTuple):
    """The settings of the training; the arguments of `Trainer` have the same names and meanings."""

    rate: float
    trace: float
    epsilon: float
    random_plies: int
    grabbing: float


class Record(NamedTuple):
    """A game: for each ply, the afterstate to learn from. Passes do not count as plies.

    Attributes:
        configurations: (T, L) int16, the configurations of the afterstates, from the point of view of the player who
            has just moved.
        signs: (T,) int8, +1 where the game's first player moved, else -1.
        values: (T,) float64, the values of the afterstates; the last value is the outcome of the game.
        greedy: (T,) float64, the value of the best move's afterstate. If the best move was played, `values` has the
            same number.
        errors: (T,) float32, the step for each afterstate's logit. It is not yet multiplied by the learning rates.
    """

    configurations: npt.NDArray[np.int16]
    signs: npt.NDArray[np.int8]
    values: npt.NDArray[np.float64]
    greedy: npt.NDArray[np.float64]
    errors: npt.NDArray[np.float32]

    @classmethod
    def empty(cls, tables: Tables) -> Record:
        """Memory for the record of a game."""
        plies = int(tables.board).bit_count()
        return cls(
            np.empty((plies, tables.deltas.shape[1]), np.int16),
            np.empty(plies, np.int8),
            np.empty(plies, np.float64),
            np.empty(plies, np.float64),
            np.empty(plies, np.float32),
        )


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


@kernel(no_refcount=True)
def _turn_over(configuration: npt.NDArray[np.int16], out: npt.NDArray[np.int16]) -> None:
    """Write the configurations from the other side's point of view into `out`."""
    for i in range(len(configuration)):
        out[i] = -configuration[i]


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
    grabber = _grabber(key, learning)
    random_plies = np.int64(below(mix(key, np.uint64(OPENING)), np.uint64(learning.random_plies + 1)))
    threshold = np.uint64(learning.epsilon * 2.0**32)
    squares = np.int64(popcount(tables.board))
    sign, t = np.int64(1), np.int64(0)
    configure(own, opponent, tables, configuration)
    while True:
        legal = legal_moves(own, opponent, tables.board)
        if legal == _0:
            own, opponent, sign = opponent, own, -sign
            _turn_over(configuration, configuration)
            legal = legal_moves(own, opponent, tables.board)
            if legal == _0:
                return t
        discs = np.int64(popcount(own | opponent)) + 1
        best, logit = best_move(own, opponent, legal, configuration, tables, after)
        square = best
        draw = mix(mix(key, np.uint64(EPSILON)), np.uint64(discs))
        if t < random_plies or draw >> _32 < threshold:
            square = np.int64(nth_bit(legal, below(mix(draw, np.uint64(CHOICE)), popcount(legal))))
        elif sign == grabber and mix(draw, np.uint64(OPPONENT)) >> _32 < _GRABS:
            square = _grab(own, opponent, legal)
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
        record.signs[t], record.values[t], record.greedy[t] = sign, value, greedy
        _turn_over(played, configuration)
        sign, t = -sign, t + 1


@kernel(no_refcount=True)
def _record_errors(plies: np.int64, trace: float, record: Record) -> None:
    """Write the errors of a game: for each value, the step towards its TD(lambda) return.

    The last value is the outcome of the game, so it has no error.
    """
    last = plies - 1
    target = record.signs[last] * record.greedy[last]  # from the first player's point of view
    for t in range(last - 1, -1, -1):
        sign, value, greedy = record.signs[t], record.values[t], record.greedy[t]
        record.errors[t] = (sign * target - value) * (1.0 - value * value)
        # The next step of the loop needs the return of the position before this move. If the move was not the best
        # move, the rest of the game does not show how good that position is. Then the position's return is the value of
        # the best move.
        followed = trace if value == greedy else 0.0
        target = (1.0 - followed) * sign * greedy + followed * target


@kernel(no_refcount=True)
def _learn(
    plies: np.int64,
    rate: float,
    tables: Tables,
    sums: npt.NDArray[np.float32],
    mirrors: npt.NDArray[np.int32],
    record: Record,
) -> None:
    """Learn from a game. Later plies are learned before earlier plies."""
    for t in range(plies - 2, -1, -1):
        number = stage(np.int64(5 + t), tables)  # plies count from 0, so after ply t the board has 4 + t + 1 discs
        configuration, error = record.configurations[t], record.errors[t]
        step = np.float32(rate) * error / np.float32(tables.looked_up)
        for p in range(tables.looked_up):
            i = np.uint64(tables.offsets[p] + configuration[p])
            mirrored = np.uint64(mirrors[i])
            _move_weight(i, step, error, tables.weights[number], sums[number])
            if mirrored != i:
                _move_weight(mirrored, step, error, tables.weights[number], sums[number])


@kernel(inline=True)
def _move_weight(
    i: np.uint64,
    step: np.float32,
    error: np.float32,
    weights: npt.NDArray[np.float32],
    sums: npt.NDArray[np.float32],
) -> None:
    """Move one weight, and add `error` to the sum of its errors and to the sum of their absolute values.

    The weight moves by `step` * |sum| / (sum of absolute values), or by `step` if it has no earlier errors.
    """
    size = sums[i, 1]
    weights[i] += step * abs(sums[i, 0]) / size if size > 0 else step
    sums[i, 0] += error
    sums[i, 1] += abs(error)


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

    All games start from the same position. `sums` (S, W, 2) has for each weight the sum of its errors so far, and the
    sum of their absolute values. `mirrors` (W,) is that of `network.Layout`. `played` (1,) counts the games; it is
    increased after each game, so it is correct even after an interrupt.
    """
    scratch = np.empty((2, tables.deltas.shape[1]), np.int16)
    for _ in range(games):
        game = mix(key, np.uint64(played[0]))
        plies = _play(game, own, opponent, tables, learning, record, scratch[0], scratch[1])
        _record_errors(plies, learning.trace, record)
        _learn(plies, learning.rate, tables, sums, mirrors, record)
        played[0] += 1


_CHUNK = 64
"""The number of games between two checks of the clock."""


class Trainer:
    """Learns an evaluation by self-play, with temporal differences on afterstates (positions after a move).

    Each game begins with a random number of random moves. After these moves, both sides play the best move by the
    present evaluation, or sometimes a random move. In some games one player grabs discs: in most of its turns it plays
    the move that turns the most discs. Without such games, the network would never meet opponents that fill the board
    with their discs. So it would learn to keep few discs, and an opponent that looks ahead could take all of them.

    After a game, each afterstate's value moves towards its TD(lambda) return. The outcome of the game is the mean of
    two numbers: its result (+1, 0 or -1), and its margin divided by the number of squares. If a player did not play the
    best move, the returns of earlier positions use the value of the best move, and ignore the rest of the game.

    Each weight has its own learning rate. The rate falls when the weight's positive and negative errors cancel each
    other (temporal coherence learning).

    The seed determines the sequence of games. The same number of games gives the same weights, at any speed.

    Args:
        size: the board's size: 4, 6 or 8.
        seed: the seed for all random choices.
        network: a network to continue with; the training changes it in place. If the network comes from a Trainer with
            the same arguments, the training continues as if there had been no pause. But if the network was saved with
            `half`, the learning rates of its weights start again at their first values.
        stages: the number of stages of a new network.
        rate: the learning rate at the beginning. At first, a value near 0 moves by this fraction of its distance to the
            return.
        trace: lambda of TD(lambda). With 0, the network learns only from the value of the next afterstate. With 1, it
            learns only from the outcome. But if a later move was not the best move, the value of the best move takes
            the place of the outcome.
        epsilon: the probability of a random move.
        random_plies: the largest number of random moves at the beginning of a game. None stands for two fifths of the
            number of squares that are empty at the start.
        grabbing: the probability that one of the players of a game grabs discs.

    Raises:
        ValueError: the size is wrong or differs from the network's size, the seed is negative, or a number is out of
            its range.
        TypeError: the seed or another number has a wrong type.
    """

    def __init__(
        self,
        size: int = 8,
        seed: int = 0,
        *,
        network: NTupleNetwork | None = None,
        stages: int = 8,
        rate: float = 1.0,
        trace: float = 0.5,
        epsilon: float = 0.1,
        random_plies: int | None = None,
        grabbing: float = 0.5,
    ) -> None:
        self.network = NTupleNetwork(size, stages) if network is None else check_type("network", network, NTupleNetwork)
        if self.network.size != size:
            raise ValueError(f"the network is for size {self.network.size}, not {size}")
        if random_plies is None:
            random_plies = 2 * (size * size - 4) // 5
        for name, number, least, most in (
            ("rate", rate, 0.0, 1e6),
            ("trace", trace, 0.0, 1.0),
            ("epsilon", epsilon, 0.0, 1.0),
            ("random_plies", random_plies, 0, size * size),
            ("grabbing", grabbing, 0.0, 1.0),
        ):
            if isinstance(least, int):
                check_whole(name, number, least, int(most))
            else:
                check_real(name, number, least, most)
        self.seed = check_seed(seed)
        self._key = np.uint64(mix_int(self.seed, 0))
        self._learning = Learning(float(rate), float(trace), float(epsilon), int(random_plies), float(grabbing))
        if self.network.errors is None:
            self.network.errors = np.zeros((*self.network.weights.shape, 2), np.float32)
        self._record = Record.empty(self.network.tables)
        training = self.network.training
        self._played = np.array([training.get("games", 0)], np.int64)
        self.seconds: float = training.get("seconds", 0.0)
        self._note()

    @staticmethod
    def check_errors(network: NTupleNetwork) -> None:
        """Check that `network.errors` is not None. Otherwise, a training cannot continue as if it had never stopped.

        Raises:
            ValueError: `network.errors` is None.
        """
        if network.errors is None:
            raise ValueError(
                "the network was saved in half precision or was fitted, so it lacks the errors on which its learning "
                "rates depend, and its training cannot be resumed"
            )

    @classmethod
    def resume(cls, network: NTupleNetwork) -> Self:
        """A Trainer that continues a network's training, with the settings in `network.training`.

        The training changes the network in place.

        Raises:
            ValueError: a setting is missing, has a wrong type, or is out of its range.
        """
        settings = network.training
        for name in ("seed", *Learning._fields):
            whole = name in ("seed", "random_plies")
            if type(settings.get(name)) not in ((int,) if whole else (int, float)):
                raise ValueError(f"the network's card does not have the {name} of its training: {short(settings)}")
        options = {name: settings[name] for name in Learning._fields}
        return cls(network.size, settings["seed"], network=network, **options)

    @property
    def games(self) -> int:
        """The number of games that the network has learned from."""
        return int(self._played[0])

    def run(self, *, seconds: float | None = None, games: int | None = None) -> int:
        """Play and learn until the seconds have passed or the games are played; return the number of games played.

        Another call continues the training. The time to compile the kernels does not count. Ctrl-C does not undo what
        the network has learned.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
            TypeError: `games` is not an integer, or `seconds` is not a number.
            ValueError: neither seconds nor games are given, or a number is negative or not finite.
        """
        if seconds is None and games is None:
            raise ValueError("run needs seconds or games")
        games = None if games is None else check_whole("games", games, 0)
        seconds = None if seconds is None else check_real("seconds", seconds, 0)
        with interruptible():
            self._play(0)  # compiles the kernels before the clock starts
        start, before = time.perf_counter(), self.games
        try:
            with interruptible():
                while games is None or self.games - before < games:
                    if seconds is not None and time.perf_counter() - start >= seconds:
                        break
                    self._play(_CHUNK if games is None else min(_CHUNK, games - (self.games - before)))
        finally:
            self.seconds += time.perf_counter() - start
            self._note()
        return self.games - before

    def _play(self, games: int) -> None:
        """Play the next games and learn from them."""
        network = self.network
        black, white = (np.uint64(discs) for discs in bitboard.STARTS)
        sums, mirrors, record = network.errors, network.layout.mirrors, self._record
        assert sums is not None
        _train(self._key, games, black, white, network.tables, self._learning, sums, mirrors, record, self._played)

    def _note(self) -> None:
        """Write the number of games, the seconds and the settings into `network.training`, which `save` stores."""
        self.network.training |= {
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            **self._learning._asdict(),
        }
