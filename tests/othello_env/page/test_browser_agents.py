"""The page in Chromium: games between agents, and clocks."""

from datetime import datetime

from driving import (
    GAME,
    check_game,
    choose_in_menu,
    kept_seed,
    moves,
    new_game,
    paste,
    set_in_menu,
    square,
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
    page.fill("#seed", "77")
    page.click("#start")
    page.locator("#players li:first-child:has-text('alphabeta:depth=2')").wait_for()
    page.locator('.square[aria-label$=", legal"]').first.click()
    wait_for_plies(page, 11)
    assert kept_seed(page) == 77
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


def stop_clock(page):
    """Stop the clock of the page. From now on, time passes only in `page.clock.run_for`."""
    page.clock.install(time=datetime(2026, 1, 1))
    page.reload()  # only a page that is loaded now uses the new clock
    page.clock.pause_at(datetime(2026, 1, 2))


def test_an_agents_clock_counts_only_its_thinking(page):
    stop_clock(page)
    set_in_menu(page, "speed", "2000")
    new_game(page, "othello", ["random", "random"], clock="60")
    for ply in range(1, 9):
        page.clock.run_for(2_100)
        wait_for_plies(page, ply)
    assert page.locator("#players .clock").all_inner_texts() == ["1:00", "1:00"]


def test_undo_gives_the_time_back_and_the_clock_runs_out(page):
    stop_clock(page)
    new_game(page, "othello", ["human", "human"], clock="60")
    clocks = page.locator("#players .clock")
    page.clock.run_for(10_000)
    square(page, 4, 5).click()
    wait_for_plies(page, 1)
    page.clock.run_for(20_000)
    assert clocks.all_inner_texts() == ["0:50", "0:40"]
    page.click("#undo")
    page.locator('#moves [data-ply="0"][aria-current]').wait_for()
    page.clock.run_for(5_000)  # the clock does not run now
    assert clocks.all_inner_texts() == ["0:50", "1:00"]
    square(page, 2, 3).click()
    page.locator('#moves [data-ply="1"]:has-text("d3")').wait_for()
    page.clock.run_for(1_000)
    assert clocks.all_inner_texts() == ["0:50", "0:59"]
    page.clock.run_for(60_000)
    page.locator("#status:has-text('black wins: white ran out of time')").wait_for()
