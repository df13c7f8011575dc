"""What the calls of this room refuse: a row is a call, its error and the words. Damaged files: the formats' tests."""

import numpy as np
import pytest

from othello_env import Checkers, Othello
from othello_env.data import Games, agent_labels, exact_labels, examples, match_games, random_games
from othello_env.data.formats import archive, wthor


def with_column(**columns):
    games = random_games(2)
    return Games(games.actions, games.lengths, columns=columns)


REFUSED = [
    (lambda: Games([[1.0]], [1]), TypeError, "expected integers in actions, got dtype float64"),
    (lambda: Games([[1]], [2]), ValueError, "lengths must be 0 to 1, not 2 to 2"),
    (lambda: Games([[1]], [1, 1]), ValueError, r"expected lengths of shape \(1,\), got \(2,\)"),
    (lambda: Games([1], [1]), ValueError, r"expected actions of shape \(N, T\), got \(1,\)"),
    (lambda: Games([[65]], [1]), ValueError, "actions must be 0 to 64, not 65 to 65"),
    (lambda: Games([[-2]], [1]), ValueError, "actions must be 0 to 64"),
    (lambda: Games([[1]], [1], "othello", (), [1]), ValueError, "start must be 0 to 0"),
    (lambda: Games([[1]], [1], "go"), ValueError, "expected one of the games checkers, othello, tribolo"),
    (lambda: Games([[1]], [1], columns={"a": [1, 2]}), ValueError, "expected 1 entries in the column 'a'"),
    (lambda: Games(np.broadcast_to(np.int8(0), (3, 10**9)), [10**9] * 3), ValueError, "3 games of up to 1,000,000,000"),
    (lambda: Games([[0]], [1], starts=[Othello(4)]), ValueError, r"expected starts of othello, got Othello\.from_text"),
    (lambda: random_games(4)[3], TypeError, "a slice, a mask or an array"),
    (lambda: Games.joined([]), ValueError, "games of one kind"),
    (lambda: Games.joined([random_games(1), random_games(1, size=6)]), ValueError, "games of one kind"),
    (lambda: next(examples(Games.from_states([Checkers()]), symmetric=True)), ValueError, "is for Othello"),
    (lambda: match_games("random", count=3), ValueError, "even number"),
    (lambda: match_games("random", count=2, first=1), ValueError, "even number"),
    (lambda: match_games("random", count=2, game="tribolo"), ValueError, "two players"),
    (lambda: agent_labels(random_games(1, size=4), "random"), ValueError, "neither action_values nor action_prob"),
    (lambda: exact_labels(Games(np.zeros((0, 1), int), [], "checkers"), 5), ValueError, "are for games of Othello"),
    (lambda: archive.dump(with_column(x=np.array([{}, {}]))), ValueError, "column 'x' has dtype object"),
    (lambda: wthor.dump(with_column(year=[70000] * 2)), ValueError, "'year' .* must be 0 to 65535, not 70000"),
    (lambda: wthor.dump(with_column(depth=[300, 300])), ValueError, "'depth' .* must be 0 to 255, not 300"),
    (lambda: wthor.dump(with_column(black=[5, -1])), ValueError, "'black' .* must be 0 to 65535, not -1"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_a_wrong_call_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
