"""The folder of a fit of n-tuple weights, with the labelled positions and the weights of each round.

``recipe.json`` holds the settings that determine all other files. The file ``weights-000.npz`` has the weights at the
beginning of round 0. The positions that are labelled with these weights are stored in parts: in the files
``labels-000-000.npz``, ``labels-000-001.npz`` and so on. At the end of round 0, weights are fitted to the labels. These
new weights are in ``weights-001.npz``, and round 1 begins with them. Each file is written completely or not at all. If
a file is missing or damaged, run the same command again: it makes the file again, with the same content.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.fitting import Examples
from othello_env.support.arrays import DAMAGE, Member
from othello_env.support.files import parse_json, read_file, write_file, write_json

__all__ = ["HELD_OUT", "FitFolder", "Labels"]

HELD_OUT = 20
"""The positions of every 20th game are held out: they only measure the error, and no weights are fitted to them."""
_FORMAT = "othello-env n-tuple fit 1"
_LARGEST = 1 << 28  # bytes of a part
_TYPES = {"own": np.uint64, "opponent": np.uint64, "values": np.float32, "games": np.int64}


class Labels(NamedTuple):
    """N labelled positions from numbered games.

    Attributes:
        rows: the positions and their labels (N rows).
        games: for each position, the number of its game, (N,) int64.
    """

    rows: Examples
    games: npt.NDArray[np.int64]

    @classmethod
    def joined(cls, parts: list[Labels]) -> Labels:
        """Join the labelled positions of several parts."""
        games = np.concatenate([part.games for part in parts])
        return cls(Examples.joined([part.rows for part in parts]), games)

    def examples(self, *, held_out: bool) -> Examples:
        """If `held_out` is true, the result has the held-out positions, otherwise all other positions."""
        return self.rows.part((self.games % HELD_OUT == 0) == held_out)


class FitFolder:
    """A folder with the files of a fit.

    Args:
        folder: a new folder, or the folder of a fit with the same recipe.
        recipe: the settings that determine all files, as values for JSON.

    Raises:
        OSError: the folder cannot be read or written.
        ValueError: the folder holds other files, or a fit with another recipe.
    """

    def __init__(self, folder: Path, recipe: Mapping[str, Any]) -> None:
        self.folder = folder
        header = {"format": _FORMAT, "recipe": dict(recipe)}
        path = folder / "recipe.json"
        if not path.exists():
            if folder.exists() and any(folder.iterdir()):
                raise ValueError(f"--folder {folder} has files, but no recipe.json; give a new folder")
            folder.mkdir(parents=True, exist_ok=True)
            write_json(path, header)
        elif parse_json(read_file(path, 1 << 20)) != json.loads(json.dumps(header)):
            raise ValueError(f"--folder {folder} holds another fit; give another folder, or the same settings")

    def weights(self, number: int, make: Callable[[], NTupleNetwork]) -> NTupleNetwork:
        """The weights at the beginning of a round. If their file is missing or damaged, `make` makes them again."""
        path = self.folder / f"weights-{number:03d}.npz"
        try:
            return NTupleNetwork.load(path)
        except (FileNotFoundError, ValueError):
            network = make()
            network.save(path)
            return network

    def earlier_weights(self, number: int) -> NTupleNetwork:
        """The weights at the beginning of an earlier round.

        Raises:
            ValueError: the file of the weights is missing or damaged.
        """
        path = self.folder / f"weights-{number:03d}.npz"
        try:
            return NTupleNetwork.load(path)
        except FileNotFoundError:
            raise ValueError(f"{path} is missing; give the same command again") from None

    def labels(self, number: int, part: int, games: range, make: Callable[[range], Labels]) -> Labels:
        """A part of the labelled positions of a round. If its file is missing or damaged, `make` makes it again.

        Args:
            number: the number of the round.
            part: the number of the part.
            games: the numbers of the games from which the part's positions come.
            make: a function that labels the positions of these games.
        """
        path = self.folder / f"labels-{number:03d}-{part:03d}.npz"
        try:
            return _read(path)
        except DAMAGE:  # includes OSError, so a missing file is made, too
            labels = make(games)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **labels.rows._asdict(), games=labels.games)
        write_file(path, buffer.getvalue())
        return labels


def _read(path: Path) -> Labels:
    """Read a part from its file.

    If the file is missing or damaged, this raises one of the errors in `DAMAGE`.
    """
    with zipfile.ZipFile(io.BytesIO(read_file(path, _LARGEST))) as archive:
        # Before version 2.2, `np.savez_compressed` did not know the argument `allow_pickle`, and stored it as an array.
        # Files with this array exist.
        found = [name for name in archive.namelist() if name != "allow_pickle.npy"]
        if sorted(found) != sorted(f"{name}.npy" for name in _TYPES):
            raise ValueError(f"expected the arrays {', '.join(_TYPES)}")
        members = {name: Member(archive, name) for name in _TYPES}
        length = members["own"].shape
        for name, member in members.items():
            if member.dtype != _TYPES[name] or member.shape != length or len(length) != 1:
                raise ValueError(f"the array {name} has a wrong type or shape")
        columns = {name: member.read() for name, member in members.items()}
    games = columns.pop("games")
    return Labels(Examples(**columns), games)
