"""The network `afterstates` as compiled code, which needs no PyTorch.

`othello_agents.network.afterstates` describes the network, and trains it. Here it is only evaluated: for its policy and
value, and at the leaves of the engine's search. Its sums are rounded in another order, so its answers differ from
PyTorch's in the last digits.

Letters for shapes: N positions, S size, A = S * S + 1 actions, P placements of patterns, L lanes, W entries of the
tables, F = 8 features, H hidden units.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.network.policy import softmax
from othello_agents.ntuple.kernels import Tables, configure, follow
from othello_agents.ntuple.network import layout
from othello_env.games.othello.bitboard import (
    ACTION_BITS,
    BOARDS,
    flips,
    legal_moves,
    popcount,
    square_of,
    square_to_action,
)
from othello_env.games.othello.position import check_size
from othello_env.support.jit import Int, kernel
from othello_env.support.networks import NetworkFile

__all__ = ["CompiledAfterstates", "Head", "output"]

_FEATURES = 8
_LOGIT, _VALUE = 0, 1
_0 = np.uint64(0)


class Head(NamedTuple):
    """The layers behind the sum of a board's entries.

    Attributes:
        discs: (S * S + 1, F) float32. The row with the board's number of discs is added to the sum.
        hidden: (H, F) float32, the weights of the hidden units, which are rectified.
        bias: (H,) float32, their biases.
        out: (2, F + H) float32, the weights of the two outputs: a move's logit, and a position's value before tanh.
        out_bias: (2,) float32, their biases.
    """

    discs: npt.NDArray[np.float32]
    hidden: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    out: npt.NDArray[np.float32]
    out_bias: npt.NDArray[np.float32]


@kernel(no_refcount=True)
def output(
    row: Int,
    sign: Int,
    discs: Int,
    configuration: npt.NDArray[np.int16],
    table: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int64],
    head: Head,
) -> np.float32:
    """An output of the network for one board.

    Args:
        row: which output: 0 for a move's logit, 1 for the value before tanh.
        sign: 1 if the configurations are from the point of view of the player for whom the board is evaluated,
            otherwise -1.
        discs: the number of discs on the board.
        configuration: (at least P,) the configurations of the board.
        table: (W, F), the entries of all patterns.
        offsets: (P,), the entry of each placement whose configuration is 0.
        head: the layers behind the sum.
    """
    start = head.discs[discs]
    a, b, c, d, e, f, g, h = start[0], start[1], start[2], start[3], start[4], start[5], start[6], start[7]
    for p in range(len(offsets)):
        entry = table[offsets[p] + sign * configuration[p]]
        a += entry[0]
        b += entry[1]
        c += entry[2]
        d += entry[3]
        e += entry[4]
        f += entry[5]
        g += entry[6]
        h += entry[7]
    out = head.out[row]
    total = head.out_bias[row] + a * out[0] + b * out[1] + c * out[2] + d * out[3]
    total += e * out[4] + f * out[5] + g * out[6] + h * out[7]
    for k in range(len(head.bias)):
        w = head.hidden[k]
        unit = head.bias[k] + a * w[0] + b * w[1] + c * w[2] + d * w[3]
        unit += e * w[4] + f * w[5] + g * w[6] + h * w[7]
        total += max(unit, np.float32(0)) * out[_FEATURES + k]
    return total


@kernel
def _answers(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], tables: Tables, head: Head, size: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The logits of the actions in N positions, (N, A), 0 except for moves, and the values before tanh, (N,)."""
    logits = np.zeros((len(own), size * size + 1), np.float32)
    values = np.empty(len(own), np.float32)
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    after = np.empty_like(configuration)
    table, offsets = tables.weights, tables.offsets
    for i in range(len(own)):
        discs = np.int64(popcount(own[i] | opponent[i]))
        configure(own[i], opponent[i], tables, configuration)
        values[i] = output(_VALUE, 1, discs, configuration, table, offsets, head)
        legal = legal_moves(own[i], opponent[i], tables.board)
        while legal != _0:
            disc = legal & (_0 - legal)
            legal ^= disc
            square = square_of(disc)
            follow(configuration, square, flips(disc, own[i], opponent[i]), tables, after)
            logits[i, square_to_action(square, size)] = output(_LOGIT, 1, discs + 1, after, table, offsets, head)
    return logits, values


class CompiledAfterstates:
    """The network `afterstates` of a file.

    Args:
        file: what the file holds.

    Attributes:
        size: the board's size.
        tables: the patterns. `weights` is (W, F): a row for each entry, the same for mirror images.
        head: the layers behind the sum of the entries.

    Raises:
        ValueError: the tensors are not those of this network.
    """

    function = "afterstates"

    def __init__(self, file: NetworkFile) -> None:
        self._file = file
        self.size = check_size(file.size)
        places, tensors = layout(self.size), file.tensors
        hidden = len(tensors.get("hidden.bias", ()))
        wanted = {
            "table": (places.weights, _FEATURES),
            "discs": (self.size**2 + 1, _FEATURES),
            "hidden.weight": (hidden, _FEATURES),
            "hidden.bias": (hidden,),
            "out.weight": (2, _FEATURES + hidden),
            "out.bias": (2,),
        }
        found = {name: tensor.shape for name, tensor in tensors.items()}
        if found != wanted or file.options:
            raise ValueError(f"expected the tensors {wanted} of an afterstates network, got {str(found)[:400]}")
        table, *layers = (np.ascontiguousarray(tensors[name], np.float32) for name in wanted)
        shared = np.minimum(places.mirrors, np.arange(places.weights))
        self.tables = Tables(table[shared], places.deltas, places.offsets, places.looked_up, BOARDS[self.size])
        self.head = Head(*layers)

    @classmethod
    def load(cls, path: str | Path) -> CompiledAfterstates:
        """Read the network from a ``.safetensors`` file.

        Raises:
            FileNotFoundError: the file does not exist.
            ValueError: the file is damaged, or holds another network. The message names the file.
        """
        file = NetworkFile.read(path)
        try:
            if file.function != cls.function:
                raise ValueError(f"only an afterstates network is compiled, not {file.function!r}")
            return cls(file)
        except ValueError as error:
            raise ValueError(f"{str(path)!r}: {error}") from error

    def answers(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The probabilities of the actions (N, A), and the expected results (N,) for the players to move, -1 to +1.

        Args:
            observations: (N, 2, S, S), the player's discs and the opponent's discs.
            masks: (N, A), nonzero for each legal action.
        """
        discs = (observations != 0).reshape(len(observations), 2, -1) @ np.array(ACTION_BITS[self.size][:-1], np.uint64)
        own, opponent = np.ascontiguousarray(discs.T)
        logits, values = _answers(own, opponent, self.tables, self.head, self.size)
        return softmax(logits.astype(np.float64), masks), np.tanh(values.astype(np.float64))

    def policy(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        """The probabilities that `answers` returns, (N, A)."""
        return self.answers(observations, masks)[0]

    def save(self, path: str | Path) -> None:
        """Write the network to a ``.safetensors`` file, completely or not at all.

        Raises:
            OSError: the file cannot be written.
        """
        self._file.write(path)
