"""Numbers on the squares: each number is on the right square, and the best number is highlighted."""

import io
import math
import re

import numpy as np
import pytest
from PIL import Image

from othello_env import Checkers, Othello, drawing
from othello_env.drawing.scene import action_path, scene_with_values

START = Othello()  # Black may choose d3, c4, f5 and e6
VALUES = {19: -0.25, 26: 0.5, 37: 0.0, 44: 0.25}


def numbers(state, values):
    return {number.place: (number.text, number.share) for number in scene_with_values(state, values).numbers}


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (VALUES, [("-0.25", 0.0), ("+0.50", 1.0), ("0", 1 / 3), ("+0.25", 2 / 3)]),
        ({19: math.inf, 26: 8, 37: -math.inf}, [("win", 1.0), ("+8", 5 / 6), ("loss", 0.0)]),
        (
            {19: 0.0249, 26: 0.0151, 37: 0.02, 44: -0.5},
            [("+0.02", 1.0), ("+0.02", 1.0), ("+0.02", 1.0), ("-0.50", 0.0)],
        ),
    ],
)
def test_each_number_is_on_its_square_and_says_how_good_it_is(values, shown):
    places = [(2, 3), (3, 2), (4, 5), (5, 4)]
    expected = {place: (text, pytest.approx(share)) for place, (text, share) in zip(places, shown, strict=False)}
    assert numbers(START, values) == expected


def test_a_picture_says_whom_its_values_are_for_and_who_passed():
    state = Othello.from_moves("f5")
    values = dict.fromkeys(state.legal_actions(), 0.5)
    assert ">values for white, to move</text>" in drawing.svg(state, values=values)
    assert ">white to move</text>" in drawing.svg(state)
    assert ">values for black, to move</text>" in drawing.svg(START, values=VALUES)
    must_pass = Othello.from_text("-OXX" * 4, "O")
    assert ">white to move</text>" in drawing.svg(must_pass, values={must_pass.pass_action: 1.0})
    after = must_pass.play(must_pass.pass_action)
    assert ">white passed, values for black, to move</text>" in drawing.svg(after, values={after.legal_actions()[0]: 1})


def test_of_two_moves_to_one_square_the_better_one_is_shown():
    game = Checkers()
    ends = [action_path(game, action)[-1] for action in game.legal_actions()]
    shared = next(end for end in ends if ends.count(end) == 2)
    values = dict.fromkeys(game.legal_actions(), 0.5)
    one, other = (action for action, end in zip(game.legal_actions(), ends, strict=True) if end == shared)
    for values[one], values[other] in ((1.5, 2.5), (2.5, 1.5)):
        assert numbers(game, values)[shared] == ("+2.50", 1.0)


@pytest.mark.parametrize(
    "values", [{0: 1.0}, {19: math.nan}, {64: 0.0}], ids=["an illegal square", "NaN", "an illegal pass"]
)
def test_bad_values(values):
    for draw in (drawing.svg, drawing.pixels):
        with pytest.raises(ValueError, match=r"expected values of the legal actions \[19, 26, 37, 44\], got "):
            draw(START, values=values)


def test_svg_has_the_numbers_in_place_of_the_dots():
    picture = drawing.svg(START, values=VALUES)
    assert re.findall(r">([+-]?[\d.]*\d)</text>", picture)[-6:-2] == ["-0.25", "+0.50", "0", "+0.25"]
    assert 'fill-opacity="0.55"' in drawing.svg(START)
    assert 'fill-opacity="0.55"' not in picture
    assert drawing.svg(START, values={}) == drawing.svg(START)


def test_pixels_show_the_better_move_in_a_stronger_colour():
    cell, margin = 60, 33
    plain, shown = drawing.pixels(START, cell).astype(int), drawing.pixels(START, cell, VALUES).astype(int)

    def change(action):  # how much the colour near the square's corner changes; no number or dot is there
        row, column = divmod(action, 8)
        y, x = margin + row * cell + 6, margin + column * cell + 6
        return np.abs(shown[y, x] - plain[y, x]).sum()

    assert change(0) == 0
    assert 0 < change(19) < change(37) < change(44) < change(26)


def test_a_replay_shows_the_values_of_each_position():
    states = drawing.positions(Othello.from_moves("f5d6"), START)
    values = [VALUES, {}, {18: 1.0, 26: 2.0}]
    with Image.open(io.BytesIO(drawing.gif(states, cell=24, values=values))) as image:
        for i, (state, each) in enumerate(zip(states, values, strict=True)):
            image.seek(i)
            shown = np.asarray(image.convert("RGB"), int)
            # Pixels are 0 to 255. The GIF has fewer colours, so its pixels may differ a little.
            assert np.abs(shown - drawing.pixels(state, 24, each)).max() < 32
    with pytest.raises(ValueError, match="expected values for 3 positions, got 2"):
        drawing.gif(states, values=values[:2])
