"""Positions as text, SVG, pixels and in a window."""

import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_env import MissingExtraError, Othello, drawing, play_match

pytestmark = pytest.mark.nojit

MIDDLE_GAME = Othello.from_moves("f5d6c3d3c4f4c5b3c2e3d2c1b2")
WHITE_PASSED = Othello.from_text("XXO-----" + "--------" * 7, to_move="O").play(64)


def random_game(size: int, choices: list[int]) -> Othello:
    state = Othello(size)
    for choice in choices:
        if state.is_over:
            break
        legal = state.legal_actions()
        state = state.play(legal[choice % len(legal)])
    return state


games = st.builds(random_game, st.sampled_from([4, 6, 8]), st.lists(st.integers(0, 30), max_size=64))


def test_text_shows_coordinates_last_move_legal_moves_and_counts() -> None:
    assert drawing.text(MIDDLE_GAME).splitlines() == [
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
        "+ legal, [ ] last move",
    ]


@given(games)
def test_text_shows_every_square(state: Othello) -> None:
    lines = drawing.text(state).splitlines()[1 : state.size + 1]
    shown = "".join(line[3:].ljust(3 * state.size)[1::3] for line in lines)
    legal = {action for action in state.legal_actions() if action != state.pass_action}
    assert shown.replace("+", "-") == state.to_text()
    assert {place for place, sign in enumerate(shown) if sign == "+"} == legal


def centre(picture: np.ndarray, state: Othello, action: int, cell: int, off: float = 0.0) -> np.ndarray:
    margin = (picture.shape[1] - state.size * cell) // 2
    row, column = divmod(action, state.size)
    return picture[int(margin + (row + 0.5 + off) * cell), int(margin + (column + 0.5 + off) * cell)].astype(int)


@pytest.mark.parametrize(("size", "cell"), [(4, 64), (6, 64), (8, 24)])
def test_pixels_show_each_square(size: int, cell: int) -> None:
    rng = np.random.default_rng(size)
    state = Othello(size)
    while True:
        picture = drawing.pixels(state, cell)
        assert picture.dtype == np.uint8
        for action, owner in enumerate(state.owners()):
            colour = centre(picture, state, action, cell, off=0.15)
            if owner is None:
                assert colour[1] > 1.4 * colour[0], "felt is green"
            else:
                assert colour.max() < 110 if owner == 0 else colour.min() > 180
        if state.moves and state.moves[-1] != state.pass_action:
            red, green, _ = centre(picture, state, state.moves[-1], cell)
            assert red > 1.5 * green, "the last move has a red mark"
        if state.is_over:
            break
        for action in state.legal_actions():
            if action != state.pass_action:
                inside, outside = (centre(picture, state, action, cell, off) for off in (0.0, 0.3))
                assert np.abs(inside - outside).sum() > 60, "a legal move has a dot"
        state = state.play(int(rng.choice(state.legal_actions())))


def test_pictures_of_a_game_have_one_size_that_svg_and_pixels_share() -> None:
    for states in ((Othello(), MIDDLE_GAME, WHITE_PASSED), (Othello(4), Othello.from_text("XXOO" * 4))):
        sizes = {drawing.pixels(state, 48).shape[:2] for state in states}
        for state in states:
            width, height = re.findall(r'(?:width|height)="(\d+)"', drawing.svg(state, 48))[:2]
            sizes.add((int(height), int(width)))
        assert len(sizes) == 1


def test_a_record_is_drawn_by_its_last_position() -> None:
    (record, _) = play_match("random", "maximizer", games=2).records
    with pytest.raises(TypeError, match=r"there is no drawing of GameRecord; draw record.replay\(\)"):
        drawing.svg(record)
    assert drawing.svg(record.replay())


def test_a_window_shows_the_picture_and_closes(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_without_pygame_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'othello-env\[window\]'"):
        drawing.Window(fps=2)
