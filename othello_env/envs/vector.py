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

from othello_env.envs.conventions import REWARDS, check_choice, observation_space
from othello_env.envs.opponents import OpponentPool, Opponents
from othello_env.envs.rendering import RENDER_FPS, Renderer
from othello_env.envs.seeding import REDRAWS, env_key
from othello_env.envs.starts import POSITION_OPTIONS, Starts, check_options
from othello_env.envs.vector_buffers import Buffers, start_table
from othello_env.envs.vector_info import step_info
from othello_env.games import batch, batch_play
from othello_env.games.batch_games import SIDE_DRAWN, StartTable, new_games
from othello_env.games.bitboard import BOARDS
from othello_env.games.game import IllegalActionError, State
from othello_env.games.othello import Othello, check_size
from othello_env.workers import Workers

__all__ = ["OthelloVectorEnv"]

_Observation = dict[str, npt.NDArray[np.int8]]
_Array = npt.NDArray[Any]
_Ends = npt.NDArray[np.uint64]  # rows for `othello_env.games.batch_games.Ends.read`
_RENDER_MODES = (None, "rgb_array", "ansi")
_SIDES = ("random", *Othello.player_names)


class OthelloVectorEnv(gymnasium.vector.VectorEnv[_Observation, _Array, _Array]):
    """N games of Othello, ``gymnasium.make_vec("othello_env/Othello-v0", num_envs=N)``.

    With opponents it is, game by game, a batch of `othello_env.envs.single.OthelloEnv`: game i of ``reset(seed=s)``
    plays as one with seed s + i. With ``opponent=None`` both sides are the learner's: each step is a ply, the
    observation is seen by the player to move, and `reward[i]` is for the player whose action was just given.

    `info` has `action_mask` (the same array as in the observation), `to_move`, and after a step `reward_to`: the
    players, (N,) int8, who move next and whose reward it is. For games that ended there are `winner`, `discs`, `moves`
    and perhaps `illegal_action` (see `othello_env.envs.vector_info.end_info`), in ``SAME_STEP`` mode within
    `final_info` and beside `final_obs`, (N,) objects: the last observation as a single environment gives it, or None.
    These entries are made when they are first looked at.

    Args:
        num_envs: how many games.
        size: of the boards, 4, 6 or 8.
        opponent: a spec, an Agent, a callable, a dict of such and weights (see `set_opponents`), or None for self-play.
        side: ``"black"``, ``"white"`` or ``"random"``: which player the learner is.
        openings: where games begin: None for the game's start, ``"random:PLIES"``, or transcripts or States, of which
            each game draws one.
        reward: ``"result"``, or ``"margin"`` in discs.
        strict: raise IllegalActionError for an illegal action, with all games left as they are, instead of ending its
            game.
        render_mode: None, ``"rgb_array"`` or ``"ansi"``; each gives a tuple with a picture of each game.
        autoreset_mode: ``SAME_STEP``: where a game ends the next begins at once. ``NEXT_STEP``: the step after an end
            ignores the action, which is no ply, and begins the next game. ``DISABLED``: only `reset` begins games.
        copy: return arrays that are the caller's; without it the same ones each time, overwritten by the next step.
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
        for name, number in (("num_envs", num_envs), ("num_threads", num_threads)):
            if index(number) < 1:
                raise ValueError(f"{name} must be at least 1, not {number}")
        check_choice("side", side, _SIDES)
        check_choice("reward", reward, REWARDS)
        check_choice("render_mode", render_mode, _RENDER_MODES)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {
            "render_modes": list(_RENDER_MODES[1:]),
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        start = Othello(check_size(size))
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
        self._everywhere = np.ones(num_envs, np.bool_)
        self._everywhere.flags.writeable = False
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

    def state(self, i: int) -> Othello:
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
        moves = tuple(games.moves[i, : games.plies[i]].tolist())
        return Othello.from_bits(own, opponent, to_move, self._size).with_moves(moves)

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
            seed: for a game with a seed the first of that seed's games begins, for one without its next. An int s gives
                game i the seed s + i; a sequence gives each its own, or None.
            options: `position`, `moves`, `random_plies` (see `othello_env.envs.starts.Starts.draw`) and `side` say
                where these games begin, not those that follow them; `reset_mask`, (N,) bool, which games.

        Returns:
            The observations of all games, and their info.

        Raises:
            ValueError: a seed or an option is wrong; nothing has changed then. Or games could not begin, since random
                plies or opponents ended them in every draw.
            TypeError: a seed is no integer, or `reset_mask` no bool array.
            AgentError: an opponent answered with an illegal action.
        """
        chosen = check_options(options, (*POSITION_OPTIONS, "side", "reset_mask"))
        mask = _reset_mask(chosen.pop("reset_mask", None), self.num_envs)
        if not mask.all() and not self._ready:
            raise ResetNeeded("the first reset() is of all games, without a reset_mask")
        table = self._start_table
        if chosen:
            check_choice("side", chosen.get("side", self._side), _SIDES)
            given = any(name in chosen for name in POSITION_OPTIONS)
            openings = self._starts.openings
            positions = [self._starts.given(0, chosen)] if given else openings.positions or [Othello(self._size)]
            plies = chosen.get("random_plies", 0) if given else openings.random_plies
            table = self._table(positions, index(plies), chosen.get("side"))
        keys = _keys(seed, self.num_envs)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._draw_keys(keys, mask)
        self._ready = False  # until all went well
        buffers = self._outputs()
        buffers.terminated[:] = False
        fields = (self._games, table, self._board, self._size)
        self._check_begun(batch_play.begin_all(np.flatnonzero(mask), 0, *fields))
        self._answer(buffers, table)
        self._ready = True
        buffers.encode(self._games, slice(None))
        return buffers.observation, self._info(buffers, [], is_step=False)

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
        chosen = self._checked(actions)
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
        found = [end for end in ends if len(end)]
        return (
            buffers.observation,
            buffers.rewards,
            buffers.terminated,
            buffers.truncated,
            self._info(buffers, found, is_step=True),
        )

    def _checked(self, actions: Any) -> npt.NDArray[np.int64]:
        """The actions as kernels take them."""
        array = np.asarray(actions)
        if array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            raise ValueError(
                f"expected actions of shape ({self.num_envs},) and an integer dtype, got shape {array.shape}, "
                f"dtype {array.dtype}"
            )
        if array.dtype == np.int64 and array.flags.carray:
            return array
        return array.astype(np.int64, order="C")

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
                state = self.state(i)
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

    def _info(self, buffers: Buffers, ends: list[_Ends], *, is_step: bool) -> dict[str, Any]:
        buffers.to_move[:] = self._games.to_move
        info: dict[str, Any] = {"action_mask": buffers.masks, "to_move": buffers.to_move}
        if is_step:
            info["reward_to"] = buffers.reward_to
        info |= {f"_{name}": self._everywhere for name in info}
        if not ends:
            return info
        within = self.autoreset_mode == AutoresetMode.SAME_STEP
        rows = ends[0] if len(ends) == 1 else np.concatenate(ends)
        return step_info(info, rows, self.num_envs, self._size, within=within)

    def render(self) -> tuple[Any, ...]:
        """A picture of each game: text (``"ansi"``) or (H, W, 3) uint8 (``"rgb_array"``).

        Raises:
            ResetNeeded: there was no reset yet.
        """
        return tuple(self._renderer.render(self.state(i)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._workers.close()


def _reset_mask(mask: Any, n: int) -> npt.NDArray[np.bool_]:
    """Which games to reset, checked."""
    if mask is None:
        return np.ones(n, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"options['reset_mask'] must be a bool array, not {getattr(mask, 'dtype', type(mask))}")
    if mask.shape != (n,) or not mask.any():
        raise ValueError(f"options['reset_mask'] must have shape ({n},) and a True, got shape {mask.shape}: {mask}")
    return mask


def _keys(seed: int | Sequence[int | None] | None, n: int) -> list[int | None]:
    """Each game's key for its seed, or None."""
    if seed is None:
        return [None] * n
    if isinstance(seed, Sequence | np.ndarray):
        if len(seed) != n:
            raise ValueError(f"expected a seed for each of {n} games, got {len(seed)}")
        return [None if each is None else env_key(index(each)) for each in seed]
    return [env_key(index(seed) + i) for i in range(n)]
