"""Long runs of the classic agents score as an independent program's do."""

import math
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from othello_env import Othello, make_agent
from othello_env.games.hashing import mix_int
from othello_env.games.openings import Openings
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import OthelloBatch

EXPECTED = [
    # (one agent, the other, the first one's score, from how many games)
    ("maximizer:eval=count", "maximizer:eval=weighted", 0.171, 40_000),
    ("maximizer:eval=count", "random", 0.626, 40_000),
    ("maximizer:eval=weighted", "maximizer:eval=modified", 0.414, 40_000),
    ("maximizer:eval=weighted", "random", 0.8365, 40_000),
    ("maximizer:eval=modified", "random", 0.9055, 40_000),
    ("alphabeta:depth=4,eval=count", "alphabeta:depth=4,eval=weighted", 0.212, 1_200),
    ("alphabeta:depth=4,eval=count", "random", 0.831, 1_200),
    ("alphabeta:depth=4,eval=weighted", "alphabeta:depth=4,eval=modified", 0.445, 1_200),
    ("alphabeta:depth=4,eval=weighted", "random", 0.918, 1_200),
    ("alphabeta:depth=4,eval=modified", "random", 0.980, 1_200),
]
"""Colours swapped, from 10 random plies, a draw half a point."""


@cache
def openings(n: int) -> list[Othello]:
    states = [Openings.random(Othello(), plies=10, game_key=mix_int(11, key)) for key in range(n)]
    return [state for state in states if isinstance(state, Othello)]


def discs(sets: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    return np.asarray(np.unpackbits(sets.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1, dtype=np.int64))


def scores_of(black: str, white: str, starts: list[Othello], seed: int) -> npt.NDArray[np.float64]:
    """(N,) Black's score in each game, all games played side by side."""
    players = [make_agent(black), make_agent(white)]
    batch = OthelloBatch.from_states(starts, [mix_int(seed, game) for game in range(len(starts))])
    own, opponent, to_move, running = batch.own, batch.opponent, batch.to_move, np.arange(len(batch))
    board = bitboard.BOARDS[8]
    bits = np.array(bitboard.ACTION_BITS[8], np.uint64)
    scores = np.empty(len(batch))
    while len(running):
        for player, agent in enumerate(players):
            i = running[to_move[running] == player]
            asked = OthelloBatch(own[i], opponent[i], to_move[i], batch.key[i])
            disc = bits[agent.act_batch(asked)]
            new_own, new_opponent = asked.own.copy(), asked.opponent.copy()
            legal, reply = bitboard.advance_batch(new_own, new_opponent, disc, board)
            own[i], opponent[i], to_move[i] = new_own, new_opponent, 1 - player
            over = (legal | reply) == 0
            margin = discs(new_opponent[over]) - discs(new_own[over])
            scores[i[over]] = 0.5 + 0.5 * np.sign(margin if player == 0 else -margin)
            running = np.setdiff1d(running, i[over], assume_unique=True)
    return scores


@pytest.mark.parametrize(("one", "other", "expected", "published_games"), EXPECTED)
def test_long_runs_score_as_published(one: str, other: str, expected: float, published_games: int) -> None:
    starts = openings(5_000 if one.startswith("maximizer") else 1_000)
    as_black = scores_of(one, other, starts, seed=1)
    as_white = 1 - scores_of(other, one, starts, seed=2)
    pairs = (as_black + as_white) / 2
    error = pairs.std() / math.sqrt(len(pairs))
    published_error = math.sqrt(expected * (1 - expected) / published_games)
    assert abs(pairs.mean() - expected) < 3 * math.hypot(error, published_error), (pairs.mean(), error)
