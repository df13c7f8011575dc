"""Policies in ONNX files: small graphs with known weights, and files that are not policies."""

import copy
import pickle

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from othello_agents.network.policy import PolicyAgent
from othello_env import AgentError, Othello, SpecError, make_agent, make_vec_env
from othello_env.games.openings import random_opening
from othello_env.games.othello.batch import OthelloPositions


def write(path, size=6, batch="N", kind=TensorProto.FLOAT, masks=False, outputs=None, planes=2):
    """Write a linear policy: logits = observation @ W + b, plus 100 * mask if it takes a mask. Returns W and b."""
    rng = np.random.default_rng(size)
    squares = size**2
    outputs = squares + 1 if outputs is None else outputs
    weights = rng.normal(size=(planes * squares, outputs)).astype(np.float32)
    b = rng.normal(size=outputs).astype(np.float32)
    nodes = [
        helper.make_node("Cast", ["observations"], ["planes"], to=TensorProto.FLOAT),
        helper.make_node("Flatten", ["planes"], ["row"]),
        helper.make_node("Gemm", ["row", "W", "b"], ["linear" if masks else "logits"]),
    ]
    inputs = [helper.make_tensor_value_info("observations", kind, [batch, planes, size, size])]
    if masks:
        inputs.append(helper.make_tensor_value_info("masks", TensorProto.FLOAT, [batch, outputs]))
        nodes += [
            helper.make_node("Mul", ["masks", "hundred"], ["legal"]),
            helper.make_node("Add", ["linear", "legal"], ["logits"]),
        ]
    constants = {"W": weights, "b": b, "hundred": np.float32(100)}
    graph = helper.make_graph(
        nodes,
        "policy",
        inputs,
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [batch, outputs])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return weights, b


def positions(size, count=12):
    drawn = (random_opening(Othello(size), plies, plies) for plies in range(count))
    return OthelloPositions.from_states([state for state in drawn if state is not None], None)


@pytest.mark.parametrize(
    "variant",
    [{}, {"batch": 1}, {"kind": TensorProto.INT8}, {"masks": True}, {"size": 4}, {"size": 8}],
    ids=str,
)
def test_the_likeliest_legal_action_is_played(tmp_path, variant):
    path = tmp_path / "model.onnx"
    weights, b = write(path, **variant)
    batch = positions(variant.get("size", 6))
    logits = batch.observations().reshape(len(batch), -1).astype(np.float32) @ weights + b
    expected = np.where(batch.masks() != 0, logits, -np.inf).argmax(axis=1)
    agent = make_agent(str(path))
    assert repr(agent) == str(path)
    assert agent.act_batch(batch).tolist() == expected.tolist()
    assert [agent.act(batch.state(i)) for i in range(len(batch))] == expected.tolist()


def test_logits_that_are_no_numbers_are_told(tmp_path):
    path = tmp_path / "model.onnx"
    write(path)
    model = onnx.load(str(path))
    bias = next(constant for constant in model.graph.initializer if constant.name == "b")
    bias.CopyFrom(numpy_helper.from_array(np.full(37, np.nan, np.float32), "b"))
    onnx.save(model, str(path))
    with pytest.raises(SpecError, match="logits of legal actions are not all finite"):
        make_agent(str(path))


@pytest.mark.parametrize(
    ("variant", "told"),
    [
        ({"outputs": 36}, r"first output must be logits \(2, 37\), not float32 of shape \(2, 36\)"),
        ({"planes": 3}, r"inputs must be observations \(N, 2, S, S\), and perhaps masks \(N, A\), not observations"),
        ({"size": 5}, "size must be one of 4, 6, 8, not 5"),
        ({"batch": 16}, "it takes 16 positions at once; N must be free, or 1"),
        (
            {"kind": TensorProto.INT64},
            r"input observations must be tensor\(float\) or tensor\(int8\), not tensor\(int64",
        ),
    ],
    ids=str,
)
def test_what_is_no_policy_is_told(tmp_path, variant, told):
    path = tmp_path / "model.onnx"
    write(path, **variant)
    with pytest.raises(SpecError, match=rf"model\.onnx' is not a policy for Othello: .*{told}"):
        make_agent(str(path))


def test_copies_and_pickles_play_the_same_moves_also_without_the_files(tmp_path):
    path = tmp_path / "model.onnx"
    write(path)
    agent = make_agent(f"{path}:temperature=0.5", seed=3)
    path.unlink()
    batch = positions(6)
    for again in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert repr(again) == repr(agent)
        np.testing.assert_array_equal(again.act_batch(batch), agent.act_batch(batch))


class Broken:
    size = 4

    def policy(self, observations, masks):
        raise ValueError("its logits of legal actions are not all finite")


def test_a_policy_that_fails_is_named():
    agent = PolicyAgent(Broken(), name="bad.onnx")
    env = make_vec_env(3, size=4, opponent=agent, side="white")
    with pytest.raises(
        AgentError, match=r"agent bad\.onnx gave no policy for 3 positions: its logits .* not all finite"
    ):
        env.reset(seed=1)
    with pytest.raises(AgentError, match=r"agent bad\.onnx"):
        agent.act(Othello(4))
