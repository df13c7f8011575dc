"""The evaluation, compared with a slow twin, and its files, valid and broken."""

import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.patterns import layout
from othello_env import Othello
from othello_env.games.othello import symmetries

pytestmark = pytest.mark.nojit


@settings(max_examples=100)
@given(data=st.data())
def test_values_are_those_of_the_slow_twin(data, positions, networks, slow_twin):
    state = data.draw(positions())
    twin = slow_twin(networks[state.size])
    for player in (0, 1):
        assert networks[state.size].value(state, player) == pytest.approx(twin.value(state, player), abs=1e-6)


@settings(max_examples=100)
@given(data=st.data())
def test_the_images_of_a_position_have_exactly_the_same_value(data, positions, networks):
    state = data.draw(positions())
    network = networks[state.size]
    planes = state.observation(0)
    values = {network.value(state, 0)}
    for k in range(symmetries.COUNT):
        black, white = symmetries.transform_observation(planes, k).reshape(2, -1)
        text = "".join("X" if b else "O" if w else "-" for b, w in zip(black, white, strict=True))
        values.add(network.value(Othello.from_text(text, state.to_move), 0))
    assert len(values) == 1


def test_a_finished_game_has_its_result_as_value(networks):
    won = Othello.from_text("X" * 60 + "-" * 4, "O")
    drawn = Othello.from_text("X" * 8 + "O" * 8, "X")
    assert won.is_over
    assert [networks[8].value(won, player) for player in (0, 1)] == [1.0, -1.0]
    assert [networks[4].value(drawn, player) for player in (0, 1)] == [0.0, 0.0]


def test_another_size_or_game_is_refused(networks, double_step):
    with pytest.raises(ValueError, match="for Othello of size 8, not for Othello of size 6"):
        networks[8].value(Othello(6), 0)
    with pytest.raises(ValueError, match="for Othello of size 8, not for DoubleStep"):
        networks[8].value(double_step(), 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 5}, "one of 4, 6, 8, not 5"),
        ({"size": 4, "stages": 0}, "stages must be 1 to 12 for size 4, not 0"),
        ({"size": 4, "weights": np.zeros((1, 3), np.float32)}, r"expected weights of shape \(1, 27168\).*got \(1, 3\)"),
        ({"size": 4, "weights": np.full((1, 27168), np.nan, np.float32)}, "not all finite"),
    ],
)
def test_bad_networks(arguments, message):
    with pytest.raises(ValueError, match=message):
        NTupleNetwork(**arguments)


@pytest.mark.parametrize("half", [False, True])
def test_a_saved_network_is_the_same_when_loaded(tmp_path, networks, half):
    network = networks[6]
    network.training = {"games": 5, "seed": 3}
    network.errors = np.ones((*network.weights.shape, 2), np.float32)
    network.save(tmp_path / "new" / "a.npz", half=half)
    loaded = NTupleNetwork.load(tmp_path / "new" / "a.npz")
    assert (loaded.size, loaded.stages, loaded.training) == (6, network.stages, {"games": 5, "seed": 3})
    expected = network.weights.astype(np.float16) if half else network.weights
    assert (loaded.weights == expected).all()
    assert loaded.weights.dtype == np.float32
    assert loaded.errors is None if half else (loaded.errors == network.errors).all()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.npz"]


def test_the_same_network_makes_the_same_file(tmp_path, networks):
    for name in ("a.npz", "b.npz"):
        networks[4].save(tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.parametrize("half", [False, True])
def test_a_file_holds_no_arrays_but_the_card_the_weights_and_the_errors(tmp_path, half):
    network = NTupleNetwork(4, errors=np.zeros((*NTupleNetwork(4).weights.shape, 2), np.float32))
    network.save(tmp_path / "a.npz", half=half)
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert archive.namelist() == ["card.npy", "weights.npy", *(["errors.npy"] if not half else [])]


def test_the_extra_array_that_an_older_numpy_stored_is_ignored(tmp_path):
    path = tmp_path / "a.npz"
    network = NTupleNetwork(4, 2)
    network.weights[:, :3] = 1, 2, 3
    network.save(path)
    with zipfile.ZipFile(path, "a") as archive, io.BytesIO() as member:
        np.save(member, np.array(False))
        archive.writestr("allow_pickle.npy", member.getvalue())
    assert (NTupleNetwork.load(path).weights == network.weights).all()


CARD = {
    "format": "othello-env n-tuple 2",
    "size": 4,
    "stages": 1,
    "patterns": [[name, list(squares)] for name, squares in layout(4).patterns],
    "training": {},
}
WEIGHTS = np.zeros((1, layout(4).weights), np.float32)


def written(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def with_card(**changes):
    return written(card=np.array(json.dumps(CARD | changes)), weights=WEIGHTS)


def with_weights(weights, **arrays):
    return written(card=np.array(json.dumps(CARD)), weights=weights, **arrays)


def truncated():
    return with_card()[:-200]


def flipped_bits():
    data = bytearray(with_card())
    data[len(data) // 2] ^= 0xFF
    return bytes(data)


def with_header(shape):
    """A file whose header announces an array too large for any memory."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, io.BytesIO() as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": shape})
        archive.writestr("weights.npy", member.getvalue())
        archive.writestr("card.npy", zipfile.ZipFile(io.BytesIO(with_card())).read("card.npy"))
    return buffer.getvalue()


def not_arrays():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("card.npy", "hello")
        archive.writestr("weights.npy", "world")
    return buffer.getvalue()


def with_pickle():
    return written(card=np.array({"a": 1}, dtype=object), weights=WEIGHTS)


BROKEN = {
    "empty": (b"", "not a zip file"),
    "text": (b"weights", "not a zip file"),
    "truncated": (truncated(), "not a zip file"),
    "flipped bits": (flipped_bits(), "Bad CRC-32"),
    "no arrays within": (not_arrays(), "card does not begin like an array of numpy"),
    "too large": (with_header((2**30, 2**30)), r"expected weights of shape \(1, 27168\)"),
    "pickled": (with_pickle(), "card holds no numbers or text"),
    "other arrays": (written(a=WEIGHTS), "expected the arrays card and weights, and perhaps errors, got a.npy"),
    "card of numbers": (written(card=np.zeros(3), weights=WEIGHTS), "card must be a text"),
    "card no JSON": (written(card=np.array("{"), weights=WEIGHTS), "it is not JSON: Input data was truncated"),
    "card a list": (
        written(card=np.array("[1]"), weights=WEIGHTS),
        "must say format 'othello-env n-tuple 2', not \\[1",
    ),
    "unknown version": (with_card(format="othello-env n-tuple 9"), "not 'othello-env n-tuple 9'"),
    "size": (with_card(size=5), "wrong size"),
    "size unhashable": (with_card(size=[8]), "wrong size"),
    "stages": (with_card(stages="1"), "wrong size, stages"),
    "training": (with_card(training=[1]), "wrong size, stages or training"),
    "games": (with_card(training={"games": "many"}), "wrong numbers of games or seconds"),
    "patterns": (with_card(patterns=[["edge", [1, 2]]]), "other patterns"),
    "shape": (with_weights(WEIGHTS[:, :9]), r"expected weights of shape \(1, 27168\).*got \(1, 9\)"),
    "dtype": (with_weights(WEIGHTS.astype(np.int64)), "float16 or float32, got int64"),
    "errors' shape": (
        with_weights(WEIGHTS, errors=WEIGHTS),
        r"errors of shape \(1, 27168, 2\).*got \(1, 27168\)",
    ),
    "errors' dtype": (with_weights(WEIGHTS, errors=np.zeros((*WEIGHTS.shape, 2))), "errors of float32, got float64"),
    "infinite": (with_weights(np.full_like(WEIGHTS, np.inf)), "not all finite"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_named_with_what_is_wrong(tmp_path, name):
    data, message = BROKEN[name]
    path = tmp_path / "broken.npz"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"broken\.npz' is not a file of n-tuple weights: .*({message})"):
        NTupleNetwork.load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file '.*none\.npz' to load n-tuple weights from"):
        NTupleNetwork.load(tmp_path / "none.npz")


def test_no_damage_raises_anything_else(tmp_path):
    NTupleNetwork(4, weights=WEIGHTS).save(tmp_path / "a.npz")
    data = (tmp_path / "a.npz").read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for place in rng.integers(0, len(data), 300):
        damaged = bytearray(data)
        damaged[place] ^= rng.integers(1, 256)
        try:
            loaded = NTupleNetwork.read(io.BytesIO(damaged), "a.npz")
        except ValueError:
            refused += 1
        else:  # a zip file stores some bytes twice, and damage to one copy may do no harm
            assert (loaded.weights == 0).all()
    assert refused > 200
