"""What the numbers of the page mean, in Chromium: their units, the player that they are for, and where they stand."""

import itertools
import math

import pytest
from driving import (
    EDGE,
    GAME,
    HEIGHT,
    MINUS,
    contrast,
    in_sight,
    look,
    marks,
    new_game,
    paste,
    shoot,
    square,
    texts_of,
    wait_for_plies,
)

from othello_env import Checkers, Othello, Tribolo, make_agent
from othello_env.arena.openings import balanced_openings
from othello_env.arena.rating.ladder import load_ladder, rated_agents
from othello_env.support.words import elo_text


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
    look(page, a="ntuple", b="alphabeta:depth=2")
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


def test_the_number_in_the_bar_is_at_the_end_of_its_side_and_both_parts_are_seen(page):
    def is_at_the_top():
        # Both boxes at once, because a new answer replaces the text.
        box = "selector => document.querySelector(selector).getBoundingClientRect().toJSON()"
        text, bar = page.evaluate(f'["#bar span", "#bar"].map({box})')
        assert text["height"] < bar["height"] / 4
        return text["top"] - bar["top"] < bar["height"] / 4

    paste(page, "othello", "f5d6c3d3c4f4f6")
    wait_for_plies(page, 7)
    look(page, a="ntuple")
    page.locator("#bar[aria-label$='for white']").wait_for()
    assert is_at_the_top()  # black's part of the bar is at the bottom
    page.click("#back")
    page.locator("#bar[aria-label$='for black']").wait_for()
    assert not is_at_the_top()
    paste(page, "othello", "f5d6c5f4e3f6g5e6e7")
    page.locator("#bar:has-text('black won')").wait_for()
    assert not is_at_the_top()
    page.locator("#status:has-text('wins by 13 discs, 13 to 0')").wait_for()
    assert page.inner_text("#told") == "In exact scores, the winner also gets the 51 empty squares: +64"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("getComputedStyle(document.body).backgroundColor === 'rgb(23, 22, 20)'")
    colour = "getComputedStyle(document.querySelector('{}')).{}"
    wanted = (("body", "backgroundColor"), ("#bar .fill", "backgroundColor"), ("#bar", "backgroundColor"))
    ground, black, white = (page.evaluate(colour.format(*each)) for each in wanted)
    assert contrast(black, ground) > 2.5
    assert contrast(page.evaluate(colour.format("#bar", "borderTopColor")), ground) > 3
    assert contrast(black, white) > 3


def test_all_equal_moves_are_the_best_and_values_are_on_the_squares_only_on_demand(page):
    new_game(page, "othello", ["human", "human"])
    look(page, a="ntuple")
    assert page.inner_text("#looked-a").endswith("best d3, c4, f5, e6")
    assert page.locator("#table td.best").count() == 4
    assert page.locator(".heat g").count() == 0
    page.select_option("#numbers", "a")
    assert page.locator(".heat g").count() == 4
    page.reload()
    page.locator(".heat g").first.wait_for()


def test_the_board_is_reached_by_keys_and_has_the_keys_after_a_choice_unless_a_table_has_the_focus(page):
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
    page.keyboard.press("Escape")
    paste(page, "othello", "f5d6c3")
    page.locator('#moves [data-ply="3"][aria-current]').wait_for()
    page.focus("#table")
    for key in ("ArrowLeft", "Home", "f"):  # of these keys, only the last one does not scroll the table
        page.keyboard.press(key)
    assert page.locator('#moves [data-ply="3"][aria-current]').count() == 1
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    page.locator('#moves [data-ply="2"][aria-current]').wait_for()


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


def test_perfect_play_is_offered_on_6x6_with_balanced_openings(page):
    page.click("#new")
    page.select_option("#game", "othello:size=6")
    assert page.inner_text("#ratings") == "The ratings are Elo on ladder-6x6-v0 (6x6, random play is 0)."
    elo = {rung.spec: elo_text(rung.elo) for rung in (*load_ladder(6).rungs, *rated_agents(8))}
    option = page.locator('[name=seat-1] option[value="perfect"]')
    assert option.inner_text() == f"perfect (perfect play, {elo['perfect']} Elo)"
    page.select_option("[name=seat-0]", "human")
    page.select_option("[name=seat-1]", "perfect")
    page.select_option("#opening", "balanced-6x6-v0")
    page.click("#start")
    wait_for_plies(page, 10)
    names = page.locator("#moves button").all_inner_texts()[1:11]
    opening = "".join(name.split(". ")[1] for name in names).replace("pass", "")  # the list leaves passes out
    assert opening in {"".join(line.split()).lower() for line in balanced_openings("balanced-6x6-v0")}
    page.locator('.square[aria-label$=", legal"]').first.click()
    wait_for_plies(page, 12)  # perfect has answered
    page.click("#new")
    page.select_option("#game", "othello")
    assert page.locator('[name=seat-1] option[value="perfect"]').count() == 0
    assert f"(strong, {elo['engine:depth=4']} Elo)" in page.inner_text('[name=seat-1] option[value="engine:depth=4"]')
    assert page.inner_text("#ratings") == "The ratings are Elo on ladder-v0 (8x8, random play is 0)."
    page.select_option("#game", "checkers")
    assert page.locator("#ratings").is_hidden()


def test_checkers_has_no_exact_scores_and_its_numbers_are_beside_the_pieces(page):
    new_game(page, "checkers", ["human", "human"])
    assert page.locator('#numbers option[value="exact"]').count() == 0
    assert page.locator("#exact").is_hidden()
    look(page, a="alphabeta:depth=4")
    page.select_option("#numbers", "a")
    assert page.inner_text("#told") == "On the squares, by A: points of the weights for red"
    values = make_agent("alphabeta:depth=4").action_values(Checkers())
    assert {*marks(page).values()} <= {*values.values()}
    number = page.locator("#board svg > text", has_text="10")
    assert number.count() == 1
    text, piece, around = (each.first.bounding_box() for each in (number, page.locator(".piece"), square(page, 2, 3)))
    away = [around[at] + around[size] / 2 - text[at] - text[size] for at, size in (("x", "width"), ("y", "height"))]
    assert math.hypot(*away) > 0.9 * piece["width"] / 2
    new_game(page, "othello", ["human", "human"], seed=2)
    assert page.locator('#numbers option[value="exact"]').count() == 1


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
    text = f"A: {each} {agent.unit}"
    page.locator(f"#looked-a:has-text('{text} after the expected moves; best ')").wait_for()
    page.locator(f"#curve-read:has-text('Ply 0, at the start. {text}')").wait_for()
    mover = state.player_names[state.to_move]
    assert page.inner_text("#side") == f"Values are for {mover}, to move. ★ is the best move."
    assert page.locator("#curve .legend span").all_inner_texts() == [
        f"A {spec}: pieces ahead after the expected moves",
        "— blue",
        "— red",
        "— green",
    ]
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

    page.select_option("#numbers", "a")
    square(page, *divmod(state.legal_actions()[0], 16)).click()
    wait_for_plies(page, 1)
    page.locator('#curve [data-ply="1"]').first.wait_for(state="attached")
    state = state.play(state.legal_actions()[0])
    points = [page.locator(f'#curve [data-ply="1"][data-player="{player}"]') for player in range(3)]
    expected = [agent.evaluate(state, player) for player in range(3)]
    expected[state.to_move] = max(agent.action_values(state).values())
    assert [float(point.get_attribute("data-value")) for point in points] == expected
    page.locator(".heat g").first.wait_for()
    values = {"{},{}".format(*divmod(action, 16)): value for action, value in agent.action_values(state).items()}
    assert marks(page) == values
    shoot(page, "tribolo-values")
