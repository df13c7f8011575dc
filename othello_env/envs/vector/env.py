"""A batch of Othello games as one Gymnasium vector environment, stepped by compiled passes over arrays.

Letters for shapes: N = `num_envs`, S = size, A = S * S + 1 actions with the pass last.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from operator import index
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
from othello_env.envs.seeding import REDRAWS, env_keys
from othello_env.envs.starts import POSITION_OPTIONS, Starts, check_options, check_reset_mask
from othello_env.envs.vector.buffers import Buffers, start_table
from othello_env.envs.vector.info import Moment, StepInfo, Told
from othello_env.envs.vector.opponents import OpponentPool, Opponents
from othello_env.games.game import IllegalActionError, State
from othello_env.games.othello.batch import passes as batch
from othello_env.games.othello.batch import play as batch_play
from othello_env.games.othello.batch.arrays import SIDE_DRAWN, Ends, StartTable, new_games
from othello_env.games.othello.bitboard import BOARDS
from othello_env.games.othello.position import Othello, check_size
from othello_env.support.threads import Workers

__all__ = ["OthelloVectorEnv"]

_Observation = dict[str, npt.NDArray[np.int8]]
_Array = npt.NDArray[Any]
_Ends = npt.NDArray[np.uint64]  # rows for `othello_env.games.othello.batch.arrays.Ends.read`
_RENDER_MODES = (None, "rgb_array", "ansi")
_SIDES = ("random", *Othello.player_names)


class OthelloVectorEnv(gymnasium.vector.VectorEnv[_Observation, _Array, _Array]):
    """N games of Othello, ``gymnasium.make_vec("othello_env/Othello-v0", num_envs=N)``.

    With opponents it is, game by game, a batch of `othello_env.envs.single.OthelloEnv`: game i of ``reset(seed=s)``
    plays as one with seed s + i. With ``opponent=None`` both sides are the learner's: each step is a ply, the
    observation is seen by the player to move, and `reward[i]` is for the player whose action was just given.

    `info` has the single environment's entries as arrays, at every reset and step: `action_mask` (N, A) int8, the array
    of the observation; `winner` (N,), `discs` (N, 2), `plies` (N,), `illegal_action` (N,) and `opponent` (N,), int64
    (see `othello_env.envs.conventions.game_info`). `opponents` has the specs by number; `opponent` is -1 in self-play.
    Self-play has two more, (N,) int8: `to_move`, the players who move next, and `reward_to`, whose reward it is (-1
    after a reset). For each entry `_name` (N,) bool says where it counts: everywhere but after a reset by `reset_mask`.
    It is what Gymnasium's `SyncVectorEnv` gives, and is made when it is first looked at. One thing differs: after a
    reset by `reset_mask`, `action_mask` has the masks of the other games too, where Gymnasium's has zeros.

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
        size: of the boards, 4, 6 or 8.
        opponent: a spec, an Agent, a callable, a dict of such and weights (see `set_opponents`), or None for self-play.
        side: ``"black"``, ``"white"`` or ``"random"``: which player the learner is; in self-play it is both.
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
        size: int = 8,
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
        self._workers = Workers(1)  # Gymnasium 1.1 closes also what could not be made
        num_envs, num_threads = check_count("num_envs", num_envs), check_count("num_threads", num_threads)
        check_choice("side", side, _SIDES)
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
        size = check_size(size)
        start = Othello(size)
        self.single_observation_space = observation_space(start)
        self.single_action_space = gymnasium.spaces.Discrete(start.num_actions)
        self._size = size
        self._board = BOARDS[size]
        self._by_margin = reward == "margin"
        self._strict = strict
        self._side = side
        self._copy = copy
        self._workers = Workers(min(num_threads, num_envs))
        self._pool = None if opponent is None else OpponentPool(opponent, size)
        self._renderer = Renderer(render_mode)
        self._ready = self._has_keys = False
        self._watch = MaskWatch()
        self._ends: list[_Ends] = []
        """How games ended in the last step."""
        self._games = new_games(num_envs, size)
        self._arrange()
        self.set_openings(openings)

    # Gymnasium's spaces of N games hold four bytes for each of an observation's, so they are made only when asked for.

    @cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]  # one is made, and can be set
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_action_space, self.num_envs)

    def _arrange(self) -> None:
        """Make what shares memory with the games: the slices of each thread, and the buffers."""
        bounds = np.linspace(0, self.num_envs, self._workers.count + 1).astype(int).tolist()
        self._parts = [slice(a, b) for a, b in pairwise(bounds)]
        self._views = [self._games.part(part) for part in self._parts]
        self._fields = [tuple(view) for view in self._views]
        self._buffers = Buffers(self.num_envs, self._size)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("_views", "_fields", "_buffers")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._arrange()
        self._buffers.encode(self._games, slice(None))

    def new_game(self, game_key: int) -> Othello:
        """A game's own start, the same under every key."""
        return Othello(self._size)

    def set_openings(self, openings: str | Sequence[str | State] | None) -> None:
        """Change where games begin, from each game's next reset on; the argument is the constructor's.

        Raises:
            ValueError: the openings are wrong; nothing has changed then.
        """
        starts = Starts(openings, self.new_game)
        table = self._table(starts.openings.positions or (Othello(self._size),), starts.openings.random_plies)
        self._starts = starts
        self._begin_at(table)

    def set_opponents(self, opponents: Opponents) -> None:
        """Change the opponents; each game plays on against its own until its next reset.

        Args:
            opponents: a spec, an Agent or a callable, or a dict of such with the weights at which games draw them.

        Raises:
            ValueError: a spec or a weight is wrong, or this is a self-play environment; nothing has changed then.
        """
        if self._pool is None:
            raise ValueError("a self-play environment (opponent=None) has no opponents to set")
        self._pool.replace(opponents, self._games.rival)
        self._begin_at(self._start_table._replace(pool=self._pool.bounds, first=self._pool.first))

    def _begin_at(self, table: StartTable) -> None:
        self._start_table, self._start_fields = table, tuple(table)

    def _table(self, positions: Sequence[State], random_plies: int, side: str | None = None) -> StartTable:
        """Where games begin, for the kernels; `side` overrides the environment's."""
        names = dict(zip(_SIDES, (SIDE_DRAWN, 0, 1), strict=True))
        number = -1 if self._pool is None else names[side or self._side]
        bounds, first = (np.zeros(1, np.uint64), 0) if self._pool is None else (self._pool.bounds, self._pool.first)
        return start_table([p for p in positions if isinstance(p, Othello)], random_plies, number, bounds, first)

    @property
    def to_move(self) -> npt.NDArray[np.int8]:
        """(N,) the players to move, a copy: against opponents the player that the learner is in each game."""
        return self._games.to_move.copy()

    @property
    def opponents(self) -> tuple[str, ...]:
        """The opponents' specs (of an Agent or a callable its name), by the numbers in ``info["opponent"]``.

        `set_opponents` changes the numbers: first come those that are still being played against, then the new ones.
        """
        return () if self._pool is None else tuple(self._pool.names)

    def position(self, i: int) -> Othello:
        """The position of game i, with its moves.

        Raises:
            ResetNeeded: there was no reset yet.
            IndexError: there is no such game.
        """
        if not self._ready:
            raise ResetNeeded("there are no positions before reset()")
        games, to_move = self._games, int(self._games.to_move[i])
        own, opponent = int(games.own[i]), int(games.opponent[i])
        if games.over[i] and games.learner[i] == 1 - to_move:  # it is shown to the learner
            own, opponent = opponent, own
        return self._state_of(own, opponent, to_move, games.moves[i, : games.plies[i]])

    def final_position(self, i: int) -> Othello:
        """The last position of the game that ended in place i in the last step, with its moves.

        Raises:
            LookupError: no game ended there in the last step.
        """
        for rows in self._ends:
            ends = Ends.read(rows)
            for k in np.flatnonzero(ends.game == i):
                mine, other, to_move = int(ends.own[k]), int(ends.opponent[k]), int(ends.to_move[k])
                own, opponent = (mine, other) if ends.viewer[k] == to_move else (other, mine)
                return self._state_of(own, opponent, to_move, ends.moves[k, : ends.plies[k]])
        raise LookupError(f"no game {i} ended in the last step")

    def _state_of(self, own: int, opponent: int, to_move: int, moves: npt.NDArray[np.int8]) -> Othello:
        return Othello.from_bits(own, opponent, to_move, self._size).with_moves(tuple(moves.tolist()))

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """(N, A) bool, the legal actions of the players to move; all False in games that are over."""
        buffers = Buffers(self.num_envs, self._size)
        buffers.encode(self._games, slice(None))
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
        table = self._start_table
        if chosen:
            check_choice("side", chosen.get("side", self._side), _SIDES)
            if self._pool is None:
                _check_no_side(chosen.get("side", "random"))
            given = any(name in chosen for name in POSITION_OPTIONS)
            openings = self._starts.openings
            positions = [self._starts.given(0, chosen)] if given else openings.positions or [Othello(self._size)]
            plies = chosen.get("random_plies", 0) if given else openings.random_plies
            table = self._table(positions, index(plies), chosen.get("side"))
        keys = env_keys(seed, self.num_envs)
        super().reset(seed=int(seed) if isinstance(seed, int | np.integer) else None)
        self._draw_keys(keys, mask)
        self._ready = False  # until all went well
        buffers = self._outputs()
        buffers.terminated[:] = False
        buffers.reward_to[:] = NOBODY
        fields = (self._games, table, self._board, self._size)
        self._check_begun(batch_play.begin_all(np.flatnonzero(mask), 0, *fields))
        self._answer(buffers, table)
        self._ready = True
        self._ends = []
        buffers.encode(self._games, slice(None))
        return buffers.observation, self._info(buffers, None if mask.all() else mask)

    def _draw_keys(self, keys: list[int | None], mask: npt.NDArray[np.bool_]) -> None:
        """Lead the games of a mask to game 0 of their new keys, or to the next game of their old ones."""
        games = self._games
        if not self._has_keys:
            self._has_keys = True
            games.env_key[:] = self.np_random.integers(2**64, size=self.num_envs, dtype=np.uint64)
            games.number[:] = 2**64 - 1
        games.number[mask] += np.uint64(1)
        for i in np.flatnonzero(mask):
            key = keys[i]
            if key is not None:
                games.env_key[i], games.number[i] = key, 0

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
        problems = batch.check(chosen, self._games.legal, self._games.over, self._size)
        if problems:
            self._refuse(chosen, problems)
        buffers = self._outputs()
        self._ready = False  # until all went well
        ends = self._workers.run(lambda k: self._advance(k, chosen, problems, buffers))
        if self._pool is not None:
            ends += self._answer(buffers, self._start_table)
            self._workers.run(lambda k: buffers.encode(self._views[k], self._parts[k]))
        self._ready = True
        self._ends = [end for end in ends if len(end)]
        if self._ends:
            illegal = problems & batch.ILLEGAL and sum(int(np.count_nonzero(end[:, 4])) for end in self._ends)
            self._watch.count(sum(map(len, self._ends)), illegal)
        return buffers.observation, buffers.rewards, buffers.terminated, buffers.truncated, self._info(buffers)

    def _refuse(self, actions: npt.NDArray[np.int64], problems: int) -> None:
        """Raise what the problems with the actions call for, if anything."""
        last = self._size**2
        if problems & batch.OUT_OF_RANGE:
            i = int(np.flatnonzero((actions < 0) | (actions > last))[0])
            raise ValueError(f"expected actions from 0 to {last}, got {actions[i]} for game {i}")
        if problems & batch.OVER and self.autoreset_mode == AutoresetMode.DISABLED:
            i = int(np.flatnonzero(self._games.over)[0])
            raise ResetNeeded(f"game {i} is over; begin another with reset(options={{'reset_mask': ...}})")
        if problems & batch.ILLEGAL and self._strict:
            for i in np.flatnonzero(~self._games.over).tolist():
                state = self.position(i)
                if not state.is_legal(int(actions[i])):
                    raise IllegalActionError(f"game {i}: {state.illegal(int(actions[i]))}")

    def _outputs(self) -> Buffers:
        return Buffers(self.num_envs, self._size) if self._copy else self._buffers

    def _advance(self, k: int, actions: npt.NDArray[np.int64], problems: int, buffers: Buffers) -> _Ends:
        """Play the actions in the k-th slice of the games, and show them where that is all."""
        part = self._parts[k]
        ends, failed = batch_play.step(
            actions[part],
            problems,
            self._fields[k],
            buffers.rewards[part],
            buffers.terminated[part],
            buffers.reward_to[part],
            self._start_fields,
            self.autoreset_mode == AutoresetMode.SAME_STEP,
            self._by_margin,
            self._board,
            self._size,
        )
        self._check_begun(failed)
        if part.start:
            ends[:, 0] += np.uint64(part.start)
        if self._pool is None:  # nobody answers
            buffers.encode(self._views[k], part)
        return ends

    def _answer(self, buffers: Buffers, starts: StartTable) -> list[_Ends]:
        """Let the opponents play until it is the learner's turn in each game that is not over."""
        ends: list[_Ends] = []
        while self._pool is not None:
            waiting = batch_play.waiting(self._games, self._board, self._size)
            if not len(waiting.game):
                break
            end, failed = batch_play.answer(
                self._pool.ask(waiting),
                waiting,
                self._games,
                buffers.rewards,
                buffers.terminated,
                buffers.reward_to,
                starts,
                self.autoreset_mode == AutoresetMode.SAME_STEP,
                self._by_margin,
                self._board,
                self._size,
            )
            self._check_begun(failed)
            ends.append(end)
        return ends

    @staticmethod
    def _check_begun(failed: int) -> None:
        if failed == batch_play.NO_OPENING:
            raise ValueError("random plies ended a game in each of many attempts; ask for fewer")
        if failed == batch_play.NO_TURN:
            raise ValueError(f"the opponents' moves ended a game before the learner's turn in {REDRAWS + 1} draws")

    def _info(self, buffers: Buffers, where: npt.NDArray[np.bool_] | None = None) -> StepInfo:
        """The info of a step, or of a reset of the games of a mask (None for all)."""
        games = self._games
        buffers.to_move[:] = games.to_move
        info: dict[str, npt.NDArray[np.int8]] = {"action_mask": buffers.masks}
        if self._pool is None:
            info |= {"to_move": buffers.to_move, "reward_to": buffers.reward_to}
        moment = Moment(games.own, games.opponent, buffers.to_move, games.plies, games.rival)
        told = Told(
            moment.copied() if self._copy else moment,
            self._ends,
            where,
            self._size,
            within=self.autoreset_mode == AutoresetMode.SAME_STEP,
            self_play=self._pool is None,
        )
        return StepInfo.later(info, told.names, told.make)

    def render(self) -> tuple[Any, ...]:
        """A picture of each game: text (``"ansi"``) or (H, W, 3) uint8 (``"rgb_array"``).

        Raises:
            ResetNeeded: there was no reset yet.
        """
        return tuple(self._renderer.render(self.position(i)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._workers.close()


def _check_no_side(side: str) -> None:
    if side != "random":
        raise ValueError(f"side={side!r} is for games against an opponent; in self-play the learner is both sides")
