"""Games in notations of other programs, and links that contain a game."""

import pytest

from othello_env import Othello
from othello_env.data.formats import ggf
from othello_env.data.games import Games
from othello_env.page.messages import PageGame
from othello_env.page.texts import read_text

EMPTY = PageGame("othello", seed=7)
TIGER = Othello.from_moves("f5d6c3d3c4")


def test_broken_ggf_is_an_error():
    with pytest.raises(ValueError, match="expected a tag"):
        read_text(EMPTY, "(;GM[Othello]PB[a]")


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


@pytest.mark.parametrize(
    "link",
    [
        "https://example.org/",
        "https://example.org/?q=hello",
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
