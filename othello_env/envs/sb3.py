"""A batch of Othello games as a vector environment of Stable-Baselines3.

The extra ``sb3`` of this package installs Stable-Baselines3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from othello_env.envs.vector.env import GameVectorEnv
from othello_env.games.game import State
from othello_env.support.extras import extra_class, import_extra

__all__ = ["OthelloVecEnv"]


class OthelloVecEnv(extra_class("stable_baselines3.common.vec_env", "VecEnv")):
    """N games of Othello against an opponent, for Stable-Baselines3. When a game ends, the next game begins at once.

    An environment for one game, ``gymnasium.make("othello_env/Othello-v0")``, also works with Stable-Baselines3, but a
    batch of games is faster. When a game ends, the info of this game has `terminal_observation`, `winner`, `opponent`
    (the opponent's name) and `episode`. `episode` is a dict: `r` is the reward, and `l` is the number of steps that the
    learner made in this game.

    Args:
        num_envs: the number of games.
        game: the game, ``"othello"`` or another.
        arguments: the other arguments of `GameVectorEnv`. Three of them are not allowed: `autoreset_mode`,
            ``copy=False`` and ``opponent=None``.

    Attributes:
        env: the batch of games, a `GameVectorEnv`. Call its method `set_opponents` to change the opponents.

    Raises:
        MissingExtraError: Stable-Baselines3 is not installed.
        ValueError: an argument is wrong.
    """

    def __init__(self, num_envs: int, *, game: str = "othello", **arguments: Any) -> None:
        import_extra("stable_baselines3", "sb3")
        _check_arguments(arguments)
        self.env: GameVectorEnv[State] = GameVectorEnv(
            game, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **arguments
        )
        super().__init__(num_envs, self.env.single_observation_space, self.env.single_action_space)
        self._lengths = np.zeros(num_envs, np.int64)

    def reset(self) -> dict[str, npt.NDArray[np.int8]]:
        """Begin all games, with the seeds from the method `seed` and the options from the method `set_options`.

        The options are those of `GameVectorEnv.reset` without `reset_mask`. They apply to one reset only.

        Raises:
            ValueError: an option is wrong, or the options differ between games.
        """
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ValueError("expected the same options for all games: all games of a batch begin in one reset")
        if "reset_mask" in options:
            raise ValueError("the option reset_mask is not allowed here: a reset begins all games")
        observation, _ = self.env.reset(seed=self._seeds, options=options)
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return observation

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        observation, rewards, done, _, info = self.env.step(self._actions)
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done):
            infos[i]["terminal_observation"] = info["final_obs"][i]
            infos[i]["episode"] = {"r": float(rewards[i]), "l": int(self._lengths[i]), "t": 0.0}
            infos[i]["winner"] = int(info["final_info"]["winner"][i])
            infos[i]["opponent"] = self.env.opponents[info["final_info"]["opponent"][i]]
        self._lengths[done] = 0
        return observation, rewards.astype(np.float32), done, infos

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"cannot set {attr_name}: all games of a batch share one environment")

    def get_images(self) -> list[npt.NDArray[np.uint8] | None]:
        """A picture of each game, (H, W, 3) uint8; None for each game if `render_mode` is not ``"rgb_array"``."""
        return list(self.env.render()) if self.render_mode == "rgb_array" else [None] * self.num_envs

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method of `env` once for all games. The method must return None or a row for each game.

        For example, MaskablePPO calls the method `action_masks` in this way.

        Returns:
            A list of the rows of the games in `indices`. If the result is None, the list has a None for each game.
        """
        rows = getattr(self.env, method_name)(*args, **kwargs)
        return [None if rows is None else rows[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """True for Stable-Baselines3's `Monitor`: each game's ``info["episode"]`` is what `Monitor` writes."""
        monitor = import_extra("stable_baselines3.common.monitor", "sb3").Monitor
        return [wrapper_class is monitor for _ in self._get_indices(indices)]

    def close(self) -> None:
        self.env.close()


def _check_arguments(arguments: dict[str, Any]) -> None:
    """Raise a ValueError if Stable-Baselines3 cannot train with these arguments."""
    if "autoreset_mode" in arguments:
        raise ValueError(
            "autoreset_mode cannot be chosen: Stable-Baselines3 needs the next game to begin at once when a game ends"
        )
    if not arguments.get("copy", True):
        raise ValueError("copy=False does not work: Stable-Baselines3 keeps each observation until after the next step")
    if arguments.get("opponent", "random") is None:
        raise ValueError("expected an opponent, not None: Stable-Baselines3 trains one side only")
