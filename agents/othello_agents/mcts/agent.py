"""The agent that plays by Monte Carlo tree search with random games, and its compiled search.

The search is UCT (Kocsis and Szepesvári, Bandit based Monte-Carlo planning, 2006). Each simulation starts at the root.
It follows the moves with the highest upper confidence bounds until it reaches a position where a move has no node yet.
It adds a node for one such move, and plays uniformly random moves to the end of the game. Then it adds the result to
all nodes on its path. If a move forces the other player to pass, the new node holds the position after the pass.

Letters for shapes: N positions, M nodes.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, RandomChoices, as_othello, check_not_over, decision_keys
from othello_env.games.batch import Positions
from othello_env.games.game import State
from othello_env.games.hashing import below, mix
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.bitboard import (
    ACTION_SQUARES,
    BOARDS,
    flips,
    game_result,
    legal_moves,
    nth_bit,
    popcount,
)
from othello_env.support.jit import kernel
from othello_env.support.numbers import check_real, check_whole

__all__ = ["ROOT", "Mcts", "RootStatistics", "search_batch"]

ROOT = 64
"""The column for the searched position in the arrays that `search_batch` returns. Columns 0 to 63 are for moves."""

_0, _1 = np.uint64(0), np.uint64(1)
_NONE = -1
_LONGEST = 64  # a path in a tree has at most this number of nodes
# `mix(key, n)` is random number n of a simulation. The random number with n = _EXPAND chooses the move of the new node.
# The moves of the random game use n = 0, 1, 2 and so on, all below _EXPAND. So no random number is used twice.
_EXPAND = np.uint64(_LONGEST)


class _Tree(NamedTuple):
    """The nodes of a tree; each array is (M,), and node 0 is the root."""

    own: npt.NDArray[np.uint64]
    """The discs of the player to move."""
    opponent: npt.NDArray[np.uint64]
    untried: npt.NDArray[np.uint64]
    """The moves that have no node yet."""
    sign: npt.NDArray[np.int64]
    """+1 if the player to move is the same as in the searched position, else -1."""
    square: npt.NDArray[np.int64]
    """The square of the move that led to the node."""
    child: npt.NDArray[np.int64]
    """The newest child, or -1."""
    sibling: npt.NDArray[np.int64]
    """The next older child of the same parent, or -1."""
    visits: npt.NDArray[np.int64]
    total: npt.NDArray[np.float64]
    """The sum of the results of all simulations through the node, for the player to move in the searched position."""


@kernel
def _after(own: np.uint64, opponent: np.uint64, square: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The position after a move to a square: the discs of the next player to move, and the discs of the mover."""
    disc = _1 << square
    turned = flips(disc, own, opponent)
    return opponent & ~turned, own | turned | disc


@kernel
def _put(
    tree: _Tree,
    node: np.int64,
    own: np.uint64,
    opponent: np.uint64,
    sign: np.int64,
    square: np.int64,
    board: np.uint64,
) -> None:
    """Fill a node with a position, or with the position after the pass if a pass is forced."""
    moves = legal_moves(own, opponent, board)
    if moves == _0:
        own, opponent, sign = opponent, own, -sign
        moves = legal_moves(own, opponent, board)
    tree.own[node], tree.opponent[node], tree.untried[node] = own, opponent, moves
    tree.sign[node], tree.square[node] = sign, square
    tree.child[node] = tree.sibling[node] = _NONE
    tree.visits[node], tree.total[node] = 0, 0.0


@kernel
def _best_child(tree: _Tree, node: np.int64, exploration: float) -> np.int64:
    """The child with the highest upper confidence bound (UCB1) for the player to move."""
    log_visits = np.log(tree.visits[node])
    best, highest = _NONE, -np.inf
    child = tree.child[node]
    while child != _NONE:
        mean = tree.sign[node] * tree.total[child] / tree.visits[child]
        bound = mean + exploration * np.sqrt(log_visits / tree.visits[child])
        if bound > highest:
            best, highest = child, bound
        child = tree.sibling[child]
    return np.int64(best)


@kernel
def _expand(tree: _Tree, node: np.int64, new: np.int64, key: np.uint64, board: np.uint64) -> None:
    """Choose at random a move that has no node yet, and add a node for this move."""
    moves = tree.untried[node]
    square = nth_bit(moves, below(mix(key, _EXPAND), popcount(moves)))
    own, opponent = _after(tree.own[node], tree.opponent[node], square)
    _put(tree, new, own, opponent, -tree.sign[node], np.int64(square), board)
    tree.untried[node] = moves & ~(_1 << square)
    tree.sibling[new] = tree.child[node]
    tree.child[node] = new


@kernel
def _play_out(own: np.uint64, opponent: np.uint64, key: np.uint64, board: np.uint64) -> int | np.int64:
    """Play random moves to the end of the game, and return the result for the player to move: +1, 0 or -1."""
    sign = 1
    ply = _0
    while True:
        moves = legal_moves(own, opponent, board)
        if moves == _0:
            moves = legal_moves(opponent, own, board)
            if moves == _0:
                break
            own, opponent, sign = opponent, own, -sign
        own, opponent = _after(own, opponent, nth_bit(moves, below(mix(key, ply), popcount(moves))))
        sign = -sign
        ply += _1
    return sign * game_result(own, opponent)


@kernel
def _simulate(
    tree: _Tree, used: np.int64, path: npt.NDArray[np.int64], key: np.uint64, exploration: float, board: np.uint64
) -> np.int64:
    """Run one simulation, and return the new number of nodes in the tree."""
    node, depth = np.int64(0), 1
    path[0] = 0
    while tree.untried[node] == _0 and tree.child[node] != _NONE:
        node = _best_child(tree, node, exploration)
        path[depth] = node
        depth += 1
    if tree.untried[node] != _0:
        _expand(tree, node, used, key, board)
        node = used
        path[depth] = node
        depth += 1
        used += 1
    result = tree.sign[node] * _play_out(tree.own[node], tree.opponent[node], key, board)
    for step in range(depth):
        tree.visits[path[step]] += 1
        tree.total[path[step]] += result
    return used


@kernel
def search_batch(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    key: npt.NDArray[np.uint64],
    board: np.uint64,
    simulations: int,
    exploration: float,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Search N unfinished positions, one after the other.

    Args:
        own: (N,) the discs of the player to move.
        opponent: (N,) the discs of the other player.
        key: (N,) the keys that determine the random moves.
        board: the squares in play, one bit for each square.
        simulations: the number of simulations for each position, at least 1.
        exploration: the weight of the bonus for rarely tried moves. The mean result has the weight 1.

    Returns:
        Two arrays, `(N, 65) int64` and `(N, 65) float64`. In the first array, column k has the number of simulations
        that tried the move to square k. The second array has the sum of the results of these simulations, for the
        player who makes the move. If the player to move must pass, the moves are those of the other player after the
        pass. The last column is for the position itself: the number of all simulations, and the sum of their results
        for the player to move.
    """
    visits, totals = np.zeros((len(own), ROOT + 1), np.int64), np.zeros((len(own), ROOT + 1))
    most = simulations + 1
    tree = _Tree(
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.float64),
    )
    path = np.empty(_LONGEST, np.int64)
    for i in range(len(own)):
        # np.int64(0), since for a plain 0 Numba would use another type and compile `_put` a second time
        _put(tree, np.int64(0), own[i], opponent[i], np.int64(1), np.int64(ROOT), board)
        used = np.int64(1)
        for simulation in range(simulations):
            used = _simulate(tree, used, path, mix(key[i], np.uint64(simulation)), exploration, board)
        visits[i, ROOT], totals[i, ROOT] = tree.visits[0], tree.total[0]
        child = tree.child[0]
        while child != _NONE:
            square = tree.square[child]
            visits[i, square], totals[i, square] = tree.visits[child], tree.sign[0] * tree.total[child]
            child = tree.sibling[child]
    return visits, totals


class RootStatistics(NamedTuple):
    """What a tree search found for the searched position."""

    value: float
    """The mean result of all simulations for the player to move, from -1 to +1."""
    action: int
    """The action that was tried most often. If several actions were tried equally often, it is the action with the
    lowest number."""
    visits: dict[int, int]
    """For each legal action, the number of times that it was tried."""
    values: dict[int, float]
    """For each legal action, the mean result of its simulations for the player to move. An action that was not tried
    has the value 0."""


class Mcts(Agent):
    """Plays Othello by Monte Carlo tree search; the search uses only the rules of the game.

    UCT (upper confidence bounds for trees) grows the tree, and random games evaluate its leaves (see
    `othello_agents.mcts.agent`). Each decision starts a new search. After a call of `new_game(key)`, the random
    numbers of a search depend only on this key and on `State.placed`.

    Args:
        simulations: the number of random games for each move.
        exploration: the weight of the bonus for moves that were rarely tried. The proof that UCT converges uses the
            weight 2.8.
        seed: the seed of the random choices before the first call of `new_game`. None stands for a random seed.

    Raises:
        ValueError: simulations is less than 1 or more than ten million, or exploration is negative or not finite.
        TypeError: simulations is not an integer.
    """

    unit = "win minus loss"
    """The unit of the values: the share of wins minus the share of losses."""
    _MOST = 10_000_000  # a tree of this number of simulations takes 0.7 GB
    # A call of `search_batch` for several positions runs at most this number of simulations in all. Ctrl-C takes effect
    # only between calls.
    _MOST_AT_ONCE = 50_000

    def __init__(self, simulations: int = 1000, exploration: float = 1.0, seed: int | None = None) -> None:
        self._simulations = check_whole("simulations", simulations, 1, self._MOST)
        self.batch_microseconds = 1.5 * self._simulations
        self._exploration = check_real("exploration", exploration, 0)
        self._choices = RandomChoices(seed)

    def __repr__(self) -> str:
        return f"mcts:simulations={self._simulations},exploration={self._exploration:g}"

    def new_game(self, key: int) -> None:
        self._choices.new_game(key)

    def check_game(self, state: State) -> None:
        as_othello(state, "mcts plays")

    def search(self, state: State) -> RootStatistics:
        """Search a position.

        Raises:
            ValueError: the state is not an Othello position, or the game is over.
        """
        state = as_othello(state, "mcts plays")
        check_not_over(state)
        batch = OthelloPositions.from_states([state])
        visits, values = self._search(batch, [self._choices.key(state)])
        actions = state.legal_actions()
        return RootStatistics(
            float(values[0, ROOT]),
            int(_most_tried(visits, batch)[0]),
            {action: int(visits[0, _columns(state.size)[action]]) for action in actions},
            {action: float(values[0, _columns(state.size)[action]]) for action in actions},
        )

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        return self.search(state).action

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        if not isinstance(batch, OthelloPositions):
            return super().act_batch(batch)
        return _most_tried(self._search(batch, decision_keys(batch))[0], batch)

    def _search(
        self, batch: OthelloPositions, keys: list[int]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        key = np.array(keys, np.uint64)
        settings = BOARDS[batch.size], self._simulations, self._exploration
        at_once = max(1, self._MOST_AT_ONCE // self._simulations)
        parts = [slice(first, first + at_once) for first in range(0, max(len(batch), 1), at_once)]
        results = [search_batch(batch.own[part], batch.opponent[part], key[part], *settings) for part in parts]
        visits, totals = (np.concatenate(arrays) for arrays in zip(*results, strict=True))
        return visits, totals / np.maximum(visits, 1)


@cache
def _columns(size: int) -> npt.NDArray[np.int64]:
    """For each action, its column in the results of `search_batch`; for a pass, the column `ROOT`."""
    return np.array([*ACTION_SQUARES[size], ROOT])


def _most_tried(visits: npt.NDArray[np.int64], batch: OthelloPositions) -> npt.NDArray[np.int64]:
    """The legal action that was tried most often in each position, (N,)."""
    tried = np.where(batch.masks(), visits[:, _columns(batch.size)], -1)
    return np.asarray(np.argmax(tried, axis=1), np.int64)
