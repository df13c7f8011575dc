"""Measure the speed of compiled alpha-beta, and of the learning of n-tuple networks.

    python scripts/measure/agents.py
    python scripts/measure/agents.py --depth 4 --positions 100
    python scripts/measure/agents.py --parts learning

Each speed is the median of several windows of time. The speed of compiled alpha-beta is divided by the speed of
alpha-beta in plain Python. Both searches visit the same nodes of the same random positions, and play moves with the
compiled rules. The speed of learning is divided by the speed of perft on one core, which counts all move sequences of a
given length. The lowest and the highest ratio are shown, too. Compare the ratios, because absolute times depend on the
machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import tyro
from _bench import Bench, Work, machine, perft_work, timed

from othello_agents.evaluations import find_evaluation
from othello_agents.search.alphabeta import AlphaBeta
from othello_agents.training import Trainer
from othello_env import Othello
from othello_env.games.openings import Openings

Part = Literal["alphabeta", "learning"]


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    depth: int = 6  # depth of the search
    eval: str = "weighted"  # the evaluation of the search: count, weighted, modified or mobility
    positions: int = 10  # number of searched positions
    seed: int = 1  # the seed of the positions
    parts: tuple[Part, ...] = ("alphabeta", "learning")  # what to measure
    seconds: float = 1.0  # seconds of work in each window
    windows: int = 5  # windows for each figure


def random_positions(n: int, seed: int) -> list[Othello]:
    """Positions after 8 to 47 random plies."""
    states = [Openings.random(Othello(), 8 + i % 40, seed + i) for i in range(n)]
    return [state for state in states if isinstance(state, Othello)]


def search_work(agent: AlphaBeta, states: Sequence[Othello]) -> Work:
    """Searches of all positions. A unit of work is a node."""
    return timed(lambda: sum(agent.search(state).nodes for state in states))


def measure_alphabeta(args: Args) -> None:
    """Print the nodes a second of the compiled search and of the search in Python."""
    states = random_positions(args.positions, args.seed)
    evaluate = find_evaluation(args.eval)
    fast = AlphaBeta(args.depth, evaluate)
    # Compiled code can use only registered evaluations. The lambda is not registered, so this agent searches in Python.
    slow = AlphaBeta(args.depth, lambda state, player: evaluate(state, player))
    nodes = sum(fast.search(state).nodes for state in states)
    assert nodes == sum(slow.search(state).nodes for state in states)
    each = nodes / len(states)
    print(
        f"alpha-beta depth {args.depth}, {args.eval}, {len(states)} random positions, {each:,.0f} nodes each on average"
    )
    compiled = Bench(search_work(slow, states), args.windows, args.seconds).measure(search_work(fast, states))
    python = compiled.rate / compiled.ratio
    print(f"compiled      {compiled.rate:14,.0f} nodes a second {1e3 * each / compiled.rate:12.2f} ms a move")
    print(f"plain Python  {python:14,.0f} nodes a second {1e3 * each / python:12.2f} ms a move")
    print(f"ratio         {compiled.ratio:14,.0f} ({compiled.spread})")


def measure_learning(bench: Bench) -> None:
    """Print the games a second that an n-tuple network plays and learns from."""
    trainer = Trainer(seed=1)
    trainer.run(games=10_000)  # these games do not count
    print("\nself-play learning of an n-tuple network, games")
    print(f"{'one thread':34}{bench.measure(timed(lambda: trainer.run(games=1024)))}")


def main(args: Args) -> None:
    print(machine())
    if "alphabeta" in args.parts:
        measure_alphabeta(args)
    if "learning" in args.parts:
        measure_learning(Bench(perft_work(), args.windows, args.seconds))


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
