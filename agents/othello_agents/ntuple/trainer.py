"""Learning by self-play."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from numbers import Integral, Real
from reprlib import repr as short
from typing import Self

import numpy as np

from othello_agents.ntuple.learning import learn_share, shares_of, train
from othello_agents.ntuple.network import NTupleNetwork
from othello_agents.ntuple.self_play import Learning, Records, play
from othello_env.games.game import check_seed
from othello_env.games.hashing import mix_int
from othello_env.games.othello import bitboard
from othello_env.support.jit import interruptible
from othello_env.support.threads import Threads

__all__ = ["Trainer"]

_CHUNK = 64
"""The approximate number of games between two checks of the clock."""
_LARGEST_BATCH = 10_000
"""The largest batch, in games. The records of each game of a batch take at most 8 kB of memory."""
_KINDS: dict[str, tuple[type, ...]] = {"seed": (int,), "batch": (int,), "random_plies": (int,), "look_ahead": (bool,)}
"""The types that settings of the training must have in a network's card (the JSON text in its file). A setting that is
not listed here may be int or float."""


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

    The seed determines the sequence of games. The same number of games gives the same weights, at any speed and with
    any number of threads. If `batch` is more than 1, games are played in batches of this size. The weights stay the
    same while a batch's games are played and their returns and errors are computed. Then each weight moves once, in the
    direction of the sum of its errors; `othello_agents.ntuple.learning` describes how far. With several threads, each
    thread plays a part of the batch's games, and later learns a part of the weights. If `run` gets a number of games,
    this number should be a multiple of `batch`. Any other number cuts a batch in two. Then the second part of the batch
    is played with newer weights, so the result is not the same as with an uncut batch. A time limit and Ctrl-C take
    effect only between batches.

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
        look_ahead: choose moves by minimax of depth 2 instead of depth 1. A game then takes several times as long.
        batch: the number of games that are played before the network learns from them, at most 10,000.
        num_threads: the number of threads that work on a batch, at most `batch`. The results do not depend on this
            number.

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
        look_ahead: bool = False,
        batch: int = 1,
        num_threads: int = 1,
    ) -> None:
        self.network = NTupleNetwork(size, stages) if network is None else network
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
            ("batch", batch, 1, _LARGEST_BATCH),
            ("num_threads", num_threads, 1, 1024),
        ):
            expected = "an integer" if isinstance(least, int) else "a number"
            if not isinstance(number, Integral if isinstance(least, int) else Real) or isinstance(number, bool):
                raise TypeError(f"{name} must be {expected}, not {number!r} of type {type(number).__name__}")
            if not least <= number <= most:
                raise ValueError(f"{name} must be {least} to {most}, not {number}")
        if num_threads > batch:
            raise ValueError(
                f"the number of threads must be at most {batch}, the number of games in a batch, not {num_threads}"
            )
        self.seed = check_seed(seed)
        self._key = np.uint64(mix_int(self.seed, 0))
        self._learning = Learning(
            float(rate), float(trace), float(epsilon), int(random_plies), float(grabbing), bool(look_ahead)
        )
        if self.network.errors is None:
            self.network.errors = np.zeros((*self.network.weights.shape, 2), np.float32)
        self.batch = int(batch)
        self._records = Records.empty(batch, self.network.tables)
        self._threads = Threads(num_threads)
        self._portion = batch if self._threads.count > 1 else batch * max(1, _CHUNK // batch)
        training = self.network.training
        self._shares = shares_of(size, self.network.errors, training.get("games", 0), num_threads)
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
    def resume(cls, network: NTupleNetwork, *, num_threads: int = 1) -> Self:
        """A Trainer that continues a network's training, with the settings in `network.training`.

        The training changes the network in place.

        Raises:
            ValueError: a setting is missing, has a wrong type, or is out of its range.
        """
        numbers = {"batch": 1, "look_ahead": False} | network.training
        for name in ("seed", "batch", *Learning._fields):
            if type(numbers.get(name)) not in _KINDS.get(name, (int, float)):
                raise ValueError(
                    f"the network's card does not have the {name} of its training: {short(network.training)}"
                )
        options = {name: numbers[name] for name in ("batch", *Learning._fields)}
        return cls(network.size, numbers["seed"], network=network, num_threads=num_threads, **options)

    @property
    def games(self) -> int:
        """The number of games that the network has learned from."""
        return int(min(share.games[0] for share in self._shares))

    def run(self, *, seconds: float | None = None, games: int | None = None) -> int:
        """Play and learn until the seconds have passed or the games are played; return the number of games played.

        Another call continues the training. The time to compile the kernels does not count. Ctrl-C does not undo what
        the network has learned.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
            TypeError: `games` is not an integer.
            ValueError: neither seconds nor games are given, or a number is negative or not finite.
        """
        if seconds is None and games is None:
            raise ValueError("run needs seconds or games")
        if not all(given is None or 0 <= given < math.inf for given in (seconds, games)):
            raise ValueError(f"seconds and games must be finite and not negative, not {seconds} and {games}")
        if games is not None and (not isinstance(games, Integral) or isinstance(games, bool)):
            raise TypeError(f"games must be an integer, not {games!r} of type {type(games).__name__}")
        with interruptible():
            self._play(0)  # compiles the kernels before the clock starts
        start, before = time.perf_counter(), self.games
        try:
            with interruptible():
                while games is None or self.games - before < games:
                    if seconds is not None and time.perf_counter() - start >= seconds:
                        break
                    portion = self._portion - self.games % self.batch  # so the portion ends where a batch ends
                    self._play(portion if games is None else min(portion, games - (self.games - before)))
        finally:
            self.seconds += time.perf_counter() - start
            self._note()
        return self.games - before

    def _play(self, games: int) -> None:
        """Play the next games and learn from them. With several threads, all these games must belong to one batch."""
        black, white = (np.uint64(discs) for discs in bitboard.STARTS)
        tables, learning, records, threads = self.network.tables, self._learning, self._records, self._threads.count
        if threads == 1:
            train(self._key, games, black, white, tables, learning, self._shares[0], records)
            return
        first = np.int64(self.games)

        def play_some(k: int) -> None:
            # After an interrupt, a thread may still be busy when the next call of `_play` begins. This does no harm: in
            # every call, the records of the games k, k + threads and so on are written only by thread k.
            play(self._key, first, games, k, threads, black, white, tables, learning, records)

        def learn_some(k: int) -> None:
            learn_share(first, games, learning, tables, self._shares[k], records)

        self._threads.run(play_some)
        self._complete(learn_some)

    def _complete(self, work: Callable[[int], None]) -> None:
        """Call work(0), work(1) and so on in the threads. Even after an interrupt, all these calls are completed.

        After an interrupt, some threads may not have begun their calls, and others may still be working. So each thread
        gets its call again. This does no harm: a thread makes its calls one after the other, and a call whose work is
        already done has no effect.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        interrupt: KeyboardInterrupt | None = None
        while True:
            try:
                with interruptible():
                    self._threads.run(work)
                break
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt

    def _note(self) -> None:
        """Write the number of games, the seconds and the settings into `network.training`, which `save` stores."""
        self.network.training |= {
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "batch": self.batch,
            **self._learning._asdict(),
        }
