"""The members of a league: fixed opponents, and snapshots of the learner; and their results against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, AgentWrapper, Policy, spec_file
from othello_env.agent.spec import option_files
from othello_env.arena.number import score_text
from othello_env.support.files import read_file
from othello_env.support.numbers import check_real, is_ordered

__all__ = [
    "LEAST_WEIGHT",
    "MOST_GAMES",
    "Meeting",
    "Member",
    "Player",
    "Results",
    "Save",
    "Source",
    "Stored",
    "ended",
    "source_of",
    "step_results",
    "weighted",
]

_LARGEST_FILE = 2 << 30  # bytes
_GAME, _PAIR = 3, 5
MOST_GAMES = 2**53
"""The most games of one result against a member. A float holds each smaller integer."""
LEAST_WEIGHT = 1e-6
"""The least weight of a fixed member; the greatest is its inverse."""

Save = Callable[[Path], str]
"""A function that saves a policy.

The function takes a path without a suffix. It adds a suffix to this path and writes one file there. It returns a spec
that names the file, for example ``f"{path}.safetensors:temperature=1"``. `make_agent` makes an agent from the spec.
"""


@dataclass(frozen=True)
class Stored:
    """A policy in a file.

    Attributes:
        path: the file.
        options: a colon and the options of the spec, such as ``:temperature=1``; ``""`` if there are no options.
        data: the contents of the file when the policy was added. None if the file is read only when it is needed.
    """

    path: Path
    options: str = ""
    data: bytes | None = None

    @classmethod
    def from_spec(cls, spec: str, *, read: bool = False) -> Stored | None:
        """The file of weights that a spec names, or None if the spec names no such file.

        Args:
            spec: the spec.
            read: whether to read the file now. It must be True if the file may change later.

        Raises:
            OSError, ValueError: the file cannot be read, or is too large.
        """
        file = spec_file(spec)
        if file is None:
            return None
        return cls(*file, read_file(file[0], _LARGEST_FILE, "load a member from") if read else None)

    @property
    def spec(self) -> str:
        return f"{self.path}{self.options}"

    def contents(self) -> bytes:
        """The contents of the file."""
        return read_file(self.path, _LARGEST_FILE, "load a member from") if self.data is None else self.data


def weighted(policies: Any) -> Iterable[tuple[Any, float]]:
    """The policies and their weights, of a dict of weights or of a list of policies, which all have the weight 1.

    Raises:
        TypeError: `policies` is a single spec, a set (it has no order) or not iterable, or a weight is not a number.
        ValueError: a weight is not above 0.
    """
    if isinstance(policies, Mapping):
        return [
            (policy, check_real("weight", weight, LEAST_WEIGHT, 1 / LEAST_WEIGHT))
            for policy, weight in policies.items()
        ]
    if not is_ordered(policies):
        raise TypeError(f"expected a list of specs, Agents or callables, such as ['random'], not {policies!r}")
    return [(policy, 1.0) for policy in policies]


Source = str | Stored | Save | None


def source_of(
    policy: str | Path | Agent | Policy, save: Save | None = None, *, read: bool = False, snapshot: bool = False
) -> Source:
    """The source from which a policy's agent can be made again; see `Member.source`.

    Args:
        policy: a spec, the path of a file, an Agent or a callable.
        save: a function that saves the policy; by default the policy's own method `save`, if there is one.
        read: whether to read the policy's file now. It must be True if the file may change later.
        snapshot: whether the policy is a snapshot of the learner, so that files named in its options may change.

    Raises:
        TypeError: `save` is not a function.
        OSError, ValueError: the policy's file cannot be read, or is too large.
        ValueError: an option of a snapshot's spec names a file, such as ``ntuple:weights=a.npz``.
    """
    if save is not None:
        if not callable(save):
            raise TypeError(f"save must be a function that takes a path, not {save!r}")
        return save
    if isinstance(policy, str | Path):
        stored = Stored.from_spec(str(policy), read=read)
        if stored is None and snapshot and (files := option_files(str(policy))):
            raise ValueError(
                f"{str(policy)!r} names the file {str(files[0])!r} in an option, and a league does not keep a copy of "
                "such a file: add the file itself, or give save="
            )
        return stored or str(policy)
    while isinstance(policy, Player):
        policy = policy.agent
    own: Save | None = getattr(policy, "save", None)
    return own


class Player(AgentWrapper):
    """A member as an agent. Its `repr` is the member's name, so `env.unwrapped.opponents` lists the members by name."""

    def __init__(self, name: str, agent: Agent) -> None:
        super().__init__(agent)
        self.name = name

    def __repr__(self) -> str:
        return self.name


@dataclass
class Member:
    """A member of a league.

    Attributes:
        number: the member's number, counted from 0 in the order of adding. No other member ever gets this number.
        name: the member's name, which no other member has.
        player: the member as an agent.
        fixed: True if the league began with this member, False if the member is a snapshot of the learner.
        played: for a snapshot, the number of plies, steps or games that the learner had played when the snapshot was
            added; 0 for a fixed member.
        source: what is needed to make the agent again: a spec that names no file of weights, a file of weights, or a
            function that saves the policy to a file. None if the agent cannot be made again.
        points: the learner's points against this member, where a win is 1 point and a draw is 0.5. Older games count
            less.
        games: the number of games against this member. Older games count less, as in `points`.
        weight: a factor of the probability that the member is chosen.
    """

    number: int
    name: str
    player: Player
    fixed: bool
    played: int = 0
    source: Source = None
    points: float = 0.0
    games: float = 0.0
    weight: float = 1.0

    def __repr__(self) -> str:
        kind = "fixed" if self.fixed else f"after {self.played:,}"
        return f"<Member {self.name}, {kind}, the learner scores {score_text(self.score)}>"

    @property
    def score(self) -> float:
        """The learner's estimated score against this member, 0 to 1.

        One win and one loss are added to the real games. So the estimate is 0.5 before the first game, and it is never
        0 or 1.
        """
        return (self.points + 1) / (self.games + 2)

    def count(self, results: Sequence[int], decay: float) -> None:
        """Add games of the learner against this member to `points` and `games`. All new games have the weight 1.

        Args:
            results: the numbers of games that the learner lost, drew and won.
            decay: a factor below 1. Each new game multiplies the weight of the games of earlier calls by this factor.
        """
        games = sum(results)
        self.points = self.points * decay**games + results[1] / 2 + results[2]
        self.games = self.games * decay**games + games


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
        matches: the game and the openings of the matches, or None if there were no matches; see
            `othello_env.league.files.Matches`.
    """

    def __init__(self) -> None:
        self.meetings: dict[tuple[int, int], Meeting] = {}
        self.learner: dict[int, list[int]] = {}
        self.matches: Any = None

    def count(self, member: int, results: Sequence[int]) -> None:
        """Add games against a member to `learner`: the numbers of games that the learner lost, drew and won.

        Raises:
            ValueError: a sum would be above `MOST_GAMES`. Nothing has changed.
        """
        before = self.learner.get(member, [0] * _GAME)
        after = [count + more for count, more in zip(before, results, strict=True)]
        if max(after) > MOST_GAMES:
            raise ValueError(f"a league counts at most 2**53 games of one result against a member, not {max(after)}")
        self.learner[member] = after

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
