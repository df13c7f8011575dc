"""Leagues for training: a learner's opponents (the members), the choice of opponents, and the members' results."""

from typing import TYPE_CHECKING

from othello_env.support.imports import later

if TYPE_CHECKING:
    from othello_env.league.league import League
    from othello_env.league.members import Member
    from othello_env.league.payoffs import Payoffs
    from othello_env.league.pictures import payoff_picture, rating_picture

__all__ = ["League", "Member", "Payoffs", "payoff_picture", "rating_picture"]

if not TYPE_CHECKING:  # at run time, a name is imported only when it is first used
    __getattr__ = later(
        __name__,
        {
            "othello_env.league.league": ("League",),
            "othello_env.league.members": ("Member",),
            "othello_env.league.payoffs": ("Payoffs",),
            "othello_env.league.pictures": ("payoff_picture", "rating_picture"),
        },
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
