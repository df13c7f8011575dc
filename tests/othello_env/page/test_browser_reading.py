"""What a person reads on the page in Chromium: names, units and reasons, and whether a list says that it goes on."""

from io import BytesIO

import pytest
from driving import GAME, analyse, look, new_game, paste, wait_for_plies
from PIL import Image

from othello_env import Othello


def test_a_missing_extra_is_named(open_page, serve, tmp_path, monkeypatch):
    hidden, runs = tmp_path / "hidden", tmp_path / "runs"
    for folder in (hidden, runs):
        folder.mkdir()
    missing = 'raise ModuleNotFoundError("No module named onnxruntime", name="onnxruntime")'
    (hidden / "onnxruntime.py").write_text(missing)
    monkeypatch.setenv("PYTHONPATH", str(hidden), prepend=":")
    (runs / "agent.onnx").write_bytes(bytes(64))
    with open_page(serve("--runs", str(runs)).address) as page:
        page.click("#tab-runs")
        page.locator("#checkpoints-none:has-text('could be loaded')").wait_for()
        assert page.inner_text("#checkpoints-none") == (
            "No file in the folder could be loaded as an agent: "
            "this needs onnxruntime: pip install 'othello-env[onnx]'."
        )


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


def test_a_list_that_goes_on_has_a_shade_at_its_edge(page):
    state = Othello()
    while not state.is_over:
        state = state.play(state.legal_actions()[0])
    paste(page, "othello", state.transcript())
    wait_for_plies(page, len(state.moves))
    page.click('#moves [data-ply="19"]')
    look(page, a="ntuple")
    for width, height, selector, side in ((1440, 600, "#moves", "bottom"), (390, 900, "#moves", "right")):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(f"innerWidth === {width} && innerHeight === {height}")
        fits = page.evaluate(
            """selector => {
              const list = document.querySelector(selector);
              return list.scrollHeight <= list.clientHeight && list.scrollWidth <= list.clientWidth;
            }""",
            selector,
        )
        assert not fits
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            start, end = (edge(page, selector, side, scrolled) for scrolled in (0, 1))
            assert sum(abs(one - other) for one, other in zip(start, end, strict=True)) > 40, (selector, scheme)


MOVE_IN_SIGHT = """() => {
  const box = selector => document.querySelector(selector).getBoundingClientRect();
  const [list, move] = [box("#moves"), box("#moves [aria-current]")];
  return list.left - 1 < move.left && move.right < list.right + 1
    && list.top - 1 < move.top && move.bottom < list.bottom + 1;
}"""


@pytest.mark.parametrize(("width", "other"), [(1440, 390), (390, 1280)])
def test_the_present_move_stays_in_sight_when_a_review_or_the_window_changes_the_list(open_page, server, width, other):
    with open_page(server.address, viewport={"width": width, "height": 900}) as page:
        paste(page, "othello", GAME)
        wait_for_plies(page, 24)
        page.wait_for_function(MOVE_IN_SIGHT)
        page.click("#review")
        page.locator("#review-state:has-text('are exact')").wait_for()
        page.locator("#moves .lost").first.wait_for()
        page.wait_for_function(MOVE_IN_SIGHT)
        for changed in (other, width):
            page.set_viewport_size({"width": changed, "height": 860})
            page.wait_for_function(f"innerWidth === {changed}")
            page.wait_for_function(MOVE_IN_SIGHT)


def test_a_review_is_offered_where_it_can_be_made(page):
    analyse(page)
    new_game(page, "othello", ["human", "human"])
    review = page.locator("#review")
    assert review.is_hidden()  # there is no move yet
    paste(page, "othello", "f5d6")
    review.wait_for()
    for game, seats in (("checkers", 2), ("tribolo", 3)):
        new_game(page, game, ["human"] * seats)
        analyse(page)
        review.wait_for(state="hidden")  # only games of Othello can be reviewed
