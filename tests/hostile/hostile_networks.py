"""Harmful files of neural networks: .safetensors and ONNX."""

import json
import struct
from functools import cache

import numpy as np
from hostile_values import DEEP, NESTED, replaced, saved

from othello_agents.network import ResidualNetwork


@cache
def safetensors():
    return saved(ResidualNetwork(4, 2, 1).save)


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
    for _ in range(2000):  # each round puts the graph, as an attribute, into a node of a new graph
        for field in (0x32, 0x2A, 0x0A):
            size, rest = b"", len(nested)
            while rest > 127:
                size, rest = size + bytes([rest & 127 | 128]), rest >> 7
            nested = bytes([field]) + size + bytes([rest]) + nested
    yield "~nested", b"\x3a" + model()[:2] + nested
    yield "empty", b""
