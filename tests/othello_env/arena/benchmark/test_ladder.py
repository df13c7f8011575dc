"""The ladders, and the rating of an agent that plays against their rungs."""

import json
import random
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from load_script import load_script

from othello_env import Agent, AgentError, make_agent
from othello_env.arena import FaultWarning
from othello_env.arena.benchmark.ladder import LADDERS, Ladder, Rung, load_ladder, place, rated_agents
from othello_env.arena.benchmark.run import run_benchmark
from othello_env.arena.elo import Fit, expected_score
from othello_env.arena.openings import balanced_openings
from othello_env.arena.play.records import GameRecord
from othello_env.arena.report import AGENT
from othello_env.arena.tournament.playing import play_tournament
from othello_env.page.results import read_results

STRONGEST = {
    "othello": "engine:depth=10,exact=12,eval=ntuple",
    "othello:size=6": "perfect",
    "checkers": "alphabeta:depth=8",
    "tribolo": "paranoid:depth=3",
}

each_game = pytest.mark.parametrize("game", LADDERS)


def written(game):
    """The contents of the JSON file of a packaged ladder."""
    file = resources.files("othello_env.arena.benchmark") / f"{LADDERS[game]}.json"
    return json.loads(file.read_text())


@pytest.fixture(scope="module")
def script():
    return load_script("make/rate_ladder")


@each_game
def test_the_rungs_are_those_of_the_script_and_rise_from_random(script, game):
    ladder = load_ladder(game)
    assert (ladder.name, ladder.game, ladder.rungs[-1].spec) == (LADDERS[game], game, STRONGEST[game])
    assert {rung.spec for rung in ladder.rungs} == set(script.RUNGS[game])
    elo = [rung.elo for rung in ladder.rungs]
    assert elo == sorted(elo)
    assert (ladder.rungs[0].spec, elo[0]) == ("random", 0)
    for rung in ladder.rungs:
        low, high = rung.interval
        assert low <= rung.elo <= high
        assert rung.games >= written(game)["games"] * (2 if ladder.spec.num_players == 2 else 1)
        make_agent(rung.spec).check_game(ladder.spec.start(0))
        assert "ms=" not in rung.spec


@each_game
def test_the_rated_agents_are_those_of_the_script(game):
    assert tuple(rung.spec for rung in rated_agents(game)) == load_script("make/results").AGENTS[game]


def test_a_rated_agent_has_the_rating_of_a_benchmark():
    quick = rated_agents("othello:size=6")[0]
    found = place(quick.spec, game="othello:size=6")
    assert Rung(quick.spec, found.elo, found.interval, found.games).to_json() == quick.to_json()


@pytest.mark.slow
@each_game
def test_the_rungs_play_as_they_did_when_they_were_rated(script, game):
    """If this fails, a rung, its weights or the openings have changed. Then the ladder must be rated again."""
    plan = script.schedule(game, games=load_ladder(game).spec.num_players, seed=written(game)["seed"])
    played = play_tournament({name: name for name in plan.agents}, plan)
    assert script.signature(played) == written(game)["signature"]


def test_the_script_goes_on_where_it_was_stopped(script, tmp_path, capsys):
    file, records, openings = (tmp_path / name for name in ("ladder.json", "games.jsonl", "openings.txt"))
    openings.write_text("\n".join(("# four", *balanced_openings("balanced-6x6-v0")[:4])))
    arguments = {
        "file": file,
        "records": records,
        "game": "othello:size=6",
        "first": 3,
        "workers": 1,
        "openings": openings,
    }
    script.main(script.Args(**arguments, games=4))
    first = json.loads(file.read_text())
    assert [rung["games"] for rung in first["rungs"]] == [8, 8, 8]
    assert (first["name"], first["game"]) == ("ladder-6x6-v0", "othello:size=6")
    assert first["openings"] == "openings.txt"
    before = records.read_text()
    script.main(script.Args(**arguments))
    assert records.read_text().startswith(before)
    second = json.loads(file.read_text())
    assert [rung["games"] for rung in second["rungs"]] == [16, 16, 16]
    assert second["signature"] == first["signature"]
    out = capsys.readouterr().out
    assert "in errors" in out
    assert all(rung.spec in out for rung in Ladder.from_json(second).rungs)


pytestmark = pytest.mark.filterwarnings("ignore::othello_env.arena.FaultWarning")  # some agents fail on purpose

SIMULATED = Ladder("simulated", tuple(Rung(f"rung {n}", 150.0 * n, (150.0 * n,) * 2, 1000) for n in range(14)))
CHEAP = Ladder("cheap", (Rung("random", 0.0, (0.0, 0.0), 2), Rung("maximizer:eval=weighted", 350.0, (330.0, 370.0), 2)))


class Named(str):
    """A name that takes the place of an agent in a simulation."""

    def answers_batches(self, start):
        return False


@pytest.fixture
def simulate(monkeypatch):
    """`simulate(elo, seed, **limits)` is the placement of an agent with this rating, whose results are random."""
    known = {rung.spec: rung.elo for rung in SIMULATED.rungs}

    def call(elo, seed=5, ladder=SIMULATED, **limits):
        rng = random.Random(seed)

        def play_games(agents, todo):
            for pairing in todo:
                (rung,) = (known[name] for name in agents if name != AGENT)
                sign = 1 if (rng.random() < expected_score(elo - rung)) == (pairing.agents[0] == AGENT) else -1
                yield replace(
                    GameRecord.from_state(pairing, pairing.start), result=(sign, -sign), margins=(sign, -sign)
                )

        monkeypatch.setattr("othello_env.arena.benchmark.ladder.make_agent", lambda agent, seed: Named(agent))
        monkeypatch.setattr("othello_env.arena.benchmark.ladder.play_games", play_games)
        return place("simulated", ladder=ladder, **limits)

    return call


def test_games_go_where_they_tell_most(simulate):
    found = simulate(1130.0, 2)
    near = sum(match.games for rung, match in found.matches.items() if abs(rung.elo - 1130) < 250)
    assert near > 0.9 * found.games
    # Against an equal opponent, the 95% interval reaches 25 points to each side after 740 games.
    assert 740 <= found.games < 1000
    low, high = found.interval
    assert 24 < (high - low) / 2 <= 25
    assert low < 1130 < high
    assert sum(match.games > 300 for match in found.matches.values()) == 2  # the rungs just below and above
    assert all(match.games % 2 == 0 for match in found.matches.values())


@pytest.mark.parametrize("elo", [-100.0, 700.0, 2000.0])
def test_twenty_games_begin_with_the_weakest_rung_and_find_the_level(simulate, elo):
    errors = []
    for seed in range(20):
        found = simulate(elo, seed, games=20)
        assert found.games == 20
        assert SIMULATED.rungs[0] in found.matches
        assert found.open_end is None
        errors.append(found.elo - elo)
    assert np.sqrt(np.mean(np.square(errors))) < 160  # 20 even games have a standard error of 78


@pytest.mark.parametrize(("elo", "beyond", "rung"), [(4000.0, "above", -1), (-2000.0, "below", 0)])
def test_who_is_beyond_the_ladder_is_told_so(simulate, elo, beyond, rung):
    found, end = simulate(elo), SIMULATED.rungs[rung]
    assert found.beyond == beyond
    assert found.matches[end].games >= 100
    assert found.games < 300
    low, high = found.interval
    assert low > end.elo if beyond == "above" else high < end.elo
    assert found.number.text.startswith("at least " if beyond == "above" else "at most -")
    assert (found.elo is None) == (beyond == "below"), "an agent that won nothing has no rating"


def test_limits_end_it_but_not_a_clean_score(simulate):
    clean = simulate(1900.0, games=4)
    assert next(iter(clean.matches.values())).score == 1
    assert (clean.open_end, clean.beyond) == ("above", None)
    assert clean.interval[0] < 1900
    more = simulate(200.0, half_width=1e4)
    assert (more.games > 8, more.open_end) == (True, None)
    assert simulate(1050.0, half_width=1e4).games == 8
    seen = []
    assert simulate(500.0, games=38, progress=seen.append).games == 38
    assert [each.games for each in seen] == list(range(2, 40, 2))
    assert simulate(500.0, seconds=1e-9).games == 2
    short = simulate(600.0, ladder=Ladder("short", SIMULATED.rungs[4:5]), half_width=1.0)
    starts = [record.opening_moves for record in short.records]
    assert (len(starts), len(set(starts))) == (1000, 500), "no opening is played twice with a rung"
    assert starts[::2] == starts[1::2]


def test_a_rating_stands_among_those_of_programs(simulate):
    rungs = load_ladder().rungs
    ladder = replace(SIMULATED, name="ladder-v0", rungs=(rungs[0], *SIMULATED.rungs[1:]))
    for elo, told in ((300.0, "below GRhino at level 1"), (1750.0, "above NTest at depth 2 (1698), below NTest")):
        assert any(f"Among programs of other people: {told}" in note for note in simulate(elo, ladder=ladder).notes)


def test_scores_that_no_rating_explains_do_not_fit():
    pairs = [[2.0, 1.0, 1.0, 0.0] * 10] * 3
    assert Fit.from_scores(zip(pairs, [0.5, 0.5, 0.5], strict=True)).chi_square == 0
    # With the expected score 0.99, the rung would get fewer than 5 points, so the chi-square leaves this rung out.
    wrong = Fit.from_scores(zip(pairs, [0.7, 0.3, 0.99], strict=True))
    assert wrong.rungs == 2
    assert wrong.chi_square == pytest.approx(2 * 16**2 / (10 * (0.6**2 + 2 * 0.4**2 + 1.4**2)))
    assert wrong.p_value < 1e-4
    assert Fit(13.277, 5).p_value == pytest.approx(0.01, abs=1e-5)  # as the tables say
    assert Fit(6.635, 1).p_value == 1
    # Each score is 0.2 from the expected score. The variance of a score is that of 40 pairs, of two games each.
    assert wrong.deviation == pytest.approx((0.2**2 - 10 * (0.6**2 + 2 * 0.4**2 + 1.4**2) / 80**2) ** 0.5)
    assert Fit.from_scores(zip(pairs, [0.5, 0.5, 0.5], strict=True)).deviation == 0


def test_on_6x6_the_games_begin_in_the_openings_of_the_ladder():
    found = place("maximizer:eval=count", game="othello:size=6", games=16)
    assert found.ladder == load_ladder("othello:size=6")
    assert found.games == 16
    assert repr(found).startswith("<Placement on ladder-6x6-v0: Elo ")
    records = [record for match in found.matches.values() for record in match.records]
    assert {record.game for record in records} == {"othello:size=6"}
    assert {record.opening_moves.replace(" ", "") for record in records} <= set(balanced_openings("balanced-6x6-v0"))
    assert found == place("maximizer:eval=count", ladder=load_ladder("othello:size=6"), games=16)


def test_ratings_on_a_ladder_of_your_own_have_another_name():
    for openings in ("random:4", None, ("11-15", "9-13 21-17")):
        own = Ladder("mine", CHEAP.rungs, "checkers", openings)
        assert own == Ladder.from_json(json.loads(json.dumps(own.to_json())))
    assert (own.number_name, CHEAP.number_name, load_ladder().number_name) == ("Elo on mine", "Elo on cheap", "Elo")


def test_three_players_take_every_seat_against_neighbours():
    specs = ("random", "maximizer", "tribolo:strategy=score", "tribolo")
    rungs = tuple(Rung(spec, 80.0 * n, (80.0 * n,) * 2, 3) for n, spec in enumerate(specs))
    ladder = Ladder("three", rungs, "tribolo:width=9,height=7,walls=3,cells=5", None)
    with pytest.raises(ValueError, match="a positive multiple of 3"):
        place("random", ladder=ladder, games=4)
    found = place("maxn:depth=1", ladder=ladder, games=18)
    assert found == place("maxn:depth=1", ladder=ladder, games=18)
    neighbours = [{AGENT, *specs[i : i + 2]} for i in range(3)]
    openings = {}
    for record in found.records:
        assert {*record.agents} in neighbours
        assert record.replay().returns() == record.result
        openings.setdefault((record.opening, frozenset(record.agents)), []).append(record)
    assert [sorted(r.agents.index(AGENT) for r in games) for games in openings.values()] == [[0, 1, 2]] * 6
    for games in openings.values():
        assert len({game.position for game in games}) == 1, "every seat on the same board"
    assert (found.games, sum(match.games for match in found.matches.values())) == (18, 36)
    # Beside it: the same maximum and the same variance, from the cells at the end of each game.
    theirs, units = {rung.spec: rung.elo for rung in rungs}, {}
    for record in found.records:
        mine = record.agents.index(AGENT)
        for seat, name in enumerate(record.agents):
            if seat != mine:
                ahead = np.sign(record.scores[mine] - record.scores[seat])
                units.setdefault(record.opening, []).append((0.5 + 0.5 * ahead, theirs[name]))
    every = [each for unit in units.values() for each in unit]
    elos = np.arange(-1000, 1500, 0.1)
    p = {elo: 1 / (1 + 10 ** ((elo - elos) / 400)) for elo in theirs.values()}
    likelihood = sum(s * np.log(p[elo]) + (1 - s) * np.log(1 - p[elo]) for s, elo in every)
    information = sum(p[elo] * (1 - p[elo]) for _, elo in every)
    best = (likelihood + np.log(information) / 2).argmax()
    assert found.elo == pytest.approx(elos[best], abs=0.1)
    squares = sum(sum(s - p[elo][best] for s, elo in unit) ** 2 for unit in units.values())
    squares = max(squares * len(units) / (len(units) - 1), information[best])
    half = 1.96 * 400 / np.log(10) * np.sqrt(squares) / information[best]
    assert found.interval == pytest.approx((elos[best] - half, elos[best] + half), abs=0.2)
    rows = found.tables[1].rows
    assert sum(row["games"] for row in rows) == 18
    seats = [(row[seat].value, row["games"] / 3) for row in rows for seat in ("blue", "red", "green")]
    assert sum(score * games for score, games in seats) / 18 == pytest.approx(np.mean([s for s, _ in every]))


def test_the_seed_repeats_the_games_of_single_and_batched_answers():
    class Single(Agent):
        def act(self, state, *, seconds_left=None):
            return state.legal_actions()[-1]

    def batched(observations, masks):
        return 64 - np.argmax(masks[:, ::-1], axis=1)

    single, other = (place(Single(), ladder=CHEAP, games=24, seed=seed) for seed in (1, 2))
    assert single == place(batched, ladder=CHEAP, games=24, seed=1)
    assert 0 < single.seconds_a_move < 1
    starts = [[r.opening_moves for m in found.matches.values() for r in m.records] for found in (single, other)]
    assert starts[0] != starts[1]


@pytest.mark.filterwarnings("default")
def test_a_rung_that_fails_is_an_error_and_no_rating(tmp_path):
    path = tmp_path / "brokenrung.py"
    path.write_text("def f(observations, masks):\n    raise ZeroDivisionError('oops')\n")
    broken = Ladder("mended", (Rung(f"{path}:f", 0.0, (0.0, 0.0), 2), CHEAP.rungs[1]))
    with pytest.raises(
        AgentError, match=r"no rating: the rung .*brokenrung.py:f of mended .*ZeroDivisionError: oops"
    ) as told:
        place("random", ladder=broken, games=8)
    assert "\n" not in str(told.value)


def test_an_agent_that_fails_at_every_move_gets_a_warning_and_no_rating():
    def broken(observations, masks):
        raise ZeroDivisionError("oops")

    told = "broken failed in 8 of 8 games; the first: agent .*ZeroDivisionError: oops"
    with pytest.warns(FaultWarning, match=told) as seen:
        found = place(broken, ladder=CHEAP, games=8)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert found.elo is None
    assert found.number.text == "none"
    assert repr(found) == "<Placement on cheap: Elo none, 8 games, 8 forfeited>"
    with pytest.warns(FaultWarning):
        result = run_benchmark(broken, games=8)
    shown = read_results("a.json", json.loads(json.dumps(result.to_json(), allow_nan=False)))
    assert shown["parts"][0]["facts"] == [["Elo", "none"], ["illegal or failed answers", "8"]]
    assert shown["rated"] is None
