"""The packaged lists of balanced openings."""

from itertools import islice

import pytest

from othello_agents.engine import Engine
from othello_agents.evaluations.boards import MAN
from othello_agents.perfect import Perfect
from othello_agents.search.alphabeta import AlphaBeta
from othello_env import Checkers, Othello
from othello_env.arena.openings import balanced_openings
from othello_env.arena.tournament.schedule import Schedule, find_openings
from othello_env.games.othello.symmetries import COUNT, transform_observation


@pytest.mark.parametrize(
    ("name", "size", "plies", "count"),
    [("balanced-v0", 8, 8, 500), ("balanced-v1", 8, 10, 10_000), ("balanced-6x6-v0", 6, 10, 250)],
)
def test_they_have_the_same_depth_and_are_different_under_symmetry(name, size, plies, count):
    seen = set()
    for transcript in balanced_openings(name):
        state = Othello.from_moves(transcript, size)
        assert len(state.moves) == plies
        assert not state.is_over
        planes = state.observation(state.to_move)
        mirrored = {transform_observation(planes, k).tobytes() for k in range(COUNT)}
        assert not mirrored & seen
        seen |= mirrored
    assert len(balanced_openings(name)) == count


@pytest.mark.parametrize("name", ["balanced-v0", "balanced-v1"])
def test_they_are_closer_to_even_than_random_ones(name):
    """The engine searches to another depth here than in the script that chose the openings."""
    engine = Engine(depth=6)
    chosen = [abs(engine.analyse(Othello.from_moves(moves)).score) for moves in balanced_openings(name)[:40]]
    drawn = find_openings("random:8", lambda _: Othello())
    others = [abs(engine.analyse(drawn.draw(key)).score) for key in range(40)]
    assert sum(chosen) < sum(others) / 3


def test_on_6x6_they_are_draws_under_perfect_play():
    perfect = Perfect()
    assert {perfect.score(Othello.from_moves(moves, 6)) for moves in balanced_openings("balanced-6x6-v0")[::50]} == {0}


def test_in_checkers_they_are_even_for_a_search():
    search, lines = AlphaBeta(depth=8), balanced_openings("balanced-checkers-v0")
    starts = {Checkers().play_transcript(moves) for moves in lines}
    assert (len(starts), {len(start.moves) for start in starts}) == (500, {6})
    assert all(abs(search.search(start).value) <= MAN / 4 for start in list(starts)[:50])


def test_matches_and_tournaments_take_them_in_turn():
    first = [Othello.from_moves(moves) for moves in balanced_openings()[:3]]
    games = Schedule(("a", "b"), 1002, "balanced-v0")
    assert [game.start for game in islice(games, 6)][::2] == first
    again = [games.pairing(number, ("a", "b")).start for number in (499, 500)]
    assert again == [Othello.from_moves(balanced_openings()[499]), first[0]]


def test_the_seed_draws_from_the_large_list():
    """Other seeds give other openings; more games begin with those of fewer games."""
    lines = balanced_openings("balanced-v1")

    def starts(seed, games):
        schedule = Schedule(("a", "b"), games, "balanced-v1", seed)
        return [schedule.pairing(number, ("a", "b")).opening.moves.replace(" ", "") for number in range(games // 2)]

    first = starts(1, 40)
    assert first == starts(1, 60)[:20]
    assert set(first) <= set(lines)
    assert not {*first} & {*starts(2, 40)}


def test_they_are_of_their_board():
    first = Othello.from_moves(balanced_openings("balanced-6x6-v0")[0], 6)
    assert find_openings("balanced-6x6-v0", lambda _: Othello(6)).positions[0] == first
