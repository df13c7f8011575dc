"""A stream as a dataset of PyTorch: the same batches for any number of workers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")

from torch.utils.data import DataLoader  # noqa: E402

from othello_env.sequences import SequenceStream  # noqa: E402
from othello_env.sequences.torch import SequenceDataset  # noqa: E402


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_stream_has_the_same_batches_for_any_number_of_workers(workers):
    stream = SequenceStream(4, game="othello:size=4", seed=2, first=1, count=7, boards=True, legal=True)
    loader = DataLoader(SequenceDataset(stream), batch_size=None, num_workers=workers)
    for _ in range(2):
        for found, batch in zip(loader, stream, strict=True):
            assert found.keys() == vars(batch).keys()
            for name, array in vars(batch).items():
                assert isinstance(found[name], torch.Tensor)
                np.testing.assert_array_equal(found[name].numpy(), array, err_msg=name)
    (short,) = SequenceDataset(SequenceStream(4, count=1))
    assert [*short] == ["tokens"]


@pytest.mark.parametrize("workers", [0, 2])
def test_each_rank_gets_its_own_batches_in_turn(monkeypatch, workers):
    stream, found = SequenceStream(4, game="othello:size=4", seed=2, first=1, count=12), [None] * 12
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 3)
    for rank in range(3):
        monkeypatch.setattr(torch.distributed, "get_rank", lambda rank=rank: rank)
        loader = DataLoader(SequenceDataset(stream), batch_size=None, num_workers=workers)
        found[rank::3] = [batch["tokens"].numpy() for batch in loader]
    np.testing.assert_array_equal(found, [batch.tokens for batch in stream])
