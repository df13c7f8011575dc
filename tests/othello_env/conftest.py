"""A fixture for all tests: a run of the command."""

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
