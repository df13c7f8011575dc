"""Gumbel AlphaZero's search, which improves a policy by looking ahead in many positions at once.

A function of observations and masks, such as a network, gives policies and values. At the root, the likeliest moves are
tried equally often, then the better half of these moves, and so on (sequential halving). Below the root, moves are
tried in proportion to the improved policy. This is the policy from the function, corrected by the values that the
search has found. The method is from Danihelka, Guez, Schrittwieser and Silver, Policy improvement by planning with
Gumbel (ICLR 2022). In the paper's experiments, two simulations are enough to improve a policy.

Each position has a tree, and all trees grow together. In each simulation, `descend` finds a leaf in each tree. Then one
call of the function evaluates the leaves, and `back_up` stores the policies and values. If the player to move must
pass, the position's node holds the position after the pass.

Letters for shapes: N positions, S size of the board, A = S * S + 1 actions, M nodes of a tree, 64 squares.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import ceil, log2
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.bitboard import ACTION_SQUARES, BOARDS, flips, game_result, legal_moves, nth_bit
from othello_env.support.jit import kernel

__all__ = ["Answers", "ImprovedPolicies", "Tree", "back_up", "descend", "new_tree", "plant", "results", "search"]

_0, _1 = np.uint64(0), np.uint64(1)
_NONE = -1
# The paper's c_visit. In the logits of a node's improved policy, the moves' values are multiplied by
# scale * (_VISITS + the visits of the node's most visited move).
_VISITS = 50.0


class Tree(NamedTuple):
    """The trees of N positions; node 0 of each tree is its root.

    The first player of a tree is the player to move in the searched position, even if this player must pass.
    """

    own: npt.NDArray[np.uint64]
    """(N, M) the discs of the player to move."""
    opponent: npt.NDArray[np.uint64]
    """(N, M) the discs of the other player."""
    legal: npt.NDArray[np.uint64]
    """(N, M) the legal moves as bits; 0 once the game is over."""
    sign: npt.NDArray[np.int64]
    """(N, M) +1 where the first player of the tree is to move, else -1."""
    parent: npt.NDArray[np.int64]
    """(N, M) the index of the parent node; -1 for the root."""
    visits: npt.NDArray[np.int64]
    """(N, M) the number of values that `back_up` has added to the node."""
    total: npt.NDArray[np.float64]
    """(N, M) the sum of the values that `back_up` has added to the node, for the first player of the tree."""
    value: npt.NDArray[np.float64]
    """(N, M) the network's value for the player to move; in a finished game, the result for this player."""
    child: npt.NDArray[np.int32]
    """(N, M, 64) the node after a move on each square; -1 where there is no node yet."""
    prior: npt.NDArray[np.float64]
    """(N, M, 64) the logarithms of the network's policy."""
    used: npt.NDArray[np.int64]
    """(N,) the number of nodes in each tree."""


def new_tree(positions: int, nodes: int) -> Tree:
    """Memory for N trees of M nodes each."""
    shape = (positions, nodes)
    return Tree(
        own=np.empty(shape, np.uint64),
        opponent=np.empty(shape, np.uint64),
        legal=np.empty(shape, np.uint64),
        sign=np.empty(shape, np.int64),
        parent=np.empty(shape, np.int64),
        visits=np.empty(shape, np.int64),
        total=np.empty(shape, np.float64),
        value=np.empty(shape, np.float64),
        child=np.empty((*shape, 64), np.int32),
        prior=np.empty((*shape, 64), np.float64),
        used=np.empty(positions, np.int64),
    )


@kernel
def _put(
    tree: Tree, i: int, own: np.uint64, opponent: np.uint64, sign: np.int64, parent: np.int64, board: np.uint64
) -> np.int64:
    """Add a node to tree i, and return its number. If a pass is forced, the node holds the position after the pass."""
    moves = legal_moves(own, opponent, board)
    if moves == _0:
        passed = legal_moves(opponent, own, board)
        if passed != _0:
            own, opponent, sign, moves = opponent, own, -sign, passed
    node = np.int64(tree.used[i])
    tree.used[i] += 1
    tree.own[i, node], tree.opponent[i, node], tree.legal[i, node] = own, opponent, moves
    tree.sign[i, node], tree.parent[i, node] = sign, parent
    tree.visits[i, node], tree.total[i, node], tree.value[i, node] = 0, 0.0, 0.0
    return node


@kernel
def plant(tree: Tree, own: npt.NDArray[np.uint64], opponent: npt.NDArray[np.uint64], board: np.uint64) -> None:
    """Make each of N unfinished positions the root of its tree."""
    for i in range(len(own)):
        tree.used[i] = 0
        _put(tree, i, own[i], opponent[i], np.int64(1), np.int64(_NONE), board)


@kernel
def _score(tree: Tree, i: int, node: np.int64, scale: float, scores: npt.NDArray[np.float64]) -> None:
    """Write into `scores` (64,) the logits of a node's improved policy (equations 8 and 11 of the paper).

    If a move has no visits, its value is estimated from the visited moves and from the network's value of the node
    (equation 33).
    """
    sign = tree.sign[i, node]
    seen, most, prior_seen, value_seen = np.int64(0), np.int64(0), 0.0, 0.0
    moves = tree.legal[i, node]
    while moves != _0:
        square = nth_bit(moves, _0)
        moves &= moves - _1
        child = tree.child[i, node, square]
        if child != _NONE:
            visits = tree.visits[i, child]
            prior = np.exp(tree.prior[i, node, square])
            seen += visits
            most = max(most, visits)
            prior_seen += prior
            value_seen += prior * sign * tree.total[i, child] / visits
    mixed = tree.value[i, node]
    if seen > 0:
        mixed = (mixed + seen * value_seen / prior_seen) / (1 + seen)
    moves = tree.legal[i, node]
    while moves != _0:
        square = nth_bit(moves, _0)
        moves &= moves - _1
        child = tree.child[i, node, square]
        value = mixed if child == _NONE else sign * tree.total[i, child] / tree.visits[i, child]
        scores[square] = tree.prior[i, node, square] + (_VISITS + most) * scale * value


@kernel
def _softmax(scores: npt.NDArray[np.float64], legal: np.uint64) -> None:
    """Turn the logits of the moves into probabilities, in place."""
    highest, total = -np.inf, 0.0
    moves = legal
    while moves != _0:
        highest = max(highest, scores[nth_bit(moves, _0)])
        moves &= moves - _1
    moves = legal
    while moves != _0:
        square = nth_bit(moves, _0)
        moves &= moves - _1
        scores[square] = np.exp(scores[square] - highest)
        total += scores[square]
    moves = legal
    while moves != _0:
        scores[nth_bit(moves, _0)] /= total
        moves &= moves - _1


@kernel
def _visits(tree: Tree, i: int, node: np.int64, square: np.uint64) -> np.int64:
    child = tree.child[i, node, square]
    return np.int64(0 if child == _NONE else tree.visits[i, child])


@kernel
def _at_root(
    tree: Tree, i: int, wanted: np.int64, gumbel: npt.NDArray[np.float64], scores: npt.NDArray[np.float64]
) -> np.uint64:
    """The square with the highest sum of score and noise, among the root's moves with exactly `wanted` visits.

    `gumbel` (64,) is the noise.
    """
    best, highest, is_found = _0, -np.inf, False
    moves = tree.legal[i, 0]
    while moves != _0:
        square = nth_bit(moves, _0)
        moves &= moves - _1
        score = scores[square] + gumbel[square]
        if _visits(tree, i, np.int64(0), square) == wanted and (not is_found or score > highest):
            best, highest, is_found = square, score, True
    return best


@kernel
def _below(tree: Tree, i: int, node: np.int64, scores: npt.NDArray[np.float64]) -> np.uint64:
    """The move whose improved probability is furthest above its share of the visits (equation 14).

    `scores` holds the logits of the improved policy. The function replaces the logits by the policy's probabilities.
    """
    _softmax(scores, tree.legal[i, node])
    best, highest, is_found = _0, -np.inf, False
    moves = tree.legal[i, node]
    while moves != _0:
        square = nth_bit(moves, _0)
        moves &= moves - _1
        lag = scores[square] - _visits(tree, i, node, square) / tree.visits[i, node]
        if not is_found or lag > highest:
            best, highest, is_found = square, lag, True
    return best


@kernel
def descend(
    tree: Tree, wanted: npt.NDArray[np.int64], gumbel: npt.NDArray[np.float64], scale: float, board: np.uint64
) -> npt.NDArray[np.int64]:
    """Go down each tree to a new node or a finished game.

    Args:
        tree: the trees of N positions. `back_up` has already stored the network's policies and values for the roots.
        wanted: (N,) for each tree, a number of visits. At the root, the descent takes the best of the moves that have
            exactly this number of visits.
        gumbel: (N, 64) noise for the root's moves.
        scale: the weight of values relative to logits.
        board: the squares in play, one bit for each square.

    Returns:
        (N,) the node that each descent reached.
    """
    leaves = np.empty(len(wanted), np.int64)
    scores = np.empty(64)
    for i in range(len(wanted)):
        node = np.int64(0)
        while tree.legal[i, node] != _0:
            _score(tree, i, node, scale, scores)
            square = _at_root(tree, i, wanted[i], gumbel[i], scores) if node == 0 else _below(tree, i, node, scores)
            child = tree.child[i, node, square]
            if child == _NONE:
                disc = _1 << square
                own, opponent = tree.own[i, node], tree.opponent[i, node]
                turned = flips(disc, own, opponent)
                new = _put(tree, i, opponent & ~turned, own | turned | disc, -tree.sign[i, node], node, board)
                tree.child[i, node, square] = new
                node = new
                break
            node = np.int64(child)
        leaves[i] = node
    return leaves


@kernel
def back_up(
    tree: Tree, leaves: npt.NDArray[np.int64], priors: npt.NDArray[np.float64], values: npt.NDArray[np.float64]
) -> None:
    """Store the network's policies and values, and add each leaf's value to the leaf and all nodes above it.

    Args:
        tree: the trees of N positions.
        leaves: (N,) the leaf of each tree: a new node or a finished game.
        priors: (L, 64) the logarithms of the policies, for the L leaves whose games are not over.
        values: (L,) the values of these leaves for the player to move.
    """
    answer = 0
    for i in range(len(leaves)):
        leaf = leaves[i]
        if tree.legal[i, leaf] == _0:
            tree.value[i, leaf] = game_result(tree.own[i, leaf], tree.opponent[i, leaf])
        else:
            tree.value[i, leaf] = values[answer]
            for square in range(64):
                tree.child[i, leaf, square] = _NONE
                tree.prior[i, leaf, square] = priors[answer, square]
            answer += 1
        value = tree.sign[i, leaf] * tree.value[i, leaf]
        node = leaf
        while node != _NONE:
            tree.visits[i, node] += 1
            tree.total[i, node] += value
            node = tree.parent[i, node]


@kernel
def results(
    tree: Tree, gumbel: npt.NDArray[np.float64], scale: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The results of N searches at their roots.

    Returns:
        The squares to play (N,), the improved policies (N, 64), the visits (N, 64), and the values of the squares to
        play (N,). The values are for the first player of each tree. If this player must pass, the square, the policy
        and the visits are for the other player's moves after the pass.
    """
    n = len(gumbel)
    squares, policy = np.empty(n, np.int64), np.zeros((n, 64))
    visits, values = np.zeros((n, 64), np.int64), np.empty(n)
    for i in range(n):
        most = np.int64(0)
        moves = tree.legal[i, 0]
        while moves != _0:
            square = nth_bit(moves, _0)
            moves &= moves - _1
            visits[i, square] = _visits(tree, i, np.int64(0), square)
            most = max(most, visits[i, square])
        _score(tree, i, np.int64(0), scale, policy[i])
        squares[i] = _at_root(tree, i, most, gumbel[i], policy[i])
        _softmax(policy[i], tree.legal[i, 0])
        child = tree.child[i, 0, squares[i]]
        values[i] = tree.total[i, child] / tree.visits[i, child]
    return squares, policy, visits, values


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
