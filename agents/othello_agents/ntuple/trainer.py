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
from othello_env.support.threads import Workers

__all__ = ["Trainer"]

_CHUNK = 64
"""About how many games are played between two looks at the clock."""
_LARGEST_BATCH = 10_000
"""Games, of 25 kB each while they are learned from."""
_KINDS: dict[str, tuple[type, ...]] = {"seed": (int,), "batch": (int,), "random_plies": (int,), "look_ahead": (bool,)}
"""What the numbers in a card are that are no float."""


class Trainer:
    """Learns an evaluation by playing against itself: temporal differences on afterstates.

    Each move is the best one by the present evaluation, or now and then a random one; each game begins with a random
    number of random moves. In some games one player mostly grabs: it makes the move that turns the most discs. A
    learner that only meets itself never meets opponents who swamp the board. It keeps few discs, and any search wipes
    it out. After a game, each afterstate's value moves towards its TD(lambda) return; the game itself is worth the mean
    of its result (+1, 0, -1) and its margin as a part of the board. A move that was not the best does not enter the
    return of what was before it.

    Each weight learns at a rate of its own, which falls as its errors cancel out (temporal coherence learning).

    The games form one sequence that the seed determines: the same number of games gives the same weights, in whatever
    portions and however fast they were played. With a batch, the games of each, from a multiple of its length to the
    next, are played by the weights of its beginning and then learned from one after another, each with the values that
    its positions have by then. So portions of games must be multiples of the batch: one that is not cuts a batch in
    two, and the second part is played by other weights. Time and Ctrl-C end a portion between batches.

    Args:
        size: of the board: 4, 6 or 8.
        seed: for everything random.
        network: one to go on with, which is changed in place. A network from a Trainer with the same arguments goes on
            as if nothing had happened, but one that was saved as `half`, whose weights' own rates begin anew.
        stages: of a new network.
        rate: how far a value moves towards its return at first, as a fraction of their difference (for small values).
        trace: lambda of TD(lambda): 0 learns from the next value alone, 1 from the result alone.
        epsilon: the probability of a random move.
        random_plies: with how many random moves a game begins at most; None for two fifths of the squares to fill.
        grabbing: the probability that one of a game's players grabs discs.
        look_ahead: choose moves by minimax of depth 2, which takes several times as long.
        batch: how many games are played before they are learned from, at most 10,000.
        num_threads: how many threads share the games of a batch, at most one a game; results do not depend on it.

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
            raise ValueError(f"threads share the games of a batch: expected {batch} at most, not {num_threads}")
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
        self._workers = Workers(num_threads)
        self._portion = batch if self._workers.count > 1 else batch * max(1, _CHUNK // batch)
        training = self.network.training
        self._played = np.array([training.get("games", 0)], np.int64)
        self.seconds: float = training.get("seconds", 0.0)
        self._note()

    @classmethod
    def resume(cls, network: NTupleNetwork, *, num_threads: int = 1) -> Self:
        """A Trainer that goes on with a network, which it changes, by the seed, batch and other numbers of its card.

        Raises:
            ValueError: the card does not tell them.
        """
        numbers = {"batch": 1, "look_ahead": False} | network.training
        for name in ("seed", "batch", *Learning._fields):
            if type(numbers.get(name)) not in _KINDS.get(name, (int, float)):
                raise ValueError(
                    f"the network's card does not tell the {name} of its training: {short(network.training)}"
                )
        options = {name: numbers[name] for name in ("batch", *Learning._fields)}
        return cls(network.size, numbers["seed"], network=network, num_threads=num_threads, **options)

    @property
    def games(self) -> int:
        """How many games the network has learned from."""
        return int(self._played[0])

    def run(self, *, seconds: float | None = None, games: int | None = None) -> int:
        """Play and learn for some time or some games, whichever ends first; returns the number of games played.

        The time to compile, once in a process, does not count. Call it again to go on. After a Ctrl-C, too, what was
        learned stays.

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
        """Play and learn from the next games: with several threads, of one batch."""
        black, white = (np.uint64(discs) for discs in bitboard.STARTS)
        tables, learning, records, threads = self.network.tables, self._learning, self._records, self._workers.count
        if threads == 1:
            train(self._key, self._played, games, black, white, tables, self._errors, learning, records)
            return
        first = np.int64(self.games)

        def share(k: int) -> None:
            # Always the same places of the records, so that what an interrupt left running meets nobody else's.
            play(self._key, first, games, k, threads, black, white, tables, learning, records)

        self._workers.run(share)
        learn(self._played, games, tables, self._errors, learning, records)

    def _note(self) -> None:
        """Write into the network where its weights come from."""
        self.network.training |= {
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "batch": self.batch,
            **self._learning._asdict(),
        }
