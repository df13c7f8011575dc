"""An agent that plays by the policy in an ONNX file.

Any library may have written the file. ONNX Runtime (the extra ``onnx``) runs the policy.

The model's first input is the observations, (N, 2, S, S) float32 or int8: the player's discs and the opponent's discs.
A second input is optional: the masks of legal actions, (N, A) float32 or int8. The first output is the logits of the
actions, (N, A) of any float type. The logits of illegal actions do not matter. N should be a dynamic dimension, so that
one run takes any number of positions. If N is fixed at 1, the model runs once for each position.

Weights may also be in other files of the model's folder; PyTorch's exporter can write such files. All files are read
when the model is loaded. Later changes of the files have no effect. A model is a program, so it can use any amount of
time and memory. Load models only from authors whom you trust.

Letters for shapes: N positions, S size (4, 6 or 8), A = S * S + 1 actions.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_agents.network.policy import PolicyAgent, softmax
from othello_env.games.othello.position import check_size
from othello_env.support.extras import import_extra
from othello_env.support.files import read_file

__all__ = ["OnnxNetwork", "agent_from_file"]

_LARGEST_FILE = 2 << 30  # bytes; the format, Protocol Buffers, allows no larger file
_LOCATION = re.compile(rb"\x0a\x08location\x12([\x01-\x7f])")
"""In a model, these bytes stand before the name of a file with weights. They hold the key ``location`` and the name's
length."""
_DTYPES = {"tensor(float)": np.float32, "tensor(int8)": np.int8}


class OnnxNetwork:
    """The policy in an ONNX file. ONNX Runtime runs it on the CPU.

    Args:
        path: the file.

    Attributes:
        size: the board's size.

    Raises:
        FileNotFoundError: the file does not exist.
        MissingExtraError: ONNX Runtime is not installed.
        OSError: the path is not a regular file, or the file cannot be read.
        ValueError: the file is damaged or holds no policy for Othello; the message names the file and the fault.
    """

    def __init__(self, path: str | Path) -> None:
        import_extra("onnxruntime", "onnx")
        model = read_file(path, _LARGEST_FILE, "load a policy from")
        self._name = Path(path).name
        try:
            beside = {name: read_file(Path(path).with_name(name), _LARGEST_FILE) for name in _files_beside(model)}
            self._files = beside | {self._name: model}
            self._open()
        except Exception as error:  # ONNX Runtime's errors have no common class but Exception
            raise ValueError(f"{str(path)!r} is not an ONNX model that can be run: {error}") from error
        try:
            self.size = self._checked_size()
            n = 1 if self._one_by_one else 2
            squares = self.size**2
            self.policy(np.zeros((n, 2, self.size, self.size), np.int8), np.ones((n, squares + 1), np.int8))
        except ValueError as error:
            raise ValueError(f"{str(path)!r} is not a policy for Othello: {error}") from error

    def _open(self) -> None:
        """Make a session of ONNX Runtime from the contents of the files."""
        runtime = import_extra("onnxruntime", "onnx")
        options = runtime.SessionOptions()
        options.log_severity_level = 4  # errors are raised, so the log need not print them
        # ONNX Runtime maps files into memory, so a later change of a file would change the model. So the session gets
        # copies of the files, which no other program changes.
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            for name, data in self._files.items():
                (Path(folder) / name).write_bytes(data)
            self._session = runtime.InferenceSession(
                str(Path(folder) / self._name), options, providers=["CPUExecutionProvider"], disable_fallback=True
            )
        self._inputs = self._session.get_inputs()

    def __getstate__(self) -> dict[str, Any]:
        """All attributes but the session, which cannot be pickled. A copy of the object makes its own from `_files`."""
        return {name: value for name, value in vars(self).items() if name not in ("_session", "_inputs")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._open()

    def _checked_size(self) -> int:
        shapes = [tuple(given.shape) for given in self._inputs]
        board = shapes[0] if shapes else ()
        if len(shapes) not in (1, 2) or len(board) != 4 or board[1] != 2 or board[2] != board[3]:
            shown = ", ".join(f"{given.name} {given.shape}" for given in self._inputs)
            raise ValueError(f"its inputs must be observations (N, 2, S, S), and perhaps masks (N, A), not {shown}")
        for given in self._inputs:
            if given.type not in _DTYPES:
                raise ValueError(f"its input {given.name} must be {' or '.join(_DTYPES)}, not {given.type}")
        if isinstance(board[0], int) and board[0] != 1:
            raise ValueError(f"it takes {board[0]} positions at once; N must be free, or 1")
        return check_size(board[2])

    @property
    def _one_by_one(self) -> bool:
        return bool(self._inputs[0].shape[0] == 1)

    def policy(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        """The probabilities of the legal actions, and 0 for illegal actions.

        Args:
            observations: (N, 2, S, S).
            masks: (N, A), nonzero for legal actions. Each row has at least one legal action.

        Returns:
            (N, A) float64.

        Raises:
            ValueError: the model fails, or its first output is not (N, A) logits, or the logit of a legal action is not
                finite.
        """
        parts = [slice(i, i + 1) for i in range(len(masks))] if self._one_by_one else [slice(None)]
        logits = np.concatenate([self._logits(observations[part], masks[part]) for part in parts])
        if not np.isfinite(logits[masks != 0]).all():
            raise ValueError("its logits of legal actions are not all finite")
        return softmax(logits, masks)

    def _logits(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        arrays = zip(self._inputs, (observations, masks), strict=False)
        feed: dict[str, Any] = {given.name: array.astype(_DTYPES[given.type]) for given, array in arrays}
        try:
            answer = np.asarray(self._session.run(None, feed)[0])
        except Exception as error:  # ONNX Runtime's errors have no common class but Exception
            raise ValueError(f"it cannot be run on {len(masks)} positions: {error}") from error
        if answer.shape != masks.shape or not np.issubdtype(answer.dtype, np.floating):
            raise ValueError(
                f"its first output must be logits {masks.shape}, not {answer.dtype} of shape {answer.shape}"
            )
        return answer.astype(np.float64)


def _files_beside(model: bytes) -> set[str]:
    """The names of the files with weights that the model lists. Files in other folders are left out."""
    names = {
        model[match.end() : match.end() + match[1][0]].decode(errors="replace") for match in _LOCATION.finditer(model)
    }
    return {name for name in names if name == Path(name).name}


def agent_from_file(
    path: Path, temperature: float = 0.0, symmetric: bool = False, seed: int | None = None
) -> PolicyAgent:
    """Plays by a network's policy, without looking ahead.

    These are the agents of specs such as ``a.onnx`` and ``a.onnx:temperature=1``.

    Raises:
        FileNotFoundError: the file does not exist.
        MissingExtraError: ONNX Runtime is not installed.
        ValueError: the file holds no policy for Othello, or the temperature is out of its range.
    """
    return PolicyAgent(OnnxNetwork(path), temperature, str(path), seed, symmetric=symmetric)
