"""Properties of positions, compared with the slow twin. Some of the positions cannot be reached by play."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env import IllegalActionError, NotationError, Othello

pytestmark = pytest.mark.nojit


@given(data=st.data())
def test_rules_agree_with_the_twin(data, positions, twin):
    state = data.draw(positions())
    slow = twin.from_state(state)
    legal = slow.legal_actions()
    assert state.legal_actions() == tuple(legal)
    assert state.is_over == slow.is_over()
    assert state.must_pass == (legal == [state.pass_action])
    assert [state.mobility(player) for player in (0, 1)] == [len(slow.squares(player)) for player in (0, 1)]
    assert state.discs() == state.scores() == (slow.count(0), slow.count(1))
    assert state.placed == slow.count(0) + slow.count(1)
    for action in legal:
        after, slow_after = state.play(action), slow.play(action)
        assert after.to_text() == slow_after.to_text()
        assert after.to_move == slow_after.to_move
        assert after.legal_actions() == tuple(slow_after.legal_actions())
        assert after.is_over == slow_after.is_over()
        assert after.moves == (*state.moves, action)


@given(data=st.data())
def test_results_agree_with_the_twin(data, positions, twin):
    state = data.draw(positions())
    margin = twin.from_state(state).margin()
    assert state.margins() == (margin, -margin)
    assert state.returns() == (np.sign(margin), -np.sign(margin))
    assert abs(margin) <= state.largest_margin


@given(data=st.data())
def test_arrays_agree_with_the_twin(data, positions, twin):
    state = data.draw(positions())
    slow = twin.from_state(state)
    for player in (0, 1):
        planes = state.observation(player)
        expected = [[[cell == who for cell in row] for row in slow.rows] for who in (player, 1 - player)]
        assert planes.shape == state.observation_shape == (2, state.size, state.size)
        assert planes.dtype == np.int8
        assert planes.tolist() == np.array(expected, int).tolist()
        assert planes.flags.c_contiguous
    mask = state.action_mask()
    assert mask.shape == (state.num_actions,)
    assert mask.dtype == np.int8
    assert np.flatnonzero(mask).tolist() == slow.legal_actions()
    assert mask.max(initial=0) <= 1
    both = state.encode()
    assert (both[0] == state.observation(state.to_move)).all()
    assert (both[1] == mask).all()


@given(data=st.data())
def test_text_round_trips(data, positions, twin):
    state = data.draw(positions())
    text = state.to_text()
    assert text == twin.from_state(state).to_text()
    assert Othello.from_text(text, "XO"[state.to_move]) == state
    assert eval(repr(state)) == state
    rows = [line[2:] for line in str(state).splitlines()[1 : state.size + 1]]
    assert Othello.from_text("\n".join(rows), state.to_move) == state
    black, white = state.discs()
    assert f"black (X) {black}, white (O) {white}, " in str(state)


@given(data=st.data())
def test_equality_is_of_positions(data, positions):
    state = data.draw(positions())
    discs = state.own, state.opponent
    assert Othello.from_bits(*discs, state.to_move, state.size) == state
    assert Othello.from_bits(*discs, 1 - state.to_move, state.size) != state
    assert state.at(*discs, state.to_move, (1, 2, 3)) == state
    assert state != state.to_text()
    if state.size < 8:
        assert Othello.from_bits(*discs, state.to_move, state.size + 2) != state


@given(text=st.text(alphabet="abcdefghx0123456789.,- pas\n", max_size=40), size=st.sampled_from([4, 6, 8]))
def test_any_text_is_a_game_or_a_clear_error(text, size):
    try:
        state = Othello.from_moves(text, size)
    except (NotationError, IllegalActionError) as caught:
        error = str(caught)
    else:
        error = ""
        assert Othello.from_moves(state.moves, size) == state
    assert not error or error.startswith(("ply ", "expected moves on both sides of each comma"))
