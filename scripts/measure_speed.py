"""Measure the environments: steps a second, beside the rate of the bare rules and beside other libraries.

    python scripts/measure_speed.py
    python scripts/measure_speed.py --seconds 0.2 --windows 3 --opponents random

The yardstick is perft: positions made one after the other by the same kernels, on one core. A figure is what a user
gets: units done over the time that passed, ends of games and resets included, the median of several windows with the
lowest and highest beside it. The games of a batch begin at all stages, since games in step have cheap steps and dear
ones. The time in which actions are drawn is left out, but for Pgx, which draws them in its compiled loop. Read the
ratios: absolute rates belong to one machine. Other libraries are measured where they are installed
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
from _arguments import real, whole
from _measure import Bench, Figure, Work, machine, perft_work, timed

from othello_env import Othello, othello_v0, sample_legal
from othello_env.envs.othello import OthelloEnv, OthelloVectorEnv

OPPONENTS = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted", "ntuple")


class VectorWork:
    """Steps of N games at once, with observations and masks, `copy=False`; a unit is a step of one game.

    Args:
        n: the number of games.
        opponent: a spec; None for self-play.
        threads: the number of threads.
    """

    STAGES = 60
    """The plies of a game: at the beginning there are as many games at each of them."""
    STEPS = 8

    def __init__(self, n: int, opponent: str | None = None, threads: int = 1) -> None:
        self._env = OthelloVectorEnv(n, opponent=opponent, copy=False, num_threads=threads)
        self._rng = np.random.default_rng(0)
        self._n = n
        self._masks = self._env.reset(seed=0)[0]["action_mask"]
        for stage in range(min(n, self.STAGES)):
            those = np.arange(n) % self.STAGES == stage
            self._env.reset(options={"reset_mask": those, "random_plies": stage})
        for _ in range(self.STAGES):
            self._env.step(sample_legal(self._masks, self._rng))

    def __call__(self) -> tuple[float, float]:
        spent = 0.0
        for _ in range(self.STEPS):
            actions = sample_legal(self._masks, self._rng)
            began = time.perf_counter()
            self._env.step(actions)
            spent += time.perf_counter() - began
        return self.STEPS * self._n, spent

    def close(self) -> None:
        self._env.close()


def memory_a_game(n: int = 16384) -> float:
    """Bytes that a game of a self-play environment takes beside the arrays that a step returns."""
    VectorWork(1).close()  # what is made once
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


def sampler_works(n: int = 4096) -> tuple[Work, Work]:
    """Actions drawn for N games by `sample_legal`, and by Gymnasium's own sampling with masks."""
    space = gymnasium.spaces.MultiDiscrete([65] * n)
    rng = np.random.default_rng(0)
    masks = np.repeat(Othello().action_mask()[np.newaxis], n, axis=0)
    return timed(lambda: len(sample_legal(masks, rng))), timed(lambda: len(space.sample(mask=tuple(masks))))


def aec_work(env: Any, games: int = 20) -> Work:
    """Random games through `last` and `step`, resets included; a unit is a ply. The draw of actions does not count."""
    rng = np.random.default_rng(0)

    def work() -> tuple[float, float]:
        plies, spent = 0, 0.0
        for game in range(games):
            began = time.perf_counter()
            env.reset(seed=game)
            observation, _, over, _, _ = env.last()
            spent += time.perf_counter() - began
            while not over:
                action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
                began = time.perf_counter()
                env.step(action)
                observation, _, over, _, _ = env.last()
                spent += time.perf_counter() - began
                plies += 1
        return plies, spent

    return work


def single_work(env: OthelloEnv, games: int = 20) -> Work:
    """Random games of a single environment, resets included; a unit is a step. The draw of actions does not count."""
    rng = np.random.default_rng(0)

    def work() -> tuple[float, float]:
        steps, spent = 0, 0.0
        for game in range(games):
            began = time.perf_counter()
            observation, _ = env.reset(seed=game)
            spent += time.perf_counter() - began
            terminated = False
            while not terminated:
                action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
                began = time.perf_counter()
                observation, _, terminated, _, _ = env.step(action)
                spent += time.perf_counter() - began
                steps += 1
        return steps, spent

    return work


def pgx_work(n: int = 16384, steps: int = 64) -> Work:
    """Plies of Pgx on all cores, compiled as one loop that also draws the actions; games go on from run to run."""
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
        nonlocal carry
        carry = jax.block_until_ready(rollout(*carry))
        return n * steps

    return timed(run)


def open_spiel_work(games: int = 20) -> Work:
    """Plies of OpenSpiel's Othello, with both sides' planes, driven from Python."""
    import pyspiel

    game, rng = pyspiel.load_game("othello"), np.random.default_rng(0)

    def work() -> tuple[float, float]:
        plies, spent = 0, 0.0
        for _ in range(games):
            began = time.perf_counter()
            state = game.new_initial_state()
            spent += time.perf_counter() - began
            while not state.is_terminal():
                action = int(rng.choice(state.legal_actions()))
                began = time.perf_counter()
                state.apply_action(action)
                if not state.is_terminal():
                    state.observation_tensor()
                    state.legal_actions_mask()
                spent += time.perf_counter() - began
                plies += 1
        return plies, spent

    return work


def rust_reversi_work(games: int = 20) -> Work:
    """Plies of rust-reversi's board, without planes, driven from Python."""
    from rust_reversi import Board

    rng = np.random.default_rng(0)

    def work() -> tuple[float, float]:
        plies, spent = 0, 0.0
        for _ in range(games):
            began = time.perf_counter()
            board = Board()
            spent += time.perf_counter() - began
            while not board.is_game_over():
                moves = board.get_legal_moves_vec()
                move = int(rng.choice(moves)) if moves else None
                began = time.perf_counter()
                if move is None:
                    board.do_pass()
                else:
                    board.do_move(move)
                board.get_legal_moves_vec()
                spent += time.perf_counter() - began
                plies += 1
        return plies, spent

    return work


PEERS: dict[str, Callable[[], Work]] = {
    "pgx": pgx_work,
    "pyspiel": open_spiel_work,
    "rust_reversi": rust_reversi_work,
}


def show(name: str, figure: Figure) -> Figure:
    print(f"{name:52}{figure}", flush=True)
    return figure


def measure_vector(bench: Bench, title: str, n: int, opponent: str | None, threads: int) -> None:
    work = VectorWork(n, opponent, threads)
    show(f"vector env, {title}, N={n}, threads {threads}", bench.measure(work))
    work.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=real(1e-3), default=1.0, help="of work in each window")
    parser.add_argument("--windows", type=whole(1), default=5, help="for each figure")
    sizes = [64, 1024, 4096, 16384, 65536]
    parser.add_argument("--sizes", type=whole(1), nargs="+", default=sizes, help="numbers of games in self-play")
    parser.add_argument(
        "--threads", type=whole(1, 1024), nargs="+", default=[1, 2], help="numbers of threads in self-play"
    )
    parser.add_argument("--opponents", nargs="*", default=list(OPPONENTS), help="specs")
    sizes = [64, 1024, 16384]
    parser.add_argument(
        "--opponent-sizes", type=whole(1), nargs="+", default=sizes, help="numbers of games against them"
    )
    args = parser.parse_args()

    print(machine())
    bench = Bench(perft_work(), args.windows, args.seconds)
    print(f"{'':66} median ratio to perft (lowest to highest of {args.windows} windows)")
    show("perft, one core", bench.measure(perft_work()))
    for n in args.sizes:
        for threads in args.threads:
            if threads <= n:
                measure_vector(bench, "self-play", n, None, threads)
    for opponent in args.opponents:
        for n in args.opponent_sizes:
            measure_vector(bench, opponent, n, opponent, 1)
    print(f"{memory_a_game():.0f} bytes a game beside the arrays that a step returns")

    own, theirs = (bench.measure(work) for work in sampler_works())
    print(
        f"sample_legal takes {4096e6 / own.rate:.0f} us for 4096 games, "
        f"MultiDiscrete.sample {own.ratio / theirs.ratio:.0f} times that"
    )
    show("single env, random", bench.measure(single_work(OthelloEnv())))
    aec = show("AEC env", bench.measure(aec_work(othello_v0.env())))
    from pettingzoo.classic import connect_four_v3

    four = show("PettingZoo's connect_four", bench.measure(aec_work(connect_four_v3.env())))
    print(f"the AEC env steps {aec.ratio / four.ratio:.1f} times as many plies a second as connect_four")
    for module, make_work in PEERS.items():
        if find_spec(module) is None:
            print(f"{module} is not installed")
        else:
            show(module, bench.measure(make_work()))


if __name__ == "__main__":
    main()
