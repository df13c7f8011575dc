"""The placements of the patterns."""

import numpy as np
import pytest

from othello_agents.ntuple.patterns import layout, mirrors, shapes
from othello_env.games.othello.bitboard import ACTION_SQUARES

pytestmark = pytest.mark.nojit


def test_the_patterns_on_8x8_are_logistellos():
    squares = {name: "".join(sorted(map(name_of, actions))) for name, actions in shapes(8).items()}
    assert squares["edge and X-squares"] == "a1b1b2c1d1e1f1g1g2h1"
    assert squares["corner 2x5"] == "a1a2b1b2c1c2d1d2e1e2"
    assert squares["diagonal of 4"] == "e1f2g3h4"
    assert [len(actions) for actions in shapes(8).values()] == [10, 8, 8, 8, 8, 7, 6, 5, 4, 10, 9]


def name_of(action):
    return "abcdefgh"[action % 8] + str(action // 8 + 1)


def test_placements_on_8x8():
    places = layout(8)
    assert places.looked_up == 47  # 4 edges, 3 * 4 lines, 2 + 4 * 4 diagonals, 8 + 4 corners, 1 disc difference
    assert places.weights == 3 * 3**8 + 3**10 + sum(3**k for k in (8, 7, 6, 5, 4)) + 3**10 + 3**9 + 129


@pytest.mark.parametrize("size", [4, 6, 8])
def test_every_square_is_seen_and_none_off_the_board(size):
    seen = np.flatnonzero(layout(size).deltas[:, : layout(size).looked_up].any(axis=1))
    assert seen.tolist() == list(ACTION_SQUARES[size])


@pytest.mark.parametrize("size", [4, 6, 8])
def test_the_mirror_image_of_a_position_looks_up_the_mirrored_weights(size):
    places, square = layout(size), np.array(ACTION_SQUARES[size])
    rng = np.random.default_rng(size)
    for _ in range(20):
        discs = rng.integers(-1, 2, size * size)
        looked_up = []
        for shown in (discs, discs.reshape(size, size)[:, ::-1].ravel()):
            indices = places.offsets + discs_to_configurations(places, square, shown)
            looked_up.append(sorted(np.minimum(indices, mirrors(size)[indices]).tolist()))
        assert looked_up[0] == looked_up[1]
    assert (mirrors(size)[mirrors(size)] == np.arange(places.weights)).all()


def discs_to_configurations(places, square, discs):
    return (discs @ places.deltas[square].astype(np.int64))[: places.looked_up]


@pytest.mark.parametrize("size", [4, 6, 8])
def test_no_placement_is_looked_up_twice_and_configurations_fit(size):
    places = layout(size)
    looked_up = [places.deltas[:, q].tobytes() for q in range(places.looked_up)]
    assert len(set(looked_up)) == places.looked_up
    assert places.deltas.sum(axis=0, dtype=np.int64).max() <= np.iinfo(np.int16).max


def test_no_such_size():
    with pytest.raises(ValueError, match="4, 6, 8, not 7"):
        layout(7)
