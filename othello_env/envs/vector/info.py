"""The `info` of a batch of games.

Letters for shapes: N games, E games that ended in the step, P players, A actions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from othello_env.envs.conventions import NOBODY, PLAYING
from othello_env.games.batch import Batch, Outputs

__all__ = ["Buffers", "EndInfo", "StepInfo"]

_Array = npt.NDArray[Any]


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
    """(E,), or (E, 2) with three players: the indices of the opponents, or -1 in self-play."""


class Buffers:
    """The arrays that a step of N games returns.

    Attributes:
        planes: (N, planes, H, W) int8, the planes of the observations.
        masks: (N, A) int8, 1 for each legal action.
        rewards: (N,) float64.
        reward_to: (N,) int8, the player that gets the reward, or -1 after a reset.
        terminated: (N,) bool.
        truncated: (N,) bool, all False, because a game is never truncated.
        discs: (N, P) int64, each player's discs, pieces or cells. It has no meaning for a game that is over.
        out: these arrays as the compiled step takes them.
    """

    def __init__(self, batch: Batch) -> None:
        n = len(batch)
        self.planes = np.zeros((n, *batch.observation_shape), np.int8)
        self.masks = np.zeros((n, batch.num_actions), np.int8)
        self.truncated = np.zeros(n, np.bool_)
        self.rewards = np.zeros(n)
        self.reward_to = np.full(n, NOBODY, np.int8)
        self.terminated = np.zeros(n, np.bool_)
        self.discs = np.zeros((n, batch.num_players), np.int64)
        self.out = self._out(batch, slice(0, n))
        self._slices: dict[int, Outputs] = {}

    def _out(self, batch: Batch, places: slice) -> Outputs:
        return batch.outputs(
            self.planes[places],
            self.masks[places],
            reward=self.rewards[places],
            reward_to=self.reward_to[places],
            terminated=self.terminated[places],
            scores=self.discs[places],
        )

    def slice(self, batch: Batch, places: slice) -> Outputs:
        """`out` for the games at these places; `batch` has just these games."""
        if places.start not in self._slices:
            self._slices[places.start] = self._out(batch, places)
        return self._slices[places.start]


class StepInfo:
    """Makes the infos of a vector environment.

    Args:
        batch: the games.
        self_play: whether the learner plays every side.
        buffers: the arrays that every step returns, if an info need not keep its values after the next step. Then the
            entries that are the same in most steps are made once, and are read-only.
    """

    def __init__(self, batch: Batch, *, self_play: bool, buffers: Buffers | None) -> None:
        self._batch, self._self_play = batch, self_play
        self._cached: dict[str, _Array] = {}
        if buffers is not None:
            arrays, ours = batch.arrays, (buffers.masks, buffers.discs, buffers.reward_to)
            self._cached = self._ongoing_info(buffers, arrays.plies.view(), arrays.to_move.view())
            for array in self._cached.values():
                array.flags.writeable = any(array is each for each in ours)

    def _ongoing_info(self, buffers: Buffers, plies: _Array, to_move: _Array) -> dict[str, _Array]:
        """The info while no game is over."""
        n, seats = self._batch.arrays.opponents.shape
        info: dict[str, _Array] = {
            "action_mask": buffers.masks,
            "winner": np.full(n, PLAYING, np.int64),
            "discs": buffers.discs,
            "plies": plies,
            "illegal_action": np.full(n, NOBODY, np.int64),
            "opponent": np.full((n, seats) if seats > 1 else n, NOBODY, np.int64),
        }
        if self._self_play:
            info |= {"to_move": to_move, "reward_to": buffers.reward_to}
        return info | dict.fromkeys([f"_{name}" for name in info], np.ones(n, np.bool_))

    def make(self, buffers: Buffers, where: npt.NDArray[np.bool_] | None, ended: EndInfo | None) -> dict[str, Any]:
        """The info after a step or reset.

        Args:
            buffers: the arrays that the step or reset wrote.
            where: after a reset of some games, (N,) bool, True for these games. At all other times None.
            ended: the games that ended and have not begun anew, or None.
        """
        arrays = self._batch.arrays
        info = dict(self._cached) or self._ongoing_info(buffers, arrays.plies.copy(), arrays.to_move.copy())
        if not self._self_play:
            info["opponent"] = _column(arrays.opponents.astype(np.int64))
        if ended is not None:
            for name in _FINAL_KEYS:
                info[name] = info[name].copy()
                info[name][ended.game] = getattr(ended, name)
        if where is not None:
            for name in _FINAL_KEYS:
                info[name] = info[name].copy()
                info[name][~where] = 0
            info |= {name: where for name in info if name.startswith("_")}
        return info

    def ended(self, rows: npt.NDArray[np.void]) -> EndInfo:
        """The games that ended in a step. `rows` is described at `othello_env.games.batch.EndedGames`."""
        whole = {name: rows[field].astype(np.int64) for name, field in _FIELDS.items()}
        if self._self_play:
            whole["opponent"][:] = NOBODY
        return EndInfo(**whole | {"opponent": _column(whole["opponent"])})

    def final(
        self, ended: EndInfo, planes: npt.NDArray[np.int8], observation: Callable[[_Array, _Array], Any]
    ) -> dict[str, Any]:
        """The entries `final_obs` and `final_info` of a step in which games ended, as Gymnasium makes them.

        Args:
            ended: the games that ended.
            planes: (E, planes, H, W), the planes of their last observations.
            observation: a function that returns the observation with these planes and this mask.
        """
        n, actions = len(self._batch), self._batch.num_actions
        where = np.zeros(n, np.bool_)
        where[ended.game] = True
        final_info: dict[str, Any] = {"action_mask": np.zeros((n, actions), np.int8)}
        for name in _FINAL_KEYS:
            values = getattr(ended, name)
            final_info[name] = np.zeros((n, *values.shape[1:]), np.int64)
            final_info[name][ended.game] = values
        for name in [*final_info]:
            final_info[f"_{name}"] = where
        masks = np.zeros((len(planes), actions), np.int8)
        final_obs = np.full(n, None, object)
        for i, last, mask in zip(ended.game.tolist(), planes, masks, strict=True):
            final_obs[i] = observation(last, mask)
        return {"final_obs": final_obs, "_final_obs": where, "final_info": final_info, "_final_info": where}


def _column(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Values (N, 1) as (N,). Values of another shape stay as they are."""
    return values[:, 0] if values.shape[1] == 1 else values


_FINAL_KEYS = ("winner", "discs", "plies", "illegal_action", "opponent")
_FIELDS = {
    "game": "game",
    "winner": "winner",
    "discs": "scores",
    "plies": "plies",
    "illegal_action": "illegal",
    "opponent": "opponents",
}
"""The entries of `EndInfo`, and the fields of `othello_env.games.batch.state.record_dtype` with these entries."""
