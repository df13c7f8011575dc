"""Perfect play: all positions of 4x4, late positions of 6x6 against the engine's solver, the agent and its book."""

import random

import numpy as np
import pytest

from othello_agents.engine import exact_scores
from othello_agents.engine.evaluator import ntuple_evaluator, set_root
from othello_agents.engine.memory import LIMIT, NO_LIMIT, NODES, ROOT, clear, new_memory
from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.network import layout
from othello_agents.perfect import Book, Perfect
from othello_agents.perfect.book import mirror_images, shipped_book
from othello_agents.perfect.solving import MOBILITY, SOLVER, SORTING, Solver, score_4x4, solve_deep
from othello_env import Othello, make_agent
from othello_env.games.othello import symmetries


@pytest.fixture(scope="module")
def solver():
    return Solver(16)


def reachable(state):
    """All positions that can arise, including the start and finished games."""
    seen, todo = set(), [state]
    while todo:
        each = todo.pop()
        if each not in seen:
            seen.add(each)
            todo += [each.play(action) for action in each.legal_actions()]
    return seen


@pytest.mark.slow
def test_all_positions_of_4x4_are_solved():
    positions = reachable(Othello(4))
    assert len(positions) == 62_789  # with forced passes and finished games; mirror images count separately
    assert score_4x4(Othello(4)) == -10  # White wins 11 to 3, and the winner gets the two empty squares
    for state in random.Random(1).sample(sorted(positions, key=lambda state: (state.own, state.opponent)), 2_000):
        if not state.is_over:  # the best move keeps the score
            assert score_4x4(state) == max(-score_4x4(state.play(action)) for action in state.legal_actions())
        else:
            assert score_4x4(state) == state.margins()[state.to_move]


def test_the_deep_search_is_exact_however_it_sorts(random_position):
    """Call the deep search directly, with random weights and other numbers in `SORTING`. No score may change."""
    rng = np.random.default_rng(3)
    weights = rng.normal(0, 0.1, (2, layout(6).weights)).astype(np.float32)
    evaluator, memory = ntuple_evaluator(NTupleNetwork(6, 2, weights).tables), new_memory(4)
    for key in range(60):
        state = random_position(key, 8 + key % 3, 6)
        if state.must_pass:
            continue
        sorting = SORTING.copy()
        sorting[:SOLVER] = key % 4
        sorting[SOLVER], sorting[MOBILITY] = 4 + key % 3, key % 7
        clear(memory)
        empty = 36 - sum(state.discs())
        memory.control[NODES], memory.control[LIMIT], memory.control[ROOT] = 0, NO_LIMIT, empty
        own, opponent = np.uint64(state.own), np.uint64(state.opponent)
        score = int(np.nanmax(exact_scores([state])))
        for alpha, beta in ((-37, 37), (score - 1, score + 1), (score, score + 2), (score - 2, score)):
            set_root(own, opponent, empty, evaluator)
            found = solve_deep(own, opponent, np.int64(alpha), np.int64(beta), evaluator, memory, sorting)
            if alpha < score < beta:
                assert found == score
            else:
                assert found >= beta if score >= beta else found <= alpha


def test_a_guess_changes_no_score_and_the_action_has_it(solver, random_position):
    for key in range(24):
        state = random_position(key, 15 if key < 6 else key % 8 or 1, 6)
        row = exact_scores([state])[0]
        assert solver.score(state) == np.nanmax(row)
        if state.must_pass:
            continue
        for guess in (-36, -4, 0, 12, 36):
            score, action = solver.solve(state, guess=guess)
            assert score == np.nanmax(row) == row[action]


def test_the_agent_keeps_the_score_to_the_end_of_the_game(random_position):
    agent = make_agent("perfect")
    for size, empty in ((4, 9), (6, 12)):
        state = random_position(2, empty, size)
        score, player = agent.score(state), state.to_move
        while not state.is_over:
            state = state.play(agent.act(state))
        assert state.margins()[player] == score == agent.score(state) * (1 if state.to_move == player else -1)


def test_a_forced_pass(random_position):
    state = next(s for s in (random_position(key, 8, 6) for key in range(200)) if s.must_pass)
    agent = Perfect()
    assert agent.act(state) == state.pass_action
    assert agent.score(state) == -agent.score(state.play(state.pass_action))
    assert agent.action_values(state) == {state.pass_action: agent.score(state)}


START = {"black": -4, "white": 4}
"""Each player's exact score on 6x6: White wins 20 to 16 (Joel Feinstein, 1993)."""


def empty(state):
    return 36 - sum(state.discs())


def states_of(book):
    return [Othello.from_bits(*key, 0, 6) for key in book.keys()]  # noqa: SIM118 - a book is no dict


def mirror(state, symmetry):
    return Othello.from_bits(*mirror_images(state.own, state.opponent)[symmetry], state.to_move, 6)


@pytest.fixture(scope="module")
def book():
    return shipped_book()


def test_the_known_result_of_the_game(book):
    assert book.find(Othello(6))[0] == START["black"]
    first = Othello(6).play(Othello(6).legal_actions()[0])
    assert book.find(first)[0] == START["white"]
    # Black's scores after White's three replies.
    replies = {book.find(first.play(action))[0] for action in first.legal_actions()}
    assert replies == {-4, -2, 20}


def test_a_best_move_keeps_the_score(book):
    """The score of a position agrees with the book's scores of the positions after its moves."""
    solver = Solver(64)
    fewest = min(map(empty, states_of(book)))
    late = [state for state in states_of(book) if empty(state) == fewest]
    for state in random.Random(0).sample(late, 1):
        score, action = book.find(state)
        assert -solver.score(state.play(action), guess=-score) == score
        assert solver.solve(state)[0] == score
    for state in states_of(book):
        score, action = book.find(state)
        for other in state.legal_actions():
            after = state.play(other)
            sign = 1 if after.must_pass else -1
            known = book.find(after.play(after.pass_action) if after.must_pass else after)
            if known is not None:
                assert sign * known[0] <= score
                assert sign * known[0] == score or other != action


def test_mirror_images_are_answered_alike(book):
    for state in random.Random(1).sample(states_of(book), 50):
        score, action = book.find(state)
        for symmetry in range(symmetries.COUNT):
            other = mirror(state, symmetry)
            found, move = book.find(other)
            assert found == score
            # If a position is its own mirror image, several images of a move are equally good. Any of them is right.
            images = {mirror(state.play(action), k).own for k in range(symmetries.COUNT)}
            assert other.play(move).own in images


def follow(book, follower, key):
    """Play the book's moves for the player `follower` and random moves for the other player.

    The game goes on while the book covers the position. Return the last position, and the scores that the book gave.
    """
    rng, state, scores = random.Random(key), Othello(6), []
    while not state.is_over and empty(state) > book.covers[Othello.player_names[follower]]:
        if state.must_pass or state.to_move != follower:
            state = state.play(rng.choice(state.legal_actions()))
        else:
            score, action = book.find(state)
            scores.append(score)
            state = state.play(action)
    return state, scores


@pytest.mark.parametrize("follower", [0, 1])
def test_it_answers_every_random_opponent_and_its_score_never_falls(book, follower):
    name = Othello.player_names[follower]
    assert name in book.covers
    for key in range(60):
        _, scores = follow(book, follower, key)
        assert scores[0] == START[name]
        assert scores == sorted(scores)  # the other player's errors can only raise the score


@pytest.mark.parametrize("follower", [0, 1])
def test_no_random_opponent_scores_above_the_game(book, follower):
    """Play whole games: first by the book, then by the search."""
    agent, rng = Perfect(), random.Random(5)
    for key in range(2):
        state, scores = follow(book, follower, key)
        while not state.is_over:
            state = state.play(agent.act(state) if state.to_move == follower else rng.choice(state.legal_actions()))
        assert state.margins()[follower] >= scores[-1] >= START[Othello.player_names[follower]]


def test_a_book_is_read_as_it_was_written(solver, random_position, tmp_path):
    file, book = tmp_path / "a.npz", Book(covers={"black": 7})
    for state in (random_position(0, 8, 6), random_position(1, 9, 6)):
        book.add(state, *solver.solve(state))
    book.save(file)
    again = Book.load(file)
    assert (again.keys(), again.covers) == (book.keys(), {"black": 7})
    for state in states_of(book):
        assert again.find(state) == book.find(state)
    assert again.find(Othello(6)) is None
    assert again.find(Othello(4)) is None
    Book().save(file)
    assert len(Book.load(file)) == 0
