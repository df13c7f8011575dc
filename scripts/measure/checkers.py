"""Measure alpha-beta of checkers: compiled, as plain Python, and OpenSpiel's (extra ``peers``).

    python scripts/measure/checkers.py

The positions are of random games. Plain Python is the search that takes any evaluation. OpenSpiel counts no nodes, so
its number is that of evaluated positions, with random values. All three take one core; the unit is CPU seconds.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tyro
from _bench import machine

from othello_agents.evaluations.boards import positional
from othello_agents.search import checkers
from othello_agents.search.alphabeta import alphabeta
from othello_env import Checkers


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    depth: int = 8  # of the compiled search
    slow_depth: int = 5  # of the two others
    positions: int = 40  # of the compiled search; a tenth as many of the two others
    repeats: int = 3  # each number is the median
    seed: int = 1  # the seed of the positions


def positions(start: Callable[[], Any], play: Callable[[Any, int], Any], n: int, seed: int) -> list[Any]:
    """One in five positions of random games."""
    rng, found, state = np.random.default_rng(seed), [], start()
    while len(found) < n:
        if not state.legal_actions():
            state = start()
        if rng.random() < 0.2:
            found.append(state)
        state = play(state, int(rng.choice(state.legal_actions())))
    return found


def rate(work: Callable[[], int], repeats: int) -> float:
    """The median number of what `work` counts in a CPU second."""
    rates = []
    for _ in range(repeats):
        began = time.process_time()
        count = work()
        rates.append(count / (time.process_time() - began))
    return sorted(rates)[len(rates) // 2]


def main(args: Args) -> None:
    print(machine())
    found = positions(Checkers, Checkers.play, args.positions, args.seed)
    few = max(1, args.positions // 10)
    checkers.search(found[0], 1, positional.pieces)  # compiles
    fast = rate(lambda: sum(checkers.search(s, args.depth, positional.pieces)[2] for s in found), args.repeats)
    print(f"compiled, depth {args.depth}: {fast / 1e6:.2f} M nodes a second")
    slow = rate(lambda: sum(alphabeta(s, args.slow_depth, positional)[2] for s in found[:few]), args.repeats)
    print(f"plain Python, depth {args.slow_depth}: {slow / 1e3:.1f} thousand nodes a second, 1 to {fast / slow:.0f}")
    try:
        import pyspiel
        from open_spiel.python.algorithms.minimax import alpha_beta_search
    except ImportError:
        sys.exit("OpenSpiel is not installed: pip install 'othello-env[peers]'")
    game = pyspiel.load_game("checkers")
    others = positions(game.new_initial_state, pyspiel.State.child, few, args.seed)
    values = np.random.default_rng(args.seed)

    def evaluated() -> int:
        count = 0

        def value(_state: Any) -> float:
            nonlocal count
            count += 1
            return values.random() - 0.5

        for state in others:
            player = state.current_player()
            alpha_beta_search(
                game,
                state=state,
                value_function=value,
                maximum_depth=args.slow_depth,
                maximizing_player_id=player,
            )
        return count

    peer = rate(evaluated, args.repeats)
    print(f"OpenSpiel, depth {args.slow_depth}: {peer / 1e3:.1f} thousand evaluated positions a second")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
