"""A residual network, which gives a policy and a value."""

from __future__ import annotations

from typing import Any

import numpy as np

from othello_env.support.extras import extra_class, import_extra
from othello_env.support.numbers import check_whole

__all__ = ["Residual"]

_Tensor = Any  # torch.Tensor, if PyTorch is installed
_HIDDEN = 64
_MOST_CHANNELS, _MOST_BLOCKS = 256, 40  # those of AlphaGo Zero's largest network


class Residual(extra_class("torch.nn", "Module")):
    """A residual network as a `torch.nn.Module`.

    ``forward(observations, masks)`` has the interface that `othello_agents.network.torch_network` describes.

    Its input is three planes: the player's discs, the opponent's discs, and the squares where the player may move. A
    3x3 convolution turns the planes into channels. Then residual blocks follow. Each block has two 3x3 convolutions.
    The policy comes from a 1x1 convolution with a bias for each square. The value comes from two dense layers. The
    inputs of the first dense layer are the channels' means and the output of a second 1x1 convolution.

    The first weights are random by the method of He et al. (2015), and biases are 0. The weights of `policy`, `value`
    and each block's second layer are then multiplied by 0.1.

    Args:
        size: the board's size: 4, 6 or 8.
        channels: the number of channels of each convolution, at most 256.
        blocks: the number of residual blocks, at most 40.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ValueError: a number is out of its range.
    """

    def __init__(self, size: int, channels: int = 32, blocks: int = 3) -> None:
        torch = import_extra("torch", "torch")
        super().__init__()
        nn, squares = torch.nn, size**2
        self.size, self.blocks = size, check_whole("blocks", blocks, 0, _MOST_BLOCKS)
        check_whole("channels", channels, 1, _MOST_CHANNELS)
        layer = nn.utils.skip_init  # PyTorch's own first weights would draw random numbers in vain
        self.first = layer(nn.Conv2d, 3, channels, 3, padding="same")
        for k in range(blocks):
            for half in "ab":
                self.add_module(f"block{k}{half}", layer(nn.Conv2d, channels, channels, 3, padding="same"))
        self.policy = layer(nn.Conv2d, channels, 1, 1, bias=False)
        self.policy.bias = nn.Parameter(torch.zeros(squares))  # a number for each square
        self.board = layer(nn.Conv2d, channels, 1, 1)
        self.hidden = layer(nn.Linear, channels + squares, _HIDDEN)
        self.value = layer(nn.Linear, _HIDDEN, 1)
        for name, weight in self.named_parameters():
            module, _, kind = name.partition(".")
            if kind == "bias":
                nn.init.zeros_(weight)
                continue
            scale = 0.1 if module in ("policy", "value") or module.endswith("b") else 1.0
            fan_in = float(np.prod(weight.shape[1:]))
            weight.data = torch.randn(weight.shape) * scale * (2.0 / fan_in) ** 0.5

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
