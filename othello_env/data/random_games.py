"""Games of random moves, played by compiled code."""

from __future__ import annotations

from operator import index

import numpy as np

from othello_env.data import kernels
from othello_env.data.games import Games
from othello_env.games.game import check_board_size
from othello_env.games.hashing import mix_int
from othello_env.games.othello import bitboard
from othello_env.support.threads import Threads

__all__ = ["random_games"]


def random_games(count: int, *, size: int = 8, seed: int = 0, first: int = 0, num_threads: int = 1) -> Games:
    """Play random games of Othello from the start. In each position, all legal actions are equally likely.

    A game depends only on the seed and on the number of the game. So ``random_games(10, first=5)`` returns the games 5
    to 14, which are also in ``random_games(15)``.

    Args:
        count: the number of games.
        size: the height and width of the board: 4, 6 or 8.
        seed: an integer of at least 0, which determines all random choices.
        first: the number of the first game, counted from 0.
        num_threads: the number of threads. The games do not depend on this number.

    Raises:
        ValueError: a number is out of range.
        TypeError: an argument is not an integer.
    """
    count, seed, first, num_threads = index(count), index(seed), index(first), index(num_threads)
    size = check_board_size(size, bitboard.SIZES)
    for name, value, least in (
        ("count", count, 0),
        ("seed", seed, 0),
        ("first", first, 0),
        ("num_threads", num_threads, 1),
    ):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, not {value}")
    numbers = np.arange(first, first + count, dtype=np.uint64)
    actions, lengths = np.empty((count, kernels.LONGEST), np.int8), np.empty(count, np.int32)
    bounds = np.linspace(0, count, num_threads + 1).astype(int).tolist()
    board, key = bitboard.BOARDS[size], np.uint64(mix_int(0, seed))

    def work(k: int) -> None:
        part = slice(bounds[k], bounds[k + 1])
        kernels.random_games(key, numbers[part], board, size, actions[part], lengths[part])

    threads = Threads(num_threads)
    threads.run(work)
    threads.close()
    return Games(actions, lengths, f"othello:size={size}")
