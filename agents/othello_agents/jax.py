"""Opponents inside ``jit`` (the extra ``jax``): the agents `random`, `maximizer` and `ntuple` as functions for JAX.

Each function here takes the board's size and the options of a spec, and returns an opponent as
`othello_env.jax.env` describes it. The moves are the same as those of the agent of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from othello_agents.evaluations import find_evaluation
from othello_agents.evaluations.boards import square_weights
from othello_agents.evaluations.registry import NO_TERM
from othello_agents.ntuple import NTupleAgent, NTupleNetwork, kernels
from othello_agents.search.kernels import compiled_sum
from othello_env.games import hashing
from othello_env.games.othello import bitboard
from othello_env.support.extras import import_extra
from othello_env.support.jit import with_array_library

__all__ = ["maximizer", "ntuple", "random"]

_Array = Any  # jax.Array
_Opponent = Callable[[Any, _Array], _Array]


def random(size: int) -> _Opponent:
    """Uniformly random legal actions."""
    jnp = import_extra("jax.numpy", "jax")
    rules, mix = with_array_library(bitboard, jnp), with_array_library(hashing, jnp).mix

    def choose(own: _Array, opponent: _Array, legal: _Array, key: _Array) -> _Array:
        bits = mix(key, jnp.uint64(hashing.CHOICE))
        return jnp.uint64(1) << rules.nth_bit(legal, rules.below(bits, rules.popcount(legal)))

    return _opponent(size, choose)


def maximizer(size: int, eval: str = "weighted") -> _Opponent:  # noqa: A002 - users write `eval=`
    """The first of the moves with the best value one ply ahead.

    Raises:
        TypeError: the evaluation is not a sum of the weights of squares.
        ValueError: there is no such evaluation.
    """
    jax = import_extra("jax", "jax")
    jnp = jax.numpy
    rules = with_array_library(bitboard, jnp)
    squares = compiled_sum(find_evaluation(eval))
    if squares is None or squares.term != NO_TERM:
        raise TypeError(f"for JAX, eval must be a sum of the weights of squares, such as weighted, not {eval!r}")
    weights = np.zeros(64, np.int32)  # of the squares
    weights[list(bitboard.ACTION_SQUARES[size])] = square_weights(size, squares.quarter)
    sets: dict[int, int] = {}  # for each weight, the squares of this weight
    for square, weight in enumerate(weights.tolist()):
        sets[weight] = sets.get(weight, 0) | 1 << square

    def gain(own: _Array, opponent: _Array, disc: _Array) -> _Array:
        """What the move adds to the balance of weights of the player who moves."""
        turned = rules.flips(disc, own, opponent)
        total = jnp.asarray(weights)[rules.square_of(disc)]  # a lookup takes less time than more popcounts
        for weight, bits in sets.items():
            total += 2 * weight * rules.popcount(turned & np.uint64(bits)).astype(jnp.int32)
        return total

    def choose(own: _Array, opponent: _Array, legal: _Array, key: _Array) -> _Array:
        return _best(legal, lambda disc: gain(own, opponent, disc).astype(jnp.float32))

    return _opponent(size, choose)


def ntuple(size: int, weights: str | None = None) -> _Opponent:
    """The move with the best afterstate of an n-tuple network: the packaged network, or that of the file `weights`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file holds no n-tuple weights, or (a WrongGameError) the network is for another size of board.
    """
    jax = import_extra("jax", "jax")
    jnp = jax.numpy
    rules, sum_weights = with_array_library(bitboard, jnp), with_array_library(kernels, jnp).sum_weights
    network = NTupleAgent(None if weights is None else NTupleNetwork.load(weights)).network(size)
    tables, places = network.tables, np.array(bitboard.ACTION_SQUARES[size])
    deltas = tables.deltas[places, : tables.looked_up].astype(np.float32)  # (squares, P)
    stages, in_a_stage = tables.weights.shape
    flat = tables.weights.reshape(-1)

    def logit(own: _Array, opponent: _Array) -> _Array:
        """The logit of an afterstate for the player with the discs `own`; see `othello_agents.ntuple.kernels`."""
        signs = [((bits >> places.astype(np.uint64)) & np.uint64(1)).astype(jnp.float32) for bits in (own, opponent)]
        # The sums are whole numbers below 2**24, so they are exact unless a device rounds the factors.
        configuration = jnp.dot(signs[0] - signs[1], deltas, precision="highest").astype(jnp.int32)
        discs = rules.popcount(own | opponent).astype(jnp.int32)
        stage = jnp.maximum(0, (discs - 5) * stages // (size * size - 4))
        return sum_weights(jnp.asarray(flat), configuration, tables.offsets.astype(np.int32) + stage * in_a_stage)

    def value(own: _Array, opponent: _Array, disc: _Array) -> _Array:
        after, before, legal, reply = rules.advance(own, opponent, disc, tables.board)
        balance = rules.popcount(before).astype(jnp.float32) - rules.popcount(after).astype(jnp.float32)
        result = jnp.where(balance == 0, jnp.float32(0), jnp.sign(balance) * jnp.float32(jnp.inf))
        return jnp.where((legal | reply) == 0, result, logit(before, after))

    def choose(own: _Array, opponent: _Array, legal: _Array, key: _Array) -> _Array:
        return _best(legal, lambda disc: value(own, opponent, disc))

    return _opponent(size, choose)


def _best(legal: _Array, value: Callable[[_Array], _Array]) -> _Array:
    """The bit of the first move with the highest value, () float32; any bit if there is no move."""
    jax = import_extra("jax", "jax")
    jnp = jax.numpy
    rules = with_array_library(bitboard, jnp)

    def look(carry: tuple[_Array, _Array]) -> tuple[_Array, _Array]:
        left, best = carry
        disc = left & (np.uint64(0) - left)
        # The value and the square are one number. With two, XLA would compute the value a second time.
        bits = jax.lax.bitcast_convert_type(value(disc), jnp.int32)
        rank = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).astype(jnp.int64)  # integers in the order of the values
        return left ^ disc, jnp.maximum(best, (rank << 6) | (63 - rules.square_of(disc)))

    least = jnp.full_like(legal, np.iinfo(np.int64).min, jnp.int64)
    best = jax.lax.while_loop(lambda carry: carry[0] != 0, look, (legal, least))[1]
    return jnp.uint64(1) << (63 - (best & 63)).astype(jnp.uint64)


def _opponent(size: int, choose: Callable[..., _Array]) -> _Opponent:
    """An opponent that plays the move with the bit ``choose(own, opponent, legal, key)``, all uint64."""
    jax = import_extra("jax", "jax")
    jnp = jax.numpy
    rules = with_array_library(bitboard, jnp)

    def act(state: Any, key: _Array) -> _Array:
        with jax.enable_x64(True):
            words = jnp.stack([state._own, state._opponent, state._legal, key])
            own, opponent, legal, key = jax.lax.bitcast_convert_type(words, jnp.uint64)
            disc = choose(own, opponent, legal, key)
            action = rules.square_to_action(rules.square_of(disc), size)
            return jnp.where(legal == 0, size * size, action).astype(jnp.int32)

    return act
