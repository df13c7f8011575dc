"""Check which files a release contains. The builder itself adds README, LICENSE and pyproject.toml."""

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

import othello_env

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def contents(builder):
    """The paths of the files in an archive, without the files that the builder adds itself."""
    return {Path(file.distribution_path) for file in builder(str(ROOT)).recurse_included_files()}


@pytest.fixture(scope="module")
def wheel():
    return contents(WheelBuilder)


@pytest.fixture(scope="module")
def sdist():
    return contents(SdistBuilder)


def test_the_wheel_has_the_two_packages_only(wheel):
    assert {path.parts[0] for path in wheel} == {"othello_agents", "othello_env"}
    expected = {path.relative_to(ROOT) for path in (ROOT / "othello_env").rglob("*.py")}
    expected |= {path.relative_to(ROOT / "agents") for path in (ROOT / "agents").rglob("*.py")}
    assert {path for path in wheel if path.suffix == ".py"} == expected


def test_the_data_in_the_wheel(wheel):
    kinds = Counter((path.parts[0], path.suffix) for path in wheel if path.suffix != ".py")
    assert set(kinds) == {
        ("othello_agents", ".json"),
        ("othello_agents", ".npz"),
        ("othello_agents", ".typed"),
        ("othello_env", ".css"),
        ("othello_env", ".html"),
        ("othello_env", ".js"),
        ("othello_env", ".json"),
        ("othello_env", ".svg"),
        ("othello_env", ".txt"),
        ("othello_env", ".typed"),
    }


def test_the_wheel_is_small(wheel):
    places = [ROOT / path if (ROOT / path).exists() else ROOT / "agents" / path for path in wheel]
    assert sum(path.stat().st_size for path in places) < 8 << 20


def test_the_source_distribution_can_test_itself(sdist):
    top = {path.parts[0] for path in sdist}
    needed = {"agents", "conftest.py", "docs", "noxfile.py", "othello_env", "scripts", "tests"}
    assert needed | {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md"} <= top
    tests = {path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*") if path.is_file()}
    assert {path for path in tests if "__pycache__" not in path.parts} <= sdist


@pytest.mark.parametrize("rubbish", ["__pycache__", "_build", ".venv", "dist", "runs", ".git"])
def test_nothing_that_is_made_here_is_in_an_archive(sdist, wheel, rubbish):
    assert not [path for path in sdist | wheel if rubbish in path.parts]


def test_the_version_stands_everywhere():
    assert othello_env.__version__ == PROJECT["version"]
    assert f"\nversion: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n  version = {{{PROJECT['version']}}},\n" in (ROOT / "docs/how-to/measure.md").read_text()
    assert f"\n## {PROJECT['version']} (" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.skipif(not (ROOT / ".github").exists(), reason="the source distribution has no workflows")
def test_each_trainer_is_tested_everywhere():
    """The sessions of nox and the workflow have the same trainers, and there is a test for each of them."""
    assigned = re.search(r"^TRAINERS = (\{.*?^\})", (ROOT / "noxfile.py").read_text(), re.MULTILINE | re.DOTALL)
    matrix = re.search(r"trainer: \[(.*)\]", (ROOT / ".github" / "workflows" / "tests.yml").read_text())
    files = {path.stem.removeprefix("test_") for path in (ROOT / "tests/othello_env/trainers").glob("test_*.py")}
    assert sorted(ast.literal_eval(assigned[1])) == matrix[1].split(", ") == sorted(files - {"contracts"})


def test_extras_that_errors_name_exist():
    """Errors and pages name extras in the form ``othello-env[extra]``. Each of these extras must exist."""
    named = set()
    for folder in ("othello_env", "agents", "docs"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".md"):
                found = re.findall(r"othello-env\[([a-z0-9,]+)\]", path.read_text())
                named |= {extra for extras in found for extra in extras.split(",")}
    assert named
    assert named <= set(PROJECT["optional-dependencies"])
