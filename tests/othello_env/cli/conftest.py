"""What the tests of the command share."""

import pytest

from othello_env.support import compiling


@pytest.fixture(autouse=True)
def nothing_is_said_of_compilation(monkeypatch):
    """What a command prints in this process does not depend on what the cache holds."""
    monkeypatch.setattr(compiling, "_SECONDS", 1e6)
