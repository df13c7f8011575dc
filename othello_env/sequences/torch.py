"""Sequences of tokens as a dataset of PyTorch.

The extra ``torch`` of this package installs PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from othello_env.sequences.labels import SequenceStream
from othello_env.support.extras import extra_class, import_extra

__all__ = ["SequenceDataset"]


class SequenceDataset(extra_class("torch.utils.data", "IterableDataset")):
    """The batches of a `SequenceStream` for a `torch.utils.data.DataLoader`.

    Call ``DataLoader(dataset, batch_size=None, num_workers=...)``. A batch is a dict with `tokens` and the labels that
    the stream makes, as tensors; see `othello_env.sequences.Sequences`. The batches and their order are those of the
    stream, for any number of workers.

    If `torch.distributed` is initialised when the dataset is made, the R ranks take turns: a rank gets every R-th
    batch. With a `count` that is no multiple of R, some ranks get a batch more than others.

    Args:
        stream: the stream.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """

    def __init__(self, stream: SequenceStream) -> None:
        import_extra("torch.utils.data", "torch")
        self._stream = stream
        distributed = import_extra("torch.distributed", "torch")
        is_one_of_many = distributed.is_available() and distributed.is_initialized()
        self._rank, self._ranks = (distributed.get_rank(), distributed.get_world_size()) if is_one_of_many else (0, 1)

    def __iter__(self) -> Iterator[dict[str, npt.NDArray[Any]]]:
        info = import_extra("torch.utils.data", "torch").get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for number in self._stream.numbers(self._rank + self._ranks * worker, self._ranks * workers):
            yield {name: array for name, array in vars(self._stream.batch(number)).items() if array is not None}
