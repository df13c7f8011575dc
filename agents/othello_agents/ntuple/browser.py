"""The weights of an n-tuple network for JavaScript, which plays by them in a browser."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from othello_agents.ntuple.discs import DISCS
from othello_agents.ntuple.network import NTupleNetwork
from othello_env.games.othello.bitboard import ACTION_SQUARES

__all__ = ["browser_tables"]


def browser_tables(network: NTupleNetwork) -> dict[str, Any]:
    """The network as values for JSON.

    Returns:
        A dict with these keys:

        - ``size``, ``stages``: the board's size and the number of stages.
        - ``offsets``, ``squares``: for each placement, its offset (see `Layout.offsets`) and its squares as actions,
          the square of the lowest digit first.
        - ``discs``: two numbers that turn a value into discs (see `othello_agents.ntuple.discs`).
        - ``weights``: the weights of all stages as float16, deflated, in base64: first the low bytes, then the high
          ones.
    """
    places, actions = network.layout, ACTION_SQUARES[network.size]
    columns = places.deltas[list(actions), : places.looked_up].T
    squares = [sorted(np.flatnonzero(column).tolist(), key=column.__getitem__) for column in columns]
    halves = network.weights.astype("<f2").reshape(-1).view(np.uint8).reshape(-1, 2)
    packed = zlib.compress(np.ascontiguousarray(halves.T).tobytes(), 9)
    return {
        "size": network.size,
        "stages": network.stages,
        "offsets": places.offsets.tolist(),
        "squares": squares,
        "discs": list(DISCS["ntuple", network.size]),
        "weights": base64.b64encode(packed).decode(),
    }
