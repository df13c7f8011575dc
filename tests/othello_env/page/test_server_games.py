"""What the page's server answers about games: positions, openings, pasted and copied texts, files."""

import base64
import json
import math

import pytest
from asking import record

from othello_env import Othello
from othello_env.arena.openings import balanced_openings
from othello_env.data import random_games
from othello_env.data.formats import archive, ggf, wthor
from othello_env.drawing import gif
from othello_env.games.checkers.position import Checkers
from othello_env.games.registry import position_to_text
from othello_env.page.messages import PageGame, page_games


def test_positions_of_othello(ask):
    got = ask("game", record=record(moves=[37, 43])).json()
    state = Othello.from_moves("f5d6")
    first, second, third = got["views"]
    assert [view["move"] for view in got["views"]] == [None, "f5", "d6"]
    assert third["scores"] == list(state.discs())
    assert [choice["action"] for choice in third["choices"]] == list(state.legal_actions())
    assert all(choice["path"] == [list(divmod(choice["action"], 8))] for choice in third["choices"])
    owners = {(r, c): owner for r, c, owner, _ in third["pieces"]}
    assert [owners.get(divmod(i, 8)) for i in range(64)] == state.owners()
    assert (first["toMove"], second["toMove"], third["empties"]) == (0, 1, 58)
    assert len(got["board"]["labels"]) == 8
    later = ask("game", **{"record": record(moves=[37, 43]), "from": 2}).json()
    assert later["views"] == [third]
    assert ask("game", **{"record": record(), "from": 2}).status_code == 400


@pytest.mark.parametrize("game", page_games())
def test_every_choice_of_a_game_has_squares_on_the_board(ask, game):
    """No two choices have the same path of squares to click."""
    moves = []
    for _ in range(12):
        got = ask("game", record=record(game, moves, seed=5)).json()
        view = got["views"][-1]
        paths = [json.dumps(choice["path"]) for choice in view["choices"]]
        assert len(set(paths)) == len(paths)
        rows, columns = len(got["board"]["labels"]), len(got["board"]["labels"][0])
        assert all(0 <= r < rows and 0 <= c < columns for choice in view["choices"] for r, c in choice["path"])
        if view["isOver"]:
            break
        moves.append(view["choices"][len(moves) % len(view["choices"])]["action"])


def test_an_opening_is_drawn_by_the_seed(ask):
    first = ask("open", record=record(seed=1), opening="random:10").json()
    assert len(first["record"]["moves"]) == 10
    assert first == ask("open", record=record(seed=1), opening="random:10").json()
    assert first != ask("open", record=record(seed=2), opening="random:10").json()
    assert ask("open", record=record("tribolo", seed=3), opening="start").json()["record"] == record("tribolo", seed=3)
    assert ask("open", record=record(), opening="random:40").status_code == 400


def test_balanced_openings_are_those_of_the_package(ask):
    moves = ask("open", record=record(seed=5), opening="balanced-v0").json()["record"]["moves"]
    assert "".join(map(Othello().action_to_text, moves)) in balanced_openings()
    refused = ask("open", record=record("othello:size=6"), opening="balanced-v0")
    assert refused.status_code == 400
    assert "are for othello" in refused.json()["error"]


@pytest.mark.parametrize(
    ("game", "text"), [("othello", "1. F5 d6 2. c3"), ("checkers", "11-15 22-18 15x22"), ("othello:size=6", "b3")]
)
def test_a_transcript_is_read(ask, game, text):
    got = ask("read", record=record(game), text=text).json()["record"]
    start = Checkers() if game == "checkers" else Othello(6 if "6" in game else 8)
    assert got["moves"] == list(start.play_transcript(text).moves)


@pytest.mark.parametrize("player", ["", " o", " O", "\nwhite"])
def test_a_board_is_read(ask, player):
    state = Othello.from_moves("f5d6c3")
    got = ask("read", record=record("othello:size=6"), text=state.to_text() + player).json()["record"]
    assert got["game"] == "othello"
    assert got["position"] == {"text": state.to_text(), "player": "white" if player else "black"}
    assert ask("game", record=got).json()["views"][0]["scores"] == list(state.discs())


@pytest.mark.parametrize(
    ("game", "text", "part"),
    [
        ("othello", "f5 f5", "ply 2"),
        ("othello", "", "paste"),
        ("othello", "X" * 17, "squares"),
        ("othello", "<b>", "ply 1"),
        ("checkers", "1. 11-15 2. 22-17 3. 15x31", "ply 3: 15x31 is not legal for red"),
        ("checkers", "1. 11-15 * 1. 11-16 *", "expected one game, got 2"),
        ("checkers", '[GameType "21,B,10,10,N1,0"] 1. 18-23', "side 8"),
        ("checkers", "hello", "got 'hello'"),
        ("othello", "(;GM[Othello]PB[a]", "expected a tag"),
        ("othello", "(;GM[Othello]TY[8]B[f5];)(;GM[Othello]TY[8]B[a1];)", "a1"),
        ("othello", 2 * "(;GM[Othello]TY[8]B[f5]W[d6];)", "expected one game, got 2"),
    ],
)
def test_a_broken_paste_is_an_error(ask, game, text, part):
    got = ask("read", record=record(game), text=text)
    assert got.status_code == 400
    assert part in got.json()["error"]


def test_a_pasted_ggf_has_the_names_of_its_players(ask):
    got = ask("read", record=record(seed=7), text="(;GM[Othello]PB[Ann]PW[Bob]TY[8]B[f5]W[d6];)").json()["record"]
    assert got == record(moves=[37, 43], seed=7) | {"agents": ["Ann", "Bob"]}


@pytest.mark.parametrize("game", page_games())
@pytest.mark.parametrize("later", [False, True])
def test_what_is_copied_can_be_pasted(ask, game, later):
    """A game that is written and read again has the same positions.

    The game begins at the start or on a given board, and the page may have another seed.
    """
    opened = ask("open", record=record(game, seed=3), opening="random:10").json()["record"]
    position, moves = None, opened["moves"]
    if later:
        states = PageGame.read(opened).states()
        middle = next(i for i in range(3, 10) if getattr(states[i], "going_square", None) is None)
        text, player = position_to_text(states[middle])
        position, moves = {"text": text, "player": player}, moves[middle:]
    copied = ask("write", record=record(game, moves, 3, position)).json()["text"]
    got = ask("read", record=record(game, seed=99), text=copied).json()["record"]
    views = [ask("game", record=each).json()["views"] for each in (got, record(game, moves, 3, position))]
    assert views[0] == views[1]


@pytest.mark.parametrize(
    ("game", "text", "player", "moves"),
    [
        ("othello", "XXXO -OOO -OOO OOOX", "black", 0),  # the last word is a row, not a player
        ("othello", " ".join("XXXO-OOO-OOOOOOX"), "black", 0),
        ("othello", " ".join("XXXO-OOO-OOOOOOX") + " O", "white", 0),
        ("othello", "---- -XO- -OX- ---- black c1", "black", 1),
        ("tribolo", "--RB-/-GRB-/-----\nblue\n1. b1 g3", "blue", None),
        ("tribolo", "--rb- -grb- ----- red", "red", 0),
        ("checkers", "b:w18,26,32:b1,14 14:30", "red", 2),
        ("checkers", '[SetUp "1"] [FEN "B:W18,26:B14"] 1. 14x23x30 {a note} *', "red", 2),
    ],
)
def test_a_board_and_moves(ask, game, text, player, moves):
    got = ask("read", record=record(game), text=text)
    if moves is None:
        assert "g3" in got.json()["error"]
        return
    assert got.status_code == 200, got.text
    assert got.json()["record"]["position"]["player"] == player
    assert len(got.json()["record"]["moves"]) == moves


def test_a_game_is_drawn_as_a_gif(ask):
    drawn = ask("gif", record=record(moves=[37]), isTurned=True, values=[{"37": 2.5, "19": "-inf"}, {}])
    assert drawn.content == gif(Othello().positions([37]), values=[{37: 2.5, 19: -math.inf}, {}], turned=True)
    assert drawn.headers["content-type"] == "image/gif"
    assert ask("gif", record=record(), values=[{"0": 1}]).status_code == 400


def test_the_games_of_a_file_are_listed(ask):
    state = Othello.from_moves("f5d6c3")
    for kind, dump in (("wtb", wthor.dump), ("ggf", lambda games: ggf.dump(games).encode()), ("npz", archive.dump)):
        games = random_games(2, seed=1)
        data = base64.b64encode(dump(games)).decode()
        told = ask("file", record=record(), name=f"a.{kind}", data=data).json()
        assert [tuple(each["record"]["moves"]) for each in told["games"]] == [games.state(i).moves for i in (0, 1)]
        assert told["left"] == 0
    text = base64.b64encode(f"{state.to_text()} o".encode()).decode()
    [only] = ask("file", record=record(), name="a.txt", data=text).json()["games"]
    assert only["record"]["position"]["text"] == state.to_text()
    refused = ask("file", record=record(), name="a.txt", data=base64.b64encode(b"hello").decode())
    assert refused.status_code == 400
    assert "a.txt: line 1" in refused.json()["error"]
