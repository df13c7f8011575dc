"""Fit lines that predict the value of a deep search from the value of a shallow search (Multi-ProbCut).

    python scripts/make/fit_probcut.py --out agents/othello_agents/weights/probcut_engine_8x8.json
    python scripts/make/fit_probcut.py --out agents/othello_agents/weights/probcut_8x8.json --agent ntuple

The engine uses these lines in its selective search: it skips a deep search if a shallow search already predicts the
result of the deep search. The lines are fitted to positions from games that the n-tuple network plays against itself,
from random openings and with some random moves. Each position comes from a different game. The engine searches each
position to all depths up to ``--depth``, with its own packaged weights (or with ``--agent ntuple``, with those of the
agent ``ntuple``), and without selective search. For every
stage of the game and every depth, the script fits a line by least squares. The line predicts the value at this depth
from the value at a smaller depth. The same arguments give the same fits. Run the script again whenever the weights
change.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import tyro

from othello_agents.engine import probcut
from othello_agents.engine.evaluator import BOUND, ntuple_evaluator
from othello_agents.engine.memory import LIMIT, NO_LIMIT, NODES, clear, new_memory
from othello_agents.engine.searcher import Searcher
from othello_agents.ntuple import NTupleNetwork, shipped_network
from othello_agents.ntuple.agent import ENGINE_SIZES
from othello_env import Othello, make_agent
from othello_env.games.openings import Openings
from othello_env.support.files import write_json

PLIES = {6: 4, 8: 10}
EPSILON = 0.1
LEAST = 20
"""A stage with fewer positions than this number gets the fits of the nearest other stage."""
_ROUNDS, _FAR = 5, 4.5  # 4.5 times the median absolute error is 3 standard deviations of normally distributed errors


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    out: Path  # the table, a .json file
    agent: Literal["engine", "ntuple"] = "engine"  # whose packaged weights the engine searches with
    size: Literal[6, 8] = 8  # size of the board
    positions: int = 1000  # number of searched positions
    depth: int = 10  # depth of the deepest search; it must end before the game does
    seed: int = 1  # the seed of the positions


def most_empty(size: int) -> int:
    """The highest number of empty squares that a searched position may have.

    Positions inside the random openings are not used. A stage that contains such positions is left out.
    """
    return int((size**2 - 4 - PLIES[size]) // probcut.SQUARES_A_STAGE * probcut.SQUARES_A_STAGE - 1)


def position(size: int, empty: int, game: int) -> Othello | None:
    """The position of game number `game` in which `empty` squares are empty.

    If the game ends earlier, or if only a pass is legal in this position, the result is None.
    """
    state, agent = Openings.random(Othello(size), PLIES[size], game), make_agent(f"ntuple:epsilon={EPSILON}", seed=game)
    assert isinstance(state, Othello)
    while not state.is_over and state.empties > empty:
        state = state.play(agent.act(state))
    return None if state.is_over or state.must_pass else state


def search(
    network: NTupleNetwork, count: int, deepest: int, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Search N positions with a network.

    Return their numbers of empty squares (N,) and their values at each depth (N, deepest + 1). A value is NaN in three
    cases: the depth is 0, the depth is not less than the number of empty squares, or the search finds a won or lost
    game.
    """
    size, evaluator, memory = network.size, ntuple_evaluator(network.tables), new_memory(16)
    memory.control[LIMIT] = NO_LIMIT
    rng = np.random.default_rng(seed)
    found: list[tuple[int, list[float]]] = []
    while len(found) < count:
        empty, game = int(rng.integers(probcut.SQUARES_A_STAGE, most_empty(size) + 1)), int(rng.integers(1 << 32))
        state = position(size, empty, game)
        if state is None:
            continue
        clear(memory)
        memory.control[NODES] = 0
        searcher = Searcher(state, evaluator, memory)
        values = [float("nan")] * (deepest + 1)
        for depth in range(1, min(deepest, empty - 1) + 1):
            value = searcher.value(depth)
            assert value is not None, "nothing stops this search"
            values[depth] = value if abs(value) < BOUND else float("nan")
        found.append((empty, values))
    return np.array([empty for empty, _ in found]), np.array([values for _, values in found])


def fit(shallow: npt.NDArray[np.float64], deep: npt.NDArray[np.float64]) -> list[float] | None:
    """Fit the line that predicts `deep` from `shallow`. Return its slope, its offset, and the deviation of its errors.

    If there are too few positions, the result is None. Unusually large errors are left out. They occur near positions
    in which a side loses all its discs. The network has learned from few such positions, so its values are unreliable
    there.
    """
    known = ~np.isnan(shallow + deep)
    if known.sum() < LEAST:
        return None
    x, y = shallow[known], deep[known]
    slope, offset = 1.0, float(np.median(y - x))
    for _ in range(_ROUNDS):
        errors = np.abs(y - slope * x - offset)
        near = errors <= _FAR * np.median(errors)
        slope, offset = np.polyfit(x[near], y[near], 1)
    errors = np.abs(y - slope * x - offset)
    deviation = np.sqrt(np.square(errors[near]).sum() / (near.sum() - 2))
    return [round(float(number), 4) for number in (slope, offset, deviation)]


def fits(empty: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> list[list[list[float]]]:
    """The fits (S, D, 3) for S stages and D depths. A fit is a slope, an offset and a standard deviation."""
    stages = empty // probcut.SQUARES_A_STAGE
    table: list[list[list[float]]] = []
    for stage in range(8):
        row = []
        for depth in range(probcut.SHALLOWEST, values.shape[1]):
            shallow = int(probcut.shallow_depth(depth))
            known = {
                s: found
                for s in set(stages.tolist())
                if (found := fit(values[stages == s, shallow], values[stages == s, depth]))
            }
            if not known:
                sys.exit(f"there are too few positions for depth {depth}; give more --positions, or a smaller --depth")
            row.append(known[min(known, key=lambda other: abs(other - stage))])
        table.append(row)
    return table


def main(args: Args) -> None:
    if args.depth >= most_empty(args.size):
        sys.exit(f"--depth: expected at most {most_empty(args.size) - 1} on this board, not {args.depth}")
    network = shipped_network(args.size, args.agent if args.size in ENGINE_SIZES else "ntuple")
    empty, values = search(network, args.positions, args.depth, args.seed)
    table = fits(empty, values)
    for stage, row in enumerate(table):
        print(f"stage {stage}: " + "  ".join(f"{s:.2f}x{o:+.0f}+-{d:.0f}" for s, o, d in row))
    origin = {"positions": args.positions, "seed": args.seed, "weights": network.training}
    write_json(args.out, origin | {"fits": table})
    print(f"written to {args.out}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
