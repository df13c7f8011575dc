"""The games of a tournament: their agents, openings and order."""

import itertools

import pytest

from othello_env import Checkers, Othello, Tribolo
from othello_env.arena.tournament.schedule import Schedule
from othello_env.games.registry import GameSpec, position_to_text

NAMES = ("a", "b", "c")


def test_everybody_plays_each_opening_against_everybody_with_both_colours():
    games = list(Schedule(NAMES, games=6, seed=3))
    assert len(games) == len(Schedule(NAMES, games=6)) == 3 * 6
    met = [(game.opening.number, *game.agents) for game in games]
    assert met == [(n, *pair) for n in range(3) for pair in ["ab", "ba", "ac", "ca", "bc", "cb"]]
    for game in games:
        assert game.start == game.opening.start == Othello.from_moves(game.opening.moves)
        assert len(game.opening.start.moves) == 10
    assert len({game.opening.start for game in games}) == 3
    assert len({game.key for game in games}) == len(games)


def test_only_near_agents_meet_if_so_asked():
    near = Schedule(("a", "b", "c", "d"), games=2, near=2)
    assert [game.agents for game in near] == [
        *itertools.permutations("ab"), *itertools.permutations("ac"), *itertools.permutations("bc"),
        *itertools.permutations("bd"), *itertools.permutations("cd"),
    ]  # fmt: skip
    assert len(near) == 10
    everybody = {game.agents: game.key for game in Schedule(("a", "b", "c", "d"), games=2)}
    assert all(game.key == everybody[game.agents] for game in near)


def test_a_gauntlet_is_the_first_agents_part():
    gauntlet = Schedule(NAMES, games=4, gauntlet=True)
    assert len(gauntlet) == 8
    assert list(gauntlet) == [game for game in Schedule(NAMES, games=4) if "a" in game.agents]


def test_three_players_rotate_their_seats():
    games = list(Schedule(("a", "b", "c", "d"), games=6, openings="random:3", game="tribolo"))
    assert len(games) == len(Schedule(("a", "b", "c", "d"), games=6, game="tribolo")) == 4 * 6
    assert [game.agents for game in games[:3]] == [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    assert games[0].opening.start != games[-1].opening.start
    for game in games:
        start = GameSpec("tribolo").position(*game.opening.position)
        assert start.play_transcript(game.opening.moves) == game.opening.start


def test_openings_are_written_down():
    played = Othello.from_moves("f5d6")
    board = Othello.from_text("-" * 27 + "OX------XO" + "-" * 27, "O")
    schedule = Schedule(("a", "b"), games=8, openings=("f5f6", played, board, board.play_transcript("c5")))
    openings = [game.opening for game in schedule][::2]
    assert [(o.position, o.moves) for o in openings[:2]] == [(None, "f5 f6"), (None, "f5 d6")]
    assert openings[2].position == (board.to_text(), "white")
    for opening, start in zip(openings, [Othello.from_moves("f5f6"), played, board], strict=False):
        assert opening.start == start
    assert openings[3].moves == ""
    assert GameSpec().position(*openings[3].position) == board.play_transcript("c5")


@pytest.mark.parametrize(("game", "games"), [("othello:size=6", 200), ("tribolo", 67 * 3)])
def test_the_usual_number_of_games_is_right_for_every_game(game, games):
    players = GameSpec.parse(game).num_players
    schedule = Schedule(("a", "b", "c"), game=game)
    assert len(schedule) == games * (3 if players == 2 else 1)
    assert schedule.num_openings == games // players
    assert len(next(iter(schedule)).agents) == players


def test_a_game_may_begin_at_a_state():
    """The usual start is the same game as its name, and another position is written down."""
    begin = Checkers(6).play_transcript("6-9")
    for game, start in (("othello:size=6", Othello(6)), ("checkers", Checkers())):
        assert list(Schedule(NAMES, 6, "random:4", game=game)) == list(Schedule(NAMES, 6, "random:4", game=start))
    for state in (Othello.from_moves("f5d6"), begin, Tribolo(seed=7)):
        games = list(Schedule(NAMES, 6, "random:3", seed=1, game=state))
        assert {game.opening.position for game in games} == {position_to_text(state)}
        for game in games:
            assert game.start == state.play_names(game.opening.moves)
            assert len(game.start.moves) == len(state.moves) + 3
    opening = next(iter(Schedule(NAMES, 6, [begin.play_transcript("13-10")], game=begin))).opening
    assert (opening.position, opening.moves) == (None, "6-9 13-10")
