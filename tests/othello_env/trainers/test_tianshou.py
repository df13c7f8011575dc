"""Tianshou's DQN really trains on the PettingZoo environment and plays only legal moves."""

import pytest

tianshou = pytest.importorskip("tianshou", reason="this trainer is an optional package")

from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm  # noqa: E402
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm  # noqa: E402
from tianshou.data import Collector, VectorReplayBuffer  # noqa: E402
from tianshou.env import DummyVectorEnv, PettingZooEnv  # noqa: E402

from othello_env import Othello, checkers_v0, othello_v0, tribolo_v0  # noqa: E402
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


def test_it_learns_to_play_black(recipe, tmp_path):
    module = recipe("tianshou_dqn")
    learner = module.Learner(size=4, strict=True)  # strict: an illegal action raises an error
    before = learner.score()
    learner.train(epochs=4)
    after = learner.score()
    assert after > before + 0.05
    assert after > 0.55
    module.torch.save(learner.policy.model.state_dict(), tmp_path / "kept.pt")
    kept = module.load(tmp_path / "kept.pt", size=4)
    assert not play_match(kept, "random", games=20, openings="random:2", new_game=lambda _: Othello(4)).faults(0)
