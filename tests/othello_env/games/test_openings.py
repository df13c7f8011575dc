"""The positions in which games begin."""

from collections import Counter

import pytest

from othello_env import Checkers, Othello
from othello_env.games.openings import Openings, random_opening

pytestmark = pytest.mark.nojit


def start(key):
    return Othello()


def test_random_plies_follow_the_key():
    openings = Openings("random:10", start)
    first = [openings.draw(key) for key in range(40)]
    assert [openings.draw(key) for key in range(40)] == first
    assert len(set(first)) > 35
    for state in first:
        assert len(state.moves) == 10
        assert not state.is_over
        assert Othello.from_moves(state.moves) == state


def test_passes_are_plies_and_finished_openings_are_drawn_again():
    openings = Openings("random:10", lambda key: Othello(4))
    states = [openings.draw(key) for key in range(200)]
    assert all(len(state.moves) == 10 and not state.is_over for state in states)
    assert any(16 in state.moves for state in states)
    assert any(random_opening(Othello(4), 10, key) is None for key in range(200))


def test_given_openings_are_all_drawn():
    given = ["f5d6c3", Othello.from_moves("f5f6"), "", "1. f5 d6"]
    openings = Openings(given, start)
    drawn = {openings.draw(key) for key in range(100)}
    assert drawn == {Othello.from_moves(opening) for opening in ("f5d6c3", "f5f6", "", "f5d6")}


def test_openings_are_drawn_by_their_weights():
    given = {"f5d6": 1, "f5f6": 0, "f5f4": 97, "f5d6c3": 2}
    openings, n = Openings(given, start), 20_000
    drawn = Counter(openings.draw(key).transcript() for key in range(n))
    for opening, weight in given.items():
        p = weight / 100
        assert abs(drawn[opening] - n * p) <= 4 * (n * p * (1 - p)) ** 0.5
    with pytest.raises(ValueError, match="openings with weights of at least 0, not all 0"):
        Openings({"f5d6": 0}, start)


def test_a_new_game_is_made_with_its_key():
    seen = []

    def new_game(key):
        seen.append(key)
        return Othello(6)

    assert Openings("random:0", new_game).draw(17) == Othello(6)
    assert seen[-1] == 17


def test_a_state_has_the_rules_of_the_start_and_a_text_takes_them():
    def new_game(key):
        return Checkers(6, draws="threefold")

    opening = new_game(0).play_transcript("6-9")
    assert Openings([opening], new_game).draw(0) == Openings(["6-9"], new_game).draw(0) == opening
    with pytest.raises(ValueError, match="expected openings for "):
        Openings([Checkers(6).play_transcript("6-9")], new_game)
