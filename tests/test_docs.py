"""Run the examples and commands of the README and the documentation, page by page and in order.

A block of ``python`` that begins with ``# name.py`` is written to the file ``name.py``; other blocks of ``python`` run.
Blocks of ``bash`` run with small numbers of games, seconds and so on; if all their lines are plain commands of the
package, they run in this process. Blocks of ``console`` do not run: they need a network, a display or another machine.
Blocks of ``sh`` do not run here either, because ``.ci/run`` runs them.
"""

import ast
import os
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from load_script import load_script

from othello_env.arena.benchmark.ladder import LADDERS, load_ladder, rated_agents
from othello_env.arena.number import elo_text, interval_text
from othello_env.cli import main
from othello_env.games import registry

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PLAIN = re.compile(r"othello-env [^|<>&;$*()~`]*$")
NEEDS = {  # the pages about optional packages
    "docs/explanations/conventions.md": "pyspiel",
    "docs/how-to/jax.md": "jax torch",
    "docs/how-to/sequences.md": "torch",
    "docs/tutorials/alphazero.md": "torch",
    "docs/tutorials/self-play.md": "torch",
    "docs/tutorials/stable-baselines3.md": "sb3_contrib",
}
PAGES = {
    str(path.relative_to(ROOT)): text
    for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    if BLOCK.search(text := path.read_text(encoding="utf-8"))
}
TRAINERS = ast.literal_eval(re.search(r"^TRAINERS = ({.*?^})", (ROOT / "noxfile.py").read_text(), re.DOTALL | re.M)[1])
PATH = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}  # has the command othello-env
SMALL = {"seconds": 2, "minutes": 0.05, "games": 6, "steps": 512, "iterations": 1, "epochs": 1, "within": 400}


def shrunk(command):
    """The command with small numbers of games, seconds and so on."""
    for name, small in SMALL.items():
        command = re.sub(rf"--{name} [\d.]+", f"--{name} {small}", command)
    return command.replace("python scripts/", f"{sys.executable} {ROOT / 'scripts'}/")


def run(command):
    """Run a block of bash. This process runs plain commands of the package, because it has imported it already."""
    lines = [line for line in command.replace("\\\n", " ").splitlines() if line.strip()]
    if all(PLAIN.match(line) for line in lines):
        for line in lines:
            run_here(shlex.split(shrunk(line), comments=True)[1:])
        return
    done = subprocess.run(
        ["bash", "-ec", shrunk(command)],
        env=os.environ | PATH,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def run_here(words):
    with warnings.catch_warnings(), Path(os.devnull).open() as nothing, pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("default")
        patch.setattr(sys, "stdin", nothing)
        patch.setattr(sys, "path", [*sys.path])  # a command adds the current folder
        patch.setenv("PATH", PATH["PATH"])
        with pytest.raises(SystemExit) as stop:
            main(words)
    assert not stop.value.code, words


def follow(page, folder):
    """Run all blocks of a page in a folder. It must be the current folder."""
    if (DOCS / "curves").exists():
        (folder / "docs").mkdir()
        (folder / "docs" / "curves").symlink_to(DOCS / "curves")
    names = {}
    for kind, block in BLOCK.findall(PAGES[page]):
        if file := re.match(r"# (\w+\.py)\n", block):
            Path(file[1]).write_text(block)
            sys.modules.pop(Path(file[1]).stem, None)  # another test may have imported a file of this name
        elif kind == "python":
            exec(compile(block, page, "exec"), names)
        else:
            run(block)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in NEEDS])
def test_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # other tests have left their folders there
    own = {name: game for name, game in registry._GAMES.items() if registry._is_own(game)}
    monkeypatch.setattr(registry, "_GAMES", own)  # a page registers a game, as other tests do
    follow(page, tmp_path)


@pytest.mark.parametrize("page", NEEDS)
def test_a_page_about_an_optional_package_runs(page, tmp_path, monkeypatch):
    for package in NEEDS[page].split():
        pytest.importorskip(package, reason="this page is about an optional package")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    follow(page, tmp_path)


def test_the_tables_of_agents_and_ladders_are_made_from_the_package():
    for (page, name), table in load_script("make/results").tables(DOCS).items():
        assert table in (DOCS / page).read_text(encoding="utf-8"), f"{name} in {page}: run scripts/make/results.py"


def quoted_ratings():
    """All ratings that a page may quote: those of the package, and those of trained agents in ``docs/results.json``.

    For several seeds, these are also their mean with the lowest and the highest.
    """
    rungs = [rung for game in LADDERS for rung in (*load_ladder(game).rungs, *rated_agents(game))]
    texts = {f"{elo_text(rung.elo)} ({interval_text(*rung.interval, 'elo')})" for rung in rungs}
    script = load_script("make/results")
    for result, numbers, *_ in script.rows(DOCS):
        for runs in numbers.values() if not result.against else ():
            texts |= {script.over_seeds(runs), *map(script.brief, runs)}
    return texts


def test_each_rating_in_the_pages_has_its_source():
    quoted = quoted_ratings()
    elos = {text.split()[0] for text in quoted}
    found = 0
    for page in [ROOT / "README.md", *DOCS.rglob("*.md")]:
        if page.stem == "language-models":  # its numbers are differences
            continue
        prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for elo, low, high in re.findall(r"\b(\d+)(?: Elo)?\s\((\d+)\s+to\s+(\d+)\b", prose):
            assert f"{elo} ({low} to {high})" in quoted, f"{page}: add it to docs/results.json"
            found += 1
        for listed in re.findall(r"(?<![-,.\d])((?:\d{3,4}(?:,\s|\sand\s))*\d{3,4})\sElo\b", prose):
            assert {*re.findall(r"\d+", listed)} <= elos, f"{page}: add them to docs/results.json"
            found += 1
    assert found > 30


def test_the_pages_that_quote_a_figure_agree():
    readme, results = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/results.md"))
    elo = {rung.spec: elo_text(rung.elo) for rung in (*load_ladder().rungs, *rated_agents())}
    last = load_ladder().rungs[-1]
    told = f"{elo['alphabeta:depth=4,eval=weighted']} alpha-beta of depth 4, {elo[last.spec]} the strongest rung"
    assert told in " ".join(readme.split())
    assert f"`engine`, which is depth 8, has {elo['engine']} Elo" in " ".join(PAGES["docs/agents/index.md"].split())
    assert f"Elo {elo['alphabeta:depth=3,eval=weighted']}, " in PAGES["docs/how-to/measure.md"]

    score, interval = re.search(r"depth=4,eval=weighted(?: +\d+){3} +(\S+) +(\S+ to \S+)", readme).groups()
    assert f"{score} ({interval}) against alpha-beta of depth 4" in results
    for speed in re.findall(r"[\d,]+ (?:million|in PettingZoo)", readme):
        assert speed in results


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_library_is_tested_as_the_docs_say_to_install_it(trainer):
    words = [f'"{word}"' if re.search(r"[\[<>]", word) else word for word in TRAINERS[trainer] if word != "."]
    said = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert re.search(r"pip install (\. )?" + re.escape(" ".join(words)) + "[`\n]", said)
