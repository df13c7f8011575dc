"""The choice of random moves. Other tests compare the kernels of the rules: see `tests/othello_env/jax`."""

import numpy as np
import pytest

from othello_env.games.othello import bitboard
from othello_env.games.othello.batch import OthelloPositions

pytestmark = pytest.mark.nojit


def test_random_moves_are_uniform():
    # 8,000 draws among four moves: three standard deviations are 3 * sqrt(8000 * 3 / 16) = 116.
    n = 8_000
    own, opponent = (np.full(n, bits, np.uint64) for bits in bitboard.STARTS)
    positions = OthelloPositions(own, opponent, np.zeros(n, np.int8), np.arange(n, dtype=np.uint64))
    values, counts = np.unique(positions.draw_actions(), return_counts=True)
    assert values.tolist() == [19, 26, 37, 44]
    assert abs(counts - n / 4).max() < 116
