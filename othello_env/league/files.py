"""Leagues on disk: a JSON file with the state, and a folder with a file for each policy::

    runs/league/league.json
    runs/league/members/0002.safetensors ...

Each member has a number that no other member ever gets, and this number names the member's file. A save writes the
files of new members, then the JSON file. After that, it removes the files of members that the league no longer has. So
the files always hold a complete league, even if the process is killed during a save.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final, Literal, Self

import msgspec

from othello_env.agent import make_agent
from othello_env.league.matchmaking import Settings
from othello_env.league.members import (
    LEAST_WEIGHT,
    MOST_GAMES,
    Meeting,
    Member,
    Player,
    Results,
    Save,
    Stored,
    source_of,
)
from othello_env.support.files import as_type, parse_json, read_file, write_file, write_json

__all__ = [
    "FORMAT",
    "LEAGUE_FILE",
    "LeagueState",
    "Matches",
    "MemberState",
    "ResultsState",
    "check_folder",
    "check_save",
    "read_league",
    "save_members",
    "source_of_member",
    "tidy",
    "write_league",
]

FORMAT: Final = "othello-env league 1"
"""The value of ``format`` in a state."""
LEAGUE_FILE = "league.json"
"""The name of the file with a league's state, in the league's folder."""
_MEMBERS = "members"
_FILE = re.compile(r"\d{4,15}\.\w{1,20}")
_LARGEST_JSON = 256 << 20  # bytes

_Count = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]
_Amount = Annotated[float, msgspec.Meta(ge=0, lt=2**62)]
_Tally = Annotated[int, msgspec.Meta(ge=0, le=MOST_GAMES)]
_Training = Annotated[list[_Tally], msgspec.Meta(min_length=3, max_length=3)]
_Pairs = Annotated[list[_Tally], msgspec.Meta(min_length=5, max_length=5)]


class MemberState(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A member without its policy; see `othello_env.league.members.Member`."""

    number: _Count
    name: Annotated[str, msgspec.Meta(min_length=1)]
    fixed: bool
    played: _Count
    points: _Amount
    games: _Amount
    source: dict[str, str | None]
    """The policy's spec, or its file in the league's folder and the options of its spec. The spec is None if the policy
    has neither."""
    weight: Annotated[float, msgspec.Meta(ge=LEAST_WEIGHT, le=1 / LEAST_WEIGHT)] = 1.0

    def __post_init__(self) -> None:
        if self.points > self.games:
            raise ValueError(f"the member {self.name!r:.60} contradicts itself")

    @classmethod
    def from_member(cls, member: Member) -> Self:
        source: dict[str, str | None] = {"spec": member.source if isinstance(member.source, str) else None}
        if isinstance(member.source, Stored):
            source = {"file": member.source.path.name, "options": member.source.options}
        known = {name: getattr(member, name) for name in cls.__struct_fields__ if name != "source"}
        return cls(**known, source=source)

    def policy(self, folder: Path) -> str:
        """The spec of the policy in a league's folder."""
        match self.source:
            case {"spec": str(spec)}:
                return spec
            case {"file": str(file), "options": str(options)} if _FILE.fullmatch(file):
                return f"{folder / _MEMBERS / file}{options}"
        raise ValueError(f"the member {self.name!r:.60} has no policy")

    def member(self, folder: Path, seed: int) -> Member:
        """The member of the league in a folder. `seed` is the league's seed."""
        policy = self.policy(folder)
        player, source = Player(self.name, make_agent(policy, seed)), source_of(policy)
        known = {name: getattr(self, name) for name in self.__struct_fields__ if name != "source"}
        return Member(**known, player=player, source=source)


class Matches(msgspec.Struct, forbid_unknown_fields=True):
    """The game and the openings of the matches between the members."""

    game: str
    openings: str | None


class ResultsState(msgspec.Struct, forbid_unknown_fields=True):
    """The results of the members, as in `othello_env.league.members.Results`.

    A meeting has the numbers of two members, the lower number first, and the counts of a `Meeting`.
    """

    meetings: list[tuple[_Count, _Count, _Training, _Pairs]]
    learner: list[tuple[_Count, _Training]]

    @classmethod
    def from_results(cls, results: Results) -> Self:
        meetings = [(a, b, [*meeting.training], [*meeting.pairs]) for (a, b), meeting in results.meetings.items()]
        return cls(meetings, [(member, [*counts]) for member, counts in results.learner.items()])

    def results(self, matches: Matches | None) -> Results:
        results = Results()
        results.meetings = {(a, b): Meeting([*training], [*pairs]) for a, b, training, pairs in self.meetings}
        results.learner = {member: [*counts] for member, counts in self.learner}
        results.matches = matches
        return results


class LeagueState(msgspec.Struct, forbid_unknown_fields=True):
    """A league without its policies, as it is written to a JSON file."""

    format: Literal["othello-env league 1"]
    settings: Settings
    added: _Count
    snapshots: _Count
    drawn: _Count
    matches: Matches | None
    members: list[MemberState]
    results: ResultsState

    def __post_init__(self) -> None:
        numbers, names = self.numbers, [member.name for member in self.members]
        if any(a >= b for a, b in pairwise([*numbers, self.added])):
            raise ValueError("expected members with ascending numbers, each below the number of added members")
        if len({*names}) < len(names):
            raise ValueError("expected members with different names")
        pairs, met = [row[:2] for row in self.results.meetings], [member for member, _ in self.results.learner]
        if len({*pairs}) < len(pairs) or any(a >= b or not {a, b} <= {*numbers} for a, b in pairs):
            raise ValueError("expected each two members, the lower number first, at most once in meetings")
        if len({*met}) < len(met) or not {*met} <= {*numbers}:
            raise ValueError("expected each member at most once in learner")

    @property
    def numbers(self) -> list[int]:
        return [member.number for member in self.members]

    def is_earlier(self, other: LeagueState) -> bool:
        """Whether this is an earlier state of the same league as `other`, or the same state.

        This is so if three conditions hold. Both states have equal settings. Each count, such as the number of
        snapshots, is at least as large in `other`. Each member in `other` is also in this state, unless the member was
        added later. Matches do not matter here.
        """
        mine, theirs = (
            {member.number: (member.name, member.fixed, member.played) for member in state.members}
            for state in (self, other)
        )
        return (
            self.settings == other.settings
            and self.added <= other.added
            and self.snapshots <= other.snapshots
            and self.drawn <= other.drawn
            and all(mine.get(number) == who for number, who in theirs.items() if number < self.added)
        )


def check_folder(folder: Path, state: LeagueState) -> None:
    """Check that a league with this state can be saved to a folder.

    The folder must be new or empty, or have an earlier state of the same league.

    Raises:
        FileExistsError: the folder has other files, another league or a later state of the same league.
        OSError: the folder or a file in it cannot be read.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FileExistsError(f"{str(folder)!r} is not a folder, so no league is saved to it")
    if not (folder / LEAGUE_FILE).exists():
        # A killed process may have left hidden files and the folder of the members. They do not prevent a save.
        names = sorted(path.name for path in folder.iterdir() if path.name != _MEMBERS and path.name[0] != ".")
        if names:
            raise FileExistsError(f"{str(folder)!r} has no league, but other files ({names[0]}); give a new folder")
        return
    try:
        before = read_league(folder)
    except ValueError as error:
        raise FileExistsError(f"{str(folder)!r} has a league that cannot be read; give a new folder: {error}") from None
    if not before.is_earlier(state):
        raise FileExistsError(f"{str(folder)!r} has another league, or a later state of this league; give a new folder")


def save_members(members: Iterable[Member], folder: Path) -> None:
    """Write a file for each policy that is not yet in the folder, and check that each new file can be loaded.

    If a policy's source is a spec without a file of weights, no file is written for it.

    Raises:
        OSError: a file cannot be written.
        ValueError: a policy cannot be saved; the message names the member.
    """
    for member in members:
        stem, source = folder / _MEMBERS / f"{member.number:04d}", member.source
        if isinstance(source, str) or (isinstance(source, Stored) and source.path.parent == stem.parent):
            continue
        stem.parent.mkdir(parents=True, exist_ok=True)
        member.source = _save(member, stem)


def check_save(member: Member) -> None:
    """Save a policy to a temporary folder, and check that it can be loaded.

    Raises:
        ValueError: the policy cannot be saved or loaded; the message names the member.
    """
    with TemporaryDirectory() as folder:
        _save(member, Path(folder) / f"{member.number:04d}")


def _save(member: Member, stem: Path) -> Stored:
    """Save a policy, and check that it can be loaded. `stem` is the path of the file without a suffix."""
    stored = _write(member, stem)
    try:
        make_agent(stored.spec)
    except (OSError, ValueError, ImportError) as error:
        raise ValueError(f"the member {member.name!r} was saved, but cannot be loaded: {error}") from error
    return stored


def source_of_member(member: Member) -> Stored | Save | str:
    """How a member can be saved.

    Raises:
        ValueError: it cannot be saved.
    """
    if member.source is None:
        raise ValueError(
            f"the member {member.name!r} cannot be saved: it is neither a spec nor a file, it has no method save, and "
            "save= was not given"
        )
    return member.source


def _write(member: Member, stem: Path) -> Stored:
    source = source_of_member(member)
    if isinstance(source, Stored):
        path = stem.with_suffix(source.path.suffix)
        write_file(path, source.contents())
        return Stored(path, source.options)
    assert not isinstance(source, str)
    spec = source(stem)
    stored = Stored.from_spec(spec) if isinstance(spec, str) else None
    if stored is None or stored.path.parent != stem.parent or stored.path.stem != stem.name:
        raise ValueError(f"the save of {member.name!r} must return a spec like '{stem}.safetensors', not {spec!r}")
    return stored


def write_league(state: LeagueState, folder: Path) -> None:
    """Write a league's JSON file. If the process is killed before the file is complete, the old file stays."""
    write_json(folder / LEAGUE_FILE, msgspec.to_builtins(state))


def read_league(folder: Path) -> LeagueState:
    """The state in a league's JSON file.

    Raises:
        FileNotFoundError: the folder has no such file.
        OSError, ValueError: the file cannot be read, or it has no state of a league.
    """
    path = folder / LEAGUE_FILE
    data = read_file(path, _LARGEST_JSON, "load a league from")
    try:
        return as_type(parse_json(data), LeagueState)
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is not the file of a league: {error}") from None


def tidy(members: Iterable[Member], folder: Path) -> None:
    """Remove the files of members that the league no longer has."""
    kept = {member.source.path.name for member in members if isinstance(member.source, Stored)}
    with suppress(FileNotFoundError):
        for path in (folder / _MEMBERS).iterdir():
            if _FILE.fullmatch(path.name) and path.name not in kept:
                with suppress(OSError):  # a file that cannot be removed does no harm
                    path.unlink()
