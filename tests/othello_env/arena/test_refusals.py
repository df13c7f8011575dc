"""What the arena refuses: a table of calls, errors and words of their messages."""

import numpy as np
import pytest

from othello_env import AgentError, Checkers, Othello, Tribolo, WrongGameError
from othello_env.arena import (
    Schedule,
    balanced_openings,
    exploitability,
    mean_over_seeds,
    measure_positions,
    measure_progress,
    paired_test,
    place,
    play_match,
    play_perfect,
    play_tournament,
    rate,
    run_benchmark,
)
from othello_env.arena.benchmark.ladder import Ladder, Rung
from othello_env.arena.elo import Comparison
from othello_env.arena.play.records import GameRecord
from othello_env.arena.statistics import interquartile_mean
from othello_env.arena.tournament.schedule import find_openings
from othello_env.games.registry import UnknownGameError

WIPE_OUT = "e6 f4 e3 f6 g5 d6 e7 f5 c5"
CHEAP = Ladder("cheap", (Rung("random", 0.0, (0.0, 0.0), 2), Rung("maximizer:eval=weighted", 350.0, (330.0, 370.0), 2)))


class Reversed(Othello):
    """Othello in which the player with fewer discs wins."""

    def returns(self):
        return tuple(-value for value in super().returns())


def match(a="random", b="random", **options):
    return lambda: play_match(a, b, **options)


def schedule(game, **options):
    return lambda: Schedule(("a", "b", "c"), 6, game=game, **options)


def rated(*units, fixed=None):
    return lambda: rate(units, {"a": 0.0} if fixed is None else fixed)


def over():
    state = Othello(4)
    while not state.is_over:
        state = state.play(state.legal_actions()[0])
    return state


REFUSED = [
    (match(workers=0), ValueError, "workers must be at least 1, not 0"),
    (match(lambda observations, masks: 0, workers=2), TypeError, "cannot be sent to another process"),
    (match(game=Reversed()), UnknownGameError, "Reversed is not a registered game; register it .*state=Reversed"),
    (match(game=Tribolo()), ValueError, "a match is of two players; tribolo has 3"),
    (match(size=6), TypeError, 'write game="othello:size=6" for size=6'),
    # with this history, a position counts for the rule for draws
    (schedule(Checkers.from_text("B:WK32:BK1").play_transcript("1-5 32-28")), ValueError, "opening cannot be stored"),
    (schedule(Othello), TypeError, r'such as "othello:size=6", a GameSpec or a State .*mean Othello\(\)'),
    (schedule("othello", size=6), TypeError, 'write game="othello:size=6"'),
    (schedule(over()), ValueError, "no game can begin where it is over"),
    (lambda: find_openings("balanced-v0", lambda _: Othello(6)), ValueError, "balanced-v0 are for othello$"),
    (
        lambda: find_openings("balanced-6x6-v0", lambda _: Othello()),
        ValueError,
        "6x6-v0 are for othello:size=6",
    ),
    (lambda: balanced_openings("balanced-v7"), ValueError, "packaged openings are balanced-v0, .*, not 'balanced-v7'"),
    (lambda: measure_progress("random", game="othello:size=5"), ValueError, "size must be one of 4, 6, 8, not 5"),
    (lambda: measure_positions("random", game="checkers"), ValueError, "are for othello, .*:size=4, not checkers"),
    (lambda: play_perfect("random", game="othello"), ValueError, "for othello:size=4 and othello:size=6, not othello"),
    (lambda: exploitability(lambda observations, masks: np.zeros(len(masks), int)), AgentError, "illegal action"),
    (lambda: exploitability(lambda _, masks: masks / 2), AgentError, r"legal actions.* with sums such as \[2"),
    (lambda: exploitability(lambda _, masks: masks - 2.0), AgentError, r"with sums such as \[-3"),
    (lambda: exploitability(lambda _, masks: np.eye(17)[masks[:, ::-1].argmax(1)]), AgentError, "of the legal actions"),
    (
        lambda: place("random", game="othello:size=4"),
        ValueError,
        "are for othello, .*, not .*=4; give another",
    ),
    (
        lambda: place("random", game="othello:size=6", ladder=CHEAP),
        ValueError,
        "cheap is for othello, not .*=6",
    ),
    (lambda: place("perfect"), WrongGameError, "perfect plays Othello on 4x4 and 6x6"),
    (lambda: run_benchmark("random", "checkers:size=6"), ValueError, "no benchmark for checkers:size=6; give a ladder"),
    (lambda: play_tournament({"random": "random"}, Schedule(("random", "a"))), ValueError, "but the schedule has"),
    (lambda: mean_over_seeds([]), ValueError, "at least one run"),
    (lambda: GameRecord.from_transcript("f5d6", ("a", "b")), ValueError, "this game is not over"),
    (lambda: GameRecord.from_transcript(WIPE_OUT, ("a",)), ValueError, "expected 2 names"),
    (rated(Comparison("a", "b", 1), fixed={}), ValueError, "at least one fixed"),
    (rated(Comparison("a", "b", 1), Comparison("c", "d", 1)), ValueError, "no games lead from c to a"),
    (rated(Comparison("a", "b", 3)), ValueError, "with 0 to 2 points"),
    (rated(Comparison("a", "a", 1)), ValueError, "expected two agents"),
    (rated(Comparison("a", "b", 1, count=0)), ValueError, "a count of at least 1"),
    (lambda: paired_test([], []), ValueError, "a must be finite numbers, at least one, not"),
    (lambda: paired_test([1], [1, 2]), ValueError, "as many numbers for both agents, got 1 and 2"),
    (lambda: paired_test([1, np.nan], [1, 2]), ValueError, "a must be finite numbers"),
    (lambda: paired_test([1], [[2]]), ValueError, "b must be finite numbers"),
    (lambda: interquartile_mean([1, 2]), ValueError, r"finite scores of shape \(runs, tasks\), got shape \(2,\)"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=[words for _, _, words in REFUSED])
def test_it_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
