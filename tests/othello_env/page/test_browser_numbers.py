"""What the numbers of the page mean, in Chromium: their units, the player that they are for, and where they stand."""

import itertools
import math
import re
from decimal import ROUND_HALF_UP, Decimal

import pytest
from driving import (
    GAME,
    HEIGHT,
    MINUS,
    analyse,
    box_of,
    choose_evaluator,
    contrast,
    in_sight,
    kept_seed,
    look,
    luminance,
    marks,
    moves,
    new_game,
    paste,
    set_in_menu,
    shoot,
    show_values,
    square,
    sticks_out,
    wait_for_plies,
)

from othello_env import Checkers, Othello, Tribolo, make_agent
from othello_env.arena.benchmark.ladder import load_ladder, rated_agents
from othello_env.arena.number import elo_text
from othello_env.arena.openings import balanced_openings
from othello_env.games.keys import seat_key
from othello_env.page.assessment import assess
from othello_env.review import ANALYST, review_game


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
            point: point && {value: point.value, unit: point.unit, exact: point.exact === "true"},
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
    seen["point"]["value"] = float(seen["point"]["value"])
    value, unit, exact = found.values[0], found.unit, found.exact
    text = shown(value, unit, exact)
    told = f"black {text}" + (f" {unit}" if text not in ("win", "loss") else "") + (", exact" if exact else "")
    assert seen["bar"] == text
    assert seen["label"] == told
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


def game_to_the_end():
    """A whole game that begins as `GAME`: its last position, and all its positions."""
    state = Othello.from_moves(GAME)
    while not state.is_over:
        state = state.play(state.legal_actions()[len(state.moves) % len(state.legal_actions())])
    return state, Othello().positions(state.moves)


@pytest.mark.parametrize("spec", ["engine:depth=4", "ntuple", "alphabeta:depth=2", "mcts:simulations=64"])
def test_all_numbers_on_a_screen_agree_in_value_unit_and_side(page, spec):
    """In the middle, near the end, at the end, in a comparison and in a review; read at one moment."""
    final, line = game_to_the_end()
    agent = make_agent(spec, 0)
    paste(page, "othello", final.transcript())
    wait_for_plies(page, len(final.moves))
    seed = kept_seed(page)
    show_values(page)
    choose_evaluator(page, spec)

    def expect(ply):
        state = line[ply]
        agent.new_game(seat_key(seed, state.to_move))
        found = assess(agent, state)
        return found, {state.action_to_text(move.action): move for move in found.moves}

    def look_at(ply):
        page.click(f'#moves [data-ply="{ply}"]')
        page.locator(f'#moves [data-ply="{ply}"][aria-current]').wait_for()
        page.locator(f'#curve [data-line="a"][data-ply="{ply}"]').first.wait_for(state="attached")
        page.locator("#reading-a:not(:has(.doing))").wait_for()  # the values of the deepest search

    near = next(ply for ply in range(len(line) - 9, len(line)) if len(line[ply].legal_actions()) > 1)
    for ply in (24, 25, near):
        look_at(ply)
        check_numbers(page, *expect(ply))
    margin = final.margins()[0]

    def check_end():
        look_at(len(final.moves))
        seen = read_all(page)
        told = f"black {shown(margin, 'discs', True)} discs, exact"
        assert seen["bar"] == shown(margin, "discs", True)
        assert seen["label"] == seen["reading"].removeprefix("A: ") == told
        assert seen["read"].endswith(told)
        assert seen["point"] == {"value": f"{margin:.0f}", "unit": "discs", "exact": True}
        assert seen["isOver"]
        assert not seen["squares"]
        assert f"wins by {abs(margin):.0f} discs" in seen["status"]

    check_end()
    page.select_option("#look-b", "ntuple" if spec != "ntuple" else "alphabeta:depth=2")
    look_at(25)
    page.locator('#table td[data-slot="b"][data-value]').first.wait_for()
    check_numbers(page, *expect(25))
    page.select_option("#look-b", "")
    page.click("#review")  # an engine reviews; instead of another evaluator, the reviewer does
    page.locator("#review-state:has-text('are exact')").wait_for()
    reviewer = spec if spec.startswith("engine") else ANALYST
    assert page.locator("#look").input_value() == reviewer
    agent = make_agent(reviewer)
    reviews = {move.ply: move for move in review_game(final, reviewer)}
    for ply in (24, near):
        look_at(ply)
        check_numbers(page, *expect(ply))
        review = reviews[ply + 1]
        sign = 1 if line[ply].to_move == 0 else -1
        table = read_all(page)["table"]
        assert table[line[ply].action_to_text(review.best)] == shown(sign * review.best_score, "discs", review.exact)
        assert table[line[ply].action_to_text(review.action)] == shown(sign * review.score, "discs", review.exact)
        lost = page.locator(f'#moves [data-ply="{ply + 1}"] .lost')
        if review.loss >= 0.1:
            size = f"{review.loss:.0f}" if review.exact else f"{review.loss:.1f}"
            assert lost.inner_text().strip() == f"loses {size}"
    check_end()


def test_each_curve_has_its_own_scale_and_unit_and_one_scale_if_the_units_are_the_same(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 24)
    look(page, a="ntuple", b="alphabeta:depth=2")
    for line in "ab":
        page.locator(f'#curve [data-line="{line}"][data-ply="23"]').wait_for(state="attached")
    assert page.locator("#curve .legend span").all_inner_texts() == [
        "A ntuple: discs",
        "B alphabeta:depth=2: points of the weights",
        "black above 0",
    ]
    assert page.locator("#curve .scale").count() == 2
    look(page, b="engine:depth=4")
    page.locator('#curve [data-line="b"][data-ply="24"]').wait_for(state="attached")
    page.locator("#curve .scale.right").wait_for(state="detached")
    places = {}
    for line in "ab":
        point = page.locator(f'#curve [data-line="{line}"][data-ply="24"]')
        places[line] = (float(point.get_attribute("cy")) - HEIGHT / 2) / float(point.get_attribute("data-value"))
    assert places["a"] == pytest.approx(places["b"])


def test_the_bar_is_seen_on_every_ground_and_a_finished_game_has_one_margin(page):
    paste(page, "othello", "f5d6c5f4e3f6g5e6e7")
    page.locator("#status:has-text('black wins by 64 discs, 13 to 0 and 51 empty squares')").wait_for()
    page.locator("#bar span:not(:empty)").wait_for()  # until there is an evaluator, the bar is empty
    assert page.inner_text("#bar") == "+64"
    bar, fill = box_of(page, "#bar"), box_of(page, "#bar .fill")
    assert fill["height"] > 0.9 * bar["height"]  # black has all discs
    assert bar["bottom"] - fill["bottom"] < 0.1 * bar["height"]
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("getComputedStyle(document.body).backgroundColor === 'rgb(23, 22, 20)'")
    colour = "getComputedStyle(document.querySelector('{}')).{}"
    wanted = (("body", "backgroundColor"), ("#bar .fill", "backgroundColor"), ("#bar", "backgroundColor"))
    ground, black, white = (page.evaluate(colour.format(*each)) for each in wanted)
    assert contrast(black, ground) > 2.5
    assert contrast(page.evaluate(colour.format("#bar", "borderTopColor")), ground) > 3
    assert contrast(black, white) > 3
    assert luminance(black) < luminance(white)


def test_all_equal_moves_are_the_best_and_values_are_on_the_squares_only_on_demand(page):
    new_game(page, "othello", ["human", "human"])
    look(page, a="ntuple")
    assert page.inner_text("#reading-a").endswith("best d3, c4, f5, e6")
    assert page.locator("#table td.best").count() == 4
    assert page.locator(".heat g").count() == 0
    show_values(page)
    assert page.locator(".heat g").count() == 4
    page.reload()
    page.locator(".heat g").first.wait_for()


def test_the_board_is_reached_by_keys_and_has_the_keys_after_a_choice_unless_a_table_has_the_focus(page):
    new_game(page, "othello", ["human", "human"])
    page.focus("#menu > summary")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.place") is not None
    analyse(page)
    page.locator('#look option[value="engine:depth=4"]').wait_for(state="attached")
    page.select_option("#look", "engine:depth=4")
    assert page.evaluate("document.activeElement.matches('.square')")
    set_in_menu(page, "speed", "150")
    page.focus("#look")
    page.keyboard.press("ArrowUp")  # a person who changes the list by keys stays there
    assert page.evaluate("document.activeElement.id") == "look"
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
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
    square(page, 0, 0).click()  # a click on the board leaves these keys to the game
    page.keyboard.press("ArrowLeft")
    page.locator('#moves [data-ply="1"][aria-current]').wait_for()


def test_a_review_on_6x6_is_exact_where_perfect_play_is_known(page):
    agent, state = make_agent("perfect"), Othello(6)
    for _ in range(4):
        state = state.play(agent.act(state))
    paste(page, "othello:size=6", state.transcript())
    wait_for_plies(page, 4)
    page.click("#review")
    page.locator("#review-state:has-text(' 4 of 4 are exact. ')").wait_for()
    assert "loses" not in page.inner_text("#moves")


WINDOWS = [(1440, 900), (1366, 768), (820, 1180), (390, 844), (720, 450)]


def test_what_a_player_needs_is_above_the_fold(page):
    final, _ = game_to_the_end()
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        paste(page, "othello", GAME)
        page.locator('#moves [data-ply="25"]').wait_for(state="detached")
        wait_for_plies(page, 24)
        page.evaluate("scrollTo(0, 0)")
        needed = ["#players", "#board", "#status"]
        if height > 500:
            needed += ["#back", "#review"]
        if width >= 1280:
            needed += ["#moves [aria-current]", "#look", "#reading-a", "#curve", "#table"]
        for selector in needed:
            assert in_sight(page, selector), (width, selector)
        if width >= 1280:
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert not sticks_out(page)
        if width >= 1280:  # a review has room for its blunders, and an ended game for its buttons
            paste(page, "othello", final.transcript())
            wait_for_plies(page, len(final.moves))
            page.click("#review")
            page.locator("#blunders button").nth(3).wait_for()
            assert in_sight(page, "#blunders li:nth-child(4)")
            page.click("#tab-play")
            assert in_sight(page, "#rematch")
            assert in_sight(page, "#review")


def test_perfect_play_is_offered_on_6x6_with_balanced_openings(page):
    page.click("#new")
    page.select_option("#game", "othello:size=6")
    assert page.inner_text("#ratings") == "The ratings are Elo on ladder-6x6-v0 (random play is 0)."
    elo = {rung.spec: elo_text(rung.elo) for rung in (*load_ladder("othello:size=6").rungs, *rated_agents("othello"))}
    option = page.locator('[name=seat-1] option[value="perfect"]')
    assert option.inner_text() == f"perfect (perfect play, {elo['perfect']} Elo)"
    page.select_option("[name=seat-0]", "human")
    page.select_option("[name=seat-1]", "perfect")
    page.select_option("#opening", "balanced-6x6-v0")
    page.click("#start")
    wait_for_plies(page, 10)
    opening = "".join(moves(page)[:10]).replace("pass", "")  # the list leaves passes out
    assert opening in {"".join(line.split()).lower() for line in balanced_openings("balanced-6x6-v0")}
    page.locator('.square[aria-label$=", legal"]').first.click()
    wait_for_plies(page, 12)  # perfect has answered
    page.click("#new")
    page.select_option("#game", "othello")
    assert page.locator('[name=seat-1] option[value="perfect"]').count() == 0
    assert f"(strong, {elo['engine:depth=4']} Elo)" in page.inner_text('[name=seat-1] option[value="engine:depth=4"]')
    assert page.inner_text("#ratings") == "The ratings are Elo on ladder-v0 (random play is 0)."
    page.select_option("#game", "othello:size=4")
    assert page.locator("#ratings").is_hidden()


def test_checkers_has_no_exact_scores_and_its_numbers_are_beside_the_pieces(page):
    new_game(page, "checkers", ["human", "human"])
    look(page, a="alphabeta:depth=4")
    show_values(page)
    assert page.locator("#table thead th").all_inner_texts() == ["move", "points of the weights, red"]
    values = make_agent("alphabeta:depth=4").action_values(Checkers())
    assert {*marks(page).values()} <= {*values.values()}
    number = page.locator("#board svg > text", has_text="10")
    assert number.count() == 1
    text, piece, around = (each.first.bounding_box() for each in (number, page.locator(".piece"), square(page, 2, 3)))
    away = [around[at] + around[size] / 2 - text[at] - text[size] for at, size in (("x", "width"), ("y", "height"))]
    assert math.hypot(*away) > 0.9 * piece["width"] / 2


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
    text = f"{each} {agent.unit}"
    page.locator(f"#reading-a:has-text('{text}; best ')").wait_for()
    page.locator(f"#curve-read:has-text('At the start: {text}')").wait_for()
    mover = state.player_names[state.to_move]
    assert page.locator("#table thead th").all_inner_texts() == ["move", f"{agent.unit}, {mover}"]
    assert page.locator("#curve .legend span").all_inner_texts() == [
        f"{spec}: pieces ahead",
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

    show_values(page)
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
