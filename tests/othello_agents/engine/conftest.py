"""Positions to search."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from othello_env import Othello
from othello_env.games.hashing import draw

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
def random_position() -> Callable[..., Othello]:
    """`random_position(key, empty)`: a position from a random game with `empty` empty squares, maybe a forced pass."""

    def position(key: int, empty: int, size: int = 8) -> Othello:
        for game in range(key << 16, (key + 1) << 16):
            state = Othello(size)
            while not state.is_over and size**2 - sum(state.discs()) > empty:
                legal = state.legal_actions()
                state = state.play(legal[draw(game, len(state.moves), len(legal))])
            if not state.is_over:
                return state
        raise AssertionError(f"no random game reaches {empty} empty squares")

    return position
