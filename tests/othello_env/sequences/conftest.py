"""A variant of the rules."""

import sys
from pathlib import Path

import pytest

from othello_env.games import registry


@pytest.fixture(scope="module")
def nomidflip():
    from othello_env.support.imports import import_object

    yield import_object(f"{Path(__file__).parents[2] / 'toy' / 'nomidflip.py'}:NoMidFlip")
    del registry._GAMES["nomidflip"]  # other tests know only the package's own games
    sys.modules.pop("nomidflip")
