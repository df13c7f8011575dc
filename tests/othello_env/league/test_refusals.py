"""What the calls of this room refuse: a row is a call, its error and the words. Damaged files: `test_league_files`."""

import numpy as np
import pytest
from league_games import first

from othello_env.league import League


def league(*names):
    """A league of functions with these names."""
    made = League()
    for name in names:
        made.add(first, name)
    return made


ENDED = np.array([False, True])
POINTS, COUNTS = (
    r"expected 0, 0\.5 or 1 as the learner's points, not 2",
    "expected the numbers of games lost, drawn and",
)
REFUSED = [
    (lambda: league().draw(), ValueError, "the league has no members"),
    (lambda: league("a", "a"), ValueError, "expected a name that no member has, not 'a'"),
    (lambda: league("a").record_game("a", 2), ValueError, POINTS),
    (lambda: league("a", "b").record_game("c", 1.0), KeyError, "there is no member 'c'; there are a, b"),
    *((lambda n=n: league("a").record_results("a", n), ValueError, COUNTS) for n in ([1, 2], [0, -1, 1], [0.5, 0, 0])),
    *(
        (
            lambda seats=seats: league("a").record(None, np.ones(2), ENDED, {"opponent": seats}),
            ValueError,
            "a league is for games of a learner against one opponent",
        )
        for seats in (np.zeros((2, 2), np.int64), np.full(2, -1))
    ),
    (lambda: league("a").complete(game="tribolo"), ValueError, "two players; tribolo has 3"),
    (lambda: league("a", "b").payoffs().worst("a"), ValueError, "'a' has met no other member"),
    (lambda: league("a", "b").payoffs().worst("x"), ValueError, "expected one of a, b, got 'x'"),
    (lambda: league("a", "b").payoffs().ratings(), ValueError, "no games lead from"),
    (lambda: league("a", "b").payoffs().ratings("x"), ValueError, "as the anchor, got 'x'"),
    (lambda: league().add(first, "a", save=lambda stem: "random"), ValueError, r"a spec like .*0000\.safetensors"),
    (
        lambda: league().add(first, "a", save=lambda stem: f"{stem}.npz"),
        ValueError,
        "cannot be loaded: there is no file",
    ),
    (lambda: league().add(first, "a", save="a.npz"), TypeError, r"save must be a function .*, not 'a\.npz'"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_a_wrong_call_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
