"""Run the examples and commands of the README and the documentation, page by page and in order.

A block of ``python`` that begins with ``# name.py`` is written to the file ``name.py``; other blocks of ``python`` run.
Blocks of ``bash`` run with small numbers of games, seconds and so on. Blocks of ``console`` do not run: they need a
network, a display or another machine. Blocks of ``sh`` do not run here either, because ``.ci/run`` runs them. A line
``% needs: module`` names an optional package that the page needs.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from load_script import load_script

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NEEDS = re.compile(r"^% needs: (\S+)$", re.MULTILINE)
PAGES = {
    str(path.relative_to(ROOT)): text
    for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    if BLOCK.search(text := path.read_text(encoding="utf-8"))
}
SMALL = {"seconds": 2, "minutes": 0.05, "games": 6, "steps": 512, "iterations": 1, "epochs": 1, "within": 400}


def shrunk(command):
    """The command with small numbers of games, seconds and so on."""
    for name, small in SMALL.items():
        command = re.sub(rf"--{name} [\d.]+", f"--{name} {small}", command)
    return command.replace("python scripts/", f"{sys.executable} {ROOT / 'scripts'}/")


def run(command):
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-ec", shrunk(command)], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def follow(page, folder):
    """Run all blocks of a page in a folder. It must be the current folder."""
    if (DOCS / "curves").exists():
        (folder / "docs").mkdir()
        (folder / "docs" / "curves").symlink_to(DOCS / "curves")
    names = {}
    for kind, block in BLOCK.findall(PAGES[page]):
        if file := re.match(r"# (\w+\.py)\n", block):
            Path(file[1]).write_text(block)
        elif kind == "python":
            exec(compile(block, page, "exec"), names)
        else:
            run(block)


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if not NEEDS.search(text)])
def test_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    follow(page, tmp_path)


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if NEEDS.search(text)])
def test_a_page_about_an_optional_package_runs(page, tmp_path, monkeypatch):
    for module in NEEDS.findall(PAGES[page]):
        pytest.importorskip(module, reason="this page is about an optional package")
    monkeypatch.chdir(tmp_path)
    follow(page, tmp_path)


def test_the_tables_of_agents_and_ladders_are_made_from_the_package():
    for (page, name), table in load_script("make/docs_tables").tables().items():
        assert table in PAGES[f"docs/{page}"], f"{name} in {page}: run scripts/make/docs_tables.py"


def test_code_fits_the_column_of_the_site():
    code = re.compile(r"^```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    blocks = {page.name: "".join(code.findall(page.read_text(encoding="utf-8"))) for page in pages}
    assert not [(page, line) for page, text in blocks.items() for line in text.splitlines() if len(line) > 88]


def test_budgets_become_small():
    assert shrunk("othello-env match a b --games 400 --seed 1") == "othello-env match a b --games 6 --seed 1"
