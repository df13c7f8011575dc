"""The rules of a league: which members become opponents, and which snapshots of the learner are forgotten (removed)."""

from __future__ import annotations

from collections.abc import Sequence

from othello_env.league.matchmaking import pfsp
from othello_env.league.members import Member
from othello_env.league.settings import Settings

__all__ = ["probabilities", "surplus"]


def probabilities(members: Sequence[Member], settings: Settings) -> dict[str, float]:
    """The probability that each member is drawn as an opponent, by name. There must be at least one member."""
    fixed = [member for member in members if member.fixed]
    snapshots = [member for member in members if not member.fixed]
    if not snapshots or not fixed:
        return _weighed(members, settings)
    share = settings.fixed_share
    if share is None and settings.matchmaking != "latest":
        return _weighed(members, settings)
    parts = ((fixed, share or 0.0), (snapshots, 1 - (share or 0.0)))
    return {name: part * p for group, part in parts for name, p in _weighed(group, settings).items()}


def _weighed(group: Sequence[Member], settings: Settings) -> dict[str, float]:
    """A dict from each member's name to its probability within a group of members. The probabilities add up to 1."""
    if settings.matchmaking == "pfsp":
        found = pfsp([member.score for member in group], settings.weighting)
    elif settings.matchmaking == "latest" and not group[-1].fixed:
        found = [*[0.0] * (len(group) - 1), 1.0]
    else:
        found = [1 / len(group)] * len(group)
    return dict(zip((member.name for member in group), found, strict=True))


def surplus(snapshots: Sequence[Member], settings: Settings) -> list[Member]:
    """The snapshots that must be forgotten, so that at most `Settings.keep` unfrozen snapshots remain.

    Args:
        snapshots: the snapshots, the oldest first.
        settings: the settings of the league.
    """
    loose = [member for member in snapshots if not member.frozen]
    gone: list[Member] = []
    while settings.keep is not None and len(loose) > settings.keep:
        gone.append(_next_to_go(loose, settings.forget))
        loose.remove(gone[-1])
    return gone


def _next_to_go(loose: Sequence[Member], rule: str) -> Member:
    """The snapshot that is forgotten next, which is never the newest snapshot."""
    if rule == "beaten":
        return max(loose[:-1], key=lambda member: member.score)  # if scores are equal, `max` takes the oldest
    if rule == "crowded" and len(loose) > 2:
        gaps = [after.number - before.number for before, after in zip(loose, loose[2:], strict=False)]
        return loose[1 + gaps.index(min(gaps))]
    return loose[0]
