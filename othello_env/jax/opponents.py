"""Opponents inside ``jit``, and environments for one player.

An opponent is a function ``f(state, key) -> action`` of the state of one game, which JAX can trace. `key`, (2,) uint32,
is the 64-bit key of this decision. It can also serve as a key of `jax.random`.

Opponents by name come from the entry points of the group ``othello_env.jax``: functions that take the board's size and
the spec's options (as texts), and return such a function. They play the same moves as the agents of the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from importlib.metadata import entry_points
from typing import Any

import gymnasium

from othello_env.agent import SpecError
from othello_env.agent.spec import near, split_spec
from othello_env.games import hashing
from othello_env.jax.env import Othello, State, join, rules, split
from othello_env.jax.library import jax, jnp
from othello_env.support.jit import with_array_library

__all__ = ["Gymnax", "OnePlayer", "Opponent", "find_opponent"]

_Array = Any  # jax.Array
_mix = with_array_library(hashing, jnp).mix
_LEARNER = 0

Opponent = Callable[[State, _Array], _Array]
"""A function that chooses an action of one game; see the module."""


def find_opponent(x: str | Opponent, size: int = 8) -> Opponent:
    """The opponent that a spec names, such as ``"maximizer:eval=weighted"``. A function is returned unchanged.

    Raises:
        SpecError: the spec is wrong, or there is no such opponent for JAX. The message lists the names.
        WrongGameError: the opponent does not play on boards of this size.
        TypeError: `x` is neither a text nor a function.
    """
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
        found: Opponent = known[name].load()(size, **options)
    except TypeError as error:
        raise SpecError(f"{x!r}: {error}") from None
    return found


class OnePlayer:
    """A player against an opponent: a step is the player's move and the opponent's answer.

    The interface and the states are those of `Othello`. The learner is player 0, and ``state.rewards[0]`` is its
    reward. It is always to move: if the opponent begins, `init` plays the first move. The opponent's passes are made
    for it. The learner's pass is an action, as elsewhere. Observations are from the learner's point of view.

    Args:
        env: the game. If its `auto_reset` is True, a step that ends a game begins the next one, and calls the opponent
            once more, since the opponent may have the first move of the next game.
        opponent: a spec or a function; see `find_opponent`.

    Raises:
        SpecError: the spec is wrong.
        TypeError: `opponent` is neither a text nor a function.
    """

    def __init__(self, env: Othello, opponent: str | Opponent) -> None:
        self.env = copy(env)
        self.env._is_selected = True
        self.num_actions = env.num_actions
        self.observation_shape = env.observation_shape
        self._opponent = find_opponent(opponent, env.size)

    def __repr__(self) -> str:
        return f"<othello_env.jax.OnePlayer {self.env.size}x{self.env.size}>"

    def init(self, key: _Array) -> State:
        """Begin a game; see `Othello.init`."""
        return self._seen_by_learner(self._answered(self.env.init(key), None))

    def step(self, state: State, action: _Array, key: _Array | None = None) -> State:
        """Play the learner's action and the opponent's answer; see `Othello.step`."""
        moved = self.env.step(state, action, key)

        def answer(state: State, _: None) -> tuple[State, tuple[_Array, _Array]]:
            state = self._answered(state, key)
            return state, (state.rewards, state.terminated)

        count = 2 if self.env.auto_reset else 1  # a loop, so that XLA compiles the opponent only once
        last, (rewards, terminated) = jax.lax.scan(answer, moved, length=count)
        rewards, terminated = moved.rewards + rewards.sum(axis=0), moved.terminated | terminated.any(axis=0)
        return self._seen_by_learner(last.replace(rewards=rewards, terminated=terminated))

    def _answered(self, state: State, key: _Array | None) -> State:
        """The state after the opponent's move if it is to move, with the rewards of this move alone."""
        with jax.enable_x64(True):
            discs = rules.popcount(join(state._own) | join(state._opponent))
            decision = split(_mix(join(state._key), discs))
        is_asked = state.current_player != _LEARNER
        # The packaged opponents loop over the moves, for all games as often as for the game with the most moves.
        asked = state.replace(_legal=jnp.where(is_asked, state._legal, jnp.uint32(0)))
        after = self.env.step(state, self._opponent(asked, decision), key)
        is_over = state.terminated & (not self.env.auto_reset)
        before = state.replace(rewards=jnp.zeros_like(state.rewards), terminated=is_over)
        chosen: State = jax.tree.map(partial(jnp.where, is_asked), after, before)
        return chosen

    def _seen_by_learner(self, state: State) -> State:
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
        if not env.env.auto_reset:
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
