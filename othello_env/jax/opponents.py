"""Opponents inside ``jit``, and environments for one player.

An opponent is a function ``f(state, key) -> action`` of the state of one game, which JAX can trace. `key`, (2,) uint32,
is the 64-bit key of this decision. It can also serve as a key of `jax.random`.

Opponents by name come from the entry points of the group ``othello_env.jax``: functions that take the board's size and
the spec's options (as texts), and return such a function. They play the same moves as the agents of the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import gymnasium
import numpy as np

from othello_env.agent import SpecError
from othello_env.agent.spec import near, split_spec
from othello_env.games import hashing
from othello_env.games.othello.position import check_size
from othello_env.jax.env import Othello, State, choose, key_words, next_key, rules, split
from othello_env.jax.library import jax, jnp
from othello_env.support.jit import with_array_library
from othello_env.support.numbers import check_type

__all__ = ["REDRAWS", "Gymnax", "OnePlayer", "Opponent", "find_opponent"]

_Array = Any  # jax.Array
_Fields = dict[str, _Array]
_mix = with_array_library(hashing, jnp).mix
_LEARNER = 0

REDRAWS = 100
"""The largest number of games that are replaced because they ended before the learner's first turn."""

Opponent = Callable[[State, _Array], _Array]
"""A function that chooses an action of one game; see the module."""


def find_opponent(x: str | Opponent, size: int = 8) -> Opponent:
    """The opponent that a spec names, such as ``"maximizer:eval=weighted"``. A function is returned unchanged.

    Raises:
        SpecError: the spec is wrong, or there is no such opponent for JAX. The message lists the names.
        ValueError: the size is not 4, 6 or 8.
        WrongGameError: the opponent does not play on boards of this size.
        TypeError: `x` is neither a text nor a function.
    """
    check_size(size)
    if callable(x):
        return x
    if not isinstance(x, str):
        raise TypeError(f"an opponent must be a spec or a function of a state and a key, not {x!r}")
    name, options = split_spec(x)
    known = {point.name: point for point in entry_points(group="othello_env.jax")}
    if name not in known:
        names = ", ".join(sorted(known))
        raise SpecError(f"there is no opponent {name!r} for JAX{near(name, known)}; known are {names}")
    try:
        opponent: Opponent = known[name].load()(size, **options)
    except TypeError as error:
        raise SpecError(f"{x!r}: {error}") from None
    return opponent


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
        opponent: a spec or a function; see `find_opponent`.

    Raises:
        SpecError: the spec is wrong.
        TypeError: `opponent` is neither a text nor a function.
    """

    def __init__(self, env: Othello, opponent: str | Opponent) -> None:
        self.env = check_type("env", env, Othello)
        self.num_actions = env.num_actions
        self.observation_shape = env.observation_shape
        self._opponent = find_opponent(opponent, env.size)

    def __repr__(self) -> str:
        return f"<othello_env.jax.OnePlayer {self.env.size}x{self.env.size}>"

    def init(self, key: _Array) -> State:
        """Begin a game; see `Othello.init`."""
        is_x64 = jax.config.jax_enable_x64
        with jax.enable_x64(True):
            return self._seen_by_learner(self._to_learner(self.env._first(key), None, 0, is_x64)[0])

    def step(self, state: State, action: _Array, key: _Array | None = None) -> State:
        """Play the learner's action and the opponent's answer; see `Othello.step`."""
        action, words = self.env._checked(state, action), None if key is None else key_words(key)
        is_x64 = jax.config.jax_enable_x64
        with jax.enable_x64(True):
            if not self.env.auto_reset:
                return self._seen_by_learner(self._answered(self.env._play(state, action, None), is_x64))
            moved = self.env._played(self.env._fields(state), action)
            now, rewards, redraws = self._to_learner(moved, words, -1, is_x64)
            return self._seen_by_learner(now | {"rewards": rewards, "terminated": redraws >= 0})

    def _to_learner(
        self, now: _Fields, words: _Array | None, redraws: int, is_x64: bool
    ) -> tuple[_Fields, _Array, _Array]:
        """Begin games and play the opponent's moves until it is the learner's turn.

        `redraws` is -1 until the learner's game is over, and then the number of games that were replaced. Returns the
        fields of the state, the rewards of the learner's game, and `redraws`.
        """

        def waits(carry: tuple[_Fields, _Array, _Array]) -> _Array:
            now, _, redraws = carry
            return jnp.where(now["terminated"], redraws < REDRAWS, now["current_player"] != _LEARNER)

        def go_on(carry: tuple[_Fields, _Array, _Array]) -> tuple[_Fields, _Array, _Array]:
            now, rewards, redraws = carry
            is_over, is_learners = now["terminated"], redraws < 0
            following = next_key(now["_key"])
            if words is not None:
                following = jnp.where(is_learners, next_key(now["_key"], words), following)
            rewards = jnp.where(is_over & is_learners, now["rewards"], rewards)
            now = choose(is_over, self.env._next(following), now)
            return self._answered(now, is_x64), rewards, redraws + is_over

        # A loop in which the opponent stands once, so that XLA compiles it once.
        first = now, jnp.zeros_like(now["rewards"]), jnp.full_like(now["current_player"], redraws)
        last: tuple[_Fields, _Array, _Array] = jax.lax.while_loop(waits, go_on, first)
        return last

    def _answered(self, now: _Fields, is_x64: bool) -> _Fields:
        """The fields of the state after the opponent's move, if it is its turn."""
        is_asked = (now["current_player"] != _LEARNER) & ~now["terminated"]
        decision = split(_mix(now["_key"], rules.popcount(now["_own"] | now["_opponent"])))
        # The packaged opponents loop over the moves, for all games as often as for the game with the most moves.
        state = self.env._state(now | {"_legal": jnp.where(is_asked, now["_legal"], np.uint64(0))})
        with jax.enable_x64(is_x64):  # the caller's setting
            action = self._opponent(state, decision)
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
