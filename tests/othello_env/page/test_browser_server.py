"""The page in Chromium: long thinks, agents that fail, and a server that stops and comes back."""

import signal

from driving import analyse, moves, new_game, set_in_menu, square, wait_for_plies


def test_a_long_think_leaves_the_page_quick_and_can_be_cancelled(open_page, serve, tmp_path):
    file = tmp_path / ("a_policy_with_a_name_that_is_wider_than_the_board" * 3) / "slow.py"
    file.parent.mkdir()
    file.write_text("import time\ndef policy(observations, masks):\n    time.sleep(600)\n")
    with open_page(serve("--seconds", "3600", f"{file}:policy").address) as page:
        new_game(page, "othello", ["human", f"{file}:policy"])
        square(page, 4, 5).click()
        page.locator("#cancel").wait_for()
        page.locator(f"#note:has-text('Thinking: {tmp_path}')").wait_for()  # after "Loading: "
        table, cancel = (page.locator(selector).bounding_box() for selector in (".table", "#cancel"))
        assert cancel["x"] + cancel["width"] <= table["x"] + table["width"]
        page.click("#back")
        page.locator('#moves [data-ply="0"][aria-current]').wait_for()
        page.click("#last")
        page.locator("#cancel").click()
        page.locator("#cancel").wait_for(state="hidden")
        assert page.inner_text("#note") == "Cancelled"


def test_an_agent_that_fails_has_a_card_with_its_error_and_ways_to_go_on(open_page, serve, tmp_path):
    file, mended = tmp_path / "boom.py", tmp_path / "mended"
    check = f"if not pathlib.Path({str(mended)!r}).exists(): raise KeyError('on purpose')"
    file.write_text(f"import pathlib\ndef policy(observations, masks):\n    {check}\n    return masks.argmax(1)\n")
    running = serve(f"{file}:policy")
    with open_page(running.address) as page:
        new_game(page, "othello", ["human", f"{file}:policy"])
        square(page, 4, 5).click()
        card = page.locator("#failure .failure")
        card.wait_for()
        assert f"{file}:policy failed: KeyError" in card.inner_text()
        assert "on purpose" in card.locator(".message").inner_text()
        card.locator("summary").click()
        assert 'boom.py", line 3' in card.locator("pre").inner_text()
        card.get_by_role("button", name="Another agent").click()
        page.locator("#new-dialog[open]").wait_for()
        assert page.input_value("#opening") == "shown"  # the game would go on from this position
        page.keyboard.press("Escape")
        mended.touch()
        card.get_by_role("button", name="Retry").click()
        wait_for_plies(page, 2)
        assert card.count() == 0
    assert "on purpose" in running.stop()[2]  # the server's log has the error, too


def test_an_evaluator_that_fails_has_a_card_too(open_page, serve, tmp_path):
    file = tmp_path / "boom.py"
    file.write_text(
        "from othello_env.agent import Agent\n"
        "class Boom(Agent):\n"
        "    def act(self, state, *, seconds_left=None):\n        return state.legal_actions()[0]\n"
        "    def evaluate(self, state, player):\n        raise KeyError('on purpose')\n"
    )
    with open_page(serve(f"{file}:Boom").address) as page:
        analyse(page)
        card = page.locator("#error-a .failure")
        card.wait_for()
        assert "KeyError" in card.inner_text()
        assert page.inner_text("#reading-a") == ""
        page.select_option("#look", "ntuple")
        card.wait_for(state="detached")
        page.locator("#reading-a:has-text('discs')").wait_for()


def test_nothing_can_be_clicked_before_there_is_a_game(page):
    held = []
    page.route("**/api/game", lambda route: held.append(route))
    page.reload()
    page.locator("#ready:has-text('Getting ready')").wait_for()
    for button in ("#new", "#paste"):
        assert page.locator(button).is_disabled()
    for key in ("n", "u", "l", "?"):
        page.keyboard.press(key)
    assert page.locator("main").is_hidden()
    while not held:
        page.wait_for_timeout(20)
    held.pop().continue_()
    page.locator("#board svg").wait_for()
    assert page.locator("#ready").is_hidden()
    page.click("#new")
    page.locator("#new-dialog[open]").wait_for()


def test_a_server_that_is_killed_and_comes_back(open_page, serve):
    first = serve()
    with open_page(first.address) as page:
        new_game(page, "othello", ["human", "alphabeta:depth=2"])
        square(page, 4, 5).click()
        wait_for_plies(page, 2)
        played = moves(page)
        first.stop(signal.SIGKILL)
        legal = page.locator('.square[aria-label$=", legal"]').first
        legal.click()
        page.locator("#offline").wait_for()
        second = serve(port=first.port)
        wait_for_plies(page, 4)
        page.locator("#offline").wait_for(state="hidden")
        assert moves(page)[:2] == played
        second.stop(signal.SIGKILL)
        legal.click()
        page.locator("#offline").wait_for()
        page.click("#back")  # nothing waits for the server now, but the page looks for it
        serve(port=first.port)
        page.locator("#offline").wait_for(state="hidden")
        page.reload()  # after a reload, the page has the same game
        wait_for_plies(page, 4)


def test_a_slow_evaluator_is_neither_starved_nor_in_the_way_of_the_game(open_page, serve, tmp_path):
    """Its running evaluation is finished, its process lives, and the value stays until the next one is there."""
    file, log, go = tmp_path / "slow.py", tmp_path / "log", tmp_path / "go"
    file.write_text(
        "import os, pathlib, time\nfrom othello_env.agent import Agent\n"
        "class Slow(Agent):\n"
        "    def act(self, state, *, seconds_left=None):\n        return state.legal_actions()[0]\n"
        "    def evaluate(self, state, player):\n"
        f"        with open({str(log)!r}, 'a') as file:\n"
        "            print(os.getpid(), len(state.moves), file=file)\n"
        f"        while not pathlib.Path({str(go)!r}).exists():\n            time.sleep(.01)\n"
        "        return .25 if player == 0 else -.25\n"
    )
    with open_page(serve(f"{file}:Slow").address) as page:
        set_in_menu(page, "speed", "150")
        new_game(page, "othello:size=4", ["random", "random"], seed=2)
        analyse(page)
        page.locator("#reading-a .doing:has-text('thinking')").wait_for()
        assert page.locator("#bar .fill").count() == 0  # what is unknown is not drawn as even
        page.locator("#status:has-text('over')").wait_for()
        page.click('#moves [data-ply="8"]')
        go.touch()
        page.locator("#reading-a:has-text('black +0.25')").wait_for()
        last = len(moves(page)) - 1
        page.locator(f'#curve [data-line="a"][data-ply="{last}"]').wait_for(state="attached")
        asked = [line.split() for line in log.read_text().splitlines()]
        first, second = [int(ply) for _, ply in asked[::2]][:2]
        assert first < second == 8  # the newest position is next
        assert len({process for process, _ in asked}) == 1
        go.unlink()
        new_game(page, "othello:size=4", ["human", "human"], seed=3)
        analyse(page)
        page.locator("#reading-a .doing:has-text('thinking')").wait_for()
        go.touch()
        page.locator("#bar:not(.old) .fill").wait_for()
        go.unlink()
        square(page, 0, 1).click()
        page.locator("#bar.old .fill").wait_for()
        assert page.locator("#bar").inner_text() == "+0.25"
        go.touch()
        page.locator("#bar:not(.old) .fill").wait_for()
