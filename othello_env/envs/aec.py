"""A PettingZoo AEC environment for any game.

The environment itself checks the order of calls, and the range and the legality of actions. So it does not need
PettingZoo's wrappers. The wrappers would take more time than a ply takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from othello_env.envs.conventions import (
    NOBODY,
    Observation,
    game_info,
    illegal_penalty,
    observation_space,
    play_checked,
    rewards,
)
from othello_env.envs.one_game import OneGame
from othello_env.envs.rendering import RENDER_FPS, RENDER_MODES
from othello_env.games.game import State
from othello_env.games.initial_states import POSITION_OPTIONS, check_reset_options
from othello_env.games.keys import GameKeys
from othello_env.games.openings import OpeningsSpec
from othello_env.games.registry import GameLike

__all__ = ["GameAEC"]

_S = TypeVar("_S", bound=State)

_NOBODY = np.int64(NOBODY)


class GameAEC(OneGame[_S], AECEnv, Generic[_S]):
    """A game whose players act one at a time. `othello_v0`, `checkers_v0` and `tribolo_v0` make it for their games.

    An observation is a dict of two int8 arrays: ``observation``, the board as planes from the agent's point of view,
    and ``action_mask``, with 1 for each legal action. If it is another agent's turn, the mask is all zeros. If the game
    is over, all masks are zeros.

    All rewards are 0 until the game ends. At the end, each agent gets its own result or margin. Unless `strict` is
    True, an illegal action ends the game. The agent that played it gets -1, or minus the largest margin if rewards are
    margins. All other agents get 0. If most games end by illegal actions, the environment gives one
    `IgnoredMaskWarning`.

    At every reset and step, every agent's info has `winner`, `discs`, `plies`, `illegal_action` and `opponent` (always
    -1, because this environment has no opponents); see `othello_env.envs.conventions.game_info`. The mask is only in
    the observation, because TorchRL fails if the info has a mask, too. `position` is the current State, which has the
    moves of the game so far. The method `state` returns an array, because PettingZoo requires this.

    Args:
        game: the game, perhaps with options, such as ``"othello:size=6"``.
        openings: where games begin. With None, games begin at the game's usual start. With ``"random:10"``, they begin
            after ten random plies. With a sequence of transcripts or States, each game begins with a random opening
            from the sequence.
        reward: ``"result"`` (such as +1 for a win), or ``"margin"`` (in Othello, how many discs the player is ahead).
        strict: if True, an illegal action raises IllegalActionError and changes nothing. If False, the action ends the
            game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        options: the options of the game, such as ``size=6``.

    Raises:
        TypeError: there is no such option.
        ValueError: an argument is wrong.
        MissingExtraError: `render_mode` is ``"human"`` and the extra `window` is not installed.
    """

    def __init__(
        self,
        game: GameLike = "",
        *,
        openings: OpeningsSpec = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        start = self._prepare(game, options, openings, reward, strict, render_mode, GameAEC)
        self.metadata = {
            "name": f"{self.game.name}_v0",
            "is_parallelizable": False,
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
        }
        self._calls = 0
        """The number of calls of `reset` and `step`. With it, `agent_iter` sees whether the loop's body made a call."""
        self.agents: list[str] = []
        self.possible_agents = [f"{name}_0" for name in start.player_names]
        self.observation_spaces = {agent: observation_space(start) for agent in self.possible_agents}
        self.action_spaces = {agent: gymnasium.spaces.Discrete(self._num_actions) for agent in self.possible_agents}
        planes, height, width = start.observation_shape
        self.state_space = gymnasium.spaces.Box(0, 1, (planes + start.num_players, height, width), np.int8)

    def state(self) -> npt.NDArray[np.int8]:
        """The position from one fixed point of view. For example, a critic that all players share can use it.

        Returns:
            (C + P, H, W) int8, an element of `state_space`. First come the C planes of the first player's observation,
            then one plane for each of the P players. The plane of the player to move is all ones. The planes of the
            other players are all zeros.

        Raises:
            ResetNeeded: there was no reset yet.
        """
        position = self.position
        planes = position.observation(0)
        turns = np.zeros((position.num_players, *planes.shape[1:]), np.int8)
        turns[position.to_move] = 1
        return np.concatenate([planes, turns])

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Each seed determines a sequence of games. With a seed, the first game of this sequence begins. Without a seed,
        the next game of the current sequence begins.

        Args:
            seed: an integer of at least 0. Only its low 64 bits are used.
            options: a dict with any of the keys `position`, `moves` and `random_plies`; see
                `othello_env.games.initial_states.InitialStates.draw`. A key ``"options"`` is ignored, because
                PettingZoo's own test of `reset` passes such a key.

        Raises:
            ValueError: an option is unknown or wrong, or the seed is negative. Nothing has changed.
            TypeError: the seed is not an integer, or the options are not a dict. Nothing has changed.
        """
        if isinstance(options, Mapping):
            options = {name: value for name, value in options.items() if name != "options"}
        chosen = check_reset_options(options, POSITION_OPTIONS)
        keys = GameKeys.after_reset(self._keys, seed)
        state = self._initial_states.draw(keys.game_key, chosen)
        self._keys = keys
        self._playing = True
        self._calls += 1
        self._skip_agent_selection: str | None = None
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._show(state)
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Play an action of the agent to move. After the end of the game, each agent makes one more step with the
        action None.

        Raises:
            ValueError: the action is not an integer in range, or the game is over and the action is not None. Nothing
                has changed.
            IllegalActionError: the action is illegal and the environment is strict. Nothing has changed.
            ResetNeeded: there was no reset yet, or all agents have made their last step.
        """
        self._calls += 1
        if not self._playing:
            self._step_when_over(action)
            return
        state = self._state
        assert state is not None
        played = play_checked(state, action, strict=self._strict)
        if isinstance(played, int):
            result = [0.0] * state.num_players
            result[state.to_move] = -illegal_penalty(state, self._reward)
            self._end(state, result, played)
        elif played.is_over:
            self._end(played, rewards(played, self._reward))
        else:
            self._show(played)
        if self.render_mode == "human":
            self.render()

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The agents in the order in which they are to move, until all agents have made their last step.

        Args:
            max_iter: the largest number of turns.

        Raises:
            ResetNeeded: there was no reset yet.
            RuntimeError: the body of the loop called neither `step` nor `reset`. Such a loop would never end.
        """
        if self._state is None:
            raise ResetNeeded("agent_iter() needs a reset() first: there is no game")
        return self._turns(max_iter)

    def _turns(self, max_iter: int) -> Iterator[str]:
        calls = -1
        while self.agents and max_iter > 0:
            if self._calls == calls:
                raise RuntimeError(
                    "step() was not called in a loop over agent_iter(); it must be called for each agent"
                )
            calls = self._calls
            max_iter -= 1
            yield self.agent_selection

    def _show(self, state: State, illegal_action: int | None = None) -> None:
        """Make this position the current one, and store a copy of the info for each agent."""
        self._state = state
        self.agent_selection = self.possible_agents[state.to_move]
        info = game_info(state, _NOBODY, illegal_action)
        self.infos: dict[str, dict[str, Any]] = {agent: info.copy() for agent in self.agents}

    def _end(self, state: State, result: Iterable[float], illegal_action: int | None = None) -> None:
        """End the game in this position, and give each player its reward."""
        self._playing = False
        self._show(state, illegal_action)
        self.rewards = dict(zip(self.possible_agents, result, strict=True))
        self._cumulative_rewards = dict(self.rewards)  # the sum of each agent's rewards: all earlier rewards were 0
        self.terminations = dict.fromkeys(self.agents, True)
        self._watch.count(1, illegal_action is not None)

    def _step_when_over(self, action: int | None) -> None:
        if not self.agents:
            raise ResetNeeded(
                "step() needs a reset() first: " + ("the game is over" if self._keys else "there is no game")
            )
        self._was_dead_step(action)

    def observe(self, agent: str) -> Observation:
        """The observation of an agent: the planes from this agent's point of view, and the agent's mask.

        Raises:
            ResetNeeded: there was no reset yet.
            ValueError: there is no such agent.
        """
        state = self.position
        if self._playing and agent == self.agent_selection:
            planes, mask = state.encode()
            return {"observation": planes, "action_mask": mask}
        if agent not in self.possible_agents:
            raise ValueError(f"there is no agent {agent!r}; the agents are {', '.join(self.possible_agents)}")
        planes = state.observation(self.possible_agents.index(agent))
        return {"observation": planes, "action_mask": np.zeros(self._num_actions, np.int8)}
