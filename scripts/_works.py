"""Work whose speed several scripts measure: perft, steps of many games at once, and games that Python code plays.

Perft counts all move sequences of a given length from a position.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import gymnasium
import numpy as np
from _measure import Work, timed

from othello_env import sample_legal
from othello_env.games.othello.bitboard import BOARDS, STARTS, perft

__all__ = ["VectorWork", "driven_work", "perft_work"]

T = TypeVar("T")


def perft_work(depth: int = 7) -> Work:
    """Perft from the start on one core. A unit of work is a leaf: the position at the end of a sequence.

    It plays all plies of every sequence. Other perfts only count the legal moves for the last ply, which is faster.
    """
    black, white = (np.uint64(discs) for discs in STARTS)
    return timed(lambda: float(perft(black, white, BOARDS[8], depth)))


class VectorWork:
    """Steps of N games at once in a vector environment. A unit of work is a step of one game.

    Each step returns an observation and a mask. The time to choose random actions does not count.

    Args:
        n: the number of games.
        opponent: the opponent's spec, or None for self-play.
        threads: the number of threads.
        game: ``Othello``, or the name of another game that has a vector environment.
        options: options of the environment, such as ``size``.
    """

    STAGES = 60
    """A game on 8x8 has about this number of plies. The games of a batch begin at different plies, spread evenly.

    On a smaller board, these plies are only those of the first half of a game, because many random games end early.
    """
    STEPS = 8

    def __init__(
        self, n: int, opponent: str | None = None, threads: int = 1, game: str = "Othello", **options: int
    ) -> None:
        name = f"othello_env/{game}-v0"
        self._env = gymnasium.make_vec(name, num_envs=n, opponent=opponent, copy=False, num_threads=threads, **options)
        self._rng = np.random.default_rng(0)
        self._n = n
        self._masks = self._env.reset(seed=0)[0]["action_mask"]
        size = options.get("size", 8)
        stages = self.STAGES if size == 8 else size**2 // 2 - 2
        for stage in range(min(n, stages)):
            those = np.arange(n) % stages == stage
            self._env.reset(options={"reset_mask": those, "random_plies": stage})
        for _ in range(self.STAGES):
            self._env.step(sample_legal(self._masks, self._rng))

    def __call__(self) -> tuple[float, float]:
        spent = 0.0
        for _ in range(self.STEPS):
            actions = sample_legal(self._masks, self._rng)
            began = time.perf_counter()
            self._env.step(actions)
            spent += time.perf_counter() - began
        return self.STEPS * self._n, spent

    def close(self) -> None:
        self._env.close()


def driven_work(
    begin: Callable[[int], T], choices: Callable[[T], Sequence[int]], step: Callable[[int], T], games: int = 20
) -> Work:
    """Random games that Python code plays step by step. A unit of work is a step.

    The time to choose random actions does not count.

    Args:
        begin: a function that begins a game with a seed, and returns the first observation.
        choices: a function that returns the legal actions for an observation, and no actions after the end.
        step: a function that plays an action, and returns the next observation.
        games: the number of games.
    """
    rng = np.random.default_rng(0)

    def work() -> tuple[float, float]:
        steps, spent = 0, 0.0
        for game in range(games):
            began = time.perf_counter()
            seen = begin(game)
            spent += time.perf_counter() - began
            while len(legal := choices(seen)):
                action = int(rng.choice(legal))
                began = time.perf_counter()
                seen = step(action)
                spent += time.perf_counter() - began
                steps += 1
        return steps, spent

    return work
