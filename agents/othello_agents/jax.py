"""Opponents inside ``jit`` (the extra ``jax``): `random`, `maximizer`, `alphabeta` of depth 2, `ntuple` and files.

Each function here but `afterstates` takes the board's size and the options of a spec, and returns an opponent as
`othello_env.jax.env` describes it. The moves are the same as those of the agent of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from othello_agents.evaluations import find_evaluation
from othello_agents.evaluations.boards import square_weights
from othello_agents.evaluations.registry import NO_TERM
from othello_agents.network.compiled import tensor_shapes
from othello_agents.ntuple import NTupleAgent, NTupleNetwork, kernels
from othello_agents.ntuple.network import layout
from othello_agents.search.kernels import compiled_sum
from othello_env.agent import WrongGameError
from othello_env.games import hashing
from othello_env.games.othello import bitboard
from othello_env.support.extras import import_extra
from othello_env.support.jit import with_array_library

__all__ = ["afterstates", "alphabeta", "maximizer", "ntuple", "opponent_from_file", "random"]

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
    gain = _gain(size, eval)[0]

    def choose(own: _Array, opponent: _Array, legal: _Array, key: _Array) -> _Array:
        return _best(legal, lambda disc: gain(own, opponent, disc)[0])

    return _opponent(size, choose)


def alphabeta(size: int, depth: str, eval: str = "weighted") -> _Opponent:  # noqa: A002 - users write `eval=`
    """The first of the moves with the best value two plies ahead. All replies are evaluated.

    Raises:
        TypeError: the evaluation is not a sum of the weights of squares.
        ValueError: the depth is not 2, or there is no such evaluation.
    """
    jax = import_extra("jax", "jax")
    jnp = jax.numpy
    rules = with_array_library(bitboard, jnp)
    gain, weigh = _gain(size, eval)
    board = bitboard.BOARDS[size]
    if depth != "2":
        raise ValueError(f"for JAX, the depth of alphabeta must be 2, got {depth}")

    def choose(own: _Array, opponent: _Array, legal: _Array, key: _Array) -> _Array:
        before = weigh(own) - weigh(opponent)

        def value(disc: _Array) -> _Array:
            gained, turned = gain(own, opponent, disc)
            mine, other = own | turned | disc, opponent ^ turned
            replies = rules.legal_moves(other, mine, board)

            def look(carry: tuple[_Array, _Array]) -> tuple[_Array, _Array]:
                left, most = carry
                reply = left & (np.uint64(0) - left)
                return left ^ reply, jnp.maximum(most, gain(other, mine, reply)[0])

            least = jnp.full_like(gained, -np.inf)
            most = jax.lax.while_loop(lambda carry: carry[0] != 0, look, (replies, least))[1]
            is_over = rules.legal_moves(mine, other, board) == 0
            balance = rules.popcount(mine).astype(jnp.float32) - rules.popcount(other).astype(jnp.float32)
            result = jnp.where(balance == 0, jnp.float32(0), jnp.sign(balance) * jnp.float32(jnp.inf))
            passed = jnp.where(is_over, result, before + gained)
            return jnp.where(replies == 0, passed, before + gained - most)

        return _best(legal, value)

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
    tables, configure = network.tables, _configure(size, network.tables.deltas[:, : network.tables.looked_up])
    stages, in_a_stage = tables.weights.shape
    flat = tables.weights.reshape(-1)

    def logit(own: _Array, opponent: _Array) -> _Array:
        """The logit of an afterstate for the player with the discs `own`; see `othello_agents.ntuple.kernels`."""
        configuration = configure(own, opponent)
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


def opponent_from_file(size: int, path: str, network: str = "othello_agents.jax:afterstates") -> _Opponent:
    """The likeliest move of a network's file: one `afterstates` that PyTorch trained, or another one made for JAX.

    Args:
        size: the board's size.
        path: the file.
        network: the function that makes the network; see `othello_env.jax.network`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file does not fit to the function, or (a WrongGameError) is for another size of board.
    """
    jnp = import_extra("jax.numpy", "jax")
    loaded = import_extra("othello_env.jax", "jax").Network.load(path, network)
    if loaded.size != size:
        raise WrongGameError(f"{path} was trained for Othello of size {loaded.size}, not {size}")

    def act(state: Any, key: _Array) -> _Array:
        # A board without moves costs no loop; so is one of a game in which the opponent is not asked.
        board = state.observation & (state._legal != 0).any()
        logits = loaded.apply(loaded.params, board[jnp.newaxis])[0][0]
        return jnp.argmax(jnp.where(state.legal_action_mask, logits, -jnp.inf))

    return act


def afterstates(size: int) -> tuple[Callable[[Any, _Array], tuple[_Array, _Array]], dict[str, _Array]]:
    """The network of `othello_agents.network.afterstates` as `othello_env.jax.Network` takes it: ``(apply, params)``.

    ``Network.load("a.safetensors", "othello_agents.jax:afterstates")`` reads the files that PyTorch writes. The params
    here are zeros. `apply` has no gradient, since it loops over the legal moves: the network is only played.
    """
    jax = import_extra("jax", "jax")
    jnp, places = jax.numpy, layout(size)
    rules = with_array_library(bitboard, jnp)
    configure = _configure(size, places.deltas[:, : places.looked_up])
    shared = np.minimum(places.mirrors, np.arange(places.weights, dtype=np.int32))
    offsets, squares = places.offsets.astype(np.int32), np.array(bitboard.ACTION_SQUARES[size], np.uint64)

    def evaluate(params: Any, own: _Array, opponent: _Array) -> _Array:
        """The logit of a move that leads to the board, and the board's value before tanh, (2,)."""
        entries = jnp.asarray(shared)[configure(own, opponent) + offsets]
        features = params["table"][entries].sum(axis=0) + params["discs"][rules.popcount(own | opponent)]
        hidden = jnp.dot(params["hidden.weight"], features, precision="highest") + params["hidden.bias"]
        inputs = jnp.concatenate([features, jnp.maximum(hidden, 0)])
        return jnp.dot(params["out.weight"], inputs, precision="highest") + params["out.bias"]

    def answer(params: Any, board: _Array) -> tuple[_Array, _Array]:
        """The logits, (A,), and the value of one position."""
        planes = board.reshape(size * size, 2).T.astype(jnp.uint64)
        own, opponent = ((plane << squares).sum(dtype=jnp.uint64) for plane in planes)

        def look(carry: tuple[_Array, _Array]) -> tuple[_Array, _Array]:
            left, logits = carry
            disc = left & (np.uint64(0) - left)
            turned = rules.flips(disc, own, opponent)
            logit = evaluate(params, own | turned | disc, opponent ^ turned)[0]
            return left ^ disc, logits.at[rules.square_to_action(rules.square_of(disc), size)].set(logit)

        # Made from `own`: for `jax.shard_map`, a constant would be the same on all devices.
        logits = jnp.full_like(own, 0, jnp.float32, (size * size + 1,))
        first = rules.legal_moves(own, opponent, bitboard.BOARDS[size]), logits
        logits = jax.lax.while_loop(lambda carry: carry[0] != 0, look, first)[1]
        return logits, jnp.tanh(evaluate(params, own, opponent)[1])

    def apply(params: Any, observations: _Array) -> tuple[_Array, _Array]:
        with jax.enable_x64(True):
            return jax.vmap(answer, (None, 0))(params, observations)

    return apply, {name: jnp.zeros(shape, jnp.float32) for name, shape in tensor_shapes(size).items()}


def _configure(size: int, deltas: Any) -> Callable[[_Array, _Array], _Array]:
    """The function of `own` and `opponent` that is `othello_agents.ntuple.kernels.configure`, (P,) int32.

    `deltas` is (64, P), what an own disc on a square adds to the configuration of each placement of a pattern.
    """
    jnp = import_extra("jax.numpy", "jax")
    squares = np.array(bitboard.ACTION_SQUARES[size])
    factors, shifts = deltas[squares].astype(np.float32), squares.astype(np.uint64)

    def configure(own: _Array, opponent: _Array) -> _Array:
        signs = [((bits >> shifts) & np.uint64(1)).astype(jnp.float32) for bits in (own, opponent)]
        # The sums are whole numbers below 2**24, so they are exact unless a device rounds the factors.
        return jnp.dot(signs[0] - signs[1], factors, precision="highest").astype(jnp.int32)

    return configure


def _gain(size: int, name: str) -> tuple[Callable[..., tuple[_Array, _Array]], Callable[[_Array], _Array]]:
    """Two functions of an evaluation that adds up the weights of squares, all weights float32.

    The first is of `own`, `opponent` and a move of the player with the discs `own`: what the move adds to this player's
    balance of weights, and the discs that it turns. The second is of a set of squares: the sum of their weights.

    Raises:
        TypeError: the evaluation is not such a sum.
        ValueError: there is no such evaluation.
    """
    jnp = import_extra("jax.numpy", "jax")
    rules = with_array_library(bitboard, jnp)
    squares = compiled_sum(find_evaluation(name))
    if squares is None or squares.term != NO_TERM:
        raise TypeError(f"for JAX, eval must be a sum of the weights of squares, such as weighted, not {name!r}")
    weights = np.zeros(64, np.int32)  # of the squares
    weights[list(bitboard.ACTION_SQUARES[size])] = square_weights(size, squares.quarter)
    sets: dict[int, int] = {}  # for each weight, the squares of this weight
    for square, weight in enumerate(weights.tolist()):
        sets[weight] = sets.get(weight, 0) | 1 << square

    def weigh(discs: _Array) -> _Array:
        total = jnp.int32(0)
        for weight, bits in sets.items():
            total += weight * rules.popcount(discs & np.uint64(bits)).astype(jnp.int32)
        return total.astype(jnp.float32)

    def gain(own: _Array, opponent: _Array, disc: _Array) -> tuple[_Array, _Array]:
        turned = rules.flips(disc, own, opponent)
        # A lookup of the disc's weight takes less time than more popcounts.
        return jnp.asarray(weights)[rules.square_of(disc)].astype(jnp.float32) + 2 * weigh(turned), turned

    return gain, weigh


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
