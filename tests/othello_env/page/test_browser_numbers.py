"""What the numbers of the page mean, in Chromium: their units, the player that they are for, and where they stand."""

import itertools

import pytest
from driving import GAME, MINUS, box_of, contrast, new_game, paste, square, texts_of, wait_for_plies

from othello_env import Checkers, Othello, Tribolo, make_agent
from othello_env.arena.openings import balanced_openings
from othello_env.arena.rating.ladder import load_ladder
from othello_env.data import review_game

SMALL = "c4b4a1d2d4d3a2c1a4a3b1d1"  # on 4x4, with a pass and blunders
EDGE, HEIGHT = 8, 120  # the margin and the height of the picture of the curve


def look(page, a, b=""):
    """Choose the agents A and B, and wait until A's values are on the table."""
    for select, spec in (("#look", a), ("#look-b", b)):
        page.locator(f'{select} option[value="{spec}"]').wait_for(state="attached")
        page.select_option(select, spec)
    page.locator('#table td[data-slot="a"][data-value]').first.wait_for()


def values_told(page, slot):
    """The value of each move in the table, by the move's name, as it is shown."""
    names = page.locator("#table tbody th").all_inner_texts()
    texts = page.locator(f'#table td[data-slot="{slot}"]').all_inner_texts()
    return {name: text.removeprefix("★").strip() for name, text in zip(names, texts, strict=True)}


def height_of_number(page, index):
    """The middle of the number in a label of the left scale, in units of the picture of the curve."""
    return page.evaluate(
        """([index, height]) => {
          const text = document.querySelectorAll("#curve .scale.left span")[index].firstChild;
          const at = text.data.search(/\\d/);
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          const chart = document.querySelector("#curve svg").getBoundingClientRect();
          const number = range.getBoundingClientRect();
          return height * ((number.top + number.bottom) / 2 - chart.top) / chart.height;
        }""",
        [index, HEIGHT],
    )


def test_each_curve_has_its_own_scale_and_unit(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 24)
    look(page, "ntuple", "alphabeta:depth=2")
    for line in "ab":
        page.locator(f'#curve [data-line="{line}"][data-ply="23"]').wait_for(state="attached")
    assert page.locator("#curve .legend span").all_inner_texts() == [
        "A ntuple: mean of result and margin",
        "B alphabeta:depth=2: points of the weights",
    ]
    places = {}
    for line, spec in (("a", "ntuple"), ("b", "alphabeta:depth=2")):
        point = page.locator(f'#curve [data-line="{line}"][data-ply="24"]')
        value = float(point.get_attribute("data-value"))
        assert value == max(make_agent(spec).action_values(Othello.from_moves(GAME)).values())  # black is to move
        places[line] = (float(point.get_attribute("cy")) - HEIGHT / 2) / value
    ends = {side: texts_of(page, f"#curve .scale.{side} span") for side in ("left", "right")}
    assert ends["left"] == ["1\nblack", "0", "white\n1"]
    for index, value in ((0, 1), (1, 0), (2, -1)):
        assert height_of_number(page, index) == pytest.approx(EDGE + (HEIGHT / 2 - EDGE) * (1 - value), abs=1)
    most = float(ends["right"][0])
    assert ends["right"][1:] == ["0", ends["right"][0]]
    assert places["a"] == pytest.approx(places["b"] * most)  # both values are drawn as shares of their own scales


def test_the_engine_tells_discs_as_python_does(page):
    paste(page, "othello", "f5d6c3d3c4")
    wait_for_plies(page, 5)
    look(page, "engine:depth=4")
    state = Othello.from_moves("f5d6c3d3c4")
    found = make_agent("engine:depth=4").analyse(state, lines=64)
    told = {state.action_to_text(line.pv[0]): f"{line.discs:+.1f}".replace("-", MINUS) for line in found.lines}
    assert {name: text.removesuffix(".0") for name, text in values_told(page, "a").items()} == {
        name: "0" if float(text.replace(MINUS, "-")) == 0 else text.removesuffix(".0") for name, text in told.items()
    }
    assert page.inner_text("#side") == "Values are for white, to move. ★ is the best move."


def test_a_position_has_the_value_of_its_best_move(page):
    paste(page, "othello", "f5d6c3d3c4f4f6")
    wait_for_plies(page, 7)
    look(page, "ntuple")
    state = Othello.from_moves("f5d6c3d3c4f4f6")
    best = max(make_agent("ntuple").action_values(state).values())
    text = f"{best:+.2f}".replace("-", MINUS)
    assert page.inner_text("#looked-a").startswith(f"A: {text} mean of result and margin for white; best ")
    assert page.inner_text("#bar") == text
    assert text in values_told(page, "a").values()
    page.locator("#curve-read:has-text('Ply 7, after f6')").wait_for()
    assert page.inner_text("#curve-read") == f"Ply 7, after f6. A: {text} mean of result and margin for white"


def test_the_number_in_the_bar_is_at_the_end_of_its_side(page):
    def is_at_the_top():
        # Both boxes at once, because a new answer replaces the text.
        box = "selector => document.querySelector(selector).getBoundingClientRect().toJSON()"
        text, bar = page.evaluate(f'["#bar span", "#bar"].map({box})')
        assert text["height"] < bar["height"] / 4
        return text["top"] - bar["top"] < bar["height"] / 4

    paste(page, "othello", "f5d6c3d3c4f4f6")
    wait_for_plies(page, 7)
    look(page, "ntuple")
    page.locator("#bar[aria-label$='for white']").wait_for()
    assert is_at_the_top()  # black's part of the bar is at the bottom
    page.click("#back")
    page.locator("#bar[aria-label$='for black']").wait_for()
    assert not is_at_the_top()
    paste(page, "othello", "f5d6c5f4e3f6g5e6e7")
    page.locator("#bar:has-text('black won')").wait_for()
    assert not is_at_the_top()


def test_all_equal_moves_are_the_best(page):
    new_game(page, "othello", ["human", "human"])
    look(page, "ntuple")
    assert page.inner_text("#looked-a").endswith("best d3, c4, f5, e6")
    assert page.locator("#table td.best").count() == 4


def test_values_are_on_the_squares_only_when_a_person_asks_for_them(page):
    new_game(page, "othello", ["human", "alphabeta:depth=2"])
    look(page, "ntuple")
    assert page.locator(".heat g").count() == 0
    page.select_option("#numbers", "a")
    assert page.locator(".heat g").count() == 4
    page.reload()
    page.locator(".heat g").first.wait_for()


def test_the_board_is_reached_by_keys_and_has_the_keys_after_a_choice(page):
    new_game(page, "othello", ["human", "human"])
    page.focus("#theme")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.place") is not None
    page.focus("#theme")
    for select, choice in (("#look", "engine:depth=4"), ("#speed", "150"), ("#theme", "dark"), ("#numbers", "a")):
        page.locator(f'{select} option[value="{choice}"]').wait_for(state="attached")
        page.select_option(select, choice)
        assert page.evaluate("document.activeElement.matches('.square')"), select
    page.focus("#speed")
    page.keyboard.press("ArrowUp")  # a person who changes the list by keys stays there
    assert page.evaluate("document.activeElement.id") == "speed"
    page.keyboard.press("Enter")
    page.keyboard.press("n")
    page.locator("#new-dialog[open]").wait_for()


def in_sight(page, selector):
    """Whether an element is whole within the window."""
    box = box_of(page, selector)
    return box["top"] >= 0 and box["bottom"] <= page.viewport_size["height"]


def test_a_review_is_seen_at_once_and_marks_the_blunders(open_page, server):
    final = Othello(4).play_transcript(SMALL)
    with open_page(server.address, viewport={"width": 1440, "height": 900}) as page:
        paste(page, "othello:size=4", final.transcript())
        wait_for_plies(page, len(final.moves))
        page.click("#review")
        page.locator("#review-state:has-text('are exact')").wait_for()
        assert in_sight(page, "#review-sides")
        moves = [*review_game(final, start=Othello(4))]
        played = [move for move in moves if move.action != 16]
        assert len(played) < len(moves)  # a pass is no move
        assert f" {len(played)} of {len(played)} are exact. " in page.inner_text("#review-state")
        marks = page.locator("#curve .blunder").all()
        blunders = [move.ply for move in moves if move.had_choice and move.loss >= 6]
        assert [int(mark.get_attribute("data-blunder")) for mark in marks] == blunders
        page.locator("#blunders button").last.click()
        page.locator(f'#moves [data-ply="{blunders[-1] - 1}"][aria-current]').wait_for()
        assert in_sight(page, "#moves [aria-current]")
        names = [text.split(MINUS)[0] for text in page.locator("#moves button").all_inner_texts()]
        assert names[1:] == [f"{move.ply}. {move.state.action_to_text(move.action)}" for move in moves]


def test_a_review_on_6x6_is_exact_where_perfect_play_is_known(page):
    agent, state = make_agent("perfect"), Othello(6)
    for _ in range(4):
        state = state.play(agent.act(state))
    paste(page, "othello:size=6", state.transcript())
    wait_for_plies(page, 4)
    page.click("#review")
    page.locator("#review-state:has-text(' 4 of 4 are exact. ')").wait_for()
    assert MINUS not in page.inner_text("#moves")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_discs_and_the_moves_are_above_the_fold(open_page, server, width, height):
    with open_page(server.address, viewport={"width": width, "height": height}) as page:
        paste(page, "othello", GAME)
        wait_for_plies(page, 24)
        page.evaluate("scrollTo(0, 0)")
        for selector in ("#players", "#board", "#moves [aria-current]"):
            assert in_sight(page, selector), selector
        places = [page.locator(f"#{name}").bounding_box() for name in ("board", "moves", "review", "look")]
        new_game(page, "othello", ["human", "human"])
        page.locator("#recover:has-text('Undo new game')").wait_for()
        square(page, 4, 5).click()
        wait_for_plies(page, 1)
        paste(page, "othello", GAME)
        page.locator("#recover:has-text('Undo paste')").wait_for()
        wait_for_plies(page, 24)
        page.evaluate("scrollTo(0, 0)")
        assert [page.locator(f"#{name}").bounding_box() for name in ("board", "moves", "review", "look")] == places


def test_both_parts_of_the_bar_are_seen_on_a_dark_ground(open_page, server):
    with open_page(server.address, color_scheme="dark") as page:
        colour = "getComputedStyle(document.querySelector('{}')).{}"
        ground, black, white, edge = (
            page.evaluate(colour.format(*each))
            for each in (
                ("body", "backgroundColor"),
                ("#bar .fill", "backgroundColor"),
                ("#bar", "backgroundColor"),
                ("#bar", "borderTopColor"),
            )
        )
        assert contrast(black, ground) > 2.5
        assert contrast(edge, ground) > 3
        assert contrast(black, white) > 3


def test_perfect_play_is_offered_on_6x6_with_balanced_openings(page):
    page.click("#new")
    page.select_option("#game", "othello:size=6")
    elo = {rung.spec: rung.elo for rung in load_ladder(6).rungs}
    option = page.locator('[name=seat-1] option[value="perfect"]')
    assert option.inner_text() == f"perfect (perfect play, {elo['perfect']:.0f} Elo)"
    page.select_option("[name=seat-0]", "human")
    page.select_option("[name=seat-1]", "perfect")
    page.select_option("#opening", "balanced-6x6-v0")
    page.click("#start")
    wait_for_plies(page, 10)
    names = page.locator("#moves button").all_inner_texts()[1:11]
    opening = "".join(name.split(". ")[1] for name in names)
    assert opening in {"".join(line.split()).lower() for line in balanced_openings(6)}
    page.locator('.square[aria-label$=", legal"]').first.click()
    wait_for_plies(page, 12)  # perfect has answered
    page.click("#new")
    page.select_option("#game", "othello")
    assert page.locator('[name=seat-1] option[value="perfect"]').count() == 0
    assert "(strong, 2035 Elo)" in page.inner_text('[name=seat-1] option[value="engine:depth=4"]')


def test_checkers_has_no_exact_scores_and_its_numbers_are_beside_the_pieces(page):
    new_game(page, "checkers", ["human", "human"])
    assert page.locator('#numbers option[value="exact"]').count() == 0
    assert page.locator("#exact").is_hidden()
    look(page, "alphabeta:depth=4")
    page.select_option("#numbers", "a")
    assert page.inner_text("#told") == "On the squares, by A: points of the weights for red"
    values = make_agent("alphabeta:depth=4").action_values(Checkers())
    told = {mark.get_attribute("data-place"): mark for mark in page.locator(".heat g").all()}
    assert {float(mark.get_attribute("data-value")) for mark in told.values()} <= set(values.values())
    piece = page.locator(".piece").first.bounding_box()
    square(page, 0, 1).wait_for()
    number = page.locator("#board svg > text", has_text="10").first.bounding_box()
    across = page.locator("#board svg > text", has_text="10").count()
    assert across == 1
    around = square(page, 2, 3).bounding_box()
    middle = (around["x"] + around["width"] / 2, around["y"] + around["height"] / 2)
    corner = (number["x"] + number["width"], number["y"] + number["height"])
    away = sum((one - other) ** 2 for one, other in zip(middle, corner, strict=True)) ** 0.5
    assert away > 0.9 * piece["width"] / 2
    new_game(page, "othello", ["human", "human"], seed=2)
    assert page.locator('#numbers option[value="exact"]').count() == 1


def test_tribolo_has_a_legend_and_a_line_at_zero(page):
    new_game(page, "tribolo", ["human", "human", "human"], seed=5)
    look(page, "maxn:depth=2")
    page.locator('#curve [data-ply="0"]').first.wait_for(state="attached")
    assert page.locator("#curve .legend span").all_inner_texts() == [
        "A maxn:depth=2: pieces ahead after the expected moves",
        "— blue",
        "— red",
        "— green",
    ]
    state, agent = Tribolo(seed=5), make_agent("maxn:depth=2")
    values = [agent.evaluate(state, player) for player in range(3)]
    zero = float(page.locator("#curve .zero").get_attribute("y1"))
    points = [page.locator(f'#curve [data-ply="0"][data-player="{player}"]') for player in range(3)]
    places = [float(point.get_attribute("cy")) for point in points]
    for (value, place), (other, there) in itertools.combinations(zip(values, places, strict=True), 2):
        assert (place - zero) * other == pytest.approx((there - zero) * value, abs=0.5)
    mover = state.player_names[state.to_move]
    assert page.inner_text("#side") == f"Values are for {mover}, to move. ★ is the best move."
    assert page.inner_text("#looked-a").split(";")[0].endswith(" pieces ahead after the expected moves")
