"""Positions as text, SVG, pixels and in a window."""

import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageColor

from othello_env import Checkers, MissingExtraError, Othello, Tribolo, drawing, play_match

pytestmark = pytest.mark.nojit

SVG = "{http://www.w3.org/2000/svg}"
MIDDLE_GAME = Othello.from_moves("f5d6c3d3c4f4c5b3c2e3d2c1b2")
FORCED = Othello.from_text("XXO-" + "----" * 3, to_move="O")


def random_game(size, choices):
    state = Othello(size)
    for choice in choices:
        if state.is_over:
            break
        legal = state.legal_actions()
        state = state.play(legal[choice % len(legal)])
    return state


@pytest.mark.parametrize(
    ("state", "lines"),
    [
        (
            MIDDLE_GAME,
            [
                "    a  b  c  d  e  f  g  h",
                " 1  -  +  O  -  -  -  -  -",
                " 2  + [X] O  O  -  -  -  -",
                " 3  +  O  X  X  O  -  -  -",
                " 4  -  +  X  X  X  O  -  -",
                " 5  -  -  X  X  X  X  -  -",
                " 6  -  +  +  O  +  +  +  -",
                " 7  -  -  -  -  -  -  -  -",
                " 8  -  -  -  -  -  -  -  -",
                "black (X) 10, white (O) 7; white to move",
            ],
        ),
        (
            Tribolo.from_text("--RB-/-GRB#/-----", to_move="blue").play_transcript("b1"),
            [
                "    a  b  c  d  e",
                " 1  - [B] B  B  -",
                " 2  +  G  R  B  #",
                " 3  -  -  -  -  -",
                "blue (B) 4, red (R) 1, green (G) 1; red to move",
            ],
        ),
        (
            Checkers.from_text("B:W15,22,32,K5:B11,K1").play_transcript("11x18"),
            [
                " 1     R     -     -     -",
                " 5  W     -     -     -",
                " 9     -     -    [-]    -",
                "13  -     -     -     -",
                "17     -    [r]    -     -",
                "21  -     w     -     -",
                "25     +     -     -     -",
                "29  -     -     -     w",
                "red (r) 2, white (w) 3; red must continue with 18",
            ],
        ),
    ],
)
def test_text_shows_coordinates_last_move_legal_moves_and_counts(state, lines):
    assert drawing.text(state).splitlines() == [*lines, "+ legal, [ ] last move"]


@given(st.builds(random_game, st.sampled_from([4, 6, 8]), st.lists(st.integers(0, 30), max_size=64)))
def test_text_shows_every_square(state):
    lines = drawing.text(state).splitlines()[1 : state.size + 1]
    shown = "".join(line[3:].ljust(3 * state.size)[1::3] for line in lines)
    legal = {action for action in state.legal_actions() if action != state.pass_action}
    assert shown.replace("+", "-") == state.to_text()
    assert {place for place, sign in enumerate(shown) if sign == "+"} == legal


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


def played(start, plies):
    state = start
    for ply in range(plies):
        yield state
        if state.is_over:
            return
        state = state.play(state.draw_action(7, ply))


@pytest.mark.parametrize(
    "start",
    [Othello(4), Othello(), Checkers(), Checkers(6), Tribolo(1), Tribolo(2, width=5, height=4, cells=2, walls=2)],
)
def test_svg_and_pixels_show_what_text_shows(start):
    cell, margin, sizes = 40, 22, set()

    def place(x, y):
        return int((float(y) - margin) // cell), int((float(x) - margin) // cell)

    for state in list(played(start, 120))[:: 1 if start == Othello(4) else 10]:
        lines = drawing.text(state).splitlines()
        signs = {}
        for row, line in enumerate(lines[0 if isinstance(start, Checkers) else 1 : -1]):
            if line[:2].strip().isdigit():
                cells = line[3:].ljust(60)
                signs |= {(row, k): cells[3 * k : 3 * k + 3] for k in range(20) if cells[3 * k : 3 * k + 3].strip()}
        root, picture = ElementTree.fromstring(drawing.svg(state, cell)), drawing.pixels(state, cell)
        width, height = int(root.attrib["width"]), int(root.attrib["height"])
        assert (picture.shape, picture.dtype) == ((height, width, 3), np.uint8)
        sizes.add((width, height))
        circles = [circle.attrib for circle in root.iter(f"{SVG}circle")]
        discs = {place(c["cx"], c["cy"]): "#" + c["fill"][-7:-1] for c in circles if c["r"] == "16"}
        dots = {place(c["cx"], c["cy"]) for c in circles if c.get("fill-opacity") == "0.55"}
        marks = {place(c["cx"], c["cy"]): c["fill"] for c in circles if c["r"] == "3.4"}
        crowns = {place(*each.attrib["points"].split()[3].split(",")) for each in root.iter(f"{SVG}polygon")}
        letters = {at: sign.strip(" []") for at, sign in signs.items() if sign.strip(" []").isalpha()}
        assert discs.keys() == letters.keys()
        assert len({(letters[at].lower(), fill) for at, fill in discs.items()}) == len({*discs.values()})
        assert dots == {at for at, sign in signs.items() if "+" in sign}
        assert marks.keys() == {at for at, sign in signs.items() if "[" in sign}
        is_king = isinstance(state, Checkers)
        assert crowns == {at for at, letter in letters.items() if is_king and letter.isupper()}
        ground = {}
        for each in root.iter(f"{SVG}rect"):  # the last one that covers a square is the square
            if (each.attrib["width"], each.attrib["height"]) == ("40", "40"):
                ground[place(each.attrib["x"], each.attrib["y"])] = each.attrib["fill"]

        def away(at, colour, down=0.0, right=0.0, picture=picture):
            """How far a pixel, some part of a square from its centre, is from a colour."""
            y, x = (margin + round((k + 0.5 + off) * cell) for k, off in zip(at, (down, right), strict=True))
            return np.abs(picture[y, x].astype(int) - ImageColor.getrgb(colour)).max()

        for at, colour in ground.items():
            if at in discs:
                near = min({*discs.values()}, key=lambda fill: away(at, fill, 0.2, 0.2))
                assert (near, away(at, near, 0.2, 0.2) < 70) == (discs[at], True)
            else:
                assert away(at, colour, 0.2, 0.2) < 3
            assert (away(at, colour) > 15) == (at in discs or at in dots or at in marks)
        assert all(away(at, colour) < 25 for at, colour in marks.items())
        assert all(away(at, "#f2c14e", 0.08) < 25 for at in crowns - marks.keys())
        texts = [element.text for element in root.iter(f"{SVG}text")]
        if isinstance(state, Checkers):
            numbers = [str(number + 1) for number in range(state.size**2 // 2)]
            assert [t for t in texts if t and t.isdecimal()][: len(numbers)] == numbers
        if isinstance(state, Othello):
            assert texts[: 2 * state.size] == [*"abcdefgh"[: state.size], *"12345678"[: state.size]]
        shown = [int(text) for text in texts[-1 - len(state.scores()) : -1]]
        assert shown == [*state.scores()]
    assert len(sizes) == 1, "all pictures of a game have one size"


def test_a_record_is_drawn_by_its_last_position():
    (record, _) = play_match("random", "maximizer", games=2).records
    with pytest.raises(TypeError, match=r"there is no drawing of GameRecord; draw record.replay\(\)"):
        drawing.svg(record)
    assert drawing.svg(record.replay())


def test_a_window_shows_the_picture_and_closes(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    window = drawing.Window(fps=1000)
    window.close()  # nothing is open yet
    for state in (Othello(4), MIDDLE_GAME):
        picture = drawing.pixels(state)
        window.show(picture)
        shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
        assert (shown == picture).all()
    window.close()
    assert not pygame.display.get_init()
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'othello-env\[window\]'"):
        drawing.Window(fps=2)
