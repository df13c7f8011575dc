"""Games that are played again as a batch: the same as games that are played state by state."""

import numpy as np
import pytest

from othello_env import Checkers, Othello, Tribolo
from othello_env.data import Games, examples
from othello_env.games.hashing import CHOICE, mix_int

STARTS = {
    "othello:size=4": [Othello(4), Othello(4).play_transcript("b1"), Othello.from_text("XXXXXXXXXXXXXXXX", "black")],
    "checkers:size=6": [Checkers(6), Checkers(6).play_transcript("5-8")],
    "tribolo": [Tribolo(seed=1), Tribolo(seed=2)],
}


def some_games(starts):
    """Random games, some of them unfinished: the start of each, and its actions."""
    for k in range(12):
        state = start = starts[k % len(starts)]
        while not state.is_over and (k % 3 or len(state.moves) < 9):
            state = state.play(state.draw_action(mix_int(k, state.placed), CHOICE))
        yield start, state


@pytest.mark.parametrize("game", STARTS)
def test_a_batch_plays_as_states_do(game):
    starts, finals = zip(*some_games(STARTS[game]), strict=True)
    games = Games.from_states(finals, starts, game=game)
    assert games.outcomes.over.tolist() == [final.is_over for final in finals]
    assert games.outcomes.returns.tolist() == [list(final.returns()) for final in finals]
    assert games.outcomes.margins.tolist() == [list(final.margins()) for final in finals]
    found = next(examples(games))
    before = [games.state(i, ply) for i in range(len(games)) for ply in range(games.lengths[i])]
    for k, state in enumerate(before):
        np.testing.assert_array_equal(found.observation[k], state.observation(state.to_move))
        np.testing.assert_array_equal(found.action_mask[k], state.action_mask())
        assert found.to_move[k] == state.to_move
        assert (found.game[k], found.ply[k]) == (found.game[k], len(state.moves) - len(starts[found.game[k]].moves))


@pytest.mark.parametrize("game", STARTS)
def test_the_first_illegal_action_is_found(game):
    starts, finals = zip(*some_games(STARTS[game]), strict=True)
    games = Games.from_states(finals, starts, game=game)
    actions, expected = games.actions.copy(), []
    for i, start in enumerate(starts):
        ply = int(games.lengths[i]) // 2
        if i % 2 and games.lengths[i]:
            state = games.state(i, ply)
            actions[i, ply] = next(a for a in range(start.num_actions) if not state.is_legal(a))
        expected.append(ply if i % 2 and games.lengths[i] else -1)
    changed = Games(actions, games.lengths, game, games.starts, games.start)
    assert changed.illegal().tolist() == expected


def test_no_game_goes_on_after_its_end():
    state = Othello.from_text("XXXXXXXXXXXXXXXX", "black")
    assert Games([[0]], [1], "othello:size=4", [state]).illegal().tolist() == [0]


def test_starts_under_different_rules_for_draws():
    starts = [Checkers(6), Checkers(6, "40-move")]
    finals = [start.play_transcript("5-8") for start in starts]
    assert Games.from_states(finals, starts, game="checkers:size=6").illegal().tolist() == [-1, -1]
