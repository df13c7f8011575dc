"""Tribolo and checkers as text and pixels, and every game as SVG."""

from xml.etree import ElementTree

import numpy as np
import pytest

from othello_env import Checkers, Othello, Tribolo, drawing
from othello_env.games.openings import random_opening

pytestmark = pytest.mark.nojit

SVG = "{http://www.w3.org/2000/svg}"


def test_tribolo_as_text():
    state = Tribolo.from_text("--RB-/-GRB#/-----", to_move="blue").play_transcript("b1")
    assert drawing.text(state).splitlines() == [
        "    a  b  c  d  e",
        " 1  - [B] B  B  -",
        " 2  +  G  R  B  #",
        " 3  -  -  -  -  -",
        "blue (B) 4, red (R) 1, green (G) 1; red to move",
        "+ legal, [ ] last move",
    ]


def test_checkers_as_text():
    state = Checkers.from_text("B:W15,22,32,K5:B11,K1").play_transcript("11x18")
    assert drawing.text(state).splitlines() == [
        " 1     R     -     -     -",
        " 5  W     -     -     -",
        " 9     -     -    [-]    -",
        "13  -     -     -     -",
        "17     -    [r]    -     -",
        "21  -     w     -     -",
        "25     +     -     -     -",
        "29  -     -     -     w",
        "red (r) 2, white (w) 3; red must continue with 18",
        "+ legal, [ ] last move",
    ]


FORCED = Othello.from_text("XXO-" + "----" * 3, to_move="O")


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (Othello(), "black (X) 2, white (O) 2; black to move"),
        (FORCED.play(FORCED.pass_action), "black (X) 2, white (O) 1; white passed, black to move"),
        (FORCED.play(FORCED.pass_action).play_transcript("d1"), "black (X) 4, white (O) 0; game over: black wins"),
        (Othello.from_text("XXOO" * 4), "black (X) 8, white (O) 8; game over: draw"),
        (Checkers.from_text("B:W32:B"), "red (r) 0, white (w) 1; game over: white wins"),
        (Tribolo.from_text("B/R/G"), "blue (B) 1, red (R) 1, green (G) 1; game over: draw"),
        (Tribolo.from_text("BB/RR/G#"), "blue (B) 2, red (R) 2, green (G) 1; game over: blue and red share the win"),
    ],
)
def test_the_status_names_a_pass_and_the_result(state, status):
    assert status in drawing.text(state).splitlines()


def games(start, n):
    state = start
    for ply in range(n):
        if state.is_over:
            return
        yield state
        state = state.play(state.draw_action(7, ply))


@pytest.mark.parametrize(
    "start",
    [Othello(4), Othello(), Checkers(), Checkers(6), Tribolo(1), Tribolo(2, width=5, height=4, cells=2, walls=2)],
)
def test_svg_has_a_piece_for_each_piece_and_a_crown_for_each_king(start):
    for state in list(games(start, 120))[:: 1 if isinstance(start, Othello) else 10]:
        root = ElementTree.fromstring(drawing.svg(state))
        circles = [element.attrib for element in root.iter(f"{SVG}circle")]
        shaded = [circle["fill"] for circle in circles if circle["fill"].startswith("url(")]
        gradients = {element.attrib["id"] for element in root.iter(f"{SVG}radialGradient")}
        counts = sorted(shaded.count(f"url(#{name})") - 1 for name in gradients)
        assert counts == sorted(state.scores())
        kings = sum(piece[1] for piece in state.pieces() if piece) if isinstance(state, Checkers) else 0
        assert len(list(root.iter(f"{SVG}polygon"))) == kings
        texts = [element.text for element in root.iter(f"{SVG}text")]
        if isinstance(state, Checkers):
            assert [t for t in texts if t and t.isdecimal()][: state.size**2 // 2] == [
                str(number + 1) for number in range(state.size**2 // 2)
            ]
        if isinstance(state, Othello):
            dots = [circle for circle in circles if circle.get("fill-opacity") == "0.55"]
            assert len(dots) == sum(action != state.pass_action for action in state.legal_actions())
            assert texts[: 2 * state.size] == [*"abcdefgh"[: state.size], *"12345678"[: state.size]]
            assert [int(text) for text in texts[2 * state.size : -1] if text] == list(state.discs())


def colour(picture, row, column, cell, columns, off=0.2):
    margin = (picture.shape[1] - columns * cell) // 2
    return picture[int(margin + (row + 0.5 + off) * cell), int(margin + (column + 0.5 + off) * cell)].astype(int)


def test_pixels_show_each_cell_of_tribolo():
    state = random_opening(Tribolo(4), 60, 1)
    picture = drawing.pixels(state, 40)
    rows = state.to_text().split("/")
    for row in range(state.height):
        for column in range(state.width):
            red, green, blue = colour(picture, row, column, 40, state.width)
            letter = rows[row][column]
            if letter in "BRG":
                assert max(red, green, blue) == {"B": blue, "R": red, "G": green}[letter]
                assert max(red, green, blue) > 1.5 * min(red, green, blue)
            else:
                assert (red > 180) == (letter == "-")


def test_pixels_show_each_square_of_checkers():
    for state in list(games(Checkers(), 80))[::8]:
        picture = drawing.pixels(state, 40)
        assert picture.dtype == np.uint8
        pieces = state.pieces()
        for row in range(8):
            for column in range(8):
                red, green, blue = colour(picture, row, column, 40, 8)
                if (row + column) % 2 == 0:
                    assert min(red, green, blue) > 180, "a light square"
                    continue
                piece = pieces[row * 4 + column // 2]
                if piece is None:
                    assert green > 1.5 * red, "a dark square"
                elif piece[0] == 0:
                    assert red > 1.5 * green
                else:
                    assert min(red, green, blue) > 150
