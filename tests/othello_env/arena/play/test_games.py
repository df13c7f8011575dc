"""Whole games: one after the other and many at once, with passes and forfeits."""

from dataclasses import replace

import numpy as np
import pytest

from othello_env import Agent, Othello, make_agent
from othello_env.arena.play.games import play_game, play_games
from othello_env.arena.play.records import Opening, Pairing
from othello_env.arena.tournament.schedule import Schedule
from othello_env.games.keys import seat_key
from othello_env.games.registry import GameSpec


class OneByOne(Agent):
    """An agent that asks another agent in one game at a time."""

    def __init__(self, agent):
        self.agent = agent

    def new_game(self, key):
        self.agent.new_game(key)

    def act(self, state, *, seconds_left=None):
        return self.agent.act(state, seconds_left=seconds_left)


@pytest.mark.parametrize("size", [4, 6, 8])
def test_many_games_at_once_equal_games_one_by_one(size):
    agents = {"a": make_agent("random"), "b": make_agent("random:epsilon=0.5")}
    games = list(Schedule(("a", "b"), 60, "random:3", seed=5, game=GameSpec.parse(f"othello:size={size}")))
    together = list(play_games(agents, games))
    apart = list(play_games({name: OneByOne(agent) for name, agent in agents.items()}, games))
    assert together == apart
    for record in together:
        replayed = Othello(size).play_transcript(record.transcript())
        assert replayed == record.replay()
        assert replayed.is_over
        assert record.result == replayed.returns()


@pytest.mark.parametrize("spec", ["random", "mcts:simulations=8"])
def test_an_agent_against_itself_plays_as_two_of_its_kind(spec):
    games = list(Schedule(("a", "b"), 4, "random:6", seed=3))
    one = make_agent(spec, 1)
    apart = [play_game({"a": make_agent(spec, 1), "b": make_agent(spec, 1)}, game) for game in games]
    assert [play_game({"a": one, "b": one}, game) for game in games] == apart
    assert list(play_games({"a": one, "b": one}, games)) == apart
    itself = [replace(game, agents=("a", "a")) for game in games]
    assert [record.moves for record in play_games({"a": one}, itself)] == [record.moves for record in apart]


class SometimesWrong(Agent):
    """Plays the first legal action, and -1 in the games with the keys `wrong` once 30 squares are empty."""

    def __init__(self, wrong):
        self.wrong, self.key, self.alone = wrong, 0, 0

    def new_game(self, key):
        self.key = key

    def act(self, state, *, seconds_left=None):
        self.alone += 1
        return self.answer(state, self.key)

    def act_batch(self, batch):
        return np.array([self.answer(batch.state(i), key) for i, key in enumerate(batch.key.tolist())])

    def answer(self, state, key):
        return -1 if key in self.wrong and state.empties <= 30 else state.legal_actions()[0]


def test_an_illegal_answer_ends_only_this_game():
    games = list(Schedule(("a", "b"), 12, "random:4", seed=7))
    agents = {
        "a": SometimesWrong({seat_key(games[i].key, player) for i in (3, 8) for player in (0, 1)}),
        "b": make_agent("random"),
    }
    records = list(play_games(agents, games))
    assert [number for number, record in enumerate(records) if record.fault] == [3, 8]
    assert agents["a"].alone < 2 * 30, "only these games are played again, one by one"
    assert records == [play_game(agents, game) for game in games]


def test_a_forced_pass_is_made_without_asking():
    start = Othello.from_text("XO--" + "-" * 12, "O")
    assert start.must_pass

    class NeverPasses(Agent):
        def act(self, state, *, seconds_left=None):
            assert not state.must_pass
            return state.legal_actions()[0]

    opening = Opening(0, (start.to_text(), "white"), "", start)
    record = play_game({"a": NeverPasses()}, Pairing(opening, ("a", "a"), 0, "othello:size=4"))
    assert record.replay().moves == (16, 2)
    assert record.result == (1.0, -1.0)
