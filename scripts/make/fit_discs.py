"""Fit a formula that converts the result that the engine expects (-1 to 1) into discs.

    python scripts/make/fit_discs.py --games 400
    python scripts/make/fit_discs.py --games 400 --weights ntuple
    python scripts/make/fit_discs.py --games 400 --size 6

The engine plays against itself from random openings. The script takes the positions with 12 to 54 empty squares (on
6x6, 12 to 26). A search of each position gives the result that the engine expects. With at most ``--exact`` empty
squares, the exact solver gives the margin in discs of perfect play. Otherwise the margin is that of the game, which
ends with perfect play. The script fits this formula by least squares:
discs = (a + b * empty squares) * atanh(result). For some numbers of empty squares, it also prints how far the
estimates are from the margins. The same arguments give the same numbers. The numbers a and b of each board and set of
weights are in `agents/othello_agents/engine/analysis.py`. Run the script again whenever the n-tuple weights change.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import tyro

from othello_agents.engine import Engine
from othello_env import Othello, make_agent
from othello_env.data import match_games

LEAST, MOST = 12, {6: 26, 8: 54}
"""The lowest and the highest number of empty squares in a position. The highest depends on the size of the board."""

SOLVED = (13, 15, 17, 19, 21)
"""Up to ``--exact`` empty squares, only positions with these numbers of empty squares are used, and they are solved."""
OPENINGS = {6: "random:6", 8: "random:10"}


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    games: int = 400  # number of games, even
    size: Literal[6, 8] = 8  # size of the board
    depth: int = 6  # depth of the engine's searches
    exact: int = 17  # positions with at most this number of empty squares are solved
    weights: Literal["engine", "ntuple"] = "engine"  # the packaged weights: the engine's own (on 8x8), or ntuple's
    seed: int = 1  # the seed of the openings


def main(args: Args) -> None:
    spec = f"engine:depth={args.depth}" + (",eval=ntuple" if args.weights == "ntuple" else "")
    analyst: Any = make_agent(f"{spec},exact=0")
    solver = Engine()
    openings, game = OPENINGS[args.size], f"othello:size={args.size}"
    games = match_games(spec, None, args.games, openings=openings, seed=args.seed, game=game)
    rows = []
    for i in range(len(games)):
        state, margin = Othello(args.size), games.outcomes.margins[i, 0]
        for action in games.actions[i, : games.lengths[i]].tolist():
            empties = state.empties
            if LEAST <= empties <= MOST[args.size] and not state.must_pass:
                found = analyst.analyse(state)
                if found.unit == "mean of result and margin":
                    score = margin if state.to_move == 0 else -margin
                    if empties in SOLVED and empties <= args.exact:
                        score = solver.solve(state).score
                    if empties > args.exact or empties in SOLVED:
                        rows.append((math.atanh(found.score), empties, score))
            state = state.play(action)
    logit, empties, margin = np.array(rows).T
    (a, b), *_ = np.linalg.lstsq(np.stack([logit, logit * empties], axis=1), margin, rcond=None)
    error = np.sqrt(np.mean((margin - (a + b * empties) * logit) ** 2))
    print(f"{len(rows):,} positions: discs = ({a:.2f} + {b:.3f} * empty squares) * atanh(result)")
    print(f"root of the mean squared error: {error:.1f} discs; of the margins: {np.sqrt(np.mean(margin**2)):.1f}")
    for low in range(LEAST, MOST[args.size], 6):
        near = (empties >= low) & (empties < low + 6)
        if near.any():
            slope = np.sum(logit[near] * margin[near]) / np.sum(logit[near] ** 2)
            print(f"{low} to {low + 5} empty squares: {slope:.1f} discs, the line says {a + b * (low + 2.5):.1f}")
    for count in SOLVED:
        near = (empties == count) & (count <= args.exact)
        if near.any():
            off = np.abs(margin[near] - np.clip((a + b * count) * logit[near], -(args.size**2), args.size**2))
            print(f"{count} empty squares, {near.sum()} solved positions: mean error {off.mean():.2f} discs")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
