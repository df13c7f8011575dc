"""Policies for leagues on 4x4."""

import numpy as np
import pytest

from othello_agents.ntuple import NTupleNetwork
from othello_env.agent import Agent


class Ranked(Agent):
    """Plays the legal action that comes first in a fixed order of all actions. Each number gives another order."""

    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return f"ranked {self.number}"

    def act(self, state, *, seconds_left=None):
        return min(state.legal_actions(), key=lambda action: (action + 1) * self.number % 31)

    def act_batch(self, batch):
        masks = batch.masks()
        return np.where(masks, (np.arange(1, masks.shape[1] + 1) * self.number) % 31, 99).argmin(axis=1)


@pytest.fixture
def ranked():
    return Ranked


@pytest.fixture(scope="session")
def weights(tmp_path_factory):
    """`weights(seed)` writes n-tuple weights for 4x4 and returns the path of their file."""
    folder = tmp_path_factory.mktemp("weights")

    def make(seed):
        path = folder / f"{seed}.npz"
        if not path.exists():
            network = NTupleNetwork(4)
            network.weights[:] = np.random.default_rng(seed).normal(size=network.weights.shape)
            network.save(path)
        return path

    return make
