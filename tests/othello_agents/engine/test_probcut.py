"""Selective search: which searches it may skip, and which results it must leave unchanged."""

import json
from importlib import resources

import numpy as np
import pytest

from othello_agents.engine import Engine
from othello_agents.engine.probcut import (
    CONFIDENCE,
    SHALLOWEST,
    cuts_file,
    shipped_cuts,
    sufficient,
)
from othello_agents.ntuple import shipped_network
from othello_env import Othello


def both(state, **options):
    """The analyses with and without selective search."""
    return [Engine(selective=selective, **options).analyse(state) for selective in (True, False)]


@pytest.mark.nojit
@pytest.mark.parametrize("direction", [1, -1])
def test_a_sufficient_value_promises_the_bound_and_the_next_one_does_not(direction):
    rng = np.random.default_rng(1)
    cuts = np.stack([rng.uniform(0.8, 1.2, (8, 4)), rng.uniform(-50, 50, (8, 4)), rng.uniform(30, 200, (8, 4))], axis=2)
    for bound in range(-900, 900, 37):
        # The table ends at depth 6. A deeper search has the numbers of the last depth that is odd or even as well.
        for depth, empty, listed in ((3, 10, 3), (6, 30, 6), (9, 55, 5), (12, 55, 6)):
            slope, offset, deviation = cuts[empty // 8, listed - SHALLOWEST]
            enough = int(sufficient(bound, direction, depth, empty, cuts.astype(np.float32)))

            def beyond(shallow, slope=slope, offset=offset, deviation=deviation, bound=bound):
                """The number of standard deviations by which the predicted value lies beyond the bound."""
                return direction * (slope * shallow + offset - bound) / deviation

            assert beyond(enough) >= CONFIDENCE - 1e-4
            assert beyond(enough - direction) < CONFIDENCE + 1e-4


@pytest.mark.parametrize("agent", ["engine", "ntuple"])
def test_the_fit_is_of_the_weights_that_ship(agent):
    file = resources.files("othello_agents") / "weights" / cuts_file(8, agent)
    fitted = json.loads(file.read_text(encoding="utf-8"))["weights"]
    assert fitted == shipped_network(8, agent).training, "the weights have changed: run scripts/make/fit_probcut.py"


def test_the_engine_has_its_own_weights_and_can_use_those_of_ntuple(random_position, tmp_path):
    state = random_position(1, 40)
    for agent, evaluation in (("engine", None), ("ntuple", "ntuple")):
        shipped_network(8, agent).save(tmp_path / f"{agent}.npz")
        packaged = Engine(depth=4, eval=evaluation, selective=False).analyse(state)
        given = Engine(depth=4, eval=f"{tmp_path / agent}.npz", selective=False).analyse(state)
        assert (packaged.score, packaged.pv, packaged.weights) == (given.score, given.pv, agent)
    assert Engine(depth=4).analyse(state).score != Engine(depth=4, eval="ntuple").analyse(state).score
    assert Engine(depth=2).analyse(Othello(6)).weights == "ntuple"


def test_a_selective_search_visits_fewer_nodes(random_position):
    nodes = np.array([[a.nodes for a in both(random_position(key, 30 + key), depth=8, exact=0)] for key in range(6)])
    assert nodes[:, 0].sum() < nodes[:, 1].sum() / 2


def test_depths_that_are_never_cut_and_endgames_are_the_same(random_position):
    for key in range(6):
        # Selective search never skips the root or a search of fewer than 3 plies. So at depth 3 it skips nothing.
        for options in ({"depth": SHALLOWEST, "exact": 0}, {"exact": 13}):
            empty = 13 if "depth" not in options else 40
            selective, whole = both(random_position(key, empty), **options)
            assert (selective.score, selective.exact) == (whole.score, whole.exact)
    state = random_position(9, 15)
    selective, whole = (Engine(selective=s).solve(state) for s in (True, False))
    assert (selective.score, selective.exact) == (whole.score, True)


def test_weights_from_a_file_are_cut_as_the_packaged_ones_with_the_same_patterns_and_points_never(
    random_position, tmp_path
):
    state = random_position(1, 40)
    for agent, evaluation in (("engine", None), ("ntuple", "ntuple")):
        shipped_network(8, agent).save(tmp_path / "same.npz")
        engines = [Engine(depth=6, eval=e) for e in (evaluation, str(tmp_path / "same.npz"))]
        assert all((engine.evaluator(8).cuts == shipped_cuts(8, agent)).all() for engine in engines)
        packaged, given = (engine.analyse(state) for engine in engines)
        assert (given.nodes, given.score, given.pv) == (packaged.nodes, packaged.score, packaged.pv)
        assert given.nodes < Engine(depth=6, eval=evaluation, selective=False).analyse(state).nodes
    nodes = {Engine(depth=6, eval="mobility", selective=s).analyse(state).nodes for s in (True, False)}
    assert len(nodes) == 1
