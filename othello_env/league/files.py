"""Leagues on disk: a JSON file with the league's state, and a folder with a file for each policy::

    runs/league/league.json
    runs/league/members/0002.safetensors ...

Each member has a number that no other member ever gets, and this number names the member's file. A save writes the
files of new members, then the JSON file. After that, it removes the files of members that the league no longer has. So
the files always hold a complete league, even if the process is killed during a save.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from othello_env.agent import Agent, Policy, make_agent
from othello_env.league.members import Member, Stored
from othello_env.league.stored import check_state, is_earlier, missing_matches
from othello_env.support.files import parse_json, read_file, write_file, write_json

__all__ = ["LEAGUE_FILE", "check_folder", "policies_in", "read_league", "save_members", "tidy", "write_league"]

LEAGUE_FILE = "league.json"
"""The name of the file with a league's state, in the league's folder."""
_MEMBERS = "members"
_FILE = re.compile(r"\d{4,15}\.\w{1,20}")
_LARGEST_JSON = 256 << 20  # bytes


def check_folder(folder: Path, state: Mapping[str, Any]) -> None:
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
        check_state(before)
        missing = missing_matches(before, state)
    except ValueError as error:
        raise FileExistsError(f"{str(folder)!r} has a league that cannot be read; give a new folder: {error}") from None
    if not is_earlier(before, state):
        raise FileExistsError(f"{str(folder)!r} has another league, or a later state of this league; give a new folder")
    if missing:
        raise FileExistsError(
            f"{str(folder)!r} has matches that this league lacks; othello_env.league.matches.take_matches adds them"
        )


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
        stored = _save(member, stem)
        try:
            make_agent(stored.spec)
        except (OSError, ValueError, ImportError) as error:
            raise ValueError(f"the member {member.name!r} was saved, but cannot be loaded: {error}") from error
        member.source = stored  # set only now: otherwise a second call would skip a member that cannot be loaded


def _save(member: Member, stem: Path) -> Stored:
    source = member.source
    if isinstance(source, Stored):
        path = stem.with_suffix(source.path.suffix)
        write_file(path, source.contents())
        return Stored(path, source.options)
    if source is None or isinstance(source, str):
        raise ValueError(
            f"the member {member.name!r} cannot be saved: it is neither a spec nor a file, it has no method save, and "
            "save= was not given"
        )
    spec = source(stem)
    stored = Stored.of(spec) if isinstance(spec, str) else None
    if stored is None or stored.path.parent != stem.parent or stored.path.stem != stem.name:
        raise ValueError(f"the save of {member.name!r} must return a spec like '{stem}.safetensors', not {spec!r}")
    return stored


def write_league(state: Mapping[str, Any], folder: Path) -> None:
    """Write a league's JSON file. If the process is killed before the file is complete, the old file stays."""
    write_json(folder / LEAGUE_FILE, state)


def read_league(folder: Path) -> dict[str, Any]:
    """The contents of a league's JSON file.

    Raises:
        FileNotFoundError: the folder has no such file.
        OSError, ValueError: the file cannot be read, or it is not JSON.
    """
    path = folder / LEAGUE_FILE
    data = read_file(path, _LARGEST_JSON, "load a league from")
    try:
        found = parse_json(data)
        if not isinstance(found, dict):
            raise ValueError("it is not an object")
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is not the file of a league: {error}") from None
    return found


def policies_in(state: Mapping[str, Any], folder: Path) -> dict[str, str | Agent | Policy]:
    """A dict from the name of each member in a league's state to the spec of the member's policy.

    If a policy was saved to a file in `folder`, the spec has the path of this file.

    Raises:
        ValueError: a member in the state has no name or no policy.
    """
    found: dict[str, str | Agent | Policy] = {}
    members = state.get("members")
    for each in members if isinstance(members, list) else ():
        source = each.get("source") if isinstance(each, dict) else None
        if not isinstance(source, dict) or not isinstance(each.get("name"), str):
            raise ValueError("expected members with a name and a source")
        if set(source) == {"spec"} and isinstance(source["spec"], str):
            found[each["name"]] = source["spec"]
            continue
        file, options = source.get("file"), source.get("options")
        if not isinstance(file, str) or not _FILE.fullmatch(file) or not isinstance(options, str):
            raise ValueError(f"the member {each['name']!r:.60} has no policy")
        found[each["name"]] = f"{folder / _MEMBERS / file}{options}"
    return found


def tidy(members: Iterable[Member], folder: Path) -> None:
    """Remove the files of members that the league no longer has."""
    kept = {member.source.path.name for member in members if isinstance(member.source, Stored)}
    with suppress(FileNotFoundError):
        for path in (folder / _MEMBERS).iterdir():
            if _FILE.fullmatch(path.name) and path.name not in kept:
                with suppress(OSError):  # a file that cannot be removed does no harm
                    path.unlink()
