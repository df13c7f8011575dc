"""The tab of runs and results in Chromium: checkpoints, leagues, the ladder and tournaments."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from driving import LEGAL, SMALL, paste, square, sticks_out, wait_for_plies

import othello_agents
from othello_env import Othello, make_agent
from othello_env.arena import Number, Report, Table
from othello_env.arena.number import elo_text, interval_text
from othello_env.arena.report import Found
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.league import League

AXE = os.environ.get("OTHELLO_ENV_AXE")
"""The path of axe.min.js from axe-core. Without it, accessibility is not checked."""
WEIGHTS = Path(othello_agents.__file__).parent / "weights"


def two(score):
    return f"{score:.2f}".removeprefix("0")


@pytest.fixture(scope="module")
def shown(tmp_path_factory, serve_for_module):
    """A server that shows two ratings of one agent, two tournaments and a league; and what these files hold."""
    folder = tmp_path_factory.mktemp("shown")
    cell = Number("score", "othello", 0.775, "score", 0.6, 0.9, 0.8)
    table = Table(("rung", "Elo", "score"), ({"rung": "<b>random</b>", "Elo": 0, "score": cell},), "expected")
    elo = Number("Elo", "othello", 210.4, "elo", 180.2, 240.6)
    other = Number("Elo", "othello", 260.0, "elo", 120.0, 400.0)  # of the same agent, by fewer games
    for name, found in (("wide", Found("ladder", (other,))), ("a", Found("ladder", (elo,), "20 games", (table,)))):
        (folder / f"{name}.json").write_text(json.dumps(Report("a.npz", "othello", (found,)).to_json()))
    on_ladder, others = ("random", "maximizer:eval=weighted"), ("alphabeta:depth=1", "maximizer:eval=modified")
    play_tournament({a: a for a in on_ladder}, Schedule(on_ladder, 2, "random:6", 1), file=folder / "ranked.jsonl")
    spoken, silent = play_tournament({a: a for a in others}, Schedule(others, 2, "random:6", 1)).records
    plies = len(spoken.replay().moves)
    words = tuple(f"<b>corner</b>\nof ply {ply}" if ply % 2 else "" for ply in range(1, plies + 1))
    records = (replace(spoken, words=words), silent)
    (folder / "other.jsonl").write_text("".join(f"{each.to_json()}\n" for each in records))
    league = League(["random", *(f"maximizer:eval={name}" for name in ("weighted", "count", "modified"))], seed=3)
    for depth in (1, 2):
        league.add(f"alphabeta:depth={depth}", played=1000 * depth)
    league.complete(4, openings="random:10")
    league.save(folder / "mine")
    files = [text for name in sorted(folder.glob("*.json*"), reverse=True) for text in ("--results", str(name))]
    running = serve_for_module(*files, "--runs", str(folder / "mine"))
    return SimpleNamespace(address=running.address, records=records, words=words, league=league, folder=folder)


def test_the_view_is_kept_and_has_no_keys_of_the_board(page):
    page.click("#tab-runs")
    page.keyboard.press("n")
    assert page.locator("#new-dialog").is_hidden()
    assert page.locator("#panel-board").is_hidden()
    assert page.locator("#checkpoints-none").inner_text().startswith("With --runs FOLDER, ")
    page.reload()
    page.locator("#panel-runs").wait_for()
    paste(page, None, "f5d6")
    page.locator("#panel-board").wait_for()


def test_checkpoints_that_appear_are_shown_played_and_analysed_without_a_restart(
    open_page, serve, tmp_path, monkeypatch
):
    folder, hidden = tmp_path / "runs", tmp_path / "hidden"
    hidden.mkdir()
    missing = 'raise ModuleNotFoundError("No module named onnxruntime", name="onnxruntime")'
    (hidden / "onnxruntime.py").write_text(missing)
    monkeypatch.setenv("PYTHONPATH", str(hidden), prepend=":")
    with open_page(serve("--runs", str(folder)).address) as page:
        page.click("#tab-runs")
        page.locator("#checkpoints-none:has-text('No file in the folder is an agent yet')").wait_for()
        folder.mkdir()
        (folder / "agent.onnx").write_bytes(bytes(64))
        page.locator("#checkpoints-left li:has-text('agent.onnx: this needs onnxruntime: pip install')").wait_for()
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
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == f"Analyse {file}"
        button.click()
        page.locator("#panel-board").wait_for()
        page.locator(f'#look option[value="{file}"]:checked').wait_for(state="attached")
        page.locator("#reading-a:has-text('discs')").wait_for()
        page.select_option("#look", "mcts")
        page.locator(".lookers summary").first.click()
        page.focus("[name=look-simulations]")
        page.keyboard.type("1")  # what is being typed stays when another agent is listed
        shutil.copy(WEIGHTS / "ntuple_8x8.npz", folder / "third.npz")
        page.locator('#look option[value$="third.npz"]').wait_for(state="attached")
        page.keyboard.type("6")
        page.keyboard.press("Tab")
        assert page.input_value("#look") == "mcts:simulations=16"


def test_results_are_drawn_and_an_agent_has_one_rating_on_the_screen(open_page, shown):
    with open_page(shown.address) as page:
        page.click("#tab-runs")
        page.locator("#results-list [aria-label=Results]").wait_for()
        cells = page.locator("#results-list [aria-label=Results] td:visible").all_inner_texts()
        assert cells == ["<b>random</b>", "0", ".775", ".600 to .900", ".800"]
        told, elsewhere = "210, 95% interval 180 to 241", "see the ladder, which has a closer rating of this agent"
        assert page.locator("#results-list dd").all_inner_texts() == [elsewhere, told]
        rungs = page.locator("#ladder-table tbody th").all_inner_texts()
        assert rungs[-4].split() == ["a.npz", "a.json"]  # it has 210 Elo, the rungs below it 194, 64 and 0
        ranked, other = (
            page.locator(f"#results-list article:has-text('{name}.jsonl')") for name in ("ranked", "other")
        )
        assert ranked.locator("th:text-is('Elo')").count() == 0  # its agents are on the ladder
        assert other.locator("th:text-is('Elo')").count() == 1
        assert "Elo is of these games alone" in other.inner_text()
        ratings = [row.locator("td").all_inner_texts()[-2] for row in page.locator(".payoffs tbody tr").all()]
        assert [bool(text) for text in ratings] == [True, False, False, True, True, True]  # random play is 0 there, too
        for scheme, width in (("light", 1280), ("dark", 360)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 860})
            page.wait_for_function(f"innerWidth === {width}")
            assert not sticks_out(page)


def test_a_league_is_a_heat_map_that_scrolls_with_ratings(open_page, shown):
    payoffs = shown.league.payoffs()
    with open_page(shown.address, viewport={"width": 390, "height": 800}) as page:
        page.click("#tab-runs")
        page.locator(".payoffs").wait_for()
        cells = page.locator(".payoffs td[data-score]")
        scores = [[float(score) for score in row if score == score] for row in payoffs.scores.tolist()]
        told = [float(cell.get_attribute("data-score")) for cell in cells.all()]
        assert told == pytest.approx([score for row in scores for score in row], abs=1e-4)
        low, high = payoffs.intervals[0, 1].tolist()
        assert cells.first.inner_text().split() == [two(payoffs.scores[0, 1]), f"{two(low)}\u2013{two(high)}"]
        assert cells.first.get_attribute("title").startswith("random against maximizer:eval=weighted: ")
        ratings = payoffs.ratings()
        rated = page.locator(".payoffs tbody tr:has-text('snapshot 1') td").all_inner_texts()[-2:]
        assert rated == [elo_text(ratings.elo["snapshot 1"]), interval_text(*ratings.interval("snapshot 1"), "elo")]
        assert not sticks_out(page)
        region = page.locator("[aria-label=Payoffs]")
        assert region.evaluate("each => each.scrollWidth > each.clientWidth")


def test_a_tournaments_records_are_a_crosstable_whose_games_are_replayed_with_what_a_model_said(open_page, shown):
    with open_page(shown.address, viewport={"width": 390, "height": 800}) as page:

        def replay(game):
            page.click("#tab-runs")
            if not page.locator(".games button").count():
                page.locator("article:has-text('other.jsonl') .score").first.click()
            assert not sticks_out(page)
            page.locator(".games button").nth(game).click()
            page.locator("#panel-board").wait_for()

        def said(ply):
            page.locator(f'#moves [data-ply="{ply}"][aria-current]').wait_for()
            return page.locator("#words").inner_text()

        replay(0)
        assert page.locator(".games button").count() == 2
        told = json.loads(page.evaluate("sessionStorage.getItem('othello-env')"))
        assert told["record"]["moves"] == list(shown.records[0].replay().moves)
        assert page.locator("#tab-analyse[aria-current=page]").count() == 1
        page.locator("#players:has-text('maximizer:eval=modified')").wait_for()
        assert said(0) == ""
        for ply in range(1, 4):
            page.keyboard.press("ArrowRight")  # the board has the focus
            assert said(ply) == shown.words[ply - 1]
        page.reload()
        assert said(3) == shown.words[2] != ""
        page.click("#back")
        played = page.inner_text('#moves [data-ply="3"]')
        labels = page.locator(LEGAL).evaluate_all("all => all.map(each => each.ariaLabel)")
        other = next(label for label in labels if label.split(",")[0] != played.split()[1])
        page.click(f'.square[aria-label="{other}"]')
        page.locator(f'#moves [data-ply="3"][aria-current]:not(:text-is("{played}"))').wait_for()
        assert said(3) == ""  # the model spoke of another move
        replay(1)
        page.locator("#words").wait_for(state="hidden")


@pytest.mark.skipif(AXE is None, reason="needs axe-core (npm install axe-core), its path in OTHELLO_ENV_AXE")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(open_page, serve, shown, tmp_path, scheme):
    """Check the page with an analysis and a review, each dialog, and the tab of runs with all its parts."""
    shutil.copytree(shown.folder / "mine", tmp_path / "runs" / "league")
    shutil.copy(WEIGHTS / "ntuple_8x8.npz", tmp_path / "runs")
    files = [text for name in ("a.json", "other.jsonl") for text in ("--results", str(shown.folder / name))]
    address = serve(*files, "--runs", str(tmp_path / "runs")).address
    with open_page(address, color_scheme=scheme, bypass_csp=True) as page:
        paste(page, "othello:size=4", SMALL)
        page.click("#review")
        page.locator("#review-state:has-text('are exact')").wait_for()
        page.evaluate(Path(AXE).read_text())

        def check(what):
            found = page.evaluate("axe.run()")
            assert len(found["passes"]) > 10  # with an open dialog, little of the page counts
            faults = {each["id"]: [node["html"] for node in each["nodes"]] for each in found["violations"]}
            assert not faults, (what, faults)

        check("a review")
        page.click("#review")
        page.click("#first")
        page.check("#numbers")
        page.select_option("#look-b", "alphabeta:depth=2")
        page.locator('#table td[data-slot="b"][data-value]').first.wait_for()
        check("a comparison")
        page.click("#tab-play")
        check("play")
        page.keyboard.press("?")
        check("keys")
        page.keyboard.press("Escape")
        page.click("#new")
        check("new")
        page.keyboard.press("Escape")
        page.click("#menu > summary")
        check("the menu")
        page.click("#paste")
        check("paste")
        page.keyboard.press("Escape")
        page.click("#tab-runs")
        page.locator("#checkpoints-list tbody tr").wait_for()
        page.locator(".cross .score").first.click()
        check("the tab of runs")
