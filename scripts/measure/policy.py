"""Measure steps a second with a policy in the loop: in PyTorch, in JAX's `jit`, and beside other libraries.

    pip install 'othello-env[torch,jax]' pgx envpool
    OMP_NUM_THREADS=1 python scripts/measure/policy.py
    OMP_NUM_THREADS=1 python scripts/measure/policy.py --n 64 1024 --policies mlp

A unit is a step of one game. A policy reads the observation, masks its logits, and draws an action from them; all of
this counts, on one thread of PyTorch. `mlp` has a hidden layer of 128, `conv` two convolutions of 32 channels.
`uniform` draws a legal action without a network. Each program is measured next to self-play of our
vector environment with `uniform` actions, and its ratio is the median over the windows. Against `random`, a step is the
learner's move and the answer, as in the single environments that Gymnasium's `SyncVectorEnv` steps one after the other.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import gymnasium
import jax
import numpy as np
import torch
import tyro
from _bench import Work, machine, rate, timed
from jax_env import CHANNELS, HIDDEN, jax_policy
from torch import nn

import othello_env.jax
from othello_env import make_env, make_vec_env, sample_legal

STEPS = 32
Act = Callable[[Any, Any], Any]
"""A function of observations (N, 2, 8, 8) and masks (N, 65) that returns actions (N,)."""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    n: tuple[int, ...] = (64, 1024, 4096)  # the numbers of games
    policies: tuple[str, ...] = ("mlp", "conv")  # the networks
    most_single: int = 1024  # the most single environments in a SyncVectorEnv
    windows: int = 5  # measurements of each program
    seconds: float = 1.0  # the least seconds of a measurement


def torch_policy(name: str) -> Act:
    """A policy in PyTorch that draws its actions."""
    layers: dict[str, list[nn.Module]] = {
        "mlp": [nn.Flatten(), nn.Linear(128, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 65)],
        "conv": [
            *(nn.Conv2d(2, CHANNELS, 3, padding=1), nn.ReLU(), nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1), nn.ReLU()),
            *(nn.Flatten(), nn.Linear(64 * CHANNELS, 65)),
        ],
    }
    network = nn.Sequential(*layers[name])

    @torch.inference_mode()
    def act(planes: np.ndarray, masks: np.ndarray) -> np.ndarray:
        logits = network(torch.from_numpy(planes).float()).masked_fill(torch.from_numpy(masks) == 0, -torch.inf)
        noise = torch.empty_like(logits).exponential_().log_()  # the largest of logits + Gumbel numbers is a draw
        return (logits - noise).argmax(dim=1).numpy()

    return act


def vector_work(env: Any, act: Act) -> Work:
    """Steps of a vector environment of Gymnasium with dict observations."""
    observation = env.reset(seed=0)[0]

    def run() -> int:
        nonlocal observation
        for _ in range(STEPS):
            observation = env.step(act(observation["observation"], observation["action_mask"]))[0]
        return STEPS * env.num_envs

    return timed(run)


def envpool_work(n: int, act: Act) -> Work:
    """Steps of EnvPool's Othello on one thread. It returns planes (2N, 8, 8, 2), a row for each player of a game."""
    import envpool

    env = envpool.make("Othello-v1", env_type="gymnasium", num_envs=n, seed=0, num_threads=1)
    planes, info = env.reset()
    rows = 2 * np.arange(n)

    def run() -> int:
        nonlocal planes, info
        for _ in range(STEPS):
            own = planes[rows + info["current_player"]].view(np.int8).transpose(0, 3, 1, 2)
            actions = act(own, info["legal_action_mask"].view(np.int8))
            planes, _, _, _, info = env.step(actions.astype(np.int32), info["env_id"])
        return STEPS * n

    return timed(run)


def jax_work(env: Any, step: Callable[..., Any], n: int, name: str, *, keys: bool) -> Work:
    """Steps of an environment of Pgx's interface in one compiled loop. `keys`: whether `step` needs keys."""
    act = jax_policy(name)

    @jax.jit
    def loop(state: Any, key: jax.Array) -> Any:
        def body(state: Any, key: jax.Array) -> Any:
            draw, following = jax.random.split(key)
            action = act(state.observation, state.legal_action_mask, draw)
            more = (jax.random.split(following, n),) if keys else ()
            return jax.vmap(step)(state, action, *more), None

        return jax.lax.scan(body, state, jax.random.split(key, STEPS))[0]

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), n))

    def run() -> int:
        nonlocal state
        state = jax.block_until_ready(loop(state, jax.random.key(1)))
        return STEPS * n

    return timed(run)


def programs(n: int, name: str, args: Args) -> dict[str, Callable[[], Work]]:
    """The programs for N games and a network, each by what it is called. Each is made when it is measured."""
    act = torch_policy(name)
    made: dict[str, Callable[[], Work]] = {
        "self-play": lambda: vector_work(make_vec_env(n, opponent=None, copy=False), act),
        "against random": lambda: vector_work(make_vec_env(n, opponent="random", copy=False), act),
    }
    if n <= args.most_single:
        one = partial(make_env, opponent="random")
        made["against random, SyncVectorEnv"] = lambda: vector_work(gymnasium.vector.SyncVectorEnv([one] * n), act)
    if find_spec("envpool"):
        made["self-play, EnvPool"] = lambda: envpool_work(n, act)
    ours = othello_env.jax.Othello(auto_reset=True)
    made["self-play in jit"] = lambda: jax_work(ours, ours.step, n, name, keys=False)
    if find_spec("pgx"):
        import pgx
        from pgx.experimental import auto_reset

        theirs = pgx.make("othello")
        made["self-play in jit, Pgx"] = lambda: jax_work(
            theirs, auto_reset(theirs.step, theirs.init), n, name, keys=True
        )
    return made


def main(args: Args) -> None:
    torch.set_num_threads(1)
    print(machine(("numba", "torch", "jax")))
    rng = np.random.default_rng(0)
    for n in args.n:
        base = vector_work(make_vec_env(n, opponent=None, copy=False), lambda _, masks: sample_legal(masks, rng))
        base()
        print(f"\n{n} games; self-play with uniform actions: {rate(base, args.seconds) / 1e6:.3g} M steps a second")
        for name in args.policies:
            for what, make in programs(n, name, args).items():
                work = make()
                work()
                pairs = [(rate(work, args.seconds), rate(base, args.seconds)) for _ in range(args.windows)]
                ratios = sorted(mine / bare for mine, bare in pairs)
                speed = statistics.median(mine for mine, _ in pairs)
                print(
                    f"{name:5} {what:32} {speed / 1e3:9,.1f} k steps/s {statistics.median(ratios):8.4f} of uniform "
                    f"({ratios[0]:.4f} to {ratios[-1]:.4f})",
                    flush=True,
                )


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
