"""The server for programs that speak NBoard's protocol."""

import time

import pytest

from othello_agents.perfect import Perfect
from othello_agents.programs.nboard_server import NBoardServer
from othello_env import Agent, Othello, make_agent
from othello_env.data.formats import ggf

BOARD = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *"
TWO_PLIES = "alphabeta:depth={depth},eval=count"


def say(server, *lines):
    """All answers of a server to some lines."""
    return [answer for line in lines for answer in server.answers(line)]


@pytest.fixture
def server():
    return NBoardServer(TWO_PLIES, ggf.load)


def test_a_session(server):
    assert say(server, "nboard 2") == ["set myname alphabeta:depth=8,eval=count"]
    assert say(server, "set depth 2") == ["set myname alphabeta:depth=2,eval=count"]
    game = f"(;GM[Othello]PC[NBoard]PB[me]PW[you]RE[?]TI[15:00]TY[8]BO[{BOARD}]B[F5//3.2]W[F6];)"
    assert say(server, f"set game {game}", "ping 7") == ["pong 7"]
    assert server.state == Othello.from_moves("f5f6")
    status, answer, end = say(server, "go")
    assert status == "status alphabeta:depth=2,eval=count is thinking"
    move, value, seconds = answer.removeprefix("=== ").split("/")
    assert server.state.is_legal(server.state.action_from_text(move))
    assert (value, float(seconds) >= 0, end) == ("", True, "status")
    assert server.state == Othello.from_moves("f5f6"), "the program sends the move back"
    assert say(server, f"move {move}/-1.00/2.5", "learn", "set contempt 5", "fly me", "") == ["learned"]
    assert server.state.moves[-1] == server.state.action_from_text(move)
    assert not server.is_done
    assert say(server, "quit") == []
    assert server.is_done


def test_what_makes_no_sense_is_a_status_and_changes_nothing(server):
    before = server.state
    for line, message in (
        ("move a1", "status a1 (action 0) is not legal"),
        ("move z9", "status expected a square"),
        ("set depth deep", "status expected set depth and a whole number, got 'deep'"),
        ("set depth", "status expected set depth and a whole number, got ''"),
        ("set depth 101", "status 'alphabeta:depth=101,eval=count': depth must be 1 to 100, not 101"),
        ("move", "status expected a square"),
        ("set game", "status there is no game"),
        ("set game nothing", "status there is no game"),
        ("set game (;GM[Othello]B[A1];)", "status game 1 (line 1), ply 1"),
        ("hint abc", "status expected hint and a whole number, got 'abc'"),
        ("hint -1", "status expected hint and a whole number, got '-1'"),
    ):
        (answer,) = say(server, line)
        assert answer.startswith(message), answer
    assert server.state == before


def test_the_clock_is_the_time_of_the_game_less_what_the_side_has_used():
    told = []

    class Noting(Agent):
        def act(self, state, *, seconds_left=None):
            told.append(seconds_left)
            return state.legal_actions()[0]

    server = NBoardServer("random", ggf.load)
    server._agent = Noting()
    game = f"set game (;GM[Othello]PB[a/b/9]TI[01:00//02:00]BO[{BOARD}]B[F5/1.0/3.5]W[D6//7]B[C3/2/1.5];)"
    say(server, game, "go", "move F4/0/3", "go", "move E6//5.25")
    say(server, "go", f"set game (;GM[Othello]BO[{BOARD}];)", "go")
    assert told == [53.0, 55.0, 50.0, None]


def test_hints_are_the_best_moves_with_their_lines(server):
    server = NBoardServer("engine:depth={depth},eval=ntuple,selective=false", ggf.load)
    say(server, "set depth 4", "move F5")
    status, nodes, *hints, end = say(server, "hint 2")
    assert (status.split()[-1], nodes.split()[0], end) == ("analysing", "nodestats", "status")
    kinds, lines, values, games, depths = zip(*(hint.split() for hint in hints), strict=True)
    assert (set(kinds), set(games), set(depths)) == ({"search"}, {"0"}, {"4"})
    assert len({line[:2] for line in lines}) == 2
    assert float(values[0]) >= float(values[1])
    for line in lines:
        Othello.from_moves("f5").play_transcript(line)
    assert say(server, "go")[2].startswith(f"=== {lines[0][:2]}/{values[0]}/")


def test_an_exact_hint_says_so():
    server = NBoardServer("engine:depth={depth}", ggf.load)
    state = Othello(4)
    text = "(;GM[Othello]TY[4]BO[4 ---- -O*- -*O- ---- *];)"
    hints = [answer for answer in say(server, f"set game {text}", "hint 9") if answer.startswith("search")]
    assert {hint.split()[2] for hint in hints} == {"-10.00"}  # all four first moves of 4x4 are the same by symmetry
    assert {hint.split()[4] for hint in hints} == {"100%"}
    assert len(hints) == len(state.legal_actions())


def test_values_that_are_not_discs_are_sent_in_the_engines_unit():
    spec, state = "engine:depth=2,exact=0,eval=mobility", Othello.from_moves("f5")
    server, found = NBoardServer(spec, ggf.load), make_agent(spec).analyse(state, scores=True)
    assert found.discs is None
    say(server, "move F5")
    square, value, _ = next(answer for answer in say(server, "go") if answer.startswith("===")).split("/")
    assert square.removeprefix("=== ") == state.action_to_text(found.best).upper()
    assert float(value) == found.score
    hints = [answer.split() for answer in say(server, "hint 9") if answer.startswith("search")]
    assert sorted(float(hint[2]) for hint in hints) == sorted(found.scores.values())


def test_agents_that_do_not_analyse_give_their_move():
    for spec, expected in (("random", " 0 0 0"), ("maximizer:eval=count", " 0 1")):
        hints = [answer for answer in say(NBoardServer(spec, ggf.load), "hint 1") if answer.startswith("search")]
        assert len(hints) == 1
        assert hints[0].endswith(expected)
    assert say(NBoardServer("random", ggf.load), "analyze") == ["status random does not analyse games"]


def test_a_game_is_analysed_for_black_from_its_end():
    server = NBoardServer("engine:depth=2", ggf.load)
    state = Othello(4)
    while not state.is_over:
        state = state.play(state.legal_actions()[0])
        say(server, *(["set game (;GM[Othello]TY[4];)"] * (len(state.moves) == 1)), f"move {name(state)}")
    found = [answer.split()[1:] for answer in say(server, "analyze") if answer.startswith("analysis")]
    assert [int(number) for number, _ in found] == list(range(len(state.moves), -1, -1))
    assert float(found[0][1]) == state.margins()[0]
    assert float(found[-1][1]) == -10.0
    for (_, value), position in zip(found[1:], reversed(Othello(4).positions(state.moves)[:-1]), strict=True):
        assert float(value) == Perfect().score(position) * (1, -1)[position.to_move]
    assert say(server, "go") == say(server, "hint 1") == ["status the game is over"]


def name(state):
    action = state.moves[-1]
    return "PA" if action == state.pass_action else state.action_to_text(action)


def test_passes_are_answered_and_may_be_left_out():
    passes = 0
    for seed in range(8):
        server, other = NBoardServer("random", ggf.load, seed), make_agent("random", seed)
        say(server, "set game (;GM[Othello]TY[6];)")
        while not server.state.is_over:
            state = server.state
            if state.must_pass:
                passes += 1
                assert say(server, "go") == ["=== PA"]
                state = state.play(state.pass_action)
                if seed % 2:
                    assert say(server, "move PA") == []
            assert say(server, f"move {state.action_to_text(other.act(state))}") == []
    assert passes > 1


def test_a_ping_ends_the_search():
    server = NBoardServer("engine:ms=600000", ggf.load)
    began, answers = time.monotonic(), []
    for answer in server.answers("go"):
        if answer.startswith("status") and not answers:
            server.announce("ping 1")
        answers.append(answer)
    assert any(answer.startswith("=== ") for answer in answers)
    assert time.monotonic() - began < 60
    assert say(server, "ping 1") == ["pong 1"]
