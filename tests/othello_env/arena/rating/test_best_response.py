"""The search for an opponent of a fixed policy: exact on 4x4, and a lower bound within its budget."""

import numpy as np
import pytest

from othello_env import Agent, AgentError, Othello, WrongGameError, make_agent
from othello_env.agent import Seat
from othello_env.arena import best_response, exploitability
from othello_env.games.hashing import mix_int


@pytest.mark.parametrize("spec", ["maximizer:eval=count", "random", "perfect"])
def test_with_a_large_budget_it_is_the_exploitability(spec):
    expected = exploitability(spec, seed=3)
    found = best_response(spec, size=4, budget=10**6, seed=3)
    assert found.exact
    assert (found.perfect, found.found, found.discs) == (expected.perfect, expected.worst, expected.discs)


def test_the_bound_grows_with_the_budget_and_is_reached_in_a_game():
    spec, seed, bounds = "maximizer:eval=weighted", 2, []
    for budget in (40, 400, 4000):
        found = best_response(spec, size=6, budget=budget, seed=seed)
        bounds.append(found.discs)
        assert not found.exact
        assert budget <= found.positions <= budget + 2 * 32  # the last game in each seat is finished
        for seat, (margin, moves) in enumerate(zip(found.found, found.games, strict=True)):
            player, state = Seat(make_agent(spec, seed), mix_int(seed, seat)), Othello(6)
            final = Othello.from_moves(moves, 6)
            assert final.is_over
            assert final.margins()[seat] == margin
            for action in final.moves:
                if state.to_move == seat and len(state.legal_actions()) > 1:
                    assert action == player.ask(state)
                state = state.play(action)
    assert bounds == sorted(bounds)
    assert bounds[-1] > 20
    assert best_response(spec, size=6, budget=400, seed=seed).discs == bounds[1]


def test_a_game_above_perfect_play_does_not_make_up_for_the_other_seat():
    found = best_response("maximizer:eval=count", size=6, budget=2)
    black, white = found.found  # of the same game, so that one of them is above (-4, 4)
    assert black == -white
    assert found.discs == abs(black + 4) / 2 > 0
    games = f"{black:+.0f} as black in {found.games[0]}, {white:+.0f} as white in {found.games[1]}"
    assert repr(found) == f"<BestResponse at least {found.discs} discs a game below perfect play: {games}>"


def test_what_cannot_be_searched():
    class Small(Agent):
        def act(self, state, *, seconds_left=None):
            return 0

        def check_game(self, state):
            if state.size != 4:
                raise WrongGameError("only 4x4")

    with pytest.raises(WrongGameError, match="only 4x4"):
        best_response(Small())
    with pytest.raises(AgentError, match="illegal action"):
        best_response(lambda observations, masks: np.zeros(len(masks), int), size=4)
    with pytest.raises(ValueError, match="size 4 or 6, not 8"):
        best_response("random", size=8)
    with pytest.raises(ValueError, match="budget"):
        best_response("random", budget=1)
