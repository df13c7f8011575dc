"""Compare sets of n-tuple weights by exact truth and deep searches, without letting them play each other.

    python scripts/measure/evaluation.py
    python scripts/measure/evaluation.py --weights ntuple engine runs/engine.npz --empties 13 17 21

The engine plays games against itself, and the positions come from these. R2 is the square of the correlation between
the logit and the score in discs that the exact solver finds. "chosen" is the mean number of discs that the move with
the best value loses against the best move. With more than 24 empty squares, the scores are the expected discs of the
engine at depth `--depth`, which searches with its own packaged weights, so these rows favour weights like them.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tyro
from _bench import machine

from othello_agents.engine import Engine, exact_scores
from othello_agents.ntuple import NTupleNetwork, shipped_network
from othello_env import Othello
from othello_env.data import Games, match_games
from othello_env.data.replay import othello_positions

PLAYER, OPENINGS = "engine:depth=4,exact=12,epsilon=0.02", "random:16"
"""Who plays the games, and where they begin."""
MOST_SOLVED = 24
"""With more empty squares, the truth is a deep search."""


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


def measure_truth(names: Sequence[str], games: Games, count: int, most: int, depth: int) -> None:
    """Print how well each set of weights predicts the scores of positions with `count` empty squares."""
    positions, *_ = othello_positions(games)
    chosen = np.array(positions.placed()) == 64 - count
    pairs = zip(positions.own[chosen].tolist(), positions.opponent[chosen].tolist(), strict=True)
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
    games = match_games(PLAYER, count=args.games, openings=OPENINGS, seed=args.seed)
    print(f"{'empty':>6} {'positions':>10} {'weights':>24} {'R2':>8} {'chosen':>8}")
    for count in args.empties:
        measure_truth(args.weights, games, count, args.positions, args.depth)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
