"""Learning by self-play."""

from __future__ import annotations

import math
import time
from reprlib import repr as short
from typing import Self

import numpy as np

from othello_agents.ntuple.network import NTupleNetwork
from othello_agents.ntuple.self_play import Learning, Records, learn, play, train
from othello_env.games.hashing import mix_int
from othello_env.games.othello import bitboard
from othello_env.support.jit import interruptible
from othello_env.support.threads import Threads

__all__ = ["Trainer"]

_CHUNK = 64
"""About the number of games between two looks at the clock."""
_LARGEST_BATCH = 10_000
"""Games; each takes 25 kB until it has been learned from."""
_KINDS: dict[str, tuple[type, ...]] = {"seed": (int,), "batch": (int,), "random_plies": (int,), "look_ahead": (bool,)}
"""The types of the numbers in a card; those not listed may be int or float."""


class Trainer:
    """Learns an evaluation by playing against itself: temporal differences on afterstates.

    Each move is the best one by the present evaluation, or now and then a random one. Each game begins with a random
    number of random moves. In some games one player mostly grabs: it makes the move that turns the most discs. Without
    such games a learner never meets opponents who swamp the board; it keeps few discs, and any search wipes it out.

    After a game, each afterstate's value moves towards its TD(lambda) return. The game itself is worth the mean of its
    result (+1, 0, -1) and its margin divided by the squares of the board. Where a move was not the best one, the return
    of the positions before it begins anew at the value of the best one.

    Each weight has its own learning rate, which falls as its errors cancel out (temporal coherence learning).

    The seed determines one sequence of games: the same number of games gives the same weights, however fast they were
    played and in whatever portions. With a batch, games are played in groups, whose bounds lie at multiples of the
    batch. All games of a group are played with the weights of its beginning. Then they are learned from one after
    another, each with the values that its positions have by then. So portions of games must be multiples of the batch:
    any other portion cuts a group in two, and the second part is played with other weights. Time and Ctrl-C end a
    portion only between batches.

    Args:
        size: of the board: 4, 6 or 8.
        seed: of everything random.
        network: a network to go on with, which is changed in place. If it comes from a Trainer with the same arguments,
            the training goes on as if it had never stopped. But if it was saved as `half`, the weights' own rates begin
            anew.
        stages: the number of stages of a new network.
        rate: how far a value moves towards its return at first, as a fraction of their difference (for small values).
        trace: lambda of TD(lambda): 0 learns from the next value only, 1 from the result only.
        epsilon: the probability of a random move.
        random_plies: the largest number of random moves at the beginning of a game; None for two fifths of the squares
            to fill.
        grabbing: the probability that one of the players of a game grabs discs.
        look_ahead: choose moves by minimax of depth 2, which takes several times as long.
        batch: the number of games that are played before they are learned from, at most 10,000.
        num_threads: the threads that share the games of a batch, at most one a game; results do not depend on it.

    Raises:
        ValueError: there is no such size, the network has another one, or a number is out of its range.
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
            if not least <= number <= most:
                raise ValueError(f"{name} must be {least} to {most}, not {number}")
        if num_threads > batch:
            raise ValueError(f"threads share the games of a batch, so there must be at most {batch}, not {num_threads}")
        self.seed = int(seed)
        self._key = np.uint64(mix_int(seed, 0))
        self._learning = Learning(
            float(rate), float(trace), float(epsilon), int(random_plies), float(grabbing), bool(look_ahead)
        )
        if self.network.errors is None:
            self.network.errors = np.zeros((*self.network.weights.shape, 2), np.float32)
        self._errors = self.network.errors
        self.batch = batch
        self._records = Records.empty(batch, self.network.tables)
        self._threads = Threads(num_threads)
        self._portion = batch if self._threads.count > 1 else batch * max(1, _CHUNK // batch)
        training = self.network.training
        self._played = np.array([training.get("games", 0)], np.int64)
        self.seconds: float = training.get("seconds", 0.0)
        self._note()

    @classmethod
    def resume(cls, network: NTupleNetwork, *, num_threads: int = 1) -> Self:
        """A Trainer that goes on with a network and changes it; its card has the seed, the batch and the other numbers.

        Raises:
            ValueError: a number is missing from the card, or has a wrong type.
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
        return int(self._played[0])

    def run(self, *, seconds: float | None = None, games: int | None = None) -> int:
        """Play and learn for some time or some games, whichever ends first; returns the number of games played.

        The time to compile, once in a process, does not count. Another call goes on. What was learned stays, also after
        a Ctrl-C.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
            ValueError: neither is given, or one is negative or not finite.
        """
        if seconds is None and games is None:
            raise ValueError("run needs seconds or games")
        if not all(given is None or 0 <= given < math.inf for given in (seconds, games)):
            raise ValueError(f"seconds and games are finite and not negative, got {seconds} and {games}")
        with interruptible():
            self._play(0)  # compiles, which is not training
        start, before = time.perf_counter(), self.games
        try:
            with interruptible():
                while games is None or self.games - before < games:
                    if seconds is not None and time.perf_counter() - start >= seconds:
                        break
                    portion = self._portion - self.games % self.batch  # ends between batches
                    self._play(portion if games is None else min(portion, games - (self.games - before)))
        finally:
            self.seconds += time.perf_counter() - start
            self._note()
        return self.games - before

    def _play(self, games: int) -> None:
        """Play the next games and learn from them; with several threads, they are of one batch."""
        black, white = (np.uint64(discs) for discs in bitboard.STARTS)
        tables, learning, records, threads = self.network.tables, self._learning, self._records, self._threads.count
        if threads == 1:
            train(self._key, self._played, games, black, white, tables, self._errors, learning, records)
            return
        first = np.int64(self.games)

        def share(k: int) -> None:
            # A thread that an interrupt left running meets only share k of the next call in the records.
            play(self._key, first, games, k, threads, black, white, tables, learning, records)

        self._threads.run(share)
        learn(self._played, games, tables, self._errors, learning, records)

    def _note(self) -> None:
        """Write the origin of the weights into the network's card."""
        self.network.training |= {
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "batch": self.batch,
            **self._learning._asdict(),
        }
