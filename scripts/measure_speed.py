"""Measure the environments: steps a second, beside the rate of the bare rules and beside other libraries.

    python scripts/measure_speed.py
    python scripts/measure_speed.py --seconds 0.2 --opponents random

The limit is perft: positions made one after the other by the same kernels. All figures are of one run, and each is the
best of its time; read the ratios, since absolute ones hang on the machine. The time in which actions are drawn is left
out, but for Pgx. Other libraries are measured where they are installed
(``pip install 'othello-env[peers]'``).
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np

from othello_env import Othello, othello_v0, sample_legal
from othello_env.arguments import real, whole
from othello_env.envs.single import OthelloEnv
from othello_env.envs.vector import OthelloVectorEnv
from othello_env.games import bitboard

OPPONENTS = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted", "ntuple")


def best(run: Callable[[], tuple[int, float]], seconds: float) -> float:
    """The highest rate among runs, each of which tells its units and the seconds that count, in about `seconds`."""
    run()  # compiles
    rates, end = [], time.perf_counter() + seconds
    while len(rates) < 3 or time.perf_counter() < end:
        units, spent = run()
        rates.append(units / spent)
    return max(rates)


def timed(run: Callable[[], int]) -> Callable[[], tuple[int, float]]:
    """A run all of whose time counts."""

    def timed_run() -> tuple[int, float]:
        start = time.perf_counter()
        units = run()
        return units, time.perf_counter() - start

    return timed_run


def perft_rate(seconds: float) -> float:
    """Leaves a second, each a position that is made, on one core."""
    start = Othello()
    sides = np.uint64(start.own), np.uint64(start.opponent)
    return best(timed(lambda: bitboard.perft(*sides, bitboard.BOARDS[8], 7)), seconds)


def vector_rate(n: int, seconds: float, opponent: str | None = None, threads: int = 1) -> float:
    """Steps a second of N games at once, with observations and masks, `copy=False`."""
    env = OthelloVectorEnv(n, opponent=opponent, copy=False, num_threads=threads)
    rng = np.random.default_rng(0)
    masks = env.reset(seed=0)[0]["action_mask"]
    for _ in range(60):  # until games are at all their stages
        env.step(sample_legal(masks, rng))

    def run() -> tuple[int, float]:
        actions = sample_legal(masks, rng)
        start = time.perf_counter()
        env.step(actions)
        return n, time.perf_counter() - start

    rate = best(run, seconds)
    env.close()
    return rate


def memory_a_game(n: int = 16384) -> float:
    """Bytes that a game of a self-play environment takes beside the arrays that a step returns."""
    vector_rate(1, 0.0)  # what is made once
    tracemalloc.start()
    env = OthelloVectorEnv(n, opponent=None, copy=False)
    observation, info = env.reset(seed=0)
    returned = [
        *observation.values(),
        info["to_move"],
        *env.step(sample_legal(info["action_mask"], env.np_random))[1:4],
    ]
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (taken - sum(array.nbytes for array in returned)) / n


def sampler_rates(n: int, seconds: float) -> tuple[float, float]:
    """Rows a second of `sample_legal`, and of Gymnasium's own sampling with masks."""
    space = gymnasium.spaces.MultiDiscrete([65] * n)
    rng = np.random.default_rng(0)
    mask = Othello().action_mask()
    masks = np.repeat(mask[np.newaxis], n, axis=0)

    def own() -> int:
        return len(sample_legal(masks, rng))

    def theirs() -> int:
        return len(space.sample(mask=tuple(masks)))

    return best(timed(own), seconds), best(timed(theirs), seconds)


def aec_plies(env: Any, games: int = 20) -> tuple[int, float]:
    """Play random games through `last` and `step`; only they count, not the draw of actions."""
    rng, plies, spent = np.random.default_rng(0), 0, 0.0
    for game in range(games):
        env.reset(seed=game)
        observation, _, over, _, _ = env.last()
        while not over:
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            start = time.perf_counter()
            env.step(action)
            observation, _, over, _, _ = env.last()
            spent += time.perf_counter() - start
            plies += 1
    return plies, spent


def single_steps(env: OthelloEnv, steps: int = 2000) -> tuple[int, float]:
    """Random steps of a single environment; only they count, not the draw of actions."""
    rng, spent = np.random.default_rng(0), 0.0
    observation, _ = env.reset(seed=0)
    for _ in range(steps):
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        start = time.perf_counter()
        observation, _, terminated, _, _ = env.step(action)
        if terminated:
            observation, _ = env.reset()
        spent += time.perf_counter() - start
    return steps, spent


def pgx_rate(seconds: float, n: int = 16384, steps: int = 64) -> float:
    """Plies a second of Pgx on all cores, compiled as one loop that also draws the actions."""
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make("othello")
    init, step = jax.vmap(env.init), jax.vmap(pgx.experimental.auto_reset(env.step, env.init))

    def ply(carry: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], None]:
        state, key = carry
        key, drawn, begun = jax.random.split(key, 3)
        logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
        actions = jax.random.categorical(drawn, logits, axis=-1)
        return (step(state, actions, jax.random.split(begun, n)), key), None

    rollout = jax.jit(lambda state, key: jax.lax.scan(ply, (state, key), length=steps)[0])
    carry = init(jax.random.split(jax.random.PRNGKey(0), n)), jax.random.PRNGKey(1)

    def run() -> int:
        jax.block_until_ready(rollout(*carry))
        return n * steps

    return best(timed(run), seconds)


def open_spiel_rate(seconds: float, games: int = 20) -> float:
    """Plies a second of OpenSpiel's Othello, with both sides' planes, driven from Python."""
    import pyspiel

    game, rng = pyspiel.load_game("othello"), np.random.default_rng(0)

    def run() -> tuple[int, float]:
        plies, spent = 0, 0.0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                action = int(rng.choice(state.legal_actions()))
                start = time.perf_counter()
                state.apply_action(action)
                if not state.is_terminal():
                    state.observation_tensor()
                    state.legal_actions_mask()
                spent += time.perf_counter() - start
                plies += 1
        return plies, spent

    return best(run, seconds)


def rust_reversi_rate(seconds: float, games: int = 20) -> float:
    """Plies a second of rust-reversi's board, without planes, driven from Python."""
    from rust_reversi import Board

    rng = np.random.default_rng(0)

    def run() -> tuple[int, float]:
        plies, spent = 0, 0.0
        for _ in range(games):
            board = Board()
            while not board.is_game_over():
                moves = board.get_legal_moves_vec()
                move = int(rng.choice(moves)) if moves else None
                start = time.perf_counter()
                if move is None:
                    board.do_pass()
                else:
                    board.do_move(move)
                board.get_legal_moves_vec()
                spent += time.perf_counter() - start
                plies += 1
        return plies, spent

    return best(run, seconds)


PEERS = {"pgx": pgx_rate, "pyspiel": open_spiel_rate, "rust_reversi": rust_reversi_rate}


def show(name: str, rate: float, limit: float, unit: str = "plies/s") -> None:
    print(f"{name:44} {rate:14,.0f} {unit:9} {rate / limit:10.4f} of perft", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=real(1e-3), default=1.0, help="for each figure")
    parser.add_argument("--sizes", type=whole(1), nargs="+", default=[1, 64, 1024, 16384], help="numbers of games")
    parser.add_argument("--threads", type=whole(1, 1024), nargs="+", default=[1, 2], help="numbers of threads")
    parser.add_argument("--opponents", nargs="*", default=list(OPPONENTS), help="specs")
    args = parser.parse_args()

    limit = perft_rate(args.seconds)
    show("perft, one core", limit, limit, "leaves/s")
    for n in args.sizes:
        for threads in args.threads:
            if threads <= n:
                rate = vector_rate(n, args.seconds, threads=threads)
                show(f"vector env, self-play, N={n}, threads {threads}", rate, limit)
    for opponent in args.opponents:
        for n in args.sizes:
            show(f"vector env, {opponent}, N={n}", vector_rate(n, args.seconds, opponent), limit, "steps/s")
    print(f"{memory_a_game():.0f} bytes a game beside the arrays that a step returns")

    own, theirs = sampler_rates(4096, args.seconds)
    print(
        f"sample_legal takes {4096e6 / own:.0f} us for 4096 games, MultiDiscrete.sample {own / theirs:.0f} times that"
    )
    show("single env, random", best(lambda: single_steps(OthelloEnv()), args.seconds), limit, "steps/s")
    aec = best(lambda: aec_plies(othello_v0.env()), args.seconds)
    show("AEC env", aec, limit)
    from pettingzoo.classic import connect_four_v3

    four = best(lambda: aec_plies(connect_four_v3.env()), args.seconds)
    show(f"PettingZoo's connect_four (AEC env: {aec / four:.1f} times)", four, limit)
    for module, measure in PEERS.items():
        if find_spec(module) is None:
            print(f"{module} is not installed")
        else:
            show(module, measure(args.seconds), limit)


if __name__ == "__main__":
    main()
