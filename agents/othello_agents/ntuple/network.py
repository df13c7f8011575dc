"""A network of lookup tables as an evaluation, and the file that it is kept in."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple import kernels
from othello_agents.ntuple.patterns import layout
from othello_env.agent import WrongGameError
from othello_env.files import write_file
from othello_env.games import bitboard
from othello_env.games.game import State
from othello_env.games.othello import Othello, check_size

__all__ = ["FORMAT", "NTupleNetwork"]

FORMAT = "othello-env n-tuple 2"
"""What a file's card calls its format; the number changes when the meaning of the arrays does."""

# What the readers of zip files and arrays raise where a file is damaged; json's errors are ValueErrors.
_DAMAGE = (
    EOFError,
    MemoryError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


class NTupleNetwork:
    """An evaluation of Othello positions, learned or to be.

    Letters for shapes: S stages of the game, W weights a stage.

    Args:
        size: of the board: 4, 6 or 8.
        stages: into how many equal parts the game is divided; each has weights of its own.
        weights: (S, W) float32, or None for zeros.
        training: what is known of the weights' origin: `games`, `seed` and so on, as JSON takes it.
        errors: (S, W, 2) float32, what a `Trainer` needs to go on: for each weight the sum of its errors and that of
            their sizes. None for a network that is not to go on, or has not begun.

    Raises:
        ValueError: there is no such size, or the weights or errors have another shape or are not finite.
    """

    def __init__(
        self,
        size: int = 8,
        stages: int = 1,
        weights: npt.NDArray[np.float32] | None = None,
        training: Mapping[str, Any] | None = None,
        errors: npt.NDArray[np.float32] | None = None,
    ) -> None:
        places = layout(check_size(size))
        if stages < 1:
            raise ValueError(f"stages must be at least 1, not {stages}")
        if weights is None:
            weights = np.zeros((stages, places.weights), np.float32)
        shape = (stages, places.weights)
        for name, array, expected in (("weights", weights, shape), ("errors", errors, (*shape, 2))):
            if array is None:
                continue
            if array.shape != expected:
                raise ValueError(
                    f"expected {name} of shape {expected} for size {size} and {stages} stages, got {array.shape}"
                )
            if not np.isfinite(array).all():
                raise ValueError(f"the {name} are not all finite")
        self.size = size
        self.stages = stages
        self.weights = np.ascontiguousarray(weights, np.float32)
        self.training = dict(training or {})
        self.errors = None if errors is None else np.ascontiguousarray(errors, np.float32)
        self.tables = kernels.Tables(
            self.weights,
            places.deltas,
            places.offsets,
            places.partners,
            places.looked_up,
            bitboard.BOARDS[size],
        )

    def __repr__(self) -> str:
        games = self.training.get("games", 0)
        return (
            f"<NTupleNetwork {self.size}x{self.size}, {self.stages} stages, {self.weights.size} weights, {games} games>"
        )

    def value(self, state: State, player: int) -> float:
        """The expected outcome for a player, -1 to +1; once the game is over, its result: +1, 0 or -1.

        The outcome is the mean of the result and the margin as a part of the board, so it tells narrow wins from
        large ones. The network knows positions by the player who has just moved; for the player to move it is the
        same with the opposite sign.

        Raises:
            WrongGameError: the state is no Othello position of this size.
        """
        state = self.checked(state)
        own, opponent = np.array([[state.opponent], [state.own]], np.uint64)
        value = float(kernels.evaluate(own, opponent, self.tables)[0])
        return -value if player == state.to_move else value

    def checked(self, state: State) -> Othello:
        """The state, if this network can evaluate it.

        Raises:
            WrongGameError: the state is no Othello position of this size.
        """
        if not isinstance(state, Othello) or state.size != self.size:
            shown = f"Othello of size {state.size}" if isinstance(state, Othello) else type(state).__name__
            raise WrongGameError(f"this network was trained for Othello of size {self.size}, not for {shown}")
        return state

    def save(self, path: str | Path, *, half: bool = False) -> None:
        """Write the network to an ``.npz`` file, whole or not at all.

        Args:
            path: of the file; its folders are made if need be.
            half: keep the weights alone, as float16, to play by and not to go on learning: a sixth of the space, and
                about three digits of each.

        Raises:
            OSError: it cannot be written.
        """
        card = {"format": FORMAT, "size": self.size, "stages": self.stages, "patterns": _patterns(self.size)}
        card["training"] = self.training
        arrays = {
            "card": np.array(json.dumps(card)),
            "weights": self.weights.astype(np.float16 if half else np.float32),
        }
        if self.errors is not None and not half:
            arrays["errors"] = self.errors
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **arrays)
        write_file(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The network of a file that `save` wrote.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: the file is damaged or is no such network; the message names it and says what is wrong.
        """
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {str(path)!r} to load n-tuple weights from")
        with path.open("rb") as file:
            return cls.read(file, str(path))

    @classmethod
    def read(cls, file: IO[bytes], name: str) -> Self:
        """`load` from an open file; `name` is what an error calls it.

        Raises:
            ValueError: as for `load`.
        """
        try:
            return cls._from_arrays(*_arrays(file))
        except _DAMAGE as error:
            raise ValueError(f"{name!r} is no file of n-tuple weights: {error}") from error

    @classmethod
    def _from_arrays(cls, card: Any, weights: npt.NDArray[Any], errors: npt.NDArray[Any] | None = None) -> Self:
        if not isinstance(card, dict) or card.get("format") != FORMAT:
            found = card.get("format") if isinstance(card, dict) else card
            raise ValueError(f"its card must say format {FORMAT!r}, not {found!r}")
        size, stages, training = card.get("size"), card.get("stages"), card.get("training")
        if size not in bitboard.SIZES or not isinstance(stages, int) or not isinstance(training, dict):
            raise ValueError(f"its card has a wrong size, stages or training: {card}")
        if not isinstance(training.get("games", 0), int) or not isinstance(training.get("seconds", 0.0), int | float):
            raise ValueError(f"its card has wrong numbers of games or seconds: {training}")
        if card.get("patterns") != _patterns(size):
            raise ValueError(f"its card names other patterns than this version's: {card.get('patterns')}")
        if weights.dtype not in (np.float16, np.float32):
            raise ValueError(f"expected weights of float16 or float32, got {weights.dtype}")
        if errors is not None and errors.dtype != np.float32:
            raise ValueError(f"expected errors of float32, got {errors.dtype}")
        return cls(size, stages, weights.astype(np.float32), training, errors)


def _patterns(size: int) -> list[list[Any]]:
    """The names and squares of the patterns, as a card has them."""
    return [[name, list(squares)] for name, squares in layout(size).patterns]


def _arrays(file: IO[bytes]) -> tuple[Any, ...]:
    """A file's card, parsed, its weights and perhaps its errors. A damaged or other file raises one of `_DAMAGE`."""
    with zipfile.ZipFile(file) as archive:
        found = archive.namelist()
        names = ["card.npy", "weights.npy", *(["errors.npy"] if "errors.npy" in found else [])]
        if sorted(names) != sorted(found):
            got = ", ".join(found) or "none"
            raise ValueError(f"expected the arrays card and weights, and perhaps errors, got {got}")
        # Each member is read whole first, so that its checksum is checked before anything of it is used.
        members = [io.BytesIO(archive.read(name)) for name in names]
    text, *arrays = (np.lib.format.read_array(member, allow_pickle=False) for member in members)
    if text.dtype.kind != "U" or text.shape != ():
        raise ValueError(f"its card must be a text, not {text.dtype} of shape {text.shape}")
    return json.loads(str(text)), *arrays
