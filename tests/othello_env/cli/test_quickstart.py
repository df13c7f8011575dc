"""The command quickstart."""

import json

import pytest

from othello_env.arena import Report, mean_over_seeds
from othello_env.cli import main
from othello_env.page.results import read_results


def test_it_ends_with_the_ratings_of_the_agent_alone_and_in_a_search(tmp_path, capsys):
    folder = tmp_path / "new"
    with pytest.raises(SystemExit) as stop:
        main(["quickstart", "--seconds", "0.2", "--games", "20", "--out", str(folder)])
    assert not stop.value.code
    agent, results = f"{folder / 'agent.npz'}", json.loads((folder / "results.json").read_text())
    report = Report.from_json(results)
    ratings = {part.details["spec"]: part.details for part in report.parts[1:]}
    assert [*ratings] == [agent, f"{agent}:depth=4"]
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for spec, rating in ratings.items():
        assert rating["games"] == 20
        assert rating["milliseconds_a_move"] > 0
        (line,) = (line for line in lines if line.startswith(f"{spec} "))
        assert float(line.split()[-1]) == pytest.approx(rating["milliseconds_a_move"], rel=0.1)
    assert report["Elo with depth=4"].value > report["Elo"].value
    assert mean_over_seeds([report])["othello", "Elo"].mean == report["Elo"].value
    shown = read_results("results.json", results)
    assert (shown["title"], shown["rated"]["elo"]) == (agent, report["Elo"].shown)
