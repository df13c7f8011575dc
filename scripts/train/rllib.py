"""Train one policy for both sides with RLlib's PPO on the PettingZoo environment.

    pip install 'othello-env[torch]' "ray[rllib]"
    python scripts/train/rllib.py --iterations 100 --out runs/rllib
    python scripts/train/rllib.py --size 6 --workers 2 --iterations 100 --out runs/small

RLlib uses the environment through its `PettingZooEnv`, and masks actions in its `ActionMaskingTorchRLModule`. The
wrapper `Observations` gives this module the observation as a row of floats, under the name that the module expects. The
training is saved as a folder in RLlib's own format, which ``Algorithm.from_checkpoint`` reads. Such a folder holds
pickled objects: load only folders that you trust. Ctrl-C ends the training and keeps what was learned. TensorBoard's
events are in the same folder.

With ``--workers``, other processes play. On several machines, RLlib trains as Ray's documentation says.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, flatdim
from pettingzoo.utils import BaseWrapper

try:
    import ray
    import torch
    import tyro
    from ray.rllib.algorithms.ppo import PPO, PPOConfig
    from ray.rllib.core.rl_module import RLModuleSpec
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env
    from torch.utils.tensorboard import SummaryWriter
except ImportError as error:
    sys.exit(f"{error}: pip install 'othello-env[torch]' 'ray[rllib]'")

from othello_env import othello_v0, play_match

POLICY = "both"
PLAYER = """To let the policy play, write these lines into a file policy.py:

    import sys
    sys.path.append("{recipes}")
    import rllib
    best = rllib.load("{out}")

Then run: othello-env match policy.py:best random --game othello:size={size} --openings random:{plies}"""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    out: Path = Path("runs/rllib")  # a new folder for the training's checkpoint
    iterations: int = 100  # number of iterations; each has 4000 moves
    workers: int = 0  # processes that only play; with 0, the learner's process plays
    size: Literal[4, 6, 8] = 8  # size of the board
    seed: int = 1  # the seed of everything random


class Observations(BaseWrapper):
    """Renames the parts of the observation to the names that RLlib's masking module expects."""

    def observation_space(self, agent: str) -> Dict:
        spaces = self.env.observation_space(agent)
        row = Box(0, 1, (flatdim(spaces["observation"]),), np.float32)
        return Dict(action_mask=spaces["action_mask"], observations=row)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = self.env.observe(agent)
        return {"action_mask": seen["action_mask"], "observations": seen["observation"].ravel().astype(np.float32)}


def make_env(arguments: dict[str, Any]) -> PettingZooEnv:
    """The environment for RLlib. The arguments are passed to `othello_v0.env`."""
    return PettingZooEnv(Observations(othello_v0.env(**arguments)))


def make_algorithm(seed: int, workers: int = 0, games: int = 16, steps: int = 4000, **arguments: Any) -> PPO:
    """Make RLlib's PPO algorithm. Its settings suit a game whose only reward comes at the end.

    Args:
        seed: the seed of everything random. Without workers, the same seed repeats a run.
        workers: the number of processes that only play. With 0, the learner's own process plays.
        games: the number of games that each process plays at once.
        steps: the number of steps in an iteration. The policy learns from these steps.
        arguments: the arguments of `othello_v0.env`.
    """
    register_env("othello", make_env)
    network = {"fcnet_hiddens": [256, 256], "fcnet_activation": "relu"}
    config = PPOConfig()
    # RLlib's check of the environment would play illegal actions, so it is off.
    config.environment("othello", env_config=arguments, disable_env_checking=True)
    config.env_runners(num_env_runners=workers, num_envs_per_env_runner=games)
    config.multi_agent(policies={POLICY}, policy_mapping_fn=lambda *_, **__: POLICY)
    config.rl_module(rl_module_spec=RLModuleSpec(ActionMaskingTorchRLModule, model_config=network))
    config.training(gamma=1.0, lr=1e-3, entropy_coeff=0.01, num_epochs=4)
    config.training(train_batch_size_per_learner=steps, minibatch_size=256)
    config.debugging(seed=seed)
    return config.build_algo()


def as_policy(module: ActionMaskingTorchRLModule) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The agent as a function of observations (N, 2, S, S) and masks (N, A). It returns the likeliest actions (N,)."""

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        rows = torch.from_numpy(observations).flatten(1).float()
        seen = {"obs": {"action_mask": torch.from_numpy(masks), "observations": rows}}
        with torch.no_grad():
            return module.forward_inference(seen)["action_dist_inputs"].argmax(dim=1).numpy()

    return policy


def load(path: str | Path) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Load the agent that was saved in a folder."""
    module = Path(path).absolute() / "learner_group" / "learner" / "rl_module" / POLICY
    return as_policy(ActionMaskingTorchRLModule.from_checkpoint(module))


def main(args: Args) -> None:
    if args.out.exists():
        sys.exit(f"--out: expected a new folder, got {args.out}")
    ray.init(include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    algorithm = make_algorithm(args.seed, args.workers, size=args.size)
    openings = f"random:{args.size**2 // 8}"
    writer = SummaryWriter(args.out / "tensorboard")
    try:
        for iteration in range(1, args.iterations + 1):
            algorithm.train()
            if iteration % 10 == 0 or iteration == args.iterations:
                algorithm.save_to_path(args.out.absolute())
                policy = as_policy(algorithm.get_module(POLICY))
                for opponent in ("random", "maximizer:eval=weighted"):
                    result = play_match(policy, opponent, openings=openings, game=f"othello:size={args.size}")
                    print(iteration, f"score against {opponent}: {result.score:.3f}", flush=True)
                    writer.add_scalar(f"scores/{opponent}", result.score, iteration)
    except KeyboardInterrupt:
        print("interrupted")
        algorithm.save_to_path(args.out.absolute())
    writer.close()
    algorithm.stop()
    player = PLAYER.format(recipes=Path(__file__).parent, plies=args.size**2 // 8, **vars(args))
    print(f"\n{args.out} has the checkpoint. {player}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
