"""Games as GIF: each file has every position of its game."""

import io

import numpy as np
import pytest
from PIL import Image

from othello_env import Othello, drawing
from othello_env.drawing.replay import gif, positions
from othello_env.games.checkers.position import Checkers
from othello_env.games.game import IllegalActionError
from othello_env.games.tribolo.position import Tribolo

GAMES = (Othello(6), Checkers(), Tribolo(seed=1))


def played(start, plies=5):
    states = [start]
    for _ in range(plies):
        states.append(states[-1].play(states[-1].legal_actions()[0]))
    return states


def test_a_gif_refuses_times_that_it_cannot_store():
    assert gif([Othello(4)], cell=8, seconds=163)
    for seconds in (163.5, -1, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="seconds must be 0 to 163, not "):
            gif([Othello(4)], seconds=seconds)


@pytest.mark.parametrize("draw", [drawing.svg, drawing.pixels, lambda game, cell: gif([game], cell)])
def test_the_side_of_a_square_has_a_range(draw):
    for game in (Othello(4), Checkers(), Tribolo(seed=1)):
        assert len(draw(game, 8))
    for cell in (-5, 0, 1, 7, 513):
        with pytest.raises(ValueError, match=f"cell must be 8 to 512, not {cell}"):
            draw(Othello(4), cell)
    with pytest.raises(TypeError, match="cell must be a whole number"):
        draw(Othello(4), 20.5)


@pytest.mark.parametrize("start", GAMES, ids=lambda s: type(s).__name__)
def test_a_gif_shows_each_position(start):
    states = played(start)
    with Image.open(io.BytesIO(gif(states, cell=24))) as image:
        assert image.n_frames == len(states)
        for i, state in enumerate(states):
            image.seek(i)
            shown = np.asarray(image.convert("RGB"), int)
            # Pixels are 0 to 255. The GIF has few colours, so small parts, such as the last move's mark, may differ.
            assert np.abs(shown - drawing.pixels(state, 24)).max() < 32
        assert image.info["duration"] == 2800


def test_positions_of_a_game():
    end = Othello.from_moves("f5d6c3")
    states = positions(end, Othello())
    assert states[-1] == end
    assert len(states) == 4
    with pytest.raises(IllegalActionError):
        positions(end, Othello(6))
