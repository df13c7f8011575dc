"""The server for programs that speak GTP."""

import pytest

from othello_agents.programs.gtp_server import GtpServer
from othello_env import Agent, Othello, WrongGameError, make_agent


class TestServer:
    @pytest.fixture
    def server(self):
        return GtpServer(make_agent("maximizer:eval=count"), "maximizer")

    def test_protocol(self, server):
        assert server.answer("protocol_version") == "= 2"
        assert server.answer("12 name # a comment") == "=12 maximizer"
        assert server.answer("") is None
        assert server.answer("# only a comment") is None
        assert server.answer("7 fly") == "?7 unknown command"
        assert server.answer("known_command genmove") == "= true"
        assert server.answer("known_command") == "= false"
        listed = server.answer("list_commands")
        assert listed.removeprefix("= ").split("\n") == sorted(listed.removeprefix("= ").split("\n"))
        assert not server.is_done
        assert server.answer("quit") == "="
        assert server.is_done

    def test_a_game(self, server):
        assert server.answer("play black F5") == "="
        reply = server.answer("genmove white")
        assert server.state.moves[0] == server.state.action_from_text("f5")
        assert reply == f"= {server.state.action_to_text(server.state.moves[1]).upper()}"
        assert server.answer("play white d3").startswith("? illegal move: it is the other")
        assert server.answer("play black a1") == "? illegal move"
        assert server.answer("play black z9").startswith("? syntax error: expected a square")
        assert server.answer("play green f5").startswith("? syntax error: expected black or white")
        assert server.answer("play black").startswith("? syntax error")
        assert server.answer("undo") == "="
        assert server.answer("undo") == "="
        assert server.answer("undo") == "? cannot undo"
        assert server.state == Othello()
        before = server.state
        assert server.answer("reg_genmove b") == "= D3"
        assert server.state == before
        assert server.answer("boardsize 6") == "="
        assert server.state == Othello(6)
        assert server.answer("boardsize 7") == "? unacceptable size"
        assert server.answer("final_score").startswith("? cannot score")
        assert "black to move" in server.answer("showboard")
        assert server.answer("time_left white 30 0") == "="
        assert server.answer("time_left white").startswith("? syntax")
        assert server.answer("komi 0") == "="

    def test_the_winner_gets_the_empty_squares(self, server):
        """White has lost all its discs in this game of nine moves."""
        for k, move in enumerate(Othello.transcript_moves("e6f4e3f6g5d6e7f5c5")):
            assert server.answer(f"play {'white' if k % 2 else 'black'} {move}") == "="
        assert server.answer("final_score") == "= B+64"

    @pytest.mark.parametrize(
        ("lines", "clocks"),
        [
            ([], [(None, None)]),
            (["time_settings 60 0 0"], [(60.0, None), (59.0, None)]),
            (["time_settings 0 5 1"], [(None, 5.0), (None, 5.0)]),
            (["time_settings 0 30 10"], [(None, 3.0), (None, 3.0)]),
            (["time_settings 1e-9 6 3"], [(1e-9, None), (None, 2.0)]),
            (["time_settings 1e-9 0 0"], [(1e-9, None), (0.0, None)]),
            (["time_settings 0 0 0"], [(None, None)]),
            (["time_left black 12 0"], [(12.0, None), (11.0, None)]),
            (["time_left black 12 3"], [(None, 4.0)]),
            (["time_left white 12 0"], [(None, None)]),
            (["time_settings 60 0 0", "time_left black 7 0"], [(7.0, None)]),
            (["time_settings 60 0 0", "time_left black 7 0", "clear_board"], [(60.0, None)]),
        ],
    )
    def test_its_agent_has_the_clock_that_the_commands_say(self, lines, clocks):
        """The second move has less time than the first, by the time that the first took."""
        told = []

        class Noting(Agent):
            def act(self, state, *, seconds_left=None, move_seconds=None):
                told.append((seconds_left, move_seconds))
                return state.legal_actions()[0]

        server = GtpServer(Noting(), "noting")
        for line in lines:
            assert server.answer(line) == "="
        for _ in clocks:
            assert server.answer("genmove black").startswith("= ")
            assert server.answer("undo") == "="
        assert told[0] == clocks[0]
        if len(clocks) == 2 and clocks[1][0]:
            assert 0 < told[1][0] < clocks[0][0]
        else:
            assert told == clocks

    @pytest.mark.parametrize(
        "line",
        [
            "time_left black nan 0",
            "time_left black 5 -1",
            "time_left black 5",
            "time_settings 1e999 0 0",
            "time_settings",
        ],
    )
    def test_a_clock_that_makes_no_sense_is_refused(self, server, line):
        assert server.answer(line).startswith("? syntax error: expected ")
        assert server.answer("genmove black").startswith("= ")

    def test_the_seed_the_game_and_the_colour_determine_what_is_drawn(self):
        def games(seed):
            server = GtpServer(make_agent("random"), "random", seed=seed)
            for _ in range(2):
                while not server.state.is_over:
                    server.answer(f"genmove {server.state.player_names[server.state.to_move]}")
                yield server.state.moves
                server.answer("clear_board")

        first, second = games(1)
        assert [first, second] == list(games(1))
        assert len({first, second, *games(2)}) == 4

    def test_a_size_that_the_agent_does_not_play_is_refused(self):
        server = GtpServer(make_agent("ntuple"), "ntuple")
        assert server.answer("boardsize 4").startswith("? unacceptable size: no weights of ntuple")
        assert server.state == Othello()
        with pytest.raises(WrongGameError):
            GtpServer(make_agent("ntuple"), "ntuple", 4)

    @pytest.mark.parametrize("command", ["play white b4", "genmove white"])
    def test_undo_takes_back_a_pass_that_the_server_made(self, server, command):
        passing = Othello.from_moves("d3c3e6d2d1e1b2c1")  # black has no move now
        for i, move in enumerate(passing.moves):
            assert server.answer(f"play {'white' if i % 2 else 'black'} {passing.action_to_text(move)}") == "="
        for lines in ([command], ["play black pass", command]):
            assert server.answer("play white a1") == "? illegal move"
            for line in lines:
                assert server.answer(line).startswith("=")
            assert len(server.state.moves) == len(passing.moves) + 2
            for _ in lines:
                assert server.answer("undo") == "="
            assert server.state == passing
        assert server.answer("undo") == "="
        assert server.state.moves == passing.moves[:-1]

    def test_passes_after_the_end_are_answered_and_taken_back(self, server):
        over = Othello.from_moves("e6f4e3f6g5d6e7f5c5")  # white has no disc
        for i, action in enumerate(over.moves):
            server.answer(f"play {'white' if i % 2 else 'black'} {over.action_to_text(action)}")
        for line in ("genmove white", "play white pass", "play black pass", "genmove black", "reg_genmove white"):
            assert server.answer(line) in ("=", "= PASS")
        for _ in range(5):  # four passes, and the last move
            assert len(server.state.moves) == 9
            assert server.answer("undo") == "="
        assert len(server.state.moves) == 8

    @pytest.mark.parametrize("explicit", [True, False])
    def test_passes_may_be_given_or_left_out(self, explicit):
        server = GtpServer(make_agent("random", 1), "random", size=6)
        other = make_agent("random", 2)
        for game in range(5):
            server.answer("clear_board")
            other.new_game(game)
            while not server.state.is_over:
                state = server.state
                colour = state.player_names[state.to_move]
                if state.must_pass:
                    if explicit:
                        assert server.answer(f"play {colour} pass") == "="
                        continue
                    colour = state.player_names[1 - state.to_move]
                    state = state.play(state.pass_action)
                if state.to_move == 0:
                    assert server.answer(f"genmove {colour}").startswith("= ")
                else:
                    move = state.action_to_text(other.act(state))
                    assert server.answer(f"play {colour} {move}") == "="
            assert server.answer("genmove black") == "= PASS"
            margin = int(server.state.margins()[0])
            score = server.answer("final_score")
            assert score == (f"= {'B' if margin > 0 else 'W'}+{abs(margin)}" if margin else "= 0")
