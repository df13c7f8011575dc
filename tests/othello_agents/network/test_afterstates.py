"""The policy network that looks at the boards after the legal moves."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the network needs PyTorch, an optional extra")

from othello_agents.network import make_network  # noqa: E402 - only if there is PyTorch
from othello_agents.network.afterstates import Afterstates  # noqa: E402
from othello_agents.ntuple.network import layout  # noqa: E402
from othello_env import Othello  # noqa: E402
from othello_env.games.openings import random_opening  # noqa: E402
from othello_env.games.othello.batch import OthelloPositions  # noqa: E402
from othello_env.games.othello.bitboard import ACTION_SQUARES  # noqa: E402

PASS = Othello.from_moves("e6f4e3f6g5d6e7f5c5")  # black has no move
SIZES = (4, 6, 8)


def random_network(size, seed=1):
    """A network whose tables are random: at the start of a training they are zero."""
    network = make_network("afterstates", size, seed)
    generator = torch.Generator().manual_seed(seed)
    for weight in network.weights.values():
        weight.data = torch.randn(weight.shape, generator=generator) * 0.2
    return network


def random_states(size, games=6):
    """Positions from all parts of random games, with and without passes."""
    states = []
    for seed in range(games):
        for plies in range(0, size * size - 4, 3):
            state = random_opening(Othello(size), plies, 100 * seed + plies)
            if state is not None and not state.is_over:
                states.append(state)
    return states


def tensors(states):
    batch = OthelloPositions.from_states(states, None)
    return torch.from_numpy(batch.observations()), torch.from_numpy(batch.masks())


def board(state, player):
    """The board as the network sees it: 1 for a player's disc, -1 for an opponent's disc, 0 for an empty square."""
    own, opponent = state.observation(player).astype(float)
    return (own - opponent).ravel()


@pytest.mark.parametrize("size", SIZES)
def test_the_boards_after_the_moves_are_those_of_the_rules(size):
    states = random_states(size)
    moves = [(state, move) for state in states for move in state.legal_actions() if move < size * size]
    before = torch.tensor(np.array([board(state, state.to_move) for state, _ in moves]), dtype=torch.float32)
    after = Afterstates(size).play(before, torch.tensor([move for _, move in moves]))
    assert len(moves) > 3 * size * size
    for (state, move), found in zip(moves, after.numpy(), strict=True):
        np.testing.assert_array_equal(found, board(state.play(move), state.to_move), err_msg=f"{state}\n{move}")


def slow_evaluation(network, cells):
    """The logit and the value before tanh, by loops over placements and squares."""
    weights = {name: weight.detach().double().numpy() for name, weight in network.weights.items()}
    shape = layout(network.size)
    features = weights["discs"][int(np.abs(cells).sum())].copy()
    for placement, offset in enumerate(shape.offsets):
        configuration = sum(
            int(shape.deltas[square, placement]) * int(cell)
            for square, cell in zip(ACTION_SQUARES[network.size], cells, strict=True)
        )
        entry = int(offset) + configuration
        features += weights["table"][min(entry, int(shape.mirrors[entry]))]
    hidden = np.maximum(weights["hidden.weight"] @ features + weights["hidden.bias"], 0)
    return weights["out.weight"] @ np.concatenate([features, hidden]) + weights["out.bias"]


@pytest.mark.parametrize("size", SIZES)
def test_logits_and_values_equal_those_of_a_slow_twin(size):
    network, states = random_network(size), random_states(size, 2)
    logits, values = (found.detach().numpy() for found in network.forward(*tensors(states)))
    for state, row, value in zip(states, logits, values, strict=True):
        assert value == pytest.approx(np.tanh(slow_evaluation(network, board(state, state.to_move))[1]), abs=1e-4)
        for action in range(size * size + 1):
            if action not in state.legal_actions():
                assert row[action] < -1e6
            elif action == size * size:
                assert row[action] == 0
            else:
                expected = slow_evaluation(network, board(state.play(action), state.to_move))[0]
                assert row[action] == pytest.approx(expected, abs=1e-3)


def test_its_answers_do_not_depend_on_the_batch_or_on_the_precision():
    network, states = random_network(8), [PASS, *random_states(8, 1)]
    policy, values = network.answers(*(each.numpy() for each in tensors(states)))
    assert policy[0, 64] == 1
    for k, state in enumerate(states):
        one, value = network.answers(*(each.numpy() for each in tensors([state])))
        np.testing.assert_allclose(one[0], policy[k], atol=1e-5)
        assert value[0] == pytest.approx(values[k], abs=1e-5)
    with torch.autocast("cpu", torch.bfloat16):
        again, _ = network.answers(*(each.numpy() for each in tensors(states)))
    np.testing.assert_array_equal(again, policy)
