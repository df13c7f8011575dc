"""Harmful .npz files of n-tuple networks."""

import io
import json
import struct
import zipfile
import zlib
from functools import cache

import numpy as np
from hostile_values import NESTED, replaced, saved

from othello_agents.ntuple import NTupleNetwork
from othello_agents.training import Trainer

_PACKER = zlib.compressobj(wbits=-15)
MEGABYTE = _PACKER.compress(bytes(1 << 20)) + _PACKER.flush(zlib.Z_FULL_FLUSH)
SHAPE = "(8, 27168)"


def bomb(begin, megabytes=4000):
    """The bytes `begin` and then many megabytes of zeros, compressed by deflate to a small size."""
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
    """The header of an .npy file. Its dtype and its shape may be any text, right or wrong."""
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
    except ValueError as error:  # the error of `resume` does not name the file
        raise ValueError(f"{path}: {error}") from error
