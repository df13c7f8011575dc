"""The network `afterstates` as compiled code, which needs no PyTorch.

`othello_agents.network.afterstates` describes the network, and trains it. Here it is only evaluated: for its policy and
value, and at the leaves of the engine's search. Its sums are rounded in another order, so its answers differ from
PyTorch's in the last digits.

All its numbers are in one array, (R, F) float32. A search hands its arrays from call to call, so one array more would
cost it time. The rows are, in this order:

- the W entries of all patterns, the same for mirror images;
- for each number of discs from 0 to S * S, the row that is added to the sum of the entries;
- the weights of the H hidden units, which are rectified, then H / F rows with their biases;
- for each of the two outputs, F + H weights in (F + H) / F rows;
- one row whose first two numbers are the biases of the outputs.

Letters for shapes: N positions, S size, A = S * S + 1 actions, P placements of patterns, W entries, F = 8 features,
H = 32 hidden units, R rows.
"""

from __future__ import annotations

from pathlib import Path

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

__all__ = ["FEATURES", "HIDDEN", "CompiledAfterstates", "output", "tensor_shapes"]

FEATURES, HIDDEN = 8, 32
"""F, the numbers in an entry of a table, and H, the hidden units."""
_BIASES, _OUTPUT = HIDDEN // FEATURES, 1 + HIDDEN // FEATURES  # the rows of the biases, and of an output
_TAIL = HIDDEN + _BIASES + 2 * _OUTPUT + 1  # the rows from the hidden units on
_LOGIT, _VALUE = 0, 1
_0 = np.uint64(0)


def tensor_shapes(size: int) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the network's tensors on a board of this size, in the order of a file."""
    return {
        "table": (layout(size).weights, FEATURES),
        "discs": (size**2 + 1, FEATURES),
        "hidden.weight": (HIDDEN, FEATURES),
        "hidden.bias": (HIDDEN,),
        "out.weight": (2, FEATURES + HIDDEN),
        "out.bias": (2,),
    }


@kernel(no_refcount=True)
def output(
    number: Int,
    sign: Int,
    discs: Int,
    squares: Int,
    configuration: npt.NDArray[np.int16],
    rows: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int64],
) -> np.float32:
    """An output of the network for one board.

    Args:
        number: which output: 0 for the logit of the move that led to the board, 1 for the board's value before tanh.
        sign: 1 if the configurations are from the point of view of the player for whom the board is evaluated,
            otherwise -1.
        discs: the number of discs on the board.
        squares: the number of squares of the board.
        configuration: (at least P,) the configurations of the board.
        rows: (R, F), all numbers of the network.
        offsets: (P,), the entry of each placement whose configuration is 0.
    """
    tail = len(rows) - _TAIL
    row = rows[tail - 1 - squares + discs]
    a, b, c, d, e, f, g, h = row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
    for p in range(len(offsets)):
        row = rows[offsets[p] + sign * configuration[p]]
        a += row[0]
        b += row[1]
        c += row[2]
        d += row[3]
        e += row[4]
        f += row[5]
        g += row[6]
        h += row[7]
    biases = tail + HIDDEN
    out = biases + _BIASES + number * _OUTPUT
    row = rows[out]
    total = rows[len(rows) - 1, number] + a * row[0] + b * row[1] + c * row[2] + d * row[3]
    total += e * row[4] + f * row[5] + g * row[6] + h * row[7]
    for k in range(HIDDEN):
        row = rows[tail + k]
        unit = rows[biases + k // FEATURES, k % FEATURES] + a * row[0] + b * row[1] + c * row[2] + d * row[3]
        unit += e * row[4] + f * row[5] + g * row[6] + h * row[7]
        total += max(unit, np.float32(0)) * rows[out + 1 + k // FEATURES, k % FEATURES]
    return np.float32(total)


@kernel
def _answers(
    own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], tables: Tables, size: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The logits of the actions in N positions, (N, A), 0 except for moves, and the values before tanh, (N,)."""
    logits = np.zeros((len(own), size * size + 1), np.float32)
    values = np.empty(len(own), np.float32)
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    after = np.empty_like(configuration)
    rows, offsets, squares = tables.weights, tables.offsets, size * size
    for i in range(len(own)):
        discs = np.int64(popcount(own[i] | opponent[i]))
        configure(own[i], opponent[i], tables, configuration)
        values[i] = output(_VALUE, 1, discs, squares, configuration, rows, offsets)
        legal = legal_moves(own[i], opponent[i], tables.board)
        while legal != _0:
            disc = legal & (_0 - legal)
            legal ^= disc
            square = square_of(disc)
            follow(configuration, square, flips(disc, own[i], opponent[i]), tables, after)
            logits[i, square_to_action(square, size)] = output(_LOGIT, 1, discs + 1, squares, after, rows, offsets)
    return logits, values


class CompiledAfterstates:
    """The network `afterstates` of a file.

    Args:
        file: what the file holds.

    Attributes:
        size: the board's size.
        tables: the patterns, whose `weights` are all numbers of the network, (R, F).

    Raises:
        ValueError: the tensors are not those of this network.
    """

    function = "afterstates"

    def __init__(self, file: NetworkFile) -> None:
        self._file = file
        self.size = check_size(file.size)
        places, tensors = layout(self.size), file.tensors
        wanted = tensor_shapes(self.size)
        shapes = {name: tensor.shape for name, tensor in tensors.items()}
        if shapes != wanted or file.options:
            raise ValueError(f"expected the tensors {wanted} of an afterstates network, got {str(shapes)[:400]}")
        table, *layers = (tensors[name].astype(np.float32) for name in wanted)
        layers.append(np.zeros(FEATURES - 2, np.float32))  # fills the last row
        shared = np.minimum(places.mirrors, np.arange(places.weights))
        rows = np.concatenate(
            [
                table[shared],
                *(layer.reshape(-1, FEATURES) for layer in layers[:-2]),
                np.concatenate(layers[-2:])[np.newaxis],
            ]
        )
        self.tables = Tables(rows, places.deltas, places.offsets, places.looked_up, BOARDS[self.size])

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
        logits, values = _answers(own, opponent, self.tables, self.size)
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
