"""The tab of runs and results in Chromium: curves, checkpoints, leagues, the ladder and tournaments."""

import json
import math
import os
import shutil
from pathlib import Path

import pytest
from driving import SMALL, box_of, paste, shoot, square, sticks_out, wait_for_plies

import othello_agents
from othello_env import Othello, make_agent
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.league import League

AXE = os.environ.get("OTHELLO_ENV_AXE")
"""The path of axe.min.js from axe-core. Without it, accessibility is not checked."""
WEIGHTS = Path(othello_agents.__file__).parent / "weights"


def write_curve(folder, seed, points):
    curve = [{"games": games, "scores": {"random": score}} for games, score in points]
    whole = folder / f"az_seed{seed}.new"  # a watched folder has no half of a file
    whole.write_text(json.dumps({"curve": curve}))
    whole.replace(folder / f"az_seed{seed}.json")


def two(score):
    return f"{score:.2f}".removeprefix("0")


def write_league(folder):
    """A league whose members have played matches."""
    fixed = ["random", *(f"maximizer:eval={name}" for name in ("weighted", "count", "modified", "standard"))]
    league = League(fixed, seed=3)
    for depth in (1, 2):
        league.add(f"alphabeta:depth={depth}", played=1000 * depth)
    league.complete(4, openings="random:10")
    league.save(folder)
    return league.payoffs()


def test_the_tabs_work_with_the_keyboard(page):
    page.focus("#tab-board")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-runs"
    page.locator("#panel-runs").wait_for()
    page.locator(".ladder tbody tr").first.wait_for()
    assert page.locator("#panel-board").is_hidden()
    page.keyboard.press("n")  # the keys of the board do nothing now
    assert page.locator("#new-dialog").is_hidden()
    assert page.locator("#runs-none").inner_text().startswith("No folder is watched.")
    assert page.locator(".ladder tbody tr").count() > 10
    empty = ["Learning curves", "Checkpoints", "Leagues", "Results and tournaments"]
    assert page.locator("#panel-runs h2").all_inner_texts() == ["Ladder", *empty]
    page.keyboard.press("Home")
    page.locator("#panel-board").wait_for()
    page.click("#tab-runs")
    page.reload()  # after a reload, the page shows the same tab
    page.locator("#panel-runs").wait_for()
    page.locator(".ladder tbody tr").first.wait_for()
    page.click("#paste")
    page.fill("#text", "f5d6")
    page.click("#read")
    page.locator("#panel-board").wait_for()


def test_the_curves_of_runs_grow_while_they_train(open_page, serve, tmp_path):
    write_curve(tmp_path, 1, [(1, 0.2), (100, 0.4)])
    write_curve(tmp_path, 2, [(1, 0.4), (100, 0.6)])
    with open_page(serve("--runs", str(tmp_path)).address, viewport={"width": 390, "height": 800}) as page:
        page.click("#tab-runs")
        band = page.locator('.band[data-group="az"]')
        band.wait_for(state="attached")
        assert "mean of 2 runs" in page.inner_text("#runs-key")
        assert page.inner_text("#runs-chart figcaption") == "score against random over games"
        box = box_of(page, "#runs-chart svg[role=img]")
        page.mouse.move(box["x"] + 0.995 * box["width"], box["y"] + 20)
        page.locator("#runs-chart .read:has-text('az .500 (95%: ')").wait_for()
        for seed in (1, 2):  # one by one: the page may draw the first one before the second one is written
            before = band.get_attribute("d")
            write_curve(tmp_path, seed, [(1, 0.3), (100, 0.5), (1000, 0.9)])
            page.locator(f'.band[data-group="az"]:not([d="{before}"])').wait_for(state="attached")
        page.locator("#runs-chart text:text-is('800')").wait_for()
        page.select_option("#run-scale", "log")
        page.locator("#runs-chart text:text-is('10')").wait_for()
        page.focus("#runs-chart svg[role=img]")
        for value in ("1 games: az .300", "100 games: az .500", "1,000 games: az .900"):
            page.keyboard.press("ArrowRight")
            assert page.inner_text("#runs-chart .read").startswith(value)
        assert not sticks_out(page)


def write_runs(folder):
    """Two runs against the same opponent, over seconds and plies, and a run with one point of another quantity."""
    for name, scale in (("slow", 1), ("fast", 2)):
        points = [{"seconds": i, "plies": 1000 * scale * i, "scores": {"random": 0.4 + 0.05 * i}} for i in range(6)]
        settings = {"size": 8, "rate": 0.01 * scale}
        (folder / f"{name}.json").write_text(
            json.dumps({"command": f"train {name}", "settings": settings, "curve": points})
        )
    (folder / "pairs.json").write_text(json.dumps({"yardstick": "random", "curve": [[1, 0.5], [2, 0.6]]}))
    (folder / "dot.json").write_text(
        json.dumps({"curve": [{"seconds": 3, "scores": {"alphabeta:depth=4,eval=weighted": 0.5}}]})
    )


def test_runs_are_compared_open_on_elo_and_keep_their_line_styles(open_page, serve, tmp_path):
    write_runs(tmp_path)
    with open_page(serve("--runs", str(tmp_path)).address) as page:
        page.click("#tab-runs")
        page.locator("#runs-chart .mean").first.wait_for(state="attached")
        assert page.locator("#run-quantity").input_value() == "against random"  # the most points
        assert page.locator("#run-quantity option").all_inner_texts() == [
            "against alphabeta:depth=4,eval=weighted",
            "against random",
        ]
        shown = page.locator("#runs-chart .mean").evaluate_all("all => all.map(each => each.dataset.group)")
        assert shown == ["fast", "pairs", "slow"]
        page.select_option("#run-over", "plies")
        assert page.inner_text("#runs-chart figcaption") == "score against random over plies"
        shown = page.locator("#runs-chart .mean").evaluate_all("all => all.map(each => each.dataset.group)")
        assert shown == ["fast", "slow"]
        page.get_by_label("fast", exact=True).uncheck()
        assert page.locator("#runs-chart .mean").get_attribute("data-group") == "slow"
        page.get_by_label("fast", exact=True).check()
        box = box_of(page, "#runs-chart svg[role=img]")
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 50)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 50, steps=4)
        page.mouse.up()
        page.locator("#run-whole").wait_for()
        page.focus("#runs-chart svg[role=img]")
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#runs-chart .read").startswith("3,000 plies: fast .475, slow .550")
        page.click("#run-whole")
        assert page.locator("#run-whole").is_hidden()
        page.click("#runs-settings summary")
        page.select_option("#run-name", "fast.json")
        settings = page.locator("#run-values dt, #run-values dd").all_inner_texts()
        assert settings == ["command", "train fast", "size", "8", "rate", "0.02"]

        for name, size in (("rated", 8), ("small", 6)):
            points = [{"seconds": i, "scores": {"random": 0.5}, "elo": 100 * i} for i in range(3)]
            (tmp_path / f"{name}.json").write_text(json.dumps({"settings": {"size": size}, "curve": points}))
        page.reload()
        rating = "Elo on ladder-v0 (8x8, random play is 0)"
        page.locator(f"#runs-chart figcaption:has-text('{rating} over seconds')").wait_for()
        assert page.locator("#runs-key label").all_inner_texts() == ["rated"]  # the run on 6x6 has another rating
        names = ["alphabeta:depth=4,eval=weighted", "random", "random on 6x6"]
        assert {*page.locator("#run-quantity option").all_inner_texts()} == {
            *(f"against {name}" for name in names),
            *(rating, "Elo on ladder-6x6-v0 (6x6, random play is 0)"),
        }
        style = """([group]) => {
          const line = document.querySelector(`#runs-chart .mean[data-group="${group}"]`);
          return line && [line.getAttribute("stroke"), line.getAttribute("stroke-dasharray")];
        }"""
        rated = page.evaluate(style, ["rated"])
        page.select_option("#run-quantity", "against random")
        page.locator('#runs-chart .mean[data-group="fast"]').wait_for(state="attached")
        fast = page.evaluate(style, ["fast"])
        assert page.evaluate(style, ["rated"]) == rated != fast
        page.get_by_label("fast", exact=True).uncheck()
        page.locator('#runs-chart .mean[data-group="fast"]').wait_for(state="detached")
        assert page.evaluate(style, ["rated"]) == rated
        (tmp_path / "a_new_run.json").write_text((tmp_path / "fast.json").read_text())  # first in the order of names
        page.locator('#runs-chart .mean[data-group="a_new_run"]').wait_for(state="attached")
        assert page.evaluate(style, ["rated"]) == rated
        assert page.evaluate(style, ["a_new_run"]) not in (fast, rated)


def test_runs_and_checkpoints_that_appear_are_shown_played_and_analysed_without_a_restart(open_page, serve, tmp_path):
    folder = tmp_path / "runs"
    with open_page(serve("--runs", str(folder)).address) as page:
        page.click("#tab-runs")
        page.locator("#runs-none:has-text('No file in the folder has a learning curve yet')").wait_for()
        page.locator("#checkpoints-none:has-text('No file in the folder is an agent yet')").wait_for()
        folder.mkdir()
        write_runs(folder)
        shutil.copy(WEIGHTS / "ntuple_8x8.npz", folder / "a.state.safetensors")
        page.locator("#runs-chart .mean").first.wait_for(state="attached")
        assert page.locator("#checkpoints-left li").count() == 0
        file = folder / "agent.npz"
        shutil.copy(WEIGHTS / "ntuple_8x8.npz", file)
        row = page.locator("#checkpoints-list tr:has-text('agent.npz')")
        row.get_by_role("button", name="Play").click()
        page.locator(f"#players li:last-child:has-text('{file}')").wait_for()
        square(page, 4, 5).click()
        wait_for_plies(page, 2)
        name = page.inner_text('#moves [data-ply="2"]').removeprefix("2. ")
        state = Othello.from_moves("f5")
        assert name == state.action_to_text(make_agent("ntuple").act(state))
        page.click("#tab-runs")
        button = row.get_by_role("button", name="Analyse")
        button.focus()  # the focus stays where it is when a new checkpoint appears
        shutil.copy(WEIGHTS / "ntuple_8x8.npz", folder / "second.npz")
        page.locator("#checkpoints-list tr:has-text('second.npz')").wait_for()
        label = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert label == f"Analyse {file}" == button.get_attribute("aria-label")
        button.click()
        page.locator("#panel-board").wait_for()
        page.locator(f'#look option[value="{file}"]:checked').wait_for(state="attached")
        page.locator("#looked-a:has-text('mean of result and margin for black')").wait_for()
        page.click("#new")
        assert page.locator(f'[name=seat-1] option[value="{file}"]').count() == 1


def test_an_interval_without_an_upper_end_is_drawn_to_the_edge_and_told_so(open_page, serve, tmp_path):
    league = League(["random"], seed=3)
    league.add("alphabeta:depth=4,eval=weighted", played=1000)
    league.complete(2, openings="random:4")
    ratings = league.payoffs().ratings()
    assert ratings.interval("snapshot 1")[1] == math.inf  # it has won all its games
    league.save(tmp_path / "mine")
    with open_page(serve("--league", str(tmp_path / "mine")).address) as page:
        page.click("#tab-runs")
        bar = page.locator("#leagues-list figure .interval")
        bar.wait_for(state="attached")
        assert "NaN" not in page.locator("#leagues-list figure").inner_html()
        page.locator("#leagues-list svg[role=img]").focus()
        page.keyboard.press("ArrowRight")
        assert "(95%: at least " in page.inner_text("#leagues-list figure .read")
        shoot(page, "league-open-interval")


def test_a_league_is_a_heat_map_that_scrolls_with_ratings_over_the_training(open_page, serve, tmp_path):
    payoffs = write_league(tmp_path / "mine")
    with open_page(serve("--league", str(tmp_path / "mine")).address, viewport={"width": 390, "height": 800}) as page:
        page.click("#tab-runs")
        page.locator(".payoffs").wait_for()
        cells = page.locator(".payoffs td[data-score]")
        scores = [[float(score) for score in row if score == score] for row in payoffs.scores.tolist()]
        told = [float(cell.get_attribute("data-score")) for cell in cells.all()]
        assert told == pytest.approx([score for row in scores for score in row], abs=1e-4)
        low, high = payoffs.intervals[0, 1].tolist()
        assert cells.first.inner_text().split() == [two(payoffs.scores[0, 1]), f"{two(low)}\u2013{two(high)}"]
        cells.first.hover()
        page.locator("#leagues-list .read:has-text('random against maximizer:eval=weighted: ')").first.wait_for()
        assert page.locator("#leagues-list figure .interval").count() == 2  # the snapshots
        ratings = payoffs.ratings()
        page.locator("#leagues-list svg[role=img]").focus()
        page.keyboard.press("ArrowRight")
        elo = format(float(format(ratings.elo["snapshot 1"], ".4g")), "g")
        assert f"snapshot {elo} (95%: " in page.inner_text("#leagues-list figure .read")
        assert not sticks_out(page)
        region = page.locator("[aria-label=Payoffs]")
        hint = region.locator("xpath=preceding-sibling::p")
        assert hint.inner_text() == "scroll to the right to see all →"
        region.evaluate("element => element.scrollTo(0, 0)")
        page.locator(".more[aria-label=Payoffs]").wait_for()
        region.evaluate("element => element.scrollTo(1e5, 0)")
        page.locator("[aria-label=Payoffs]:not(.more)").wait_for()
        page.set_viewport_size({"width": 1440, "height": 900})
        hint.wait_for(state="hidden")
        assert not sticks_out(page)


def test_a_tournaments_records_are_a_crosstable_whose_games_are_replayed(open_page, serve, tmp_path):
    file, agents = tmp_path / "t.jsonl", ("random", "maximizer:eval=count")
    records = [*play_tournament({a: a for a in agents}, Schedule(agents, 2, "random:6", 1), file=file).records]
    with open_page(serve("--results", str(file)).address, viewport={"width": 390, "height": 800}) as page:
        page.click("#tab-runs")
        page.locator(".cross .score").first.click()
        assert "Elo is of these games alone" in page.inner_text("main")
        games = page.locator(".games button")
        assert games.count() == 2
        assert not sticks_out(page)
        games.first.click()
        page.locator("#panel-board").wait_for()
        told = json.loads(page.evaluate("sessionStorage.getItem('othello-env')"))
        assert told["record"]["moves"] in [list(record.replay().moves) for record in records]
        assert told["cursor"] == 0
        page.locator("#players:has-text('maximizer:eval=count')").wait_for()


@pytest.mark.skipif(AXE is None, reason="needs axe-core (npm install axe-core), its path in OTHELLO_ENV_AXE")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(open_page, serve, tmp_path, scheme):
    """Check the page with an analysis and a review, each dialog, and the tab of runs with all its parts."""
    file, agents = tmp_path / "t.jsonl", ("random", "maximizer:eval=count")
    play_tournament({a: a for a in agents}, Schedule(agents, 2, "random:6", 1), file=file)
    write_league(tmp_path / "runs" / "league")
    shutil.copy(WEIGHTS / "ntuple_8x8.npz", tmp_path / "runs")
    for seed in (1, 2):
        write_curve(tmp_path / "runs", seed, [(1, 0.2 * seed), (100, 0.4 * seed)])
    address = serve("--results", str(file), "--runs", str(tmp_path / "runs")).address
    with open_page(address, color_scheme=scheme, bypass_csp=True) as page:
        paste(page, "othello:size=4", SMALL)
        page.click("#review")
        page.locator("#review-state:has-text('are exact')").wait_for()
        page.click("#first")
        page.evaluate(Path(AXE).read_text())

        def check(what):
            found = page.evaluate("axe.run()")
            assert len(found["passes"]) > 20
            faults = {each["id"]: [node["html"] for node in each["nodes"]] for each in found["violations"]}
            assert not faults, (what, faults)

        check("the page")
        for button in ("new", "paste"):
            page.click(f"#{button}")
            check(button)
            page.keyboard.press("Escape")
        page.click("#tab-runs")
        page.locator("#checkpoints-list tbody tr").wait_for()
        page.locator(".cross .score").first.click()
        check("the tab of runs")
        shoot(page, f"runs-{scheme}")
