"""The page in Chromium: games by clicks and keys, pasted games, and what the page shows.

With ``OTHELLO_ENV_SHOTS=docs``, `test_the_curve_is_the_agents_and_is_read_and_dragged` writes the picture
``docs/page.png`` of the documentation.
"""

import itertools
import re

import pytest
from driving import (
    GAME,
    HEIGHT,
    box_of,
    check_game,
    choose_in_menu,
    look,
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

from othello_env import Othello, make_agent
from othello_env.games.checkers.position import Checkers
from othello_env.games.tribolo.position import Tribolo
from othello_env.page.assessment import assess

SEATS = {
    "othello": ["human", "alphabeta:depth=2"],
    "tribolo": ["human", "random", "tribolo"],
    "checkers": ["human", "alphabeta:depth=2"],
}
NAMES = {"othello": "black", "tribolo": "blue", "checkers": "red"}  # the side that the person plays
LEGAL = '.square[aria-label$=", legal"]'
LOOKERS = {"othello": "ntuple", "tribolo": "maxn:depth=2", "checkers": "alphabeta:depth=4"}


def wait_for_turn(page, player):
    """Wait until a player of this name is to move, or the game is over."""
    status = re.compile(f"{player} to move|{player} goes on|game over", re.IGNORECASE)
    page.locator("#status").filter(has_text=status).wait_for()


def play_out(page, act, player):
    while True:
        wait_for_turn(page, player)
        status, plies, legal = page.evaluate(  # at one moment, because a pass is made without the player
            """selector => [document.getElementById("status").innerText.toLowerCase(),
              document.querySelectorAll("#moves li").length, document.querySelectorAll(selector).length]""",
            LEGAL,
        )
        if "over" in status:
            return
        if legal and player in status:
            act(page.locator(LEGAL).first)
        page.locator("#moves li").nth(plies).wait_for()


def test_whole_games_by_clicks_and_after_a_rematch_with_the_other_sides_by_keys(page):
    new_game(page, "othello:size=4", ["human", "random"], seed=7)
    play_out(page, lambda legal: legal.click(), "black")
    check_game(page, Othello(4), "random", 1, 7)
    black, white = (int(text) for text in page.locator("#players .score").all_inner_texts())
    winner = f"{'black' if black > white else 'white'} wins by {abs(black - white)} disc"
    assert ("a draw" if black == white else winner) in page.inner_text("#status")
    page.click("#rematch")
    page.locator("#players li:first-child:has-text('random')").wait_for()
    page.locator("#players li:last-child:has-text('you')").wait_for()
    page.keyboard.press("Tab")

    def act(legal):
        row, column = map(int, legal.get_attribute("data-place").split(","))
        page.locator('.square[tabindex="0"]').focus()
        for key in ["ArrowUp"] * 3 + ["ArrowLeft"] * 3 + ["ArrowDown"] * row + ["ArrowRight"] * column:
            page.keyboard.press(key)
        page.keyboard.press("Enter")

    play_out(page, act, "white")
    check_game(page, Othello(4), "random", 0, 7)  # the game's seed is that of the same patched generator


def test_a_game_is_played_without_values_but_with_hints_undo_redo_and_resigning(page):
    new_game(page, "othello:size=6", ["human", "alphabeta:depth=2"])
    look(page, a="alphabeta:depth=2")
    page.click("#tab-play")
    for selector in ("#bar", ".analysis", ".heat g"):
        assert page.locator(selector).first.is_hidden()
    page.click("#hint")  # by the evaluator that is chosen
    page.locator("#note:has-text('Hint: ')").wait_for()
    assert re.fullmatch(r"Hint: [a-f][1-6], by alphabeta:depth=2", page.inner_text("#note"))
    assert page.locator(".square.hinted").get_attribute("aria-label").endswith("legal")
    square(page, 0, 0).click()
    assert page.inner_text("#note") == "Not legal for black: a1"
    square(page, 1, 2).click()
    wait_for_plies(page, 2)
    played = moves(page)
    page.keyboard.press("u")
    page.locator('#moves [data-ply="0"][aria-current]').wait_for()
    assert page.locator(".piece").count() == 4
    page.keyboard.press("r")
    page.locator('#moves [data-ply="2"][aria-current]').wait_for()
    assert moves(page) == played
    page.click("#undo")
    square(page, 2, 1).click()  # another first move replaces the moves that were undone
    page.locator('#moves [data-ply="1"]:has-text("b3")').wait_for()
    wait_for_plies(page, 2)
    page.click("#back")
    assert page.locator("#resign").is_disabled()  # at an earlier ply a player cannot resign
    page.click("#last")
    choose_in_menu(page, "resign")
    page.locator("#status:has-text('black resigns')").wait_for()
    page.locator('.square[aria-label$=", legal"]').first.click()
    assert page.locator("#moves li").count() == 3
    choose_in_menu(page, "restart")
    page.locator("#moves li:nth-child(2)").wait_for(state="detached")
    page.keyboard.press("?")
    assert page.locator("#keys-list").inner_text().split("\n")[:2] == ["n", "New game"]


def test_a_pass_is_announced_and_made(page):
    held = []
    page.route(
        "**/api/game", lambda route: held.append(route) if "from" in route.request.post_data_json else route.continue_()
    )
    paste(page, "othello:size=4", "XXXO" + "-OOO" + "-OOO" + "OOOO" + " O")
    page.locator("#note:has-text('white has no move and passes')").wait_for()
    while not held:
        page.wait_for_timeout(20)
    held.pop().continue_()
    wait_for_plies(page, 1)
    assert moves(page) == ["pass"]
    assert "black to move" in page.inner_text("#status").lower()


def test_undo_while_a_move_is_on_its_way(page):
    new_game(page, "othello", ["human", "human"])
    square(page, 4, 5).click()
    wait_for_plies(page, 1)
    held = []
    page.route("**/api/game", lambda route: held.append(route))
    square(page, 5, 3).click()  # d6; the request does not reach the server
    while not held:
        page.wait_for_timeout(20)
    page.click("#undo")
    page.locator('#moves [data-ply="0"][aria-current]').wait_for()
    assert len(held) == 1
    held[0].continue_()  # its answer is of no use any more
    page.unroute("**/api/game")
    choose_in_menu(page, "redo")
    square(page, 5, 5).click()
    wait_for_plies(page, 2)
    assert moves(page) == ["f5", "f6"]


def test_a_click_on_a_tab_before_there_is_a_game_does_nothing(page):
    box = page.locator("#tab-analyse").bounding_box()
    held = []
    page.route("**/api/game", lambda route: held.append(route))
    page.reload()
    while not held:
        page.wait_for_timeout(20)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    held.pop().continue_()
    page.locator("#players li").first.wait_for()
    page.locator("#tab-play[aria-selected=true]").wait_for()
    page.click("#tab-analyse")
    page.locator("#look").wait_for()


def test_a_pasted_transcript_and_a_broken_one(page):
    paste(page, "othello", "f5d6c3 <img src=x onerror=alert(1)>")
    page.locator("#paste-error:has-text('Ply 4')").wait_for()
    assert page.locator("#paste-dialog img").count() == 0
    page.fill("#text", "1. f5 d6 2. c3 d3")
    page.click("#read")
    wait_for_plies(page, 4)
    for ply in (3, 2, 1, 0):
        page.click("#back")
        page.locator(f'#moves [data-ply="{ply}"][aria-current]').wait_for()
    assert page.locator(".piece").count() == 4
    page.click("#last")
    assert page.locator(".piece").count() == 8
    state = Othello.from_moves("f5d6c3d3")
    owners = {divmod(i, 8): owner for i, owner in enumerate(state.owners()) if owner is not None}
    shown = [square(page, *place).get_attribute("aria-label") for place in owners]
    assert [label.split(", ")[1] for label in shown] == [state.player_names[owner] for owner in owners.values()]


def test_tribolo_with_a_person_and_two_agents(open_page, serve):
    with open_page(serve("--game", "tribolo").address) as page:
        assert page.inner_text("#title") == "Tribolo"
        assert "#" not in page.url
        play_tribolo(page)


def play_tribolo(page):
    new_game(page, "tribolo", ["human", "random", "tribolo"], seed=5)
    state = Tribolo(seed=5)
    for _ in range(2):
        wait_for_turn(page, "blue")
        plies = len(moves(page))
        page.locator('.square[aria-label$=", legal"]').first.click()
        wait_for_plies(page, plies + 1)
    wait_for_turn(page, "blue")
    state = state.play_transcript(moves(page))
    assert [int(score) for score in page.locator("#players .score").all_inner_texts()] == list(state.scores())
    shoot(page, "tribolo")


def test_checkers_with_a_chain(page):
    paste(page, "checkers", "B:W18,26,32:B14,1")
    page.locator('#title:text-is("Checkers")').wait_for()
    shoot(page, "checkers")
    square(page, 0, 1).click()  # a man on square 1 has no jump, but another man has one and must jump
    assert "Not legal for red: 1" in page.inner_text("#note")
    square(page, 3, 2).click()
    square(page, 5, 4).click()
    wait_for_plies(page, 1)
    assert "must continue with 23" in page.inner_text("#status")
    page.locator(".square.selected").wait_for()
    square(page, 7, 2).click()
    wait_for_plies(page, 2)
    assert moves(page) == ["14x23", "23x30"]
    state = Checkers.from_text("B:W18,26,32:B14,1").play_transcript("14x23x30")
    assert [int(score) for score in page.locator("#players .score").all_inner_texts()] == list(state.scores())


def test_a_game_goes_on_from_the_position_on_the_board_against_an_agent(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 24)
    page.click('#moves [data-ply="9"]')
    page.click("#new")
    page.select_option("#opening", "shown")
    page.select_option("[name=seat-0]", "alphabeta:depth=2")
    page.select_option("[name=seat-1]", "human")
    page.click("#start")
    page.locator("#players li:first-child:has-text('alphabeta:depth=2')").wait_for()
    page.locator('.square[aria-label$=", legal"]').first.click()
    wait_for_plies(page, 11)
    choose_in_menu(page, "restart")
    page.locator('#moves [data-ply="10"]').wait_for(state="detached")
    assert "".join(moves(page)) == GAME[:18]


def test_watching_two_agents_step_by_step(page):
    set_in_menu(page, "speed", "150")
    new_game(page, "othello:size=4", ["random", "alphabeta:depth=2"], seed=2)
    page.locator("#status:has-text('over')").wait_for()
    check_game(page, Othello(4), "alphabeta:depth=2", 1, 2)
    page.click("#first")
    page.click("#forward")
    page.locator('#moves [data-ply="1"][aria-current]').wait_for()
    page.click("#play")
    page.locator(f'#moves [data-ply="{len(moves(page))}"][aria-current]').wait_for()


def test_the_curve_is_the_agents_and_is_read_and_dragged(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 24)
    look(page, a="ntuple")
    show_values(page)
    page.locator(".heat g").first.wait_for()
    agent, state = make_agent("ntuple"), Othello.from_moves(GAME)
    page.locator('#curve [data-ply="23"]').wait_for(state="attached")
    line = [Othello().play_transcript(state.moves[:ply]) for ply in range(24)]
    heights = []
    for ply, position in enumerate(line):
        point = page.locator(f'#curve [data-ply="{ply}"]')
        value = assess(agent, position).values[0]
        assert float(point.get_attribute("data-value")) == value
        heights.append((value, float(point.get_attribute("cy")) - HEIGHT / 2))
    for (value, height), (other, there) in itertools.pairwise(heights):
        assert height * other == pytest.approx(there * value, abs=1e-6)
        assert height * value <= 0  # what is good for black is above 0
    look(page, b="engine:depth=4")
    page.locator('#curve [data-line="b"][data-ply="23"]').wait_for(state="attached")
    page.set_viewport_size({"width": 1280, "height": 1200})
    shoot(page, "page")
    box = box_of(page, "#curve svg")
    page.mouse.move(box["x"] + 0.02 * box["width"], box["y"] + 20)
    page.locator("#curve-read:has-text('At the start')").wait_for()
    page.mouse.down()
    page.locator('#moves [data-ply="0"][aria-current]').wait_for()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 20, steps=4)
    page.mouse.up()
    page.locator("#moves [aria-current]:not([data-ply='0'])").wait_for()


LOOKS = [("othello", "light", 768), ("othello", "dark", 1280), ("tribolo", "light", 360), ("checkers", "light", 360)]


def test_nothing_jumps_and_nothing_is_cut_off(page):
    for game, scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 860})
        new_game(page, game, SEATS[game])
        look(page, a=LOOKERS[game])
        show_values(page)
        page.locator(".heat g").first.wait_for()

        def places():
            ids = ("board", "status", "note", "undo", "hint", "moves", "new")
            return [page.locator(f"#{name}").bounding_box() for name in ids]

        page.click("#tab-play")
        wait_for_turn(page, NAMES[game])  # in Tribolo, the person does not move first
        plies = page.locator("#moves li").count() - 1
        page.evaluate("scrollTo(0, 0)")
        before = places()
        legal = page.locator('.square[aria-label$=", legal"]')
        if game == "checkers":
            square(page, 2, 1).click()  # square 9; its piece can move to 13 or 14
        legal.first.click()
        wait_for_plies(page, plies + len(SEATS[game]))
        page.evaluate("scrollTo(0, 0)")
        assert places() == before
        assert not sticks_out(page)
        shoot(page, f"{game}-{scheme}-{width}")
        page.click("#new")
        dialog, start = (page.locator(selector).bounding_box() for selector in ("#new-dialog", "#start"))
        assert start["x"] + start["width"] < dialog["x"] + dialog["width"]
        shoot(page, f"new-{game}-{scheme}-{width}")
        page.keyboard.press("Escape")
