"""Properties of positions, compared with the slow twin. Some of the positions cannot be reached by play."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env import Checkers, IllegalActionError, NotationError, Othello, Tribolo

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
def test_exactly_the_legal_actions_can_be_played(data, positions):
    state = data.draw(positions())
    legal = state.legal_actions()
    for action in range(state.num_actions):
        assert state.is_legal(action) == (action in legal)
        if action not in legal:
            with pytest.raises(IllegalActionError) as caught:
                state.play(action)
            message = str(caught.value)
            assert message.endswith(f"\n{state}")
            assert message.startswith(f"{state.action_to_text(action)} (action {action}) ")
            if not state.is_over:
                names = " ".join(map(state.action_to_text, legal))
                assert f"for {state.player_names[state.to_move]}; the legal moves are: {names}\n" in message
            else:
                assert "the game is over" in message


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
def test_arrays_are_copies(data, positions):
    state = data.draw(positions())
    before = state.observation(0).tolist(), state.action_mask().tolist()
    planes, mask = state.encode()
    planes[:] = 7
    assert set(mask.tolist()) <= {0, 1}
    mask[:] = 7
    assert set(planes.ravel().tolist()) == {7}
    assert (state.observation(0).tolist(), state.action_mask().tolist()) == before


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
def test_copies_are_equal_and_independent_of_identity(data, positions):
    state = data.draw(positions())
    for other in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert other == state
        assert hash(other) == hash(state)
        assert other.moves == state.moves
        assert other.legal_actions() == state.legal_actions()
        assert other.is_over == state.is_over


@given(data=st.data())
def test_equality_is_of_positions(data, positions):
    state = data.draw(positions())
    discs = state.own, state.opponent
    assert Othello.from_bits(*discs, state.to_move, state.size) == state
    assert Othello.from_bits(*discs, 1 - state.to_move, state.size) != state
    assert state.with_moves((1, 2, 3)) == state
    assert state != state.to_text()
    if state.size < 8:
        assert Othello.from_bits(*discs, state.to_move, state.size + 2) != state


@given(data=st.data())
def test_played_games_replay_from_their_moves_and_their_transcript(data, positions):
    state = data.draw(positions())
    start = Othello(state.size)
    if state.moves:
        assert Othello.from_moves(state.moves, state.size) == state
        replayed = start.play_transcript(state.transcript())
        trailing_pass = state.moves[-1] == state.pass_action
        assert (replayed.play(state.pass_action) if trailing_pass else replayed) == state
        assert replayed.moves == state.moves[: len(state.moves) - trailing_pass]
        named = [state.action_to_text(action) for action in state.moves]
        assert start.play_transcript("".join(named)) == start.play_transcript(" ".join(named).upper()) == state


@given(data=st.data())
def test_draws_are_legal_and_follow_the_key(data, positions):
    state = data.draw(positions())
    if state.is_over:
        return
    key = data.draw(st.integers(0, 2**64 - 1))
    drawn = state.draw_action(key, 3)
    assert drawn in state.legal_actions()
    # This is the general rule for any game; Othello has a faster version.
    assert drawn == super(Othello, state).draw_action(key, 3)


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


@pytest.mark.parametrize("start", [Othello(), Checkers(), Tribolo(seed=1)], ids=lambda start: type(start).__name__)
def test_a_position_of_a_subclass_is_another_position(start):
    """A subclass may have other rules, so a dict with its positions must not answer for those of the game."""
    subclass = type("Variant", (type(start),), {"__slots__": ()})
    _, arguments = start.__reduce__()[:2]
    same, other = (start.__reduce__()[0](cls, *arguments[1:]) for cls in (type(start), subclass))
    assert type(other) is subclass
    assert start == same
    assert start != other
    assert other != start
    assert other == copy.copy(other)
    assert {start: "game", other: "variant"}[same] == "game"
