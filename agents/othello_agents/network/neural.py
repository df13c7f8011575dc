"""A convolutional network that gives a policy and a value, the file that stores it, and the agent that plays by it.

A file holds the weights (a dict of tensors) and a card: a JSON text with the network's sizes. PyTorch (the extra
``torch``) is imported only when a network is made or loaded.

Letters for shapes: N positions, S size, A = S * S + 1 actions, C channels.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from reprlib import repr as short
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from othello_agents.mcts.gumbel import search
from othello_agents.network.base import TorchNetwork, read_tensors, write_tensors
from othello_agents.network.policy import PolicyAgent, mean, mean_policy, symmetric_copies
from othello_env.agent import spec_text
from othello_env.games.game import State
from othello_env.games.othello.positions import OthelloPositions
from othello_env.support.extras import import_extra
from othello_env.support.numbers import check_whole

__all__ = [
    "FORMAT",
    "NeuralAgent",
    "NeuralNetwork",
    "agent_from_file",
    "load_network",
    "read_tensors",
    "residual_forward",
    "write_tensors",
]

FORMAT = "othello-env policy and value network 1"
"""The name of the format in a file's card. The number at the end changes when the meaning of the tensors changes."""

_Tensor = Any  # torch.Tensor, if PyTorch is installed
_HIDDEN = 64
_MOST_CHANNELS, _MOST_BLOCKS = 512, 64


class NeuralNetwork(TorchNetwork):
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
        super().__init__(size, training)
        self.channels = channels
        self.blocks = blocks
        self.weights = self._random(seed) if weights is None else self._checked(weights)

    def __repr__(self) -> str:
        count = sum(weight.numel() for weight in self.weights.values())
        return (
            f"<NeuralNetwork {self.size}x{self.size}, {self.channels} channels, {self.blocks} blocks, {count} weights>"
        )

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """A dict from the name of each weight to its shape."""
        c, squares = self.channels, self.size**2
        shapes: dict[str, tuple[int, ...]] = {"first.weight": (c, 3, 3, 3), "first.bias": (c,)}
        for block in range(self.blocks):
            for half in ("a", "b"):
                shapes |= {f"block{block}{half}.weight": (c, c, 3, 3), f"block{block}{half}.bias": (c,)}
        return shapes | {
            "policy.weight": (1, c, 1, 1),
            "policy.bias": (squares,),
            "board.weight": (1, c, 1, 1),
            "board.bias": (1,),
            "hidden.weight": (_HIDDEN, c + squares),
            "hidden.bias": (_HIDDEN,),
            "value.weight": (1, _HIDDEN),
            "value.bias": (1,),
        }

    def _random(self, seed: int) -> dict[str, _Tensor]:
        """Random weights by the method of He et al. (2015); biases are 0.

        The weights of `policy`, `value` and each block's second layer are then multiplied by 0.1.
        """
        torch = self._torch
        generator = torch.Generator().manual_seed(seed)
        weights = {}
        for name, shape in self.shapes().items():
            if name.endswith(".bias"):
                weights[name] = torch.zeros(shape)
                continue
            layer = name.partition(".")[0]
            scale = 0.1 if layer in ("policy", "value") or layer.endswith("b") else 1.0
            fan_in = float(np.prod(shape[1:]))
            weights[name] = torch.randn(shape, generator=generator) * scale * (2.0 / fan_in) ** 0.5
        return weights

    def _checked(self, weights: Mapping[str, _Tensor]) -> dict[str, _Tensor]:
        found = {name: tuple(weight.shape) for name, weight in weights.items()}
        if found != self.shapes():
            name = min(name for name, _ in set(found.items()) ^ set(self.shapes().items()))
            wanted, got = (each.get(name, "none") for each in (self.shapes(), found))
            raise ValueError(
                f"expected other tensors for {self.channels} channels and {self.blocks} blocks: {short(name)} of shape "
                f"{wanted}, got {got}"
            )
        checked = {}
        for name in found:
            if not weights[name].dtype.is_floating_point:
                raise ValueError(f"the weights {name} must be floats, not {weights[name].dtype}")
            checked[name] = weights[name].to(self._torch.float32)
            if not bool(self._torch.isfinite(checked[name]).all()):
                raise ValueError(f"the weights {name} are not all finite")
        return {name: checked[name] for name in self.shapes()}

    def with_weights(self, weights: Mapping[str, _Tensor]) -> Self:
        return type(self)(self.size, self.channels, self.blocks, weights, training=self.training)

    def trained_weights(self) -> dict[str, _Tensor]:
        return {name: weight.requires_grad_() for name, weight in self.weights.items()}

    def as_module(self) -> Any:
        from othello_agents.network.module import NetworkModule  # here, because it imports PyTorch

        return NetworkModule(self)

    def forward(self, observations: _Tensor, masks: _Tensor) -> tuple[_Tensor, _Tensor]:
        return residual_forward(self.weights, observations, masks, self.size)

    def save(self, path: str | Path) -> None:
        card = {"format": FORMAT, "size": self.size, "channels": self.channels, "blocks": self.blocks}
        observation = "the player's discs and the opponent's, (2, size, size), and the legal squares"
        write_tensors(path, self.weights, card | {"observation": observation, "training": self.training})

    @classmethod
    def load(cls, path: str | Path) -> NeuralNetwork:
        """Read the network from a file that `save` wrote. Nothing in the file is executed.

        Raises:
            FileNotFoundError: the file does not exist.
            OSError: the path is not a regular file, or the file cannot be read.
            ValueError: the file is damaged or holds no policy and value network. The message names the file and the
                fault.
        """
        return cls._of(*read_tensors(path), path)

    @classmethod
    def _of(cls, tensors: dict[str, _Tensor], card: dict[str, Any], path: str | Path) -> NeuralNetwork:
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


def residual_forward(
    weights: Mapping[str, _Tensor], observations: _Tensor, masks: _Tensor, size: int
) -> tuple[_Tensor, _Tensor]:
    """The logits and values that a `NeuralNetwork` of this size with these weights gives; see its method `forward`."""
    torch = import_extra("torch", "torch")
    functional, w = torch.nn.functional, weights
    legal = masks != 0
    squares = legal[:, :-1].reshape(-1, 1, size, size)
    planes = torch.cat([observations.to(torch.float32), squares.to(torch.float32)], dim=1)

    def convolve(x: _Tensor, layer: str) -> _Tensor:
        return functional.conv2d(x, w[f"{layer}.weight"], w[f"{layer}.bias"], padding="same")

    x = torch.relu(convolve(planes, "first"))
    block = 0
    while f"block{block}a.weight" in w:
        inner = torch.relu(convolve(x, f"block{block}a"))
        x = torch.relu(x + convolve(inner, f"block{block}b"))
        block += 1
    moves = functional.conv2d(x, w["policy.weight"]).flatten(1) + w["policy.bias"]
    # The pass gets the logit 0. This number does not matter, since a legal pass is the only legal action.
    logits = torch.cat([moves, torch.zeros_like(moves[:, :1])], dim=1)
    board = torch.relu(convolve(x, "board")).flatten(1)
    features = torch.cat([x.mean(dim=(2, 3)), board], dim=1)
    hidden = torch.relu(functional.linear(features, w["hidden.weight"], w["hidden.bias"]))
    value = torch.tanh(functional.linear(hidden, w["value.weight"], w["value.bias"])).squeeze(1)
    # The logits of illegal actions are finite, because -infinity would make the gradient of the entropy NaN.
    return logits.masked_fill(~legal, -1e9), value


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
            imported, or is given for a `NeuralNetwork`. The message names the file and the fault.
    """
    from othello_agents.network import custom

    tensors, card = read_tensors(path)
    if card.get("format") == custom.FORMAT:
        return custom.CustomNetwork.of_file(tensors, card, path, function)
    if function:
        raise ValueError(f"{str(path)!r} holds the package's convolutional network, so it takes no network={function}")
    return NeuralNetwork._of(tensors, card, path)


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
    ``make`` makes the network; see `othello_agents.network.custom`.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file holds no policy and value network, its function cannot be imported, or an option is out of
            its range.
    """
    return NeuralAgent(load_network(path, network), temperature, str(path), seed, simulations, symmetric=symmetric)
