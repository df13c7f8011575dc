"""Programs that speak NBoard's protocol as opponents of our agents."""

import shlex
import sys

import pytest

from othello_agents.programs import NBoard
from othello_env import Othello, make_agent
from othello_env.agent import ask
from othello_env.data.formats import ggf

BOARD = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *"
COMMAND = "from othello_env.cli import main; main()"
GAME = f"set game (;GM[Othello]TY[8]BO[{BOARD}]"


def test_a_game_is_told_whole_and_then_move_by_move(scripted):
    agent = scripted(
        "nboard", "told", f"{GAME}B[F5];)", "d6/1.5/0.1", "move D6; move C3", "F4 -1.00 0.0", "move F4", "e6"
    )
    state = Othello.from_moves("f5")
    assert ask(agent, state) == state.action_from_text("d6")
    state = state.play_transcript("d6c3")
    assert ask(agent, state) == state.action_from_text("f4")
    state = state.play_transcript("f4")
    assert ask(agent, state) == state.action_from_text("e6")
    agent.close()


def test_a_position_without_its_history_is_told_as_a_board(scripted):
    state = Othello.from_text(Othello.from_moves("f5d6").to_text(), "X")
    board = "8 -------- -------- -------- ---O*--- ---O**-- ---O---- -------- -------- *"
    agent = scripted("nboard", "told", f"set game (;GM[Othello]TY[8]BO[{board}];)", "c3")
    assert ask(agent, state) == state.action_from_text("c3")
    agent.close()


def test_passes_are_told(scripted):
    state, random = Othello(6), make_agent("random", 0)
    while not state.must_pass:
        state = Othello(6) if state.is_over else state.play(random.act(state))
    after = state.play(state.pass_action)
    answer = after.action_to_text(after.legal_actions()[0])
    text = f"(;GM[Othello]TY[6]BO[6 ------ ------ --O*-- --*O-- ------ ------ *]{moves(after)};)"
    assert ggf.load(text)[0].state(0) == after
    agent = scripted("nboard", "told", f"set game {text}", answer)
    assert agent.act(state) == state.pass_action
    assert ask(agent, after) == after.legal_actions()[0]
    agent.close()


def moves(state):
    names = ["PA" if action == state.pass_action else state.action_to_text(action).upper() for action in state.moves]
    return "".join(f"{'BW'[k % 2]}[{name}]" for k, name in enumerate(names))


@pytest.mark.parametrize(
    ("clock", "tag"),
    [
        ({"seconds_left": 61.9}, "TI[01:01]"),
        ({"seconds_left": 0.2}, "TI[00:01]"),
        ({"seconds_left": 3700.0, "move_seconds": 5.0}, "TI[61:40]"),
        ({"move_seconds": 5.0}, ""),
    ],
)
def test_the_time_of_the_game_is_told_as_a_tag(scripted, clock, tag):
    agent = scripted("nboard", "told", f"set game (;GM[Othello]{tag}TY[8]BO[{BOARD}]B[F5];)", "d6")
    assert agent.act(Othello.from_moves("f5"), **clock) == Othello().action_from_text("d6")
    agent.close()


def test_lines_that_are_no_answer_are_ignored(scripted):
    agent = scripted("nboard", "noise", "d6")
    assert ask(agent, Othello.from_moves("f5")) == Othello().action_from_text("d6")
    agent.close()


@pytest.mark.slow
def test_our_server_plays_our_agent():
    # The server makes the moves that its agent would make, from any position, also after passes.
    server = shlex.join([sys.executable, "-c", COMMAND, "nboard", "--agent", "alphabeta:depth={depth},eval=weighted"])
    agent, twin = NBoard(server, 2), make_agent("alphabeta:depth=2,eval=weighted")
    for size in (8, 4):
        state = Othello(size)
        while not state.is_over:
            # the twin first, so that this process compiles, and not the server in its time to start
            expected = state.pass_action if state.must_pass else ask(twin, state)
            assert expected == (state.pass_action if state.must_pass else ask(agent, state))
            state = state.play(expected)
    agent.close()
