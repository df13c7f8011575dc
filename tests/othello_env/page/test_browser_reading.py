"""What a person reads on the page in Chromium: reasons, what is in sight, and where a review is offered."""

import pytest
from driving import GAME, analyse, new_game, paste, wait_for_plies


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
