"""Clocks, and agents that hang, crash or lie in worker processes."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from othello_env import make_agent
from othello_env.agent.clock import TimeControl
from othello_env.agent.wrapper import Timed
from othello_env.arena.play import elsewhere
from othello_env.arena.play.games import play_game
from othello_env.arena.play.records import Opening, Pairing
from othello_env.arena.tournament.playing import play_tournament
from othello_env.arena.tournament.schedule import Schedule
from othello_env.games.othello.position import Othello
from othello_env.support.workers import WorkerError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::othello_env.arena.FaultWarning"),  # some agents fail on purpose
]

ODD = Path(__file__).parents[1] / "odd_agents.py"
ENGINE = Path(__file__).parents[3] / "othello_agents" / "scripted_engine.py"
GAME = Pairing(Opening(0, None, "", Othello()), ("a", "b"), 1)


def odd(name, **options):
    text = ",".join(f"{key}={value}" for key, value in options.items())
    return f"{ODD}:{name}" + (f":{text}" if text else "")


def play(agents, games=2, *, gauntlet=False, **arguments):
    return play_tournament(agents, Schedule(tuple(agents), games, gauntlet=gauntlet), **arguments)


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


def test_agents_that_misbehave_lose_their_games_and_the_tournament_goes_on(tmp_path, monkeypatch, all_end):
    engines = tmp_path / "engines"
    engines.mkdir()
    monkeypatch.setenv("SCRIPTED_ENGINES", str(engines))
    told = {
        "Spinner": "lost on time (1s), was still thinking and was stopped",
        "engine": "lost on time (1s), was still thinking and was stopped",
        "Late": "lost on time (1s)",
        "Spender": "lost on time (1s)",  # the time of its moves adds up
        "Leaver": "SystemExit: bye",
        "Killer": "its process ended (exit code 7)",
        "Unprepared": "RuntimeError: no board",
    }
    agents = {"polite": odd("Polite")} | {name: odd(name) for name in told} | {"Spender": odd("Spender", seconds=0.25)}
    # The engine answers once and then hangs. Its only answer is the extra one before the game.
    agents["engine"] = f'gtp:command="{sys.executable} {ENGINE} hang d3"'
    clock = TimeControl(1.0)  # long enough for a polite agent on a busy machine
    arguments = {"gauntlet": True, "clock": clock, "file": tmp_path / "games.jsonl"}
    result = play(agents, workers=2, **arguments)
    assert not result.faults("polite")
    for name, reason in told.items():
        faults = result.faults(name)
        assert len(faults) == 2
        assert all(reason in fault for fault in faults), faults
    for record in result.records:
        final = record.replay()
        assert record.clock == "1s"
        player, reason = record.fault
        name = record.agents[player]
        assert name != "polite"
        assert record.result[player] == -1
        if name != "Unprepared":
            assert repr(final) in reason, "the position is reported"
            assert final.to_move == player
        if name in ("Late", "Spender"):
            assert record.seconds[player] > 1 > record.seconds[1 - player]
    assert play(agents, **arguments) == result, "nothing is played again"
    started = [int(file.name) for file in engines.iterdir()]
    assert len(started) == 2
    assert all_end(started)


def test_an_agent_that_is_not_ready_in_time_loses(monkeypatch):
    monkeypatch.setattr(elsewhere, "PREPARE_SECONDS", 0.2)
    agents = {"a": odd("NeverReady"), "b": odd("Polite")}
    (record,) = elsewhere.play_elsewhere(iter([GAME]), agents, 0, TimeControl(60.0))
    assert record.fault[0] == 0
    assert "agent a: not ready for the game after 0.2 seconds" in record.fault[1]
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
        return make_agent("random")

    monkeypatch.setattr("othello_env.arena.tournament.playing.make_agent", make_and_remove)
    with pytest.raises(WorkerError, match=r"FileNotFoundError: there is no file '.*policy\.py'"):
        play({"first": spec, "random": "random"}, workers=2)
