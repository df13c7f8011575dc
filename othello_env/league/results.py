"""The results of the members of a league against each other, as counts.

Each member is named by its number. The results of two members are stored once, from the point of view of the member
whose number is lower.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Meeting", "Results", "ended", "step_results"]

_GAME, _PAIR = 3, 5
_MOST = 2**53  # no count may be larger; up to this number, a float can hold every integer exactly


@dataclass
class Meeting:
    """The results of two members, from the point of view of the first member.

    Attributes:
        training: the numbers of training games that the first member lost, drew and won.
        pairs: the results of matches. A pair of games is two games from one opening with swapped colours. The five
            entries are the numbers of pairs in which the first member had 0, 1/2, 1, 1 1/2 and 2 points.
    """

    training: list[int] = field(default_factory=lambda: [0] * _GAME)
    pairs: list[int] = field(default_factory=lambda: [0] * _PAIR)


class Results:
    """The results of every two members that met.

    Attributes:
        meetings: a dict with the results of every two members that met. A key has the numbers of the two members, the
            lower number first.
        learner: for each member that the learner has met since the newest snapshot, the numbers of games that the
            learner lost, drew and won.
        matches: the game and the openings of the matches, or None if there were no matches.
    """

    def __init__(self) -> None:
        self.meetings: dict[tuple[int, int], Meeting] = {}
        self.learner: dict[int, list[int]] = {}
        self.matches: dict[str, Any] | None = None

    def count(self, member: int, results: Sequence[int]) -> None:
        """Add games against a member to `learner`: the numbers of games that the learner lost, drew and won."""
        before = self.learner.get(member, [0] * _GAME)
        self.learner[member] = [count + more for count, more in zip(before, results, strict=True)]

    def settle(self, snapshot: int) -> None:
        """Give a new snapshot the learner's results of the training since the snapshot before it."""
        for member, counts in self.learner.items():
            self.between(snapshot, member).training[:] = counts if snapshot < member else counts[::-1]
        self.learner.clear()

    def between(self, a: int, b: int) -> Meeting:
        """The stored results of two members. The object is not a copy, so a caller can change the stored results."""
        return self.meetings.setdefault((min(a, b), max(a, b)), Meeting())

    def pairs(self, a: int, b: int) -> int:
        """The number of colour-swapped pairs that two members have played in matches."""
        meeting = self.meetings.get((min(a, b), max(a, b)))
        return 0 if meeting is None else sum(meeting.pairs)

    @property
    def all_pairs(self) -> int:
        """The number of colour-swapped pairs in all matches."""
        return sum(sum(meeting.pairs) for meeting in self.meetings.values())

    def add_pair(self, a: int, b: int, points: float) -> None:
        """Add a colour-swapped pair of games of two members. `points`, from 0 to 2, are the points of member `a`."""
        counts = self.between(a, b).pairs
        counts[round(2 * (points if a < b else 2 - points))] += 1

    def forget(self, member: int) -> None:
        """Remove all results of a member."""
        self.learner.pop(member, None)
        self.meetings = {pair: meeting for pair, meeting in self.meetings.items() if member not in pair}
        if not self.all_pairs:
            self.matches = None  # no matches are left, so new matches may be of another game

    def to_json(self) -> dict[str, Any]:
        meetings = [[a, b, [*each.training], [*each.pairs]] for (a, b), each in self.meetings.items()]
        return {"meetings": meetings, "learner": [[member, [*counts]] for member, counts in self.learner.items()]}

    @classmethod
    def from_json(cls, values: Any, members: Iterable[int]) -> Results:
        """The inverse of `to_json`.

        Args:
            values: what `to_json` returned.
            members: the numbers of the league's members (see `Member.number`).

        Raises:
            ValueError: the values are not results of these members.
        """
        known, found = set(members), cls()

        def is_member(number: Any) -> bool:
            return type(number) is int and number in known

        for a, b, training, pairs in _rows(values, "meetings", 4):
            if not (is_member(a) and is_member(b) and a < b) or (a, b) in found.meetings:
                raise ValueError(f"expected two members, got {a!r:.60} and {b!r:.60}")
            found.meetings[a, b] = Meeting(_counts(training, _GAME), _counts(pairs, _PAIR))
        for member, counts in _rows(values, "learner", 2):
            if not is_member(member) or member in found.learner:
                raise ValueError(f"expected a member, got {member!r:.60}")
            found.learner[member] = _counts(counts, _GAME)
        return found


def ended(terminated: Any, info: Mapping[str, Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The games that ended in a step of an environment, and the opponents in these games.

    Args:
        terminated: whether each game ended, (N,) bool; a single bool for an environment of one game.
        info: the step's info.

    Returns:
        Two arrays. The first, (E,) int64, has the indices of the E games that ended. The second, (E,) int64, has the
        indices of these games' opponents in `env.unwrapped.opponents`. If a game has several opponents, the second
        array has a column for each opponent.
    """
    fast = getattr(info, "ended", None)  # a faster method, which only the info of this package's batches has
    if fast is not None:
        games, numbers = fast()
        return games, numbers
    over = np.flatnonzero(terminated)
    return over, np.atleast_1d(info["final_info"]["opponent"] if "final_info" in info else info["opponent"])[over]


def step_results(env: Any, rewards: Any, terminated: Any, info: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """The results of the games that ended in a step of an environment, by opponent.

    `othello_env.league.League.record` explains the arguments.

    Returns:
        A list of pairs: an opponent's name, and the numbers of ended games that the learner lost, drew and won against
        this opponent. Opponents without an ended game are left out.

    Raises:
        ValueError: the game has more than two players, or the learner plays both sides (self-play).
    """
    if not np.any(terminated):
        return []
    over, numbers = ended(terminated, info)
    if numbers.ndim > 1 or (numbers < 0).any():
        raise ValueError("a league is for games of a learner against one opponent")
    results = 1 + np.sign(np.atleast_1d(rewards)[over]).astype(np.int64)
    names = env.unwrapped.opponents
    counts = np.bincount(3 * numbers + results, minlength=3 * len(names)).reshape(-1, 3).tolist()
    return [(name, row) for name, row in zip(names, counts, strict=True) if any(row)]


def _rows(values: Any, name: str, length: int) -> Iterator[list[Any]]:
    rows = values.get(name) if isinstance(values, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == length for row in rows):
        raise ValueError(f"expected {name} as a list of lists of {length}")
    yield from rows


def _counts(values: Any, length: int) -> list[int]:
    good = isinstance(values, list) and len(values) == length
    if not good or not all(type(count) is int and 0 <= count <= _MOST for count in values):
        raise ValueError(f"expected {length} counts, got {values!r:.60}")
    return [*values]
