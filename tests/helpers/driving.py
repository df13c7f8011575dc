"""Functions that use the page in Chromium as a person does: they begin and paste games, and take screenshots."""

import json
import re

from othello_env import Othello, make_agent
from othello_env.games.keys import seat_key

MINUS = "\u2212"
EDGE, HEIGHT = 10, 150
"""The margin and the height of the picture of the curve."""
GAME = "f5d6c3f3e3f4f2g5f6d3h6g4c6e6c4c5d7h5h3h4g3g6d2e2"
SMALL = "c4b4a1d2d4d3a2c1a4a3b1d1"
"""A whole game on 4x4, with a pass and blunders."""


LEGAL = '.square[aria-label$=", legal"]'


def new_game(page, game, seats, seed=1, opening="start"):
    page.evaluate("seed => { crypto.getRandomValues = all => all.fill(seed); }", seed)
    page.click("#new")
    page.select_option("#game", game)
    for index, seat in enumerate(seats):
        page.select_option(f"[name=seat-{index}]", seat)
    page.select_option("#opening", opening)
    page.evaluate("document.querySelector('#board svg').dataset.before = ''")
    page.click("#start")
    page.locator("#board svg:not([data-before])").wait_for()


def kept_seed(page):
    """The seed of the game that is on the page."""
    return json.loads(page.evaluate("sessionStorage.getItem(sessionStorage.key(0))"))["record"]["seed"]


def choose_in_menu(page, name):
    """Click a button of the menu."""
    page.click("#menu > summary")
    page.click(f"#{name}")


def set_in_menu(page, name, value):
    """Choose from a list of the menu."""
    page.click("#menu > summary")
    page.select_option(f"#{name}", value)
    page.click("#menu > summary")


def analyse(page):
    """Analyse the game that is on the board."""
    page.click("#tab-analyse")


def show_values(page):
    """Show the evaluator's values on the squares."""
    analyse(page)
    page.check("#numbers")


def paste(page, game, text):
    choose_in_menu(page, "paste")
    if game:
        page.select_option("#paste-game", game)
    page.fill("#text", text)
    page.click("#read")


def moves(page):
    """The names of the moves so far."""
    texts = page.locator("#moves button").all_inner_texts()[1:]
    return [re.sub(r"^\d+\. ", "", text).split()[0] for text in texts]


def look(page, **agents):
    """Choose the evaluator (a) and the agent to compare with (b), and wait until their values are on the table."""
    analyse(page)
    for slot, spec in agents.items():
        select = "#look" if slot == "a" else "#look-b"
        page.locator(f'{select} option[value="{spec}"]').wait_for(state="attached")
        page.select_option(select, spec)
        page.locator(f'#table td[data-slot="{slot}"][data-value]').first.wait_for()
        page.locator(f"#reading-{slot}:not(:has(.doing))").wait_for()  # the values of the deepest search


def choose_evaluator(page, spec):
    """Choose the evaluator, perhaps with another number than an offered agent."""
    head, _, number = spec.partition("=")
    offered = page.locator(f'#look option[value="{spec}"]')
    if head.startswith("mcts"):
        page.locator('#look option[value="mcts"]').wait_for(state="attached")
        page.select_option("#look", "mcts")
        page.locator(".lookers summary").first.click()
        page.fill("[name=look-simulations]", number)
        page.locator("[name=look-simulations]").press("Tab")
    else:
        offered.wait_for(state="attached")
        page.select_option("#look", spec)


def table(page, slot):
    """The values in a column of the table of moves, by the names of the moves. They are not rounded."""
    cells = page.evaluate(
        """slot => [...document.querySelectorAll(`#table td[data-slot="${slot}"]`)]
          .map(cell => [cell.parentElement.querySelector("th").innerText, cell.dataset.value])""",
        slot,
    )
    return {name: float(value) for name, value in cells}


def marks(page):
    """The numbers over the squares, by the places of the squares. They are not rounded."""
    code = "all => all.map(each => [each.dataset.place, Number(each.dataset.value)])"
    return dict(page.locator(".heat g").evaluate_all(code))


def square(page, row, column):
    return page.locator(f'.square[data-place="{row},{column}"]')


def wait_for_plies(page, plies):
    page.locator(f'#moves button[data-ply="{plies}"]').wait_for()


def wait_for_turn(page, player):
    """Wait until a player of this name is to move, or the game is over."""
    status = re.compile(f"{player} to move|{player} goes on|game over", re.IGNORECASE)
    page.locator("#status").filter(has_text=status).wait_for()


def box_of(page, selector):
    """The place of an element in the window. It is read at one moment, because an answer may replace the element."""
    return page.evaluate("selector => document.querySelector(selector).getBoundingClientRect().toJSON()", selector)


def sticks_out(page):
    """Whether the page is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


def cut_texts(page):
    """The texts on the page that are wider or higher than their places and do not scroll."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#panel-board *")]
          .filter(each => each.clientWidth && getComputedStyle(each).overflow.includes("hidden") && each.id !== "moves")
          .filter(each => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
          .map(each => each.textContent)"""
    )


def in_sight(page, selector):
    """Whether an element is whole within the window."""
    box = box_of(page, selector)
    return box["top"] >= 0 and box["bottom"] <= page.viewport_size["height"]


def check_game(page, start, agent, agent_player, seed):
    """Check that the moves on the page are a whole game, and that the agent chooses the same moves again."""
    state, chooser = start, make_agent(agent)
    for name in moves(page):
        action = state.action_from_text(name)
        if state.to_move == agent_player and not state.must_pass:
            chooser.new_game(seat_key(seed, agent_player))
            assert action == chooser.act(state)
        state = state.play(action)
    assert state.is_over
    scores = page.locator("#players .score").all_inner_texts()
    assert [int(score) for score in scores] == list(state.scores())


def luminance(colour):
    """The relative luminance of an rgb() colour, as WCAG 2 defines it."""
    channels = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def whole_game():
    """The last position of a whole game that begins as `GAME`."""
    state = Othello.from_moves(GAME)
    while not state.is_over:
        state = state.play(state.legal_actions()[len(state.moves) % len(state.legal_actions())])
    return state
