"""A fit of the tables to labels: it recovers planted tables, and can be repeated."""

import numpy as np
import pytest

from othello_agents.ntuple import NTupleNetwork
from othello_agents.ntuple.fitting import LabelledPositions, fit, predict, stage_errors
from othello_env.data import random_games
from othello_env.data.replay import othello_positions
from othello_env.games.othello import symmetries
from othello_env.games.othello.bitboard import ACTION_SQUARES


@pytest.fixture(scope="module")
def positions():
    """The positions of random games on 4x4, from the side of the player who has just moved."""
    boards, _, _ = othello_positions(random_games(1500, size=4, seed=1))
    return boards.opponent, boards.own


@pytest.fixture(scope="module")
def planted(networks, positions):
    """A network with random weights, and examples whose labels are this network's values."""
    network = networks[4]
    unlabelled = LabelledPositions(*positions, np.zeros(len(positions[0]), np.float32))
    return network, unlabelled._replace(values=predict(network, unlabelled).astype(np.float32))


def test_predictions_are_the_networks_values(networks, positions, slow_twin):
    from othello_env import Othello

    own, opponent = (column[100:160] for column in positions)
    states = [Othello.from_bits(int(o), int(m), to_move=1, size=4) for m, o in zip(own, opponent, strict=True)]
    unfinished = [not state.is_over for state in states]
    found = predict(networks[4], LabelledPositions(own, opponent, np.zeros(len(own), np.float32)))
    slow = [slow_twin(networks[4]).value(state, 0) for state in states]
    np.testing.assert_allclose(found[unfinished], np.array(slow)[unfinished], atol=1e-6)


def test_a_fit_recovers_planted_tables_from_their_own_values(planted):
    truth, examples = planted
    held_out = np.arange(len(examples.own)) % 5 == 0
    seen, unseen = examples.part(~held_out), examples.part(held_out)
    network = NTupleNetwork(4, truth.stages)
    before = stage_errors(network, unseen)
    fit(network, seen, passes=60, rate=0.1, seed=1)
    after = stage_errors(network, unseen)
    assert before[-1].positions == held_out.sum() == sum(stage.positions for stage in after[:-1])
    for first, last in zip(before, after, strict=True):
        assert last.error < 0.15 * first.error
        assert last.correlation > 0.98


def test_symmetric_placements_keep_sharing_their_weights(planted):
    """After a fit to asymmetric positions, all mirror images of a position have the same value."""
    truth, examples = planted
    network = NTupleNetwork(4, truth.stages)
    few = examples.part(slice(300))
    fit(network, few, passes=2, rate=0.1)
    squares = np.array(ACTION_SQUARES[4])
    values = predict(network, few)
    assert np.ptp(values) > 0.1
    for k in range(symmetries.COUNT):
        moved = squares[symmetries.transform_actions(np.arange(16), k, 4)]
        images = [
            sum(
                ((column >> np.uint64(a)) & np.uint64(1)) << np.uint64(b) for a, b in zip(squares, moved, strict=True)
            ).astype(np.uint64)
            for column in few[:2]
        ]
        np.testing.assert_allclose(predict(network, LabelledPositions(*images, few.values)), values, atol=1e-6)


def test_threads_give_the_same_weights_and_the_seed_other_weights(planted):
    truth, examples = planted
    fitted = []
    for seed, threads in ((1, 1), (1, 3), (2, 1)):
        network = NTupleNetwork(4, truth.stages)
        fit(network, examples, passes=2, rate=0.05, seed=seed, num_threads=threads)
        fitted.append(network.weights)
    np.testing.assert_array_equal(fitted[0], fitted[1])
    assert (fitted[0] != fitted[2]).any()


@pytest.mark.parametrize("wrong", [1.5, -1.1, np.nan])
def test_labels_outside_the_scale_are_refused(planted, wrong):
    truth, examples = planted
    values = examples.values.copy()
    values[3] = wrong
    with pytest.raises(ValueError, match="expected labels from -1 to \\+1"):
        fit(truth, examples._replace(values=values))
