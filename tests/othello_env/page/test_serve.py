"""The command that serves the page."""

import json
import socket

import pytest

from othello_env.cli import main


def test_ctrl_c_stops_it_cleanly(serve):
    status, out, errors = serve().stop()
    assert (status, out.strip(), errors) == (0, "stopped", "")


def test_it_listens_on_this_computer_only(serve):
    running = serve()
    with socket.create_connection(("127.0.0.1", running.port), timeout=10):
        pass
    with socket.socket() as other:
        other.bind(("127.0.0.2", running.port))  # free, as it is not where every address goes


def test_a_port_that_is_taken(serve, capsys):
    running = serve()
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", str(running.port)])
    assert stop.value.code == 2
    assert "try --port 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "part"), [(["nobody"], "there is no agent 'nobody'"), (["alphabeta:depth=0"], "depth is at least 1")]
)
def test_a_wrong_agent_is_told_before_anything_is_served(arguments, part, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", "0", *arguments])
    assert stop.value.code == 2
    assert part in capsys.readouterr().err


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({"results": 3})])
def test_what_holds_no_results(content, tmp_path, capsys):
    file = tmp_path / "a.json"
    file.write_text(content)
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--no-browser", "--port", "0", "--results", str(file)])
    assert stop.value.code == 2
    assert "a.json" in capsys.readouterr().err
