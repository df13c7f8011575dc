"""One Gymnasium vector environment over any batch of games, stepped by compiled kernels.

Letters for shapes: N = `num_envs`, A actions, P players.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from othello_env.envs.conventions import (
    NOBODY,
    REWARDS,
    MaskWatch,
    check_actions,
    check_choice,
    check_count,
    observation_space,
)
from othello_env.envs.rendering import RENDER_FPS, Renderer
from othello_env.envs.seeding import env_keys
from othello_env.envs.starts import POSITION_OPTIONS, Starts, check_options, check_reset_mask
from othello_env.envs.vector.beginnings import chosen_begins, draw_keys, usual_begins
from othello_env.envs.vector.buffers import Buffers
from othello_env.envs.vector.checks import check_begun, check_no_side, refuse
from othello_env.envs.vector.info import Moment, StepInfo
from othello_env.envs.vector.opponents import OpponentPool, Opponents
from othello_env.games.batch import Batch, Begins, Ends
from othello_env.games.batch.arrays import ILLEGAL
from othello_env.games.game import State
from othello_env.support.threads import Threads

__all__ = ["VectorGames"]

_Observation = dict[str, npt.NDArray[np.int8]]
_Array = npt.NDArray[Any]
_RENDER_MODES = (None, "rgb_array", "ansi")


class VectorGames(gymnasium.vector.VectorEnv[_Observation, _Array, _Array], ABC):
    """N games, stepped together; a subclass says of which kind.

    With opponents it is, game by game, a batch of `othello_env.envs.single.SingleGame`: game i of ``reset(seed=s)``
    plays as one with seed s + i. With ``opponent=None`` every side is the learner's: each step is a ply, the
    observation is seen by the player to move, and `reward[i]` is for the player whose action was just given.

    `info` has the single environment's entries as arrays, at every reset and step: `action_mask` (N, A) int8, the array
    of the observation; `winner` (N,), `discs` (N, P), `plies` (N,), `illegal_action` (N,) and `opponent` (N,), with
    three players (N, 2), all int64 (see `othello_env.envs.conventions.game_info`). `opponents` has the specs by number;
    `opponent` is -1 in self-play. Self-play has two more, (N,) int8: `to_move`, the players who move next, and
    `reward_to`, whose reward it is (-1 after a reset). For each entry `_name` (N,) bool says where it counts:
    everywhere but after a reset by `reset_mask`. It is what Gymnasium's `SyncVectorEnv` gives, and is made when it is
    first looked at. One thing differs: after a reset by `reset_mask`, `action_mask` has the masks of the other games
    too, where Gymnasium's has zeros.

    In the mode ``SAME_STEP``, the default, the observation and info after an end are the next game's. The last ones are
    in ``info["final_obs"]``, (N,) objects, an observation or None, and ``info["final_info"]``, the entries above, both
    only in a step in which a game ended. `position` is the State of a game, `final_position` that of the game that
    ended in the last step; both have the `moves`.

    Gymnasium's own vector environments have the default ``NEXT_STEP``, which takes a step without a move after each
    end. Its wrappers that change observations take only that or ``DISABLED``: ``Expected autoreset_mode to be NEXT_STEP
    or DISABLED`` means that they want ``autoreset_mode="NextStep"``. `NumpyToTorch` wants the same and does not say so:
    with ``SAME_STEP`` it fails at the first end with a BufferError.

    If most games end by illegal actions, an `IgnoredMaskWarning` says so once.

    Args:
        num_envs: how many games.
        opponent: a spec, an Agent or a callable for every other seat, with three players also a tuple of one a seat; or
            a dict of such and weights (see `set_opponents`); or None for self-play.
        side: which player the learner is, by name, or ``"random"``; in self-play it is every one.
        openings: where games begin: None for the game's start, ``"random:PLIES"``, or transcripts or States, of which
            each game draws one.
        reward: ``"result"``, or ``"margin"`` in discs.
        strict: raise IllegalActionError for an illegal action, with all games left as they are, instead of ending its
            game.
        render_mode: None, ``"rgb_array"`` or ``"ansi"``; each gives a tuple with a picture of each game.
        autoreset_mode: Gymnasium's `AutoresetMode` or its value, ``"SameStep"``, ``"NextStep"`` or ``"Disabled"``.
            ``SAME_STEP``: where a game ends the next begins at once. ``NEXT_STEP``: the step after an end
            ignores the action, which is no ply, and begins the next game. ``DISABLED``: only `reset` begins games.
        copy: return arrays that are the caller's; without it the same ones each time, overwritten by the next step,
            and an info that has to be looked at before it.
        num_threads: in how many slices, each by its own thread, the games are stepped; results do not depend on it.

    Raises:
        ValueError: an argument is wrong (SpecError for the opponent).
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
        self._threads = Threads(1)  # Gymnasium 1.1 closes also what could not be made
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
        """Whether the next game begins where one ends, and whether rewards are margins."""
        self._strict = strict
        self._side = side
        self._copy = copy
        self._threads = Threads(min(num_threads, num_envs))
        self._pool = None if opponent is None else OpponentPool(opponent, start)
        self._renderer = Renderer(render_mode)
        self._ready = self._has_keys = False
        self._watch = MaskWatch()
        self._ends: list[Ends] = []
        """How games ended in the last step."""
        self._batch = self.new_batch(num_envs)
        self._arrange()
        self.set_openings(openings)

    @abstractmethod
    def new_batch(self, n: int) -> Batch:
        """N games, not begun."""

    @abstractmethod
    def new_game(self, game_key: int) -> State:
        """The game's own start; what is random in it depends on the key."""

    # Gymnasium's spaces of N games hold four bytes for each of an observation's, so they are made only when asked for.

    @cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]  # one is made, and can be set
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_action_space, self.num_envs)

    def _arrange(self) -> None:
        """Make what shares memory with the games: the slices of each thread, and the buffers."""
        bounds = np.linspace(0, self.num_envs, self._threads.count + 1).astype(int).tolist()
        self._slices = [slice(a, b) for a, b in pairwise(bounds)]
        self._parts = [self._batch.part(places) for places in self._slices]
        self._buffers = Buffers(self._batch, self._slices)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("_parts", "_buffers")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._arrange()
        self._encode(self._buffers)

    def set_openings(self, openings: str | Sequence[str | State] | None) -> None:
        """Change where games begin, from each game's next reset on; the argument is the constructor's.

        Raises:
            ValueError: the openings are wrong; nothing has changed then.
        """
        starts = Starts(openings, self.new_game)
        self._begins = usual_begins(self._batch, starts, self._number_of(self._side), self._pool)
        self._starts = starts

    def set_opponents(self, opponents: Opponents) -> None:
        """Change the opponents; each game plays on against its own until its next reset.

        Args:
            opponents: as for the constructor; in a dict the values are the weights at which games, or with three
                players the seats of each game, draw its keys.

        Raises:
            ValueError: a spec or a weight is wrong, or this is a self-play environment; nothing has changed then.
        """
        if self._pool is None:
            raise ValueError("a self-play environment (opponent=None) has no opponents to set")
        self._pool.replace(opponents, self._batch.course.rival)
        self._begins = usual_begins(self._batch, self._starts, self._number_of(self._side), self._pool)

    def _number_of(self, side: str) -> int:
        """A side's player, -1 for ``"random"``."""
        return self._sides.index(side) - 1

    @property
    def to_move(self) -> npt.NDArray[np.int8]:
        """(N,) the players to move, a copy: against opponents the player that the learner is in each game."""
        return self._batch.course.to_move.copy()

    @property
    def opponents(self) -> tuple[str, ...]:
        """The opponents' specs (of an Agent or a callable its name), by the numbers in ``info["opponent"]``.

        `set_opponents` changes the numbers: first come those that are still being played against, then the new ones.
        """
        return () if self._pool is None else tuple(self._pool.names)

    def position(self, i: int) -> State:
        """The position of game i, with its moves.

        Raises:
            ResetNeeded: there was no reset yet.
            IndexError: there is no such game.
        """
        if not self._ready:
            raise ResetNeeded("there are no positions before reset()")
        return self._batch.state(i)

    def final_position(self, i: int) -> State:
        """The last position of the game that ended in place i in the last step, with its moves.

        Raises:
            LookupError: no game ended there in the last step.
        """
        for ends in self._ends:
            for k in np.flatnonzero(ends["game"] == i):
                return self._batch.final_state(ends[k])
        raise LookupError(f"no game {i} ended in the last step")

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """(N, A) bool, the legal actions of the players to move; all False in games that are over."""
        buffers = Buffers(self._batch, self._slices)
        self._encode(buffers)
        return buffers.masks.view(np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observation, dict[str, Any]]:
        """Begin games, and let the opponents play until it is the learner's turn.

        Args:
            seed: for a game with a seed the first of that seed's games begins, for one without its next. Seeds are
                integers from 0 on: s gives game i the seed s + i; a sequence or array gives each its own, or None.
            options: `position`, `moves`, `random_plies` (see `othello_env.envs.starts.Starts.draw`) and `side` say
                where these games begin, not those that follow them; `reset_mask`, (N,) bool, which games.

        Returns:
            The observations of all games, and their info.

        Raises:
            ValueError: a seed or an option is wrong; nothing has changed then. Or games could not begin, since random
                plies or opponents ended them in every draw.
            TypeError: a seed is no integer, the options are no dict, or `reset_mask` is no bool array.
            AgentError: an opponent answered with an illegal action.
        """
        chosen = check_options(options, (*POSITION_OPTIONS, "side", "reset_mask"))
        mask = check_reset_mask(chosen.pop("reset_mask", None), self.num_envs)
        if not mask.all() and not self._ready:
            raise ResetNeeded("the first reset() is of all games, without a reset_mask")
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
        self._ready = False  # until all went well
        buffers = self._outputs()
        buffers.terminated[:] = False
        buffers.reward_to[:] = NOBODY
        self._make_room(begins)
        check_begun(self._batch.begin(np.flatnonzero(mask), begins))
        self._answer(buffers, begins)
        self._ready = True
        self._ends = []
        self._encode(buffers)
        return buffers.observation, self._info(buffers, None if mask.all() else mask)

    def _make_room(self, begins: Begins) -> None:
        """Make room for the moves of the next step."""
        if self._batch.make_room(begins):
            self._parts = [self._batch.part(places) for places in self._slices]

    def step(self, actions: Any) -> tuple[_Observation, _Array, _Array, _Array, dict[str, Any]]:
        """Play an action in each game, and the opponents' answers.

        Args:
            actions: (N,) integers.

        Returns:
            Observations, rewards (N,) float64, terminated (N,) bool, truncated (N,) bool, always False, and info.

        Raises:
            ValueError: dtype, shape or range is wrong; nothing has changed then.
            IllegalActionError: an action is not legal, and the environment is strict; nothing has changed then.
            ResetNeeded: there was no reset yet, or (autoreset disabled) a game is over.
            AgentError: an opponent answered with an illegal action; the environment needs a reset then.
            RuntimeError: a thread could not be started; the environment needs a reset then.
        """
        if not self._ready:
            raise ResetNeeded("step() needs a reset() first")
        chosen = check_actions(actions, self.num_envs)
        problems = self._batch.check(chosen)
        if problems:
            refuse(self._batch, chosen, problems, self._strict, self.autoreset_mode == AutoresetMode.DISABLED)
        buffers = self._outputs()
        self._ready = False  # until all went well
        self._make_room(self._begins)
        ends = self._threads.run(lambda k: self._advance(k, chosen, problems, buffers))
        if self._pool is not None:
            ends += self._answer(buffers, self._begins)
            self._threads.run(lambda k: self._parts[k].encode(buffers.views[k]))
        self._ready = True
        self._ends = [end for end in ends if len(end)]
        if self._ends:
            illegal = problems & ILLEGAL and sum(int(np.count_nonzero(end["illegal"] >= 0)) for end in self._ends)
            self._watch.count(sum(map(len, self._ends)), illegal)
        return buffers.observation, buffers.rewards, buffers.terminated, buffers.truncated, self._info(buffers)

    def _outputs(self) -> Buffers:
        return Buffers(self._batch, self._slices) if self._copy else self._buffers

    def _encode(self, buffers: Buffers) -> None:
        for part, views in zip(self._parts, buffers.views, strict=True):
            part.encode(views)

    def _advance(self, k: int, actions: npt.NDArray[np.int64], problems: int, buffers: Buffers) -> Ends:
        """Play the actions in the k-th slice of the games, and show them where that is all."""
        batch, places = self._parts[k], self._slices[k]
        ends, failed = batch.step(actions[places], problems, buffers.outcomes[k], self._begins, *self._how)
        check_begun(failed)
        if places.start:
            ends["game"] += places.start
        if self._pool is None:  # nobody answers
            batch.encode(buffers.views[k])
        return ends

    def _answer(self, buffers: Buffers, begins: Begins) -> list[Ends]:
        """Let the opponents play until it is the learner's turn in each game that is not over."""
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
        """The info of a step, or of a reset of the games of a mask (None for all)."""
        buffers.to_move[:] = self._batch.course.to_move
        info: dict[str, npt.NDArray[np.int8]] = {"action_mask": buffers.masks}
        if self._pool is None:
            info |= {"to_move": buffers.to_move, "reward_to": buffers.reward_to}
        moment = Moment(
            self._batch,
            self._ends,
            where,
            within=self._how[0],
            self_play=self._pool is None,
            copy=self._copy,
        )
        return StepInfo.later(info, moment.names, moment.make)

    def render(self) -> tuple[Any, ...]:
        """A picture of each game: text (``"ansi"``) or (H, W, 3) uint8 (``"rgb_array"``).

        Raises:
            ResetNeeded: there was no reset yet.
        """
        return tuple(self._renderer.render(self.position(i)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._threads.close()
