"""Fit how many discs a logit of the engine's evaluation is worth, for the discs that `analyse` expects.

    python scripts/fit_discs.py --games 300

The engine plays games against itself from random openings, and analyses every fourth position. The final disc
difference of the game is predicted from the expected result: discs = slope * atanh(result). The slope is fitted by
least squares. The script prints the slope, its standard error over games, and the error by stage of the game. Write the
slope into `_DISCS_A_LOGIT` in ``agents/othello_agents/engine/analysis.py``. Run the script again when the weights
change.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from _arguments import parse, whole

from othello_agents.engine import Engine
from othello_env import Othello
from othello_env.games.openings import Openings

EVERY = 4
SUREST = 0.98
"""Results beyond this are left out. These games are decided, so their discs say little about the slope."""
STAGE = 12


@dataclass(frozen=True)
class Arguments:
    """The command's arguments."""

    games: int = whole(300, "number of games")
    depth: int = whole(6, "depth of the searches", most=60)
    plies: int = whole(12, "random plies at the start of a game", most=40)
    seed: int = whole(1, "the seed of the openings", least=0)


def game(engine: Engine, start: Othello) -> tuple[list[tuple[int, float]], float]:
    """Play a game. Returns Black's logits with the numbers of empty squares, and Black's final disc difference."""
    state, logits = start, []
    while not state.is_over:
        if state.must_pass:
            state = state.play(state.pass_action)
            continue
        found = engine.analyse(state)
        empty = state.size**2 - sum(state.discs())
        if found.unit == "expected result" and abs(found.score) < SUREST and empty % EVERY == 0:
            logits.append((empty, math.atanh(found.score) * (-1 if state.to_move else 1)))
        state = state.play(found.best)
    return logits, state.margins()[0]


def main() -> None:
    args = parse(__doc__, Arguments)
    engine = Engine(depth=args.depth)
    rows: list[tuple[int, int, float, float]] = []
    for number in range(args.games):
        start = Openings.random(Othello(), args.plies, args.seed * 10**6 + number)
        assert isinstance(start, Othello)
        logits, discs = game(engine, start)
        rows += [(number, empty, logit, discs) for empty, logit in logits]
    table: npt.NDArray[np.float64] = np.array(rows)
    numbers, empties, x, y = table.T
    slope = float(x @ y / (x @ x))
    by_game = [float((x[numbers == n] * (y - slope * x)[numbers == n]).sum()) for n in np.unique(numbers)]
    error = math.sqrt(sum(part**2 for part in by_game)) / float(x @ x)
    print(f"{len(rows)} positions of {args.games} games: {slope:.2f} discs a logit, standard error {error:.2f}")
    for least in range(0, 60, STAGE):
        some = (empties >= least) & (empties < least + STAGE)
        if some.any():
            own = float(x[some] @ y[some] / (x[some] @ x[some]))
            deviation = float(np.sqrt(np.square(y[some] - slope * x[some]).mean()))
            print(f"{least:2} to {least + STAGE - 1} empty squares: {own:5.2f} alone, error of {deviation:4.1f} discs")


if __name__ == "__main__":
    main()
