"""The packaged list of balanced openings."""

from itertools import islice

import pytest

from othello_agents.engine import Engine
from othello_env import Othello
from othello_env.arena.openings import BALANCED, balanced_openings, find_openings
from othello_env.arena.tournament.schedule import Schedule
from othello_env.games.othello.symmetries import COUNT, transform_observation


def test_they_are_8_plies_deep_and_different_under_symmetry():
    seen = set()
    for transcript in balanced_openings():
        state = Othello.from_moves(transcript)
        assert len(state.moves) == 8
        assert not state.is_over
        planes = state.observation(state.to_move)
        mirrored = {transform_observation(planes, k).tobytes() for k in range(COUNT)}
        assert not mirrored & seen
        seen |= mirrored
    assert len(balanced_openings()) == 500


def test_they_are_closer_to_even_than_random_ones():
    """The openings are evaluated with a different depth than the depth that chose them."""
    engine = Engine(depth=6)
    chosen = [abs(engine.analyse(Othello.from_moves(moves)).score) for moves in balanced_openings()[:40]]
    drawn = find_openings("random:8", lambda _: Othello())
    others = [abs(engine.analyse(drawn.draw(key)).score) for key in range(40)]
    assert sum(chosen) < sum(others) / 3


def test_matches_and_tournaments_take_them_in_turn():
    first = [Othello.from_moves(moves) for moves in balanced_openings()[:3]]
    games = Schedule(("a", "b"), 1002, BALANCED)
    assert [game.start for game in islice(games, 6)][::2] == first
    again = [games.game(number, ("a", "b")).start for number in (499, 500)]
    assert again == [Othello.from_moves(balanced_openings()[499]), first[0]]


def test_they_need_an_8x8_board():
    with pytest.raises(ValueError, match="balanced-v0 are for Othello on 8x8"):
        find_openings(BALANCED, lambda _: Othello(6))
