"""Alpha-beta in checkers: the kernel compared with Python, and the evaluations compared with sums made by hand."""

import math
import random
from collections import Counter
from itertools import combinations

import pytest

from othello_agents.evaluations import count, standard
from othello_agents.evaluations.boards import KING, MAN, material, positional
from othello_agents.search import checkers
from othello_agents.search.alphabeta import alphabeta
from othello_env.games.checkers.kernels import POSITIONS
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


def solved(size):
    """For each position of two kings or one against a king: the plies until it is won (>= 0) or lost (< 0, as ~plies).

    A position of which no such number is known is a draw. Found backwards from the lost ones, without a search.
    """
    squares = range(1, size * size // 2 + 1)
    kings = [(one, *others) for one in squares for n in (1, 2) for others in combinations(squares, n)]
    texts = {
        f"{who}:WK{one}:B{','.join(f'K{k}' for k in red)}" for one, *red in kings if one not in red for who in "BW"
    }
    after, todo = {}, [Checkers.from_text(text, size=size) for text in texts]
    while todo:
        state = todo.pop()
        if (name := str(state)) not in after:
            square = 1 + POSITIONS[size].index(state.going.bit_length() - 1) if state.going else 0
            # Without the moves before, which could be repeated:
            fresh = Checkers.from_text(state.to_text(), size=size, going=square)
            following = [fresh.play(action) for action in fresh.legal_actions()]
            after[name] = [(str(each), each.to_move == fresh.to_move) for each in following]
            todo += following
    ends = {name: ~0 for name, following in after.items() if not following}
    for plies in range(1, 60):
        for name, following in after.items():
            if name not in ends and following:
                mine = [ends[next_one] if same else ~ends[next_one] for next_one, same in following if next_one in ends]
                if any(end == plies - 1 for end in mine):
                    ends[name] = plies
                elif len(mine) == len(following) and all(-plies <= end < 0 for end in mine):
                    ends[name] = ~plies
    return texts, after, ends


def test_small_endgames_are_solved():
    """Two kings win against one, except where they lose one at once; a king against a king is a draw."""
    texts, _, ends = solved(6)
    rng, checked = random.Random(2), Counter()
    for text in rng.sample(sorted(texts), 300):
        state = Checkers.from_text(text, size=6)
        end = ends.get(str(state))
        plies = None if end is None else end if end >= 0 else ~end
        for depth in range(1, 9):
            value = checkers.search(state, depth, positional.pieces)[0]
            decided = plies is not None and plies < depth
            assert value == (math.copysign(math.inf, end + 0.5) if decided else value), f"{text} {depth}"
            assert math.isinf(value) == decided, f"{text}: {end} at depth {depth}"
        checked[text.count("K"), end is None] += 1
    assert min(checked.values()) > 5, checked


@pytest.mark.parametrize(("text", "plies"), [("B:WK4:BK18,K22", 9), ("W:WK29:BK14,K15", 7)])
def test_two_kings_win_against_one_in_its_corner(text, plies):
    values = [checkers.search(Checkers.from_text(text), depth, positional.pieces)[0] for depth in (plies - 2, plies)]
    assert math.isfinite(values[0])
    assert values[1] == (math.inf if text[0] == "B" else -math.inf)
