"""How the page looks in Chromium: nothing is cut off, jumps or is hard to see, at any width."""

import pytest
from driving import (
    GAME,
    LEGAL,
    analyse,
    box_of,
    contrast,
    cut_texts,
    in_sight,
    look,
    luminance,
    new_game,
    paste,
    set_in_menu,
    show_values,
    square,
    sticks_out,
    wait_for_plies,
    wait_for_turn,
    whole_game,
)

LOOKS = [
    ("othello", "black", ["human", "alphabeta:depth=2"], 1280),
    ("tribolo", "blue", ["human", "random", "tribolo"], 360),
    ("checkers", "red", ["human", "alphabeta:depth=2"], 360),
]


def test_nothing_jumps_when_moves_are_made(page):
    for game, player, seats, width in LOOKS:
        page.set_viewport_size({"width": width, "height": 860})
        new_game(page, game, seats)

        def places():
            page.evaluate("scrollTo(0, 0)")
            ids = ("board", "status", "note", "undo", "hint", "moves", "new")
            return [page.locator(f"#{name}").bounding_box() for name in ids]

        wait_for_turn(page, player)  # in Tribolo, the person does not move first
        plies = page.locator("#moves li").count() - 1
        before = places()
        if game == "checkers":
            square(page, 2, 1).click()  # square 9; its piece can move to 13 or 14
        page.locator(LEGAL).first.click()
        wait_for_plies(page, plies + len(seats))
        assert places() == before
        page.click("#new")
        dialog, start = (page.locator(selector).bounding_box() for selector in ("#new-dialog", "#start"))
        assert start["x"] + start["width"] < dialog["x"] + dialog["width"]
        page.keyboard.press("Escape")


WINDOWS = [(1440, 900), (1366, 768), (820, 1180), (390, 844), (720, 450), (320, 700)]


def test_what_a_player_needs_is_above_the_fold_and_nothing_is_cut_off(page):
    final = whole_game()
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        paste(page, "othello", GAME)
        page.locator('#moves [data-ply="25"]').wait_for(state="detached")
        wait_for_plies(page, 24)
        page.locator('#table td[data-slot="a"][data-value]').first.wait_for()
        page.evaluate("scrollTo(0, 0)")
        needed = ["#players", "#board", "#status"] + ["#back", "#review"] * (height > 500)
        needed += ["#moves [aria-current]", "#look", "#reading-a", "#curve", "#table"] * (width >= 1280)
        for selector in needed:
            assert in_sight(page, selector), (width, selector)
        boxes = page.evaluate(  # all at once, because an answer replaces buttons
            """() => [...document.querySelectorAll("button:not(#moves button), select")]
              .filter(each => each.checkVisibility({ visibilityProperty: true }))
              .map(each => each.getBoundingClientRect().toJSON())"""
        )
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
        assert not sticks_out(page)
        if width >= 1280:  # a review has room for its blunders, and an ended game for its buttons
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
            paste(page, "othello", final.transcript())
            wait_for_plies(page, len(final.moves))
            page.click("#review")
            page.locator("#blunders button").nth(3).wait_for()
            assert in_sight(page, "#blunders li:nth-child(4)")
            page.click("#tab-play")
            assert in_sight(page, "#rematch")
            assert in_sight(page, "#review")


def test_no_text_is_cut_at_390_pixels(open_page, server):
    with open_page(server.address, viewport={"width": 390, "height": 844}) as page:
        paste(page, "othello", "f5d6c5f4e3f6g5e6e7")
        page.locator("#status:has-text('white has no disc left')").wait_for()
        assert not cut_texts(page)
        new_game(page, "tribolo", ["human", "tribolo", "random"])
        analyse(page)
        for select in ("#look", "#look-b"):
            page.select_option(select, "maxn:depth=2")
        page.locator("#reading-b:has-text('green')").wait_for()
        page.locator("#curve-read:has-text('B: blue')").wait_for()
        assert not cut_texts(page)


MOVE_IN_SIGHT = """() => {
  const box = selector => document.querySelector(selector).getBoundingClientRect();
  const [list, move] = [box("#moves"), box("#moves [aria-current]")];
  return list.left - 1 < move.left && move.right < list.right + 1
    && list.top - 1 < move.top && move.bottom < list.bottom + 1;
}"""


@pytest.mark.parametrize(("width", "other"), [(1440, 390), (390, 1280)])
def test_the_present_move_stays_in_sight_when_a_review_or_the_window_changes_the_list(open_page, server, width, other):
    with open_page(server.address, viewport={"width": width, "height": 900}) as page:
        paste(page, "othello", GAME)
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


def test_legal_moves_the_focus_and_the_bar_are_seen_on_every_ground(page):
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
    paste(page, "othello", "f5d6c5f4e3f6g5e6e7")
    page.locator("#status:has-text('black wins by 64 discs, 13 to 0 and 51 empty squares')").wait_for()
    assert page.inner_text("#bar") == "+64"
    bar, fill = box_of(page, "#bar"), box_of(page, "#bar .fill")
    assert fill["height"] > 0.9 * bar["height"]  # black has all discs
    assert bar["bottom"] - fill["bottom"] < 0.1 * bar["height"]
    set_in_menu(page, "theme", "light")
    assert colours("body", "backgroundColor") == ["rgb(245, 242, 236)"]
    set_in_menu(page, "theme", "dark")
    [ground], [black], [white] = (colours(each, "backgroundColor") for each in ("body", "#bar .fill", "#bar"))
    assert ground == "rgb(23, 22, 20)"
    assert contrast(black, ground) > 2.5
    assert contrast(*colours("#bar", "borderTopColor"), ground) > 3
    assert contrast(black, white) > 3
    assert luminance(black) < luminance(white)
    before = square(page, 0, 0).bounding_box()
    page.keyboard.press("f")
    after = square(page, 0, 0).bounding_box()
    assert after["x"] > before["x"]
    assert after["y"] > before["y"]
    new_game(page, "othello", ["human", "human"])
    show_values(page)
    look(page, a="ntuple")
    page.reload()
    page.locator(".heat g").first.wait_for()  # the choices are kept
    assert square(page, 0, 0).bounding_box()["x"] > before["x"]
