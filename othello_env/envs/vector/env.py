"""A Gymnasium vector environment for a batch of games. It works for any kind of game with compiled kernels.

Letters for shapes: N = `num_envs`, A = actions, P = players.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from othello_env.envs.conventions import NOBODY, REWARDS, MaskWatch, check_actions, check_count, observation_space
from othello_env.envs.initial_states import POSITION_OPTIONS, InitialStates, check_reset_mask, check_reset_options
from othello_env.envs.rendering import RENDER_FPS, Renderer
from othello_env.envs.seeding import env_keys
from othello_env.envs.vector.beginnings import chosen_begins, draw_keys, usual_begins
from othello_env.envs.vector.buffers import Buffers
from othello_env.envs.vector.checks import check_begun, check_no_side, refuse
from othello_env.envs.vector.info import Moment, StepInfo
from othello_env.envs.vector.opponents import OpponentPool, Opponents
from othello_env.envs.vector.parts import Parts
from othello_env.games.batch import Batch, Begins, Ends
from othello_env.games.game import State, check_choice
from othello_env.support.jit import interruptible, raise_interrupt

__all__ = ["VectorGames"]

_Observation = dict[str, npt.NDArray[np.int8]]
_Array = npt.NDArray[Any]
_RENDER_MODES = (None, "rgb_array", "ansi")


class VectorGames(gymnasium.vector.VectorEnv[_Observation, _Array, _Array], ABC):
    """N games in one environment. Each step plays an action in every game. A subclass defines the game.

    With opponents, game i after ``reset(seed=s)`` is the same as the game of an `othello_env.envs.single.SingleGame`
    after ``reset(seed=s + i)``. With ``opponent=None`` (self-play), the learner plays every side and each step is one
    ply. In self-play, the observation is from the point of view of the player to move, and `reward[i]` is for the
    player that has just acted in game i. If most games end by illegal actions, the environment gives one
    `IgnoredMaskWarning`.

    At every reset and step, `info` has these entries (see `othello_env.envs.conventions.game_info`):

    - `winner`, `plies` and `illegal_action`: (N,) int64.
    - `discs`: (N, P) int64.
    - `opponent`: int64, (N,), or (N, 2) with three players. The numbers are indices of the attribute `opponents`. In
      self-play, they are -1.
    - `action_mask`: (N, A) int8, the same array as in the observation.
    - `to_move`, only in self-play: (N,) int8, the player to move in each game.
    - `reward_to`, only in self-play: (N,) int8, the player that gets the reward in each game, or -1 after a reset.

    An entry is computed when it is first read. Each entry has a mask, (N,) bool: the mask of `winner` is the entry
    `_winner`, and so on. After a reset with `reset_mask`, the masks are True only for the games that were reset. At all
    other times, they are True for all games.

    The entries equal those of Gymnasium's `SyncVectorEnv`, with one exception. After a reset with `reset_mask`,
    Gymnasium's entries are 0 for the games that were not reset. Here, the entries `action_mask`, `to_move` and
    `reward_to` also have values for the games that were not reset.

    In the default mode ``SAME_STEP``, when a game ends, the next game begins in the same step. This step returns the
    observation and info of the next game. The `info` of this step has two more entries. `final_obs`, (N,) objects, has
    the last observation of each game that ended, and None for all other games. `final_info` is a dict with the last
    info of each game that ended. It has no `to_move` and no `reward_to`. The masks of `final_obs` and `final_info` are
    True for the games that ended.

    The method `position` returns the State of a game. If a game ended in the last step, `final_position` returns its
    last State.

    Gymnasium's own vector environments use the mode ``NEXT_STEP`` by default: when a game has ended, the next step only
    begins the next game. Gymnasium's wrappers that change observations work only with ``NEXT_STEP`` or ``DISABLED``. If
    a wrapper fails with ``Expected autoreset_mode to be NEXT_STEP or DISABLED``, use ``autoreset_mode="NextStep"``. The
    wrapper `NumpyToTorch` also needs ``autoreset_mode="NextStep"``: with ``SAME_STEP``, it raises a BufferError when
    the first game ends.

    Args:
        num_envs: the number of games.
        opponent: a spec (text that names an agent, such as ``"random"``), an Agent or a callable. It plays every seat
            (player) except the learner's. In a game of three players, a tuple of two opponents is allowed, one for each
            of the other two seats. In every game, a dict from opponents to weights is allowed (see `set_opponents`).
            With None, the learner plays every side (self-play).
        side: the name of the learner's player, or ``"random"``. In self-play only ``"random"`` is allowed.
        openings: where games begin. With None, games begin at the game's usual start. With ``"random:10"``, they begin
            after ten random plies. With a sequence of transcripts or States, each game begins with a random opening
            from the sequence.
        reward: ``"result"`` (such as +1 for a win), or ``"margin"`` (how many discs the player is ahead).
        strict: if True, an illegal action raises IllegalActionError and changes nothing. If False, the action ends its
            game.
        render_mode: None, ``"rgb_array"`` or ``"ansi"``. `render` returns a tuple with a picture of each game.
        autoreset_mode: Gymnasium's `AutoresetMode` or its value, ``"SameStep"``, ``"NextStep"`` or ``"Disabled"``. With
            ``SAME_STEP``, the next game begins as soon as a game ends. With ``NEXT_STEP``, it begins in the next step.
            That step plays no ply in the new game and ignores its action. With ``DISABLED``, only `reset` begins games.
        copy: if True, every step returns new arrays, which the caller may keep. If False, every step overwrites and
            returns the same arrays, and the caller must read an info before the next step.
        num_threads: the greatest number of threads that share a step. If one thread alone is faster, it makes the steps
            alone. Each thread plays at least two games. Results do not depend on the number of threads.

    Raises:
        ValueError: an argument is wrong. For a wrong spec, the error is a SpecError. For an opponent that does not play
            this game, it is a WrongGameError.
    """

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Opponents | None = "random",
        side: str = "random",
        openings: str | Sequence[str | State] | None = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        num_threads: int = 1,
    ) -> None:
        self._parts = Parts(1)  # close() needs it; Gymnasium 1.1 calls close() even if __init__ fails
        num_envs, num_threads = check_count("num_envs", num_envs), check_count("num_threads", num_threads)
        start = self.new_game(0)
        self._sides = ("random", *start.player_names)
        check_choice("side", side, self._sides)
        if opponent is None:
            check_no_side(side)
        check_choice("reward", reward, REWARDS)
        check_choice("render_mode", render_mode, _RENDER_MODES)
        self.num_envs = num_envs
        self.render_mode = render_mode
        check_choice("autoreset_mode", autoreset_mode, (*AutoresetMode, *(mode.value for mode in AutoresetMode)))
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {
            "render_modes": list(_RENDER_MODES[1:]),
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_observation_space = observation_space(start)
        self.single_action_space = gymnasium.spaces.Discrete(start.num_actions)
        self._how = (self.autoreset_mode == AutoresetMode.SAME_STEP, reward == "margin")
        """The arguments `begin_next` and `by_margin` of `Batch.step`."""
        self._strict = strict
        self._side = side
        self._copy = copy
        self._parts = Parts(max(1, min(num_threads, num_envs // 2)))  # a part has at least two games
        self._pool = None if opponent is None else OpponentPool(opponent, start)
        self._renderer = Renderer(render_mode)
        self._ready = self._has_keys = False
        self._watch = MaskWatch()
        self._ends: list[Ends] = []
        """Data about the games that ended in the last step."""
        self._batch = self.new_batch(num_envs)
        self._arrange()
        self.set_openings(openings)

    @abstractmethod
    def new_batch(self, n: int) -> Batch:
        """A batch of n games that have not begun."""

    @abstractmethod
    def new_game(self, game_key: int) -> State:
        """The position in which a game begins. The same `game_key` always gives the same position."""

    # For N games, Gymnasium's spaces take four times the memory of the observations. So they are made only if needed.

    @cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]  # the base class has an attribute
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_action_space, self.num_envs)

    def _arrange(self) -> None:
        """Make the buffers for the batch, and give the batch to `Parts`."""
        self._parts.cut(self._batch)
        self._buffers = Buffers(self._batch)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k != "_buffers"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._arrange()
        self._encode(self._buffers)

    def set_openings(self, openings: str | Sequence[str | State] | None) -> None:
        """Change the openings of all games that begin from now on. `openings` is as in the constructor.

        Raises:
            ValueError: the openings are wrong. Nothing has changed.
        """
        starts = InitialStates(openings, self.new_game)
        self._begins = usual_begins(self._batch, starts, self._number_of(self._side), self._pool)
        self._starts = starts

    def set_opponents(self, opponents: Opponents) -> None:
        """Change the opponents. A game that has begun keeps its opponents until it ends or is reset.

        Args:
            opponents: as in the constructor. In a dict, the keys are opponents and the values are their weights. In
                each game, every seat except the learner's gets an opponent that is chosen at random by these weights.

        Raises:
            ValueError: a spec or a weight is wrong, or this is a self-play environment. Nothing has changed.
        """
        if self._pool is None:
            raise ValueError("a self-play environment (opponent=None) has no opponents to set")
        self._pool.replace(opponents, self._batch.course.rival)
        self._begins = usual_begins(self._batch, self._starts, self._number_of(self._side), self._pool)

    def _number_of(self, side: str) -> int:
        """The number of the player with this name, or -1 for ``"random"``."""
        return self._sides.index(side) - 1

    @property
    def to_move(self) -> npt.NDArray[np.int8]:
        """The player to move in each game, (N,) int8. Against opponents, this is the learner's player."""
        return np.where(self._batch.course.learner < 0, self._batch.course.to_move, self._batch.course.learner)

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the opponents. The numbers in ``info["opponent"]`` are indices of this tuple.

        The name of an opponent is its spec, or the name of the Agent or callable. After `set_opponents`, the
        tuple has the old opponents that still play, and then the new opponents.
        """
        return () if self._pool is None else tuple(self._pool.names)

    def position(self, i: int) -> State:
        """The position of game i. It has the moves of the game so far.

        Raises:
            ResetNeeded: there was no reset yet.
            IndexError: there is no such game.
        """
        if not self._ready:
            raise ResetNeeded("there are no positions before reset()")
        if not 0 <= i < self.num_envs:
            raise IndexError(f"the games are 0 to {self.num_envs - 1}; there is no game {i}")
        return self._batch.state(i)

    def final_position(self, i: int) -> State:
        """The position in which game i ended, if it ended in the last step. It has the moves of the game.

        Raises:
            LookupError: game i did not end in the last step.
        """
        for ends in self._ends:
            for k in np.flatnonzero(ends.rows["game"] == i).tolist():
                return self._batch.final_state(ends, k)
        raise LookupError(f"no game {i} ended in the last step")

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions in each game, (N, A) bool. In games that are over, all values are False."""
        buffers = Buffers(self._batch)
        self._encode(buffers)
        return buffers.masks.view(np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observation, dict[str, Any]]:
        """Begin games, and let the opponents play until it is the learner's turn.

        Args:
            seed: an integer s of at least 0 gives game i the seed s + i. A sequence or array has a seed for each game,
                or None for a game without a seed. Each seed determines a sequence of games. With a seed, the first game
                of this sequence begins. Without a seed, the next game of the present sequence begins.
            options: `position`, `moves`, `random_plies` (see `othello_env.envs.initial_states.InitialStates.draw`) and
                `side` apply only to the games that this reset begins. `reset_mask`, (N,) bool, selects the games to
                reset.

        Returns:
            The observations of all games, and their info.

        Raises:
            ValueError: a seed or an option is wrong, and nothing has changed. Or a game could not begin, because random
                plies or the opponents' moves ended it in every attempt.
            TypeError: a seed is not an integer, the options are not a dict, or `reset_mask` is not a bool array.
            AgentError: an opponent answered with an illegal action.
            ResetNeeded: `reset_mask` leaves out a game. This is not allowed at the first reset, nor at the first reset
                after an error.
            KeyboardInterrupt: Ctrl-C was pressed. All games must be reset.
        """
        chosen = check_reset_options(options, (*POSITION_OPTIONS, "side", "reset_mask"))
        mask = check_reset_mask(chosen.pop("reset_mask", None), self.num_envs)
        if not mask.all() and not self._ready:
            raise ResetNeeded("the first reset() must reset all games: leave out reset_mask")
        side = chosen.get("side", self._side)
        check_choice("side", side, self._sides)
        if self._pool is None:
            check_no_side(side)
        begins = self._begins
        if chosen:
            begins = chosen_begins(self._batch, self._starts, self._number_of(side), self._pool, chosen)
        keys = env_keys(seed, self.num_envs)
        super().reset(seed=int(seed) if isinstance(seed, int | np.integer) else None)
        draw_keys(self._batch.course, keys, mask, None if self._has_keys else self.np_random)
        self._has_keys = True
        self._ready = False  # so that a reset is needed after an error below
        buffers = Buffers(self._batch) if self._copy else self._buffers.again()
        buffers.terminated[:] = False
        buffers.reward_to[:] = NOBODY
        self._make_room(begins)
        with interruptible():
            check_begun(self._batch.begin(np.flatnonzero(mask), begins))
            self._answer(buffers, begins)
            self._encode(buffers)
        self._ready = True
        self._ends = []
        return buffers.observation, self._info(buffers, None if mask.all() else mask)

    def _make_room(self, begins: Begins) -> None:
        """Make sure that one more move can be stored in each game."""
        if self._batch.make_room(begins):
            self._parts.cut(self._batch)

    def step(self, actions: Any) -> tuple[_Observation, _Array, _Array, _Array, dict[str, Any]]:
        """Play an action in each game, and then the opponents' actions until the learner's next turn.

        Args:
            actions: (N,) integers.

        Returns:
            A tuple: observations; rewards, (N,) float64; terminated, (N,) bool; truncated, (N,) bool, all False; info.

        Raises:
            ValueError: a dtype, shape or range is wrong, and nothing has changed. Or a new game could not begin (see
                `reset`), and the environment needs a reset. The last three errors below need a reset, too.
            IllegalActionError: an action is illegal and the environment is strict. Nothing has changed.
            ResetNeeded: there was no reset yet, or no reset after an error. Or a game is over in the mode ``DISABLED``.
            AgentError: an opponent answered with an illegal action.
            RuntimeError: a thread could not be started.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        if not self._ready:
            raise ResetNeeded("step() needs a reset() first")
        chosen = check_actions(actions, self.num_envs)
        buffers = Buffers(self._batch) if self._copy else self._buffers.again()
        try:  # does what `interruptible` does; a call of `interruptible` would make short steps slower
            problems = self._batch.check(chosen)
            if problems:
                refuse(self._batch, chosen, problems, self._strict, self.autoreset_mode == AutoresetMode.DISABLED)
            self._ready = False  # so that a reset is needed after an error below
            self._make_room(self._begins)
            ends = self._parts.step(chosen, problems, self._begins, self._how, buffers, shows=self._pool is None)
            if self._pool is not None:
                ends += self._answer(buffers, self._begins)
                self._parts.encode(buffers)
        except SystemError as error:
            raise_interrupt(error)
            raise
        self._ready = True
        self._ends = [each for each in ends if len(each.rows)]
        if self._ends:
            illegal = sum(int(np.count_nonzero(each.rows["illegal"] >= 0)) for each in self._ends) if problems else 0
            self._watch.count(sum(len(each.rows) for each in self._ends), illegal)
        return buffers.observation, buffers.rewards, buffers.terminated, buffers.truncated, self._info(buffers)

    def _encode(self, buffers: Buffers) -> None:
        self._batch.encode(buffers.part(slice(0, self.num_envs))[1])

    def _answer(self, buffers: Buffers, begins: Begins) -> list[Ends]:
        """Let the opponents play until each game is over or it is the learner's turn. Returns the games that ended."""
        found: list[Ends] = []
        while self._pool is not None:
            waiting = self._batch.waiting()
            if not len(waiting.numbers):
                break
            actions = self._pool.ask(waiting)
            self._make_room(begins)
            ends, failed = self._batch.answer(actions, waiting, buffers.outcome, begins, *self._how)
            check_begun(failed)
            found.append(ends)
        return found

    def _info(self, buffers: Buffers, where: npt.NDArray[np.bool_] | None = None) -> StepInfo:
        """The info of a step or reset. If only some games were reset, `where`, (N,) bool, is True for these games."""
        buffers.to_move[:] = self._batch.course.to_move
        self_play = self._pool is None
        ready: dict[str, npt.NDArray[np.int8]] = {"action_mask": buffers.masks}
        if self_play:
            ready = {"action_mask": buffers.masks, "to_move": buffers.to_move, "reward_to": buffers.reward_to}
        ends = [each.rows for each in self._ends]
        moment = Moment(self._batch, ends, where, within=self._how[0], self_play=self_play, copy=self._copy)
        return StepInfo.later(ready, moment.names, moment.make, moment.ended if ends else None)

    def render(self) -> tuple[Any, ...]:
        """A picture of each game: text (``"ansi"``) or an array (H, W, 3) uint8 (``"rgb_array"``).

        Raises:
            ResetNeeded: there was no reset yet.
        """
        return tuple(self._renderer.render(self.position(i)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._parts.close()
