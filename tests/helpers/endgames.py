"""Positions with known values for the tests of tree searches."""

from functools import cache

from othello_env import Othello
from othello_env.games.openings import random_opening


@cache
def solved(state):
    """The result of perfect play for the player to move."""
    if state.is_over:
        return state.returns()[state.to_move]
    return max(-solved(state.play(action)) for action in state.legal_actions())


def endgames(count, empties):
    """Pairs (position, {action: value}). The positions come from random games and have `empties` empty squares.

    Only positions whose actions differ in value are taken.
    """
    found, seed = [], 0
    while len(found) < count:
        seed += 1
        state = random_opening(Othello(), 60 - empties, seed)
        if state is not None:
            values = {action: -solved(state.play(action)) for action in state.legal_actions()}
            if len(set(values.values())) > 1:
                found.append((state, values))
    return found


def forced_pass():
    """A position on 4x4 in which the player to move must pass."""
    states = (random_opening(Othello(4), plies, key) for key in range(200) for plies in (5, 6, 7))
    return next(state for state in states if state and state.must_pass)
