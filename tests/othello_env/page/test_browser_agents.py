"""The page in Chromium: games between agents."""

from driving import (
    GAME,
    check_game,
    choose_in_menu,
    moves,
    new_game,
    paste,
    set_in_menu,
    wait_for_plies,
)

from othello_env import Othello


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
