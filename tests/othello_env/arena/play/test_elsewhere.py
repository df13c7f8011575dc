"""Clocks, and agents that hang, crash or lie in worker processes."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from othello_env import make_agent
from othello_env.arena.play import elsewhere
from othello_env.arena.play.clocks import TimeControl, Timed
from othello_env.arena.play.games import play_game
from othello_env.arena.play.records import Opening, Pairing
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.games.othello.position import Othello
from othello_env.support.workers import WorkerError

pytestmark = pytest.mark.filterwarnings("ignore::othello_env.arena.FaultWarning")  # some agents fail on purpose

ODD = Path(__file__).parents[1] / "odd_agents.py"
ENGINE = Path(__file__).parents[3] / "othello_agents" / "scripted_engine.py"
FAST = TimeControl(1.0, per_move=True)  # long enough for a polite agent on a busy machine
GAME = Pairing(Opening(0, None, "", Othello()), ("a", "b"), 1)


def odd(name, **options):
    text = ",".join(f"{key}={value}" for key, value in options.items())
    return f"{ODD}:{name}" + (f":{text}" if text else "")


def play(agents, games=2, **arguments):
    return play_tournament(agents, Schedule(tuple(agents), games), **arguments)


def test_agents_see_what_is_left_of_their_own_time():
    spec = odd("Spender", seconds=0.005, all=60.0)
    agents = {"a": make_agent(spec), "b": make_agent(spec)}
    for per_move in (False, True):
        record = play_game(agents, GAME, TimeControl(60.0, per_move))
        assert record.fault is None
        state = Othello()
        moves = record.replay().moves
        for ply, action in enumerate(moves):
            all_left = per_move or ply < 2  # before its first move, a side has all its time
            assert action == state.legal_actions()[-1 if all_left else 0]
            state = state.play(action)
        assert sum(record.seconds) >= 0.005 * sum(action < 64 for action in moves), "agents are not asked for passes"


def test_an_agent_that_takes_both_limits_gets_the_one_that_its_clock_has():
    both = make_agent(odd("Both"))
    for per_move, place in ((False, 0), (True, -1)):
        for agents in ({"a": both, "b": both}, {"a": Timed(both), "b": Timed(both)}):
            record = play_game(agents, GAME, TimeControl(60.0, per_move))
            assert record.fault is None
            state = Othello()
            for action in record.replay().moves:
                assert action == state.legal_actions()[place]
                state = state.play(action)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Spinner", "lost on time (1s/move), was still thinking and was stopped"),
        ("Late", "lost on time (1s/move)"),
        ("Leaver", "SystemExit: bye"),
        ("Killer", "its process ended (exit code 7)"),
    ],
)
def test_an_agent_that_misbehaves_loses_that_game_and_the_tournament_goes_on(name, told):
    agents = {"odd": odd(name), "polite": odd("Polite")}
    result = play(agents, clock=FAST)
    assert not result.faults("polite")
    assert len(result.records) == len(result.faults("odd")) == 2
    for record in result.records:
        final = record.replay()
        assert record.clock == "1s/move"
        assert len(record.seconds) == 2
        player, reason = record.fault
        assert record.agents[player] == "odd"
        assert record.result[player] == -1
        assert told in reason
        assert repr(final) in reason, "the position is reported"
        assert final.to_move == player
        assert final.turn >= 20


def test_time_adds_up_over_a_game():
    agents = {"slow": odd("Spender", seconds=0.2), "polite": odd("Polite")}
    result = play(agents, clock=TimeControl(1.0))
    for record in result.records:
        assert record.fault is not None
        assert "lost on time (1s)" in record.fault[1]
        slow = record.agents.index("slow")
        assert record.fault[0] == slow
        assert record.seconds[slow] > 1 > record.seconds[1 - slow]


@pytest.mark.parametrize(
    ("name", "told"),
    [("NeverReady", "not ready for the game after 4 seconds"), ("Unprepared", "RuntimeError: no board")],
)
def test_an_agent_that_is_not_ready_loses(monkeypatch, name, told):
    if name == "NeverReady":
        monkeypatch.setattr(elsewhere, "PREPARE_SECONDS", 4.0)
    result = play({"odd": odd(name), "polite": odd("Polite")}, clock=FAST)
    assert len(result.faults("odd")) == 2
    for record in result.records:
        assert told in record.fault[1]
        assert record.agents[record.fault[0]] == "odd"
        record.replay()


def test_a_worker_that_dies_is_replaced_and_its_games_played_again(tmp_path):
    died = tmp_path / "died"
    agents = {"dies": odd("DiesOnce", path=died), "random": "random"}
    result = play(agents, 4, workers=2)
    assert died.exists()
    # This time the agent does not end its process.
    again = play(agents, 4).records
    assert [replace(record, versions={}) for record in again] == [replace(r, versions={}) for r in result.records]
    assert str(died) in again[0].versions  # the second time, there is a file of this name, so its hash is recorded
    assert not result.faults("dies")


def test_what_a_worker_lacks_is_an_error_and_no_loss(tmp_path, monkeypatch):
    policy = tmp_path / "policy.py"
    policy.write_text("def first(observations, masks):\n    return masks.argmax(1)\n")
    spec = f"{policy}:first"

    def make_and_remove(agent, seed):
        policy.unlink(missing_ok=True)

    monkeypatch.setattr("othello_env.arena.tournament.playing.make_agent", make_and_remove)
    with pytest.raises(WorkerError, match=r"FileNotFoundError: there is no file '.*policy\.py'"):
        play({"first": spec, "random": "random"}, workers=2)


def test_a_game_lost_on_time_leaves_no_engine(tmp_path, monkeypatch, all_end):
    monkeypatch.setenv("SCRIPTED_ENGINES", str(tmp_path))
    # The engine answers once and then hangs. Its only answer is the extra one before the game.
    result = play({"gtp": f'gtp:command="{sys.executable} {ENGINE} hang d3"', "polite": odd("Polite")}, clock=FAST)
    assert ["was still thinking and was stopped" in fault for fault in result.faults("gtp")] == [True, True]
    engines = [int(file.name) for file in tmp_path.iterdir()]
    assert len(engines) == 2
    assert all_end(engines)
