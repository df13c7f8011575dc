"""Measure the agents without a learned evaluation: alpha-beta's nodes, Monte Carlo's simulations, answers to a batch.

    python scripts/measure_agents.py
    python scripts/measure_agents.py --depth 4 --positions 100

Both alpha-beta searches, compiled and in plain Python, visit the same nodes of the same random positions, in turn;
read the ratios, since absolute times belong to one machine. Each figure is the median of several windows, with the
lowest and highest ratio to perft on one core beside it. The search in Python still plays its moves with the compiled
rules.
"""

import argparse
from collections.abc import Sequence

from _arguments import real, whole
from _measure import Bench, Work, machine, perft_work, timed

from othello_agents.evaluations import find_evaluation
from othello_agents.mcts.agent import Mcts
from othello_agents.search.alphabeta import AlphaBeta
from othello_env import Othello, make_agent
from othello_env.games.openings import Openings
from othello_env.games.othello.position import OthelloBatch

BATCHES = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted", "alphabeta:depth=4,eval=weighted")


def random_positions(n: int, seed: int) -> list[Othello]:
    """Positions after 8 to 47 random plies."""
    states = [Openings.random(Othello(), 8 + i % 40, seed + i) for i in range(n)]
    return [state for state in states if isinstance(state, Othello)]


def search_work(agent: AlphaBeta, states: Sequence[Othello]) -> Work:
    """Searches of all positions; a unit is a node."""
    return timed(lambda: sum(agent.search(state).nodes for state in states))


def simulation_work(state: Othello, simulations: int, seed: int) -> Work:
    """Searches of one position; a unit is a simulation."""
    agent = Mcts(simulations, seed=seed)

    def run() -> int:
        agent.search(state)
        return simulations

    return timed(run)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=whole(1, 60), default=6, help="of the search")
    parser.add_argument("--eval", default="weighted", help="count, weighted, modified or mobility")
    parser.add_argument("--positions", type=whole(1), default=10, help="how many are searched")
    parser.add_argument("--seed", type=whole(0), default=1, help="of the positions")
    parser.add_argument("--seconds", type=real(1e-3), default=1.0, help="of work in each window")
    parser.add_argument("--windows", type=whole(1), default=5, help="for each figure")
    args = parser.parse_args()
    states = random_positions(args.positions, args.seed)
    evaluate = find_evaluation(args.eval)

    print(machine())
    fast = AlphaBeta(args.depth, evaluate)
    # The kernels know an evaluation by its function; under another one it is searched in Python.
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

    bench = Bench(perft_work(), args.windows, args.seconds)
    print("\nMonte Carlo tree search, simulations of one position, one thread")
    for state in (Othello(), states[-1]):
        print(f"{f'{sum(state.scores())} discs':34}{bench.measure(simulation_work(state, 1000, args.seed))}")

    batch = OthelloBatch.from_states(random_positions(2_000, args.seed))
    print(f"\nanswers to a batch of {len(batch):,}, one thread")
    for spec in BATCHES:
        agent = make_agent(spec)
        print(f"{spec:34}{bench.measure(timed(lambda agent=agent: len(agent.act_batch(batch))))}")


if __name__ == "__main__":
    main()
