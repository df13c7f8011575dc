"""Train a population of agents with AgileRL's PPO on the vector environment. The learning rates of the agents evolve.

    pip install othello-env agilerl peft tyro
    python scripts/train/agilerl_ppo.py --steps 500000 --out runs/agilerl.pt
    python scripts/train/agilerl_ppo.py --size 6 --opponent maximizer:eval=weighted --out runs/small.pt

AgileRL uses the vector environment without changes, and reads the masks from `info`. AgileRL needs a version of
pettingzoo below 1.27. Version 2.58 of agilerl imports peft but does not install it, so install it yourself. The best
agent is saved in AgileRL's own format, which ``PPO.load`` reads. Such a file holds pickled objects: load only files
that you trust. Ctrl-C ends the training and keeps the best agent of the last evolution.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import gymnasium
import numpy as np

try:
    import torch
    import tyro
    from agilerl.algorithms import PPO
    from agilerl.algorithms.core.registry import HyperparameterConfig, RLParameter
    from agilerl.hpo.mutation import Mutations
    from agilerl.hpo.tournament import TournamentSelection
    from agilerl.training.train_on_policy import train_on_policy
except ImportError as error:
    sys.exit(f"{error}: pip install othello-env agilerl peft tyro")

from othello_env import Othello, make_vec_env, play_match

PLAYER = """To let the agent play, write these lines into a file policy.py:

    from agilerl.algorithms import PPO
    agent = PPO.load("{out}")
    def best(observations, masks):
        return agent.get_action({{"observation": observations, "action_mask": masks}}, action_mask=masks)[0]

Then run: othello-env match policy.py:best {opponent} --game othello:size={size} --openings random:{plies}"""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    out: Path = Path("runs/agilerl.pt")  # the best agent, a new .pt file
    steps: int = 500_000  # number of moves of each agent
    population: int = 2  # number of agents
    games: int = 64  # games played at once
    size: Literal[4, 6, 8] = 8  # size of the board
    opponent: str = "random"  # the opponent, as a spec
    seed: int = 1  # the seed of everything random


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


def as_policy(agent: PPO) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The agent as a function of observations (N, 2, S, S) and masks (N, A). It samples the actions (N,)."""

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return agent.get_action({"observation": observations, "action_mask": masks}, action_mask=masks)[0]

    return policy


def main(args: Args) -> None:
    # AgileRL cuts off a path at the first .pt, and appends .pt.
    if args.out.exists() or f"{str(args.out).split('.pt')[0]}.pt" != str(args.out):
        sys.exit(f"--out: expected a new .pt file without another .pt in its path, got {args.out}")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    env = make_vec_env(args.games, size=args.size, opponent=args.opponent)
    population = make_population(env, args.population, args.seed)
    try:
        best = train(env, population, args.steps, args.seed, args.out)
    except KeyboardInterrupt:
        if not args.out.exists():
            sys.exit("interrupted before the first evolution; nothing is written")
        best = PPO.load(args.out)
    for opponent in dict.fromkeys(("random", "maximizer:eval=weighted", args.opponent)):
        openings = f"random:{args.size**2 // 8}"
        result = play_match(as_policy(best), opponent, openings=openings, new_game=lambda _: Othello(args.size))
        print(f"score in {result.games} games against {opponent}: {result.score:.3f}")
    print(f"\n{args.out} has the best agent. {PLAYER.format(plies=args.size**2 // 8, **vars(args))}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
