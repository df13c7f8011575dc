"""Simulate the sequential probability ratio test of matches: how often it errs, and how many games it needs.

    python scripts/measure/sprt.py
    python scripts/measure/sprt.py --runs 10000 --differences 20 50

A pair of games has one of five scores: 0, 0.25, 0.5, 0.75 or 1. For equal players, the probabilities of these scores
come from a real match: 4,000 games of `maximizer:eval=weighted,epsilon=0.1` against itself. For players with another
Elo difference, the probabilities are changed so that the mean score is the one that the Elo difference predicts. A test
that cannot end early needs a fixed number of games to have the same error rates. The script divides the mean number of
games of the sequential test by this fixed number. The same seed repeats a simulation.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import tyro

from othello_env.arena import Sprt

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
SHARES = (0.224, 0.0325, 0.487, 0.0325, 0.224)


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    runs: int = 1000  # simulated matches for each row
    differences: tuple[int, ...] = (100, 50, 20, 10)  # values of elo1; elo0 is always 0
    alpha: float = 0.05  # the two error rates of the test, alpha and beta
    seed: int = 1  # the seed of the simulation


def expected(elo: float) -> float:
    """The expected score, 0 to 1, of a player whose Elo is higher than the opponent's by `elo`."""
    return 1 / (1 + math.pow(10, -elo / 400))


def tilted(shares: Sequence[float], mean: float) -> list[float]:
    """Change the probabilities of the scores so that the mean score is `mean`.

    Each probability is multiplied by ``exp(x * score)``. Then each product is divided by the sum of the products.
    Bisection finds x.
    """
    low, high = -50.0, 50.0
    while True:
        x = (low + high) / 2
        weights = [share * math.exp(x * score) for share, score in zip(shares, SCORES, strict=True)]
        found = sum(weight * score for weight, score in zip(weights, SCORES, strict=True)) / sum(weights)
        if abs(found - mean) < 1e-12 or high - low < 1e-15:
            return [weight / sum(weights) for weight in weights]
        low, high = (x, high) if found < mean else (low, x)


def simulate(test: Sprt, elo: float, runs: int, seed: int) -> tuple[float, float]:
    """The share of runs in which `test` accepts the difference `test.elo1`, and the mean number of games of a run.

    `elo` is the true difference of the simulated players.
    """
    rng = random.Random(seed)  # noqa: S311 - nothing here is secret
    weights = tilted(SHARES, expected(elo))
    accepted = games = 0
    for _ in range(runs):
        pairs, verdict = [0] * 5, None
        while verdict is None:
            pairs[rng.choices(range(5), weights)[0]] += 1
            verdict = test.judge(pairs).accepted
        accepted += verdict == test.elo1
        games += 2 * sum(pairs)
    return accepted / runs, games / runs


def fixed_games(test: Sprt) -> float:
    """The number of games that a test needs if it has the error rates of `test` but cannot end early."""
    mean = sum(share * score for share, score in zip(SHARES, SCORES, strict=True))
    variance = sum(share * (score - mean) ** 2 for share, score in zip(SHARES, SCORES, strict=True))
    z = NormalDist().inv_cdf(1 - test.alpha) + NormalDist().inv_cdf(1 - test.beta)
    return 2 * variance * (z / (expected(test.elo1) - expected(test.elo0))) ** 2


def main(args: Args) -> None:
    print(f"{args.runs} runs a row, alpha = beta = {args.alpha:g}, seed {args.seed}")
    print("elo0  elo1  true  elo1 accepted  games in the mean  of a fixed number")
    for elo1 in args.differences:
        test = Sprt(0, elo1, args.alpha, args.alpha)
        for elo in (0.0, elo1 / 2, elo1):
            share, games = simulate(test, elo, args.runs, args.seed)
            part = games / fixed_games(test)
            print(f"{0:4}  {elo1:4g}  {elo:4g}  {share:13.4f}  {games:17,.0f}  {part:17.2f}", flush=True)


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
