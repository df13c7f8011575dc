"""Measure the agents without a learned evaluation: alpha-beta's nodes, Monte Carlo's simulations, answers to a batch.

    python scripts/measure_agents.py
    python scripts/measure_agents.py --depth 4 --positions 100

Both alpha-beta searches, compiled and in plain Python, visit the same nodes of the same random positions, in one run;
read the ratios, since absolute times hang on the machine. The search in Python still plays its moves with the compiled
rules.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial

from othello_agents.alphabeta import AlphaBeta
from othello_agents.evaluation import find_evaluation
from othello_agents.mcts import Mcts
from othello_env import Othello, make_agent
from othello_env.arguments import whole
from othello_env.games.openings import Openings
from othello_env.games.othello import OthelloBatch

BATCHES = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted", "alphabeta:depth=4,eval=weighted")


def random_positions(n: int, seed: int) -> list[Othello]:
    """Positions after 8 to 47 random plies."""
    states = [Openings.random(Othello(), 8 + i % 40, seed + i) for i in range(n)]
    return [state for state in states if isinstance(state, Othello)]


def seconds(run: Callable[[], object]) -> float:
    """The shortest of three runs."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return min(times)


def nodes_per_second(agent: AlphaBeta, states: Sequence[Othello]) -> tuple[int, float]:
    """How many nodes an agent visits, and how many a second."""
    agent.search(states[0])  # compiles
    nodes = sum(agent.search(state).nodes for state in states)
    return nodes, nodes / seconds(lambda: [agent.search(state) for state in states])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=whole(1, 60), default=6, help="of the search")
    parser.add_argument("--eval", default="weighted", help="count, weighted, modified or mobility")
    parser.add_argument("--positions", type=whole(1), default=10, help="how many are searched")
    parser.add_argument("--seed", type=whole(0), default=1, help="of the positions")
    args = parser.parse_args()
    states = random_positions(args.positions, args.seed)
    evaluate = find_evaluation(args.eval)

    nodes, compiled = nodes_per_second(AlphaBeta(args.depth, evaluate), states)
    # The kernels know an evaluation by its function; under another one it is searched in Python.
    same_nodes, python = nodes_per_second(AlphaBeta(args.depth, lambda state, player: evaluate(state, player)), states)
    assert nodes == same_nodes
    each = nodes / len(states)
    print(
        f"alpha-beta depth {args.depth}, {args.eval}, {len(states)} random positions, {each:,.0f} nodes each on average"
    )
    print(f"compiled      {compiled:14,.0f} nodes a second {1e3 * each / compiled:12.2f} ms a move")
    print(f"plain Python  {python:14,.0f} nodes a second {1e3 * each / python:12.2f} ms a move")
    print(f"ratio         {compiled / python:14,.0f}")

    batch = OthelloBatch.from_states(random_positions(2_000, args.seed))
    simulations = 1000
    print("\nMonte Carlo tree search, one position at a time, one thread")
    for state in (Othello(), states[-1]):
        per_second = simulations / seconds(partial(Mcts(simulations, seed=args.seed).search, state))
        print(f"{f'{sum(state.scores())} discs':34}{per_second:14,.0f} simulations a second")

    print(f"\nanswers to a batch of {len(batch):,}, one thread")
    for spec in BATCHES:
        agent = make_agent(spec)
        agent.act_batch(batch)  # compiles
        print(f"{spec:34}{len(batch) / seconds(partial(agent.act_batch, batch)):14,.0f} a second")


if __name__ == "__main__":
    main()
