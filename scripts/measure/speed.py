"""Measure the steps a second of the environments, and compare them with the bare rules and with other libraries.

    python scripts/measure/speed.py
    python scripts/measure/speed.py --seconds 0.2 --windows 3 --opponents random
    python scripts/measure/speed.py --boards 6 4 --games Checkers Tribolo --picture speed.png
    PYTHONPATH=OTHER-CHECKOUT:OTHER-CHECKOUT/agents python scripts/measure/speed.py

All speeds are compared with perft on one core. Perft counts all move sequences of a given length, with the same
compiled rules as the environments. A speed is the number of steps divided by the time that they take. The time includes
the ends of games and the resets. Each speed is the median of several windows of time, and is divided by the speed of
perft. The lowest and the highest ratio are shown, too. The games of a batch begin at different stages, because a step
costs more at some stages than at others. The time to choose random actions does not count, except for Pgx, which
chooses the actions in its compiled loop, and for single positions of other games. Compare the ratios, because absolute
speeds depend on the machine. Other libraries are measured if they are installed (``pip install 'othello-env[peers]'``).
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import gymnasium
import numpy as np
import tyro
from _bench import Bench, VectorWork, Work, machine, perft_work, timed

from othello_env import Checkers, Othello, State, Tribolo, make_env, othello_v0, sample_legal

T = TypeVar("T")


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    sizes: tuple[int, ...] = (64, 1024, 4096, 16384, 65536)  # numbers of games in self-play
    threads: tuple[int, ...] = (1, 2)  # numbers of threads in self-play
    boards: tuple[int, ...] = ()  # smaller boards (4, 6) for self-play in one thread
    opponents: tuple[str, ...] = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted", "ntuple")
    """the opponents, as specs"""
    opponent_sizes: tuple[int, ...] = (64, 1024, 16384)  # numbers of games against opponents
    games: tuple[str, ...] = ()
    """other games (Checkers, Tribolo): 4,096 games of self-play, and games on single positions"""
    picture: Path | None = None  # a .png file for a chart of the time of a step
    seconds: float = 1.0  # seconds of work in each window
    windows: int = 5  # windows for each figure


def sampler_works(n: int = 4096) -> tuple[Work, Work]:
    """Two kinds of work: choosing random actions for N games with `sample_legal`, and with Gymnasium's own method."""
    space = gymnasium.spaces.MultiDiscrete([65] * n)
    rng = np.random.default_rng(0)
    masks = np.repeat(Othello().action_mask()[np.newaxis], n, axis=0)
    return timed(lambda: len(sample_legal(masks, rng))), timed(lambda: len(space.sample(mask=tuple(masks))))


def driven_work(
    begin: Callable[[int], T], choices: Callable[[T], Sequence[int]], step: Callable[[int], T], games: int = 20
) -> Work:
    """Random games that Python code plays step by step. A unit of work is a step.

    The time to choose random actions does not count.

    Args:
        begin: a function that begins a game with a seed, and returns the first observation.
        choices: a function that returns the legal actions for an observation, and no actions after the end.
        step: a function that plays an action, and returns the next observation.
        games: the number of games.
    """
    rng = np.random.default_rng(0)

    def work() -> tuple[float, float]:
        steps, spent = 0, 0.0
        for game in range(games):
            began = time.perf_counter()
            seen = begin(game)
            spent += time.perf_counter() - began
            while len(legal := choices(seen)):
                action = int(rng.choice(legal))
                began = time.perf_counter()
                seen = step(action)
                spent += time.perf_counter() - began
                steps += 1
        return steps, spent

    return work


def masked(mask: Any) -> Sequence[int]:
    """The legal actions of a mask. After the end of a game, the mask is None, and there are no actions."""
    return () if mask is None else np.flatnonzero(mask)


def aec_work(env: Any) -> Work:
    """Random games of a PettingZoo environment with its methods `reset`, `last` and `step`. A unit of work is a ply."""

    def look() -> Any:
        observation, _, is_over, _, _ = env.last()
        return None if is_over else observation["action_mask"]

    def begin(seed: int) -> Any:
        env.reset(seed=seed)
        return look()

    def step(action: int) -> Any:
        env.step(action)
        return look()

    return driven_work(begin, masked, step)


def single_work(env: gymnasium.Env[Any, Any]) -> Work:
    """Random games of an environment with one game, including the resets. A unit of work is a step."""

    def step(action: int) -> Any:
        observation, _, is_over, _, _ = env.step(action)
        return None if is_over else observation["action_mask"]

    return driven_work(lambda seed: env.reset(seed=seed)[0]["action_mask"], masked, step)


def states_work(begin: Callable[[int], State], games: int = 10) -> Work:
    """Random games with `State` objects, with the choice of the actions. A unit of work is a ply."""

    def run() -> int:
        plies = 0
        for game in range(games):
            state = begin(game)
            while not state.is_over:
                state = state.play(state.draw_action(game, state.placed))
            plies += len(state.moves)
        return plies

    return timed(run)


def pgx_work(n: int = 16384, steps: int = 64) -> Work:
    """Plies of Pgx on all cores, in a compiled loop that also chooses the actions.

    Each call of the returned function continues the games of the previous call.
    """
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


def open_spiel_work() -> Work:
    """Plies of OpenSpiel's Othello, with observation planes and masks. Python code plays the games step by step."""
    import pyspiel

    game = pyspiel.load_game("othello")
    state: Any = None

    def begin(_: int) -> Any:
        nonlocal state
        state = game.new_initial_state()
        return state

    def step(action: int) -> Any:
        state.apply_action(action)
        if not state.is_terminal():
            state.observation_tensor()
            state.legal_actions_mask()
        return state

    return driven_work(begin, lambda state: () if state.is_terminal() else state.legal_actions(), step)


def rust_reversi_work() -> Work:
    """Plies of rust-reversi's board, without observation planes. Python code plays the games step by step."""
    from rust_reversi import Board

    board: Any = None
    must_pass = [-1]

    def begin(_: int) -> Any:
        nonlocal board
        board = Board()
        return board

    def step(action: int) -> Any:
        if action < 0:
            board.do_pass()
        else:
            board.do_move(action)
        board.get_legal_moves_vec()
        return board

    def choices(board: Any) -> Sequence[int]:
        return () if board.is_game_over() else board.get_legal_moves_vec() or must_pass

    return driven_work(begin, choices, step)


def envpool_work(n: int = 1024, steps: int = 8) -> Work:
    """Steps of EnvPool's Othello on all cores, with planes and masks. The time to choose the actions does not count."""
    import envpool

    env = envpool.make("Othello-v1", env_type="gymnasium", num_envs=n, seed=0, num_threads=os.cpu_count())
    info = env.reset()[1]
    rng = np.random.default_rng(0)

    def run() -> tuple[float, float]:
        nonlocal info
        spent = 0.0
        for _ in range(steps):
            actions = sample_legal(info["legal_action_mask"].view(np.int8), rng).astype(np.int32)
            began = time.perf_counter()
            info = env.step(actions, info["env_id"])[4]
            spent += time.perf_counter() - began
        return n * steps, spent

    return run


PEERS: dict[str, Callable[[], Work]] = {
    "envpool": envpool_work,
    "pgx": pgx_work,
    "pyspiel": open_spiel_work,
    "rust_reversi": rust_reversi_work,
}


def measure_vector(bench: Bench, args: Args) -> dict[str, dict[int, float]]:
    """Print the steps a second of vector environments, in self-play and against opponents.

    Returns:
        By title, and then by the number of games, the nanoseconds that a step of one game takes.
    """
    runs = [("self-play", n, None, threads, 8) for n in args.sizes for threads in args.threads if threads <= n]
    runs += [(f"self-play on {size}x{size}", n, None, 1, size) for size in args.boards for n in args.sizes]
    runs += [(opponent, n, opponent, 1, 8) for opponent in args.opponents for n in args.opponent_sizes]
    costs: dict[str, dict[int, float]] = {}
    for title, n, opponent, threads, size in runs:
        work = VectorWork(n, opponent, threads, size=size)
        figure = bench.report(f"vector env, {title}, N={n}, threads {threads}", work)
        work.env.close()
        costs.setdefault(title if threads == 1 else f"{title}, {threads} threads", {})[n] = 1e9 / figure.rate
    return costs


def draw(costs: dict[str, dict[int, float]], perft: float, file: Path) -> None:
    """Draw the time of a step against the number of games in the batch."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.5), dpi=200, layout="constrained")
    axes = figure.subplots()
    for title, cost in costs.items():
        axes.loglog(cost.keys(), cost.values(), "o-", base=10, label=title)
    axes.axhline(1e9 / perft, color="grey", linestyle=":", label="a position of perft")
    axes.set(title="What a step of a game costs", xlabel="games in the batch", ylabel="nanoseconds")
    figure.legend(loc="outside right center")
    figure.savefig(file)


def measure_single(bench: Bench) -> None:
    """Print the steps a second of the environments with one game, and the time to choose random actions."""
    own, theirs = (bench.measure(work) for work in sampler_works())
    print(
        f"sample_legal takes {4096e6 / own.rate:.0f} us for 4096 games, "
        f"MultiDiscrete.sample {own.ratio / theirs.ratio:.0f} times that"
    )
    bench.report("single env, random", single_work(make_env()))
    aec = bench.report("AEC env", aec_work(othello_v0.env()))
    if find_spec("pygame") is None:
        print("pygame is not installed, so PettingZoo's connect_four is not measured (the extra window has it)")
        return
    from pettingzoo.classic import connect_four_v3

    four = bench.report("PettingZoo's connect_four", aec_work(connect_four_v3.env()))
    print(f"the AEC env steps {aec.ratio / four.ratio:.1f} times as many plies a second as connect_four")


def main(args: Args) -> None:
    print(machine())
    bench = Bench(perft_work(), args.windows, args.seconds)
    print(f"{'':66} median ratio to perft (lowest to highest of {args.windows} windows)")
    perft = bench.report("perft, one core", perft_work())
    costs = measure_vector(bench, args)
    if args.picture:
        draw(costs, perft.rate, args.picture)
    measure_single(bench)
    for game in args.games:
        bench.report(f"{game}, vector env, self-play, N=4096", VectorWork(4096, game=game))
        bench.report(f"{game}, States", states_work({"Checkers": lambda _: Checkers(), "Tribolo": Tribolo}[game]))
    for module, make_work in PEERS.items():
        if find_spec(module) is None:
            print(f"{module} is not installed")
        else:
            bench.report(module, make_work())


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
