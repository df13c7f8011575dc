"""A policy network that looks at the board after each legal move (the move's afterstate).

The network makes the board after each legal move by the rules. An evaluation of this board is the move's logit. A
convolutional network must learn which discs a move turns; this network knows it. The idea of afterstates is from Sutton
and Barto, "Reinforcement Learning" (2nd edition, 2018), section 6.8.

The evaluation is an n-tuple network. Each pattern of squares has a table, as in `othello_agents.ntuple.network`. An
entry of a table is not one number, but `FEATURES` numbers. The sum of a board's entries goes through a small dense
network with two outputs. The first output is the logit of the move that led to the board. The second output, for the
board before the move, gives the value of the position.

Letters for shapes: N positions, S size, A = S * S + 1 actions, M legal moves of all positions together, B boards, P
placements of patterns, W entries of the tables, F features.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_agents.network.compiled import FEATURES, HIDDEN
from othello_agents.ntuple.network import layout
from othello_env.games.othello.bitboard import ACTION_SQUARES
from othello_env.games.othello.position import check_size
from othello_env.support.extras import extra_class, import_extra

__all__ = ["Afterstates"]

_BASE = 3**5
_DIRECTIONS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if (row, column) != (0, 0)]
_Tensor = Any  # torch.Tensor, if PyTorch is installed


class Afterstates(extra_class("torch.nn", "Module")):
    """A policy and value network on afterstates, as a `torch.nn.Module`.

    ``forward(observations, masks)`` has the interface that `othello_agents.network.torch_network` describes. A board
    and its seven symmetric copies have the same evaluation. So the option ``symmetric=true`` of an agent changes
    nothing.

    Args:
        size: the board's size: 4, 6 or 8.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ValueError: the size is wrong.
    """

    def __init__(self, size: int = 8) -> None:
        torch = import_extra("torch", "torch")
        super().__init__()
        self.size = check_size(size)
        shape = layout(size)
        deltas = shape.deltas[list(ACTION_SQUARES[size]), : shape.looked_up]
        # A pattern that a symmetry maps to itself has pairs of configurations that must share an entry.
        shared = np.minimum(shape.mirrors, np.arange(shape.weights))
        for name, array in {
            "rays": _rays(size),
            "deltas": np.concatenate(_parts(deltas), axis=1).astype(np.float32),
            "offsets": shape.offsets.astype(np.int32),
            "shared": shared.astype(np.int32),
        }.items():
            self.register_buffer(name, torch.from_numpy(array), persistent=False)
        self.table = torch.nn.Parameter(torch.zeros(shape.weights, FEATURES))
        self.discs = torch.nn.Parameter(torch.zeros(size * size + 1, FEATURES))
        self.hidden = torch.nn.Linear(FEATURES, HIDDEN)
        self.out = torch.nn.Linear(FEATURES + HIDDEN, 2)

    def forward(self, observations: _Tensor, masks: _Tensor) -> tuple[_Tensor, _Tensor]:
        torch = import_extra("torch", "torch")
        with torch.autocast(observations.device.type, enabled=False):  # sums in bfloat16 would lose small differences
            boards = (observations[:, 0].float() - observations[:, 1].float()).flatten(1)
            positions, moves = masks[:, :-1].nonzero(as_tuple=True)
            outputs = self.evaluate(torch.cat([self.play(boards[positions], moves), boards]))
            count = moves.shape[0]  # not `len`, which the export to ONNX would take as a constant
            logits = torch.zeros(masks.shape, device=observations.device)
            logits = logits.index_put((positions, moves), outputs[:count, 0])  # a pass keeps the logit 0
            return logits, torch.tanh(outputs[count:, 1])

    def play(self, boards: _Tensor, moves: _Tensor) -> _Tensor:
        """The boards after legal moves.

        Args:
            boards: (M, S * S) floats: 1 for a disc of the player to move, -1 for a disc of the opponent, 0 for empty.
            moves: (M,) integers, a legal move on each board.

        Returns:
            (M, S * S), from the point of view of the player who moved.
        """
        torch = import_extra("torch", "torch")
        empty = torch.zeros_like(boards[:, :1])  # the square with the number S * S, for the ends of the rays
        boards = torch.cat([boards, empty], dim=1)
        rays = self.rays[moves].flatten(1)
        cells = boards.gather(1, rays).unflatten(1, (len(_DIRECTIONS), self.size - 1))
        run = (cells != -1).int().cumsum(2) == 0  # the opponent's discs before the first other square
        after_run = run.sum(2, keepdim=True).clamp(max=self.size - 2)
        turned = run & (cells.gather(2, after_run) == 1)
        boards = boards.scatter_add(1, rays, 2 * turned.flatten(1).float())
        return boards.scatter(1, moves[:, None], 1.0)[:, :-1]

    def evaluate(self, boards: _Tensor) -> _Tensor:
        """Two evaluations of each board, (B, 2): the logit of a move that leads to it, and its value before tanh.

        Args:
            boards: (B, S * S) floats, as for `play`.
        """
        torch = import_extra("torch", "torch")
        low, high = (boards @ self.deltas).int().chunk(2, dim=1)
        entries = low + _BASE * high + self.offsets  # (B, P)
        entries = self.shared.index_select(0, entries.flatten()).view(entries.shape)
        features = _sum_of_entries(self.table, entries) + self.discs[(boards != 0).sum(1)]
        hidden = torch.relu(self.hidden(features))
        return self.out(torch.cat([features, hidden], dim=1))


def _parts(deltas: npt.NDArray[np.int16]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Split powers of 3 into two parts: ``low + _BASE * high``.

    The numbers in both parts are at most 81. So a product of matrices is exact, also if PyTorch or ONNX Runtime rounds
    its factors to TF32 or bfloat16, as some settings for a GPU do.
    """
    high, low = np.divmod(deltas.astype(np.int64), _BASE)
    return low, high


def _rays(size: int) -> npt.NDArray[np.int64]:
    """The squares from each square to the edge in each direction, (S * S, 8, S - 1). After the edge comes S * S."""
    rays = np.full((size * size, len(_DIRECTIONS), size - 1), size * size)
    for square in range(size * size):
        for k, (down, right) in enumerate(_DIRECTIONS):
            row, column = divmod(square, size)
            for step in range(size - 1):
                row, column = row + down, column + right
                if not (0 <= row < size and 0 <= column < size):
                    break
                rays[square, k, step] = size * row + column
    return rays


def _sum_of_entries(table: _Tensor, entries: _Tensor) -> _Tensor:
    """The sums of some rows of a table: (W, F) floats and (B, P) integers give (B, F)."""
    torch = import_extra("torch", "torch")
    # The exporter would make a loop of an embedding bag, and Apple's GPUs may lack it.
    if torch.onnx.is_in_onnx_export() or table.device.type == "mps":
        return table[entries.long()].sum(1)
    if torch.is_grad_enabled():
        return _lookup().apply(table, entries)
    return torch.nn.functional.embedding_bag(entries, table, mode="sum")


@cache
def _lookup() -> Any:
    """The differentiable `_sum_of_entries`. On a CPU, its gradient is much faster than that of an embedding bag."""
    torch = import_extra("torch", "torch")

    class Lookup(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, table: Any, entries: Any) -> Any:
            context.save_for_backward(entries)
            context.shape = table.shape
            return torch.nn.functional.embedding_bag(entries, table, mode="sum")

        @staticmethod
        def backward(context: Any, gradients: Any) -> Any:
            (entries,) = context.saved_tensors
            rows = gradients[:, None].expand(*entries.shape, -1)
            table = torch.zeros(context.shape, dtype=gradients.dtype, device=gradients.device)
            return table.index_put_((entries.long(),), rows, accumulate=True), None

    return Lookup
