"""Fixtures for scripted engines, which speak GTP or NBoard's protocol and misbehave on demand."""

import shlex
import sys
from pathlib import Path

import pytest

from othello_agents.programs import Gtp, NBoard

SCRIPT = Path(__file__).parents[1] / "scripted_engine.py"


@pytest.fixture(scope="session")
def engine_file():
    """The path of the scripted engine."""
    return SCRIPT


@pytest.fixture(scope="session")
def scripted():
    """A function that makes the agent of a scripted engine, given the engine's arguments and the agent's limits."""

    def make(*words, seconds=20.0, start=20.0):
        command = shlex.join([sys.executable, str(SCRIPT), *words])
        if words[0] == "nboard":
            return NBoard(command, seconds=seconds, start=start)
        return Gtp(command, seconds, start)

    return make


@pytest.fixture
def engines(tmp_path, monkeypatch, all_end):
    """A function that lists the process ids of all started engines. The fixture ends all that are still running."""
    folder = tmp_path / "engines"
    folder.mkdir()
    monkeypatch.setenv("SCRIPTED_ENGINES", str(folder))

    def started():
        return [int(file.name) for file in folder.iterdir()]

    yield started
    all_end(started(), 0)
