"""The agent that plays by an n-tuple network."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from othello_agents.ntuple import kernels
from othello_agents.ntuple.discs import expected_discs
from othello_agents.ntuple.network import NTupleNetwork
from othello_env.agent import Agent, WrongGameError, as_othello, check_not_over, spec_text
from othello_env.games.batch import Positions
from othello_env.games.game import State
from othello_env.games.othello.batch import OthelloPositions

__all__ = ["ENGINE_SIZES", "SHIPPED_SIZES", "NTupleAgent", "agent_from_file", "agent_from_spec", "shipped_network"]

SHIPPED_SIZES = (6, 8)
"""The sizes of boards for which trained weights come with the package."""
ENGINE_SIZES = (8,)
"""The sizes of boards for which the package also has weights that are only for the search of the agent `engine`."""
_WHO = "n-tuple networks play"


class NTupleAgent(Agent):
    """Looks one ply ahead and plays the action with the highest value (the lowest action if several are equal).

    Args:
        network: gives the values. None stands for the packaged network of the board's size.
        name: the agent's name.
    """

    unit = "mean of result and margin"
    """The unit of the agent's values (see `NTupleNetwork.value`)."""
    batch_microseconds = 1.3

    def __init__(self, network: NTupleNetwork | None = None, name: str = "ntuple") -> None:
        self._network = network
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def network(self, size: int = 8) -> NTupleNetwork:
        """The network for a board of this size.

        Raises:
            WrongGameError: there is no network for this size.
        """
        network = shipped_network(size) if self._network is None else self._network
        if network.size != size:
            raise WrongGameError(f"{self._name} was trained for Othello of size {network.size}, not {size}")
        return network

    def check_game(self, state: State) -> None:
        self.network(as_othello(state, _WHO).size)

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        position = as_othello(state, _WHO)
        check_not_over(position)
        own, opponent = np.array([[position.own], [position.opponent]], np.uint64)
        tables = self.network(position.size).tables
        return int(kernels.best_actions(own, opponent, tables, position.size)[0])

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        if not isinstance(batch, OthelloPositions):
            return super().act_batch(batch)
        tables = self.network(batch.size).tables
        return kernels.best_actions(batch.own, batch.opponent, tables, batch.size)

    def evaluate(self, state: State, player: int) -> float:
        """The expected mean of result and margin for a player, -1 to +1 (see `NTupleNetwork.value`)."""
        return self.network(as_othello(state, _WHO).size).value(state, player)

    def action_values(self, state: State) -> dict[int, float]:
        """The value of each legal action for the player to move, -1 to +1, in the unit `unit`."""
        return {action: self.evaluate(state.play(action), state.to_move) for action in state.legal_actions()}

    def expected_discs(self, state: State, value: float) -> float:
        """The final lead in discs that a value of the position stands for."""
        return expected_discs(value, as_othello(state, _WHO))


def agent_from_spec(weights: Path | None = None) -> NTupleAgent:
    """Looks one ply ahead by an n-tuple network, and plays the action with the highest value.

    These are the agents of specs such as ``ntuple`` and ``ntuple:weights=a.npz``.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file holds no n-tuple weights.
    """
    name = spec_text("ntuple", {"weights": weights})
    return NTupleAgent(None if weights is None else NTupleNetwork.load(weights), name)


def agent_from_file(path: Path, depth: int | None = None, exact: int | None = None) -> Agent:
    """Plays as `ntuple` by the weights of a file; with `depth` or `exact`, by the search of `engine`.

    These are the agents of specs such as ``a.npz``, ``a.npz:depth=4`` and ``a.npz:depth=4,exact=0``.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file holds no n-tuple weights, or an option is out of its range.
    """
    if depth is not None or exact is not None:
        from othello_agents.engine import Engine  # the engine imports this package

        return Engine(depth, exact=exact, eval=str(path))
    return NTupleAgent(NTupleNetwork.load(path), str(path))


@cache
def shipped_network(size: int, agent: str = "ntuple") -> NTupleNetwork:
    """The trained network for boards of this size that comes with the package for the agent `ntuple` or `engine`.

    Raises:
        WrongGameError: there is no network for this size.
        OSError: the file is missing; the message names it.
        ValueError: `agent` is another one, or the file is damaged; the message names it.
    """
    sizes = {"ntuple": SHIPPED_SIZES, "engine": ENGINE_SIZES}.get(agent)
    if sizes is None:
        raise ValueError(f"expected ntuple or engine, whose weights come with the package, got {agent!r}")
    if size not in sizes:
        raise WrongGameError(
            f"no weights of {agent} come with the package for size {size}; "
            f"train some: othello-env train --size {size} --out FILE.npz"
        )
    file = resources.files("othello_agents") / "weights" / f"{agent}_{size}x{size}.npz"
    with file.open("rb") as opened:
        return NTupleNetwork.read(opened, str(file))
