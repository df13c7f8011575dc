"""Check what ``docs/explanations/conventions.md`` says about OpenSpiel's Othello, with the installed library.

OpenSpiel is an independent implementation. The PettingZoo environment and OpenSpiel play the same random games. The
tests compare actions and their names, both players' planes, masks, rewards and ends.
"""

import random

import numpy as np
import pyspiel
import pytest

from othello_env import Othello, othello_v0

SEEDS = (*range(60), 116)  # the games of seeds 55 and 116 end before the board is full


@pytest.fixture(scope="module")
def game():
    return pyspiel.load_game("othello")


def random_game(seed):
    """The actions of a random game."""
    rng, position, actions = random.Random(seed), Othello(), []
    while not position.is_over:
        actions.append(rng.choice(position.legal_actions()))
        position = position.play(actions[-1])
    return actions


def test_squares_and_actions_have_the_same_names(game):
    theirs = game.new_initial_state()
    for action in range(65):
        name = theirs.action_to_string(0, action)
        assert Othello().action_to_text(action) == name
        assert name == ("pass" if action == 64 else f"{'abcdefgh'[action % 8]}{action // 8 + 1}")
    assert theirs.legal_actions() == [19, 26, 37, 44]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_game_through_both(game, seed):
    theirs, env = game.new_initial_state(), othello_v0.env()
    env.reset(seed=seed)
    for action in random_game(seed):
        assert list(env.position.legal_actions()) == theirs.legal_actions()
        player = env.agents.index(env.agent_selection)
        observation, reward, *_ = env.last()
        assert player == theirs.current_player()
        assert observation["action_mask"].tolist() == theirs.legal_actions_mask()
        assert (action == 64) == (theirs.legal_actions() == [64])
        same_planes(theirs, player, observation["observation"])
        same_planes(theirs, 1 - player, observation["observation"][::-1])
        assert reward == theirs.rewards()[player] == 0.0
        env.step(action)
        theirs.apply_action(action)
    # The game ends in both libraries after the same action, with the same results. No action is legal.
    results = [env.rewards[agent] for agent in env.agents]
    assert theirs.is_terminal()
    assert all(env.terminations.values())
    assert theirs.current_player() == pyspiel.PlayerId.TERMINAL
    assert results == theirs.returns() == theirs.rewards()
    assert theirs.legal_actions() == []
    assert not env.last()[0]["action_mask"].any()


def same_planes(theirs, player, planes):
    """OpenSpiel has three planes in one list of floats: the empty squares, the player's discs, the opponent's discs."""
    empty, own, other = np.array(theirs.observation_tensor(player)).reshape(3, 8, 8)
    assert (own == planes[0]).all()
    assert (other == planes[1]).all()
    assert (empty == 1 - planes.sum(axis=0)).all()


def test_the_random_games_have_passes_and_an_early_end():
    games = [random_game(seed) for seed in SEEDS]
    assert any(64 in actions for actions in games)
    assert any(sum(Othello.from_moves(actions).discs()) < 64 for actions in games)
