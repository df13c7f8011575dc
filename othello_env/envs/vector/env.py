"""A Gymnasium vector environment for a batch of games of any kind.

Letters for shapes: N = `num_envs`, A = actions, P = players, E = games that ended in a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from othello_env.agent import check_answer
from othello_env.envs.conventions import (
    NOBODY,
    PLAYING,
    REWARDS,
    MaskWatch,
    check_actions,
    game_with_options,
    observation,
    observation_space,
)
from othello_env.envs.rendering import RENDER_FPS, Renderer
from othello_env.envs.vector.opponents import OpponentPool, Opponents
from othello_env.games.batch import EndedGames, InitialArrays, Outputs, StepOptions
from othello_env.games.batch.state import ILLEGAL, NO_OPENING, OUT_OF_RANGE, OVER, SIDE_DRAWN, UNCHECKED
from othello_env.games.game import IllegalActionError, State, check_choice
from othello_env.games.initial_states import POSITION_OPTIONS, InitialStates, check_reset_mask, check_reset_options
from othello_env.games.keys import REDRAWS, env_keys
from othello_env.games.openings import Openings, OpeningsSpec
from othello_env.games.registry import GameLike
from othello_env.support.jit import interruptible, is_compiled, raise_interrupt
from othello_env.support.numbers import check_flag, check_whole
from othello_env.support.threads import Threads

__all__ = ["EndInfo", "GameVectorEnv"]

_S = TypeVar("_S", bound=State)

_Observation = dict[str, npt.NDArray[np.int8]]
_Array = npt.NDArray[Any]
_RENDER_MODES = (None, "rgb_array", "ansi")
_SHARED_GAMES = 32_768
"""Threads share the steps of this many games or more. Fewer games take less time than waking a thread."""
_BEFORE_FIRST = 2**64 - 1
"""`BatchState.episode` before the first game: adding 1 to this largest uint64 gives 0."""


class EndInfo(NamedTuple):
    """The E games that ended in a step."""

    game: npt.NDArray[np.int64]
    """(E,) the indices of the games."""
    winner: npt.NDArray[np.int64]
    """(E,) the number of the player that won, or -1 if nobody won."""
    discs: npt.NDArray[np.int64]
    """(E, P) the number of discs, pieces or cells that each player has on the board."""
    plies: npt.NDArray[np.int64]
    """(E,) the number of plies, including passes and the plies of the opening."""
    illegal_action: npt.NDArray[np.int64]
    """(E,) the illegal action that ended the game, or -1."""
    opponent: npt.NDArray[np.int64]
    """(E,), or (E, 2) with three players: the numbers of the opponents, or -1 in self-play."""


_FINAL_KEYS = EndInfo._fields[1:]
"""The entries of `info` that have other values when the game is over."""


class GameVectorEnv(gymnasium.vector.VectorEnv[_Observation, _Array, _Array], Generic[_S]):
    """N games in one environment. Each step plays an action in every game.

    ``gymnasium.make_vec`` makes it for ``othello_env/Othello-v0``, ``Checkers-v0``, ``Tribolo-v0`` and, for any game
    that is registered with a batch, ``Game-v0``.

    With opponents, game i after ``reset(seed=s)`` is the same as the game of an `othello_env.envs.single.GameEnv`
    after ``reset(seed=s + i)``. With ``opponent=None`` (self-play), the learner plays every side and each step is one
    ply. In self-play, the observation is from the point of view of the player to move, and `reward[i]` is for the
    player that has just acted in game i. If most games end by illegal actions, the environment gives one
    `IgnoredMaskWarning`.

    At every reset and step, `info` is a dict with these arrays (see `othello_env.envs.conventions.game_info`):

    - `winner`, `plies` and `illegal_action`: (N,) int64.
    - `discs`: (N, P) int64.
    - `opponent`: int64, (N,), or (N, 2) with three players. The numbers are indices of the attribute `opponents`. In
      self-play, they are -1.
    - `action_mask`: (N, A) int8, the same array as in the observation.
    - `to_move`, only in self-play: (N,) int8, the player to move in each game.
    - `reward_to`, only in self-play: (N,) int8, the player that gets the reward in each game, or -1 if the reset or
      the step only began the game.

    Each entry has a mask, (N,) bool: the mask of `winner` is the entry `_winner`, and so on. After a reset with
    `reset_mask`, the masks are True only for the games that were reset. At all other times, they are True for all
    games.

    The entries equal those of Gymnasium's `SyncVectorEnv`, with one exception. After a reset with `reset_mask`,
    Gymnasium's entries are 0 for the games that were not reset. Here, the entries `action_mask`, `to_move` and
    `reward_to` also have values for the games that were not reset.

    In the default mode ``SAME_STEP``, when a game ends, the next game begins in the same step. This step returns the
    observation and info of the next game. The `info` of this step has two more entries. `final_obs`, (N,) objects, has
    the last observation of each game that ended, and None for all other games. `final_info` is a dict with the last
    info of each game that ended. It has no `to_move` and no `reward_to`. The masks of `final_obs` and `final_info` are
    True for the games that ended. Making these two entries takes longer than a step of many games. So with
    ``copy=False`` they are left out; the methods `ended` and `final_observations` tell the same about the games that
    ended.

    The method `position` returns the State of a game. If a game ended in the last step, `final_position` returns its
    last State.

    Gymnasium's own vector environments use the mode ``NEXT_STEP`` by default: when a game has ended, the next step only
    begins the next game. Gymnasium's wrappers that change observations work only with ``NEXT_STEP`` or ``DISABLED``. If
    a wrapper fails with ``Expected autoreset_mode to be NEXT_STEP or DISABLED``, use ``autoreset_mode="NextStep"``. The
    wrapper `NumpyToTorch` also needs ``autoreset_mode="NextStep"``: with ``SAME_STEP``, it raises a BufferError when
    the first game ends.

    Args:
        game: the kind of game, perhaps with options, such as ``"othello"`` or ``"othello:size=6"``.
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
            returns the same arrays, some entries of `info` are read-only, and `info` has no `final_obs` and no
            `final_info`.
        num_threads: the number of threads that share a step of 32,768 or more games, and the answers of opponents that
            think for a millisecond or more. Results do not depend on it.
        flat: if True, the observations are no dict but the planes as rows of float32, (N, planes * height * width). The
            legal actions are then in ``info["action_mask"]``. This is ``othello_env/Othello-flat-v0``.
        options: the options of the game, such as ``size=6``.

    Attributes:
        game: the game and its options.

    Raises:
        TypeError: a number, a flag or an opponent has the wrong type, or there is no such option.
        ValueError: an argument is wrong. For a wrong spec, the error is a SpecError. For an opponent that does not play
            this game, it is a WrongGameError.
    """

    def __init__(
        self,
        game: GameLike = "",
        num_envs: int = 1,
        *,
        opponent: Opponents | None = "random",
        side: str = "random",
        openings: OpeningsSpec = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        num_threads: int = 1,
        flat: bool = False,
        **options: Any,
    ) -> None:
        self._threads = Threads(1)  # close() needs it; Gymnasium 1.1 calls close() even if __init__ fails
        num_envs, num_threads = check_whole("num_envs", num_envs, 1), check_whole("num_threads", num_threads, 1)
        strict, copy = check_flag("strict", strict), check_flag("copy", copy)
        self.game = game_with_options(game, options, GameVectorEnv)
        start = self.game.start(0)
        self._sides = ("random", *start.player_names)
        check_choice("side", side, self._sides)
        if opponent is None:
            _check_no_side(side)
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
        self._flat = check_flag("flat", flat)
        self.single_observation_space = observation_space(start, flat=flat)
        self.single_action_space = gymnasium.spaces.Discrete(start.num_actions)
        is_disabled = self.autoreset_mode == AutoresetMode.DISABLED
        self._options = StepOptions(
            num_actions=start.num_actions,
            refused=OUT_OF_RANGE | (OVER if is_disabled else 0) | (ILLEGAL if strict else 0),
            observes=opponent is None,
            begin_next=self.autoreset_mode == AutoresetMode.SAME_STEP,
            by_margin=reward == "margin",
        )
        self._side = side
        self._copy = copy
        self._threads = Threads(min(num_threads, num_envs) if is_compiled() else 1)
        self._pool = None if opponent is None else OpponentPool(opponent, start)
        self._renderer = Renderer(render_mode)
        self._ready = self._has_keys = False
        self._watch = MaskWatch()
        self._ends: list[EndedGames] = []
        """The games that ended in the last step."""
        self._batch = self.game.batch(num_envs)
        if self.game.initial is not None:
            self._batch.starts_differ = False
        self._arrange()
        self.set_openings(openings)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.game)!r}, num_envs={self.num_envs})"

    # For N games, Gymnasium's spaces take four times the memory of the observations. So they are made only if needed.

    @cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> gymnasium.Space[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return batch_space(self.single_action_space, self.num_envs)

    def _arrange(self) -> None:
        """Make what every step returns with ``copy=False``, and the slices of the batch that threads step."""
        self._kept: tuple[Outputs, dict[str, Any]] | None = None
        if not self._copy:
            out = self._batch.outputs(self.num_envs)
            info = self._running(out, self._batch.arrays.plies.view(), self._batch.arrays.to_move.view())
            for name, array in info.items():
                array.flags.writeable = name in ("action_mask", "discs", "reward_to")
            self._kept = out, info
        self._cut()

    def _cut(self) -> None:
        """Cut the batch into slices, one for each thread. This is necessary again after an array was replaced."""
        count = self._threads.count if self.num_envs >= _SHARED_GAMES else 1
        bounds = np.linspace(0, self.num_envs, count + 1).astype(int).tolist()
        self._places = [slice(a, b) for a, b in pairwise(bounds)]
        self._slices = [self._batch.part(places) for places in self._places] if count > 1 else [self._batch]

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("_kept", "_places", "_slices")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._arrange()
        if self._kept is not None:
            self._batch.observe(self._kept[0])

    def set_openings(self, openings: OpeningsSpec) -> None:
        """Change the openings of all games that begin from now on. `openings` is as in the constructor.

        Raises:
            ValueError: the openings are wrong. Nothing has changed.
        """
        starts = InitialStates(openings, self.game.start)
        self._initial = self._initial_arrays(starts.openings, self._side)
        self._starts = starts

    def set_opponents(self, opponents: Opponents) -> None:
        """Change the opponents. A game that has begun keeps its opponents until it ends or is reset.

        Args:
            opponents: as in the constructor. In a dict, the keys are opponents and the values are their weights. In
                each game, every seat except the learner's gets an opponent that is chosen at random by these weights.

        Raises:
            TypeError: an opponent is not a spec, Agent or callable, or a weight is not a number. Nothing has changed.
            ValueError: a spec or a weight is wrong, or this is a self-play environment. Nothing has changed.
        """
        if self._pool is None:
            raise ValueError("a self-play environment (opponent=None) has no opponents to set")
        self._pool.replace(opponents, self._batch.arrays.opponents)
        self._initial = self._initial_arrays(self._starts.openings, self._side)

    def _initial_arrays(self, openings: Openings, side: str) -> InitialArrays:
        """How games begin: with one of these openings, and with opponents from the pool."""
        pool, number = self._pool, self._sides.index(side) - 1
        seats = self._batch.num_players - 1
        return self._batch.initial_arrays(
            openings,
            redraws=REDRAWS,
            side=-1 if pool is None else SIDE_DRAWN if number < 0 else number,
            pool=np.zeros((seats, 1), np.uint64) if pool is None else pool.bounds,
            first=0 if pool is None else pool.first,
        )

    def _chosen_arrays(self, options: dict[str, Any], side: str) -> InitialArrays:
        """How games begin if a reset has options.

        Raises:
            ValueError: an option is wrong.
        """
        if not any(name in options for name in POSITION_OPTIONS):
            return self._initial_arrays(self._starts.openings, side)
        if "moves" in options and "position" not in options and self._batch.starts_differ:
            raise ValueError("the option moves needs the option position too, because each game has a different board")
        at_start = "moves" not in options and "position" not in options
        position = None if at_start else [self._starts.given(0, options)]
        return self._initial_arrays(Openings(position, self.game.start, options.get("random_plies", 0)), side)

    @property
    def to_move(self) -> npt.NDArray[np.int8]:
        """The player to move in each game, (N,) int8. Against opponents, this is the learner's player."""
        return np.where(self._batch.arrays.learner < 0, self._batch.arrays.to_move, self._batch.arrays.learner)

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the opponents. The numbers in ``info["opponent"]`` are indices of this tuple.

        The name of an opponent is its spec, or the name of the Agent or callable. After `set_opponents`, the
        tuple has the old opponents that still play, and then the new opponents.
        """
        return () if self._pool is None else tuple(self._pool.names)

    def position(self, i: int) -> _S:
        """The position of game i. It has the moves of the game so far.

        Raises:
            ResetNeeded: there was no reset yet.
            IndexError: there is no such game.
        """
        if not self._ready:
            raise ResetNeeded("there are no positions before reset()")
        if not 0 <= i < self.num_envs:
            raise IndexError(f"the games are 0 to {self.num_envs - 1}; there is no game {i}")
        return cast(_S, self._batch.state(i))

    def final_position(self, i: int) -> _S:
        """The position in which game i ended, if it ended in the last step. It has the moves of the game.

        Raises:
            LookupError: game i did not end in the last step.
        """
        for ends in self._ends:
            for k in np.flatnonzero(ends.rows["game"] == i).tolist():
                return cast(_S, self._batch.final_state(ends, k))
        raise LookupError(f"no game {i} ended in the last step")

    def ended(self) -> EndInfo:
        """The games that ended in the last step."""
        rows = self._last_rows()
        fields = ("game", "winner", "scores", "plies", "illegal", "opponents")
        game, winner, discs, plies, illegal, opponent = (rows[field].astype(np.int64) for field in fields)
        if self._pool is None:
            opponent[:] = NOBODY
        return EndInfo(game, winner, discs, plies, illegal, _column(opponent))

    def final_observations(self) -> npt.NDArray[np.int8]:
        """(E, planes, H, W), the last observations of the games that ended in the last step, in the order of `ended`.

        The legal actions in these observations are none.
        """
        return self._batch.final_observations(self._last_rows())

    def _last_rows(self) -> npt.NDArray[np.void]:
        return np.concatenate([self._batch.template, *(ends.rows for ends in self._ends)])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions in each game, (N, A) bool. In games that are over, all values are False."""
        return self._batch.encoded(self._batch.arrays)[1].view(np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observation, dict[str, Any]]:
        """Begin games, and let the opponents play until it is the learner's turn.

        Args:
            seed: an integer s of at least 0 gives game i the seed s + i. A sequence or array has a seed for each game,
                or None for a game without a seed. Each seed determines a sequence of games. With a seed, the first game
                of this sequence begins. Without a seed, the next game of the present sequence begins.
            options: `position`, `moves`, `random_plies` (see `othello_env.games.initial_states.InitialStates.draw`) and
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
            _check_no_side(side)
        initial = self._chosen_arrays(chosen, side) if chosen else self._initial
        keys = env_keys(seed, self.num_envs)
        super().reset(seed=int(seed) if isinstance(seed, int | np.integer) else None)
        self._draw_keys(keys, mask)
        self._ready = False  # so that a reset is needed after an error below
        out = self._batch.outputs(self.num_envs) if self._kept is None else self._kept[0]
        out.terminated[:] = False
        out.reward_to[:] = NOBODY
        self._make_room(initial)
        with interruptible():
            if failed := self._batch.begin(np.flatnonzero(mask), initial):
                raise _not_begun(failed)
            self._answer(out, initial)
            self._batch.observe(out)
        self._ready = True
        self._ends = []
        info = self._info(out, 0)
        if not mask.all():
            for name in _FINAL_KEYS:
                info[name] = np.where(mask if info[name].ndim == 1 else mask[:, np.newaxis], info[name], 0)
            info |= {name: mask for name in info if name.startswith("_")}
        return observation(out.planes, out.masks, flat=self._flat), info

    def _draw_keys(self, keys: Sequence[int | None], mask: npt.NDArray[np.bool_]) -> None:
        """Set the environment's key for each game that gets a new key in `keys`. The first game of this key begins."""
        arrays = self._batch.arrays
        if not self._has_keys:
            arrays.env_key[:] = self.np_random.integers(2**64, size=len(keys), dtype=np.uint64)
            arrays.episode[:] = _BEFORE_FIRST
        self._has_keys = True
        for i in np.flatnonzero(mask).tolist():
            key = keys[i]
            if key is not None:
                arrays.env_key[i], arrays.episode[i] = key, _BEFORE_FIRST

    def _make_room(self, initial: InitialArrays) -> None:
        """Make sure that one more move can be stored in each game."""
        if self._batch.make_room(initial.longest):
            self._cut()

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
        out = self._batch.outputs(self.num_envs) if self._kept is None else self._kept[0]
        try:  # does what `interruptible` does; a call of `interruptible` would make short steps slower
            problems = self._step(chosen, out)
            if self._pool is not None:
                self._ends += self._answer(out, self._initial)
                self._batch.observe(out)
        except SystemError as error:
            raise_interrupt(error)
            raise
        self._ready = True
        shown, truncated = observation(out.planes, out.masks, flat=self._flat), np.zeros(self.num_envs, np.bool_)
        return shown, out.reward, out.terminated, truncated, self._info(out, problems)

    def _step(self, actions: npt.NDArray[np.int64], out: Outputs) -> int:
        """Step the batch, in threads if it has several slices. Returns the problems of the actions."""
        if not self._batch.bounded:
            self._make_room(self._initial)
        slices, problems = self._slices, UNCHECKED
        if len(slices) > 1:
            problems = self._batch.check(actions)
            if problems & self._options.refused:
                self._refuse(actions, problems)
        initial, options = self._initial, self._options
        self._ready = False  # so that a reset is needed after an error below
        if len(slices) == 1:
            outcome = self._batch.step(actions, problems, out, initial, options)
            problems = outcome[2]
            if problems & self._options.refused:
                self._ready = True
                self._refuse(actions, problems)
            outcomes = [outcome]
        else:

            def step_slice(k: int) -> tuple[EndedGames, int, int]:
                part, places = slices[k], self._places[k]
                outcome = part.step(actions[places], problems, part.part_of(out, places), initial, options)
                outcome[0].rows["game"] += places.start
                return outcome

            outcomes = self._threads.run(step_slice)
        self._ends = []
        for ends, failed, _ in outcomes:
            if failed:
                raise _not_begun(failed)
            if len(ends.rows):
                self._ends.append(ends)
        return problems

    def _answer(self, out: Outputs, initial: InitialArrays) -> list[EndedGames]:
        """Let the opponents play until each game is over or it is the learner's turn. Returns the games that ended."""
        ended: list[EndedGames] = []
        while self._pool is not None and (waiting := self._batch.waiting()) is not None:
            actions = self._pool.ask(waiting, self._threads)
            legal = self._batch.are_legal(waiting.indices, actions)
            if not legal.all():
                k = int(np.argmin(legal))
                check_answer(self._pool.agents[waiting.opponent[k]], waiting.positions.state(k), int(actions[k]))
            if not self._batch.bounded:
                self._make_room(initial)
            ends, failed = self._batch.answer(actions, waiting, out, initial, self._options)
            if failed:
                raise _not_begun(failed)
            if len(ends.rows):
                ended.append(ends)
        return ended

    def _running(self, out: Outputs, plies: _Array, to_move: _Array) -> dict[str, Any]:
        """The info while no game is over."""
        n, seats = self._batch.arrays.opponents.shape
        info: dict[str, Any] = {
            "action_mask": out.masks,
            "winner": np.full(n, PLAYING, np.int64),
            "discs": out.scores.reshape(n, -1),
            "plies": plies,
            "illegal_action": np.full(n, NOBODY, np.int64),
            "opponent": np.full((n, seats) if seats > 1 else n, NOBODY, np.int64),
        }
        if self._pool is None:
            info |= {"to_move": to_move, "reward_to": out.reward_to}
        return info | dict.fromkeys([f"_{name}" for name in info], np.ones(n, np.bool_))

    def _info(self, out: Outputs, problems: int) -> dict[str, Any]:
        """The info after a step or a reset. `problems` is what `Batch.step` returned, 0 after a reset."""
        arrays = self._batch.arrays
        if self._kept is not None:
            info = dict(self._kept[1])
        else:
            info = self._running(out, arrays.plies.copy(), arrays.to_move.copy())
        if self._pool is not None:
            info["opponent"] = _column(arrays.opponents.astype(np.int64))
        if self._ends:
            illegal = sum(int(np.count_nonzero(ends.rows["illegal"] >= 0)) for ends in self._ends) if problems else 0
            self._watch.count(sum(len(ends.rows) for ends in self._ends), illegal)
            if not self._options.begin_next:
                ended = self.ended()
                for name in _FINAL_KEYS:
                    info[name] = info[name].copy()
                    info[name][ended.game] = getattr(ended, name)
            elif self._copy:
                info |= self._final()
        return info

    def _final(self) -> dict[str, Any]:
        """The entries `final_obs` and `final_info` of a step in which games ended, as Gymnasium makes them."""
        n, actions, ended = self.num_envs, self._batch.num_actions, self.ended()
        where = np.zeros(n, np.bool_)
        where[ended.game] = True
        final_info: dict[str, Any] = {"action_mask": np.zeros((n, actions), np.int8)}
        for name in _FINAL_KEYS:
            values = getattr(ended, name)
            final_info[name] = np.zeros((n, *values.shape[1:]), np.int64)
            final_info[name][ended.game] = values
        for name in [*final_info]:
            final_info[f"_{name}"] = where
        planes = self.final_observations()
        masks = np.zeros((len(planes), actions), np.int8)
        final_obs = np.full(n, None, object)
        for i, last, mask in zip(ended.game.tolist(), planes, masks, strict=True):
            final_obs[i] = observation(last, mask, flat=self._flat)
        return {"final_obs": final_obs, "_final_obs": where, "final_info": final_info, "_final_info": where}

    def _refuse(self, actions: npt.NDArray[np.int64], problems: int) -> NoReturn:
        """Raise the error for actions with a problem that this environment refuses.

        Args:
            actions: (N,) int64.
            problems: the result of `Batch.check` for these actions.

        Raises:
            ValueError: an action is out of range.
            ResetNeeded: a game is over in the mode ``DISABLED``.
            IllegalActionError: an action is illegal and the environment is strict.
        """
        last, over = self._batch.num_actions - 1, self._batch.arrays.over
        if problems & OUT_OF_RANGE:
            i = int(np.flatnonzero((actions < 0) | (actions > last))[0])
            raise ValueError(f"expected actions from 0 to {last}, got {actions[i]} for game {i}")
        if problems & OVER & self._options.refused:
            i = int(np.flatnonzero(over)[0])
            raise ResetNeeded(f"game {i} is over; begin a new game with reset(options={{'reset_mask': ...}})")
        states = ((i, self._batch.state(i)) for i in np.flatnonzero(~over).tolist())
        i, state = next((i, state) for i, state in states if not state.is_legal(int(actions[i])))
        raise IllegalActionError(f"game {i}: {state.illegal(int(actions[i]))}")

    def render(self) -> tuple[Any, ...]:
        """A picture of each game: text (``"ansi"``) or an array (H, W, 3) uint8 (``"rgb_array"``).

        Raises:
            ResetNeeded: there was no reset yet.
        """
        return tuple(self._renderer.render(self.position(i)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._threads.close()


def _check_no_side(side: str) -> None:
    """Raise a ValueError if a self-play environment gets a side other than ``"random"``."""
    if side != "random":
        raise ValueError(f"side={side!r} needs an opponent; in self-play the learner plays every side")


def _not_begun(failed: int) -> ValueError:
    """The error for a game that could not begin. `failed` is the reason, NO_OPENING or NO_TURN."""
    if failed == NO_OPENING:
        return ValueError("random plies ended a game in each of many attempts; use fewer random plies")
    return ValueError(
        f"the opponents' moves ended a game before the learner's first turn in each of {REDRAWS + 1} attempts"
    )


def _column(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The numbers (N, 1) as (N,). Numbers of another shape stay as they are."""
    return numbers[:, 0] if numbers.shape[1] == 1 else numbers
