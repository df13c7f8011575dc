"""Training examples from games as a dataset of PyTorch.

The extra ``torch`` of this package installs PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.data.dataset import Dataset
from othello_env.data.examples import examples
from othello_env.data.games import Games
from othello_env.games.hashing import mix_int
from othello_env.support.extras import extra_class, import_extra

__all__ = ["ExampleDataset"]


class ExampleDataset(extra_class("torch.utils.data", "IterableDataset")):
    """Batches of examples for a `torch.utils.data.DataLoader`.

    Call ``DataLoader(dataset, batch_size=None, num_workers=...)``. A batch is a dict with the arrays of
    `othello_env.data.Examples`, which the loader turns into tensors. If the loader has W workers, each worker gets
    every W-th game, so an epoch has each example once. The last batch that a worker makes from the games, or from a
    part of a dataset, may be smaller.

    Each epoch has another order. PyTorch's random numbers determine it, so `torch.manual_seed` repeats it for the same
    number of workers. The parts of a dataset always come in the same order.

    Args:
        games: the games, a dataset, or the folder of a dataset.
        batch_size: the number of examples in a batch.
        shuffle: whether to shuffle the examples; see `othello_env.data.examples`.
        symmetric: whether to turn or mirror each board at random (Othello only).
        passes: whether to include positions in which the player must pass.

    Raises:
        MissingExtraError: PyTorch is not installed.
        OSError: the folder has no dataset, or the dataset cannot be read.
        GamesError: the dataset is damaged.
        ValueError: the batch size is below 1.
    """

    def __init__(
        self,
        games: Games | Dataset | str | Path,
        batch_size: int = 4096,
        *,
        shuffle: bool = True,
        symmetric: bool = False,
        passes: bool = True,
    ) -> None:
        import_extra("torch.utils.data", "torch")
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        self._games = Dataset(games) if isinstance(games, str | Path) else games
        self._batch_size = batch_size
        self._shuffle, self._symmetric, self._passes = shuffle, symmetric, passes
        self._epoch = 0

    def __iter__(self) -> Iterator[dict[str, npt.NDArray[Any]]]:
        torch = import_extra("torch", "torch")
        info = import_extra("torch.utils.data", "torch").get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        # All workers get one seed from the loader. Workers that persist keep it, so the epochs are counted too.
        if info is None:
            seed = int(torch.randint(2**62, ()))
        else:
            seed = mix_int((info.seed - info.id) % 2**64, self._epoch)
            self._epoch += 1
        first = 0
        for number, games in enumerate([self._games] if isinstance(self._games, Games) else self._games):
            mine = np.arange(worker, len(games), workers)
            order = mix_int(mix_int(seed, number), worker) if self._shuffle else None
            for batch in examples(
                games[mine], self._batch_size, seed=order, symmetric=self._symmetric, passes=self._passes
            ):
                yield {**vars(batch), "game": first + mine[batch.game]}
            first += len(games)
