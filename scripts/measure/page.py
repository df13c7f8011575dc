"""Measure the time from a click on the browser page until Chromium shows the effect, while agents think.

    pip install -e ".[page]" "playwright>=1.45" && python scripts/measure/page.py

In one tab, an agent thinks without end. In another tab, a player makes moves while the page shows an agent's analysis.
The browser measures the times. Both tabs and the agents share all cores of the machine.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from _bench import machine

try:
    from playwright.sync_api import Page, sync_playwright
except ImportError as error:
    sys.exit(f"{error}: pip install 'playwright>=1.45'")

BUSY = "def policy(observations, masks):\n    while True:\n        pass\n"
WATCH = """
window.answers = [];
window.marks = [];
let began = null, shown = "", isMarked = false;
const all = what => document.querySelectorAll(what);
const look = () => [all("#moves [aria-current]")[0]?.dataset.ply, all("#moves li").length, all(".wrong").length].join();
addEventListener("click", event => { began = event.timeStamp; shown = look(); isMarked = false; }, true);
const draw = (times, at) =>
  requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - at)));  // after the frame is drawn
new MutationObserver(() => {
  if (began === null) return;
  if (!isMarked && all(".chosen").length) { isMarked = true; draw(marks, began); }
  if (look() !== shown) { draw(answers, began); began = null; }
}).observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true });
"""
GAME = "f5d6c3f3e3f4f2g5f6d3h6g4c6e6c4c5d7h5h3h4g3g6d2e2"


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    repeats: int = 30  # clicks of each kind
    chromium: str = shutil.which("chromium") or "chromium"  # the path of the program chromium


def click(page: Page, selector: str) -> float:
    """Click on the first element that matches the selector. Return the milliseconds until the effect is drawn."""
    before = page.evaluate("answers.length")
    page.locator(selector).first.click()
    while page.evaluate("answers.length") == before:
        page.wait_for_timeout(5)
    return float(page.evaluate("answers.at(-1)"))


def begin(page: Page, seats: list[str]) -> None:
    page.click("#new")
    for index, seat in enumerate(seats):
        page.select_option(f"[name=seat-{index}]", seat)
    page.click("#start")
    page.locator("#new-dialog").wait_for(state="hidden")
    page.locator("#players .seat").nth(1).filter(has_text=seats[1]).wait_for()


def measure(first: Page, second: Page, busy: str, repeats: int) -> dict[str, list[float]]:
    begin(first, ["human", busy])
    first.check("#legal")
    first.locator('.square[aria-label$=", legal"]').first.click()
    first.locator("#cancel").wait_for()
    second.click("#paste")
    second.fill("#text", GAME)
    second.click("#read")
    second.locator('#moves [data-ply="24"]').wait_for()
    second.check("#legal")
    second.locator('#look option[value="engine:ms=2000"]').wait_for(state="attached")
    second.select_option("#look", "engine:ms=2000")
    for page in (first, second):
        page.evaluate(WATCH)
    times: dict[str, list[float]] = {}
    for _ in range(repeats):
        for name, page, selector in (
            ("a move: it is made", second, '.square[aria-label$=", legal"]'),
            ("undo", second, "#undo"),
            ("a square that is not legal", second, '.square[data-place="0,0"]'),
            ("a step back", second, "#back"),
            ("a step forward", second, "#forward"),
            ("a step back while that tab's own agent thinks", first, "#back"),
            ("a step forward there", first, "#forward"),
        ):
            times.setdefault(name, []).append(click(page, selector))
    return {"a move: its square is marked": second.evaluate("marks")} | times


def main(args: Args) -> None:
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "busy.py"
        file.write_text(BUSY)
        busy = f"{file}:policy"
        options = ["--no-browser", "--port", "0", "--seconds", "3600", busy]
        serve = [sys.executable, "-m", "othello_env", "serve", *options]
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)  # noqa: S603 - the program is ours
        assert server.stdout is not None
        try:
            address = server.stdout.readline().split(" ")[0]
            with sync_playwright() as playwright:
                chromium: Any = playwright.chromium.launch(executable_path=args.chromium, args=["--no-sandbox"])
                pages = [chromium.new_page() for _ in range(2)]
                for page in pages:
                    page.set_default_timeout(120_000)
                    page.goto(address)
                    page.locator("#players li").first.wait_for()
                times = measure(*pages, busy, args.repeats)
                chromium.close()
        finally:
            server.terminate()
            server.wait()
    print(f"{'milliseconds from a click on':48} median  worst")
    for name, values in times.items():
        print(f"{name:48} {statistics.median(values):6.0f} {max(values):6.0f}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
