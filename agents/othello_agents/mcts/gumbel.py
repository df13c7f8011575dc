"""Gumbel AlphaZero's search: it improves a policy by looking ahead, in many positions at once.

At the root, sequential halving divides a few simulations among the likeliest moves; below it the tree follows the
improved policy. Policies and values come from any function of observations and masks. Each simulation calls it once,
with one position of each tree. See `othello_agents.mcts.gumbel_kernels`, and Danihelka et al., Policy improvement by
planning with Gumbel (ICLR 2022), whose experiments show improvement with only two simulations.

Letters for shapes: N positions, A = S * S + 1 actions.
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
"""Observations (N, 2, S, S) and masks (N, A) to policies (N, A) and values (N,), from -1 to +1, of the movers."""


class ImprovedPolicies(NamedTuple):
    """The results of N searches."""

    actions: npt.NDArray[np.int64]
    """(N,) the actions to play."""
    policy: npt.NDArray[np.float64]
    """(N, A) the improved policies."""
    visits: npt.NDArray[np.int64]
    """(N, A) the number of times that each action was tried."""
    values: npt.NDArray[np.float64]
    """(N,) the values of those actions for the players to move: the mean value in their part of the tree."""


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
        answers: gives policies and values.
        batch: the positions.
        simulations: the number for each position; each adds a node to its tree.
        considered: the simulations are divided among at most this many of the likeliest moves.
        scale: the weight of a value against the logarithm of a probability (the paper's values go from 0 to 1, so its
            c_scale is twice this).
        gumbel: (N, A) noise of the standard Gumbel distribution: the considered actions are then drawn from the policy
            without replacement. None for no noise.

    Raises:
        ValueError: simulations or considered is less than 1.
    """
    if simulations < 1 or considered < 1:
        raise ValueError(f"simulations and considered are at least 1, got {simulations} and {considered}")
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
    """Sequential halving: a simulation takes the best move among those with this many visits; (simulations,).

    All considered moves are tried equally often, then the better half of them, and so on; the last two share the
    remaining simulations. mctx, the authors' own program, does the same.
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
    """Ask about the leaves that are not finished, and put the answers into the trees."""
    places = np.arange(len(leaves)), leaves
    live = tree.legal[places] != 0
    own, opponent = tree.own[places][live], tree.opponent[places][live]
    priors, values = np.zeros((len(own), 64)), np.zeros(len(own))
    if len(own):
        asked = OthelloPositions(own, opponent, np.zeros(len(own), np.int8), np.zeros(len(own), np.uint64), size)
        policy, values = answers(asked.observations(), asked.masks())
        # Every legal move keeps some probability, however sure the network is.
        priors[:, ACTION_SQUARES[size]] = np.log(np.maximum(policy[:, :-1], 1e-12))
    back_up(tree, leaves, priors, values)


def _by_action(
    batch: OthelloPositions,
    squares: npt.NDArray[np.int64],
    policy: npt.NDArray[np.float64],
    visits: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
) -> ImprovedPolicies:
    """The results by action instead of square; in a position with a forced pass the pass has them all."""
    passes = batch.masks()[:, -1:] != 0
    order = np.array(ACTION_SQUARES[batch.size])

    def by_action(table: npt.NDArray[_T]) -> npt.NDArray[_T]:
        moves = table[:, order]
        return np.hstack([np.where(passes, 0, moves), np.where(passes, moves.sum(axis=1, keepdims=True), 0)])

    actions = np.where(passes[:, 0], len(order), np.searchsorted(order, squares))
    return ImprovedPolicies(actions, by_action(policy), by_action(visits), values)
