"""Compare sets of n-tuple weights by games, exact truth and deep searches, without letting them play each other.

    python scripts/measure/evaluation.py
    python scripts/measure/evaluation.py --weights ntuple engine runs/engine.npz --empties 13 17 21

The engine plays games against itself, as in `scripts/make/fit_engine.py` but with another seed, so that no weights were
fitted to them. The first table has the mean loss in nats (cross entropy) of each set of weights on the positions, by
the number of empty squares. The loss compares a value with the outcome of its game.

The second table is about positions that the exact solver has solved. R2 is the square of the correlation between the
logit and the score in discs. "chosen" is the mean number of discs that the move with the best value loses against the
best move. With more than 24 empty squares, the scores are the expected discs of the engine at depth `--depth`, which
searches with its own packaged weights, so these rows favour weights that are like them.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tyro
from _bench import machine

from othello_agents.engine import Engine, exact_scores
from othello_agents.engine.labelling import LabelledGames, Plan, labelled_games, share
from othello_agents.ntuple import NTupleNetwork, shipped_network
from othello_agents.ntuple.fitting import LabelledPositions, stage_errors
from othello_env import Othello
from othello_env.games.othello.bitboard import popcount
from othello_env.support.threads import Threads

PLAN = Plan(4, 12, 8, 24, share(0.02), share(0.1))
MOST_SOLVED = 24
"""With more empty squares, the truth is a deep search."""
WIDTH = 8
"""The number of numbers of empty squares in a row of the first table."""


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    weights: tuple[str, ...] = ("ntuple", "engine")  # packaged weights (ntuple, engine) or .npz files
    games: int = 2000  # number of games
    empties: tuple[int, ...] = (13, 17)  # numbers of empty squares of the solved, or deeply searched, positions
    positions: int = 200  # number of positions for each of these numbers
    depth: int = 14  # plies of the searches with more than 24 empty squares
    seed: int = 2  # the seed of the games


def load(name: str) -> NTupleNetwork:
    """The weights with a name, or from a file."""
    return shipped_network(8, name) if name in ("ntuple", "engine") else NTupleNetwork.load(name)


def empties_of(games: LabelledGames) -> npt.NDArray[np.int64]:
    """The number of empty squares in each position, (N,)."""
    return 64 - np.array([int(popcount(discs)) for discs in games.own | games.opponent])


def measure_losses(names: Sequence[str], games: LabelledGames) -> None:
    """Print the loss of each set of weights by the number of empty squares."""
    empty, rows = empties_of(games), LabelledPositions(games.own, games.opponent, games.values)
    print(f"{'empty':>10} {'positions':>10}" + "".join(f"{name:>24}" for name in names))
    for low in range(0, 60, WIDTH):
        near = (empty >= low) & (empty < low + WIDTH)
        if near.any():
            losses = [stage_errors(load(name), rows.part(near))[-1].loss for name in names]
            print(f"{f'{low}-{low + WIDTH - 1}':>10} {near.sum():10}" + "".join(f"{loss:24.4f}" for loss in losses))


def measure_truth(names: Sequence[str], games: LabelledGames, count: int, most: int, depth: int) -> None:
    """Print how well each set of weights predicts the scores of positions with `count` empty squares."""
    chosen = np.flatnonzero(empties_of(games) == count)
    pairs = zip(games.opponent[chosen].tolist(), games.own[chosen].tolist(), strict=True)
    states = [state for own, other in pairs if not (state := Othello.from_bits(own, other, to_move=0)).must_pass]
    states = states[:most]
    if count <= MOST_SOLVED:
        scores = exact_scores(states)
    else:
        engine, scores = Engine(depth=depth, hash=64), np.full((len(states), 65), np.nan)
        for row, state in zip(scores, states, strict=True):
            for action, discs in engine.action_values(state).items():
                row[action] = discs
    best = np.nanmax(scores, axis=1)
    for name in names:
        network = load(name)
        values = [network.value(state, state.to_move) for state in states]
        actions = [max(s.legal_actions(), key=lambda a, s=s: network.value(s.play(a), 0)) for s in states]
        lost = best - scores[np.arange(len(states)), actions]
        r2 = np.corrcoef(np.arctanh(values), best)[0, 1] ** 2
        error = 1.96 * np.std(lost, ddof=1) / np.sqrt(len(lost))
        print(f"{count:>6} {len(states):10} {name:>24} {r2:8.3f} {np.mean(lost):8.2f} +- {error:.2f}")


def main(args: Args) -> None:
    if unknown := [count for count in args.empties if not 1 <= count <= 50]:
        sys.exit(f"--empties: expected numbers from 1 to 50, got {unknown[0]}")
    print(machine())
    games = labelled_games(load(args.weights[-1]), PLAN, args.seed, 0, args.games, Threads(1))
    measure_losses(args.weights, games)
    print(f"{'empty':>6} {'positions':>10} {'weights':>24} {'R2':>8} {'chosen':>8}")
    for count in args.empties:
        measure_truth(args.weights, games, count, args.positions, args.depth)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
