"""Reports: their JSON and texts, a leaderboard of several, and the means over runs of one method."""

import json
import math

import numpy as np
import pytest
import reports

from othello_env.arena import Number, Report, Table, mean_over_seeds
from othello_env.arena.benchmark import run
from othello_env.arena.compare import leaderboard_chart, leaderboard_page, leaderboard_table, seeds_json, seeds_rows
from othello_env.arena.report import Found
from othello_env.page.results import read_results

SMALL = "othello:size=6"


def with_losses(elo, loss, best=0.5, agent="a", game="othello", high=None):
    """A report with a rating, the share of best moves and the discs that they lose."""
    rated = reports.rated(elo, high=high, agent=agent, game=game, seed=0)
    numbers = (
        Number("best moves", game, best, "share", 0.1, 0.9, 0.25),
        Number("discs lost a move", game, loss, "discs"),
    )
    return Report(agent, game, (*rated.parts, Found("positions", numbers)), rated.settings)


def test_a_report_and_what_json_keeps_of_it_are_shown_alike():
    cell = Number("score", "othello", 0.6383, "score", 0.579, 0.694, 0.619)
    rows = ({"rung": "random", "games": 12, "score": cell, "wins": 7},)
    table = Table(("rung", "games", "score"), rows, "expected")
    part = Found(
        "ladder", (Number("Elo", "othello", 484.26, "elo", 459.0, math.inf),), "12 games", (table,), ("Note.",)
    )
    report = Report("a", "othello", (part,), {"seed": 3})
    again = Report.from_json(json.loads(json.dumps(report.to_json(), allow_nan=False)))
    assert again.to_markdown() == report.to_markdown()
    assert again.to_json() == report.to_json()
    assert table.texts() == (
        ("rung", "games", "score", "95% interval", "expected"),
        [("random", "12", ".638", ".579 to .694", ".619")],
    )
    assert report.head(part) == "a: Elo at least 459, no upper limit found (12 games, seed 3)"
    assert again.parts[0].tables[0].rows[0]["wins"] == 7
    shown = read_results("a.json", report.to_json())
    assert shown["parts"][0]["facts"] == [["Elo", "at least 459, no upper limit found"]]
    assert shown["parts"][0]["tables"][0]["rows"] == [["random", "12", ".638", ".579 to .694", ".619"]]


@pytest.mark.parametrize(
    ("number", "text", "brief"),
    [
        ((484.4, "elo", 459.2, 509.0), "484, 95% interval 459 to 509", "484 (459 to 509)"),
        ((484.4, "elo", -math.inf, 509.0), "at most 509, no lower limit found", "at most 509"),
        ((None, "elo", -math.inf, math.inf), "none", "no limit found"),
        ((-0.2, "elo", None, None), "0", "0"),
        ((0.3941, "share", 0.352, 0.437), "39.4%, 95% interval 35.2% to 43.7%", "39.4% (35.2% to 43.7%)"),
        ((35.5, "discs", 35.5, math.inf), "at least 35.50, no upper limit found", "at least 35.50"),
    ],
)
def test_a_number_has_one_text_everywhere(number, text, brief):
    value, form, low, high = number
    made = Number("x", "othello", value, form, low, high)
    assert (made.text, made.brief, str(made)) == (text, brief, f"x {text}")


def test_a_leaderboard_never_mixes_games_in_a_column():
    both = [with_losses(700, 7.71, agent="a"), with_losses(900, 5.66, agent="a", game=SMALL)]
    head, rows = leaderboard_table([*both, with_losses(800, 3.0, agent="b")])
    names, best = ("Elo", "best moves", "discs lost a move"), "50.0% (10.0% to 90.0%)"
    assert head == ("agent", *(f"{name}, {game}" for game in ("othello", SMALL) for name in names))
    assert rows == [
        ("b", "800 (700 to 900)", best, "3.00", "-", "-", "-"),
        ("a", "700 (600 to 800)", best, "7.71", "900 (800 to 1000)", best, "5.66"),
    ]
    page = leaderboard_page(both)
    assert "| 700 (600 to 800) |" in page
    assert "- a: Elo 900, 95% interval 800 to 1000 (seed 0)" in page
    assert leaderboard_chart(both) is not None
    assert leaderboard_chart([Report("a", "othello")]) is None


def test_agents_without_a_lower_limit_are_in_the_order_of_the_next_numbers():
    weak = [("a", 0.2, 9.0), ("b", 0.3, 8.0), ("c", 0.3, 7.0)]
    found = []
    for value, (agent, best, loss) in zip((-50.0, -60.0, -70.0), weak, strict=True):
        below = Number("Elo", "othello", value, "elo", -math.inf, 10.0)
        other = with_losses(value, loss, best, agent=agent).parts[1]
        found.append(Report(agent, "othello", (Found("ladder", (below,)), other)))
    _, rows = leaderboard_table([*found, reports.rated(5.0, agent="d")])
    assert [row[0] for row in rows] == ["d", "c", "b", "a"]
    assert rows[1][1] == "at most 10"


def test_the_runs_are_the_units():
    runs = [with_losses(1400.0, 1.0, 0.5), with_losses(1450.0, 0.0, 1.0), with_losses(1430.0, 4.0, 0.0)]
    found = mean_over_seeds(runs)
    assert list(found) == [("othello", name) for name in ("Elo", "best moves", "discs lost a move")]
    elo = found["othello", "Elo"]
    assert elo.values == (1400, 1450, 1430)
    half = 4.30265 * np.std([1400, 1450, 1430], ddof=1) / math.sqrt(3)  # Student's t with two degrees of freedom
    assert elo.interval == pytest.approx((1426.667 - half, 1426.667 + half), abs=1e-3)
    assert found["othello", "discs lost a move"].mean == pytest.approx(5 / 3)
    row, shares, losses = seeds_rows(runs)
    everything = "0.0% to 100.0%"
    assert shares == ("best moves", "3", "50.0%", everything, everything, "50.0%", everything)
    assert losses[2:5] == ("1.67", "0.00 to 6.84", "0.00 to 4.00")
    interval = f"{1426.667 - half:.0f} to {1426.667 + half:.0f}"
    assert row == ("Elo", "3", "1427", interval, "1400 to 1450", "1427", "1400 to 1450")
    told = seeds_json(runs)["numbers"][0]
    assert (told["deviation"], told["its interval95"]) == (elo.deviation, [1400, 1450])
    assert (told["name"], told["game"], told["interval95"]) == ("Elo", "othello", list(elo.interval))


def test_numbers_of_two_games_have_two_means():
    runs = [with_losses(700, loss, game=game) for game, loss in (("othello", 7.71), (SMALL, 5.66), (SMALL, 5.68))]
    found = mean_over_seeds(runs)
    assert found["othello", "discs lost a move"].values == (7.71,)
    assert found[SMALL, "discs lost a move"].values == (5.66, 5.68)
    assert [row[0] for row in seeds_rows(runs)][2::3] == [f"discs lost a move, {game}" for game in ("othello", SMALL)]


def test_a_run_without_a_number_is_not_left_out():
    runs = [with_losses(1400.0, 1.0), with_losses(2300.0, 1.0, high=math.inf)]
    assert mean_over_seeds(runs)["othello", "Elo"] is None
    assert seeds_json(runs)["numbers"][0] == {"game": "othello", "name": "Elo", "mean": None}
    assert seeds_rows(runs)[0][2:4] == ("-", "a run has no number")
    assert mean_over_seeds([runs[0], reports.rated()])["othello", "best moves"] is None
    assert seeds_rows([reports.rated(1400.0)])[0] == ("Elo", "1", "1400", "-", "-", "1400", "-")
    assert seeds_json([reports.rated(1400.0)])["numbers"][0]["interval95"] is None


NEW_PART = """
from othello_env.arena.number import Number
from othello_env.arena.report import Found

ORDER = 3.5

def applies(game, limits):
    return True

def expected_moves(game, limits):
    return 1

def measure(agent, game, seed, limits, progress):
    return Found("corners", (Number("corners taken", str(game), 0.75, "share", 0.5, 0.875),), "one game")
"""


def test_a_new_part_needs_no_line_outside_its_file(tmp_path, monkeypatch):
    (tmp_path / "corners.py").write_text(NEW_PART)
    monkeypatch.setattr(run.benchmark, "__path__", [*run.benchmark.__path__, str(tmp_path)])
    report = run.run_benchmark("random", "othello:size=4", games=2)
    assert [part.part for part in report.parts] == ["positions", "exploitability", "corners", "perfect"]
    assert report["corners taken"].value == 0.75
    head = "random: corners taken 75.0%, 95% interval 50.0% to 87.5% (one game, seed 0)"
    assert head in report.to_markdown()
    content = json.loads(json.dumps(report.to_json()))
    assert ["corners taken", "75.0%, 95% interval 50.0% to 87.5%"] in read_results("a", content)["parts"][2]["facts"]
    again = Report.from_json(content)
    assert "75.0% (50.0% to 87.5%)" in leaderboard_table([again])[1][0]
    assert mean_over_seeds([again, again])["othello:size=4", "corners taken"].mean == 0.75
    assert [part.part for part in run.run_benchmark("random", "checkers", games=2).parts] == ["ladder", "corners"]
