"""Points of a learning curve, and their picture."""

from othello_env import place, play_match
from othello_env.arena import Schedule, measure_positions, measure_progress, play_tournament, progress_text, scalars
from othello_env.arena.benchmark.ladder import Ladder, Rung
from othello_env.arena.number import score_text
from othello_env.arena.progress import YARDSTICKS


def test_a_point_has_what_the_arena_measures():
    agent = "maximizer:eval=count"
    point = measure_progress(agent, game="othello:size=4", games=20)
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


def test_other_games_have_points_too():
    rungs = tuple(Rung(spec, elo, (elo, elo), 2) for spec, elo in (("random", 0.0), ("alphabeta:depth=2", 600.0)))
    ladder = Ladder("mine", rungs, "checkers:size=6", "random:4")
    point = measure_progress("alphabeta:depth=1", game="checkers:size=6", games=20, ladder=ladder)
    found = place("alphabeta:depth=1", ladder=ladder, games=20)
    assert (point["elo"], [*point["scores"]]) == (round(found.elo), ["random"])
    assert "elo" not in measure_progress("random", game="checkers:size=6", games=2)

    three = "tribolo:width=9,height=7,walls=3,cells=5"
    point = measure_progress("tribolo", game=three, games=20)
    agents = {"tribolo": "tribolo", "random, seat 1": "random", "random, seat 2": "random"}
    result = play_tournament(agents, Schedule(tuple(agents), 18, "random:6", 1, three))
    ahead = [r.scores[r.agents.index("tribolo")] - score for r in result.records for score in r.scores]
    # Each game has one difference of 0, that of the agent from itself.
    assert point["scores"]["random"] == round(sum((d > 0) + (d == 0) / 2 for d in ahead) / 36 - 0.25, 4)
    low, high = point["intervals"]["random"]
    assert low < point["scores"]["random"] < high
