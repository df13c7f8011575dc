"""A batch of games on a device, as a vector environment of Gymnasium.

Letters for shapes: N = `num_envs`, S = size, A = S * S + 1 actions.
"""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from othello_env.games.game import check_choice, check_seed
from othello_env.games.initial_states import POSITION_OPTIONS, InitialStates, check_reset_mask, check_reset_options
from othello_env.games.openings import Openings, OpeningsSpec
from othello_env.games.othello.position import Othello as Position
from othello_env.jax.env import OnePlayer, Opponents, Othello, Pool, Starts, State, as_array
from othello_env.jax.library import jax, jnp
from othello_env.support.numbers import check_whole

__all__ = ["DeviceVectorEnv"]

_Array = Any  # jax.Array
_Observation = dict[str, _Array]
_SIDES = ("random", *Position().player_names)


class DeviceVectorEnv(gymnasium.vector.VectorEnv[_Observation, _Array, _Array]):
    """N games of Othello that stay on a device: every array that goes in or comes out is an array of JAX.

    A step is one call of a compiled function. If a game ends, the next game begins in the same step (``SAME_STEP``). An
    observation is a dict of ``observation``, (N, 2, S, S) int8, and ``action_mask``, (N, A) int8, as in the other
    environments of this package. `info` has ``action_mask``; in self-play ``to_move``, (N,) int32, 0 if Black is to
    move; and with a dict of opponents ``opponent``, (N,) int32, the number of the one that plays in the present game.
    It has no ``final_obs``: games are never truncated, so no learner needs it.

    In self-play (``opponent=None``) a step is one ply, the observation is from the point of view of the player to move,
    and ``reward[i]`` is for the player that has just acted in game i. An illegal action ends its game, with reward -1.

    `gymnasium.wrappers.vector.JaxToTorch` turns the arrays into tensors of PyTorch.

    Args:
        num_envs: the number of games.
        opponent: a spec, a function or a dict from opponents to weights (see `othello_env.jax.env`), or None for
            self-play.
        size: the height and width of the board, 4, 6 or 8.
        openings: where games begin; see `othello_env.jax.Othello`.

    Raises:
        TypeError: the number of games is no integer, or the opponent is neither a text, a function nor a dict.
        ValueError: an argument is wrong.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - as in Gymnasium

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Opponents | None = "random",
        size: int = 8,
        openings: OpeningsSpec = None,
    ) -> None:
        self.num_envs = check_whole("num_envs", num_envs, 1)
        game = Othello(size, openings=openings, auto_reset=True)  # pyright: ignore[reportArgumentType]  # checked there
        self._game, self._is_self_play = game, opponent is None
        self._env = game if opponent is None else game.vs(opponent)
        spaces = gymnasium.spaces
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.single_observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (2, size, size), np.int8),
                "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
            }
        )
        self._begin = jax.jit(self._begun)
        self._advance = jax.jit(self._stepped)
        self._state: State | None = None
        self._key = _key_of(secrets.randbits(64))

    @cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> gymnasium.Space[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return batch_space(self.single_action_space, self.num_envs)

    @property
    def state(self) -> State:
        """The state of all games, a pytree with a leading axis of N; `State` describes it.

        Raises:
            ResetNeeded: there was no reset yet.
        """
        if self._state is None:
            raise ResetNeeded("there is no state before reset()")
        return self._state

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observation, dict[str, Any]]:
        """Begin all games.

        Args:
            seed: its low 64 bits determine everything random from now on. They are other games than those of
                `GameVectorEnv` with this seed: JAX draws the games' keys. Without a seed, other games begin, each time
                the program runs.
            options: `position`, `moves`, `random_plies` (see `othello_env.games.initial_states`) and `side` apply only
                to the games that this reset begins. Random plies stand for 4,096 openings. `reset_mask`, (N,) bool,
                selects the games to reset.

        Raises:
            TypeError: the seed is not an integer, the options are not a dict, or `reset_mask` is not a bool array.
            ValueError: the seed or an option is wrong, or the opponent's first moves ended a game in every attempt.
                Nothing has changed.
            ResetNeeded: `reset_mask` leaves out a game at the first reset.
        """
        chosen = check_reset_options(options, (*POSITION_OPTIONS, "side", "reset_mask"))
        mask = chosen.pop("reset_mask", None)
        mask = check_reset_mask(np.asarray(mask) if isinstance(mask, jax.Array) else mask, self.num_envs)
        if not mask.all() and self._state is None:
            raise ResetNeeded("the first reset() must reset all games: leave out reset_mask")
        starts = self._starts(chosen)
        following, key = jax.random.split(self._key if seed is None else _key_of(check_seed(seed)))
        begun = self._begin(key, starts, None if mask.all() else (mask, self._state))
        if options and bool((begun[0].terminated & mask).any()):
            raise ValueError(
                "the opponent's moves ended a game before the learner's first turn in each of many attempts"
            )
        self._key = following
        self._state, observation, info = begun
        return observation, info

    def _starts(self, options: dict[str, Any]) -> Starts:
        """Where the games of a reset with these options begin."""
        side = options.pop("side", _SIDES[0])
        check_choice("side", side, _SIDES)
        if self._is_self_play and side != _SIDES[0]:
            raise ValueError(f"side={side!r} needs an opponent; in self-play the learner plays every side")
        starts = self._game.starts
        if options:
            initial = InitialStates(None, lambda key: Position(self._game.size))
            position = [initial.given(0, options)] if options.keys() & {"position", "moves"} else None
            starts = Starts.of(Openings(position, initial.openings.draw, options.get("random_plies", 0)))
        return starts._replace(black=None if side == _SIDES[0] else np.int32(_SIDES.index(side) - 1))

    def _begun(
        self, key: _Array, starts: Starts, kept: tuple[_Array, State] | None
    ) -> tuple[State, _Observation, dict[str, _Array]]:
        """Begin games. `kept` is the mask of those that begin, (N,) bool, and the state of all; None if all begin."""
        game = self._game.beginning(starts)
        env = OnePlayer(game, self._env.opponent) if isinstance(self._env, OnePlayer) else game
        state = jax.vmap(env.init)(jax.random.split(key, self.num_envs))
        if kept is not None:
            mask, before = kept
            state = jax.tree.map(lambda new, old: jax.vmap(jnp.where)(mask, new, old), state, before)
        return self._seen(state)

    def step(self, actions: _Array) -> tuple[_Observation, _Array, _Array, _Array, dict[str, Any]]:
        """Play an action, (N,) of any integer dtype, in every game.

        Returns:
            The observations, the rewards (N,) float32, `terminated` and `truncated` (N,) bool, and `info`.

        Raises:
            ResetNeeded: there was no reset yet.
            ValueError: the actions have another shape or dtype.
        """
        actions = as_array("an action", actions)
        if actions.shape != (self.num_envs,) or not jnp.issubdtype(actions.dtype, jnp.integer):
            raise ValueError(f"expected ({self.num_envs},) integers as actions, got {actions.dtype} {actions.shape}")
        state, observation, rewards, info = self._advance(self.state, actions)
        self._state = state
        return observation, rewards, state.terminated, state.truncated, info

    def _stepped(self, state: State, actions: _Array) -> tuple[State, _Observation, _Array, dict[str, _Array]]:
        after = jax.vmap(self._env.step)(state, actions)
        learner = state.current_player if self._is_self_play else jnp.zeros_like(state.current_player)
        rewards = jnp.take_along_axis(after.rewards, learner[:, jnp.newaxis], axis=1)[:, 0]
        state, observation, info = self._seen(after)
        return state, observation, rewards, info

    def _seen(self, state: State) -> tuple[State, _Observation, dict[str, _Array]]:
        """The state, the observations and the info."""
        mask = state.legal_action_mask.astype(jnp.int8)
        planes = jnp.moveaxis(state.observation, -1, 1).astype(jnp.int8)
        info = {"action_mask": mask}
        if not isinstance(self._env, OnePlayer):
            info["to_move"] = state._color
        elif isinstance(self._env.opponent, Pool):
            info["opponent"] = jax.vmap(self._env.opponent.index)(state)
        return state, {"observation": planes, "action_mask": mask}, info


def _key_of(seed: int) -> _Array:
    """The key that ``jax.random.key(seed)`` is if JAX has numbers of 64 bits. So the setting of x64 changes no game."""
    words = np.array([seed >> 32 & 0xFFFF_FFFF, seed & 0xFFFF_FFFF], np.uint32)
    return jax.random.wrap_key_data(words, impl="threefry2x32")
