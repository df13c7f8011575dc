"""Othello as functions that JAX can compile: the interface of Pgx 2 (Koyamada et al., 2023).

- players: 0 and 1. `init` draws which of them has the black discs.
- action: ``size * row + column``, or the pass ``size * size``, which is legal exactly if there is no other move. An
  illegal action ends the game at once: -1 for the player that chose it, +1 for the other. The board stays as
  it was; with ``double_pass=True`` it is the board that Pgx has then, which means nothing.
- observation: (size, size, 2) bool, the discs of the player `current_player` and the discs of the other player.
- legal_action_mask: (size * size + 1,) bool. At the end of a game, all values are True.
- rewards: (2,) float32, the result for players 0 and 1 in the step that ends the game, and 0 in all other steps. A
  step after the end changes nothing else and gives 0.

One rule differs from Pgx: a game ends as soon as neither player has a move. Pgx asks for two passes then. With
``double_pass=True`` the environment does the same as Pgx.

The functions are for one game; ``jax.vmap`` makes them functions of many games. A set of squares is 64 bits (see
`othello_env.games.othello.bitboard`). By default JAX has no numbers of 64 bits. So a state keeps each set as two
numbers of 32 bits, and a step computes inside ``jax.enable_x64``, whatever JAX's setting is outside.

An opponent is a function ``f(state, key) -> action`` of the state of one game, which JAX can trace. `key`, (2,) uint32,
is the 64-bit key of this decision. It can also serve as a key of `jax.random`. A dict from opponents to weights is a
pool: each game draws one of them by the weights, as a batch with this game's key does.

Opponents by name come from the entry points of the group ``othello_env.jax``: functions that take the board's size and
the spec's options (as texts), and return such a function. They play the same moves as the agents of the same names. An
entry point whose name is a suffix, such as ``.safetensors``, loads opponents from files; its option `path` is the file.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import gymnasium
import numpy as np

from othello_env import drawing
from othello_env.agent import SpecError
from othello_env.agent.spec import near, split_spec
from othello_env.games import hashing
from othello_env.games.hashing import weight_bounds
from othello_env.games.keys import REDRAWS
from othello_env.games.openings import Openings, OpeningsSpec
from othello_env.games.othello import bitboard
from othello_env.games.othello.position import Othello as Position
from othello_env.games.othello.position import check_size
from othello_env.jax.library import jax, jnp
from othello_env.support.extras import import_extra
from othello_env.support.jit import with_array_library
from othello_env.support.numbers import check_flag, check_type

__all__ = [
    "OPENINGS",
    "Gymnax",
    "OnePlayer",
    "Opponent",
    "Opponents",
    "Othello",
    "Pool",
    "Starts",
    "State",
    "as_array",
    "choose",
    "find_opponent",
    "join",
    "key_words",
    "legal_moves",
    "next_key",
    "rules",
    "sample_legal",
    "split",
]

_Array = Any  # jax.Array
_Fields = dict[str, _Array]

rules = with_array_library(bitboard, jnp)
"""The functions of `bitboard` for JAX. They need numbers of 64 bits: call them inside ``jax.enable_x64``."""
_mix = with_array_library(hashing, jnp).mix

OPENINGS = 4096
"""The number of different openings that ``openings="random:PLIES"`` stands for."""

_LEARNER = 0
_COLUMNS = 8  # of a picture of many games
_SETS = ("_key", "_own", "_opponent", "_legal")
"""The fields of 64 bits."""


def join(words: _Array) -> _Array:
    """Sets of squares, (...) uint64, from their low and high 32 bits, (..., 2) uint32; inside ``jax.enable_x64``."""
    return jax.lax.bitcast_convert_type(words, jnp.uint64)


def split(bits: _Array) -> _Array:
    """The low and high 32 bits, (..., 2) uint32, of sets of squares, (...) uint64; inside ``jax.enable_x64``."""
    return jax.lax.bitcast_convert_type(bits, jnp.uint32)


def legal_moves(observations: _Array) -> _Array:
    """The squares where the player to move may put a disc, (..., S, S) bool: a third plane for a network.

    Args:
        observations: (..., S, S, 2) bool, where S is 4, 6 or 8.

    Raises:
        ValueError: the shape is another.
    """
    shape = np.shape(observations)
    if shape[-3:] not in [(size, size, 2) for size in bitboard.SIZES]:
        raise ValueError(f"expected observations of shape (..., S, S, 2), where S is 4, 6 or 8, got {shape}")
    size = shape[-2]
    squares = np.array(bitboard.ACTION_SQUARES[size], np.uint64)
    with jax.enable_x64(True):
        planes = jnp.moveaxis(jnp.reshape(observations, (-1, size * size, 2)), -1, 0).astype(jnp.uint64)
        own, opponent = jnp.sum(planes << squares[np.newaxis, np.newaxis], axis=-1)
        legal = rules.legal_moves(own, opponent, bitboard.BOARDS[size])
        moves = (legal[:, np.newaxis] >> squares[np.newaxis]) & np.uint64(1)
        return jnp.reshape(moves, shape[:-1]).astype(bool)


def sample_legal(key: _Array, state: State) -> _Array:
    """A uniformly random legal action of each game, (...) int32; the pass for a game that is over.

    It draws one random number for a game. `jax.random.categorical` draws one for each action.

    Args:
        key: a key of `jax.random`.
        state: a state of `Othello` or of its method `vs`, of one game or of many.
    """
    bits = jax.random.bits(key, state._legal.shape[:-1], jnp.uint32)
    with jax.enable_x64(True):
        legal = join(state._legal)
        square = rules.nth_bit(legal, (bits.astype(jnp.uint64) * rules.popcount(legal)) >> np.uint64(32))
        action = rules.square_to_action(square.astype(jnp.int32), state.size)
        return jnp.where(legal == 0, state.size**2, action).astype(jnp.int32)


@dataclasses.dataclass(frozen=True)
class State:
    """The state of a game, a pytree; the module describes the first six fields.

    The fields whose names begin with an underscore belong to the environment: `_step_count` is the number of steps
    since `init`, and `_color` is 0 if Black is to move.
    """

    current_player: _Array
    observation: _Array
    rewards: _Array
    terminated: _Array
    truncated: _Array
    legal_action_mask: _Array
    _step_count: _Array
    _color: _Array
    _passed: _Array  # whether the last action was a pass
    _key: _Array  # (2,) uint32, the 64 bits that determine what is random in the game
    _own: _Array  # (2,) uint32, the discs of the player to move, as low and high bits
    _opponent: _Array  # (2,) uint32, the discs of the other player
    _legal: _Array  # (2,) uint32, the squares on which the player to move may place a disc

    def replace(self, **changes: Any) -> Self:
        """A copy in which some fields have other values."""
        return dataclasses.replace(self, **changes)

    @property
    def size(self) -> int:
        """The height and width of the board."""
        return int(self.observation.shape[-2])

    @property
    def env_id(self) -> str:
        """The name of the game: ``othello`` on 8x8, and ``othello_6x6`` or ``othello_4x4``."""
        return "othello" if self.size == 8 else f"othello_{self.size}x{self.size}"

    def position(self) -> Position:
        """The position of one game, for the functions of this package that do not run in JAX.

        Raises:
            ValueError: this is the state of many games.
        """
        if self.current_player.ndim:
            raise ValueError(
                f"expected the state of one game, got {self.current_player.shape} games; one of them is "
                "jax.tree.map(lambda x: x[0], state)"
            )
        own, opponent = (int(low) | int(high) << 32 for low, high in (self._own, self._opponent))
        return Position.from_bits(own, opponent, int(self._color), self.size)

    def to_svg(self, *, color_theme: str | None = None, scale: float | None = None) -> str:
        """A picture of the board, or of the boards of many games.

        Args:
            color_theme: has no effect. Pgx's pictures have a light and a dark theme.
            scale: the picture is larger by this factor.
        """
        del color_theme
        cell = round(48 * (scale or 1.0))
        if not self.current_player.ndim:
            return drawing.svg(self.position(), cell)
        count = self.current_player.size
        flat = jax.tree.map(lambda x: x.reshape(count, *x.shape[self.current_player.ndim :]), self)
        pictures = [jax.tree.map(lambda x, i=i: x[i], flat).to_svg(scale=scale) for i in range(count)]
        side = cell * (self.size + 3)
        places = [divmod(i, _COLUMNS) for i in range(count)]
        boards = [
            f'<svg x="{column * side}" y="{row * side}" width="{side}" height="{side}">{picture}</svg>'
            for (row, column), picture in zip(places, pictures, strict=True)
        ]
        width, height = side * min(count, _COLUMNS), side * (places[-1][0] + 1)
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        return "\n".join([head, *boards, "</svg>"])

    def save_svg(self, filename: str, *, color_theme: str | None = None, scale: float | None = None) -> None:
        """Write the picture to a file. The arguments are those of `to_svg`."""
        with open(filename, "w", encoding="utf-8") as file:  # noqa: PTH123 - like Pgx, the name may be any path
            file.write(self.to_svg(color_theme=color_theme, scale=scale))

    def _repr_html_(self) -> str:
        return self.to_svg()


jax.tree_util.register_dataclass(State)


def _register_with_flax() -> None:
    """Let flax write and read states: ``flax.serialization.to_bytes(state)``, as with the states of Pgx."""
    serialization = import_extra("flax.serialization", "jax")
    names = [field.name for field in dataclasses.fields(State)]

    def saved(state: State) -> dict[str, Any]:
        return {name: getattr(state, name) for name in names}

    def restored(state: State, values: dict[str, Any]) -> State:
        if values.keys() != set(names):
            raise ValueError(f"expected the fields {', '.join(names)}, got {', '.join(values)}")
        return State(**{name: serialization.from_state_dict(getattr(state, name), values[name]) for name in names})

    serialization.register_serialization_state(State, saved, restored)


if find_spec("flax"):
    _register_with_flax()


def as_array(name: str, value: Any) -> _Array:
    """A value as an array of JAX.

    Raises:
        ValueError: the value is an integer that does not fit.
    """
    try:
        return jnp.asarray(value)
    except OverflowError:
        raise ValueError(f"{name} must be an integer of 32 bits, not {value}") from None


class Starts(NamedTuple):
    """Where games begin, as arrays of K openings. Sets and bounds are pairs of 32 bits, so that JAX keeps them."""

    bounds: _Array  # (K, 2) uint32; see `Openings.bounds`
    boards: _Array  # (K, 3, 2) uint32, the sets `own`, `opponent` and `legal`
    colors: _Array  # (K,) int32, 0 if Black is to move
    black: _Array | None = None  # () int32, the player with the black discs; None if it is drawn

    @classmethod
    def of(cls, openings: Openings) -> Starts:
        """The openings of an environment, or `OPENINGS` of those that random plies make."""
        if openings.random_plies:
            drawn = [openings.draw(key) for key in range(OPENINGS)]
            openings = Openings(drawn, lambda key: drawn[0])
        positions: Any = openings.positions or [openings.draw(0)]
        boards = [(each.own, each.opponent, each.legal_bits) for each in positions]
        bounds, sets = (
            np.array(each, np.uint64)[..., np.newaxis].view(np.uint32) for each in (openings.bounds or [0], boards)
        )
        return cls(bounds, sets, np.array([each.to_move for each in positions], np.int32))


class Othello:
    """Othello with the interface of Pgx: `init`, `step` and `observe`; the module describes the states.

    >>> import jax
    >>> env = Othello()
    >>> state = jax.vmap(env.init)(jax.random.split(jax.random.key(0), 3))
    >>> state = jax.jit(jax.vmap(env.step))(state, jax.numpy.array([19, 26, 37]))
    >>> state.observation.shape, state.legal_action_mask.sum(axis=1).tolist()
    ((3, 8, 8, 2), [3, 3, 3])

    Args:
        size: the height and width of the board, 4, 6 or 8.
        openings: where games begin. None is the usual start. From a sequence of transcripts or positions
            (`othello_env.Othello`), one is chosen for each game, from a dict by its weights. ``"random:10"`` stands for
            4,096 openings of ten random plies; they are always the same.
        double_pass: end games as Pgx does: if nobody can move, after two passes.
        auto_reset: begin the next game in the step that ends a game. The state then has the position and the mask of
            the next game, and `terminated` and `rewards` of the game that ended, as with Pgx's ``auto_reset``.

    Raises:
        ValueError: an argument is wrong.
        TypeError: a flag is not a bool.
    """

    def __init__(
        self,
        size: Literal[4, 6, 8] = 8,
        *,
        openings: OpeningsSpec = None,
        double_pass: bool = False,
        auto_reset: bool = False,
    ) -> None:
        self.size = check_size(size)
        self.double_pass = check_flag("double_pass", double_pass)
        self.auto_reset = check_flag("auto_reset", auto_reset)
        self._is_selected = not self.auto_reset  # whether a program may select between a state and another one
        self._board = bitboard.BOARDS[self.size]
        self._squares = np.array(bitboard.ACTION_SQUARES[self.size], np.uint64)
        self.starts = Starts.of(Openings(openings, lambda key: Position(self.size)))

    def __repr__(self) -> str:
        return f"<othello_env.jax.Othello {self.size}x{self.size}>"

    @property
    def id(self) -> str:
        """The name of the game, as in `State.env_id`."""
        return "othello" if self.size == 8 else f"othello_{self.size}x{self.size}"

    @property
    def version(self) -> str:
        """The version of the environment. It changes when results would."""
        return "v0"

    @property
    def num_players(self) -> int:
        """2, the number of players."""
        return 2

    @property
    def num_actions(self) -> int:
        """The number of actions, with the pass."""
        return self.size**2 + 1

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of an observation, (size, size, 2)."""
        return (self.size, self.size, 2)

    def beginning(self, starts: Starts) -> Self:
        """A copy of this environment whose games begin elsewhere; inside `jit`, `starts` may be traced."""
        env = copy.copy(self)
        env.starts = starts
        return env

    def init(self, key: _Array) -> State:
        """Begin a game.

        Args:
            key: a key of `jax.random`.

        Raises:
            TypeError: the key is no key for one game. The error comes when JAX traces the function.
        """
        with jax.enable_x64(True):
            return self._state(self._first(key))

    def step(self, state: State, action: _Array, key: _Array | None = None) -> State:
        """Play an action.

        Args:
            state: the state of a game of this size.
            action: () of any integer dtype.
            key: a key of `jax.random` for the next game, if `auto_reset` is True: that of
                ``init(jax.random.split(key)[1])``, as with Pgx's ``auto_reset``. With None, the next game follows from
                the present game's key. Nothing else in a step is random.

        Raises:
            TypeError: the action is not an integer, or the key is no key.
            ValueError: an argument is of many games, or the state is of another size. All these errors come when JAX
                traces the function.
        """
        action, key = self._checked(state, action), None if key is None else _second(key)
        with jax.enable_x64(True):
            return self._state(self._play(state, action, key))

    def observe(self, state: State, player_id: _Array | None = None) -> _Array:
        """The observation of a player, (size, size, 2) bool; by default, of the player `current_player`."""
        state = check_type("state", state, State)
        planes = jnp.stack([state.observation, state.observation[..., ::-1]])
        if player_id is None:
            return planes[0]
        return jnp.where(as_array("player_id", player_id) == state.current_player, planes[0], planes[1])

    def vs(self, opponent: Opponents) -> OnePlayer:
        """An environment for one player, in which an opponent answers each move; see `OnePlayer`.

        Args:
            opponent: a spec, such as ``"maximizer:eval=weighted"``, a function, or a dict from opponents to weights;
                see `find_opponent`.
        """
        return OnePlayer(self, opponent)

    def _checked(self, state: State, action: _Array) -> _Array:
        """The action as int32."""
        check_type("state", state, State)
        action = as_array("an action", action)
        if not jnp.issubdtype(action.dtype, jnp.integer):
            raise TypeError(f"expected an action of an integer dtype, got {action.dtype}")
        shapes = [action.shape, state.current_player.shape]
        if shapes != [(), ()]:
            raise ValueError(
                f"expected one action, (), and the state of one game, (), got {shapes[0]} and {shapes[1]}; for many "
                "games use jax.vmap(env.step)"
            )
        if state.size != self.size:
            raise ValueError(f"expected a state of size {self.size}, got one of size {state.size}")
        return action.astype(jnp.int32)

    def _first(self, key: _Array) -> dict[str, _Array]:
        """The fields of the first state of the game with a key of `jax.random`."""
        words = key_words(key)
        # Pgx draws the same players. Without the float32, they would depend on JAX's setting of x64.
        black = jax.random.bernoulli(key, np.float32(0.5)).astype(jnp.int32)
        return self._begin(join(words), black)

    def _next(self, bits: _Array) -> dict[str, _Array]:
        """The fields of the first state of a game that follows another one, by the game's key, () uint64."""
        black = (_mix(bits, _counter(hashing.SIDE)) >> np.uint64(63)).astype(jnp.int32)
        return self._begin(bits, black)

    def _begin(self, key: _Array, black: _Array) -> dict[str, _Array]:
        """The fields of a game's first state; its sets of squares are () uint64."""
        bounds, boards, colors = (jnp.asarray(each) for each in self.starts[:3])
        chosen = 0
        if len(bounds) > 1:
            number = _mix(_mix(key, _counter(hashing.OPENING)), _counter(0)) >> np.uint64(32)
            chosen = jnp.searchsorted(join(bounds), number, side="right")
        boards, color = join(boards[chosen]), colors[chosen]
        if self.starts.black is not None:
            black = jnp.asarray(self.starts.black)
        fields = {
            "current_player": black ^ color,
            "rewards": jnp.zeros(2, jnp.float32),
            "terminated": jnp.bool_(False),
            "truncated": jnp.bool_(False),
            "_step_count": jnp.int32(0),
            "_color": color,
            "_passed": jnp.bool_(False),
            "_key": key,
            "_own": boards[0],
            "_opponent": boards[1],
            "_legal": boards[2],
        }
        # For `jax.shard_map`, a constant is the same on all devices. After a step no field is one, so none may be here.
        return choose(key == key, fields, fields)

    def _play(self, state: State, action: _Array, key: _Array | None) -> dict[str, _Array]:
        """The fields of the state that `step` returns; its sets of squares are () uint64."""
        before = self._fields(state)
        after = self._played(before, action)
        if self.auto_reset:
            first = self._next(next_key(before["_key"])) if key is None else self._first(key)
            first |= {name: after[name] for name in ("rewards", "terminated", "truncated")}
            return choose(after["terminated"], first, after)
        before["rewards"] = jnp.zeros(2, jnp.float32)
        return choose(state.terminated | state.truncated, before, after)

    def _played(self, before: dict[str, _Array], action: _Array) -> dict[str, _Array]:
        """The fields of the state after an action, for fields of a game that is not over."""
        own, opponent, legal, mover = before["_own"], before["_opponent"], before["_legal"], before["current_player"]
        squares, edge = self.size**2, (8 - self.size) // 2
        square = 8 * (action // self.size + edge) + action % self.size + edge
        is_square, is_pass = (action >= 0) & (action < squares), action == squares
        disc = jnp.where(is_square, np.uint64(1) << square.astype(jnp.uint64), np.uint64(0))
        is_legal = ((disc & legal) != 0) | (is_pass & (legal == 0))
        placed = disc if self.double_pass else jnp.where(is_legal, disc, np.uint64(0))
        sets = rules.advance(own, opponent, placed, self._board)
        if self._is_selected:
            # Where a program selects between the planes of two states, XLA would compute the moves again for each
            # square of the planes. It does not repeat a division, so divide by a one that it does not know to be one.
            one = (before["_color"] | 1).astype(jnp.uint64)
            sets = tuple(bits // one for bits in sets)
        own, opponent, legal, reply = sets
        if self.double_pass:
            opponent &= ~(disc & (before["_own"] | before["_opponent"]))  # as Pgx does if the square is occupied
            over = ((own | opponent) == self._board) | (own == 0) | (before["_passed"] & is_pass)
        else:
            over = (legal | reply) == 0
        mine, other = rules.popcount(opponent), rules.popcount(own)  # `opponent` is now the player that moved
        result = jnp.where(over, (mine > other).astype(jnp.float32) - (mine < other).astype(jnp.float32), 0)
        result = jnp.where(is_legal, result, -1)
        return {
            "current_player": 1 - mover,
            "rewards": jnp.where(jnp.arange(2, dtype=jnp.int32) == mover, result, -result),
            "terminated": over | ~is_legal,
            "truncated": jnp.zeros_like(over),
            "_step_count": before["_step_count"] + 1,
            "_color": 1 - before["_color"],
            "_passed": is_pass,
            "_key": before["_key"],
            "_own": own,
            "_opponent": opponent,
            "_legal": legal,
        }

    @staticmethod
    def _fields(state: State) -> dict[str, _Array]:
        """The fields of a state without its planes and its mask; the sets of squares are () uint64."""
        fields = {field.name: getattr(state, field.name) for field in dataclasses.fields(State)}
        del fields["observation"], fields["legal_action_mask"]
        return fields | {name: join(fields[name]) for name in _SETS}

    def _state(self, fields: dict[str, _Array]) -> State:
        """The state with these fields, with its planes and its mask."""
        discs, legal = jnp.stack([fields["_own"], fields["_opponent"]]), fields["_legal"]
        planes = ((discs[np.newaxis] >> self._squares[:, np.newaxis]) & np.uint64(1)).astype(bool)
        moves = ((legal >> self._squares) & np.uint64(1)).astype(bool)
        mask = jnp.concatenate([moves, (legal == 0)[jnp.newaxis]])
        if not self.auto_reset:
            mask |= fields["terminated"]
        words = {name: split(fields[name]) for name in _SETS}
        return State(observation=planes.reshape(self.observation_shape), legal_action_mask=mask, **(fields | words))


def choose(condition: _Array, one: dict[str, _Array], other: dict[str, _Array]) -> dict[str, _Array]:
    """The fields `one` if the condition, () bool, is True, else the fields `other`."""
    return {name: jnp.where(condition, one[name], other[name]) for name in one}


def next_key(bits: _Array) -> _Array:
    """The key, () uint64, of the game that follows the game with the key `bits`."""
    return _mix(bits, _counter(hashing.REDRAW))


def _second(key: _Array) -> _Array:
    """The key of the game after a step, from the step's key."""
    key_words(key)  # checks it
    return jax.random.split(key)[1]


def _counter(number: int) -> _Array:
    return jnp.uint64(number)


def key_words(key: _Array) -> _Array:
    """64 bits of a key of `jax.random`, (2,) uint32: the key's own first bits.

    Raises:
        TypeError: this is no key, or it is many keys.
    """
    is_typed = hasattr(key, "dtype") and jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    words = jax.random.key_data(key) if is_typed else key
    shape, dtype = getattr(words, "shape", None), getattr(words, "dtype", None)
    if shape is None or len(shape) != 1 or shape[0] < 2 or dtype != jnp.uint32:
        given = type(key).__name__ if shape is None else f"{key.dtype} {key.shape}"
        raise TypeError(
            f"expected a key for one game, as from jax.random.key or jax.random.PRNGKey, got {given}; for many games "
            "use jax.vmap"
        )
    return words[:2]


Opponent = Callable[[State, _Array], _Array]
"""A function that chooses an action of one game; see the module."""
Opponents = str | Opponent | Mapping[Any, float]
"""A spec, a function, or a dict from specs and functions to weights."""


def find_opponent(x: Opponents, size: int = 8) -> Opponent:
    """The opponent that a spec names, such as ``"maximizer:eval=weighted"``. A function is returned unchanged.

    For a dict from opponents to weights, it is a function that chooses one of them for each game.

    ``"a.safetensors"`` is the network `afterstates` of a file, and ``"a.safetensors:network=nets.py:make"`` a network
    that was made for JAX. They play their likeliest moves.

    Raises:
        FileNotFoundError: there is no such file.
        SpecError: the spec is wrong, or there is no such opponent for JAX. The message lists the names.
        ValueError: the size is not 4, 6 or 8, or a file holds another network.
        WrongGameError: the opponent does not play on boards of this size.
        TypeError: `x` is neither a text, a function nor a dict.
    """
    check_size(size)
    if callable(x):
        return x
    if isinstance(x, Mapping):
        return Pool([find_opponent(each, size) for each in x], weight_bounds("opponents", x))
    if not isinstance(x, str):
        raise TypeError(f"an opponent must be a spec or a function of a state and a key, not {x!r}")
    name, options = split_spec(x)
    known = {point.name: point for point in entry_points(group="othello_env.jax")}
    if name not in known and (suffix := Path(name).suffix) in known:
        name, options = suffix, {"path": name} | options
    if name not in known:
        names = ", ".join(f"FILE{name}" if name.startswith(".") else name for name in sorted(known))
        raise SpecError(f"there is no opponent {name!r} for JAX{near(name, known)}; known are {names}")
    try:
        opponent: Opponent = known[name].load()(size, **options)
    except TypeError as error:
        raise SpecError(f"{x!r}: {error}") from None
    return opponent


class Pool:
    """An opponent that plays as one of several. The game's key chooses it by its bound; see `OpponentPool.draw`."""

    def __init__(self, opponents: list[Opponent], bounds: Sequence[int]) -> None:
        self._bounds = np.array(bounds, np.uint64)
        self._moves = [lambda state, key, f=each: jnp.asarray(f(state, key)).astype(jnp.int32) for each in opponents]

    def index(self, state: State) -> _Array:
        """The number of the opponent that plays in this game, () int32."""
        with jax.enable_x64(True):
            number = _mix(join(state._key), _counter(hashing.POOL)) >> np.uint64(32)
            return jnp.searchsorted(self._bounds, number, side="right").astype(jnp.int32)

    def __call__(self, state: State, key: _Array) -> _Array:
        return jax.lax.switch(self.index(state), self._moves, state, key)


class OnePlayer:
    """A player against an opponent: a step is the player's move and the opponent's answer.

    The interface and the states are those of `Othello`. The learner is player 0, and ``state.rewards[0]`` is its
    reward. It is always to move: if the opponent begins, `init` plays the first move. The opponent's passes are made
    for it. The learner's pass is an action, as elsewhere. Observations are from the learner's point of view.

    If the opponent's first move ends a game before the learner's first turn, another game replaces it, and nobody
    gets a reward. There are at most `REDRAWS` replacements. This bound is not reached, since the learner begins half of
    all games.

    Args:
        env: the game. If its `auto_reset` is True, a step that ends a game begins the next one.
        opponent: a spec, a function, or a dict from opponents to weights; see `find_opponent`.

    Raises:
        SpecError: the spec is wrong.
        TypeError: `opponent` is neither a text, a function nor a dict.
    """

    def __init__(self, env: Othello, opponent: Opponents) -> None:
        self.env = check_type("env", env, Othello)
        self.num_actions = env.num_actions
        self.observation_shape = env.observation_shape
        self.opponent = find_opponent(opponent, env.size)

    def __repr__(self) -> str:
        return f"<othello_env.jax.OnePlayer {self.env.size}x{self.env.size}>"

    def init(self, key: _Array) -> State:
        """Begin a game; see `Othello.init`."""
        is_x64 = jax.config.jax_enable_x64
        with jax.enable_x64(True):
            return self._seen_by_learner(self._to_learner(self.env._first(key), None, 0, is_x64)[0])

    def step(self, state: State, action: _Array, key: _Array | None = None) -> State:
        """Play the learner's action and the opponent's answer; see `Othello.step`."""
        action, key = self.env._checked(state, action), None if key is None else _second(key)
        is_x64 = jax.config.jax_enable_x64
        with jax.enable_x64(True):
            if not self.env.auto_reset:
                return self._seen_by_learner(self._answered(self.env._play(state, action, None), is_x64))
            moved = self.env._played(self.env._fields(state), action)
            first = None if key is None else self.env._first(key)
            now, rewards, redraws = self._to_learner(moved, first, -1, is_x64)
            return self._seen_by_learner(now | {"rewards": rewards, "terminated": redraws >= 0})

    def _to_learner(
        self, now: _Fields, first: _Fields | None, redraws: int, is_x64: bool
    ) -> tuple[_Fields, _Array, _Array]:
        """Begin games and play the opponent's moves until it is the learner's turn.

        `first` are the fields of the game after the learner's game; None if it follows from the present game's key.
        `redraws` is -1 until the learner's game is over, and then the number of games that were replaced. Returns the
        fields of the state, the rewards of the learner's game, and `redraws`.
        """

        def waits(carry: tuple[_Fields, _Array, _Array]) -> _Array:
            now, _, redraws = carry
            return jnp.where(now["terminated"], redraws < REDRAWS, now["current_player"] != _LEARNER)

        def go_on(carry: tuple[_Fields, _Array, _Array]) -> tuple[_Fields, _Array, _Array]:
            now, rewards, redraws = carry
            is_over, is_learners = now["terminated"], redraws < 0
            following = self.env._next(next_key(now["_key"]))
            if first is not None:
                following = choose(is_learners, first, following)
            rewards = jnp.where(is_over & is_learners, now["rewards"], rewards)
            now = choose(is_over, following, now)
            return self._answered(now, is_x64), rewards, redraws + is_over

        # A loop in which the opponent stands once, so that XLA compiles it once.
        begin = now, jnp.zeros_like(now["rewards"]), jnp.full_like(now["current_player"], redraws)
        last: tuple[_Fields, _Array, _Array] = jax.lax.while_loop(waits, go_on, begin)
        return last

    def _answered(self, now: _Fields, is_x64: bool) -> _Fields:
        """The fields of the state after the opponent's move, if it is its turn."""
        is_asked = (now["current_player"] != _LEARNER) & ~now["terminated"]
        decision = split(_mix(now["_key"], rules.popcount(now["_own"] | now["_opponent"])))
        # The packaged opponents loop over the moves, for all games as often as for the game with the most moves.
        state = self.env._state(now | {"_legal": jnp.where(is_asked, now["_legal"], np.uint64(0))})
        with jax.enable_x64(is_x64):  # the caller's setting
            action = self.opponent(state, decision)
        return choose(is_asked, self.env._played(now, jnp.asarray(action).astype(jnp.int32)), now)

    def _seen_by_learner(self, fields: _Fields) -> State:
        state = self.env._state(fields)
        return state.replace(observation=self.env.observe(state, _LEARNER))


class Gymnax:
    """A `OnePlayer` with the interface of Gymnax, as the programs of the PureJaxRL family read it.

    A step that ends a game begins the next one. `info` has the entry ``action_mask``, (A,) bool. Params are not used.

    Args:
        env: the environment; the `auto_reset` of its game must be True.

    Raises:
        ValueError: it is not.
    """

    default_params = None

    def __init__(self, env: OnePlayer) -> None:
        if not check_type("env", env, OnePlayer).env.auto_reset:
            raise ValueError("expected a game with auto_reset=True, since Gymnax begins the next game by itself")
        self._env = env
        self.num_actions = env.num_actions

    def reset(self, key: _Array, params: Any = None) -> tuple[_Array, State]:
        """Begin a game. Returns the observation, (size, size, 2) bool, and the state."""
        state = self._env.init(key)
        return state.observation, state

    def step(
        self, key: _Array, state: State, action: _Array, params: Any = None
    ) -> tuple[_Array, State, _Array, _Array, dict[str, _Array]]:
        """Play an action. Returns the observation, the state, the learner's reward, whether the game ended, info."""
        state = self._env.step(state, action, key)
        return (
            state.observation,
            state,
            state.rewards[_LEARNER],
            state.terminated,
            {"action_mask": state.legal_action_mask},
        )

    def action_space(self, params: Any = None) -> gymnasium.spaces.Discrete:
        """The actions, with the attribute `n`."""
        return gymnasium.spaces.Discrete(self.num_actions)

    def observation_space(self, params: Any = None) -> gymnasium.spaces.MultiBinary:
        """The observations, with the attribute `shape`."""
        return gymnasium.spaces.MultiBinary(self._env.observation_shape)
