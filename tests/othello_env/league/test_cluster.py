"""The actors of the page about leagues, on a Ray cluster of two nodes. ``nox -s cluster`` runs this file."""

import pytest
from snippets import run_snippet

pytest.importorskip("ray", reason="a cluster needs Ray, an optional extra")


@pytest.mark.filterwarnings("default")  # Ray causes warnings that this package cannot avoid
@pytest.mark.usefixtures("connected")
def test_two_actors_send_their_results_to_a_league():
    league = run_snippet("tutorials/league.md", "Actors on other machines")["league"]
    counts = {league.members[number].name: results for number, results in league.results.learner.items()}
    assert set(counts) == {"random", "maximizer:eval=count"}
    assert sum(map(sum, counts.values())) > 2 * 64 * 4  # each game has about 16 turns of the learner
