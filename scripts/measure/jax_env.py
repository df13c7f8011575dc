r"""Measure `othello_env.jax` beside Pgx in one program: whole loops of games, automatic resets included.

    pip install 'othello-env[jax]' pgx
    python scripts/measure/jax_env.py                       # 4,096 games
    python scripts/measure/jax_env.py --n 4096 65536 1048576 --policies uniform mlp conv \
        --train "--games 4096 --minibatch 8192 --seconds 1800 --out runs/gpu.safetensors"

On a GPU, the second command prints what the documentation does not have yet.

A unit is a step of one game. A loop is 64 steps of N games inside one compiled function. With `uniform`, each step
draws a random legal action from the mask. With `mlp` (a hidden layer of 128) or `conv` (two convolutions of 32
channels), a network reads the observation, and the action is drawn from its masked logits. The rates alternate, and the
ratios are medians of the pairs. The program runs on JAX's first device. It also prints the bytes that a step has to
move, per second: the state is read and written once.

With ``--train``, ``scripts/train/jax_ppo.py`` then learns with these options, and the last lines say after how many
seconds it had 1,000 and 1,200 Elo.
"""

import json
import shlex
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import tyro
from _bench import machine

from othello_env.jax import Othello

STEPS = 64
HIDDEN, CHANNELS = 128, 32
OPPONENTS = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted")
MARKS = (1000, 1200)
"""Elo."""
Act = Callable[[jax.Array, jax.Array, jax.Array], jax.Array]
"""A function of observations (N, 8, 8, 2) bool, masks (N, 65) bool and a key that returns actions (N,)."""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    n: tuple[int, ...] = (4096,)  # the numbers of games
    policies: tuple[str, ...] = ("uniform",)  # who chooses the actions: uniform, mlp or conv
    pairs: int = 5  # measurements of each program
    seconds: float = 1.0  # the least seconds of a measurement
    train: str = ""  # the options of a training by jax_ppo.py afterwards


def uniform(_: jax.Array, masks: jax.Array, key: jax.Array) -> jax.Array:
    """A random legal action for each row of the mask, by the largest of 65 hashes. This takes little time."""
    draw = jax.random.bits(key, masks.shape[:1])
    action = jnp.arange(masks.shape[-1], dtype=jnp.uint32)
    hashed = (draw[:, None] ^ (action * jnp.uint32(0x9E3779B9))) * jnp.uint32(0x85EBCA6B)
    hashed = (hashed ^ (hashed >> 15)) * jnp.uint32(0xC2B2AE35)
    return (jnp.where(masks, (hashed & jnp.uint32(0xFFFFFF80)) | action, 0).max(axis=-1) & 127).astype(jnp.int32)


def jax_policy(name: str) -> Act:
    """A policy that draws its actions: a function of observations (N, 8, 8, 2) bool, masks and a key."""
    keys = jax.random.split(jax.random.key(0), 3)
    sizes = {
        "mlp": [(128, HIDDEN), (HIDDEN, 65)],
        "conv": [(3, 3, 2, CHANNELS), (3, 3, CHANNELS, CHANNELS), (64 * CHANNELS, 65)],
    }
    weights = [jax.random.normal(key, size) / 8 for key, size in zip(keys, sizes[name], strict=False)]

    def act(planes: jax.Array, masks: jax.Array, key: jax.Array) -> jax.Array:
        x = planes.astype(jnp.float32)
        for weight in weights[:-1]:
            if weight.ndim == 4:
                x = jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            else:
                x = x.reshape(len(x), -1) @ weight
            x = jax.nn.relu(x)
        logits = x.reshape(len(x), -1) @ weights[-1]
        return jax.random.categorical(key, jnp.where(masks, logits, -jnp.inf))

    return act


def loop(env: Any, step: Callable[..., Any], n: int, act: Act = uniform, *, keys: bool) -> Callable[[jax.Array], Any]:
    """The function that plays: from a key to the number of games that ended. `step` is for one game."""

    def run(key: jax.Array) -> Any:
        def body(state: Any, key: jax.Array) -> Any:
            draw, following = jax.random.split(key)
            action = act(state.observation, state.legal_action_mask, draw)
            more = (jax.random.split(following, n),) if keys else ()
            state = jax.vmap(step)(state, action, *more)
            return state, state.terminated.sum()

        first = jax.vmap(env.init)(jax.random.split(key, n))
        state, ended = jax.lax.scan(body, first, jax.random.split(key, STEPS))
        return state, ended.sum()

    return jax.jit(run)


def rate(run: Callable[[jax.Array], Any], n: int, seconds: float) -> float:
    """Steps a second."""
    count, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds or not count:
        jax.block_until_ready(run(jax.random.PRNGKey(count)))
        count += 1
    return count * n * STEPS / spent


def measure(n: int, policy: str, args: Args) -> None:
    """Print the rates of all programs for N games and a policy."""
    import pgx
    from pgx.experimental import auto_reset

    act = uniform if policy == "uniform" else jax_policy(policy)
    theirs, passing = pgx.make("othello"), Othello(double_pass=True)
    ours = Othello(auto_reset=True)
    programs = {
        "Pgx, auto_reset": (theirs, auto_reset(theirs.step, theirs.init), True),
        "ours with Pgx's auto_reset, double_pass": (passing, auto_reset(passing.step, passing.init), True),
        "ours, auto_reset=True, keys given": (ours, ours.step, True),
        "ours, auto_reset=True": (ours, ours.step, False),
    } | {f"ours against {spec}": (env := ours.vs(spec), env.step, False) for spec in OPPONENTS}
    compiled = {}
    print(f"\n{n} games, {policy}")
    for name, (env, step, keys) in programs.items():
        began = time.perf_counter()
        compiled[name] = loop(env, step, n, act, keys=keys).lower(jax.random.PRNGKey(0)).compile()
        print(f"{name:48} compiled in {time.perf_counter() - began:5.1f} s")
    leaves = jax.tree.leaves(jax.eval_shape(jax.vmap(ours.init), jax.random.split(jax.random.PRNGKey(0), n)))
    state_bytes = sum(leaf.size * leaf.dtype.itemsize for leaf in leaves)
    rates: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(args.pairs):
        for name, run in compiled.items():
            rates[name].append(rate(run, n, args.seconds))
    base = rates["Pgx, auto_reset"]
    for name, found in rates.items():
        ratio = statistics.median(mine / other for mine, other in zip(found, base, strict=True))
        moved = 2 * state_bytes / n * statistics.median(found) / 1e9
        print(f"{name:48} {statistics.median(found) / 1e6:10.3f} M steps/s {ratio:8.2f} x Pgx {moved:8.2f} GB/s")


def train(args: Args) -> None:
    """Train, and print the seconds of training until a point of the curve had each mark's rating."""
    sys.path.append(str(Path(__file__).parents[1] / "train"))
    import jax_ppo

    words = shlex.split(args.train)
    jax_ppo.main(words)
    file = tyro.cli(jax_ppo.Args, args=words).out.with_suffix(".json")
    curve = json.loads(file.read_text(encoding="utf-8"))["curve"]
    for mark in MARKS:
        reached = (point["seconds"] for point in curve if point.get("elo", -float("inf")) >= mark)
        print(f"{mark} Elo after {next(reached, 'more than all')} seconds of training")


def main(args: Args) -> None:
    print(machine(("jax", "pgx")), f"device {jax.devices()[0].device_kind}", sep=", ")
    for n in args.n:
        for policy in args.policies:
            measure(n, policy, args)
    if args.train:
        train(args)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
