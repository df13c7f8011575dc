"""A convolutional network that gives a policy and a value, the file that stores it, and the agent that plays by it.

A file holds the weights (a dict of tensors) and a card: a JSON text with the network's sizes. PyTorch (the extra
``torch``) is imported when a network is made or loaded.

Letters for shapes: N positions, S size, A = S * S + 1 actions, C channels.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from reprlib import repr as short
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_agents.mcts.gumbel import search
from othello_agents.network.export import write_onnx
from othello_agents.network.policy import PolicyAgent
from othello_env.games.game import State
from othello_env.games.othello.position import check_size
from othello_env.games.othello.positions import OthelloPositions
from othello_env.support.extras import import_extra
from othello_env.support.files import parse_json, read_file, write_file
from othello_env.support.numbers import check_whole

__all__ = [
    "FORMAT",
    "NeuralAgent",
    "NeuralNetwork",
    "agent_from_file",
    "read_tensors",
    "write_tensors",
]

FORMAT = "othello-env policy and value network 1"
"""The name of the format in a file's card. Its number changes when the meaning of the tensors changes."""

_Tensor = Any  # torch.Tensor, if PyTorch is installed
_HIDDEN = 64
_CARD = "card"
_MOST_CHANNELS, _MOST_BLOCKS = 512, 64
_MOST_TENSORS = 4096
_LONGEST_HEADER = 16 << 20  # bytes: room for a card with a curve of thousands of points
_LARGEST_FILE = 1 << 30  # bytes


class NeuralNetwork:
    """A residual network that gives the policy and the expected result of a position.

    Its input is three planes: the player's discs, the opponent's discs, and the squares where the player may move. A
    3x3 convolution turns the planes into C channels. Then `blocks` residual blocks follow. Each block has two 3x3
    convolutions. The policy comes from a 1x1 convolution with a bias for each square. The value comes from two dense
    layers. The inputs of the first dense layer are the channels' means and the output of a second 1x1 convolution.

    Args:
        size: the board's size: 4, 6 or 8.
        channels: the number of channels of each convolution, at most 512.
        blocks: the number of residual blocks, at most 64.
        weights: tensors by name, or None for random weights.
        seed: the seed of random weights.
        training: the origin of the weights, as values that JSON can hold.

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
        self._torch = import_extra("torch", "torch")
        if not (1 <= channels <= _MOST_CHANNELS and 0 <= blocks <= _MOST_BLOCKS):
            raise ValueError(
                f"channels must be 1 to {_MOST_CHANNELS} and blocks 0 to {_MOST_BLOCKS}, got {channels} and {blocks}"
            )
        self.size = check_size(size)
        self.channels = channels
        self.blocks = blocks
        self.training = dict(training or {})
        self.weights = self._random(seed) if weights is None else self._checked(weights)
        """Tensors by name; a trainer changes them in place."""

    def __repr__(self) -> str:
        count = sum(weight.numel() for weight in self.weights.values())
        return (
            f"<NeuralNetwork {self.size}x{self.size}, {self.channels} channels, {self.blocks} blocks, {count} weights>"
        )

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The weights' shapes by name."""
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
        """Random weights by He et al. (2015), multiplied by 0.1 for `policy`, `value` and each block's second layer."""
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
            wrong = sorted(set(found.items()) ^ set(self.shapes().items()))
            raise ValueError(
                f"expected other tensors for {self.channels} channels and {self.blocks} blocks: {short(wrong)}"
            )
        checked = {}
        for name in found:
            if not weights[name].dtype.is_floating_point:
                raise ValueError(f"the weights {name} must be floats, not {weights[name].dtype}")
            checked[name] = weights[name].to(self._torch.float32)
            if not bool(self._torch.isfinite(checked[name]).all()):
                raise ValueError(f"the weights {name} are not all finite")
        return {name: checked[name] for name in self.shapes()}

    def to(self, device: str) -> NeuralNetwork:
        """The network on a device. If this network is on the device already, it is returned itself."""
        if all(weight.device == self._torch.device(device) for weight in self.weights.values()):
            return self
        weights = {name: weight.to(device) for name, weight in self.weights.items()}
        return NeuralNetwork(self.size, self.channels, self.blocks, weights, training=self.training)

    def copy(self) -> NeuralNetwork:
        """A copy whose weights do not change when this network is trained."""
        weights = {name: weight.detach().clone() for name, weight in self.weights.items()}
        return NeuralNetwork(self.size, self.channels, self.blocks, weights, training=self.training)

    def forward(self, observations: _Tensor, masks: _Tensor) -> tuple[_Tensor, _Tensor]:
        """The logits and values of N positions.

        Args:
            observations: (N, 2, S, S), the player's discs and the opponent's discs, of any dtype, on the network's
                device.
            masks: (N, A), nonzero for each legal action.

        Returns:
            The logits (N, A), with a large negative number for each illegal action; and the expected results (N,) for
            the players to move, -1 to +1.
        """
        torch, w = self._torch, self.weights
        functional = torch.nn.functional
        legal = masks != 0
        squares = legal[:, :-1].reshape(-1, 1, self.size, self.size)
        planes = torch.cat([observations.to(torch.float32), squares.to(torch.float32)], dim=1)

        def convolve(x: _Tensor, layer: str) -> _Tensor:
            return functional.conv2d(x, w[f"{layer}.weight"], w[f"{layer}.bias"], padding="same")

        x = torch.relu(convolve(planes, "first"))
        for block in range(self.blocks):
            inner = torch.relu(convolve(x, f"block{block}a"))
            x = torch.relu(x + convolve(inner, f"block{block}b"))
        moves = functional.conv2d(x, w["policy.weight"]).flatten(1) + w["policy.bias"]
        # The pass gets the logit 0. If it is legal, it is the only legal action.
        logits = torch.cat([moves, torch.zeros_like(moves[:, :1])], dim=1)
        board = torch.relu(convolve(x, "board")).flatten(1)
        features = torch.cat([x.mean(dim=(2, 3)), board], dim=1)
        hidden = torch.relu(functional.linear(features, w["hidden.weight"], w["hidden.bias"]))
        value = torch.tanh(functional.linear(hidden, w["value.weight"], w["value.bias"])).squeeze(1)
        # The logits of illegal actions are finite, because -infinity would make the gradient of the entropy NaN.
        return logits.masked_fill(~legal, -1e9), value

    def answers(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """`forward` for NumPy arrays: the probabilities of the actions (N, A), and the expected results (N,)."""
        torch = self._torch
        device = self.weights["first.weight"].device
        with torch.inference_mode():
            logits, values = self.forward(
                torch.from_numpy(np.ascontiguousarray(observations)).to(device),
                torch.from_numpy(np.ascontiguousarray(masks)).to(device),
            )
            policy = torch.softmax(logits.double(), dim=1)
        return policy.cpu().numpy(), values.double().cpu().numpy()

    def policy(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        """The probabilities that `answers` returns, (N, A)."""
        return self.answers(observations, masks)[0]

    def save(self, path: str | Path) -> None:
        """Write the weights and the card to a ``.safetensors`` file, completely or not at all.

        Raises:
            OSError: the file cannot be written.
        """
        card = {"format": FORMAT, "size": self.size, "channels": self.channels, "blocks": self.blocks}
        observation = "the player's discs and the opponent's, (2, size, size), and the legal squares"
        write_tensors(path, self.weights, card | {"observation": observation, "training": self.training})

    def export(self, path: str | Path) -> None:
        """Write the network to an ``.onnx`` file for other programs; see `othello_agents.network.export`."""
        write_onnx(self.copy().to("cpu"), path)

    @classmethod
    def load(cls, path: str | Path) -> NeuralNetwork:
        """Read the network from a file that `save` wrote. Nothing in the file is executed.

        Raises:
            FileNotFoundError: the file does not exist.
            OSError: the path is not a regular file, or the file cannot be read.
            ValueError: the file is damaged or holds no policy and value network. The message names the file and the
                fault.
        """
        tensors, card = read_tensors(path)
        try:
            if card.get("format") != FORMAT:
                raise ValueError(f"its card must say format {FORMAT!r}, not {short(card.get('format'))}")
            numbers = [card.get(name) for name in ("size", "channels", "blocks")]
            training = card.get("training")
            if not all(type(number) is int for number in numbers) or not isinstance(training, dict):
                raise ValueError(f"its card has a wrong size, channels, blocks or training: {short(card)}")
            size, channels, blocks = (int(number or 0) for number in numbers)
            return cls(size, channels, blocks, tensors, training=training)
        except ValueError as error:
            raise ValueError(f"{str(path)!r} is not a file of a policy and value network: {error}") from error


def write_tensors(path: str | Path, tensors: Mapping[str, _Tensor], card: Mapping[str, Any]) -> None:
    """Write tensors and a JSON card to a ``.safetensors`` file, completely or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    safetensors = import_extra("safetensors.torch", "torch")
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_file(path, safetensors.save(contiguous, metadata={_CARD: json.dumps(dict(card))}))


def read_tensors(path: str | Path, most: int = _LARGEST_FILE) -> tuple[dict[str, _Tensor], dict[str, Any]]:
    """Read the tensors and the card that `write_tensors` wrote. The tensors are on the CPU, independent of the file.

    Args:
        path: the file.
        most: the largest size of a file that is accepted, in bytes.

    Raises:
        FileNotFoundError: the file does not exist.
        OSError: the path is not a regular file, or the file cannot be read.
        ValueError: the file is damaged or too large, or has no card.
    """
    safetensors = import_extra("safetensors.torch", "torch")
    data = read_file(path, most, "load a network from")
    try:
        card = _card(data)
        return safetensors.load(data), card
    except Exception as error:  # a damaged file raises errors of many classes
        raise ValueError(f"{str(path)!r} cannot be read: {error}") from error


def _card(data: bytes) -> dict[str, Any]:
    """The card in the header of a ``.safetensors`` file. The header is JSON. The 8 bytes before it give its length.

    Raises:
        ValueError: there is no card.
    """
    length = int.from_bytes(data[:8], "little")
    if not 0 < length <= min(_LONGEST_HEADER, len(data) - 8):
        raise ValueError(f"its header has {length} bytes")
    header = parse_json(data[8 : 8 + length])
    if isinstance(header, dict) and len(header) > _MOST_TENSORS:
        raise ValueError(f"it has {len(header):,} tensors; at most {_MOST_TENSORS:,} are read")
    card = None
    if isinstance(header, dict) and isinstance(header.get("__metadata__"), dict):
        text = header["__metadata__"].get(_CARD)
        card = parse_json(text) if isinstance(text, str) else None
    if not isinstance(card, dict):
        raise ValueError("it has no card")
    return card


class NeuralAgent(PolicyAgent):
    """A `PolicyAgent` whose network also gives a value, so that the agent can look ahead by a tree search.

    Args:
        network: gives the policy and the value.
        temperature: the temperature, as for a `PolicyAgent`. With a search, it applies to the search's improved policy.
        name: the agent's name.
        seed: the seed, as for a `PolicyAgent`.
        simulations: the number of simulations for each move in the search (see `othello_agents.mcts.gumbel`); 0 for no
            search.

    Raises:
        ValueError: the temperature is negative or not finite, or the simulations are out of their range.
    """

    _network: NeuralNetwork
    _MOST = 100_000  # the largest sum of simulations over all trees that grow at once; each node takes 0.8 kB

    def __init__(
        self,
        network: NeuralNetwork,
        temperature: float = 0.0,
        name: str = "neural",
        seed: int | None = None,
        simulations: int = 0,
    ) -> None:
        super().__init__(network, temperature, name, seed)
        self._simulations = check_whole("simulations", simulations, 0, self._MOST)

    def __repr__(self) -> str:
        if not self._simulations:
            return super().__repr__()
        return f"{super().__repr__()}{',' if self._temperature else ':'}simulations={self._simulations}"

    def save(self, stem: Path) -> str:
        """Write the network to a file, and return the spec of the agent. A league saves its members in this way.

        Args:
            stem: the file's path without its suffix, which is ``.safetensors``.

        Raises:
            OSError: the file cannot be written.
        """
        path = Path(f"{stem}.safetensors")
        self._network.save(path)
        options = {"temperature": self._temperature, "simulations": self._simulations}
        given = ",".join(f"{name}={value:g}" for name, value in options.items() if value)
        return f"{path}:{given}" if given else str(path)

    def _look(self, batch: OthelloPositions) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        if not self._simulations:
            return super()._look(batch)
        at_once = self._MOST // self._simulations
        parts = [batch.part(slice(first, first + at_once)) for first in range(0, len(batch), at_once)]
        found = [search(self._network.answers, part, self._simulations) for part in parts]
        return np.concatenate([each.actions for each in found]), np.concatenate([each.policy for each in found])

    def evaluate(self, state: State, player: int) -> float:
        """The expected result for a player, -1 to +1. If the game is over, it is the actual result."""
        if state.is_over:
            return state.returns()[player]
        batch = OthelloPositions.from_states([self._checked(state)])
        value = float(self._network.answers(batch.observations(), batch.masks())[1][0])
        return value if player == state.to_move else -value


def agent_from_file(path: Path, temperature: float = 0.0, simulations: int = 0, seed: int | None = None) -> NeuralAgent:
    """The agent of a spec: ``a.safetensors``, ``a.safetensors:simulations=64`` or ``a.safetensors:temperature=1``.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file holds no policy and value network, or an option is out of its range.
    """
    return NeuralAgent(NeuralNetwork.load(path), temperature, str(path), seed, simulations)
