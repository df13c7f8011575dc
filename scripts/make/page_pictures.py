"""Make the documentation's pictures of the browser page, from the page as it is.

    pip install -e ".[page]" "playwright>=1.45" && python scripts/make/page_pictures.py docs

``page.png`` shows the board with the analysis of two agents, and ``runs.png`` shows the tab of runs: a checkpoint, and
a league whose snapshots are n-tuple networks that this script trains.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import tyro
from PIL import Image

from othello_agents.training import Trainer
from othello_env.league import League

try:
    from playwright.sync_api import Page, sync_playwright
except ImportError as error:
    sys.exit(f"{error}: pip install 'playwright>=1.45'")

GAME = "f5d6c3f3e3f4f2g5f6d3h6g4c6e6c4c5d7h5h3h4g3g6d2e2"
FIXED = ("random", "maximizer:eval=weighted", "alphabeta:depth=2,eval=weighted")


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    folder: tyro.conf.Positional[Path] = Path("docs")  # an existing folder
    games: tuple[int, ...] = (500, 2000, 8000, 32000)  # the games of training before each snapshot of the league
    chromium: str = shutil.which("chromium") or "chromium"  # the path of the program chromium


def make_runs(folder: Path, args: Args) -> None:
    """Fill the folder that the server watches."""
    trainer, league = Trainer(seed=1), League(FIXED, seed=1)
    for games in args.games:
        trainer.run(games=games - trainer.games)
        file = folder / "ntuple.npz"
        trainer.network.save(file)
        league.add(str(file), played=games)
        league.complete(20, openings="random:10")
    league.save(folder / "league")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server that watches a folder."""
    command = [sys.executable, "-m", "othello_env", "serve", "--no-browser", "--port", "0", "--runs", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - fixed words
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split(" ")[0]
        finally:
            server.terminate()


def show_analysis(page: Page) -> None:
    """Show a game with the values of two agents."""
    page.click("#menu > summary")
    page.click("#paste")
    page.fill("#text", GAME)
    page.click("#read")
    for select, spec in (("#look", "engine:depth=8"), ("#look-b", "ntuple")):
        page.locator(f'{select} option[value="{spec}"]').wait_for(state="attached")
        page.select_option(select, spec)
    page.check("#numbers")
    for line in "ab":
        page.locator(f'#curve [data-line="{line}"][data-ply="23"]').wait_for(state="attached")
        page.locator(f'#table td[data-slot="{line}"][data-value]').first.wait_for()


def show_runs(page: Page) -> None:
    """Show the tab of runs."""
    page.click("#tab-runs")
    page.locator(".payoffs").wait_for()
    page.locator("#checkpoints-list tbody tr").first.wait_for()


def save(page: Page, file: Path) -> None:
    """Save a picture of the page, with 256 colours."""
    page.mouse.move(2, 2)
    page.wait_for_timeout(500)  # until the animation of the pieces has ended
    with Image.open(BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)


def main(args: Args) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        runs = Path(folder, "runs")
        runs.mkdir()
        make_runs(runs, args)
        chromium = playwright.chromium.launch(executable_path=args.chromium, args=["--no-sandbox", "--disable-gpu"])
        with served(runs) as address:
            page = chromium.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(120_000)
            page.goto(address)
            page.locator("#players li").first.wait_for()
            show_analysis(page)
            save(page, args.folder / "page.png")
            page.set_viewport_size({"width": 1100, "height": 935})
            show_runs(page)
            save(page, args.folder / "runs.png")
        chromium.close()
    print(f"written to {args.folder}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
