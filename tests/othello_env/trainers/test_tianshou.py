"""Tianshou's DQN really trains on the PettingZoo environment and plays only legal moves."""

import pytest
from snippets import run_snippet

tianshou = pytest.importorskip("tianshou", reason="this trainer is an optional package")

from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm  # noqa: E402
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm  # noqa: E402
from tianshou.data import Collector, VectorReplayBuffer  # noqa: E402
from tianshou.env import DummyVectorEnv, PettingZooEnv  # noqa: E402

from othello_env import checkers_v0, othello_v0, tribolo_v0  # noqa: E402
from othello_env.arena.match import play_match  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Tianshou's own warnings
    pytest.mark.usefixtures("one_thread"),
]


@pytest.mark.parametrize("game", [othello_v0, tribolo_v0, checkers_v0])
def test_its_collector_takes_the_info(game):
    environments = DummyVectorEnv([lambda: PettingZooEnv(game.env())] * 2)
    space = environments.action_space[0]
    players = len(game.env().possible_agents)
    movers = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(space) for _ in range(players)]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=movers, env=PettingZooEnv(game.env()))
    buffer = VectorReplayBuffer(2000, 2)
    collector = Collector(algorithm, environments, buffer)
    collector.reset()
    collector.collect(n_episode=3)
    info, over = buffer.info, buffer.done
    kept = buffer.sample_indices(0)
    assert set(info.keys()) >= {"winner", "discs", "plies", "illegal_action", "opponent"}
    assert info.discs.shape[1:] == (players,)
    assert ((info.winner[kept] == -2) == ~over[kept]).all()
    assert over[kept].sum() == 3


def test_it_learns_to_play_black():
    best = run_snippet("how-to/trainers.md", "Tianshou", board_size="4", max_epochs="4")["best"]
    match = play_match(best, "random", games=400, openings="random:2", seed=1, game="othello:size=4")
    assert not match.faults(0)
    black = [record.result[0] for record in match.records if record.agents[0] != "random"]
    assert sum(black) / len(black) > 0.1
