"""Train a population of agents with AgileRL's PPO on the vector environment. The learning rates of the agents evolve.

    pip install othello-env agilerl peft
    python scripts/train_agilerl.py --steps 500000 --out runs/agilerl.pt
    python scripts/train_agilerl.py --size 6 --opponent maximizer:eval=weighted --steps 500000 --out runs/small.pt

AgileRL uses the vector environment without changes, and reads the masks from `info`. AgileRL needs a version of
pettingzoo below 1.27. Version 2.58 of agilerl imports peft but does not install it, so install it yourself. The best
agent is saved in AgileRL's own format, which ``PPO.load`` reads. Such a file holds pickled objects: load only files
that you trust. Ctrl-C ends the training and keeps the best agent of the last evolution.

To let the agent play, write these lines into a file ``policy.py``:

    import train_agilerl
    best = train_agilerl.as_policy(train_agilerl.PPO.load("runs/agilerl.pt"))

Then run ``PYTHONPATH=scripts othello-env match policy.py:best random``.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

try:
    import torch
    from agilerl.algorithms import PPO
    from agilerl.algorithms.core.registry import HyperparameterConfig, RLParameter
    from agilerl.hpo.mutation import Mutations
    from agilerl.hpo.tournament import TournamentSelection
    from agilerl.training.train_on_policy import train_on_policy
except ImportError as error:
    sys.exit(f"{error}: pip install othello-env agilerl peft")

from _arguments import one_of, parse, path, text, whole
from _recipe import SIZES, Policy, mistakes, new_output, score

from othello_env.support.jit import interruptible


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    out: Path = path("the best agent, a .pt file")
    steps: int = whole(500_000, "number of moves of each agent")
    population: int = whole(2, "number of agents")
    games: int = whole(64, "games played at once")
    size: int = one_of(8, "size of the board: 4, 6 or 8", SIZES)
    opponent: str = text("random", "the opponent, as a spec")
    seed: int = whole(1, "the seed of everything random", least=0, most=2**32 - 1)

    def check(self) -> None:
        """Check that AgileRL will write to ``--out``.

        AgileRL cuts off a path at the first ``.pt``, and appends ``.pt``.
        """
        if f"{str(self.out).split('.pt')[0]}.pt" != str(self.out):
            raise ValueError(f"--out must end in .pt and have no other .pt in its path, got {self.out}")


def make_env(games: int, **arguments: Any) -> gymnasium.vector.VectorEnv:
    """A vector environment. The arguments are passed to `gymnasium.make_vec`."""
    return gymnasium.make_vec("othello_env/Othello-v0", num_envs=games, **arguments)


def make_population(env: gymnasium.vector.VectorEnv, count: int, seed: int) -> list[PPO]:
    """Make `count` agents. Their settings suit a game whose only reward comes at the end."""
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - AgileRL uses the global random state
    size = env.single_observation_space["observation"].shape[-1]
    # A convolution whose kernel is as large as the board is equal to a dense layer.
    whole_board = {"channel_size": [256], "kernel_size": [size], "stride_size": [1]}
    network = {
        "latent_dim": 128,
        "encoder_config": {"latent_dim": 128, "cnn_config": whole_board},
        "head_config": {"hidden_size": [256]},
    }
    return PPO.population(
        size=count,
        observation_space=env.single_observation_space,
        action_space=env.single_action_space,
        num_envs=env.num_envs,
        net_config=network,
        hp_config=HyperparameterConfig(lr=RLParameter(min=1e-4, max=1e-2)),
        lr=1e-3,
        gamma=1.0,
        learn_step=2048,
        batch_size=256,
    )


def train(env: gymnasium.vector.VectorEnv, population: list[PPO], steps: int, seed: int, out: Path) -> PPO:
    """Let each agent make `steps` moves. Write the best agent to `out`, and return it. Close the environment."""
    env.reset(seed=seed)
    best, *_ = train_on_policy(
        env,
        env_name="Othello",
        algo="PPO",
        pop=population,
        max_steps=steps,
        evo_steps=min(steps, 50_000),
        eval_loop=2,
        selection_strategy=TournamentSelection(2, elitism=True, population_size=len(population)),
        mutation=Mutations(0.5, 0, 0, 0, 0, rl_hp=0.5, mutate_elite=False, rand_seed=seed),
        save_elite=True,
        elite_path=str(out),
        verbose=False,
    )[0]
    return best


def as_policy(agent: PPO) -> Policy:
    """The agent as a function of observations and masks. The function samples the actions, as AgileRL does."""

    def policy(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        return agent.get_action({"observation": observations, "action_mask": masks}, action_mask=masks)[0]

    return policy


def main() -> None:
    args = parse(__doc__, Arguments)
    with mistakes():
        new_output(args.out)
        env = make_env(args.games, size=args.size, opponent=args.opponent)
    population = make_population(env, args.population, args.seed)
    try:
        with interruptible():
            best = train(env, population, args.steps, args.seed, args.out)
    except KeyboardInterrupt:
        if not args.out.exists():
            sys.exit(130)
        best = PPO.load(args.out)
    for opponent in dict.fromkeys(("random", "maximizer:eval=weighted", args.opponent)):
        print(f"{opponent}: {score(as_policy(best), opponent, args.size):.3f}")


if __name__ == "__main__":
    main()
