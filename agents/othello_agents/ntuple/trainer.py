"""Learning by self-play."""

from __future__ import annotations

import math
import time

import numpy as np

from othello_agents.ntuple.network import NTupleNetwork
from othello_agents.ntuple.self_play import Learning, train
from othello_env.games import bitboard
from othello_env.games.hashing import mix_int
from othello_env.games.jit import interruptible

__all__ = ["Trainer"]

_CHUNK = 64


class Trainer:
    """Learns an evaluation by playing against itself: temporal differences on afterstates.

    Each move is the best one by the present evaluation, or now and then a random one; each game begins with a random
    number of random moves. In some games one player mostly grabs: it makes the move that turns the most discs. Who
    learns from its like alone never meets opponents who swamp the board, keeps few discs, and is wiped out by any
    search. After a game, each afterstate's value moves towards its TD(lambda) return; the game itself is worth the mean
    of its result (+1, 0, -1) and its margin as a part of the board. A move that was not the best does not enter the
    return of what was before it.

    Each weight learns at a rate of its own, which falls as its errors cancel out (temporal coherence learning).

    The games form one sequence that the seed determines: the same number of games gives the same weights, in whatever
    portions and however fast they were played.

    Args:
        size: of the board: 4, 6 or 8.
        seed: for everything random.
        network: one to go on with, which is changed in place. A network from a Trainer with the same seed goes on as
            if nothing had happened, but one that was saved as `half`, whose weights' own rates begin anew.
        stages: of a new network.
        rate: how far a value moves towards its return at first, as a fraction of their difference (for small values).
        trace: lambda of TD(lambda): 0 learns from the next value alone, 1 from the result alone.
        epsilon: the probability of a random move.
        random_plies: with how many random moves a game begins at most; None for two fifths of the squares to fill.
        grabbing: the probability that one of a game's players grabs discs.

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
    ) -> None:
        self.network = NTupleNetwork(size, stages) if network is None else network
        if self.network.size != size:
            raise ValueError(f"the network is for size {self.network.size}, not {size}")
        if random_plies is None:
            random_plies = 2 * (size * size - 4) // 5
        for name, number, least, most in (
            ("rate", rate, 0.0, math.inf),
            ("trace", trace, 0.0, 1.0),
            ("epsilon", epsilon, 0.0, 1.0),
            ("random_plies", random_plies, 0, math.inf),
            ("grabbing", grabbing, 0.0, 1.0),
        ):
            if not least <= number <= most:
                raise ValueError(f"{name} must be {least} to {most}, not {number}")
        self.seed = int(seed)
        self._key = np.uint64(mix_int(seed, 0))
        self._learning = Learning(float(rate), float(trace), float(epsilon), int(random_plies), float(grabbing))
        if self.network.errors is None:
            self.network.errors = np.zeros((*self.network.weights.shape, 2), np.float32)
        self._errors = self.network.errors
        training = self.network.training
        self._played = np.array([training.get("games", 0)], np.int64)
        self.seconds: float = training.get("seconds", 0.0)
        self._note()

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
            ValueError: neither is given, or one is negative.
        """
        if seconds is None and games is None:
            raise ValueError("run needs seconds or games")
        if (seconds or 0) < 0 or (games or 0) < 0:
            raise ValueError(f"seconds and games cannot be negative, got {seconds} and {games}")
        self._play(0)  # compiles, which is not training
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
        black, white = (np.uint64(discs) for discs in bitboard.STARTS)
        train(self._key, self._played, games, black, white, self.network.tables, self._errors, self._learning)

    def _note(self) -> None:
        """Write into the network where its weights come from."""
        self.network.training |= {
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            **self._learning._asdict(),
        }
