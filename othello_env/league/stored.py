"""The state of a league as plain values. A state is checked when it is read, since its source may be unknown."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from othello_env.agent import Agent, Policy, make_agent
from othello_env.league.members import Member, Player, Stored, source_of
from othello_env.league.results import Results

__all__ = ["FORMAT", "check_state", "is_earlier", "member_from_json", "member_to_json", "missing_matches"]

FORMAT = "othello-env league 1"
"""The value of ``format`` in a state."""

_MOST = 2**62
_KEYS = ("format", "settings", "added", "snapshots", "drawn", "matches", "members", "results")


def member_to_json(member: Member) -> dict[str, Any]:
    """A member without its policy, as values that JSON can hold."""
    return {
        "number": member.number,
        "name": member.name,
        "fixed": member.fixed,
        "frozen": member.frozen,
        "played": member.played,
        "points": member.points,
        "games": member.games,
        "source": _source_to_json(member),
    }


def _source_to_json(member: Member) -> dict[str, Any]:
    """The file and options of the member's policy, or its spec.

    If the policy has neither a file nor a spec, the spec is None. `othello_env.league.files.policies_in` makes a spec
    from the file and the options.
    """
    if isinstance(member.source, Stored):
        return {"file": member.source.path.name, "options": member.source.options}
    return {"spec": member.source if isinstance(member.source, str) else None}


def check_state(state: Any) -> None:
    """Check the parts of a league's state that `Settings`, `Results` and `member_from_json` do not check.

    Raises:
        ValueError: `state` is not the state of a league.
    """
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ValueError(f"expected the state of a league in the format {FORMAT!r}")
    if set(state) != set(_KEYS):
        raise ValueError(f"expected a state with {', '.join(_KEYS)}")
    for name in ("added", "snapshots", "drawn"):
        if not _is_count(state[name]):
            raise ValueError(f"expected a count of {name}, got {state[name]!r:.60}")
    matches = state["matches"]
    if matches is not None and not (
        isinstance(matches, dict)
        and set(matches) == {"game", "openings"}
        and isinstance(matches["game"], str)
        and (matches["openings"] is None or isinstance(matches["openings"], str))
    ):
        raise ValueError("expected the game and the openings of the matches as two texts")
    numbers = [each.get("number") for each in state["members"]] if _is_list_of_dicts(state["members"]) else None
    if numbers is None or not all(map(_is_count, numbers)):
        raise ValueError("expected members with numbers")
    if numbers != sorted(set(numbers)) or any(number >= state["added"] for number in numbers):
        raise ValueError("expected members with ascending numbers, each below the state's count of added members")
    names = [each.get("name") for each in state["members"]]
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise ValueError("expected members with different names")


def is_earlier(before: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    """Whether `before` is an earlier state of the same league as `state`, or the same state.

    This is so if three conditions hold. Both states have equal settings. Each count, such as the number of snapshots,
    is at least as large in `state` as in `before`. Each member in `state` is also in `before`, unless the member was
    added after `before` was stored. Matches do not matter here; see `missing_matches`.
    """

    def members(each: Mapping[str, Any]) -> dict[int, tuple[Any, ...]]:
        return {one["number"]: (one["name"], one.get("fixed"), one.get("played")) for one in each["members"]}

    if before["settings"] != state["settings"]:
        return False
    if any(before[name] > state[name] for name in ("added", "snapshots", "drawn")):
        return False
    old = members(before)
    return all(old.get(number) == who for number, who in members(state).items() if number < before["added"])


def missing_matches(before: Mapping[str, Any], state: Mapping[str, Any]) -> dict[tuple[int, int], list[int]]:
    """The matches in `before` that `state` lacks.

    `state` lacks matches of two members if it has both members, but fewer of their colour-swapped pairs than `before`.

    Returns:
        A dict from the numbers of two members to the counts of their pairs in `before`; see `Meeting.pairs`.

    Raises:
        ValueError: a state is damaged.
    """
    old, new = (Results.from_json(each["results"], _numbers(each)) for each in (before, state))
    kept = {*_numbers(state)}
    return {
        (a, b): meeting.pairs
        for (a, b), meeting in old.meetings.items()
        if {a, b} <= kept and sum(meeting.pairs) > new.pairs(a, b)
    }


def _numbers(state: Mapping[str, Any]) -> list[int]:
    return [member["number"] for member in state["members"]]


def _is_list_of_dicts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and 0 <= value < _MOST


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "number": _is_count,
    "name": lambda value: isinstance(value, str),
    "fixed": lambda value: type(value) is bool,
    "frozen": lambda value: type(value) is bool,
    "played": _is_count,
    "points": _is_amount,
    "games": _is_amount,
    "source": lambda value: isinstance(value, dict),
}


def member_from_json(values: Any, policies: Mapping[str, str | Agent | Policy], seed: int) -> Member:
    """The inverse of `member_to_json`.

    Args:
        values: what `member_to_json` returned.
        policies: the members' policies by name.
        seed: the league's seed.

    Raises:
        ValueError: these are not the values of a member, or the member's policy is missing or wrong.
    """
    if not isinstance(values, dict) or set(values) != set(_CHECKS):
        raise ValueError(f"expected a member with {', '.join(_CHECKS)}")
    for name, is_good in _CHECKS.items():
        if not is_good(values[name]):
            raise ValueError(f"a member has a wrong {name}: {values[name]!r:.60}")
    if values["points"] > values["games"] or (values["fixed"] and not values["frozen"]):
        raise ValueError(f"the member {values['name']!r:.60} contradicts itself")
    name = values["name"]
    if name not in policies:
        raise ValueError(f"there is no policy for the member {name!r:.60}")
    policy, known = policies[name], {key: values[key] for key in ("number", "name", "fixed", "frozen", "played")}
    member = Member(**known, player=Player(name, make_agent(policy, seed)), source=source_of(policy))
    member.points, member.games = float(values["points"]), float(values["games"])
    return member
