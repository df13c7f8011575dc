"""The analysis in Chromium: two agents, the review, lines and links. Python gives the same numbers as the page."""

import pytest
from driving import MINUS, box_of, contrast, moves, new_game, paste, play_small, square, sticks_out, wait_for_plies

from othello_env import Othello, make_agent
from othello_env.data import review_game, summarise
from othello_env.drawing import html, positions
from othello_env.page.opening_names import opening_name

GAME = "f5d6c3d3c4f4f6"  # white is to move
EDGE, HEIGHT = 8, 120  # the margin and the height of the picture of the curve


def number(text):
    return float(text.replace(MINUS, "-").removeprefix("★").strip())


def table(page, slot):
    """The values in a column of the table of moves, by the names of the moves. They are not rounded."""
    cells = page.evaluate(
        """slot => [...document.querySelectorAll(`#table td[data-slot="${slot}"]`)]
          .map(cell => [cell.parentElement.querySelector("th").innerText, cell.dataset.value])""",
        slot,
    )
    return {name: float(value) for name, value in cells}


def test_two_agents_side_by_side_have_the_numbers_of_python(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    page.locator('#look option[value="engine:depth=4"]').wait_for(state="attached")
    page.select_option("#look", "ntuple")
    page.select_option("#look-b", "engine:depth=4")
    page.locator('#table td[data-slot="b"][data-value]').first.wait_for()
    page.locator('#table td[data-slot="a"][data-value]').first.wait_for()
    state = Othello.from_moves(GAME)
    found = make_agent("engine:depth=4").analyse(state, lines=64)
    values_of = {"a": make_agent("ntuple").action_values(state), "b": {line.pv[0]: line.discs for line in found.lines}}
    for slot, each in values_of.items():
        values = {state.action_to_text(action): value for action, value in each.items()}
        assert table(page, slot) == values
        texts = page.locator(f'#table td[data-slot="{slot}"]').all_inner_texts()
        names = page.locator("#table tbody th").all_inner_texts()
        assert {name: number(text) for name, text in zip(names, texts, strict=True)} == {
            name: pytest.approx(values[name], abs=0.06 if slot == "b" else 0.006) for name in names
        }
    told = page.inner_text("#looked-b")
    assert told.startswith(f"B: {found.discs:+.1f} expected discs for white; best".replace("-", MINUS))
    assert f"depth {found.depth}" in told
    assert f"{found.nodes:,} nodes" in told
    assert "line " + " ".join(map(state.action_to_text, found.pv)) in told
    agree = {max(table(page, slot), key=table(page, slot).get) for slot in "ab"}
    assert ("disagree" in page.inner_text("#differ")) == (len(agree) == 2)


def test_the_curve_has_a_fixed_scale_and_can_be_read_and_scrubbed(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    page.locator('#look option[value="ntuple"]').wait_for(state="attached")
    page.select_option("#look", "ntuple")
    page.locator('#curve [data-ply="6"]').wait_for(state="attached")
    agent = make_agent("ntuple")
    for ply in (0, 3, 6):
        point = page.locator(f'#curve [data-ply="{ply}"]')
        position = Othello().play_transcript(GAME[: 2 * ply])
        value = max(agent.action_values(position).values()) * (1 - 2 * position.to_move)
        assert float(point.get_attribute("data-value")) == value
        at = EDGE + (HEIGHT - 2 * EDGE) * (1 - value) / 2  # +1 is at the top, -1 at the bottom
        assert float(point.get_attribute("cy")) == pytest.approx(at)
    box = box_of(page, "#curve svg")
    page.mouse.move(box["x"] + 0.03 * box["width"], box["y"] + 20)
    page.locator("#curve-read:has-text('Ply 0, at the start')").wait_for()
    page.mouse.down()
    page.locator('#moves [data-ply="0"][aria-current]').wait_for()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 20, steps=4)
    page.mouse.up()
    page.locator("#moves [aria-current]:not([data-ply='0'])").wait_for()


def test_exact_scores_stand_beside_the_agents_own(page):
    state = Othello(4)
    for _ in range(3):
        state = state.play(state.legal_actions()[-1])
    paste(page, "othello:size=4", state.transcript())
    page.locator('#look option[value="alphabeta:depth=2"]').wait_for(state="attached")
    page.select_option("#look", "alphabeta:depth=2")
    page.locator('#table td[data-slot="exact"]').first.wait_for()
    page.locator('#table td[data-slot="a"][data-value]').first.wait_for()
    row = make_agent("engine").exact_scores([state])[0]
    names = {action: state.action_to_text(action) for action in state.legal_actions()}
    assert table(page, "exact") == {name: row[action] for action, name in names.items()}
    values = make_agent("alphabeta:depth=2").action_values(state)
    assert table(page, "a") == {names[action]: value for action, value in values.items()}


def test_each_move_has_its_depth_nodes_and_expected_line(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    page.locator('#look option[value="engine:depth=4"]').wait_for(state="attached")
    page.select_option("#look", "engine:depth=4")
    page.locator("#table td.line").first.wait_for()
    assert page.locator("#table thead th").all_inner_texts() == [
        "move",
        "A: expected discs",
        "depth",
        "nodes",
        "expected line",
    ]
    state = Othello.from_moves(GAME)
    lines = make_agent("engine:depth=4").analyse(state, lines=64).lines
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("#table tbody tr").all()]
    told = {name: more for name, _value, *more in rows}
    assert told == {
        state.action_to_text(line.pv[0]): [
            str(line.depth),
            f"{line.nodes:,}",
            " ".join(map(state.action_to_text, line.pv)) + (" …" if len(line.pv) < line.depth else ""),
        ]
        for line in lines
    }
    page.select_option("#look-b", "mcts")
    page.locator("#table th:has-text('visits B')").wait_for()
    shares = [number(text.removesuffix("%")) for text in page.locator('#table td[data-slot="b"]').all_inner_texts()]
    assert sum(shares) == pytest.approx(100, abs=len(shares))


def test_the_review_is_that_of_python(page):
    final = play_small()
    paste(page, "othello:size=4", final.transcript())
    wait_for_plies(page, len(final.moves))
    assert page.locator("#status").inner_text().startswith("Game over: ")
    page.click("#review")
    page.locator("#review-state:has-text('are exact')").wait_for()
    reviews = [*review_game(final, start=Othello(4))]
    shown = page.locator("#moves button")
    for move in reviews:
        text = shown.nth(move.ply).inner_text()
        assert text.endswith(f"{MINUS}{move.loss:.0f}") if move.loss else MINUS not in text
    sides = [summarise(move for move in reviews if move.player == player) for player in (0, 1)]
    blunders = sorted(move.ply for side in sides for move in side.blunders)
    assert blunders
    listed = page.locator("#blunders button")
    assert [int(each.get_attribute("data-ply")) for each in listed.all()] == blunders
    # Read single cells. Just after an answer has replaced a row, the text of the row has no tabs between the cells.
    cells = page.locator("#review-sides tbody td").all_inner_texts()
    for index, side in enumerate(sides):
        told = [str(side.moves), f"{side.best:.0%}", f"{side.loss:.2f}", f"{side.exact_loss:.2f}"]
        assert cells[5 * index : 5 * index + 5] == [*told, str(len(side.blunders))]
    listed.first.click()
    page.locator(f'#moves [data-ply="{blunders[0] - 1}"][aria-current]').wait_for()


def test_a_review_leaves_out_the_opening(page):
    page.select_option("#speed", "150")
    new_game(page, "othello:size=4", ["random", "random"], seed=4, opening="random:4")
    page.locator("#status:has-text('Game over')").wait_for()
    state = Othello(4)
    for name in moves(page):
        state = state.play(state.action_from_text(name))
    reviews = [*review_game(state, start=Othello(4))]
    assert any(move.loss >= 6 for move in reviews if move.ply <= 4)
    page.click("#review")
    page.locator("#review-state:has-text('The 4 plies of the opening do not count.')").wait_for()
    listed = [int(each.get_attribute("data-ply")) for each in page.locator("#blunders button").all()]
    later = [move for move in reviews if move.ply > 4 and move.had_choice]
    assert listed == [move.ply for move in later if move.loss >= 6]
    rows = page.locator("#review-sides tbody tr").all()
    choices = [int(row.locator("td").first.inner_text()) for row in rows]
    assert choices == [sum(move.player == side for move in later) for side in (0, 1)]
    assert not any(MINUS in page.locator(f'#moves [data-ply="{ply}"]').inner_text() for ply in range(1, 5))


def test_a_person_who_leaves_the_opening_chose_all_later_moves(page):
    new_game(page, "othello:size=4", ["human", "human"], seed=4, opening="random:4")
    opening = moves(page)
    page.click('#moves [data-ply="1"]')
    page.locator('#moves [data-ply="1"][aria-current]').wait_for()
    state = Othello(4).play_transcript(opening[0])
    other = next(action for action in state.legal_actions() if state.action_to_text(action) != opening[1])
    square(page, *divmod(other, 4)).click()
    wait_for_plies(page, 2)
    page.locator('#moves [data-ply="3"]').wait_for(state="detached")
    page.click("#restart")
    page.locator('#moves [data-ply="2"]').wait_for(state="detached")
    assert moves(page) == opening[:1]


def test_a_review_of_a_whole_board_estimates_the_beginning(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    page.click("#review")
    page.locator("#review-state:has-text('0 of 7 are exact')").wait_for()
    for move in review_game(Othello.from_moves(GAME)):
        text = page.locator("#moves button").nth(move.ply).inner_text()
        lost = f"{round(move.loss, 2):.1f}"
        assert text.endswith(f"{MINUS}{lost}") if float(lost) else MINUS not in text


def test_an_agent_is_set_up_in_the_dialog_and_plays_so(page):
    page.click("#new")
    page.select_option("#game", "othello")
    page.select_option("[name=seat-0]", "human")
    page.select_option("[name=seat-1]", "alphabeta:depth=2")
    page.locator("#seats summary").last.click()
    page.fill("[name=seat-1-depth]", "3")
    page.locator("[name=seat-1-depth]").press("Tab")
    page.click("#start")
    page.locator("#players li:last-child:has-text('alphabeta:depth=3')").wait_for()
    square(page, 4, 5).click()
    wait_for_plies(page, 2)
    state = Othello.from_moves("f5")
    assert moves(page) == ["f5", state.action_to_text(make_agent("alphabeta:depth=3").act(state))]
    page.reload()  # after a reload, the agent has the same options
    page.locator("#players li:last-child:has-text('alphabeta:depth=3')").wait_for()


def test_another_move_opens_a_variation_and_the_line_is_kept(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    page.click('#moves [data-ply="2"]')
    page.locator('#moves [data-ply="2"][aria-current]').wait_for()
    square(page, 2, 2).click()  # c3 is the game's next move, so the later moves stay
    page.locator('#moves [data-ply="3"][aria-current]').wait_for()
    assert len(moves(page)) == 7
    page.click("#back")
    square(page, 3, 2).click()  # c4
    page.locator('#moves [data-ply="3"]:has-text("c4")').wait_for()
    assert "".join(moves(page)) == "f5d6c4"
    page.locator("#lines button").click()
    wait_for_plies(page, 7)
    assert "".join(moves(page)) == GAME
    assert "c4" in page.inner_text("#lines")


def test_what_one_click_took_away_can_be_had_back(page):
    new_game(page, "othello", ["human", "human"], seed=4)
    square(page, 4, 5).click()
    wait_for_plies(page, 1)
    recover = page.locator("#recover")
    assert recover.is_disabled()
    page.click("#resign")
    page.locator("#status:has-text('black wins: white resigns')").wait_for()
    page.locator("#recover:has-text('Undo resign')").click()
    page.locator("#status:has-text('White to move')").wait_for()
    page.click("#restart")
    page.locator("#recover:has-text('Undo restart')").click()
    wait_for_plies(page, 1)
    paste(page, "othello", "f5f6")
    page.locator("#recover:has-text('Undo paste')").wait_for()
    wait_for_plies(page, 2)
    recover.click()
    page.locator('#moves [data-ply="2"]').wait_for(state="detached")
    assert moves(page) == ["f5"]
    page.locator("#recover:has-text('Redo paste')").click()
    wait_for_plies(page, 2)
    assert moves(page) == ["f5", "f6"]


def test_the_end_says_who_won_and_a_rematch_changes_sides(page):
    new_game(page, "othello:size=4", ["human", "random"], seed=7)
    while "over" not in page.inner_text("#status").lower():
        legal = page.locator('.square[aria-label$=", legal"]')
        if "Black to move" in page.inner_text("#status") and legal.count():
            legal.first.click()
        page.wait_for_timeout(30)
    black, white = (int(text) for text in page.locator("#players .score").all_inner_texts())
    told = page.inner_text("#status")
    if black == white:
        assert "a draw" in told
    else:
        assert f"{'black' if black > white else 'white'} wins by {abs(black - white)} disc" in told
    page.click("#rematch")
    page.locator("#players li:first-child:has-text('random')").wait_for()
    page.locator("#players li:last-child:has-text('you')").wait_for()


def test_a_link_holds_the_position_and_the_moves(page, open_page, server):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    assert page.inner_text("#opening-name") == f"Opening: {opening_name(Othello.from_moves(GAME))}"
    page.click('#moves [data-ply="4"]')
    page.click("#link")
    page.locator("#note:has-text('A link to this position is copied')").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{server.address}#game=othello&moves={GAME}&ply=4"
    with open_page(link) as other:
        wait_for_plies(other, 7)
        other.locator('#moves [data-ply="4"][aria-current]').wait_for()
        assert "".join(moves(other)) == GAME
        assert "#" not in other.url


@pytest.mark.parametrize(("button", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!doctype html>")])
def test_a_position_or_a_game_is_saved(page, button, begins):
    with page.expect_download() as caught:
        page.click(f"#{button}")
    assert caught.value.suggested_filename.endswith(button)
    assert caught.value.path().read_bytes().startswith(begins)


def test_the_board_turns_and_the_theme_changes(page):
    before = square(page, 0, 0).bounding_box()
    page.keyboard.press("f")
    after = square(page, 0, 0).bounding_box()
    assert after["x"] > before["x"]
    assert after["y"] > before["y"]
    square(page, 3, 3).focus()
    page.keyboard.press("ArrowUp")  # on the turned board, row 4 is above row 3
    assert page.evaluate("document.activeElement.dataset.place") == "4,3"
    grounds = []
    for theme in ("light", "dark"):
        page.select_option("#theme", theme)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(245, 242, 236)", "rgb(23, 22, 20)"]


@pytest.mark.parametrize("game", ["othello", "tribolo", "checkers"])
def test_legal_moves_and_the_focus_are_seen_on_every_ground(page, game):
    new_game(page, game, ["human"] * (3 if game == "tribolo" else 2), seed=5)
    page.select_option("#numbers", "")
    assert page.is_checked("#legal")
    square(page, 2, 1).focus()
    page.keyboard.press("ArrowRight")

    def colours(selector, name):
        """The colours that the browser computes for these elements, as rgb()."""
        code = f"all => [...new Set(all.map(each => getComputedStyle(each).{name}))]"
        return [c for c in page.locator(selector).evaluate_all(code) if c.startswith("rgb")]

    grounds = colours("#board svg > rect", "fill")
    assert grounds
    marks = {"focus": colours("rect.focus", "stroke")}
    dots = "circle.legal" if game != "checkers" else ".movable"
    marks["legal"] = colours(dots, "stroke") + (colours(dots, "fill") if game != "checkers" else [])
    for name, tones in marks.items():
        assert tones, name
        for ground in grounds:
            assert max(contrast(tone, ground) for tone in tones) >= 3, (name, ground, tones)


def test_a_click_counts_even_if_an_answer_comes_while_the_button_is_down(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    page.locator('#look option[value="alphabeta:depth=2"]').wait_for(state="attached")
    box = box_of(page, '#moves [data-ply="2"]')
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.select_option("#look", "alphabeta:depth=2")
    page.locator('#table td[data-slot="a"][data-value]').first.wait_for()
    page.mouse.up()
    page.locator('#moves [data-ply="2"][aria-current]').wait_for()


def test_nothing_is_cut_off_at_320_pixels(open_page, server):
    with open_page(server.address, viewport={"width": 320, "height": 700}) as page:
        page.locator('#look option[value="ntuple"]').wait_for(state="attached")
        assert not sticks_out(page)
        page.locator('#table td[data-slot="a"][data-value]').first.wait_for()
        boxes = page.evaluate(  # all at once, because an answer replaces buttons
            """() => [...document.querySelectorAll("button, select")]
              .filter(each => each.checkVisibility({ visibilityProperty: true }))
              .map(each => each.getBoundingClientRect().toJSON())"""
        )
        assert boxes
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 320 for box in boxes)


def cut_texts(page):
    """The texts on the page that are wider or higher than their places and do not scroll."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#panel-board *")]
          .filter(each => each.clientWidth && getComputedStyle(each).overflow.includes("hidden") && each.id !== "moves")
          .filter(each => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
          .map(each => each.textContent)"""
    )


def test_no_text_is_cut_at_390_pixels(open_page, server):
    with open_page(server.address, viewport={"width": 390, "height": 844}) as page:
        paste(page, "othello", "f5d6c5f4e3f6g5e6e7")
        page.locator("#status:has-text('white has no disc left')").wait_for()
        assert not cut_texts(page)
        new_game(page, "tribolo", ["human", "tribolo", "random"])
        page.locator("#recover:has-text('Undo new game')").wait_for()
        for select in ("#look", "#look-b"):
            page.locator(f'{select} option[value="maxn:depth=2"]').wait_for(state="attached")
            page.select_option(select, "maxn:depth=2")
        page.locator("#looked-b:has-text('green')").wait_for()
        page.locator("#curve-read:has-text('B: blue')").wait_for()
        assert not cut_texts(page)


def test_a_replay_has_its_buttons_above_the_fold(browser, tmp_path):
    file = tmp_path / "game.html"
    file.write_text(html(positions(Othello.from_moves(GAME), Othello())))
    for width, height in ((1280, 720), (390, 700)):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(file.as_uri())
        box = page.locator("#play").bounding_box()
        assert box["y"] + box["height"] <= height
        page.close()
