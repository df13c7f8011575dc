"""Perfect play: all positions of 4x4, late positions of 6x6 compared with a full search, and the agent."""

import pickle
import random

import numpy as np
import pytest

from othello_agents.engine import exact_scores
from othello_agents.engine.evaluator import ntuple_evaluator, set_root
from othello_agents.engine.memory import LIMIT, NO_LIMIT, NODES, ROOT, clear, new_memory
from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.patterns import layout
from othello_agents.perfect import Perfect, solved_4x4
from othello_agents.perfect.deep import MOBILITY, SOLVER, SORTING, solve_deep
from othello_agents.perfect.mirrors import canonical_key, mirrored
from othello_agents.perfect.small import score_4x4
from othello_agents.perfect.solving import Solver
from othello_env import Othello, WrongGameError, make_agent
from othello_env.agent import SpecError
from othello_env.games.checkers.position import Checkers
from othello_env.games.othello import symmetries
from othello_env.games.othello.position import planes_of


@pytest.fixture(scope="module")
def solver():
    return Solver(16)


def full_search(state):
    """The exact score for the player to move, from a search of every line of play."""
    if state.is_over:
        return int(state.margins()[state.to_move])
    return max(-full_search(state.play(action)) for action in state.legal_actions())


def reachable(state):
    """All positions that can arise, including the start and finished games."""
    seen, todo = set(), [state]
    while todo:
        each = todo.pop()
        if each not in seen:
            seen.add(each)
            todo += [each.play(action) for action in each.legal_actions()]
    return seen


def random_solved(key, plies):
    """A 4x4 position after random plies."""
    rng, state = random.Random(key), Othello(4)
    while not state.is_over and plies:
        state, plies = state.play(rng.choice(state.legal_actions())), plies - 1
    return state


def test_all_positions_of_4x4_are_solved():
    positions = reachable(Othello(4))
    assert len(positions) == 62_789  # with forced passes and finished games; mirror images count separately
    assert {(state.own, state.opponent) for state in positions} == set(solved_4x4())
    assert score_4x4(Othello(4)) == -10  # White wins 11 to 3, and the winner gets the two empty squares
    for state in random.Random(1).sample(sorted(positions, key=lambda state: (state.own, state.opponent)), 2_000):
        if not state.is_over:  # the best move keeps the score
            assert score_4x4(state) == max(-score_4x4(state.play(action)) for action in state.legal_actions())
        else:
            assert score_4x4(state) == state.margins()[state.to_move]


def test_4x4_against_a_full_search():
    for key in range(60):
        state = random_solved(key, 6 + key % 7)
        assert score_4x4(state) == full_search(state)


def test_a_4x4_position_that_cannot_arise_is_solved_too():
    state = Othello.from_text("XXXXOOOO----XXXX")
    assert (state.own, state.opponent) not in solved_4x4()
    assert Perfect().score(state) == full_search(state)
    assert (state.own, state.opponent) not in solved_4x4()


@pytest.mark.parametrize("empty", range(1, 9))
def test_late_6x6_positions_against_a_full_search(empty, solver, random_position):
    for key in range(8):
        state = random_position(key, empty, 6)
        assert solver.score(state) == full_search(state)


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
    for key in range(6):
        state = random_position(key, 15, 6)
        if state.must_pass:
            continue
        row = exact_scores([state])[0]
        for guess in (-36, -4, 0, 12, 36):
            score, action = solver.solve(state, guess=guess)
            assert score == np.nanmax(row) == row[action]


def test_one_small_window_shows_whether_a_score_is_exact(solver, random_position):
    for key in range(8):
        state = random_position(key, 14 + key % 4, 6)
        if state.must_pass:
            continue
        score = solver.score(state)
        assert [solver.is_score(state, score + more) for more in (-2, 0, 2)] == [False, True, False]


def test_mirror_images_on_bits_are_those_of_the_symmetries(random_position):
    for key in range(5):
        state = random_position(key, 30)
        planes = planes_of(np.array([state.own, state.opponent], np.uint64), 8)
        keys = set()
        for symmetry in range(symmetries.COUNT):
            bits = [int(mirrored(np.uint64(each), symmetry)) for each in (state.own, state.opponent)]
            expected = symmetries.transform_observation(planes, symmetry)
            assert (planes_of(np.array(bits, np.uint64), 8) == expected).all()
            found, leads = canonical_key(*bits)
            keys.add(found)
            assert found == tuple(int(mirrored(np.uint64(each), leads)) for each in bits)
        assert len(keys) == 1


def test_the_agent_keeps_the_score_to_the_end_of_the_game(random_position):
    agent = make_agent("perfect")
    for size, empty in ((4, 9), (6, 12)):
        state = random_position(2, empty, size)
        score, player = agent.score(state), state.to_move
        while not state.is_over:
            state = state.play(agent.act(state))
        assert state.margins()[player] == score


def test_its_values_are_those_of_the_exact_solver(random_position):
    agent = Perfect(hash=1)
    states = [random_position(key, 9, 6) for key in range(5)]
    assert np.array_equal(agent.exact_scores(states), exact_scores(states), equal_nan=True)
    small = [random_position(key, 7, 4) for key in range(20)]
    small = [state for state in small if not state.is_over]
    assert np.array_equal(agent.exact_scores(small), exact_scores(small), equal_nan=True)


def test_its_move_depends_only_on_the_position(random_position):
    agent, states = Perfect(), [random_position(key, 14, 6) for key in range(6)]
    first = [agent.act(state) for state in states]
    assert [agent.act(state) for state in reversed(states)] == first[::-1]
    again = pickle.loads(pickle.dumps(agent))
    assert [again.act(state) for state in states] == first


def test_a_forced_pass(random_position):
    state = next(s for s in (random_position(key, 8, 6) for key in range(200)) if s.must_pass)
    agent = Perfect()
    assert agent.act(state) == state.pass_action
    assert agent.score(state) == -agent.score(state.play(state.pass_action))
    assert agent.action_values(state) == {state.pass_action: agent.score(state)}


def test_games_that_it_does_not_play_are_refused():
    agent = Perfect()
    for call in (agent.check_game, agent.act, agent.score, agent.action_values):
        with pytest.raises(WrongGameError, match="4x4 and 6x6; 8x8 is too large"):
            call(Othello())
        with pytest.raises(WrongGameError, match="perfect plays Othello, not Checkers"):
            call(Checkers())
    with pytest.raises(ValueError, match="the game is over"):
        agent.act(Othello.from_text("X" * 36))
    assert agent.score(Othello.from_text("X" * 35 + "-")) == 36


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("perfect:hash=0", "hash must be 1 to"),
        ("perfect:hash=x", "hash must be a whole number"),
        ("perfect:depth=3", "no option depth"),
    ],
)
def test_bad_specs_are_refused(spec, message):
    with pytest.raises(SpecError, match=message):
        make_agent(spec)


def test_specs_are_understood():
    assert [repr(make_agent(spec)) for spec in ("perfect", "perfect:hash=8")] == ["perfect", "perfect:hash=8"]
    with pytest.raises(TypeError, match="hash must be a whole number"):
        Perfect(hash=2.5)
