"""A convolutional network that gives a policy and a value, the file that stores it, and the agent that plays by it.

A file holds the weights (a dict of tensors) and a card: a JSON text with the network's sizes. PyTorch (the extra
``torch``) is imported only when a network is made or loaded.

Letters for shapes: N positions, S size, A = S * S + 1 actions, C channels.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from reprlib import repr as short
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_agents.mcts.gumbel import search
from othello_agents.network.base import (
    TorchNetwork,
    check_weights,
    read_card,
    read_tensors,
    torch_module,
    write_tensors,
)
from othello_agents.network.policy import PolicyAgent, mean, mean_policy, symmetric_copies
from othello_env.agent import spec_text
from othello_env.games.game import State
from othello_env.games.othello.position import check_size
from othello_env.games.othello.positions import OthelloPositions
from othello_env.support.extras import import_extra
from othello_env.support.numbers import check_whole

__all__ = [
    "FORMAT",
    "NeuralAgent",
    "Residual",
    "ResidualNetwork",
    "agent_from_file",
    "load_network",
    "read_tensors",
    "write_tensors",
]

FORMAT = "othello-env policy and value network 1"
"""The name of the format in a file's card. The number at the end changes when the meaning of the tensors changes."""

_JAX = "othello-env network for JAX 1"
"""`othello_env.jax.network.FORMAT`, which cannot be imported without JAX."""

_Tensor = Any  # torch.Tensor, if PyTorch is installed
_HIDDEN = 64
_MOST_CHANNELS, _MOST_BLOCKS = 512, 64


class Residual(torch_module()):  # type: ignore[misc]  # mypy does not know the class
    """A residual network as a `torch.nn.Module`; `ResidualNetwork` describes it.

    ``forward(observations, masks)`` has the interface that `othello_agents.network.custom` describes.
    """

    def __init__(self, size: int, channels: int, blocks: int) -> None:
        super().__init__()
        torch = import_extra("torch", "torch")
        nn, squares = torch.nn, size**2
        self.size, self.blocks = size, blocks
        self.first = nn.Conv2d(3, channels, 3, padding="same")
        for k in range(blocks):
            for half in "ab":
                self.add_module(f"block{k}{half}", nn.Conv2d(channels, channels, 3, padding="same"))
        self.policy = nn.Conv2d(channels, 1, 1, bias=False)
        self.policy.bias = nn.Parameter(torch.zeros(squares))  # a number for each square
        self.board = nn.Conv2d(channels, 1, 1)
        self.hidden = nn.Linear(channels + squares, _HIDDEN)
        self.value = nn.Linear(_HIDDEN, 1)

    def forward(self, observations: _Tensor, masks: _Tensor) -> tuple[_Tensor, _Tensor]:
        torch = import_extra("torch", "torch")
        squares = masks[:, :-1].reshape(-1, 1, self.size, self.size)
        x = torch.relu(self.first(torch.cat([observations.to(torch.float32), squares.to(torch.float32)], dim=1)))
        for k in range(self.blocks):
            first, second = self.get_submodule(f"block{k}a"), self.get_submodule(f"block{k}b")
            x = torch.relu(x + second(torch.relu(first(x))))
        moves = torch.nn.functional.conv2d(x, self.policy.weight).flatten(1) + self.policy.bias
        # The pass gets the logit 0. This number does not matter, since a legal pass is the only legal action.
        logits = torch.cat([moves, torch.zeros_like(moves[:, :1])], dim=1)
        board = torch.relu(self.board(x)).flatten(1)
        hidden = torch.relu(self.hidden(torch.cat([x.mean(dim=(2, 3)), board], dim=1)))
        return logits.masked_fill(masks == 0, -1e9), torch.tanh(self.value(hidden)).squeeze(1)


class ResidualNetwork(TorchNetwork):
    """A residual network that gives the policy and the expected result of a position.

    Its input is three planes: the player's discs, the opponent's discs, and the squares where the player may move. A
    3x3 convolution turns the planes into C channels. Then `blocks` residual blocks follow. Each block has two 3x3
    convolutions. The policy comes from a 1x1 convolution with a bias for each square. The value comes from two dense
    layers. The inputs of the first dense layer are the channels' means and the output of a second 1x1 convolution.

    Args:
        size: the board's size: 4, 6 or 8.
        channels: the number of channels of each convolution, at most 512.
        blocks: the number of residual blocks, at most 64.
        weights: a dict from names to tensors, or None for random weights.
        seed: the seed of random weights.
        training: how the weights were trained, as values that JSON can hold.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ValueError: a number is out of its range, or the weights have wrong names or shapes, or are not finite floats.
    """

    def __init__(
        self,
        size: int = 8,
        channels: int = 32,
        blocks: int = 3,
        weights: Mapping[str, _Tensor] | None = None,
        seed: int = 0,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        if not (1 <= channels <= _MOST_CHANNELS and 0 <= blocks <= _MOST_BLOCKS):
            raise ValueError(
                f"channels must be 1 to {_MOST_CHANNELS} and blocks 0 to {_MOST_BLOCKS}, got {channels} and {blocks}"
            )
        self.channels = channels
        self.blocks = blocks
        torch = import_extra("torch", "torch")
        with torch.device("meta"):  # so the weights get no memory and no values yet
            module = Residual(check_size(size), channels, blocks)
        empty = module.state_dict()
        if weights is None:
            weights = _random(empty, seed)
        check_weights(weights, empty, self._kind)
        module.load_state_dict({name: weights[name].to(torch.float32) for name in empty}, assign=True)
        super().__init__(module, size, training)

    @property
    def _kind(self) -> str:
        return f"{self.channels} channels and {self.blocks} blocks"

    def __repr__(self) -> str:
        n = sum(weight.numel() for weight in self.weights.values())
        return f"<ResidualNetwork {self.size}x{self.size}, {self.channels} channels, {self.blocks} blocks, {n} weights>"

    def save(self, path: str | Path) -> None:
        card = {"format": FORMAT, "size": self.size, "channels": self.channels, "blocks": self.blocks}
        observation = "the player's discs and the opponent's, (2, size, size), and the legal squares"
        write_tensors(path, self.weights, card | {"observation": observation, "training": self.training})

    @classmethod
    def load(cls, path: str | Path) -> ResidualNetwork:
        """Read the network from a file that `save` wrote. Nothing in the file is executed.

        Raises:
            FileNotFoundError: the file does not exist.
            OSError: the path is not a regular file, or the file cannot be read.
            ValueError: the file is damaged or holds no policy and value network. The message names the file and the
                fault.
        """
        return cls._of(*read_tensors(path), path)

    @classmethod
    def _of(cls, tensors: dict[str, _Tensor], card: dict[str, Any], path: str | Path) -> ResidualNetwork:
        """The network with the tensors and the card of a file."""
        try:
            if card.get("format") != FORMAT:
                raise ValueError(f"its card must say format {FORMAT!r}, not {short(card.get('format'))}")
            numbers = [card.get(name) for name in ("size", "channels", "blocks")]
            training = card.get("training")
            if not all(type(number) is int for number in numbers) or not isinstance(training, dict):
                given = ", ".join(short(number) for number in numbers)
                raise ValueError(f"its card has a wrong size, channels, blocks or training: {given}, {short(training)}")
            size, channels, blocks = (int(number or 0) for number in numbers)
            return cls(size, channels, blocks, tensors, training=training)
        except ValueError as error:
            raise ValueError(f"{str(path)!r} is not a file of a policy and value network: {error}") from error


def _random(empty: Mapping[str, _Tensor], seed: int) -> dict[str, _Tensor]:
    """Random weights of these names and shapes by the method of He et al. (2015); biases are 0.

    The weights of `policy`, `value` and each block's second layer are then multiplied by 0.1.
    """
    torch = import_extra("torch", "torch")
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for name, like in empty.items():
        if name.endswith(".bias"):
            weights[name] = torch.zeros(like.shape)
            continue
        layer = name.partition(".")[0]
        scale = 0.1 if layer in ("policy", "value") or layer.endswith("b") else 1.0
        fan_in = float(np.prod(like.shape[1:]))
        weights[name] = torch.randn(like.shape, generator=generator) * scale * (2.0 / fan_in) ** 0.5
    return weights


def load_network(path: str | Path, function: str | None = None) -> TorchNetwork:
    """Read a network from a ``.safetensors`` file: a network of the package, or a network that you wrote.

    Args:
        path: the file.
        function: for a network that you wrote, the function that makes it, as ``package.module:name`` or
            ``path.py:name``. A network of the package needs no function.

    Raises:
        FileNotFoundError: the file does not exist.
        OSError: the path is not a regular file, or the file cannot be read.
        ValueError: the file is damaged or holds no policy and value network. Or `function` is missing, cannot be
            imported, or is given for a `ResidualNetwork`. The message names the file and the fault.
    """
    from othello_agents.network import custom

    tensors, card = read_tensors(path)
    if card.get("format") == custom.FORMAT:
        return custom.CustomNetwork.of_file(tensors, card, path, function)
    if function:
        raise ValueError(f"{str(path)!r} holds the package's convolutional network, so it takes no network={function}")
    return ResidualNetwork._of(tensors, card, path)


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
    _network: TorchNetwork
    # The trees that grow at the same time get at most this number of simulations in all. Each simulation adds at most
    # one node, and a node takes 0.8 kB of memory.
    _MOST = 100_000

    def __init__(
        self,
        network: TorchNetwork,
        temperature: float = 0.0,
        name: str = "neural",
        seed: int | None = None,
        simulations: int = 0,
        *,
        symmetric: bool = False,
    ) -> None:
        super().__init__(network, temperature, name, seed, symmetric=symmetric)
        self._simulations = check_whole("simulations", simulations, 0, self._MOST)

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
        return spec_text(str(path), {"network": self._network.function, **self._options()})

    def _look(self, batch: OthelloPositions) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        if not self._simulations:
            return super()._look(batch)
        at_once = self._MOST // self._simulations
        parts = [batch.part(slice(first, first + at_once)) for first in range(0, len(batch), at_once)]
        found = [search(self._answers, part, self._simulations) for part in parts]
        return np.concatenate([each.actions for each in found]), np.concatenate([each.policy for each in found])

    def _answers(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The policies (N, A) and the expected results (N,) by which the agent plays."""
        if not self._symmetric:
            return self._network.answers(observations, masks)
        found = [self._network.answers(*copy) for copy in symmetric_copies(observations, masks)]
        return mean_policy(policy for policy, _ in found), mean(values for _, values in found)

    def evaluate(self, state: State, player: int) -> float:
        """The expected result for a player, -1 to +1. For a finished game, the actual result is returned."""
        if state.is_over:
            return state.returns()[player]
        batch = OthelloPositions.from_states([self._checked(state)])
        value = float(self._answers(batch.observations(), batch.masks())[1][0])
        return value if player == state.to_move else -value


def agent_from_file(
    path: Path,
    temperature: float = 0.0,
    simulations: int = 0,
    symmetric: bool = False,
    network: str | None = None,
    seed: int | None = None,
) -> NeuralAgent:
    """The agent that a spec (a text) names, such as ``a.safetensors`` or ``a.safetensors:temperature=1``.

    If the file holds a network that you wrote, the spec is ``a.safetensors:network=nets.py:make``. The function
    ``make`` makes the network; see `othello_agents.network.custom`, and `othello_env.jax.network` for JAX.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file holds no policy and value network, its function cannot be imported, or an option is out of
            its range.
    """
    if read_card(path).get("format") == _JAX:
        jax_network: TorchNetwork = _load_for_jax(path, network)
        return NeuralAgent(jax_network, temperature, str(path), seed, simulations, symmetric=symmetric)
    return NeuralAgent(load_network(path, network), temperature, str(path), seed, simulations, symmetric=symmetric)


def _load_for_jax(path: Path, function: str | None) -> Any:
    """The network in a file that `othello_env.jax.Network` wrote. It has the methods that a `NeuralAgent` calls.

    Raises:
        MissingExtraError: JAX is not installed.
        ValueError: there is no function, or the file does not fit to it.
    """
    if not function:
        raise ValueError(
            f"{str(path)!r} holds a network for JAX. Name the function that makes it, because this runs its code: "
            "FILE.safetensors:network=package.module:function as a spec, or the option --network of a command"
        )
    import_extra("jax", "jax")
    return import_extra("othello_env.jax", "jax").Network.load(path, function)
