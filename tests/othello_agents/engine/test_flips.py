"""The discs that a move turns: the engine's kernel compared with the kernel of the rules."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_agents.engine.flips import flips
from othello_env.games.othello import bitboard
from othello_env.support.jit import kernel

BOARD = st.integers(min_value=0, max_value=2**64 - 1)


@kernel
def plain_flips(disc, own, opponent):
    return bitboard.flips(disc, own, opponent)


def assert_same(square, own, opponent):
    disc = 1 << square
    position = [np.uint64(x) for x in (disc, own & ~disc, opponent & ~own & ~disc)]
    assert flips(*position) == plain_flips(*position), (square, hex(own), hex(opponent))


@settings(max_examples=500)
@given(st.integers(0, 63), BOARD, BOARD, BOARD)
def test_any_boards(square, own, opponent, more):
    assert_same(square, own, opponent)
    assert_same(square, own & more, opponent | more)


def test_runs_of_every_length_from_every_square():
    for square in range(64):
        for end in set(range(64)) - {square}:
            assert_same(square, 1 << end, 2**64 - 1)
            assert_same(square, 0, 2**64 - 1 ^ 1 << end)  # an empty square ends the row of discs
