"""Games in notations of other programs, links that contain a game, and the names of openings."""

import re

import pytest

from othello_env import Othello
from othello_env.data.formats import ggf
from othello_env.data.games import Games
from othello_env.games.registry import position_to_text
from othello_env.games.tribolo.position import Tribolo
from othello_env.page.messages import PageGame, Position
from othello_env.page.opening_names import OPENING_NAMES, opening_name
from othello_env.page.texts import read_text

EMPTY = PageGame("othello", seed=7)
TIGER = Othello.from_moves("f5d6c3d3c4")
PASSING = Othello.from_moves("a2a3d4c1a1c4a4b1b4", size=4)  # white has no move now


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[2]SZ[8];B[f5];W[d6];B[c3];W[d3];B[c4])",
        "(;GM[2] ;B[fe]\n;W[df];B[cc];W[dc];B[cd])",
        "(;FF[4]GM[2]PB[a [\\]b]C[a note; W[a1\\]];B[f5]C[)];W[d6](;B[c3];W[d3];B[c4])(;B[e6]))",
    ],
)
def test_sgf_is_read_as_its_main_line(text):
    agents = ("a []b", "") if "PB" in text else ()
    assert read_text(EMPTY, text) == PageGame("othello", 7, None, TIGER.moves, agents)


def test_sgf_of_a_smaller_board_with_a_pass_left_out_or_written():
    moves = ["a2", "a3", "d4", "c1", "a1", "c4", "a4", "b1", "b4"]
    colours = [f";{'BW'[i % 2]}[{move}]" for i, move in enumerate(moves)]
    last = PASSING.play(PASSING.pass_action).legal_actions()[0]
    name = PASSING.action_to_text(last)
    for passing in ("", ";W[]", ";W[tt]", ";W[pass]"):
        text = f"(;GM[2]SZ[4]{''.join(colours)}{passing};B[{name}])"
        read = read_text(EMPTY, text)
        assert (read.game, read.moves) == ("othello:size=4", (*PASSING.moves, PASSING.pass_action, last))


def test_sgf_with_a_position():
    text = "(;GM[2]AB[d4][e5][f5]AW[e4]AB[d5]PL[W];W[c6])"
    read = read_text(EMPTY, text)
    start = Othello.from_text("-" * 27 + "XO------XXX" + "-" * 26, "O")
    assert read.position == Position(*position_to_text(start))
    assert read.moves == (start.action_from_text("c6"),)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("(;GM[1];B[dd])", "expected a game of Othello"),
        ("(;GM[2];W[f5])", "the other side's turn"),
        ("(;GM[2];B[f5];W[a1])", "is not legal for white"),
        ("(;GM[2];B[zz])", "expected a square"),
        ("(;GM[2]SZ[10];B[f5])", "size 4, 6 or 8"),
        ("(;GM[2];B[f5", "expected a property"),
        ("(;GM[2];B[f5]", "expected )"),
        ("(;GM[Othello]PB[a]", "expected a tag"),
    ],
)
def test_broken_sgf_and_ggf_are_errors(text, part):
    with pytest.raises(ValueError, match=re.escape(part)):
        read_text(EMPTY, text)


def test_ggf_is_read_and_several_games_are_an_error():
    text = ggf.dump(Games.from_states([TIGER]))
    assert read_text(EMPTY, text) == PageGame("othello", 7, None, TIGER.moves)
    named = text.replace("(;GM[Othello]", "(;GM[Othello]PB[Ann]PW[Bob]")
    assert read_text(EMPTY, named).agents == ("Ann", "Bob")
    with pytest.raises(ValueError, match="expected one game, got 2"):
        read_text(EMPTY, text + text)


@pytest.mark.parametrize(
    ("link", "moves"),
    [
        ("http://127.0.0.1:8750/#game=othello&moves=f5d6c3d3c4&ply=2", TIGER.moves),
        ("https://example.org/view?id=17&moves=f5d6c3d3c4", TIGER.moves),
        ("https://example.org/games/F5D6C3D3C4", TIGER.moves),
        ("https://example.org/#f5%20d6", TIGER.moves[:2]),
    ],
)
def test_links_are_read(link, moves):
    assert read_text(EMPTY, f" {link}\n").moves == moves


def test_a_link_with_a_position_and_one_with_a_seed():
    board, player = position_to_text(TIGER)
    read = read_text(EMPTY, f"http://x/#game=othello&position={board}&player={player}&moves=b3&ply=1")
    assert read.start() == TIGER
    assert read.moves == (TIGER.action_from_text("b3"),)
    fen = "B:W18,26,32:B14,1"
    read = read_text(EMPTY, f"http://x/#game=checkers&position={fen}&player=red&moves=14x23x30")
    assert len(read.moves) == 2
    state = Tribolo(seed=11)
    action = state.legal_actions()[0]
    read = read_text(EMPTY, f"http://x/#game=tribolo&seed=11&moves={state.action_to_text(action)}")
    assert (read.game, read.seed, read.moves) == ("tribolo", 11, (action,))


@pytest.mark.parametrize("game", ["tribolo", "othello:size=6", "checkers"])
def test_a_link_to_a_game_without_moves(game):
    assert read_text(EMPTY, f"http://x/#game={game}&seed=11&moves=&ply=0") == PageGame(game, 11)


@pytest.mark.parametrize(
    "link",
    [
        "https://example.org/",
        "https://example.org/?q=hello",
        "http://x/#game=chess&moves=e4",
        "http://x/#game=tribolo&seed=-1&moves=b1",
        "http://x/#" + "&".join(f"a{i}=f5" for i in range(60)),
    ],
)
def test_a_link_without_a_game_is_an_error(link):
    with pytest.raises(ValueError, match="link"):
        read_text(EMPTY, link)


def test_links_within_a_link_are_not_read():
    link = "http://a/xx"
    for _ in range(60):
        link = f"http://a/#http://a/?b={link}"
    with pytest.raises(ValueError, match="link"):
        read_text(EMPTY, link)


def test_a_long_text_that_is_almost_a_printed_board_is_an_error():
    with pytest.raises(ValueError, match="expected a square"):
        read_text(EMPTY, "a (b\n" * 800 + ") 1, " + "a" * 3900)


@pytest.mark.parametrize("moves", ["f5d6c3d3c4", "e6f4c3c4d3", "d3c5f6f5e6", "c4e3f6e6f5"])
def test_an_opening_has_its_name_in_every_symmetry_of_the_start(moves):
    assert opening_name(Othello.from_moves(moves)) == "Tiger"
    assert opening_name(Othello.from_moves(moves[:4])) == "Perpendicular"


def test_openings_are_legal_and_only_on_the_usual_board():
    for moves, name in OPENING_NAMES.items():
        assert opening_name(Othello().play_transcript(moves)) == name
    assert opening_name(Othello()) is None
    assert opening_name(Othello.from_moves("b3", size=6)) is None
