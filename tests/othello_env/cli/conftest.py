"""Fixtures that the tests of the command share."""

import pytest

from othello_env import cli


@pytest.fixture
def run(capsys):
    """A function that runs the command in this process and returns its status, its output and its errors."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return call


@pytest.fixture(autouse=True)
def each_command_prints_the_same(monkeypatch):
    """Make each command print the same, whether or not it has to compile."""
    monkeypatch.setattr(cli, "cache_is_empty", lambda: False)
