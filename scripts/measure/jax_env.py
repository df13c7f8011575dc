"""Measure `othello_env.jax` beside Pgx in one program: whole loops of games, automatic resets included.

    pip install 'othello-env[jax]' pgx
    python scripts/measure/jax_env.py                       # 4,096 games
    python scripts/measure/jax_env.py --n 64 4096 65536 1048576

A unit is a step of one game. A loop is 64 steps of N games inside one compiled function; each step draws a random legal
action from the mask, the same way for all. The rates alternate, and the ratios are medians of the pairs. The program
runs on JAX's first device. On a GPU it also prints the bytes that a step has to move, per second: the state is read and
written once.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import pgx
import tyro
from _bench import machine
from pgx.experimental import auto_reset

from othello_env.jax import Othello

STEPS = 64


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    n: tuple[int, ...] = (4096,)  # the numbers of games
    pairs: int = 5  # measurements of each program
    seconds: float = 1.0  # the least seconds of a measurement


def choose(mask: jax.Array, draw: jax.Array) -> jax.Array:
    """A random legal action for each row of the mask, by the largest of 65 hashes. This takes little time."""
    action = jnp.arange(mask.shape[-1], dtype=jnp.uint32)
    hashed = (draw[:, None] ^ (action * jnp.uint32(0x9E3779B9))) * jnp.uint32(0x85EBCA6B)
    hashed = (hashed ^ (hashed >> 15)) * jnp.uint32(0xC2B2AE35)
    return (jnp.where(mask, (hashed & jnp.uint32(0xFFFFFF80)) | action, 0).max(axis=-1) & 127).astype(jnp.int32)


def loop(env: Any, step: Callable[..., Any], n: int, *, keys: bool) -> Callable[[jax.Array], Any]:
    """The function that plays: from a key to the number of games that ended. `step` is for one game."""

    def run(key: jax.Array) -> Any:
        def body(state: Any, key: jax.Array) -> Any:
            draw, following = jax.random.split(key)
            action = choose(state.legal_action_mask, jax.random.bits(draw, (n,)))
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


def main(args: Args) -> None:
    print(machine(("jax", "pgx")), f"device {jax.devices()[0].device_kind}", sep=", ")
    theirs, passing = pgx.make("othello"), Othello(double_pass=True)
    ours = Othello(auto_reset=True)
    against = {spec: ours.vs(spec) for spec in ("random", "maximizer:eval=weighted")}
    programs = {
        "Pgx, auto_reset": (theirs, auto_reset(theirs.step, theirs.init), True),
        "ours with Pgx's auto_reset, double_pass": (passing, auto_reset(passing.step, passing.init), True),
        "ours, auto_reset=True, keys given": (ours, ours.step, True),
        "ours, auto_reset=True": (ours, ours.step, False),
    } | {f"ours against {spec}": (env, env.step, False) for spec, env in against.items()}
    for n in args.n:
        compiled = {}
        print(f"\n{n} games")
        for name, (env, step, keys) in programs.items():
            began = time.perf_counter()
            compiled[name] = loop(env, step, n, keys=keys).lower(jax.random.PRNGKey(0)).compile()
            print(f"{name:42} compiled in {time.perf_counter() - began:5.1f} s")
        keys = jax.random.split(jax.random.PRNGKey(0), n)
        leaves = jax.tree.leaves(jax.eval_shape(jax.vmap(ours.init), keys))
        state_bytes = sum(leaf.size * leaf.dtype.itemsize for leaf in leaves)
        rates: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(args.pairs):
            for name, run in compiled.items():
                rates[name].append(rate(run, n, args.seconds))
        base = rates["Pgx, auto_reset"]
        for name, found in rates.items():
            ratio = statistics.median(mine / other for mine, other in zip(found, base, strict=True))
            moved = 2 * state_bytes / n * statistics.median(found) / 1e9
            print(f"{name:42} {statistics.median(found) / 1e6:10.3f} M steps/s {ratio:8.2f} x Pgx {moved:8.2f} GB/s")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
