"""The agent that plays by the policy of a network, and looks ahead by its values.

Letters for shapes: N positions, A actions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from othello_agents.mcts.gumbel import search
from othello_agents.network.compiled import CompiledAfterstates
from othello_agents.network.policy import AnyPositions, PolicyAgent, PolicyNetwork, mean, mean_policy, symmetric_copies
from othello_agents.network.torch_network import PACKAGED, network_of_file
from othello_env.agent import Agent, spec_text
from othello_env.games.game import State
from othello_env.games.othello.batch import OthelloPositions
from othello_env.support.networks import NetworkFile
from othello_env.support.numbers import check_whole

__all__ = ["NeuralAgent", "ValueNetwork", "agent_from_file"]


class ValueNetwork(PolicyNetwork, Protocol):
    """Any network that gives the policy and the expected result of a position, and can be saved."""

    function: Any

    def answers(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The policies (N, A) and the expected results (N,) for the players to move, -1 to +1."""
        ...

    def save(self, path: str | Path) -> None:
        """Write the network to a ``.safetensors`` file."""
        ...


class NeuralAgent(PolicyAgent):
    """A `PolicyAgent` whose network also gives a value, so that the agent can look ahead by a tree search.

    Args:
        network: gives the policy and the value.
        temperature: the temperature, as for a `PolicyAgent`. With a search, the temperature applies to the search's
            improved policy.
        name: the agent's name.
        seed: the seed, as for a `PolicyAgent`.
        simulations: the number of simulations for each move in the search (see `othello_agents.mcts.gumbel`); 0 for no
            search.
        symmetric: use the mean of the network's answers to the board's eight symmetric copies, as for a `PolicyAgent`.
            With a search, the mean is used for every position that the search evaluates.

    Raises:
        ValueError: the temperature is negative or not finite, or the simulations are out of their range.
    """

    unit = "win minus loss"
    """The unit of `evaluate`: the probability of a win minus the probability of a loss."""
    _network: ValueNetwork
    # The trees that grow at the same time get at most this number of simulations in all. Each simulation adds at most
    # one node, and a node takes 0.8 kB of memory.
    _MOST = 100_000

    def __init__(
        self,
        network: ValueNetwork,
        temperature: float = 0.0,
        name: str = "neural",
        seed: int | None = None,
        simulations: int = 0,
        *,
        symmetric: bool = False,
    ) -> None:
        super().__init__(network, temperature, name, seed, symmetric=symmetric)
        self._simulations = check_whole("simulations", simulations, 0, self._MOST)
        if self._game is not None and simulations:
            raise ValueError(f"{name} plays {self._game}; the tree search of simulations is for Othello")

    def _options(self) -> dict[str, object]:
        return super()._options() | {"simulations": self._simulations or None}

    def save(self, stem: Path) -> str:
        """Write the network to a file, and return the spec (the text) from which `make_agent` loads this agent.

        Args:
            stem: the file's path without the suffix ``.safetensors``.

        Raises:
            OSError: the file cannot be written.
        """
        path = Path(f"{stem}.safetensors")
        self._network.save(path)
        function = self._network.function
        return spec_text(str(path), {"network": None if function in PACKAGED else function, **self._options()})

    def _look(self, batch: AnyPositions) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        if not self._simulations or not isinstance(batch, OthelloPositions):
            return super()._look(batch)
        at_once = self._MOST // self._simulations
        parts = [batch.part(slice(first, first + at_once)) for first in range(0, len(batch), at_once)]
        done = [search(self._answers, part, self._simulations) for part in parts]
        return np.concatenate([result.actions for result in done]), np.concatenate([result.policy for result in done])

    def _answers(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The policies (N, A) and the expected results (N,) by which the agent plays."""
        if not self._symmetric:
            return self._network.answers(observations, masks)
        answers = [self._network.answers(*copy) for copy in symmetric_copies(observations, masks)]
        return mean_policy(policy for policy, _ in answers), mean(values for _, values in answers)

    def evaluate(self, state: State, player: int) -> float:
        """The expected result for a player, -1 to +1. For a finished game, the actual result is returned."""
        if state.is_over:
            return state.returns()[player]
        batch = self._seen(state)
        value = float(self._answers(batch.observations(), batch.masks())[1][0])
        return value if player == state.to_move else -value / (state.num_players - 1)


def agent_from_file(
    path: Path,
    temperature: float = 0.0,
    simulations: int = 0,
    symmetric: bool = False,
    network: str | None = None,
    depth: int | None = None,
    exact: int | None = None,
    seed: int | None = None,
) -> Agent:
    """Plays by a network's policy; with `simulations`, by a tree search; with `depth` or `exact`, by that of `engine`.

    These are the agents of specs such as ``a.safetensors`` and ``a.safetensors:temperature=1``. A file with a network
    `afterstates` needs no PyTorch, and only such a file can be searched by `engine`.
    If the file holds a network that you wrote, the spec is ``a.safetensors:network=nets.py:make``. The function
    ``make`` makes the network; see `othello_agents.network.torch_network`, and `othello_env.jax.network` for JAX.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file holds no policy and value network, its function cannot be imported, or an option is out of
            its range.
    """
    if depth is not None or exact is not None:
        if temperature or simulations or symmetric or network:
            raise ValueError("with depth or exact, the search of engine chooses the move, so there is no other option")
        from othello_agents.engine import Engine  # it takes long to import

        return Engine(depth, exact=exact, eval=str(path))
    file = NetworkFile.read(path)
    is_compiled = file.function == CompiledAfterstates.function and network in (None, file.function)
    made = CompiledAfterstates(file) if is_compiled else network_of_file(file, path, network)
    return NeuralAgent(made, temperature, str(path), seed, simulations, symmetric=symmetric)
