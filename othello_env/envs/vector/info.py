"""The `info` of a batch of games. It makes an entry only when you read this entry for the first time.

Gymnasium expects entries for every game at every step. It also expects an object with the last observation of each game
that ended. Making all these entries takes longer than the step itself, and few trainers read them.

Letters for shapes: N = games, E = games that ended in the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from othello_env.envs.conventions import NOBODY, PLAYING
from othello_env.games.batch import Batch

__all__ = ["Moment", "StepInfo"]

_NUMBERS = ("winner", "discs", "plies", "illegal_action", "opponent")
_FIELDS = {"winner": "winner", "discs": "scores", "plies": "plies", "illegal_action": "illegal"}
"""A key is an entry. Its value is the field of `othello_env.games.batch.Ends.rows` with this entry for ended games."""
_FINAL = ("final_obs", "final_info")
_Ended = Callable[[], tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]


def _with_masks(*names: str) -> frozenset[str]:
    return frozenset(names) | {f"_{name}" for name in names}


_LATER = _with_masks(*_NUMBERS) | {"_action_mask"}
_LATER_IN_SELF_PLAY = _LATER | {"_to_move", "_reward_to"}
_AT_AN_END = _with_masks(*_FINAL)
_NAMES = {
    (self_play, at_an_end): names | (_AT_AN_END if at_an_end else frozenset())
    for self_play, names in ((False, _LATER), (True, _LATER_IN_SELF_PLAY))
    for at_an_end in (False, True)
}
"""The names of the entries that are made later. A key has two flags: whether the learner plays every side, and whether
the info has `final_obs` and `final_info`."""


class StepInfo(dict[str, Any]):
    """A dict that makes some of its entries only when they are first read.

    The class method `later` makes such a dict. A method that reads the whole dict, such as `items`, makes all missing
    entries. The constructor makes a dict in which no entry is missing. Some wrappers need this: they convert all
    entries and pass them to the constructor. A copy is a plain dict.

    Attributes:
        ended: a function that returns the games that ended in the step, and the numbers of their opponents; see
            `Moment.ended`. Calling this function is faster than reading the entry `final_info`. If `later` got no such
            function, the attribute is None.
    """

    # These are attributes of the class, because a method `__init__` would make every step slower.
    _names: frozenset[str] = frozenset()
    _make: Callable[[str], dict[str, Any]] | None = None
    ended: _Ended | None = None

    @classmethod
    def later(
        cls,
        ready: dict[str, Any],
        names: frozenset[str],
        make: Callable[[str], dict[str, Any]],
        ended: _Ended | None = None,
    ) -> Self:
        """Make an info that makes some of its entries when they are first read.

        Args:
            ready: the entries that exist already.
            names: the names of the entries that are made later.
            make: a function that takes the name of an entry. It returns a dict with this entry, and perhaps with more
                entries.
            ended: the function for the attribute `ended`, or None.
        """
        info = cls(ready)
        info._names, info._make, info.ended = names, make, ended
        return info

    def _fill(self, name: str) -> None:
        assert self._make is not None
        made = self._make(name)
        for other in self._names & made.keys():  # do not overwrite entries that the user has set
            super().__setitem__(other, made[other])
        self._names -= made.keys()

    def _complete(self) -> None:
        while self._names:
            self._fill(next(iter(self._names)))

    def __missing__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        self._fill(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._names

    def __setitem__(self, name: str, value: Any) -> None:
        self._names -= {name}
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self._complete()
        super().__delitem__(name)

    def __iter__(self) -> Iterator[str]:
        self._complete()
        return super().__iter__()

    def __reversed__(self) -> Iterator[str]:
        self._complete()
        return super().__reversed__()

    def __len__(self) -> int:
        return super().__len__() + len(self._names)

    def __eq__(self, other: object) -> bool:
        self._complete()
        if isinstance(other, StepInfo):
            other._complete()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # a dict has no hash

    def __repr__(self) -> str:
        self._complete()
        return super().__repr__()

    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (dict(self),))

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | dict(self)

    def keys(self) -> Any:
        self._complete()
        return super().keys()

    def values(self) -> Any:
        self._complete()
        return super().values()

    def items(self) -> Any:
        self._complete()
        return super().items()

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self._names else super().get(name, default)

    def pop(self, name: str, *default: Any) -> Any:
        self._complete()
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, Any]:
        self._complete()
        return super().popitem()

    def setdefault(self, name: str, default: Any = None) -> Any:
        self._complete()
        return super().setdefault(name, default)

    def update(self, *args: Any, **kwargs: Any) -> None:
        self._complete()
        super().update(*args, **kwargs)

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def copy(self) -> dict[str, Any]:
        return dict(self)

    def clear(self) -> None:
        self._names = frozenset()
        super().clear()


class Moment:
    """The state of the games after a step or reset. `StepInfo` makes its entries with the help of this object.

    Args:
        batch: the games after the step or reset.
        ends: the rows of the games that ended in the step; see `othello_env.games.batch.Ends.rows`.
        where: (N,) bool, True for each game that was reset. After a step, `where` is None. After a reset of all games,
            it is also None.
        within: True in the mode ``SAME_STEP``. In this mode, when a game ends, the next game begins in the same step,
            and `final_obs` and `final_info` describe the game that ended.
        self_play: whether the learner plays every side.
        copy: whether the entries must keep their values after the next step.

    Attributes:
        names: the names of the entries that `make` makes.
    """

    def __init__(
        self,
        batch: Batch,
        ends: list[npt.NDArray[np.void]],
        where: npt.NDArray[np.bool_] | None,
        *,
        within: bool,
        self_play: bool,
        copy: bool,
    ) -> None:
        course = batch.course
        self._batch = batch
        self._discs = batch.scoring(copy=True) if copy else None
        self._plies = course.plies.copy() if copy else course.plies
        self._rival = course.rival.copy() if copy else course.rival
        self._all_ends = ends
        self._reset = where
        self._within = within
        self._self_play = self_play
        self.names = _NAMES[self_play, within and bool(ends)]

    def make(self, name: str) -> dict[str, Any]:
        """Make the entry with this name. Returns a dict that has only this entry."""
        entry = name.removeprefix("_")
        if entry != name:
            return {name: self._ended if entry in _FINAL else self._where}
        if name == "final_obs":
            return {name: self._final_observations()}
        if name == "final_info":
            return {name: self._final_info()}
        value = self._running(name)
        if self._reset is not None:
            value[~self._reset] = 0
        elif self._all_ends and not self._within:
            value[self._ends["game"]] = self._at_the_end(name)
        return {name: value}

    def ended(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The games that ended in the step, and their opponents.

        Returns the indices of the games, (E,) int64, and the numbers of their opponents, (E,) or (E, 2) int64.
        """
        return self._ends["game"].astype(np.int64), self._opponents(self._ends["rival"])

    @cached_property
    def _ends(self) -> npt.NDArray[np.void]:
        return self._all_ends[0] if len(self._all_ends) == 1 else np.concatenate(self._all_ends)

    @cached_property
    def _where(self) -> npt.NDArray[np.bool_]:
        return np.ones(len(self._plies), np.bool_) if self._reset is None else self._reset

    @cached_property
    def _ended(self) -> npt.NDArray[np.bool_]:
        where = np.zeros(len(self._plies), np.bool_)
        where[self._ends["game"]] = True
        return where

    def _running(self, name: str) -> npt.NDArray[np.int64]:
        """The values of an entry for games that are not over. If games are over, `make` replaces their values."""
        n = len(self._plies)
        if name == "winner":
            return np.full(n, PLAYING, np.int64)
        if name == "discs":
            return self._discs() if self._discs else self._batch.scoring(copy=False)()
        if name == "plies":
            return self._plies.astype(np.int64)
        if name == "opponent":
            return self._opponents(self._rival)
        return np.full(n, NOBODY, np.int64)

    def _at_the_end(self, name: str) -> npt.NDArray[np.int64]:
        """The values of an entry for the E games that ended."""
        if name == "opponent":
            return self._opponents(self._ends["rival"])
        return self._ends[_FIELDS[name]].astype(np.int64)

    def _opponents(self, rival: npt.NDArray[np.int16]) -> npt.NDArray[np.int64]:
        """The opponents' numbers as int64, (N,), or (N, 2) with three players. In self-play, all numbers are -1."""
        numbers = np.full(rival.shape, NOBODY, np.int64) if self._self_play else rival.astype(np.int64)
        return numbers[:, 0] if rival.shape[1] == 1 else numbers

    def _final_info(self) -> dict[str, Any]:
        """The last info of each game that ended, as arrays (N, ...). For all other games, the values are 0."""
        n = len(self._plies)
        info: dict[str, Any] = {"action_mask": np.zeros((n, self._batch.start.num_actions), np.int8)}
        for name in _NUMBERS:
            values = self._at_the_end(name)
            info[name] = np.zeros((n, *values.shape[1:]), np.int64)
            info[name][self._ends["game"]] = values
        return info | {f"_{name}": self._ended for name in info}

    def _final_observations(self) -> npt.NDArray[np.object_]:
        """The last observation of each game that ended, and None for all other games, as (N,) objects.

        An observation has the form that an environment for one game returns.
        """
        planes = self._batch.final_observations(self._ends)
        masks = np.zeros((len(planes), self._batch.start.num_actions), np.int8)
        found = np.full(len(self._plies), None, object)
        for i, observation, mask in zip(self._ends["game"].tolist(), planes, masks, strict=True):
            found[i] = {"observation": observation, "action_mask": mask}
        return found
