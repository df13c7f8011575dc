"""The `info` of a batch of games, whose account of the games that ended is made only when it is looked at.

Of thousands of games some end at every step. Gymnasium wants the last observation of each as an object of its own; to
make those takes longer than the step does, and few trainers read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.games.batch_games import Ends
from othello_env.games.othello import OthelloBatch

__all__ = ["StepInfo", "end_info", "final_observations", "step_info"]

_FINAL = ("final_obs", "_final_obs", "final_info", "_final_info")
_END = ("winner", "_winner", "discs", "_discs", "moves", "_moves")
_ILLEGAL = ("illegal_action", "_illegal_action")


class StepInfo(dict[str, Any]):
    """A dict, some entries of which are made when they, or the dict as a whole, are first looked at.

    Args:
        ready: the entries that are there.
        names: the names of the others,
        make: which returns them.
    """

    def __init__(self, ready: dict[str, Any], names: tuple[str, ...], make: Callable[[], dict[str, Any]]) -> None:
        super().__init__(ready)
        self._names: tuple[str, ...] = names
        self._make: Callable[[], dict[str, Any]] | None = make

    def _complete(self) -> None:
        if self._make is not None:
            make, self._make = self._make, None
            for name, value in make().items():
                if name in self._names:  # or it was deleted or replaced meanwhile
                    super().__setitem__(name, value)
            self._names = ()

    def __missing__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        self._complete()
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._names

    def __setitem__(self, name: str, value: Any) -> None:
        self._names = tuple(other for other in self._names if other != name)
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
        return super().__eq__(other)

    __hash__ = None  # as in a dict

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
        if name in self._names:
            self._complete()
        return super().get(name, default)

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
        self._make, self._names = None, ()
        super().clear()


def step_info(info: dict[str, Any], rows: npt.NDArray[np.uint64], n: int, size: int, *, within: bool) -> StepInfo:
    """The info of a step in which games ended.

    Args:
        info: what it has anyway.
        rows: the ends, at least one; see `Ends.read`.
        n: the number of games.
        size: of the boards.
        within: whether the next games have begun, so that the ends are told in `final_obs` and `final_info`.
    """
    if not within:
        names = _END + _ILLEGAL if (Ends.read(rows).illegal >= 0).any() else _END
        return StepInfo(info, names, lambda: end_info(Ends.read(rows), n))

    def make() -> dict[str, Any]:
        ends = Ends.read(rows)
        final = end_info(ends, n)
        where = final["_winner"]
        final |= {"action_mask": np.zeros((n, size * size + 1), np.int8), "_action_mask": where}
        observations = final_observations(ends, n, size)
        return {"final_obs": observations, "_final_obs": where, "final_info": final, "_final_info": where}

    return StepInfo(info, _FINAL, make)


def final_observations(ends: Ends, n: int, size: int) -> npt.NDArray[np.object_]:
    """(N,) the last observation of each game that ended, a dict as a single environment gives it; None elsewhere."""
    planes = OthelloBatch(ends.own, ends.opponent, ends.viewer.astype(np.int8), ends.own, size).observations()
    masks = np.zeros((len(planes), size * size + 1), np.int8)
    found = np.full(n, None, object)
    for i, observation, mask in zip(ends.game.tolist(), planes, masks, strict=True):
        found[i] = {"observation": observation, "action_mask": mask}
    return found


def end_info(ends: Ends, n: int) -> dict[str, Any]:
    """What a single environment's info says at a game's end, as arrays over N games with masks of where they count.

    `winner` (N,) int64, -1 for nobody; `discs` (N, 2) int64; `moves` (N,) objects, each a tuple of ints; and, if some
    game ended so, `illegal_action` (N,) int64. Entries that do not count are 0 or None.
    """
    game, viewer, illegal = ends.game, ends.viewer, ends.illegal >= 0
    where = np.zeros(n, np.bool_)
    where[game] = True
    mine, other = _counts(ends.own), _counts(ends.opponent)
    winner = np.zeros(n, np.int64)
    winner[game] = np.where(illegal | (mine == other), -1, np.where(mine > other, viewer, 1 - viewer))
    discs = np.zeros((n, 2), np.int64)
    discs[game, viewer] = mine
    discs[game, 1 - viewer] = other
    moves = np.full(n, None, object)
    for k, i in enumerate(game.tolist()):
        moves[i] = tuple(ends.moves[k, : ends.plies[k]].tolist())
    info = {"winner": winner, "_winner": where, "discs": discs, "_discs": where, "moves": moves, "_moves": where}
    if illegal.any():
        info["illegal_action"] = np.zeros(n, np.int64)
        info["illegal_action"][game[illegal]] = ends.illegal[illegal]
        info["_illegal_action"] = np.zeros(n, np.bool_)
        info["_illegal_action"][game[illegal]] = True
    return info


def _counts(sets: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """(E,) the numbers of squares in sets."""
    bits = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8)).reshape(-1, 64)
    return np.asarray(bits.sum(axis=1, dtype=np.int64))
