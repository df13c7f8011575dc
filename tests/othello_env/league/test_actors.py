"""The actors of the page about leagues, in processes of Ray."""

import pytest
from snippets import run_snippet

ray = pytest.importorskip("ray", reason="RLlib is an optional library")


@pytest.mark.filterwarnings("default")  # Ray causes warnings that this package cannot avoid
def test_two_actors_send_their_results_to_a_league():
    ray.init(num_cpus=2, log_to_driver=False)
    try:
        league = run_snippet("tutorials/league.md", "Actors on other machines")["league"]
    finally:
        ray.shutdown()
    counts = {league.members[number].name: results for number, results in league.results.learner.items()}
    assert set(counts) == {"random", "maximizer:eval=count"}
    assert sum(map(sum, counts.values())) > 2 * 64 * 4  # each game has about 16 turns of the learner
