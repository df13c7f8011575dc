"""What a person reads on the page in Chromium: names, units and reasons, and whether a list says that it goes on."""

import itertools
import json
from io import BytesIO

import pytest
from driving import GAME, MINUS, new_game, paste, wait_for_plies
from PIL import Image

from othello_env import Othello, Tribolo, make_agent


def look(page, **agents):
    """Choose the agents A and B, such as ``a="ntuple"``, and wait until their values are on the table."""
    for slot, spec in agents.items():
        select = "#look" if slot == "a" else "#look-b"
        page.locator(f'{select} option[value="{spec}"]').wait_for(state="attached")
        page.select_option(select, spec)
        page.locator(f'#table td[data-slot="{slot}"][data-value]').first.wait_for()


def told(value):
    return "0" if value == 0 else f"{value:+.0f}".replace("-", MINUS)


@pytest.mark.parametrize("spec", ["tribolo", "maxn:depth=2"])
def test_the_values_of_three_players_are_of_one_moment(page, spec):
    new_game(page, "tribolo", ["human", "human", "human"], seed=3)
    look(page, a=spec)
    state, agent = Tribolo(seed=3), make_agent(spec)
    values = [agent.evaluate(state, player) for player in range(3)]
    assert values[state.to_move] == max(agent.action_values(state).values())
    each = ", ".join(f"{name} {told(value)}" for name, value in zip(state.player_names, values, strict=True))
    text = f"A: {each} {agent.unit}"
    page.locator(f"#looked-a:has-text('{text} after the expected moves; best ')").wait_for()
    page.locator(f"#curve-read:has-text('Ply 0, at the start. {text}')").wait_for()
    legend = page.locator("#curve .legend span").first
    assert legend.inner_text() == f"A {spec}: {agent.unit} after the expected moves"


def test_the_legend_of_the_curve_is_the_same_at_every_ply(page):
    game = "f5d6c5f4e3f6g5e6e7"
    paste(page, "othello", game)
    wait_for_plies(page, 9)
    page.click("#first")
    look(page, a="engine:depth=4")
    for ply in range(10):
        page.locator(f'#curve [data-line="a"][data-ply="{ply}"]').wait_for(state="attached")
    legend = page.locator("#curve .legend")
    entry = "A engine:depth=4: discs, expected or exact"
    legend.get_by_text(entry, exact=True).wait_for()
    for ply in (9, 4):
        page.click(f'#moves [data-ply="{ply}"]')
        page.locator(f"#curve-read:has-text('Ply {ply}, after ')").wait_for()
        assert legend.inner_text() == entry


def write_runs(folder):
    """Two runs on 8x8, of which one was rated, and a run on 6x6."""
    for name, size, rated in (("first", 8, False), ("second", 8, True), ("small", 6, True)):
        curve = [
            {"seconds": i, "scores": {"random": 0.4 + 0.05 * i}} | ({"elo": 100 * i} if rated and i < 3 else {})
            for i in range(6)
        ]
        content = {"settings": {"size": size}, "curve": curve[:3] if rated else curve}
        (folder / f"{name}.json").write_text(json.dumps(content))


def test_runs_open_on_elo_and_each_keeps_its_line_style(open_page, serve, tmp_path):
    write_runs(tmp_path)
    rating = "Elo on ladder-v0 (8x8, random play is 0)"
    with open_page(serve("--runs", str(tmp_path)).address) as page:
        page.click("#tab-runs")
        page.locator(f"#runs-chart figcaption:has-text('{rating} over seconds')").wait_for()
        style = """([group]) => {
          const line = document.querySelector(`#runs-chart .mean[data-group="${group}"]`);
          return line && [line.getAttribute("stroke"), line.getAttribute("stroke-dasharray")];
        }"""
        second = page.evaluate(style, ["second"])
        assert page.locator("#runs-key label").all_inner_texts() == ["second"]  # the run on 6x6 has another rating
        assert page.locator("#run-quantity option").all_inner_texts() == [
            "against random",
            rating,
            "against random on 6x6",
            "Elo on ladder-6x6-v0 (6x6, random play is 0)",
        ]
        page.select_option("#run-quantity", "against random")
        page.locator('#runs-chart .mean[data-group="first"]').wait_for(state="attached")
        first = page.evaluate(style, ["first"])
        assert page.evaluate(style, ["second"]) == second != first
        page.get_by_label("first", exact=True).uncheck()
        page.locator('#runs-chart .mean[data-group="first"]').wait_for(state="detached")
        assert page.evaluate(style, ["second"]) == second
        (tmp_path / "a_new_run.json").write_text((tmp_path / "first.json").read_text())  # first in the order of names
        page.locator('#runs-chart .mean[data-group="a_new_run"]').wait_for(state="attached")
        assert page.evaluate(style, ["second"]) == second
        assert page.evaluate(style, ["a_new_run"]) not in (first, second)


@pytest.mark.parametrize("package", ["safetensors", "torch"])
def test_a_missing_extra_is_named(open_page, serve, tmp_path, monkeypatch, package):
    hidden = tmp_path / "hidden"
    (hidden / "safetensors").mkdir(parents=True)
    (hidden / "safetensors" / "__init__.py").touch()
    (hidden / "safetensors" / "torch.py").write_text("import torch")
    missing = hidden / ("torch.py" if package == "torch" else "safetensors/__init__.py")
    missing.write_text(f'raise ModuleNotFoundError("No module named {package}", name="{package}")')
    if package == "safetensors":
        (hidden / "torch.py").write_text("class nn:\n    Module = object\n")
    monkeypatch.setenv("PYTHONPATH", str(hidden), prepend=":")
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "agent.safetensors").write_bytes(bytes(64))
    with open_page(serve("--runs", str(runs)).address) as page:
        page.click("#tab-runs")
        page.locator("#checkpoints-none:has-text('could be loaded')").wait_for()
        assert page.inner_text("#checkpoints-none") == (
            "No file in the folder could be loaded as an agent: "
            f"this needs {package}: pip install 'othello-env[torch]'."
        )


def test_a_rating_says_on_which_ladder_it_is(page):
    page.click("#new")
    page.select_option("#game", "othello:size=6")
    assert page.inner_text("#ratings") == "The ratings are Elo on ladder-6x6-v0 (6x6, random play is 0)."
    page.select_option("#game", "othello")
    assert page.inner_text("#ratings") == "The ratings are Elo on ladder-v0 (8x8, random play is 0)."
    page.select_option("#game", "checkers")
    assert page.locator("#ratings").is_hidden()
    page.keyboard.press("Escape")
    page.click("#tab-runs")
    page.locator("#panel-runs thead th:text-is('on ladder-v0, 8x8')").wait_for()


def edge(page, selector, side, scrolled):
    """The colour of a list just inside one of its sides, where no text is, and the colour of its ground.

    The list is scrolled to its start (0) or to its end (1).
    """
    place = """async ([selector, scrolled]) => {
      const list = document.querySelector(selector);
      list.scrollTo(scrolled * list.scrollWidth, scrolled * list.scrollHeight);
      list.scrollIntoView({ block: "center" });
      await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
      const box = list.getBoundingClientRect();
      return { x: box.left, y: box.top, width: list.clientWidth, height: list.clientHeight };
    }"""
    box = page.evaluate(place, [selector, scrolled])
    strip = {"bottom": (0, box["height"] - 2, box["width"], 1), "right": (box["width"] - 2, 0, 1, box["height"])}[side]
    x, y, width, height = strip
    clip = {"x": box["x"] + x, "y": box["y"] + y, "width": width, "height": height}
    with Image.open(BytesIO(page.screenshot(clip=clip))) as picture:
        colours = picture.convert("RGB").getcolors(10_000)
    return max(colours)[1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("width", "selector", "side"), [(1440, "#moves", "bottom"), (390, "#moves", "right"), (1440, "#table", "bottom")]
)
def test_a_list_that_goes_on_has_a_shade_at_its_edge(open_page, server, scheme, width, selector, side):
    with open_page(server.address, viewport={"width": width, "height": 900}, color_scheme=scheme) as page:
        state = Othello()
        while not state.is_over:
            state = state.play(state.legal_actions()[0])
        paste(page, "othello", state.transcript())
        wait_for_plies(page, len(state.moves))
        page.click('#moves [data-ply="19"]')
        look(page, a="ntuple")
        fits = page.evaluate(
            """selector => {
              const list = document.querySelector(selector);
              return list.scrollHeight <= list.clientHeight && list.scrollWidth <= list.clientWidth;
            }""",
            selector,
        )
        assert not fits
        start, end = (edge(page, selector, side, scrolled) for scrolled in (0, 1))
        assert sum(abs(one - other) for one, other in zip(start, end, strict=True)) > 40


MOVE_IN_SIGHT = """() => {
  const box = selector => document.querySelector(selector).getBoundingClientRect();
  const [list, move] = [box("#moves"), box("#moves [aria-current]")];
  return list.left - 1 < move.left && move.right < list.right + 1
    && list.top - 1 < move.top && move.bottom < list.bottom + 1;
}"""


@pytest.mark.parametrize("width", [1440, 390])
def test_the_present_move_stays_in_sight_when_a_review_makes_the_list_longer(open_page, server, width):
    with open_page(server.address, viewport={"width": width, "height": 900}) as page:
        paste(page, "othello", GAME)
        wait_for_plies(page, 24)
        page.wait_for_function(MOVE_IN_SIGHT)
        page.click("#review")
        page.locator("#review-state:has-text('are exact')").wait_for()
        page.locator("#moves .lost").first.wait_for()
        page.wait_for_function(MOVE_IN_SIGHT)


def test_the_labels_beside_the_curves_of_three_players_do_not_overlap(page):
    new_game(page, "tribolo", ["human", "human", "human"], seed=3)
    look(page, a="maxn:depth=2")
    page.locator("#curve .course circle, #curve .course path").first.wait_for(state="attached")
    boxes = page.evaluate(
        """() => [...document.querySelectorAll("#curve .scale.left span")].filter(each => each.innerText)
          .map(each => each.getBoundingClientRect().toJSON()).sort((one, other) => one.top - other.top)"""
    )
    assert len(boxes) >= 2
    assert all(upper["bottom"] <= lower["top"] + 1 for upper, lower in itertools.pairwise(boxes))


def test_the_present_move_stays_in_sight_when_the_window_changes(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 24)
    page.wait_for_function(MOVE_IN_SIGHT)
    for width in (390, 1280, 390):
        page.set_viewport_size({"width": width, "height": 860})
        page.wait_for_function(f"innerWidth === {width}")
        page.wait_for_function(MOVE_IN_SIGHT)


def test_the_stars_have_the_colours_of_their_agents(page):
    paste(page, "othello", GAME)
    wait_for_plies(page, 24)
    look(page, a="ntuple", b="alphabeta:depth=2")
    colours = page.evaluate(
        """() => ["#table td.best[data-slot=a]", "label[for=look]", "#table td.best[data-slot=b]", "label[for=look-b]"]
          .map(selector => getComputedStyle(document.querySelector(selector)).color)"""
    )
    assert colours[0] == colours[1] != colours[2] == colours[3]


def test_a_review_that_cannot_be_made_says_why(page):
    new_game(page, "othello", ["human", "human"])
    review = page.locator("#review")
    assert review.is_disabled()
    assert review.get_attribute("title") == "There is no move to review yet."
    paste(page, "othello", "f5d6")
    page.locator("#review[title^='what each move lost']:enabled").wait_for()
    for game, seats in (("checkers", 2), ("tribolo", 3)):
        new_game(page, game, ["human"] * seats)
        page.locator("#review:disabled[title='Only games of Othello can be reviewed.']").wait_for()
