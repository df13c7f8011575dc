"""A batch of games as an environment of TorchRL, and advantages for both sides of self-play.

The extra ``torchrl`` of this package installs TorchRL.

Letters for shapes: N = `num_envs`, A = actions, T = steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from othello_env.envs.returns import self_play_advantages
from othello_env.envs.vector.env import GameVectorEnv
from othello_env.games.game import State
from othello_env.support.extras import extra_class, import_extra

__all__ = ["SelfPlayGAE", "TorchRLEnv"]

_Tensor = Any  # torch.Tensor
_TensorDict = Any  # tensordict.TensorDict
_INFO = ("winner", "discs", "plies", "illegal_action", "opponent")
"""The entries of `info` that a `TorchRLEnv` can copy to its TensorDicts."""


class TorchRLEnv(extra_class("torchrl.envs", "EnvBase")):
    """N games that step together, as an environment of TorchRL (`torchrl.envs.EnvBase`) with a fixed batch size.

    On the CPU, the tensors of a step use the memory of the batch's arrays. Only the rewards are converted (to float32),
    and `terminated` is a copy of `done`. The batch size is (N,). The TensorDict of a step has these entries:

    - ``observation``: (N, planes, H, W) int8, from the point of view of the player to move.
    - ``action_mask``: (N, A) bool, True for each legal action. TorchRL's spec of the action gets the same mask, so
      TorchRL's random actions are legal. But if the environment has transforms, one of them must be TorchRL's
      `ActionMask`. Otherwise random actions may be illegal. The mask has the form that distributions such as
      `MaskedCategorical` need.
    - ``to_move``: (N,) int8, the player to move. Only self-play has this entry.
    - ``action``: (N,) int64.
    - ``reward``: (N, 1) float32. In self-play, the reward is for the player that acted. `SelfPlayGAE` turns the rewards
      into advantages for both sides.
    - ``done`` and ``terminated``: (N, 1) bool, whether the game ended. A game is never truncated.
    - an entry for each name in the argument `info`.

    A game that has ended must be reset before the next step. TorchRL's rollouts and collectors make a partial reset:
    the entry ``_reset``, (N, 1) bool, selects the games that are reset. The rollout must not have
    ``break_when_all_done=True``, because all games of a batch step together.

    ``reset(options={...})`` takes the same options as `GameVectorEnv.reset`. A seed from `set_seed`
    takes effect at the next reset of all games. The seed does not change TorchRL's random actions, because these
    actions come from PyTorch's random numbers.

    Args:
        num_envs: the number of games.
        game: the game, ``"othello"`` or another.
        info: the names of the entries that are copied from the batch's info to the TensorDict, as int64. Possible names
            are ``winner``, ``discs``, ``plies``, ``illegal_action`` and ``opponent``.
        device: the device of the tensors. The games are always on the CPU.
        arguments: the other arguments of `GameVectorEnv`. Two of them are not allowed: `autoreset_mode` and
            ``copy=False``.

    Attributes:
        env: the batch of games. Call its methods `set_opponents` and `set_openings` to change the opponents and the
            openings.
        step_info: the info of the last step. Some functions need `env` and `step_info` as arguments, for example
            `othello_env.league.League.record`.

    Raises:
        MissingExtraError: TorchRL is not installed.
        ValueError: an argument is wrong.
    """

    def __init__(
        self,
        num_envs: int,
        game: str = "othello",
        info: Sequence[str] = (),
        device: str = "cpu",
        **arguments: Any,
    ) -> None:
        import_extra("torchrl.envs", "torchrl")
        _check_arguments(arguments, info)
        env: GameVectorEnv[State] = GameVectorEnv(game, num_envs, autoreset_mode=AutoresetMode.DISABLED, **arguments)
        super().__init__(device=device, batch_size=(num_envs,))
        self.env = env
        self.step_info: Any = {}
        self._info = tuple(info)
        self._seed: int | None = None
        self._over = np.zeros(num_envs, np.bool_)
        self._self_play = arguments.get("opponent", "random") is None
        self._make_specs()

    def _make_specs(self) -> None:
        torch, data = import_extra("torch", "torchrl"), import_extra("torchrl.data", "torchrl")
        n, start = self.env.num_envs, self.env.game.start(0)
        planes, actions = start.observation_shape, start.num_actions
        flags = {"device": self.device, "dtype": torch.bool}
        seen = {
            "observation": data.Binary(planes[-1], (n, *planes), device=self.device, dtype=torch.int8),
            "action_mask": data.Binary(actions, (n, actions), **flags),
        }
        if self._self_play:
            seen["to_move"] = data.Categorical(start.num_players, (n,), device=self.device, dtype=torch.int8)
        shapes = {"discs": (n, start.num_players), "opponent": (n, 2) if start.num_players == 3 else (n,)}
        for name in self._info:
            seen[name] = data.Unbounded(shapes.get(name, (n,)), device=self.device, dtype=torch.int64)
        self.observation_spec = data.Composite(seen, shape=(n,), device=self.device)
        self.action_spec = data.Categorical(actions, (n,), device=self.device, dtype=torch.int64)
        self.reward_spec = data.Unbounded((n, 1), device=self.device, dtype=torch.float32)
        ends = {name: data.Categorical(2, (n, 1), **flags) for name in ("done", "terminated")}
        self.full_done_spec = data.Composite(ends, shape=(n,), device=self.device)

    def _data(
        self, observation: dict[str, npt.NDArray[np.int8]], info: Any, over: npt.NDArray[np.bool_]
    ) -> dict[str, _Tensor]:
        """The entries of the TensorDict after a step or reset, without the reward."""
        torch = import_extra("torch", "torchrl")
        legal = observation["action_mask"].view(np.bool_)
        arrays = {"observation": observation["observation"], "action_mask": legal, "done": over[:, np.newaxis]}
        if self._self_play:
            arrays["to_move"] = info["to_move"]
        arrays |= {name: info[name] for name in self._info}
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        tensors["terminated"] = tensors["done"].clone()
        # TorchRL's spec needs an allowed action in every game. A finished game has no legal action, so the mask for the
        # spec allows all actions in this game. These actions are never played, because the game must be reset first.
        mask = tensors["action_mask"] | tensors["done"] if over.any() else tensors["action_mask"]
        self.full_action_spec["action"].update_mask(mask)
        return tensors

    def _as_tensordict(self, tensors: dict[str, _Tensor]) -> _TensorDict:
        make = import_extra("tensordict", "torchrl").TensorDict
        return make(tensors, batch_size=self.batch_size, device=self.device, non_blocking=True)

    def _step(self, tensordict: _TensorDict) -> _TensorDict:
        if "_step" in tensordict.keys():  # noqa: SIM118 - a TensorDict is no dict
            raise ValueError(
                "the games of a batch step together: use rollout(break_when_any_done=False), not break_when_all_done"
            )
        torch = import_extra("torch", "torchrl")
        observation, rewards, terminated, _, info = self.env.step(tensordict.get("action").cpu().numpy())
        self.step_info, self._over = info, terminated
        tensors = self._data(observation, info, terminated)
        tensors["reward"] = torch.from_numpy(rewards.astype(np.float32)[:, np.newaxis])
        return self._as_tensordict(tensors)

    def step_and_maybe_reset(self, tensordict: _TensorDict) -> tuple[_TensorDict, _TensorDict]:
        """Make a step, and reset the games that have ended. TorchRL's rollouts and collectors call this method.

        Returns:
            The TensorDict of the step, and the TensorDict from which the next step begins. The method of `EnvBase`
            returns the same two TensorDicts, but it is slower: after a reset, it merges two sets of observations, those
            of the games that were reset and those of all other games. Here, a reset already returns the observations of
            all games.
        """
        torch = import_extra("torch", "torchrl")
        tensordict = self.step(tensordict.to(self.device))
        after, over = self.step_mdp(tensordict), self._over
        if over.any():
            fresh = self._begin(None, {"reset_mask": over})
            for name in self._info:  # the games that are not reset keep the values of the step
                ended = torch.from_numpy(over.reshape(-1, *[1] * (fresh[name].ndim - 1)))
                fresh[name] = fresh[name].where(ended, after.get(name).cpu())
            after.update(fresh)
        return tensordict, after

    def _begin(self, seed: int | None, options: dict[str, Any]) -> dict[str, _Tensor]:
        """Reset games, and return the entries of the TensorDict after the reset."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._over = self._over & ~options.get("reset_mask", np.True_)
        return self._data(observation, info, self._over)

    def _reset(self, tensordict: _TensorDict | None = None, *, options: dict[str, Any] | None = None) -> _TensorDict:
        chosen, seed = dict(options or {}), None
        mask = None if tensordict is None else tensordict.get("_reset", None)
        if mask is None or bool(mask.all()):
            seed, self._seed = self._seed, None
        else:
            chosen["reset_mask"] = mask.reshape(-1).cpu().numpy()
        return self._as_tensordict(self._begin(seed, chosen))

    def _set_seed(self, seed: int | None) -> None:
        self._seed = seed

    def close(self, *, raise_if_closed: bool = True) -> None:
        self.env.close()
        super().close(raise_if_closed=raise_if_closed)


def _check_arguments(arguments: dict[str, Any], info: Sequence[str]) -> None:
    """Raise a ValueError if TorchRL cannot train with these arguments."""
    if "autoreset_mode" in arguments:
        raise ValueError("autoreset_mode cannot be chosen: TorchRL resets the games that have ended")
    if not arguments.get("copy", True):
        raise ValueError("copy=False does not work: TorchRL keeps the tensors of each step until the rollout ends")
    wrong = [name for name in info if name not in _INFO]
    if wrong or isinstance(info, str):
        raise ValueError(f"info must be a sequence of names from {', '.join(_INFO)}, not {info!r}")


class SelfPlayGAE:
    """Generalised advantage estimation for both sides of self-play between two players.

    Use this class instead of TorchRL's `GAE`. TorchRL's `GAE` assumes that the value of the next observation is a value
    for the player that acted. But in self-play, the next observation and its value belong to the other player. This
    class computes the advantages of each side from the turns of this side. It calls
    `othello_env.envs.returns.self_play_advantages`.

    Args:
        value_network: a module that takes a TensorDict and writes the entry ``state_value``, (..., 1), such as a
            `ValueOperator`.
        gamma: the discount factor from one turn of a side to its next turn.
        lmbda: a number from 0 to 1. With 0, an advantage uses the value of the side's next turn and the rewards until
            then. With 1, it uses the rewards of all later turns.
    """

    def __init__(self, value_network: Any, *, gamma: float = 1.0, lmbda: float = 0.95) -> None:
        self.value_network, self.gamma, self.lmbda = value_network, gamma, lmbda

    def __call__(self, rollout: _TensorDict) -> _TensorDict:
        """Add the entries ``state_value``, ``advantage`` and ``value_target``, (N, T, 1) float32, to a rollout.

        Args:
            rollout: (N, T) steps of a `TorchRLEnv` in self-play. An illegal action is a loss for the side that played
                it. If the environment was made with ``info=["illegal_action"]``, the other side gets 0. Without this
                argument, the other side gets the reward of a win.

        Returns:
            The rollout itself.

        Raises:
            ValueError: the rollout is not (N, T), the game has three players, or the rollout is not self-play (it has
                no entry ``to_move``).
        """
        torch = import_extra("torch", "torchrl")
        if rollout.ndim != 2 or "to_move" not in rollout.keys():  # noqa: SIM118 - a TensorDict is no dict
            raise ValueError(
                f"expected a rollout of self-play, (N, T) with the entry to_move, got {tuple(rollout.shape)} with "
                f"{', '.join(map(str, rollout.keys()))}"
            )
        after = rollout.get("next")
        last = after[:, -1].copy()
        with torch.no_grad():
            self.value_network(rollout)
            self.value_network(last)
        illegal = after.get("illegal_action", None)
        advantages, targets = self_play_advantages(
            _by_step(after.get("reward").squeeze(-1)),
            _by_step(rollout.get("state_value").squeeze(-1)),
            _by_step(rollout.get("to_move")),
            _by_step(after.get("terminated").squeeze(-1)),
            last.get("state_value").squeeze(-1).cpu().numpy(),
            last.get("to_move").cpu().numpy(),
            gamma=self.gamma,
            gae_lambda=self.lmbda,
            illegal=None if illegal is None else _by_step(illegal) >= 0,
        )
        for name, array in (("advantage", advantages), ("value_target", targets)):
            tensor = torch.from_numpy(np.ascontiguousarray(array.T, np.float32))
            rollout.set(name, tensor.unsqueeze(-1).to(rollout.device))
        return rollout


def _by_step(tensor: _Tensor) -> npt.NDArray[Any]:
    """A tensor (N, T) as a transposed array (T, N)."""
    array: npt.NDArray[Any] = tensor.transpose(0, 1).cpu().numpy()
    return array
