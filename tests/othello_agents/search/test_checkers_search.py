"""Alpha-beta in checkers: the kernel compared with Python, and the evaluations compared with sums made by hand."""

import random

import pytest

from othello_agents.evaluations import count, standard
from othello_agents.evaluations.boards import KING, MAN, material, positional
from othello_agents.search import checkers
from othello_agents.search.alphabeta import alphabeta
from othello_env.games.checkers.position import DRAWS, Checkers

TABLES = {"count": count, "material": material, "positional": positional}


def positions(n, seed, size=8, draws="repetition"):
    """Unfinished positions of random games, including chains of jumps and endgames."""
    rng = random.Random(seed)
    found, state = [], Checkers(size, draws)
    while len(found) < n:
        if state.is_over:
            state = Checkers(size, draws)
        if rng.random() < 0.3 or state.going:
            found.append(state)
        state = state.play(rng.choice(state.legal_actions()))
    return found


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("depth", "size"), [(1, 8), (2, 8), (3, 4), (3, 6), (3, 10), (4, 8)])
def test_the_kernel_finds_what_plain_python_does(table, depth, size):
    for draws in DRAWS:
        for state in positions(60 // depth, depth, size, draws):
            expected = alphabeta(state, depth, TABLES[table])
            assert checkers.search(state, depth, TABLES[table].pieces) == tuple(expected), f"{state!r}\n{state}"


@pytest.mark.parametrize("draws", DRAWS)
def test_the_history_counts(draws):
    start = Checkers.from_text("B:WK32,K31:BK1,K2", draws=draws)
    shuffled = start.play_transcript(["1-6", "32-28", "6-1", "28-32"][:3])
    long = start
    if draws == "40-move":
        long = start.play_transcript(["1-6", "32-28", "6-1", "28-32"] * 19 + ["1-6"])
    for state in (start, shuffled, long):
        for depth in (1, 2, 3, 4, 5):
            expected = alphabeta(state, depth, positional)
            assert checkers.search(state, depth, positional.pieces) == tuple(expected), f"{draws} {depth}\n{state}"


def test_evaluations_are_sums_over_pieces():
    state = Checkers.from_text("W:W32,K10:B1,2,K20")
    assert material(state, 0) == (2 * MAN + KING) - (MAN + KING) == MAN
    assert material(state, 1) == -MAN
    for state in positions(30, 3):
        for evaluate in (material, positional):
            assert evaluate(state, 0) == -evaluate(state, 1)
    assert positional(Checkers(), 0) == material(Checkers(), 0) == 0
    assert standard(state, 0) == positional(state, 0) != material(state, 0)


def test_both_sides_are_weighed_alike():
    # In the twin, the board is rotated by 180 degrees and the colours are exchanged. So White in the twin stands
    # as Red in the position.
    for state in positions(30, 4):
        sides = ([], [])
        for square, piece in enumerate(state.pieces()):
            if piece:
                sides[piece[0]].append(f"{'K' * piece[1]}{32 - square}")
        twin = Checkers.from_text(f"{'WB'[state.to_move]}:W{','.join(sides[0])}:B{','.join(sides[1])}")
        assert positional(twin, 1) == positional(state, 0)
