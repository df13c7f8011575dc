"""Examples as a dataset of PyTorch: each example once an epoch, in another order each epoch."""

import multiprocessing
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is an optional extra")

from torch.utils.data import DataLoader  # noqa: E402

from othello_env.data import Dataset, GamesError, examples, random_games  # noqa: E402
from othello_env.data.torch import ExampleDataset  # noqa: E402


def epoch(loader):
    """The game, the ply and the action of each example of an epoch, in order."""
    batches = list(loader)
    return np.concatenate([torch.stack([b["game"], b["ply"], b["action"]], dim=1).numpy() for b in batches]).tolist()


@pytest.mark.parametrize(("workers", "persist"), [(0, False), (2, False), (2, True)])
def test_an_epoch_has_each_example_once_and_its_own_order(tmp_path, workers, persist):
    made = Dataset.make(tmp_path, {}, 25, 10, lambda first, n: random_games(n, size=4, first=first))
    whole = next(examples(random_games(25, size=4), 10_000))
    expected = np.stack([whole.game, whole.ply, whole.action], axis=1).tolist()
    loader = DataLoader(
        ExampleDataset(made.folder, 16), batch_size=None, num_workers=workers, persistent_workers=persist
    )
    torch.manual_seed(1)
    one, two = epoch(loader), epoch(loader)
    assert sorted(one) == sorted(two) == expected
    assert one != two
    if not persist:
        torch.manual_seed(1)
        assert epoch(loader) == one


def test_without_shuffling_the_examples_keep_their_order():
    games = random_games(5, size=4)
    (batch,) = DataLoader(ExampleDataset(games, shuffle=False), batch_size=None)
    expected = next(examples(games, 10_000))
    for name, array in vars(expected).items():
        np.testing.assert_array_equal(batch[name].numpy(), array, err_msg=name)
    with pytest.raises(ValueError, match="batch_size must be at least 1, not 0"):
        ExampleDataset(games, 0)


RUN = """
import multiprocessing, runpy, sys
from othello_env.data import Dataset, random_games
Dataset.make("random-games", {}, 25, 10, lambda first, n: random_games(n, first=first))
multiprocessing.set_start_method(sys.argv[1])
runpy.run_path("torch_dataset.py", run_name="__main__")
"""


@pytest.mark.parametrize("workers", [0, 2])
def test_a_damaged_part_ends_an_epoch_with_its_name(tmp_path, workers):
    made = Dataset.make(tmp_path, {}, 30, 10, lambda first, n: random_games(n, size=4, first=first))
    (tmp_path / "games-000001.npz").write_bytes(b"PK")
    with pytest.raises(GamesError, match=r"games-000001\.npz cannot be read"):
        list(DataLoader(ExampleDataset(made.folder), batch_size=None, num_workers=workers))


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_the_example_of_the_documentation_runs(tmp_path, method):
    """In a process that has compiled some kernels, with workers that compile or load others."""
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "data.md").read_text(encoding="utf-8")
    example = re.search(r"^# torch_dataset.py\n.*?(?=^```)", page, re.DOTALL | re.MULTILINE)
    assert example is not None
    (tmp_path / "torch_dataset.py").write_text(f"{example[0]}        print(len(action))\n")
    done = subprocess.run(
        [sys.executable, "-c", RUN, method], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sum(map(int, done.stdout.split())) > 25 * 50
