"""Batches of games, compared with the same games played as States."""

import numpy as np
import pytest

from othello_env import Checkers, Othello, Tribolo
from othello_env.games.batch import Outputs
from othello_env.games.batch.state import OUT_OF_RANGE, SIDE_DRAWN, UNCHECKED
from othello_env.games.checkers.batch import CheckersGames
from othello_env.games.hashing import SIDE, mix_int
from othello_env.games.openings import Openings
from othello_env.games.othello.batch import OthelloGames
from othello_env.games.tribolo.batch import TriboloGames

pytestmark = pytest.mark.nojit

N = 12
NEW = {
    "othello": (lambda n: OthelloGames(n, Othello()), lambda key: Othello()),
    "othello 4x4": (lambda n: OthelloGames(n, Othello(4)), lambda key: Othello(4)),
    "checkers": (lambda n: CheckersGames(n, Checkers()), lambda key: Checkers()),
    "checkers 10x10": (lambda n: CheckersGames(n, Checkers(10, "40-move")), lambda key: Checkers(10, "40-move")),
    "checkers 6x6": (lambda n: CheckersGames(n, Checkers(6, "threefold")), lambda key: Checkers(6, "threefold")),
    "tribolo": (lambda n: TriboloGames(n, 8, 6, 6, 3), lambda key: Tribolo(key, 8, 6, 6, 3)),
}
each_game = pytest.mark.parametrize("name", NEW)


def begun(batch, random_plies=0, side=-1, positions=()):
    """Begin all games of a batch, each with its own key. Returns how games of the batch begin."""
    pool = np.full((batch.start.num_players - 1, 1), 2**32, np.uint64)
    initial = batch.initial_arrays(
        Openings(positions or None, lambda key: batch.start, random_plies), redraws=1, side=side, pool=pool, first=0
    )
    batch.games.env_key[:] = np.arange(len(batch)) * 977
    batch.games.number[:] = np.arange(len(batch)) % 3
    batch.make_room(initial)
    assert batch.begin(np.arange(len(batch)), initial) == 0
    return initial


def outputs(batch):
    """The arrays that a step writes, and the planes and masks."""
    n, start = len(batch), batch.start
    planes, masks = np.zeros((n, *start.observation_shape), np.int8), np.zeros((n, start.num_actions), np.int8)
    scores = np.empty(n * start.num_players, np.int64)
    arrays = np.empty(n), np.empty(n, np.int8), np.empty(n, np.bool_), scores, batch.views(planes, masks)
    return Outputs(*arrays, start.num_actions), planes, masks


@pytest.mark.parametrize(
    ("name", "plies"),
    [("othello", 0), ("othello", 45), ("othello 4x4", 9), ("checkers", 30), ("tribolo", 7)],
)
def test_games_begin_as_the_openings_say(name, plies):
    new_batch, new_game = NEW[name]
    batch = new_batch(N)
    begun(batch, plies, SIDE_DRAWN)
    for i in range(N):
        key = mix_int(i * 977, i % 3)
        state = Openings.random(new_game(key), plies, key)
        assert batch.state(i) == state
        assert batch.state(i).moves == state.moves
        assert batch.games.to_move[i] == state.to_move
        assert batch.games.learner[i] == mix_int(key, SIDE) % state.num_players
        assert not batch.games.over[i]


@each_game
def test_whole_games_are_those_of_states(name):
    """Compare a batch with States that play the same moves, until each game has ended once.

    Compare all observations, masks and ends.
    """
    batch, rng = NEW[name][0](N), np.random.default_rng(0)
    initial = begun(batch)
    states = [batch.state(i) for i in range(N)]
    out, planes, masks = outputs(batch)
    reward, reward_to, terminated = out[:3]
    batch.observe(tuple(out))
    left = N
    while left:
        batch.make_room(initial)
        playing = [i for i in range(N) if states[i] is not None]
        for i in playing:
            np.testing.assert_array_equal(planes[i], states[i].observation(states[i].to_move))
            np.testing.assert_array_equal(masks[i], states[i].action_mask())
            assert out.scores.reshape(N, -1)[i].tolist() == list(states[i].scores())
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        assert batch.check(actions) == 0
        refused = batch.step(np.full(N, -1), UNCHECKED, OUT_OF_RANGE, tuple(out), True, tuple(initial), True, True)
        assert (len(refused[0].rows), refused[2] & OUT_OF_RANGE) == (0, OUT_OF_RANGE)
        ended, failed, problems = batch.step(actions, UNCHECKED, 1, tuple(out), True, tuple(initial), True, True)
        assert (failed, problems) == (0, 0)
        ends = ended.rows
        assert ends["game"].tolist() == np.flatnonzero(terminated).tolist()
        last = dict(zip(ends["game"].tolist(), range(len(ends)), strict=True))
        shown = dict(zip(last, batch.final_observations(ends), strict=True))
        for i in playing:
            mover = states[i].to_move
            states[i] = state = states[i].play(int(actions[i]))
            assert (reward_to[i], terminated[i]) == (mover, state.is_over)
            if not state.is_over:
                assert reward[i] == 0
                assert batch.state(i) == state
                continue
            final = batch.final_state(ended, last[i])
            assert final == state
            assert final.moves == state.moves
            assert ends["scores"][last[i]].tolist() == list(state.scores())
            best = max(state.returns())
            alone = state.returns().count(best) == 1
            assert ends["winner"][last[i]] == (state.returns().index(best) if alone else -1)
            assert reward[i] == state.margins()[mover]
            np.testing.assert_array_equal(shown[i], state.observation(ends["viewer"][last[i]]))
            states[i] = None
            left -= 1


@each_game
def test_positions_that_agents_are_asked_about(name):
    new_batch, _ = NEW[name]
    batch = new_batch(N)
    begun(batch, 0 if "tribolo" in name else 5, side=0)
    waiting = batch.waiting()
    positions = waiting.positions
    assert waiting.numbers.tolist() == np.flatnonzero(batch.games.to_move != 0).tolist()
    odd = positions.part(np.arange(len(positions)) % 2 == 1)
    assert [odd.state(k) for k in range(len(odd))] == [positions.state(k) for k in range(1, len(positions), 2)]
    planes, masks, drawn = positions.observations(), positions.masks(), positions.draw_actions()
    assert positions.are_legal(drawn)
    for k, i in enumerate(waiting.numbers.tolist()):
        state = positions.state(k)
        assert state == batch.state(i)
        np.testing.assert_array_equal(planes[k], state.observation(state.to_move))
        np.testing.assert_array_equal(masks[k], state.action_mask())
        assert positions.to_move[k] == state.to_move
        wrong = drawn.copy()
        wrong[k] = state.num_actions if k % 2 else int(np.argmin(masks[k]))
        assert not positions.are_legal(wrong)


def test_randomise_refuses_actions_of_another_shape():
    batch = OthelloGames(N, Othello(4))
    begun(batch, 5, side=0)
    positions = batch.waiting().positions
    for shape in (len(positions) - 1, len(positions) + 1, (len(positions), 1)):
        with pytest.raises(ValueError, match=rf"actions must be of shape \({len(positions)},\), not \("):
            positions.randomise(np.zeros(shape, np.int64), 2**31)
