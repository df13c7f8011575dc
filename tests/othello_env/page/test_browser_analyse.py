"""Analyse in Chromium: what the numbers mean, whose they are and where they stand, reviews, and opened games.

Python gives the same numbers as the page.
"""

import itertools
import json
import math
import re
from decimal import ROUND_HALF_UP, Decimal

import pytest
from driving import (
    GAME,
    HEIGHT,
    LEGAL,
    MINUS,
    SMALL,
    analyse,
    box_of,
    choose_evaluator,
    choose_in_menu,
    in_sight,
    kept_seed,
    look,
    marks,
    moves,
    new_game,
    paste,
    set_in_menu,
    show_values,
    square,
    table,
    wait_for_plies,
    whole_game,
)

from othello_env import Othello, Tribolo, make_agent
from othello_env.games.keys import seat_key
from othello_env.page.assessment import assess
from othello_env.review import ANALYST, review_game, summarise

SHORT = "f5d6c3d3c4f4f6"  # white is to move


def read_all(page):
    """All numbers about the position on the board that the page shows, read at one moment."""
    return page.evaluate(
        """() => {
          const text = selector => document.querySelector(selector)?.innerText.trim();
          const all = (selector, read) => Object.fromEntries([...document.querySelectorAll(selector)].map(read));
          const { ply } = document.querySelector("#moves [aria-current]").dataset;
          const point = document.querySelector(`#curve [data-line="a"][data-ply="${ply}"][data-player="0"]`)?.dataset;
          const move = row => row.querySelector("th").innerText;
          const value = row => row.querySelector("td[data-slot=a]").innerText.replace("\u2605", "").trim();
          const title = each => each.querySelector("title").textContent;
          const mark = each => [each.querySelector("text").textContent, each.querySelector("rect.exact") !== null];
          return {
            bar: text("#bar"), black: parseFloat(document.querySelector("#bar .fill")?.style.height) / 100,
            label: document.querySelector("#bar").ariaLabel, status: text("#status"),
            reading: text("#reading-a"), read: text("#curve-read"), head: text("#table thead th:nth-child(2)"),
            point: point && {value: Number(point.value), unit: point.unit, exact: point.exact === "true"},
            squares: all(".heat g", each => [title(each).split(":")[0], mark(each)]),
            tooltips: all(".heat g", each => [title(each).split(":")[0], title(each)]),
            table: all("#table tbody tr", row => [move(row), value(row)]),
            framed: all("#table tbody tr", row => [move(row), Boolean(row.querySelector("td[data-slot=a] .exact"))]),
            mover: text("#players .active .who")?.split("\\n")[0],
            best: Object.keys(all("#table tr:has(.best[data-slot=a])", row => [move(row), 1])),
            isOver: document.querySelector("#table").hidden,
          };
        }"""
    )


def shown(value, unit, exact):
    if value in (math.inf, -math.inf):
        return "win" if value > 0 else "loss"
    digits = (0 if exact else 1) if unit == "discs" else 2 if unit == "win minus loss" else 0
    text = str(Decimal(abs(value)).quantize(Decimal(10) ** -digits, ROUND_HALF_UP))  # as the browser rounds
    return "0" if float(text) == 0 else ("+" if value > 0 else MINUS) + text


def check_numbers(page, found, best):
    """Check that every number on the screen is the same value, in the same unit, for the same side."""
    seen = read_all(page)
    value, unit, exact = found.values[0], found.unit, found.exact
    text = shown(value, unit, exact)
    told = f"black {text}" + (f" {unit}" if text not in ("win", "loss") else "") + (", exact" if exact else "")
    assert (seen["bar"], seen["label"]) == (text, told)
    assert value == 0 or (seen["black"] > 0.5) == (value > 0)  # black's part of the bar
    assert re.sub("^A: ", "", seen["reading"]).split(";")[0] == told
    assert re.sub("A: ", "", seen["read"].partition(": ")[2]).split(";")[0] == told
    assert seen["point"] == {"value": value, "unit": unit, "exact": exact}
    expected = {
        name: shown(move.value, unit, move.exact) if move.share is None else f"{math.floor(100 * move.share + 0.5)}%"
        for name, move in best.items()
    }
    assert {name: each for name, (each, _) in seen["squares"].items()} == seen["table"] == expected
    framed = {name: move.exact for name, move in best.items()}
    assert {name: frame for name, (_, frame) in seen["squares"].items()} == seen["framed"] == framed
    if best:
        name, first = next(iter(best.items()))
        assert name in seen["best"]
        values = f"{unit}, black" if first.share is None else f"share, {seen['mover']} to move"
        assert seen["head"].removeprefix("A: ") == values
        tooltip = f"{name}: {expected[name]} {values}{', exact' if first.exact else ''}"
        assert seen["tooltips"][name] == tooltip
    assert seen["isOver"] == (not best)


@pytest.mark.parametrize("spec", ["engine:depth=4", "ntuple", "alphabeta:depth=2", "mcts:simulations=64"])
def test_all_numbers_on_a_screen_agree_in_value_unit_and_side(page, spec):
    """In the middle, near the end, at the end, in a comparison and in a review; read at one moment."""
    final = whole_game()
    line, agent = Othello().positions(final.moves), make_agent(spec, 0)
    paste(page, "othello", final.transcript())
    wait_for_plies(page, len(final.moves))
    seed = kept_seed(page)
    show_values(page)
    choose_evaluator(page, spec)

    def look_at(ply):
        page.click(f'#moves [data-ply="{ply}"]')
        page.locator(f'#moves [data-ply="{ply}"][aria-current]').wait_for()
        page.locator(f'#curve [data-line="a"][data-ply="{ply}"]').first.wait_for(state="attached")
        page.locator("#reading-a:not(:has(.doing))").wait_for()  # the values of the deepest search

    def check(ply):
        look_at(ply)
        agent.new_game(seat_key(seed, line[ply].to_move))
        found = assess(agent, line[ply])
        check_numbers(page, found, {line[ply].action_to_text(move.action): move for move in found.moves})

    near = next(ply for ply in range(len(line) - 9, len(line)) if len(line[ply].legal_actions()) > 1)
    for ply in (24, 25, near):
        check(ply)
    margin = final.margins()[0]

    def check_end():
        look_at(len(final.moves))
        seen = read_all(page)
        told = f"black {shown(margin, 'discs', True)} discs, exact"
        assert seen["bar"] == shown(margin, "discs", True)
        assert seen["label"] == seen["reading"].removeprefix("A: ") == told
        assert seen["read"].endswith(told)
        assert seen["point"] == {"value": margin, "unit": "discs", "exact": True}
        assert seen["isOver"] > bool(seen["squares"])
        assert f"wins by {abs(margin):.0f} discs" in seen["status"]

    check_end()
    page.select_option("#look-b", "ntuple" if spec != "ntuple" else "alphabeta:depth=2")
    look_at(25)
    page.locator('#table td[data-slot="b"][data-value]').first.wait_for()
    check(25)
    page.select_option("#look-b", "")
    page.click("#review")  # an engine reviews; instead of another evaluator, the reviewer does
    page.locator("#review-state:has-text('are exact')").wait_for()
    reviewer = spec if spec.startswith("engine") else ANALYST
    assert page.locator("#look").input_value() == reviewer
    agent = make_agent(reviewer)
    reviews = {move.ply: move for move in review_game(final, reviewer)}
    for ply in (24, near):
        check(ply)
        review = reviews[ply + 1]
        sign = 1 if line[ply].to_move == 0 else -1
        seen = read_all(page)["table"]
        assert seen[line[ply].action_to_text(review.best)] == shown(sign * review.best_score, "discs", review.exact)
        assert seen[line[ply].action_to_text(review.action)] == shown(sign * review.score, "discs", review.exact)
        if review.loss >= 0.1:
            lost = page.inner_text(f'#moves [data-ply="{ply + 1}"] .lost').strip()
            assert lost == (f"loses {review.loss:.0f}" if review.exact else f"loses {review.loss:.1f}")
    check_end()


def told(value):
    return "0" if value == 0 else f"{value:+.0f}".replace("-", MINUS)


def test_three_players_have_a_value_and_a_curve_each(page):
    spec = "maxn:depth=2"
    new_game(page, "tribolo", ["human", "human", "human"], seed=5)
    look(page, a=spec)
    state, agent = Tribolo(seed=5), make_agent(spec)
    values = [agent.evaluate(state, player) for player in range(3)]
    assert values[state.to_move] == max(agent.action_values(state).values())
    each = ", ".join(f"{name} {told(value)}" for name, value in zip(state.player_names, values, strict=True))
    page.locator(f"#reading-a:has-text('{each} {agent.unit}; best ')").wait_for()
    page.locator(f"#curve-read:has-text('At the start: {each} {agent.unit}')").wait_for()
    mover = state.player_names[state.to_move]
    assert page.locator("#table thead th").all_inner_texts() == ["move", f"{agent.unit}, {mover}"]
    legend = [f"{spec}: pieces ahead", "— blue", "— red", "— green"]
    assert page.locator("#curve .legend span").all_inner_texts() == legend
    zero = float(page.locator("#curve .zero").get_attribute("y1"))
    points = [page.locator(f'#curve [data-ply="0"][data-player="{player}"]') for player in range(3)]
    places = [float(point.get_attribute("cy")) for point in points]
    for (value, place), (other, there) in itertools.combinations(zip(values, places, strict=True), 2):
        assert (place - zero) * other == pytest.approx((there - zero) * value, abs=0.5)
    boxes = page.evaluate(  # the labels beside the curves do not overlap
        """() => [...document.querySelectorAll("#curve .scale.left span")].filter(each => each.innerText)
          .map(each => each.getBoundingClientRect().toJSON()).sort((one, other) => one.top - other.top)"""
    )
    assert len(boxes) >= 2
    assert all(upper["bottom"] <= lower["top"] + 1 for upper, lower in itertools.pairwise(boxes))
    show_values(page)
    square(page, *divmod(state.legal_actions()[0], 16)).click()
    wait_for_plies(page, 1)
    page.locator('#curve [data-ply="1"]').first.wait_for(state="attached")
    state = state.play(state.legal_actions()[0])
    page.locator(".heat g").first.wait_for()
    values = {"{},{}".format(*divmod(action, 16)): value for action, value in agent.action_values(state).items()}
    assert marks(page) == values


def test_checkers_has_its_own_unit_and_its_numbers_are_beside_the_pieces(page):
    new_game(page, "checkers", ["human", "human"])
    look(page, a="alphabeta:depth=4")
    assert page.locator("#table thead th").all_inner_texts() == ["move", "points of the weights, red"]
    assert page.locator("#review").is_hidden()  # only games of Othello can be reviewed
    number = page.locator("#board svg > text", has_text="10")
    text, piece, around = (each.first.bounding_box() for each in (number, page.locator(".piece"), square(page, 2, 3)))
    away = [around[at] + around[size] / 2 - text[at] - text[size] for at, size in (("x", "width"), ("y", "height"))]
    assert math.hypot(*away) > 0.9 * piece["width"] / 2


def test_a_comparison_has_two_columns_and_curves_with_a_scale_for_each_unit(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 24)
    look(page, a="ntuple")
    agent, line = make_agent("ntuple"), Othello().positions(Othello.from_moves(GAME).moves)
    page.locator('#curve [data-ply="24"]').wait_for(state="attached")
    points = [page.locator(f'#curve [data-ply="{ply}"]') for ply in range(25)]
    values = [assess(agent, position).values[0] for position in line]
    assert [float(point.get_attribute("data-value")) for point in points] == values
    heights = [float(point.get_attribute("cy")) - HEIGHT / 2 for point in points]
    scale = min(heights, key=lambda height: -abs(height)) / max(values, key=abs)
    assert scale < 0  # what is good for black is above 0
    assert heights == pytest.approx([scale * value for value in values])
    look(page, b="alphabeta:depth=2")
    page.locator('#curve [data-line="b"][data-ply="23"]').wait_for(state="attached")
    legend = ["A ntuple: discs", "B alphabeta:depth=2: points of the weights", "black above 0"]
    assert page.locator("#curve .legend span").all_inner_texts() == legend
    assert page.locator("#curve .scale").count() == 2
    look(page, b="engine:depth=4")
    page.locator("#curve .scale.right").wait_for(state="detached")
    for slot, spec in (("a", "ntuple"), ("b", "engine:depth=4")):
        found = assess(make_agent(spec), line[24])
        assert table(page, slot) == {line[24].action_to_text(move.action): move.value for move in found.moves}
        text = f"{found.values[0]:+.1f}".replace("-", MINUS)
        assert page.inner_text(f"#reading-{slot}").startswith(f"{slot.upper()}: black {text} discs; best ")
        point = page.locator(f'#curve [data-line="{slot}"][data-ply="24"]')
        assert (float(point.get_attribute("cy")) - HEIGHT / 2) / found.values[0] == pytest.approx(scale)
    assert page.inner_text("#comparison") == "The squares and the bar are A's."
    box = box_of(page, "#curve svg")
    page.mouse.move(box["x"] + 0.02 * box["width"], box["y"] + 20)
    page.locator("#curve-read:has-text('At the start')").wait_for()
    page.mouse.down()
    page.locator('#moves [data-ply="0"][aria-current]').wait_for()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 20, steps=4)
    page.mouse.up()
    page.locator("#moves [aria-current]:not([data-ply='0'])").wait_for()
    page.select_option("#look-b", "")
    assert page.locator("#comparison").is_hidden()
    assert page.locator('#curve [data-line="b"]').count() == 0


@pytest.mark.parametrize(("width", "seen"), [(1440, "#review-sides"), (600, "#review-state")])
def test_the_review_is_that_of_python_and_is_seen_at_once(open_page, server, width, seen):
    final = Othello(4).play_transcript(SMALL)
    with open_page(server.address, viewport={"width": width, "height": 900}) as page:
        paste(page, "othello:size=4", final.transcript())
        wait_for_plies(page, len(final.moves))
        page.click("#review")
        page.locator("#review-state:has-text('are exact')").wait_for()
        assert in_sight(page, seen)
        reviews = [*review_game(final, start=Othello(4))]
        played = [move for move in reviews if move.action != 16]
        assert len(played) < len(reviews)  # a pass is no move
        choices = sum(move.had_choice for move in played)
        assert f" {choices} of {choices} are exact. " in page.inner_text("#review-state")
        texts = page.locator("#moves button").all_inner_texts()[1:]
        for move, text in zip(reviews, texts, strict=True):
            name, _, lost = text.partition(" loses ")
            number = sum(each.action != 16 for each in reviews[: move.ply])  # a pass has no number
            assert name == ("pass" if move.action == 16 else f"{number}. {move.state.action_to_text(move.action)}")
            assert lost == (f"{move.loss:.0f}" if move.loss else "")
        sides = [summarise(move for move in reviews if move.player == player) for player in (0, 1)]
        blunders = sorted(move.ply for side in sides for move in side.blunders)
        assert blunders
        marked = page.locator("#curve .blunder").all()
        assert [int(mark.get_attribute("data-blunder")) for mark in marked] == blunders
        listed = page.locator("#blunders button")
        assert [int(each.get_attribute("data-ply")) for each in listed.all()] == blunders
        # Read single cells. Just after an answer has replaced a row, the text of the row has no tabs between the cells.
        cells = page.locator("#review-sides tbody td").all_inner_texts()
        expected = [[str(s.moves), f"{s.best:.0%}", f"{s.loss:.2f}", str(len(s.blunders))] for s in sides]
        assert cells == [*itertools.chain(*expected)]
        page.select_option("#look", "engine:depth=4")  # another engine reviews, too
        page.locator("#review-state:has-text('are exact')").wait_for()
        listed.last.click()
        page.locator(f'#moves [data-ply="{blunders[-1] - 1}"][aria-current]').wait_for()
        assert page.locator(".better").count() == 1  # an arrow to the better move
        assert in_sight(page, "#moves [aria-current]")


def test_a_review_is_complete_when_no_answer_is_of_a_less_deep_search_and_leaves_out_the_opening(page):
    is_over = []

    def answer(route):
        message, got = route.request.post_data_json, route.fetch()
        if message["task"] == "assess" and len(message["record"]["moves"]) == 2 and not is_over:
            found = json.loads(got.text().splitlines()[-1])
            route.fulfill(body=json.dumps(found | {"isLast": False}) + "\n")
        else:
            route.fulfill(response=got)

    page.route("**/api/think", answer)
    new_game(page, "othello", ["human", "human"], opening="random:4")
    analyse(page)
    assert page.locator("#review").is_hidden()  # there is no move after the opening
    opening = moves(page)
    page.click('#moves [data-ply="1"]')
    page.locator('#moves [data-ply="1"][aria-current]').wait_for()
    for _ in range(2):  # a person who leaves the opening chose all later moves
        names = page.locator(LEGAL).evaluate_all("all => all.map(each => each.ariaLabel.split(',')[0])")
        ply = int(page.get_attribute("#moves [aria-current]", "data-ply"))
        other = next(name for name in names if name != opening[ply])
        page.click(f'.square[aria-label^="{other},"]')
        page.locator(f'#moves [data-ply="{ply + 1}"][aria-current]').wait_for()
    page.click("#review")
    page.locator("#review-state:has-text('1 of 2 moves')").wait_for()
    page.locator('#curve [data-line="a"][data-ply="2"]').wait_for(state="attached")
    assert "1 of 2 moves" in page.inner_text("#review-state")
    is_over.append(True)
    page.locator("#review-state:has-text('0 of 2 are exact')").wait_for()
    assert page.inner_text("#review-state").endswith("The 1 plies of the opening do not count.")
    page.unroute_all(behavior="ignoreErrors")


def test_games_are_opened_tried_and_copied(page, tmp_path):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    paste(page, "othello", "f5d6c3 <img src=x onerror=alert(1)>")
    page.locator("#paste-error:has-text('ply 4')").wait_for()
    assert page.locator("#paste-dialog img").count() == 0
    page.fill("#text", "1. f5 d6 2. c3 d3 c4f4f6")
    page.click("#read")
    wait_for_plies(page, 7)
    state = Othello.from_moves(SHORT)
    owners = {divmod(i, 8): owner for i, owner in enumerate(state.owners()) if owner is not None}
    labels = [square(page, *place).get_attribute("aria-label") for place in owners]
    assert [label.split(", ")[1] for label in labels] == [state.player_names[owner] for owner in owners.values()]
    look(page, a="engine:depth=4")
    assert page.locator("#table thead th").all_inner_texts() == ["move", "discs, black", "expected line"]
    analysis = make_agent("engine:depth=4").analyse(state, lines=64)
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("#table tbody tr").all()]
    lines = {state.action_to_text(line.pv[0]): [*map(state.action_to_text, line.pv)] for line in analysis.lines}
    assert {name: line.split() for name, _value, line in rows} == lines
    assert f"depth {analysis.depth}, {analysis.nodes:,} nodes" in page.inner_text("#reading-a")
    page.locator("#table td.line").first.locator("button").nth(2).click()
    wait_for_plies(page, 10)
    assert moves(page)[7:] == lines[rows[0][0]][:3]
    page.click('#moves [data-ply="2"]')
    page.locator('#moves [data-ply="2"][aria-current]').wait_for()
    square(page, 2, 2).click()  # c3 is the game's next move, so the later moves stay
    page.locator('#moves [data-ply="3"][aria-current]').wait_for()
    assert len(moves(page)) == 10
    page.click("#back")
    square(page, 3, 2).click()  # c4 opens another line
    page.locator('#moves [data-ply="3"]:has-text("c4")').wait_for()
    page.locator("#lines button").click()
    wait_for_plies(page, 10)
    assert "c4" in page.inner_text("#lines")
    choose_in_menu(page, "copy")
    page.locator("#note:has-text('the game is copied')").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").replace(" ", "") == "".join(moves(page))
    several, broken = tmp_path / "games.txt", tmp_path / "broken.wtb"
    several.write_text("f5d6c3\nf5f6e6f4\n")
    broken.write_bytes(b"\0\1")
    choose_in_menu(page, "paste")
    page.set_input_files("#file", broken)
    page.locator("#paste-error:has-text('broken.wtb')").wait_for()
    page.set_input_files("#file", several)
    page.locator("#games button").nth(1).click()
    page.locator('#moves [data-ply="4"]:has-text("f4")').wait_for()
    page.locator("#paste-dialog").wait_for(state="hidden")
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["(;GM[Othello]PB[Ann]PW[Bob]TY[8]B[f5]W[d6];)"], "a.ggf"));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }"""
    )
    page.locator("#players li:first-child:has-text('Ann')").wait_for()
    page.reload()  # the names stay
    page.locator("#players li:last-child:has-text('Bob')").wait_for()
    new_game(page, "othello:size=4", ["human", "human"])
    choose_in_menu(page, "edit")
    for row, column, clicks in ((0, 0, 1), (0, 1, 2), (1, 1, 1)):  # an empty square, black, white, and empty again
        for _ in range(clicks):
            square(page, row, column).click()
    page.select_option("#edit-player", "1")
    page.click("#edit-done")
    page.locator("#status:has-text('White to move')").wait_for()
    labels = page.locator(".square").evaluate_all("all => all.map(each => each.ariaLabel.split(', ')[1])")
    expected = ["XO--", "--X-", "-XO-", "----"]
    assert ["-XO"[["empty", "black", "white"].index(label)] for label in labels] == list("".join(expected))
    assert page.locator("#tab-analyse[aria-current=page]").count() == 1


def test_the_board_has_the_keys_after_a_choice_unless_a_list_or_a_table_has_the_focus(page):
    focus = "document.activeElement"
    new_game(page, "othello", ["human", "human"])
    page.focus("#menu > summary")
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focus}.dataset.place") is not None
    look(page, a="ntuple")
    assert page.inner_text("#reading-a").endswith("best d3, c4, f5, e6")  # all equal moves are the best
    assert page.locator("#table td.best").count() == 4
    assert page.locator(".heat g").count() == 0  # only on demand
    page.mouse.click(2, 2)
    page.select_option("#look", "engine:depth=4")
    assert page.evaluate(f"{focus}.matches('.square')")
    set_in_menu(page, "speed", "150")
    page.keyboard.press("Tab")
    page.focus("#look")
    page.keyboard.press("ArrowUp")  # a person who changes the list by keys stays there
    assert page.evaluate(f"{focus}.id") == "look"
    page.evaluate(f"{focus}.blur()")
    page.keyboard.press("n")
    page.locator("#new-dialog[open]").wait_for()
    page.keyboard.press("Escape")
    page.locator("#new-dialog[open]").wait_for(state="detached")
    page.keyboard.press("?")
    page.locator("#keys-dialog[open]").wait_for()
    assert page.locator("#keys-list").inner_text().split("\n")[:2] == ["n", "New game"]
    page.keyboard.press("Escape")
    paste(page, "othello", "f5d6c3")
    page.locator('#moves [data-ply="3"][aria-current]').wait_for()
    page.focus("#table")
    for key in ("ArrowLeft", "Home", "f"):  # of these keys, only the last one does not scroll the table
        page.keyboard.press(key)
    assert page.locator('#moves [data-ply="3"][aria-current]').count() == 1
    page.evaluate(f"{focus}.blur()")
    page.keyboard.press("ArrowLeft")
    page.locator('#moves [data-ply="2"][aria-current]').wait_for()
    square(page, 0, 0).click()  # a click on the board leaves these keys to the game
    page.keyboard.press("ArrowLeft")
    page.locator('#moves [data-ply="1"][aria-current]').wait_for()
    square(page, 3, 3).focus()
    page.keyboard.press("ArrowUp")  # on the turned board, row 4 is above row 3
    assert page.evaluate(f"{focus}.dataset.place") == "4,3"
    box = box_of(page, '#moves [data-ply="2"]')  # a click counts even if an answer comes while the button is down
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.select_option("#look", "alphabeta:depth=2")
    page.locator('#table td[data-slot="a"][data-value]').first.wait_for()
    page.mouse.up()
    page.locator('#moves [data-ply="2"][aria-current]').wait_for()


def test_a_slow_evaluator_is_neither_starved_nor_in_the_way_of_the_game(open_page, serve, tmp_path):
    """Its running evaluation is finished, its process lives, and the value stays until the next one is there."""
    file, log, go = tmp_path / "slow.py", tmp_path / "log", tmp_path / "go"
    file.write_text(
        "import os, pathlib, time\nfrom othello_env.agent import Agent\n"
        "class Slow(Agent):\n"
        "    def act(self, state, *, seconds_left=None):\n        return state.legal_actions()[0]\n"
        "    def evaluate(self, state, player):\n"
        f"        with open({str(log)!r}, 'a') as file:\n"
        "            print(os.getpid(), len(state.moves), file=file)\n"
        f"        while not pathlib.Path({str(go)!r}).exists():\n            time.sleep(.01)\n"
        "        return .25 if player == 0 else -.25\n"
    )
    with open_page(serve(f"{file}:Slow").address) as page:
        set_in_menu(page, "speed", "150")
        new_game(page, "othello:size=4", ["random", "random"], seed=2)
        analyse(page)
        page.locator("#reading-a .doing:has-text('starting')").wait_for()
        assert page.locator("#bar .fill").count() == 0  # what is unknown is not drawn as even
        page.locator("#status:has-text('over')").wait_for()
        page.click('#moves [data-ply="8"]')
        go.touch()
        page.locator("#reading-a:has-text('black +0.25')").wait_for()
        last = len(moves(page)) - 1
        page.locator(f'#curve [data-line="a"][data-ply="{last}"]').wait_for(state="attached")
        asked = [line.split() for line in log.read_text().splitlines()]
        first, second = [int(ply) for _, ply in asked[::2]][:2]
        assert first < second == 8  # the newest position is next
        assert len({process for process, _ in asked}) == 1
        new_game(page, "othello:size=4", ["human", "human"], seed=3)
        analyse(page)
        page.locator("#bar:not(.old) .fill").wait_for()
        go.unlink()
        square(page, 0, 1).click()
        page.locator("#reading-a .doing:has-text('thinking')").wait_for()
        page.locator("#bar.old .fill").wait_for()
        assert page.locator("#bar").inner_text() == "+0.25"
        go.touch()
        page.locator("#bar:not(.old) .fill").wait_for()
