"""Play in Chromium: games by clicks and keys, new games, and agents or a server that do not answer."""

import re
import signal

from driving import (
    GAME,
    LEGAL,
    analyse,
    check_game,
    choose_in_menu,
    look,
    moves,
    new_game,
    paste,
    set_in_menu,
    square,
    wait_for_plies,
    wait_for_turn,
)

from othello_env import Othello, make_agent
from othello_env.arena.benchmark.ladder import load_ladder, rated_agents
from othello_env.arena.number import elo_text
from othello_env.arena.openings import balanced_openings
from othello_env.games.tribolo.position import Tribolo


def play_out(page, act, player):
    while True:
        wait_for_turn(page, player)
        status, plies, legal = page.evaluate(  # at one moment, because a pass is made without the player
            """selector => [document.getElementById("status").textContent,
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


def test_hints_undo_resigning_and_the_game_before(page):
    new_game(page, "othello:size=6", ["human", "alphabeta:depth=2"])
    look(page, a="alphabeta:depth=2")
    page.click("#tab-play")
    assert not any(page.locator(hidden).first.is_visible() for hidden in ("#bar", ".analysis", ".heat g"))
    page.click("#hint")  # by the evaluator that is chosen
    page.locator("#note:has-text('hint: ')").wait_for()
    assert re.fullmatch("hint: [a-f][1-6], by alphabeta:depth=2", page.inner_text("#note").lower())
    assert page.locator(".square.hinted").get_attribute("aria-label").endswith("legal")
    square(page, 0, 0).click()
    assert page.inner_text("#note").lower() == "not legal for black: a1"
    square(page, 1, 2).click()
    wait_for_plies(page, 2)
    page.keyboard.press("u")
    page.locator('#moves [data-ply="0"][aria-current]').wait_for()
    assert page.locator(".piece").count() == 4
    square(page, 2, 1).click()  # another first move replaces the moves that were undone
    page.locator('#moves [data-ply="1"]:has-text("b3")').wait_for()
    wait_for_plies(page, 2)
    played = moves(page)
    page.click("#back")
    assert page.locator("#resign").is_disabled()  # at an earlier ply a player cannot resign
    page.click("#last")
    choose_in_menu(page, "resign")
    page.locator("#status:has-text('white wins: black resigns')").wait_for()
    page.locator(LEGAL).first.click()
    assert page.locator("#moves li").count() == 3
    page.click("#undo")
    page.locator("#status:has-text('black to move')").wait_for()
    paste(page, "othello", "f5f6")
    wait_for_plies(page, 2)
    for names in (played, ["f5", "f6"], played):
        choose_in_menu(page, "recover")
        page.locator(f'#moves [data-ply="1"]:has-text("{names[0]}")').wait_for()
        assert moves(page) == names
    paste(page, "othello", "f5")  # what was only looked at is not kept
    page.locator('#moves [data-ply="2"]').wait_for(state="detached")
    paste(page, "othello", "f5d6c3")
    wait_for_plies(page, 3)
    choose_in_menu(page, "recover")
    page.locator("#players li:last-child:has-text('alphabeta:depth=2')").wait_for()
    assert moves(page) == played


def test_what_comes_too_early_or_too_late_does_nothing(page):
    held = []
    page.route("**/api/game", lambda route: held.append(route))

    def hold():
        while not held:
            page.wait_for_timeout(20)
        return held.pop()

    page.reload()
    page.locator("#ready:has-text('Getting ready')").wait_for()
    for key in ("n", "u", "l", "?"):
        page.keyboard.press(key)
    early = hold()
    tab = page.locator("#tab-analyse").bounding_box()
    page.mouse.click(tab["x"] + tab["width"] / 2, tab["y"] + tab["height"] / 2)
    assert page.locator("main").is_hidden()
    early.continue_()
    page.locator("#tab-play[aria-current=page]").wait_for()
    page.unroute("**/api/game")
    new_game(page, "othello", ["human", "human"])
    square(page, 4, 5).click()
    wait_for_plies(page, 1)
    page.route("**/api/game", lambda route: held.append(route))
    square(page, 5, 3).click()  # d6; the request does not reach the server
    late = hold()
    page.click("#undo")
    page.locator('#moves [data-ply="0"][aria-current]').wait_for()
    late.continue_()  # its answer is of no use any more
    page.unroute("**/api/game")
    page.click("#forward")
    square(page, 5, 5).click()
    wait_for_plies(page, 2)
    assert moves(page) == ["f5", "f6"]
    paste(page, "othello:size=4", "XXXO" + "-OOO" + "-OOO" + "OOOO" + " O")
    page.locator("#note:has-text('white has no move and passes')").wait_for()
    wait_for_plies(page, 1)
    assert moves(page) == ["pass"]


def test_tribolo_with_two_agents_and_checkers_with_a_chain(open_page, serve):
    with open_page(serve("--game", "tribolo").address) as page:
        assert page.inner_text("#title") == "Tribolo"
        new_game(page, "tribolo", ["human", "random", "tribolo"], seed=5)
        for _ in range(2):
            wait_for_turn(page, "blue")
            plies = len(moves(page))
            page.locator(LEGAL).first.click()
            wait_for_plies(page, plies + 1)
        wait_for_turn(page, "blue")
        state = Tribolo(seed=5).play_transcript(moves(page))
        assert [int(score) for score in page.locator("#players .score").all_inner_texts()] == list(state.scores())
        paste(page, "checkers", "B:W18,26,32:B14,1")
        page.locator('#title:text-is("Checkers")').wait_for()
        square(page, 0, 1).click()  # a man on square 1 has no jump, but another man has one and must jump
        assert page.inner_text("#note").lower() == "not legal for red: 1"
        square(page, 3, 2).click()
        square(page, 5, 4).click()
        wait_for_plies(page, 1)
        assert "must continue with 23" in page.inner_text("#status")
        page.locator(".square.selected").wait_for()
        square(page, 7, 2).click()
        wait_for_plies(page, 2)
        assert moves(page) == ["14x23", "23x30"]


def test_new_games(page):
    """With perfect play and a balanced opening, with another depth, and from the position on the board."""
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
    page.locator(LEGAL).first.click()
    wait_for_plies(page, 12)  # perfect has answered
    page.click("#new")
    page.select_option("#game", "othello:size=4")
    assert page.locator("#ratings").is_hidden()
    page.select_option("#game", "othello")
    assert option.count() == 0
    page.select_option("[name=seat-1]", "alphabeta:depth=2")
    page.locator("#seats summary").last.click()
    page.fill("[name=seat-1-depth]", "3")
    page.locator("[name=seat-1-depth]").press("Tab")
    page.select_option("#opening", "start")
    page.click("#start")
    page.locator("#players li:last-child:has-text('alphabeta:depth=3')").wait_for()
    square(page, 4, 5).click()
    wait_for_plies(page, 2)
    state = Othello.from_moves("f5")
    assert moves(page) == ["f5", state.action_to_text(make_agent("alphabeta:depth=3").act(state))]
    page.reload()  # after a reload, the agent has the same options
    page.locator("#players li:last-child:has-text('alphabeta:depth=3')").wait_for()
    paste(page, "othello", GAME)
    wait_for_plies(page, 24)
    page.click('#moves [data-ply="9"]')
    page.click("#new")
    page.select_option("#opening", "shown")
    page.select_option("[name=seat-0]", "alphabeta:depth=2")
    page.select_option("[name=seat-1]", "human")
    page.click("#start")
    page.locator("#players li:first-child:has-text('alphabeta:depth=2')").wait_for()
    page.locator(LEGAL).first.click()
    wait_for_plies(page, 11)
    assert "".join(moves(page))[:18] == GAME[:18]


def test_two_agents_are_watched_and_their_game_is_stepped_through(page):
    set_in_menu(page, "speed", "150")
    new_game(page, "othello:size=4", ["random", "alphabeta:depth=2"], seed=2)
    page.locator("#status:has-text('over')").wait_for()
    check_game(page, Othello(4), "alphabeta:depth=2", 1, 2)
    page.click("#first")
    page.click("#forward")
    page.locator('#moves [data-ply="1"][aria-current]').wait_for()
    page.click("#play")
    page.locator(f'#moves [data-ply="{len(moves(page))}"][aria-current]').wait_for()


def test_a_long_think_is_cancelled_and_a_failure_has_a_card_with_ways_to_go_on(open_page, serve, tmp_path):
    folder, mended = tmp_path / ("a_policy_with_a_name_that_is_wider_than_the_board" * 3), tmp_path / "mended"
    folder.mkdir()
    (folder / "slow.py").write_text("import time\ndef policy(observations, masks):\n    time.sleep(600)\n")
    check = f"if not pathlib.Path({str(mended)!r}).exists(): raise KeyError('on purpose')"
    boom = tmp_path / "boom.py"
    boom.write_text(
        f"import pathlib\nfrom othello_env.agent import Agent\nclass Boom(Agent):\n"
        f"    def act(self, state, *, seconds_left=None):\n        {check}\n        return state.legal_actions()[0]\n"
        f"    def evaluate(self, state, player):\n        {check}\n        return 0.0\n"
    )
    slow, boom = f"{folder}/slow.py:policy", f"{boom}:Boom"
    running = serve("--seconds", "3600", slow, boom)
    with open_page(running.address) as page:
        new_game(page, "othello", ["human", slow])
        square(page, 4, 5).click()
        page.locator("#note:has-text('starting: ')").wait_for()
        table, cancel = (page.locator(selector).bounding_box() for selector in (".table", "#cancel"))
        assert cancel["x"] + cancel["width"] <= table["x"] + table["width"]
        page.click("#back")  # the page stays quick
        page.locator('#moves [data-ply="0"][aria-current]').wait_for()
        page.click("#last")
        page.locator("#cancel").click()
        page.locator("#note:text-is('cancelled')").wait_for()
        assert page.locator("#cancel").is_hidden()
        new_game(page, "othello", ["human", boom])
        square(page, 4, 5).click()
        card = page.locator("#failure .failure")
        card.wait_for()
        assert f"{boom} failed: KeyError" in card.inner_text()
        assert "on purpose" in card.locator(".message").inner_text()
        card.locator("summary").click()
        assert 'boom.py", line 5' in card.locator("pre").inner_text()
        card.get_by_role("button", name="Another agent").click()
        page.locator("#new-dialog[open]").wait_for()
        assert page.input_value("#opening") == "shown"  # the game would go on from this position
        page.keyboard.press("Escape")
        analyse(page)
        page.select_option("#look", boom)
        page.locator("#error-a .failure:has-text('KeyError')").wait_for()
        assert page.inner_text("#reading-a") == ""
        page.click("#tab-play")
        mended.touch()
        card.get_by_role("button", name="Retry").click()
        wait_for_plies(page, 2)
        assert card.count() == 0
    assert "on purpose" in running.stop()[2]  # the server's log has the error, too


def test_a_server_that_is_killed_and_comes_back(open_page, serve):
    first = serve()
    with open_page(first.address) as page:
        new_game(page, "othello", ["human", "alphabeta:depth=2"])
        square(page, 4, 5).click()
        wait_for_plies(page, 2)
        played = moves(page)
        first.stop(signal.SIGKILL)
        page.locator(LEGAL).first.click()
        page.locator("#offline").wait_for()
        second = serve(port=first.port)
        wait_for_plies(page, 4)
        page.locator("#offline").wait_for(state="hidden")
        assert moves(page)[:2] == played
        second.stop(signal.SIGKILL)
        page.locator(LEGAL).first.click()
        page.locator("#offline").wait_for()
        page.click("#back")  # nothing waits for the server now, but the page looks for it
        serve(port=first.port)
        page.locator("#offline").wait_for(state="hidden")
        page.reload()  # after a reload, the page has the same game
        wait_for_plies(page, 4)
