"""The members of a league: fixed opponents, and snapshots of the learner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from othello_env.agent import Agent, AgentWrapper, Policy, spec_file
from othello_env.support.files import read_file

__all__ = ["Member", "Player", "Save", "Source", "Stored", "source_of"]

_LARGEST_FILE = 2 << 30  # bytes

Save = Callable[[Path], str]
"""Saves a policy.

It takes a path without a suffix, writes one file of this name with a suffix of its choice, and returns the spec that
makes the agent from the file, such as ``f"{path}.safetensors:temperature=1"``.
"""


@dataclass(frozen=True)
class Stored:
    """A policy in a file.

    Attributes:
        path: the file.
        options: the options of its spec with the colon before them, such as ``:temperature=1``; empty for none.
        data: what was in the file when the policy was added, if the file may have changed since then; else None.
    """

    path: Path
    options: str = ""
    data: bytes | None = None

    @classmethod
    def of(cls, spec: str, *, read: bool = False) -> Stored | None:
        """The file that a spec names, or None if it does not name a file of weights.

        Args:
            spec: the spec.
            read: whether the file may change later, so that its contents are kept.

        Raises:
            OSError, ValueError: the file cannot be read, or is too large.
        """
        found = spec_file(spec)
        if found is None:
            return None
        return cls(*found, read_file(found[0], _LARGEST_FILE, "load a member from") if read else None)

    @property
    def spec(self) -> str:
        return f"{self.path}{self.options}"

    def contents(self) -> bytes:
        """The contents of the file."""
        return read_file(self.path, _LARGEST_FILE, "load a member from") if self.data is None else self.data


Source = str | Stored | Save | None


def source_of(policy: str | Path | Agent | Policy, save: Save | None = None, *, read: bool = False) -> Source:
    """What makes a policy's agent again; see `Member.source`.

    Args:
        policy: a spec, the path of a file, an Agent or a callable.
        save: saves the policy; by default its own method `save`, if it has one.
        read: whether a file may change later, so that its contents are kept.

    Raises:
        OSError, ValueError: a file cannot be read, or is too large.
    """
    if save is not None:
        return save
    if isinstance(policy, str | Path):
        return Stored.of(str(policy), read=read) or str(policy)
    own: Save | None = getattr(policy, "save", None)
    return own


class Player(AgentWrapper):
    """A member as an agent. Its `repr` is the member's name, so `env.unwrapped.opponents` names members."""

    def __init__(self, name: str, agent: Agent) -> None:
        super().__init__(agent)
        self.name = name

    def __repr__(self) -> str:
        return self.name


@dataclass
class Member:
    """A member of a league.

    Attributes:
        number: the members are numbered as they were added, from 0. No number is used twice.
        name: the member's name, which no other member has.
        player: the member as an agent.
        fixed: True for an opponent that the league was made with, False for a snapshot of the learner.
        frozen: a frozen member is never forgotten; a fixed member is always frozen.
        played: the number of plies, steps or games that the learner had played when the snapshot was added; 0 for a
            fixed member.
        source: what makes the agent again: a spec that names no file of weights, a file, or a function that saves the
            policy. None if nothing does.
        points: the learner's points against this member, where older games count less.
        games: the number of games that count for `points`.
    """

    number: int
    name: str
    player: Player
    fixed: bool
    frozen: bool
    played: int = 0
    source: Source = None
    points: float = 0.0
    games: float = 0.0

    def __repr__(self) -> str:
        kind = "fixed" if self.fixed else f"after {self.played:,}" + (", frozen" if self.frozen else "")
        return f"<Member {self.name}, {kind}, the learner scores {self.score:.2f}>"

    @property
    def score(self) -> float:
        """The learner's estimated score against this member, 0 to 1.

        A win and a loss are added to the games, so the estimate is .5 before the first game and never 0 or 1.
        """
        return (self.points + 1) / (self.games + 2)

    def count(self, results: Sequence[int], decay: float) -> None:
        """Count games of the learner against this member that ended at the same time.

        Args:
            results: the numbers of games that the learner lost, drew and won.
            decay: the factor by which earlier games count less after each of these games.
        """
        games = sum(results)
        self.points = self.points * decay**games + results[1] / 2 + results[2]
        self.games = self.games * decay**games + games
