"""Measure four speeds: of alpha-beta, of MCTS, of agents that get batches of positions, and of n-tuple learning.

    python scripts/measure_agents.py
    python scripts/measure_agents.py --depth 4 --positions 100
    python scripts/measure_agents.py --parts learning --batches 32 256 --threads 2

Each speed is the median of several windows of time. The speed of compiled alpha-beta is divided by the speed of
alpha-beta in plain Python. Both searches visit the same nodes of the same random positions, and play moves with the
compiled rules. All other speeds are divided by the speed of perft on one core. Perft counts all move sequences of a
given length. For learning with several threads, the last column has the speed divided by the speed with one thread. The
lowest and the highest ratio are shown, too. Compare the ratios, because absolute times depend on the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from _arguments import one_of, parse, text, whole
from _measure import Bench, Windows, Work, machine, timed
from _works import perft_work

from othello_agents.evaluations import find_evaluation
from othello_agents.mcts.agent import Mcts
from othello_agents.ntuple import Trainer
from othello_agents.search.alphabeta import AlphaBeta
from othello_env import Othello, make_agent
from othello_env.games.openings import Openings
from othello_env.games.othello.positions import OthelloPositions

BATCHES = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted", "alphabeta:depth=4,eval=weighted")
PARTS = ("alphabeta", "mcts", "batches", "learning")


@dataclass(frozen=True)
class Arguments(Windows):
    """The command's arguments."""

    depth: int = whole(6, "depth of the search", most=60)
    eval: str = text("weighted", "the evaluation of the search: count, weighted, modified or mobility")
    positions: int = whole(10, "number of searched positions")
    seed: int = whole(1, "the seed of the positions", least=0)
    parts: tuple[str, ...] = one_of(PARTS, "what to measure", PARTS, nargs="+")
    batches: tuple[int, ...] = whole(
        (1, 32, 64), "games of a batch from which an n-tuple network learns", most=10_000, nargs="+"
    )
    threads: tuple[int, ...] = whole((2,), "numbers of threads beside one thread that learn", most=1024, nargs="*")


def random_positions(n: int, seed: int) -> list[Othello]:
    """Positions after 8 to 47 random plies."""
    states = [Openings.random(Othello(), 8 + i % 40, seed + i) for i in range(n)]
    return [state for state in states if isinstance(state, Othello)]


def search_work(agent: AlphaBeta, states: Sequence[Othello]) -> Work:
    """Searches of all positions. A unit of work is a node."""
    return timed(lambda: sum(agent.search(state).nodes for state in states))


def simulation_work(state: Othello, simulations: int, seed: int) -> Work:
    """Tree searches of one position. A unit of work is a simulation."""
    agent = Mcts(simulations, seed=seed)

    def run() -> int:
        agent.search(state)
        return simulations

    return timed(run)


def measure_alphabeta(args: Arguments) -> None:
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
    compiled = args.bench(search_work(slow, states)).measure(search_work(fast, states))
    python = compiled.rate / compiled.ratio
    print(f"compiled      {compiled.rate:14,.0f} nodes a second {1e3 * each / compiled.rate:12.2f} ms a move")
    print(f"plain Python  {python:14,.0f} nodes a second {1e3 * each / python:12.2f} ms a move")
    print(f"ratio         {compiled.ratio:14,.0f} ({compiled.spread})")


def measure_mcts(bench: Bench, args: Arguments) -> None:
    """Print how many simulations MCTS makes in a second, from the start and from a random position."""
    print("\nMonte Carlo tree search, simulations of one position, one thread")
    for state in (Othello(), random_positions(args.positions, args.seed)[-1]):
        print(f"{f'{sum(state.scores())} discs':34}{bench.measure(simulation_work(state, 1000, args.seed))}")


def measure_batches(bench: Bench, seed: int) -> None:
    """Let agents choose moves for many positions at once, and print the positions a second."""
    batch = OthelloPositions.from_states(random_positions(2_000, seed))
    print(f"\nanswers to a batch of {len(batch):,}, one thread")
    for spec in BATCHES:
        agent = make_agent(spec)
        print(f"{spec:34}{bench.measure(timed(lambda agent=agent: len(agent.act_batch(batch))))}")


def learning_work(batch: int, threads: int, games: int) -> Work:
    """Self-play of an n-tuple network that learns. A unit of work is a game. The first 10,240 games do not count."""
    trainer = Trainer(seed=1, batch=batch, num_threads=threads)
    trainer.run(games=-(-10_240 // batch) * batch)
    return timed(lambda: trainer.run(games=games))


def measure_learning(bench: Bench, args: Arguments) -> None:
    """Print the games a second that an n-tuple network plays and learns from, with one thread and with more threads."""
    print("\nself-play learning of an n-tuple network, games")
    for batch in args.batches:
        games = -(-1024 // batch) * batch
        one = learning_work(batch, 1, games)
        print(f"{f'batch {batch}, one thread':34}{bench.measure(one)}")
        for threads in args.threads:
            if threads <= batch:
                more = learning_work(batch, threads, games)
                gain = args.bench(one).measure(more)
                print(
                    f"{f'batch {batch}, {threads} threads':34}{bench.measure(more)}  "
                    f"{gain.ratio:.2f} ({gain.spread}) times one thread"
                )


def main() -> None:
    args = parse(__doc__, Arguments)
    print(machine())
    if "alphabeta" in args.parts:
        measure_alphabeta(args)
    bench = args.bench(perft_work())
    if "mcts" in args.parts:
        measure_mcts(bench, args)
    if "batches" in args.parts:
        measure_batches(bench, args.seed)
    if "learning" in args.parts:
        measure_learning(bench, args)


if __name__ == "__main__":
    main()
