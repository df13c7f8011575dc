"""The analysis in Chromium: two agents, the review, lines and links. Python gives the same numbers as the page."""

import pytest
from driving import GAME as LONG
from driving import (
    MINUS,
    SMALL,
    analyse,
    box_of,
    choose_in_menu,
    contrast,
    in_sight,
    look,
    moves,
    new_game,
    paste,
    recover_is,
    set_in_menu,
    square,
    sticks_out,
    table,
    wait_for_plies,
)

from othello_env import Othello, make_agent
from othello_env.page.assessment import assess
from othello_env.review import review_game, summarise

GAME = "f5d6c3d3c4f4f6"  # white is to move


def number(text):
    return float(text.replace(MINUS, "-").removeprefix("★").strip())


def test_a_comparison_has_two_columns_and_two_curves_and_says_so(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    look(page, a="ntuple", b="engine:depth=4")
    state = Othello.from_moves(GAME)  # white is to move
    for slot, spec in (("a", "ntuple"), ("b", "engine:depth=4")):
        found = assess(make_agent(spec), state)
        assert table(page, slot) == {state.action_to_text(move.action): move.value for move in found.moves}
        best = state.action_to_text(found.moves[0].action)
        told = f"{found.values[0]:+.1f}".replace("-", MINUS)
        assert page.inner_text(f"#reading-{slot}").startswith(f"{slot.upper()}: black {told} discs; best {best}")
        page.locator(f'#curve [data-line="{slot}"][data-ply="7"]').wait_for(state="attached")
    assert page.inner_text("#comparison").startswith("The squares and the bar are A's.")
    agree = {min(table(page, slot), key=table(page, slot).get) for slot in "ab"}
    assert ("disagree" in page.inner_text("#comparison")) == (len(agree) == 2)
    colours = page.evaluate(  # the stars have the colours of their agents
        """() => ["#table td.best[data-slot=a]", "#reading-a", "#table td.best[data-slot=b]", "#reading-b"]
          .map(selector => getComputedStyle(document.querySelector(selector)).color)"""
    )
    assert colours[0] == colours[1] != colours[2] == colours[3]
    page.select_option("#look-b", "")
    assert page.locator("#comparison").is_hidden()
    assert page.locator('#curve [data-line="b"]').count() == 0


def test_each_move_has_its_expected_line_whose_moves_show_their_positions(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    look(page, a="engine:depth=4")
    page.locator("#reading-a:has-text('depth 4'):not(:has(.doing))").wait_for()
    assert page.locator("#table thead th").all_inner_texts() == ["move", "discs, black", "expected line"]
    state = Othello.from_moves(GAME)
    analysis = make_agent("engine:depth=4").analyse(state, lines=64)
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("#table tbody tr").all()]
    expected = {
        state.action_to_text(line.pv[0]): " ".join(map(state.action_to_text, line.pv)) for line in analysis.lines
    }
    assert {name: " ".join(line.split()) for name, _value, line in rows} == expected
    assert f"depth {analysis.depth}, {analysis.nodes:,} nodes" in page.inner_text("#reading-a")
    first = page.locator("#table td.line").first
    names = first.inner_text().split()
    first.locator("button").nth(2).click()
    wait_for_plies(page, 10)
    assert "".join(moves(page)) == GAME + "".join(names[:3])


@pytest.mark.parametrize(("width", "seen"), [(1440, "#review-sides"), (600, "#review-state")])
def test_the_review_is_that_of_python_and_is_seen_at_once(open_page, server, width, seen):
    final = Othello(4).play_transcript(SMALL)
    with open_page(server.address, viewport={"width": width, "height": 900}) as page:
        paste(page, "othello:size=4", final.transcript())
        wait_for_plies(page, len(final.moves))
        assert page.inner_text("#status").startswith("Game over: ")
        page.click("#review")
        page.locator("#review-state:has-text('are exact')").wait_for()
        assert in_sight(page, seen)
        reviews = [*review_game(final, start=Othello(4))]
        played = [move for move in reviews if move.action != 16]
        assert len(played) < len(reviews)  # a pass is no move
        choices = sum(move.had_choice for move in played)
        assert f" {choices} of {choices} are exact. " in page.inner_text("#review-state")
        shown = page.locator("#moves button").all_inner_texts()[1:]
        for move, text in zip(reviews, shown, strict=True):
            name, _, lost = text.partition(" loses ")
            number = sum(each.action != 16 for each in reviews[: move.ply])  # a pass has no number
            assert name == ("pass" if move.action == 16 else f"{number}. {move.state.action_to_text(move.action)}")
            assert lost == (f"{move.loss:.0f}" if move.loss else "")
        sides = [summarise(move for move in reviews if move.player == player) for player in (0, 1)]
        blunders = sorted(move.ply for side in sides for move in side.blunders)
        assert blunders
        marks = page.locator("#curve .blunder").all()
        assert [int(mark.get_attribute("data-blunder")) for mark in marks] == blunders
        listed = page.locator("#blunders button")
        assert [int(each.get_attribute("data-ply")) for each in listed.all()] == blunders
        # Read single cells. Just after an answer has replaced a row, the text of the row has no tabs between the cells.
        cells = page.locator("#review-sides tbody td").all_inner_texts()
        for index, side in enumerate(sides):
            told = [str(side.moves), f"{side.best:.0%}", f"{side.loss:.2f}", f"{side.exact_loss:.2f}"]
            assert cells[5 * index : 5 * index + 5] == [*told, str(len(side.blunders))]
        page.locator('#look option[value="engine:depth=4"]').wait_for(state="attached")
        page.select_option("#look", "engine:depth=4")  # another engine reviews, too
        page.locator("#review-state:has-text('are exact')").wait_for()
        listed.last.click()
        page.locator(f'#moves [data-ply="{blunders[-1] - 1}"][aria-current]').wait_for()
        assert page.locator(".better").count() == 1  # an arrow to the better move
        assert in_sight(page, "#moves [aria-current]")


MOVE_IN_SIGHT = """() => {
  const box = selector => document.querySelector(selector).getBoundingClientRect();
  const [list, move] = [box("#moves"), box("#moves [aria-current]")];
  return list.left - 1 < move.left && move.right < list.right + 1
    && list.top - 1 < move.top && move.bottom < list.bottom + 1;
}"""


@pytest.mark.parametrize(("width", "other"), [(1440, 390), (390, 1280)])
def test_the_present_move_stays_in_sight_when_a_review_or_the_window_changes_the_list(open_page, server, width, other):
    with open_page(server.address, viewport={"width": width, "height": 900}) as page:
        paste(page, "othello", LONG)
        wait_for_plies(page, 24)
        page.wait_for_function(MOVE_IN_SIGHT)
        page.click("#review")
        page.locator("#review-state:has-text('are exact')").wait_for()
        page.locator("#moves .lost").first.wait_for()
        page.wait_for_function(MOVE_IN_SIGHT)
        for changed in (other, width):
            page.set_viewport_size({"width": changed, "height": 860})
            page.wait_for_function(f"innerWidth === {changed}")
            page.wait_for_function(MOVE_IN_SIGHT)


def test_a_review_is_complete_when_no_answer_is_of_a_less_deep_search(page):
    is_over = []

    def answer(route):
        message, told = route.request.post_data_json, route.fetch()
        is_held = message["task"] == "assess" and len(message["record"]["moves"]) == 2 and not is_over
        if is_held and told.status == 200:
            route.fulfill(status=202, json={"doing": "thinking", "answer": told.json()})
        else:
            route.fulfill(response=told)

    page.route("**/api/think", answer)
    paste(page, "othello", "f5d6c3")
    page.click("#review")
    page.locator("#review-state:has-text('2 of 3 moves')").wait_for()
    page.locator('#curve [data-line="a"][data-ply="2"]').wait_for(state="attached")
    assert "2 of 3 moves" in page.inner_text("#review-state")
    is_over.append(True)
    page.locator("#review-state:has-text('of 3 are exact')").wait_for()
    page.unroute_all(behavior="ignoreErrors")


def test_a_review_is_offered_where_it_can_be_made(page):
    analyse(page)
    new_game(page, "othello", ["human", "human"])
    review = page.locator("#review")
    assert review.is_hidden()  # there is no move yet
    paste(page, "othello", "f5d6")
    review.wait_for()
    for game, seats in (("checkers", 2), ("tribolo", 3)):
        new_game(page, game, ["human"] * seats)
        analyse(page)
        review.wait_for(state="hidden")  # only games of Othello can be reviewed


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
    choose_in_menu(page, "restart")
    page.locator('#moves [data-ply="2"]').wait_for(state="detached")
    assert moves(page) == opening[:1]


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


def test_a_number_that_is_being_typed_stays_when_another_agent_is_listed(page):
    held = []

    def hold(route):
        message = route.request.post_data_json
        if message["task"] == "powers" and message["agent"] == "ntuple" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/think", hold)
    page.reload()
    analyse(page)
    page.locator('#look option[value="mcts"]').wait_for(state="attached")
    page.select_option("#look", "mcts")
    page.locator(".lookers summary").first.click()
    page.focus("[name=look-simulations]")
    page.keyboard.type("1")
    while not held:
        page.wait_for_timeout(20)
    assert not page.locator('#look option[value="ntuple"]').count()
    held[0].continue_()
    page.locator('#look option[value="ntuple"]').wait_for(state="attached")
    page.keyboard.type("6")
    page.keyboard.press("Tab")
    assert page.input_value("#look") == "mcts:simulations=16"


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
    choose_in_menu(page, "resign")
    page.locator("#status:has-text('black wins: white resigns')").wait_for()
    recover_is(page, "Undo resign")
    choose_in_menu(page, "recover")
    page.locator("#status:has-text('White to move')").wait_for()
    choose_in_menu(page, "restart")
    recover_is(page, "Undo restart")
    choose_in_menu(page, "recover")
    wait_for_plies(page, 1)
    paste(page, "othello", "f5f6")
    recover_is(page, "Undo paste")
    wait_for_plies(page, 2)
    choose_in_menu(page, "recover")
    page.locator('#moves [data-ply="2"]').wait_for(state="detached")
    assert moves(page) == ["f5"]
    recover_is(page, "Redo paste")
    choose_in_menu(page, "recover")
    wait_for_plies(page, 2)
    assert moves(page) == ["f5", "f6"]


def test_a_game_is_copied_and_pasted_again(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    paste(page, "othello", GAME)
    wait_for_plies(page, 7)
    choose_in_menu(page, "copy")
    page.locator("#note:has-text('The game is copied')").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    paste(page, "othello", "f5")
    page.locator('#moves [data-ply="2"]').wait_for(state="detached")
    paste(page, "othello", copied)
    wait_for_plies(page, 7)
    assert "".join(moves(page)) == GAME


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
        set_in_menu(page, "theme", theme)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(245, 242, 236)", "rgb(23, 22, 20)"]


def test_legal_moves_and_the_focus_are_seen_on_every_ground(page):
    def colours(selector, name):
        """The colours that the browser computes for these elements, as rgb()."""
        code = f"all => [...new Set(all.map(each => getComputedStyle(each).{name}))]"
        return [c for c in page.locator(selector).evaluate_all(code) if c.startswith("rgb")]

    for seed, game in enumerate(("othello", "tribolo", "checkers"), 4):
        new_game(page, game, ["human"] * (3 if game == "tribolo" else 2), seed=seed)
        assert page.is_checked("#legal")
        page.focus("#menu > summary")
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        grounds = colours("#board svg > rect", "fill")
        assert grounds
        marks = {"focus": colours("rect.focus", "stroke")}
        dots = "circle.legal" if game != "checkers" else ".movable"
        marks["legal"] = colours(dots, "stroke") + (colours(dots, "fill") if game != "checkers" else [])
        for name, tones in marks.items():
            assert tones, name
            for ground in grounds:
                assert max(contrast(tone, ground) for tone in tones) >= 3, (game, name, ground, tones)


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
        analyse(page)
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
        recover_is(page, "Undo new game")
        analyse(page)
        for select in ("#look", "#look-b"):
            page.locator(f'{select} option[value="maxn:depth=2"]').wait_for(state="attached")
            page.select_option(select, "maxn:depth=2")
        page.locator("#reading-b:has-text('green')").wait_for()
        page.locator("#curve-read:has-text('B: blue')").wait_for()
        assert not cut_texts(page)


def test_a_position_is_set_up_on_the_board(page):
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
    assert page.locator("#tab-analyse[aria-selected=true]").count() == 1


def test_a_file_of_games_is_a_list_and_a_dropped_one_with_one_game_is_opened(page, tmp_path):
    several, broken = tmp_path / "games.txt", tmp_path / "broken.wtb"
    several.write_text("f5d6c3\nf5f6e6f4\n")
    broken.write_bytes(b"\0\1")
    choose_in_menu(page, "paste")
    page.set_input_files("#file", broken)
    page.locator("#paste-error:has-text('broken.wtb')").wait_for()
    page.set_input_files("#file", several)
    page.locator("#games button").nth(1).click()
    wait_for_plies(page, 4)
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
    page.keyboard.press("ArrowLeft")
    page.locator('#moves [data-ply="1"][aria-current]').wait_for()
