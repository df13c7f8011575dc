"""A league with environments: which games it counts, its opponents, and its settings."""

import gymnasium
import numpy as np
import pytest
from league_games import MATCHES, first, play

from othello_env import make_vec_env, sample_legal
from othello_env.league import League, step_results


@pytest.mark.parametrize(("mode", "reward"), [("SameStep", "result"), ("NextStep", "margin"), ("Disabled", "result")])
def test_the_games_of_a_batch_are_counted(ranked, mode, reward):
    league = League([ranked(1), "random"], seed=2)
    league.add(first)
    envs = make_vec_env(24, size=4, autoreset_mode=mode, reward=reward)
    seen = play(league, envs, np.random.default_rng(1), 40)
    if reward == "margin":
        seen = {name: [float(np.sign(2 * p - 1) + 1) / 2 for p in points] for name, points in seen.items()}
    league.add(first)  # the learner's results become the results of this snapshot
    payoffs = league.payoffs()
    assert sum(map(len, seen.values())) > 60
    for j, name in enumerate(payoffs.names[:-1]):
        assert payoffs.games[-1, j] == len(seen.get(name, ()))
        assert payoffs.scores[-1, j] == pytest.approx(np.mean(seen[name]))
    assert league.results.learner == {}


def test_a_single_environment_changes_its_opponent_at_a_reset(ranked):
    league = League([ranked(k) for k in range(1, 4)], seed=5)
    env = gymnasium.make("othello_env/Othello-v0", size=4)
    rng, met = np.random.default_rng(0), []
    for seed in range(12):
        (player,) = league.draw()
        env.unwrapped.set_opponents(player)
        _, info = env.reset(seed=seed)
        assert env.unwrapped.opponents == (player.name,)
        env.unwrapped.set_opponents("random")  # this opponent plays from the next game on
        over = False
        while not over:
            _, reward, over, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
            assert league.record(env, reward, over, info) == over
        met.append(player.name)
    for member in league:
        assert sum(league.results.learner.get(member.number, [])) == met.count(member.name)


def test_results_from_elsewhere_count_like_those_of_an_environment():
    here, there = (League(["random", "maximizer:eval=count"], half_life=3) for _ in range(2))
    envs, rng = make_vec_env(8, size=4), np.random.default_rng(1)
    observation, _ = envs.reset(seed=1)
    envs.set_opponents(here.opponents() | {first: 1.0})
    games = 0
    for _ in range(60):
        observation, rewards, terminated, _, info = envs.step(sample_legal(observation["action_mask"], rng))
        counted = here.record(envs, rewards, terminated, info)
        found = step_results(envs, rewards, terminated, info)
        assert sum(there.record_results(name, results) for name, results in found) == counted
        assert sum(sum(results) for _, results in found) == terminated.sum()
        games += terminated.sum() - counted
    assert games > 0, "no game was against somebody who is not a member"
    assert vars(here.results) == vars(there.results)
    assert [(member.points, member.games) for member in here] == [(member.points, member.games) for member in there]


def test_a_league_without_matches_may_play_any_game():
    league = League(["random"], keep=1)
    league.add("maximizer")
    assert league.complete(2, **MATCHES) == 2
    with pytest.raises(ValueError, match="were played with the game"):
        league.complete(4, game="othello:size=6", openings="random:4")
    league.add("minimax:depth=2")  # in place of the maximizer, so no matches are left
    assert league.complete(2, game="othello:size=6", openings="random:4") == 2
