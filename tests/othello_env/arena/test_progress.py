"""Points of a learning curve, and their picture."""

import pytest

from othello_env import place, play_match
from othello_env.arena import measure_positions, measure_progress, progress_text, scalars
from othello_env.arena.number import score_text
from othello_env.arena.progress import YARDSTICKS


def test_a_point_has_what_the_arena_measures():
    agent = "maximizer:eval=count"
    point = measure_progress(agent, size=4, games=20)
    for opponent in YARDSTICKS:
        match = play_match(agent, opponent, games=20, openings="random:3", seed=1, game="othello:size=4")
        assert point["scores"][opponent] == round(match.score, 4)
        assert point["intervals"][opponent] == [round(end, 4) for end in match.interval]
    regret = measure_positions(agent, game="othello:size=4")
    assert (point["perfect moves"], point["discs lost"]) == (round(regret.rate, 4), round(regret.loss, 3))
    scores = [score_text(score) for score in point["scores"].values()]
    assert progress_text(point) == (
        f"random {scores[0]}  maximizer {scores[1]}  alphabeta {scores[2]}  perfect moves {score_text(regret.rate)}"
    )
    matches = {f"scores/{opponent}": point["scores"][opponent] for opponent in YARDSTICKS}
    assert scalars(point) == matches | {name: point[name] for name in ("perfect moves", "discs lost")}


def test_on_8x8_a_point_has_the_rating():
    point = measure_progress("maximizer:eval=count", games=40, opponents=["random"])
    placement = place("maximizer:eval=count", games=40)
    assert point["elo"] == round(placement.elo)
    assert point["elo95"] == [round(end) for end in placement.interval]
    assert "elo" not in measure_progress("random", games=2, opponents=["random"], rating=False)
    with pytest.raises(ValueError, match="expected a board of size 4, 6 or 8, got 5"):
        measure_progress("random", size=5)
