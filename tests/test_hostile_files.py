"""Load harmful files: each loader must refuse each file with an error that names the file, with little memory and time.

Each loader reads its files in its own process. The process has limited memory, and the test fails if it crashes. Some
files are made by hand to do harm. Other files are copies of a valid file with random damage, which is the same in each
run. A file with a ``~`` in its name may also be accepted, because its change can be harmless. The process of a loader
is ``python tests/test_hostile_files.py LOADER FOLDER``.
"""

import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
import pytest
from _checkpoint import learner_tensors, read_run, restore_learner

from othello_agents.network.neural import NeuralNetwork, write_tensors
from othello_agents.network.onnx import OnnxNetwork
from othello_agents.ntuple import NTupleNetwork, Trainer
from othello_agents.perfect import Book
from othello_env import Othello
from othello_env.arena.play.records import GameRecord
from othello_env.arena.tournament.records import open_records, read_records
from othello_env.cli.serve import _read_results

MEGABYTES = 256  # a loader may use this much more memory than for a valid file; most of these files need thousands
SECONDS = 60  # the time limit for each file; a refusal takes only milliseconds
DAMAGED = 300
DEEP = 100_000
HUGE = "1" + "0" * 400
NESTED = "[" * DEEP + "]" * DEEP
WRONG = ("4.5", "-1", HUGE, "1" + "0" * 200, "1e999", "NaN", "true", '"4"', "[4]", "null", NESTED)
"""JSON values to put in place of the numbers and other values of a card. All of them are wrong there."""


def replaced(values, *path):
    """JSON texts of an object in which one value is replaced by each of the wrong values, with a name for each text."""
    *outer, name = path
    changed = json.loads(json.dumps(values))
    inner = changed
    for each in outer:
        inner = inner[each]
    inner[name] = "@"
    for wrong in WRONG:
        yield f"~{name} {wrong[:6]}", json.dumps(changed).replace('"@"', wrong)


def saved(save):
    """The bytes of the file that `save` writes. `save` takes the path of the file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        save(path)
        return path.read_bytes()


# --- n-tuple networks

_PACKER = zlib.compressobj(wbits=-15)
MEGABYTE = _PACKER.compress(bytes(1 << 20)) + _PACKER.flush(zlib.Z_FULL_FLUSH)
SHAPE = "(8, 27168)"


def bomb(begin, megabytes=4000):
    """Packed data (deflate) of the bytes `begin` and of many megabytes of zeros."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(begin) + packer.flush(zlib.Z_FULL_FLUSH) + MEGABYTE * megabytes + packer.flush()


def zipped(*members):
    """A zip file of members (name, size, packed data, method, flags). The size, method and flags may be wrong."""
    files, directory = bytearray(), bytearray()
    for name, size, data, method, flags in members:
        head = struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 0, zlib.crc32(data), len(data), size, len(name), 0)
        directory += b"PK\1\2\x14\0" + head + struct.pack("<HHHII", 0, 0, 0, 0, len(files)) + name.encode()
        files += b"PK\3\4" + head + name.encode() + data
    count = len(members) & 0xFFFF
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(files), 0)
    return bytes(files + directory) + b"PK\5\6" + end


def header(descr, shape=SHAPE):
    """The header of an .npy file, with any texts as dtype and shape."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text


@cache
def npz():
    network = Trainer(4).network
    network.errors = None
    return saved(network.save)


def crafted_npz():
    with zipfile.ZipFile(io.BytesIO(npz())) as archive:
        members = {name: archive.read(name) for name in ("card.npy", "weights.npy")}
    good = [(name, len(data), data, 0, 0) for name, data in members.items()]

    def with_card(text):
        buffer = io.BytesIO()
        np.savez(buffer, card=np.array(text), weights=NTupleNetwork(4).weights)
        return buffer.getvalue()

    card = json.loads(str(np.load(io.BytesIO(members["card.npy"]))))
    for name in card:
        yield from ((what, with_card(text)) for what, text in replaced(card, name))
    for name in card["training"]:
        yield from ((what, with_card(text)) for what, text in replaced(card, "training", name))
    yield "card nested", with_card(NESTED)
    yield "card long", with_card(" " * (2 << 20))
    yield "card bomb", zipped(("card.npy", 2**32 - 2, bomb(header("'<U99999999'", "()")), 8, 0), good[1])
    for size in (2**32 - 2, len(members["weights.npy"])):
        yield f"bomb of {size}", zipped(good[0], ("weights.npy", size, bomb(header("'<f4'")), 8, 0))
    yield (
        "bomb of its shape",
        zipped(good[0], ("weights.npy", 2**32 - 2, bomb(header("'<f4'", "(60, 10000000)")), 8, 0)),
    )
    for descr, shape in (
        ("'<f4'", f"({2**62}, {2**62})"),
        ("'<f4'", "(-8, 27168)"),
        ("'<f4'", "(" * 200 + ")" * 200),
        ("'<f4'", "-" * 60_000 + "1"),
        ("'|O'", "(1,)"),
        ("'|O8'", SHAPE),
        ("'<f3'", SHAPE),
        ("'<U999999999'", SHAPE),
        ("[('a', '<f4')]", SHAPE),
    ):
        data = header(descr, shape)
        yield f"header {descr} {shape[:9]}", zipped(good[0], ("weights.npy", len(data), data, 0, 0))
    long = b"\x93NUMPY\2\0" + struct.pack("<I", 2**32 - 1)
    yield "header of version 2", zipped(good[0], ("weights.npy", len(long), long, 0, 0))
    for method, flags in ((12, 0), (14, 0), (9, 0), (0, 1)):
        yield f"method {method} {flags}", zipped(good[0], (*good[1][:3], method, flags))
    yield "twice", zipped(*good, good[1])
    yield "names", zipped(good[0], ("../weights.npy", *good[1][1:]))
    yield "many", zipped(*[("card.npy", 0, b"", 0, 0)] * 200_000)
    yield "zip64", npz()[:-22] + b"PK\6\7" + bytes(16) + npz()[-22:]
    yield "checksum", zipped(*good).replace(struct.pack("<I", zlib.crc32(good[1][2])), b"1234")
    yield "~whole", zipped(*good)


def load_npz(path):
    network = NTupleNetwork.load(path)
    try:
        Trainer.resume(network)
    except ValueError as error:  # the network's error has no path
        raise ValueError(f"{path}: {error}") from error


# --- the moves of perfect play


def book():
    """The bytes of a book with the positions after one move and after two moves."""
    found = Book(covers={"black": 31})
    for first in Othello(6).legal_actions():
        state = Othello(6).play(first)
        found.add(state, 4, state.legal_actions()[0])
        for action in state.legal_actions():
            found.add(state.play(action), -4, state.play(action).legal_actions()[0])
    return saved(found.save)


def crafted_book():
    with np.load(io.BytesIO(book())) as archive:
        arrays = {name: archive[name] for name in archive.files}

    def made(**other):
        buffer = io.BytesIO()
        np.savez(buffer, **arrays | other)
        return buffer.getvalue()

    card = json.loads(str(arrays["card"]))
    for name in card:
        yield from ((what, made(card=np.array(text))) for what, text in replaced(card, name))
    yield from ((what, made(card=np.array(text))) for what, text in replaced(card, "covers", "black"))
    yield "card nested", made(card=np.array(NESTED))
    yield "card long", made(card=np.array(" " * (2 << 20)))
    for name in ("own", "opponent", "score", "action"):
        yield f"{name} short", made(**{name: arrays[name][1:]})
        yield f"{name} of floats", made(**{name: arrays[name].astype(np.float64)})
        yield f"{name} ones", made(**{name: np.full_like(arrays[name], 255 if name == "action" else 1)})
    many = {name: np.repeat(arrays[name][:1], 1 << 19) for name in ("own", "opponent", "score", "action")}
    yield "many", made(**many)
    with zipfile.ZipFile(io.BytesIO(made())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    others = [(name, len(data), data, 0, 0) for name, data in members.items() if name != "own.npy"]
    yield "bomb", zipped(*others, ("own.npy", 2**32 - 2, bomb(header("'<u8'", "(4,)")), 8, 0))
    yield "bomb of its shape", zipped(*others, ("own.npy", 2**32 - 2, bomb(header("'<u8'", "(500000000,)")), 8, 0))


# --- networks with PyTorch


@cache
def safetensors():
    return saved(NeuralNetwork(4, 2, 1).save)


def tensors_file(values, data, length=None):
    text = values if isinstance(values, bytes) else json.dumps(values).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def crafted_safetensors():
    valid = safetensors()
    end = 8 + int.from_bytes(valid[:8], "little")
    top, data = json.loads(valid[8:end]), valid[end:]
    card = json.loads(top["__metadata__"]["card"])
    for name in ("size", "channels", "blocks", "training", "format"):
        for what, text in replaced(card, name):
            yield what, tensors_file(top | {"__metadata__": {"card": text}}, data)
    for change in (
        {"dtype": "F4"},
        {"dtype": "C64"},
        {"shape": [2**40, 0]},
        {"shape": [2**62, 2**62]},
        {"shape": [-1]},
        {"data_offsets": [0, 2**60]},
        {"data_offsets": [8, 0]},
    ):
        yield f"tensor {change}", tensors_file(top | {"first.bias": top["first.bias"] | change}, data)
    many = {f"t{i}": top["first.bias"] | {"shape": [0], "data_offsets": [0, 0]} for i in range(100_000)}
    yield "many tensors", tensors_file(many | top, data)
    for length in (0, 2**63, 2**64 - 1, len(valid)):
        yield f"header of {length}", tensors_file(top, data, length)
    for text in (NESTED, '{"a":' * DEEP, "NaN", "[]", "{}", '{"__metadata__": {"card": 4}}'):
        yield f"header {text[:9]}", tensors_file(text.encode(), data)


FORM, SETTINGS = "a run", {"size": 4}


def learner():
    import torch

    network = NeuralNetwork(4, 2, 1)
    for weight in network.weights.values():
        weight.requires_grad_().grad = torch.ones_like(weight)
    optimizer = torch.optim.Adam(network.weights.values())
    optimizer.step()
    return network, optimizer


@cache
def run(*without):
    point = {"iteration": 0, "seconds": 1.0, "games": 2, "scores": {"random": 0.5}}
    progress = {"seconds": 1.0, "curve": [point]}
    card = {"format": FORM, "settings": SETTINGS, "iteration": 1, "added": 3, "progress": progress}
    tensors = learner_tensors(*learner())
    kept = {name: tensor for name, tensor in tensors.items() if name not in without}
    return saved(lambda path: write_tensors(path, kept, card))


def crafted_run():
    end = 8 + int.from_bytes(run()[:8], "little")
    top = json.loads(run()[8:end])
    card = json.loads(top["__metadata__"]["card"])
    places = [(name,) for name in card] + [("settings", "size"), ("progress", "curve"), ("progress", "curve", 0)]
    for place in [*places, ("progress", "curve", 0, "scores"), ("progress", "seconds")]:
        for what, text in replaced(card, *place):
            yield what, tensors_file(top | {"__metadata__": {"card": text}}, run()[end:])
    for name in top:
        if name != "__metadata__":
            yield f"without {name}", run(name)


def load_run(path):
    try:
        tensors, _ = read_run(path, FORM, SETTINGS, counts=("added",), over="games", opponents=("random",))
        restore_learner(tensors, *learner())
    except ValueError as error:  # errors about settings or tensors have no path
        raise ValueError(f"{path}: {error}") from error


# --- ONNX


def model(*nodes, bias=None, location=None):
    from onnx import TensorProto, helper, numpy_helper

    constant = numpy_helper.from_array(np.zeros((32, 17), np.float32), "W")
    if bias:
        constant.dims[:] = bias
    if location:
        constant.ClearField("raw_data")
        constant.data_location = TensorProto.EXTERNAL
        constant.external_data.add(key="location", value=location)
    flat = [helper.make_node("Flatten", ["o"], ["r"]), helper.make_node("MatMul", ["r", "W"], ["m"])]
    last = [] if nodes else [helper.make_node("Identity", ["m"], ["l"])]
    inputs = [helper.make_tensor_value_info("o", TensorProto.FLOAT, ["N", 2, 4, 4])]
    outputs = [helper.make_tensor_value_info("l", TensorProto.FLOAT, ["N", 17])]
    graph = helper.make_graph([*flat, *last, *nodes], "g", inputs, outputs, [constant])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return made.SerializeToString()


def crafted_onnx():
    from onnx import helper, numpy_helper

    for dims in ([2**40, 17], [2**62, 2**62], [-1, 17], [32, 17, 0]):
        yield f"dims {dims}", model(bias=dims)
    for location in ("../a.onnx", "/dev/zero", "/etc/passwd", "none.data", "..", "a\0b", "."):
        yield f"location {location!r}", model(location=location)
    shape = numpy_helper.from_array(np.array([2**40, 17]))
    constant = helper.make_node("Constant", [], ["s"], value=shape)
    yield "large", model(constant, helper.make_node("ConstantOfShape", ["s"], ["l"]))
    nested = b""
    for _ in range(2000):  # a graph in an attribute of a node of a graph, and so on
        for field in (0x32, 0x2A, 0x0A):
            size, rest = b"", len(nested)
            while rest > 127:
                size, rest = size + bytes([rest & 127 | 128]), rest >> 7
            nested = bytes([field]) + size + bytes([rest]) + nested
    yield "~nested", b"\x3a" + model()[:2] + nested
    yield "empty", b""


# --- results and records


def results():
    match = {"opponent": "random", "wins": 1, "draws": 0, "losses": 1, "score": 0.5, "interval95": [0.1, 0.9]}
    values = {"agent": "a", "games": 2, "openings": "start", "seed": 1, "elo": 3, "interval95": [1, 5]}
    values |= {"curve": [{"games": 10, "seconds": 1.5, "score": 0.5}], "illegal_or_failed": 1}
    return json.dumps(values | {"results": [match | {"mean_disc_difference": 0.5}]}).encode()


def crafted_results():
    values = json.loads(results())
    places = [(name,) for name in values] + [("results", 0), ("curve", 0)]
    places += [(name, 0, inner) for name in ("results", "curve") for inner in values[name][0]]
    for place in places:
        yield from ((what, text.encode()) for what, text in replaced(values, *place))
    yield "nested", NESTED.encode()
    yield "nothing", b""


def load_results(path):
    try:
        _read_results(path)
    except click.ClickException as error:
        raise ValueError(error.format_message()) from error


@cache
def records():
    state = Othello(4)
    while not state.is_over:
        state = state.play(state.legal_actions()[0])
    line = GameRecord.from_transcript(state.transcript(), ("a", "b"), "othello:size=4").to_json()
    return f"{line}\n{line}\n".encode()


def crafted_records():
    line = records().decode().splitlines()[0]
    for name in json.loads(line):
        for what, text in replaced(json.loads(line), name):
            yield what, f"{line}\n{text}\n".encode()
    yield "nested", f"{line}\n{NESTED}\n".encode()
    yield "no line", bytes(1 << 20)


def load_records(path):
    read_records(path)
    with open_records(path):
        pass


LOADERS = {
    "npz": (npz, crafted_npz, load_npz),
    "book": (book, crafted_book, Book.load),
    "safetensors": (safetensors, crafted_safetensors, NeuralNetwork.load),
    "run": (run, crafted_run, load_run),
    "onnx": (model, crafted_onnx, OnnxNetwork),
    "results": (results, crafted_results, load_results),
    "records": (records, crafted_records, load_records),
}


def damaged(data, rng):
    """The bytes of a file with random damage: some bytes are changed, left out, repeated or cut off."""
    data = bytearray(data)
    first, length = rng.randrange(len(data)), min(rng.choice((1, 1, 2, 4, 8, 64)), len(data))
    match rng.randrange(5):
        case 0:
            data[first] ^= 1 << rng.randrange(8)
        case 1:
            data[first : first + length] = rng.choice((b"\0", b"\xff", b"9", b"[")) * length
        case 2:
            del data[first : first + length]
        case 3:
            data[first:first] = data[first : first + length] * rng.choice((1, 2, 1000))
        case 4:
            del data[first:]
    return bytes(data)


def attack(name, folder):
    """Load the valid file of a folder, then all its files with limited memory. Print a line of JSON for each file."""
    load = LOADERS[name][2]
    load(folder / "valid")
    if sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + (MEGABYTES << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for path in sorted(folder.iterdir()):
        began = time.monotonic()
        try:
            load(path)
            told = "taken"
        except (ValueError, OSError) as error:
            told = "refused" if path.name in str(error) else f"without its name: {error}"
        except BaseException as error:  # any other error is wrong
            told = f"{type(error).__name__}: {error}"
        sys.stdout.write(json.dumps([path.name, told[:300], time.monotonic() - began]) + "\n")


@pytest.mark.parametrize("name", LOADERS)
def test_each_file_is_refused_with_an_error_that_names_it(name, tmp_path):
    if name in ("safetensors", "run"):
        pytest.importorskip("torch", reason="the network needs PyTorch, an optional extra")
    valid, crafted, _ = LOADERS[name]
    rng = random.Random(1)
    files = {"valid": valid()}
    files |= {f"{number} {what}": data for number, (what, data) in enumerate(crafted())}
    files |= {f"~damaged {number}": damaged(valid(), rng) for number in range(DAMAGED)}
    safe = {re.sub(r"[^\w .~-]", "_", what): data for what, data in files.items()}
    assert len(safe) == len(files)
    for what, data in safe.items():
        (tmp_path / what).write_bytes(data)
    command = [sys.executable, __file__, name, str(tmp_path)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}  # the scripts share modules with this test
    process = subprocess.run(command, capture_output=True, text=True, timeout=10 * SECONDS, env=env)
    told = [json.loads(line) for line in process.stdout.splitlines()]
    assert process.returncode == 0, (process.stderr[-2000:], told[-1:])
    assert [what for what, _, _ in told] == sorted(safe)
    assert max(seconds for _, _, seconds in told) < SECONDS
    wrong = [line for line in told if line[1] not in (("taken", "refused") if "~" in line[0] else ("refused",))]
    assert [line[0] for line in wrong] == ["valid"], wrong
    assert sum(what == "refused" for _, what, _ in told) > DAMAGED / 3  # enough damaged files are refused


if __name__ == "__main__":
    attack(sys.argv[1], Path(sys.argv[2]))
