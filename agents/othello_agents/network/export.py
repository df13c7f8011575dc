"""Writes a policy and value network to an ONNX file, which any program with ONNX Runtime can run.

The inputs are `observations`, (N, 2, S, S) int8, and `masks`, (N, A) int8. The outputs are `logits`, (N, A) float32,
and `values`, (N,) float32. The logit of each illegal action is a large negative number. Letters for shapes: N
positions, S size, A = S * S + 1 actions. PyTorch and the package `onnx` (the extra ``export``) do the work.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any, Protocol

from othello_env.support.extras import import_extra
from othello_env.support.files import write_file

__all__ = ["Exportable", "write_onnx"]

_INPUTS, _OUTPUTS = ["observations", "masks"], ["logits", "values"]


class Exportable(Protocol):
    """A network that can be exported: it has the board's size and a method `forward`."""

    size: int

    def forward(self, observations: Any, masks: Any) -> tuple[Any, Any]: ...


def write_onnx(network: Exportable, path: str | Path) -> None:
    """Write a network to an ONNX file, completely or not at all.

    Args:
        network: the network. Its weights must be on the CPU, with ``requires_grad=False``.
        path: the file.

    Raises:
        MissingExtraError: PyTorch or the package `onnx` is not installed.
        OSError: the file cannot be written.
    """
    torch = import_extra("torch", "export")
    import_extra("onnx", "export")

    class Module(torch.nn.Module):  # type: ignore[misc, name-defined]  # a class of an optional package
        def forward(self, observations: Any, masks: Any) -> tuple[Any, Any]:
            return network.forward(observations, masks)

    boards = torch.zeros((1, 2, network.size, network.size), dtype=torch.int8)
    masks = torch.ones((1, network.size**2 + 1), dtype=torch.int8)
    data = io.BytesIO()
    with torch.no_grad(), warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        torch.onnx.export(  # with `dynamo=False`, since PyTorch's newer exporter needs another package
            Module(),
            (boards, masks),
            data,
            input_names=_INPUTS,
            output_names=_OUTPUTS,
            dynamic_axes={name: {0: "N"} for name in (*_INPUTS, *_OUTPUTS)},
            dynamo=False,
        )
    write_file(path, data.getvalue())
