"""What the page shows of a league: the scores of its members against each other, and the members' ratings.

The members of a league are earlier versions of a learner, and other opponents of the learner.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from othello_env.league.files import LEAGUE_FILE, State
from othello_env.league.league import League
from othello_env.league.payoffs import Payoffs
from othello_env.support.files import parse_json, read_file

__all__ = ["LARGEST", "MOST_MEMBERS", "league_view", "read_league_folder"]

MOST_MEMBERS = 100
"""The page shows a league only if it has at most this number of members."""
LARGEST = 4 << 20
"""The largest JSON file of a league or a training run that the server reads, in bytes."""


def read_league_folder(folder: Path) -> dict[str, Any]:
    """What the page shows of the league in a folder; see `league_view`.

    Raises:
        FileNotFoundError: there is no league in the folder.
        OSError, ValueError: the league cannot be read, or is damaged.
    """
    content = parse_json(read_file(folder / LEAGUE_FILE, LARGEST, "show a league from"))
    return league_view(folder.name or str(folder), content)


def league_view(name: str, state: Any) -> dict[str, Any]:
    """The scores and ratings of a league's members, as values for JSON that the page draws.

    The members' policies are not loaded, so no code of the league's author runs.

    Args:
        name: the league's name on the page.
        state: what `othello_env.league.League.state` returned. The values are checked.

    Returns:
        A dict with these keys:

        - ``name``: the league's name.
        - ``total``: the number of games.
        - ``names``, ``played``, ``scores``, ``intervals95`` and ``games``: as in `Payoffs.to_json`.
        - ``fromMatches``: for every two members, whether their score comes from matches (otherwise from training).
        - ``anchor``: the member whose rating is 0.
        - ``ratings``: for each member, its ``elo`` and the two ends of its ``interval`` (None for an infinite end).
        - ``unexplained``: how much of the scores the ratings do not explain; see `othello_env.league.payoffs`.

        If the games allow no ratings, ``anchor``, ``ratings`` and ``unexplained`` are None.

    Raises:
        ValueError: the state is damaged, or has more than `MOST_MEMBERS` members.
    """
    names = [member.name for member in State.of(state).members]
    if len(names) > MOST_MEMBERS:
        raise ValueError(f"the league has {len(names)} members; the page shows at most {MOST_MEMBERS}")
    payoffs = League.from_state(state, dict.fromkeys(names, "random")).payoffs()
    return {
        "name": name,
        "total": int(payoffs.games.sum()) // 2,
        **payoffs.to_json(),
        "fromMatches": payoffs.from_matches.tolist(),
        **_rated(payoffs),
    }


def _rated(payoffs: Payoffs) -> dict[str, Any]:
    """The fields ``anchor``, ``ratings`` and ``unexplained`` of `league_view`."""
    try:
        ratings = payoffs.ratings()
        unexplained = payoffs.transitivity().unexplained
    except (ValueError, IndexError):  # there is no member, or the games do not connect all members
        return {"anchor": None, "ratings": None, "unexplained": None}
    found = [
        {"elo": _finite(ratings.elo[name]), "interval": [_finite(end) for end in ratings.interval(name)]}
        for name in payoffs.names
    ]
    return {"anchor": next(iter(ratings.elo)), "ratings": found, "unexplained": unexplained}


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
