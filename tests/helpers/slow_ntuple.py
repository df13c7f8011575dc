"""A slow second implementation of the network's look-ups, and networks with random weights.

The second implementation takes nothing from the package but the shapes of the patterns.
"""

import numpy as np

from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.network import shapes

SIZES = (4, 6, 8)


def boards(size):
    """The eight images of the board, made by NumPy's own rotations and flips. Each is an array of square numbers."""
    board = np.arange(size * size).reshape(size, size)
    return [np.rot90(b, k).ravel() for b in (board, board[:, ::-1]) for k in range(4)]


def readings(size, squares):
    """For each placement of a pattern, a list of the orders in which symmetries of the board read its squares.

    An order is a tuple of the placement's squares.
    """
    orders = {}
    for image in boards(size):
        read = tuple(int(image[square]) for square in squares)
        orders.setdefault(frozenset(read), []).append(read)
    return list(orders.values())


def number(shown):
    """The contents of a pattern as a number in base 3, which selects the weight.

    The digits are 0 for the opponent, 1 for empty and 2 for own. The first square is the lowest digit.
    """
    return sum(digit * 3**i for i, digit in enumerate(shown))


def content(state, mover):
    return [1 if owner is None else 2 if owner == mover else 0 for owner in state.owners()]


def difference(state, mover):
    discs = state.discs()
    return discs[mover] - discs[1 - mover]


def stage_of(state, stages):
    return max(0, (sum(state.discs()) - 5) * stages // (state.size**2 - 4))


class SlowTwin:
    """Computes values by reading the board square by square."""

    def __init__(self, network):
        self.network = network

    def value(self, state, player):
        if state.is_over:
            return state.returns()[player]
        mover = 1 - state.to_move
        shown = content(state, mover)
        weights = self.network.weights[stage_of(state, self.network.stages)]
        total, start = 0.0, 0
        for squares in shapes(state.size, self.network.layout.wide).values():
            for orders in readings(state.size, squares):
                total += float(weights[start + number([shown[square] for square in orders[0]])])
            start += 3 ** len(squares)
        total += float(weights[start + state.size**2 + difference(state, mover)])
        return np.tanh(total) * (1 if player == mover else -1)


def symmetric_network(size, stages=3, seed=7, wide=False):
    """Random weights. Contents that are mirror images of each other have the same weight, as after learning."""
    weights = []
    rng = np.random.default_rng(seed)
    for squares in shapes(size, wide).values():
        k = len(squares)
        every = np.arange(3**k)[:, np.newaxis] // 3 ** np.arange(k) % 3
        orders = next(orders for orders in readings(size, squares) if set(orders[0]) == set(squares))
        images = [every[:, [squares.index(square) for square in order]] @ 3 ** np.arange(k) for order in orders]
        table = rng.normal(0, 0.1, (stages, 3**k)).astype(np.float32)
        weights.append(table[:, np.min(images, axis=0)])
    weights.append(rng.normal(0, 0.1, (stages, 2 * size**2 + 1)).astype(np.float32))
    return NTupleNetwork(size, stages, np.concatenate(weights, axis=1), wide=wide)
