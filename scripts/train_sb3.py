"""Train with Stable-Baselines3's MaskablePPO against an opponent (``pip install 'othello-env[sb3]'``).

    python scripts/train_sb3.py --steps 500000 --out runs/sb3.zip
    python scripts/train_sb3.py --size 6 --opponent maximizer:eval=weighted --steps 200000 --out runs/small.zip

Stable-Baselines3 has vector environments of its own, so `OthelloVecEnv` hands it the compiled one; a single
environment, ``gymnasium.make("othello_env/Othello-v0")``, works as it is. The model is kept in that library's own
format, which may hold pickled objects: load none that you do not trust. Ctrl-C ends the training and keeps what was
learned. A file ``policy.py`` plays it: ``PYTHONPATH=scripts othello-env match policy.py:best random`` of

    import train_sb3
    best = train_sb3.as_policy(train_sb3.MaskablePPO.load("runs/sb3.zip"))
"""

import argparse
import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

try:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[sb3]'")

from othello_env import Othello
from othello_env.arena.match import play_match
from othello_env.arguments import whole


class OthelloVecEnv(VecEnv):
    """The native vector environment as Stable-Baselines3 wants it; the arguments are those of `gymnasium.make_vec`."""

    def __init__(self, num_envs: int, **arguments: Any) -> None:
        self.env = gymnasium.make_vec("othello_env/Othello-v0", num_envs=num_envs, **arguments).unwrapped
        super().__init__(num_envs, self.env.single_observation_space, self.env.single_action_space)
        self._lengths = np.zeros(num_envs, np.int64)

    def reset(self) -> dict[str, npt.NDArray[np.int8]]:
        self._lengths[:] = 0
        observation, _ = self.env.reset(seed=self._seeds)
        self._reset_seeds()
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
        self._lengths[done] = 0
        return observation, rewards.astype(np.float32), done, infos

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"the games of a batch have no {attr_name} of their own to set")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Each game's row of what a method of the batch returns, as MaskablePPO asks for its masks."""
        rows = getattr(self.env, method_name)(*args, **kwargs)
        return [rows[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        self.env.close()


def make_model(env: Any, seed: int, **settings: Any) -> MaskablePPO:
    """A MaskablePPO whose settings fit a game that is decided at its end."""
    chosen: dict[str, Any] = {"n_steps": 64, "batch_size": 512, "n_epochs": 4, "gamma": 1.0, "ent_coef": 0.01}
    policy = {"net_arch": [256, 256]}
    return MaskablePPO("MultiInputPolicy", env, seed=seed, policy_kwargs=policy, device="cpu", **(chosen | settings))


def as_policy(model: MaskablePPO) -> Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], npt.NDArray[np.int64]]:
    """The model as an agent: a function of observations and masks."""

    def policy(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        seen = {"observation": observations, "action_mask": masks}
        return model.predict(seen, deterministic=True, action_masks=masks)[0]

    return policy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the model, a .zip file")
    parser.add_argument("--steps", type=whole(1), default=500_000, help="the learner's moves [%(default)s]")
    parser.add_argument("--games", type=whole(1), default=64, help="played at once [%(default)s]")
    parser.add_argument("--size", type=whole(4, 8), default=8, help="of the board: 4, 6 or 8 [%(default)s]")
    parser.add_argument("--opponent", default="random", help="a spec [%(default)s]")
    parser.add_argument("--seed", type=whole(0, 2**32 - 1), default=1, help="of everything random [%(default)s]")
    args = parser.parse_args()
    if args.out.exists() or args.out.is_symlink():
        parser.error(f"--out {args.out} exists; name another file")
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        env = OthelloVecEnv(args.games, size=args.size, opponent=args.opponent)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    model = make_model(env, args.seed, verbose=1)
    with contextlib.suppress(KeyboardInterrupt):
        model.learn(args.steps, log_interval=10)
    model.save(args.out)
    for opponent in dict.fromkeys(("random", "maximizer:eval=weighted", args.opponent)):
        result = play_match(
            as_policy(model),
            opponent,
            games=200,
            openings=f"random:{args.size**2 // 8}",
            new_game=lambda _: Othello(args.size),
        )
        print(f"{opponent}: {result.score:.3f}")


if __name__ == "__main__":
    main()
