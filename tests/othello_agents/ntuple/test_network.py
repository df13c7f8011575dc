"""The evaluation and its patterns, compared with a slow twin, and its files, valid and broken."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_ntuple import SlowTwin

from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.network import layout, shapes
from othello_env import Othello
from othello_env.games.othello import symmetries

pytestmark = pytest.mark.nojit


def test_the_patterns_on_8x8_are_logistellos():
    squares = {name: "".join(sorted(map(name_of, actions))) for name, actions in shapes(8).items()}
    assert squares["edge and X-squares"] == "a1b1b2c1d1e1f1g1g2h1"
    assert squares["corner 2x5"] == "a1a2b1b2c1c2d1d2e1e2"
    assert squares["diagonal of 4"] == "e1f2g3h4"
    assert [len(actions) for actions in shapes(8).values()] == [10, 8, 8, 8, 8, 7, 6, 5, 4, 10, 9]


def test_a_wide_network_has_four_more_patterns_at_each_corner():
    more = list(shapes(8, wide=True).items())[len(shapes(8)) :]
    assert {name: "".join(sorted(map(name_of, actions))) for name, actions in more} == {
        "corner triangle": "a1a2a3a4b1b2b3c1c2d1",
        "corner diagonals": "a1a2b1b2b3c2c3c4d3d4",
        "corner 2x2 and lines 1": "a1a2a3a4a5b1b2c1d1e1",
        "corner 2x2 and lines 2": "a1a2b1b2b3b4b5c2d2e2",
    }
    assert layout(8, wide=True).looked_up == layout(8).looked_up + 4 * 4


def name_of(action):
    return "abcdefgh"[action % 8] + str(action // 8 + 1)


@settings(max_examples=100)
@given(data=st.data())
def test_values_are_those_of_the_slow_twin(data, positions, networks, wide_networks):
    state = data.draw(positions())
    for network in (networks[state.size], wide_networks[state.size]):
        twin = SlowTwin(network)
        for player in (0, 1):
            assert network.value(state, player) == pytest.approx(twin.value(state, player), abs=1e-6)


@settings(max_examples=100)
@given(data=st.data())
def test_the_images_of_a_position_have_exactly_the_same_value(data, positions, networks, wide_networks):
    state = data.draw(positions())
    network = data.draw(st.sampled_from([networks, wide_networks]))[state.size]
    planes = state.observation(0)
    values = {network.value(state, 0)}
    for k in range(symmetries.COUNT):
        black, white = symmetries.transform_observation(planes, k).reshape(2, -1)
        text = "".join("X" if b else "O" if w else "-" for b, w in zip(black, white, strict=True))
        values.add(network.value(Othello.from_text(text, state.to_move), 0))
    assert len(values) == 1


@settings(max_examples=20)
@given(data=st.data())
def test_a_network_that_is_widened_has_the_same_values(data, positions, networks):
    state = data.draw(positions())
    wide = networks[state.size].widened()
    assert wide.layout.wide
    assert wide.value(state, 0) == pytest.approx(networks[state.size].value(state, 0), abs=1e-6)


def test_a_finished_game_has_its_result_as_value(networks):
    won = Othello.from_text("X" * 60 + "-" * 4, "O")
    drawn = Othello.from_text("X" * 8 + "O" * 8, "X")
    assert won.is_over
    assert [networks[8].value(won, player) for player in (0, 1)] == [1.0, -1.0]
    assert [networks[4].value(drawn, player) for player in (0, 1)] == [0.0, 0.0]
    with pytest.raises(ValueError, match="a player must be 0 or 1, not 2"):
        networks[4].value(drawn, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 5}, "one of 4, 6, 8, not 5"),
        ({"size": 4, "stages": 0}, "stages must be 1 to 12 for size 4, not 0"),
        ({"size": 4, "weights": np.zeros((1, 3), np.float32)}, r"expected weights of shape \(1, 27168\).*got \(1, 3\)"),
        ({"size": 4, "weights": np.full((1, 27168), np.nan, np.float32)}, "not all finite"),
        ({"size": 4, "wide": "yes"}, "wide must be"),
    ],
)
def test_bad_networks(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        NTupleNetwork(**arguments)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_a_saved_network_is_the_same_when_loaded(tmp_path, networks, half, wide):
    network = networks[6].widened() if wide else networks[6]
    network.training = {"games": 5, "seed": 3}
    network.errors = np.ones((*network.weights.shape, 2), np.float32)
    network.save(tmp_path / "new" / "a.npz", half=half)
    loaded = NTupleNetwork.load(tmp_path / "new" / "a.npz")
    assert loaded.layout is layout(6, wide)
    assert (loaded.wide, "wide" in repr(loaded)) == (wide, wide)
    assert (loaded.size, loaded.stages, loaded.training) == (6, network.stages, {"games": 5, "seed": 3})
    expected = network.weights.astype(np.float16) if half else network.weights
    assert (loaded.weights == expected).all()
    assert loaded.weights.dtype == np.float32
    assert loaded.errors is None if half else (loaded.errors == network.errors).all()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.npz"]
    with pytest.raises(ValueError, match="at most one of half and int8, got both"):
        network.save(tmp_path / "b.npz", half=True, int8=True)


@pytest.mark.parametrize("size", [4, 6, 8])
@pytest.mark.parametrize("wide", [False, True])
def test_weights_as_whole_numbers_are_near_and_symmetric(size, wide, tmp_path):
    mirrors = layout(size, wide).mirrors
    weights = np.random.default_rng(size).normal(0, 0.1, (3, len(mirrors))).astype(np.float32)
    weights = (weights + weights[:, mirrors]) / 2
    NTupleNetwork(size, 3, weights, {"games": 5}, wide=wide).save(tmp_path / "a.npz", int8=True)
    read = NTupleNetwork.load(tmp_path / "a.npz")
    assert np.abs(read.weights - weights).max() <= np.abs(weights).max() / 254 * 1.001
    np.testing.assert_array_equal(read.weights, read.weights[:, mirrors])
    assert read.training == {"games": 5}
    NTupleNetwork(size, 3).save(tmp_path / "zeros.npz", int8=True)
    assert not NTupleNetwork.load(tmp_path / "zeros.npz").weights.any()
