"""A Gymnasium environment for any game: a learner plays against opponents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from othello_env.agent import Seat, answered, seats_around
from othello_env.envs.conventions import (
    Observation,
    game_info,
    illegal_penalty,
    observation,
    observation_space,
    play_checked,
    rewards,
)
from othello_env.envs.one_game import OneGame
from othello_env.envs.rendering import RENDER_FPS, RENDER_MODES
from othello_env.envs.vector.opponents import OpponentPool, Opponents
from othello_env.games.game import State, check_choice, check_seed
from othello_env.games.initial_states import POSITION_OPTIONS, check_reset_options
from othello_env.games.keys import REDRAWS, GameKeys, learner_seat
from othello_env.games.openings import OpeningsSpec
from othello_env.games.registry import GameLike
from othello_env.support.numbers import check_flag

__all__ = ["GameEnv"]

_S = TypeVar("_S", bound=State)


class GameEnv(OneGame[_S], gymnasium.Env[Observation, np.int64], Generic[_S]):
    """A game of a learner against one or two opponents, the Gymnasium environments ``othello_env/Othello-v0``,
    ``Checkers-v0``, ``Tribolo-v0`` and, for any registered game, ``Game-v0``.

    Each step plays the learner's action, and then the opponents' actions until the
    learner's next turn. An observation is a dict of two int8 arrays. The array ``observation`` is the board as planes
    from the learner's point of view. The array ``action_mask`` has a 1 for each legal action. The same mask is in
    `info`, and the method `action_masks` returns this mask as bool. If the game is over, the mask is all zeros. If the
    learner must pass, the mask allows only the pass. If an opponent must pass, the environment plays the pass without
    asking the opponent.

    The reward is 0 until the game ends. At the end, the reward is the learner's own result or margin, even if an
    opponent made the last move. Unless `strict` is True, an illegal action of the learner ends the game. For this
    action, the reward is -1, or minus the largest margin if rewards are margins. If most games end by illegal actions,
    the environment gives one `IgnoredMaskWarning`.

    At every reset and step, `info` has `action_mask`, `winner`, `discs`, `plies`, `illegal_action` and `opponent` (see
    `othello_env.envs.conventions.game_info`). The attribute `position` is the current State, which has the moves of the
    game so far.

    Args:
        game: the game, perhaps with options, such as ``"othello"`` or ``"othello:size=6"``.
        opponent: a spec (text that names an agent, such as ``"random"``), an Agent or a callable; see
            `othello_env.make_agent`. In a game of three players, one opponent plays both other sides. With a tuple of
            two opponents, each plays one side: the first moves after the learner, and the second moves after the first.
            With a dict from opponents to weights, each game draws the opponent of each side by these weights.
        side: the name of the learner's player, or ``"random"``.
        openings: where games begin. With None, games begin at the game's usual start. With ``"random:10"``, they begin
            after ten random plies. With a sequence of transcripts or States, each game begins with a random opening
            from the sequence.
        reward: ``"result"`` (such as +1 for a win), or ``"margin"`` (in Othello, how many discs the player is ahead).
        strict: if True, an illegal action raises IllegalActionError and changes nothing. If False, the action ends the
            game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        flat: if True, an observation is no dict but the planes as one row of float32, (planes * height * width,). The
            legal actions are then in ``info["action_mask"]``. This is ``othello_env/Othello-flat-v0``.
        options: the options of the game, such as ``size=6``.

    Raises:
        TypeError: a flag is not a bool, an opponent is not a spec, Agent or callable, or there is no such option.
        ValueError: an argument is wrong. For a wrong spec, the error is a SpecError. For an opponent that does not play
            this game, it is a WrongGameError.
        MissingExtraError: `render_mode` is ``"human"`` and the extra `window` is not installed.
    """

    opponents: tuple[str, ...]
    """The names of the opponents, in the order of their turns after the learner; of a dict, those of all opponents.

    The name of an opponent is its spec, or the name of the Agent or callable. The numbers in ``info["opponent"]`` are
    indices of this tuple. With three players, ``info["opponent"]`` is an array of two numbers, (2,) int64.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": RENDER_FPS}  # noqa: RUF012 - as in the base

    def __init__(
        self,
        game: GameLike = "",
        *,
        opponent: Opponents = "random",
        side: str = "random",
        openings: OpeningsSpec = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
        flat: bool = False,
        **options: Any,
    ) -> None:
        start = self._prepare(game, options, openings, reward, strict, render_mode, GameEnv)
        self._flat = check_flag("flat", flat)
        self._sides = ("random", *start.player_names)
        check_choice("side", side, self._sides)
        self.action_space = gymnasium.spaces.Discrete(start.num_actions)
        self.observation_space = observation_space(start, flat=flat)
        self.learner = 0
        """The number of the learner's player in the current game."""
        self._players = start.num_players
        self._side = side
        self._pool = OpponentPool(opponent, start)
        """The opponents of the next game."""
        self.opponents = tuple(self._pool.names)
        self._numbers: Any = None  # those of the opponents in the current game, as in `info`
        self._seats: dict[int, Seat] = {}
        """The opponents in the current game. Each key is the number of the player whose moves the opponent makes."""
        self._mask = np.zeros(self._num_actions, np.int8)
        self._shown = self._renderer.render if render_mode == "human" else None
        """Shows the position before an opponent plays."""

    def set_opponents(self, opponent: Opponents) -> None:
        """Change the opponents. The next game has the new opponents, and the current game keeps its opponents.

        Args:
            opponent: as in the constructor.

        Raises:
            ValueError: an opponent is wrong. Nothing has changed.
        """
        self._pool = OpponentPool(opponent, self.game.start(0))

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, (A,) bool. If the game is over, all values are False."""
        return self._mask.astype(np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game and play until it is the learner's turn.

        Args:
            seed: an integer of at least 0. Each seed determines a sequence of games. With a seed, the first game of
                this sequence begins. Without a seed, the next game of the present sequence begins. Everything random in
                a game depends on the seed and on the game's number in the sequence (see `othello_env.games.keys`).
            options: `position`, `moves`, `random_plies` (see `othello_env.games.initial_states`), and `side` (as in the
                constructor).

        Returns:
            The observation and the info. If a game ends before the learner's first turn, another game replaces it. So
            it is always the learner's turn after a reset.

        Raises:
            ValueError: an option is unknown or wrong, the seed is negative, or every game that was tried ended before
                the learner's first turn.
            TypeError: the seed or `random_plies` is not an integer, or the options are not a dict.
            AgentError: an opponent answered with an illegal action.
        """
        chosen = check_reset_options(options, (*POSITION_OPTIONS, "side"))
        side = chosen.get("side", self._side)
        check_choice("side", side, self._sides)
        super().reset(seed=None if seed is None else check_seed(seed))
        keys = GameKeys.after_reset(self._keys, seed, self.np_random)
        for key in keys.attempts():
            learner = learner_seat(key, self._players) if side == "random" else self._sides.index(side) - 1
            numbers = self._pool.draw(key)
            state, seats = self._begin(key, chosen, learner, numbers)
            if not state.is_over:
                break
        else:
            raise ValueError(
                f"the opponents' moves ended the game before the learner's first turn in each of {REDRAWS + 1} attempts"
            )
        self._keys, self.learner, self._seats, self._playing = keys, learner, seats, True
        self._numbers = np.array(numbers, np.int64) if len(numbers) > 1 else np.int64(numbers[0])
        self.opponents = tuple(self._pool.names)
        return self._show(state)

    def _begin(
        self, key: int, options: dict[str, Any], learner: int, numbers: Sequence[int]
    ) -> tuple[State, dict[int, Seat]]:
        """Begin a game against the opponents with these numbers, and play until the learner's first turn or the end.

        Returns the position and a dict of the opponents. Each key is the number of the player whose moves the opponent
        makes.
        """
        state = self._initial_states.draw(key, options)
        seats = seats_around(learner, [self._pool.agents[number] for number in numbers], key)
        return answered(state, seats, self._shown), seats

    def step(self, action: int | np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the opponents' actions until the learner's next turn or the end of the game.

        Raises:
            ValueError: the action is not an integer in range. Nothing has changed.
            IllegalActionError: the action is illegal and the environment is strict. Nothing has changed.
            ResetNeeded: there was no reset yet, or the game is over.
            AgentError: an opponent answered with an illegal action. `position` is still the position before the step.
        """
        state = self._state
        if state is None or not self._playing:
            raise ResetNeeded(
                "step() needs a reset() first: " + ("there is no game" if state is None else "the game is over")
            )
        played = play_checked(state, action, strict=self._strict)
        if isinstance(played, int):
            return self._end(state, -illegal_penalty(state, self._reward), played)
        state = answered(played, self._seats, self._shown)
        if state.is_over:
            return self._end(state, rewards(state, self._reward)[self.learner])
        shown, info = self._show(state)
        return shown, 0.0, False, False, info

    def _end(
        self, state: State, reward: float, illegal_action: int | None = None
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self._playing = False
        shown, info = self._show(state, illegal_action)
        self._watch.count(1, illegal_action is not None)
        return shown, reward, True, False, info

    def _show(self, state: State, illegal_action: int | None = None) -> tuple[Observation, dict[str, Any]]:
        """Make this position the current one. Returns the learner's observation and the info."""
        self._state = state
        if self._playing:
            planes, self._mask = state.encode()
        else:
            planes, self._mask = state.observation(self.learner), np.zeros(self._num_actions, np.int8)
        if self.render_mode == "human":
            self.render()
        numbers = self._numbers if self._players == 2 else self._numbers.copy()
        info = {"action_mask": self._mask, **game_info(state, numbers, illegal_action)}
        if self._flat:
            return observation(planes, self._mask, flat=True), info
        return {"observation": planes, "action_mask": self._mask}, info
