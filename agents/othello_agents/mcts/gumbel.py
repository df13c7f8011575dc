"""Gumbel AlphaZero's search, which improves a policy by looking ahead in many positions at once.

A function of observations and masks, such as a network, gives policies and values. At the root, the likeliest moves are
tried equally often, then the better half of these moves, and so on (sequential halving). Below the root, moves are
tried in proportion to the improved policy. This is the policy from the function, corrected by the values that the
search has found. Each position has a tree, and all trees grow together. In each simulation, one call of the function
evaluates one new position of each tree (see `othello_agents.mcts.gumbel_kernels`). The method is from Danihelka et al.,
Policy improvement by planning with Gumbel (ICLR 2022). In the paper's experiments, two simulations are enough to
improve a policy.

Letters for shapes: N positions, S size of the board, A = S * S + 1 actions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import ceil, log2
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from othello_agents.mcts.gumbel_kernels import Tree, back_up, descend, new_tree, plant, results
from othello_env.games.othello.bitboard import ACTION_SQUARES, BOARDS
from othello_env.games.othello.positions import OthelloPositions

__all__ = ["Answers", "ImprovedPolicies", "search"]

_T = TypeVar("_T", np.int64, np.float64)
_Floats = npt.NDArray[np.float64]
Answers = Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], tuple[_Floats, _Floats]]
"""A function of observations (N, 2, S, S) and masks (N, A). It returns policies (N, A) and the values (N,) for the
players to move, from -1 to +1."""


class ImprovedPolicies(NamedTuple):
    """The results of N searches."""

    actions: npt.NDArray[np.int64]
    """(N,) the actions to play."""
    policy: npt.NDArray[np.float64]
    """(N, A) the improved policies."""
    visits: npt.NDArray[np.int64]
    """(N, A) the number of times that each action was tried."""
    values: npt.NDArray[np.float64]
    """(N,) the mean value of the simulations that began with the action to play. Values are for the player to move."""


def search(
    answers: Answers,
    batch: OthelloPositions,
    simulations: int,
    *,
    considered: int = 16,
    scale: float = 0.5,
    gumbel: npt.NDArray[np.float64] | None = None,
) -> ImprovedPolicies:
    """Search N positions.

    Args:
        answers: the function that gives policies and values; see `Answers`.
        batch: the positions.
        simulations: the number of simulations for each position. Each simulation adds at most one node to the tree.
        considered: the largest number of moves that the search tries at the root. These are the likeliest moves, unless
            `gumbel` is given.
        scale: the weight of values relative to the logarithms of probabilities. A scale of 0.5 is the same as
            c_scale = 1 in the paper, because values go from -1 to +1 here and from 0 to 1 in the paper.
        gumbel: (N, A) noise from the standard Gumbel distribution. With this noise, the moves to try at the root are
            sampled from the policy without replacement. If it is None, there is no noise.

    Raises:
        ValueError: simulations or considered is less than 1.
    """
    if simulations < 1 or considered < 1:
        raise ValueError(f"simulations and considered must be at least 1, not {simulations} and {considered}")
    considered = min(considered, batch.size**2)  # no position has more moves
    n, board = len(batch), BOARDS[batch.size]
    squares = np.array(ACTION_SQUARES[batch.size])
    noise = np.zeros((n, 64))
    if gumbel is not None:
        noise[:, squares] = gumbel[:, :-1]
    tree = new_tree(n, simulations + 1)
    plant(tree, batch.own, batch.opponent, board)
    _answer(tree, np.zeros(n, np.int64), answers, batch.size)
    moves = np.array([legal.bit_count() for legal in tree.legal[:, 0].tolist()], np.int64)
    plans = np.array([_plan(count, simulations) for count in range(1, considered + 1)], np.int64)
    for wanted in plans[np.minimum(moves, considered) - 1].T:
        leaves = descend(tree, np.ascontiguousarray(wanted), noise, scale, board)
        _answer(tree, leaves, answers, batch.size)
    return _by_action(batch, *results(tree, noise, scale))


@cache
def _plan(considered: int, simulations: int) -> tuple[int, ...]:
    """The plan of sequential halving, which gives a number of visits for each simulation.

    Simulation i tries the best of the root moves that have plan[i] visits at this time. So all `considered` moves are
    first tried equally often. Then the better half of these moves is tried, and so on. The last two moves share the
    remaining simulations. The library of the paper's authors, mctx, makes the same plans.
    """
    plan: list[int] = []
    visits = [0] * considered
    left = considered
    rounds = max(1, ceil(log2(considered)))
    while len(plan) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            plan += visits[:left]
            visits[:left] = [count + 1 for count in visits[:left]]
        left = max(min(2, considered), left // 2)
    return tuple(plan[:simulations])


def _answer(tree: Tree, leaves: npt.NDArray[np.int64], answers: Answers, size: int) -> None:
    """Evaluate the leaves whose games are not over, and store the values of all leaves in the trees."""
    places = np.arange(len(leaves)), leaves
    live = tree.legal[places] != 0
    own, opponent = tree.own[places][live], tree.opponent[places][live]
    priors, values = np.zeros((len(own), 64)), np.zeros(len(own))
    if len(own):
        asked = OthelloPositions(own, opponent, np.zeros(len(own), np.int8), np.zeros(len(own), np.uint64), size)
        policy, values = answers(asked.observations(), asked.masks())
        # The logarithm of 0 would be -infinity, so a legal move of probability 0 gets a tiny probability instead.
        priors[:, ACTION_SQUARES[size]] = np.log(np.maximum(policy[:, :-1], 1e-12))
    back_up(tree, leaves, priors, values)


def _by_action(
    batch: OthelloPositions,
    squares: npt.NDArray[np.int64],
    policy: npt.NDArray[np.float64],
    visits: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
) -> ImprovedPolicies:
    """Turn results for the 64 squares into results for the A actions.

    If the player must pass, the pass has the probability 1 and all visits.
    """
    passes = batch.masks()[:, -1:] != 0
    order = np.array(ACTION_SQUARES[batch.size])

    def by_action(table: npt.NDArray[_T]) -> npt.NDArray[_T]:
        moves = table[:, order]
        return np.hstack([np.where(passes, 0, moves), np.where(passes, moves.sum(axis=1, keepdims=True), 0)])

    actions = np.where(passes[:, 0], len(order), np.searchsorted(order, squares))
    return ImprovedPolicies(actions, by_action(policy), by_action(visits), values)
