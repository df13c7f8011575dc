"""Positions to search, and random weights."""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.network import layout
from othello_env import Othello

DATA = Path(__file__).parents[2] / "data"


class Endgame(NamedTuple):
    number: int
    state: Othello
    score: int
    best: set[int]
    moves: dict[int, int]


def read_ffo() -> list[Endgame]:
    with (DATA / "ffo.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found = []
    for row in rows:
        state = Othello.from_text(row["board"], row["to_move"])
        moves = dict(pair.split(":") for pair in row["moves"].split())
        found.append(
            Endgame(
                int(row["number"]),
                state,
                int(row["score"]),
                {state.action_from_text(name) for name in row["best"].split()},
                {state.action_from_text(name): int(score) for name, score in moves.items()},
            )
        )
    return found


@pytest.fixture(scope="session")
def ffo() -> list[Endgame]:
    return read_ffo()


@pytest.fixture(scope="session")
def weights(tmp_path_factory):
    """Files with random weights for each size; those for 8x8 are of a wide network."""
    folder = tmp_path_factory.mktemp("weights")
    files = {}
    for size in (4, 6, 8):
        rng = np.random.default_rng(size)
        values = rng.normal(0, 0.05, (3, layout(size, size == 8).weights)).astype(np.float32)
        files[size] = folder / f"{size}.npz"
        NTupleNetwork(size, 3, values, wide=size == 8).save(files[size])
    return files
