"""The page's server without a browser: which requests it answers, what it checks, and its answers."""

import asyncio
import itertools
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from othello_env import Othello, make_agent
from othello_env.arena.openings import balanced_openings
from othello_env.drawing import svg
from othello_env.games.checkers.position import Checkers
from othello_env.games.registry import position_to_text
from othello_env.games.tribolo.position import Tribolo
from othello_env.page.app import LARGEST_BODY, make_app
from othello_env.page.messages import GAMES, MAX_PLIES, PageGame
from othello_env.page.offers import Offer
from othello_env.page.results import ladders_view

PORT = 8750
SITE = f"http://127.0.0.1:{PORT}"
RESULTS = {"name": "a.json"}
OFFERS = [Offer("random"), Offer("alphabeta:depth=2")]


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(OFFERS, PORT, [RESULTS]), base_url=SITE) as made:
        yield made


TICKETS = itertools.count()  # all tests use the same server


@pytest.fixture
def ask(client):
    """Send a message as the page does."""

    def call(name, **message):
        if name == "think":
            message |= {"client": "a", "ticket": f"{next(TICKETS)}"}
        while True:
            answer = client.post(f"/api/{name}", json=message, headers={"origin": SITE})
            if answer.status_code != 202:
                return answer

    return call


def record(game="othello", moves=(), seed=0, position=None):
    return {"game": game, "seed": seed, "moves": list(moves), "position": position}


def test_the_page_is_sent_with_headers_that_keep_others_out(client):
    got = client.get("/")
    assert got.status_code == 200
    assert "script-src 'self'" in got.headers["content-security-policy"]
    assert "unsafe" not in got.headers["content-security-policy"]
    assert got.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example:8750", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:8750", ""])
def test_another_host_is_refused(client, host):
    assert client.get("/", headers={"host": host}).status_code == 403


def test_localhost_is_this_computer_too(client):
    assert client.get("/", headers={"host": f"localhost:{PORT}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"origin": f"http://localhost:{PORT}"},
        {"origin": SITE, "sec-fetch-site": "cross-site"},
        {"origin": SITE, "sec-fetch-site": "same-site"},
    ],
)
def test_a_message_of_another_origin_is_refused(client, headers):
    got = client.post("/api/game", json={"record": record()}, headers=headers)
    assert got.status_code == 403


def test_a_form_is_refused(client):
    got = client.post("/api/game", data={"a": "b"}, headers={"origin": SITE})
    assert got.status_code == 415
    assert client.put("/api/game", headers={"origin": SITE}).status_code == 405


@pytest.mark.parametrize(("method", "path"), [("put", "/api/game"), ("get", "/api/game"), ("get", "/api/nothing")])
def test_every_refusal_is_json(client, method, path):
    got = getattr(client, method)(path, headers={"origin": SITE})
    assert got.status_code in (404, 405)
    assert got.json()["error"]


def test_nothing_recorded_and_nothing_watched(client, ask):
    assert client.get("/api/runs").json() is None
    assert client.get("/api/ladders").json() == ladders_view()
    assert ask("recorded", file=0, number=0).status_code == 400


def test_an_error_names_no_action_numbers(ask):
    error = ask("read", record=record(), text="f5 f5").json()["error"]
    assert error.startswith("ply 2: f5 is not legal for white")
    assert "action" not in error


def test_a_position_is_a_picture(ask):
    assert ask("replay", record=record(moves=[37]), format="png").content.startswith(b"\x89PNG")
    picture = ask("replay", record=record(moves=[37]), format="svg")
    assert picture.headers["content-type"] == "application/octet-stream"
    assert picture.text == svg(Othello.from_moves("f5"))


def test_an_agent_with_another_number_is_asked(ask):
    state = Othello.from_moves("f5d6c3")
    got = ask("think", agent="alphabeta:depth=3", task="actions", record=record(moves=state.moves)).json()
    assert got["actions"] == {str(a): v for a, v in make_agent("alphabeta:depth=3").action_values(state).items()}
    assert got["depth"] == 3


def test_a_large_message_is_refused(client):
    body = json.dumps({"record": record(), "more": "x" * LARGEST_BODY})
    got = client.post("/api/game", content=body, headers={"origin": SITE, "content-type": "application/json"})
    assert got.status_code == 413
    assert "at most" in got.json()["error"]


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/app.py"])
def test_only_static_files_are_served(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("body", ["", "{", "[]", "7", "null", '{"record": 3}', "[" * 20_000, '"\\ud800"', "NaN"])
def test_a_broken_message_is_an_error(client, body):
    got = client.post("/api/game", content=body, headers={"origin": SITE, "content-type": "application/json"})
    assert got.status_code == 400
    assert got.json()["error"]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"game": "chess"}, "game is one of"),
        ({"game": "othello:size=4,size=4"}, "game is one of"),
        ({"game": 3}, "game is one of"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"seed": True}, "seed"),
        ({"moves": "f5"}, "moves"),
        ({"moves": [37] * (MAX_PLIES + 1)}, "moves"),
        ({"moves": [True]}, "moves"),
        ({"moves": [0]}, "a1"),
        ({"moves": [99]}, "0 to 64"),
        ({"position": {"text": "x" * 601, "player": "black"}}, "text"),
        ({"position": {"text": "XO", "player": "black"}}, "16, 36 or 64"),
        ({"position": {"text": "-" * 16, "player": "black"}}, "size"),
        ({"position": {"text": "-" * 64, "player": "green"}}, "green"),
    ],
)
def test_a_wrong_record_is_an_error(ask, change, part):
    got = ask("game", record=record() | change)
    assert got.status_code == 400
    assert part in got.json()["error"]
    assert "\n" not in got.json()["error"]


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


def test_positions_from_a_later_ply_on(ask):
    got = ask("game", **{"record": record(moves=[37, 43]), "from": 2}).json()
    assert [view["move"] for view in got["views"]] == ["d6"]
    assert ask("game", **{"record": record(), "from": 2}).status_code == 400


@pytest.mark.parametrize("game", GAMES)
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


def test_a_jump_leads_two_squares_on(ask):
    position = {"text": "B:W18:B14", "player": "red"}
    choices = ask("game", record=record("checkers", position=position)).json()["views"][0]["choices"]
    assert [(choice["name"], choice["path"]) for choice in choices] == [("14x23", [[3, 2], [5, 4]])]


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
    assert "8x8" in refused.json()["error"]


@pytest.mark.parametrize(
    ("game", "text"), [("othello", "1. F5 d6 2. c3"), ("checkers", "11-15 22-18 15x22"), ("othello:size=6", "b3")]
)
def test_a_transcript_is_read(ask, game, text):
    got = ask("read", record=record(game), text=text).json()["record"]
    start = Checkers() if game == "checkers" else Othello(6 if "6" in game else 8)
    assert got["moves"] == list(start.play_transcript(text).moves)


def test_a_tribolo_transcript_is_read_from_the_start_of_the_seed(ask):
    state = Tribolo(seed=5)
    for _ in range(8):
        state = state.play(state.legal_actions()[0])
    got = ask("read", record=record("tribolo", seed=5), text=state.transcript()).json()["record"]
    assert got["moves"] == list(state.moves)


@pytest.mark.parametrize("write", [str, repr])
@pytest.mark.parametrize(
    ("game", "state"),
    [
        ("othello", Othello.from_moves("f5d6c3")),
        ("othello", Othello.from_text("X" * 40 + "O" * 24)),
        ("othello:size=6", Othello.from_text("OX" * 4 + "-" * 28, to_move="O")),
        ("tribolo", Tribolo(seed=1)),
        ("checkers", Checkers.from_text("W:W18,26,K32:B14,K1")),
        ("checkers", Checkers()),
    ],
)
def test_what_python_prints_of_a_position_is_read(ask, game, state, write):
    got = ask("read", record=record(game), text=write(state)).json()["record"]
    assert PageGame.read(got).start() == state


@pytest.mark.parametrize("player", ["", " O", "\nwhite"])
def test_a_board_is_read(ask, player):
    state = Othello.from_moves("f5d6c3")
    got = ask("read", record=record("othello:size=6"), text=state.to_text() + player).json()["record"]
    assert got["game"] == "othello"
    assert got["position"] == {"text": state.to_text(), "player": "white" if player else "black"}
    assert ask("game", record=got).json()["views"][0]["scores"] == list(state.discs())


@pytest.mark.parametrize(
    ("text", "part"), [("f5 f5", "ply 2"), ("zz", "ply 1"), ("", "paste"), ("X" * 17, "squares"), ("<b>", "ply 1")]
)
def test_a_broken_paste_is_an_error(ask, text, part):
    got = ask("read", record=record(), text=text)
    assert got.status_code == 400
    assert part in got.json()["error"]


@pytest.mark.parametrize("game", GAMES)
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


def test_checkers_is_copied_as_pdn(ask):
    position = {"text": "W:W31,32:B1,22", "player": "white"}
    start = Checkers.from_text(position["text"])
    moves = start.play_transcript("32-27 22-25").moves
    text = ask("write", record=record("checkers", moves, position=position)).json()["text"]
    assert text.endswith('[GameType "21"]\n[SetUp "1"]\n[FEN "W:W31,32:B1,22"]\n\n1... 32-27 2. 22-25 *\n')
    chain = Checkers.from_text("B:W18,26:B14")
    moves = chain.play_transcript("14x23x30").moves
    won = ask("write", record=record("checkers", moves, position={"text": "B:W18,26:B14", "player": "red"})).json()
    assert won["text"].endswith("1. 14x23x30 0-1\n")


def test_pdn_of_others_is_read(ask):
    text = """[Event "a [match]"]
    [White "somebody"]
    [Result "1/2-1/2"]

    1. 11-15 22-18 {the Single Corner} (1... 23-19) 2. 15x22! 25x18 $1 1/2-1/2 ; agreed"""
    got = ask("read", record=record("checkers"), text=text).json()["record"]
    assert got["moves"] == list(Checkers().play_transcript("11-15 22-18 15x22 25x18").moves)
    text = '[SetUp "1"] [FEN "B:W18,26:B14"] 1. 14x23x30 *'
    got = ask("read", record=record("checkers"), text=text).json()["record"]
    assert got["position"] == {"text": "B:W18,26:B14", "player": "red"}
    assert got["moves"] == list(Checkers.from_text("B:W18,26:B14").play_transcript("14x23x30").moves)


@pytest.mark.parametrize(
    "text", ['[FEN "B:W18,26,32:B1,14"] 1. 14x30', "B:W18,26,32:B1,14\n14x30", "b:w18,26,32:b1,14 14:30"]
)
def test_a_chain_may_be_named_by_its_ends(ask, text):
    got = ask("read", record=record("checkers"), text=text).json()["record"]
    start = Checkers.from_text("B:W18,26,32:B1,14")
    assert got["moves"] == list(start.play_transcript("14x23x30").moves)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("B:W6,7,14,15:B2 2x18", "fits more than one chain of jumps: name every square"),
        ("1. 11-15 2. 22-17 3. 15x31", "ply 3: 15x31 is not legal for red"),
        ("1. 11-15 * 1. 11-16 *", "expected one game, got 2"),
        ('[GameType "20"] 1. 32-28', "expected English draughts"),
        ('[GameType "21,B,10,10,N1,0"] 1. 18-23', "side 8"),
        ("hello", "got 'hello'"),
    ],
)
def test_broken_pdn_is_an_error(ask, text, part):
    got = ask("read", record=record("checkers"), text=text)
    assert got.status_code == 400
    assert part in got.json()["error"]


@pytest.mark.parametrize(
    ("game", "text", "player", "moves"),
    [
        ("othello", "XXXO -OOO -OOO OOOX", "black", 0),  # the last word is a row, not a player
        ("othello", " ".join("XXXO-OOO-OOOOOOX"), "black", 0),
        ("othello", " ".join("XXXO-OOO-OOOOOOX") + " O", "white", 0),
        ("othello", "---- -XO- -OX- ---- black c1", "black", 1),
        ("tribolo", "--RB-/-GRB-/-----\nblue\n1. b1 g3", "blue", None),
        ("tribolo", "--rb- -grb- ----- red", "red", 0),
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


@pytest.mark.parametrize("name", ["read", "game"])
def test_half_a_surrogate_pair_is_an_error(client, name):
    """JSON can contain half a surrogate pair, but UTF-8 cannot."""
    half = "\\ud800"
    body = json.dumps({"record": record(position={"text": "HALF", "player": "HALF"}), "text": "HALF"})
    headers = {"origin": SITE, "content-type": "application/json"}
    got = client.post(f"/api/{name}", content=body.replace("HALF", half), headers=headers)
    assert got.status_code == 400
    assert got.json()["error"]


def test_replays_are_files(ask):
    gif = ask("replay", record=record(moves=[37, 43]), format="gif")
    assert gif.headers["content-type"] == "image/gif"
    assert gif.content[:6] == b"GIF89a"
    page = ask("replay", record=record(moves=[37, 43]), format="html")
    assert page.headers["content-type"] == "application/octet-stream"
    assert b"<!doctype html>" in page.content
    assert ask("replay", record=record(), format="exe").status_code == 400


def test_what_is_offered(client):
    got = client.get("/api/offers").json()
    assert got["games"] == list(GAMES)
    assert [agent["spec"] for agent in got["agents"]] == ["random", "alphabeta:depth=2"]
    assert [each["name"] for each in got["agents"][1]["settings"]] == ["depth", "epsilon"]
    assert client.get("/api/results").json() == [RESULTS]


@pytest.mark.parametrize(
    "spec",
    [
        "alphabeta:depth=3,eval=weighted",
        "alphabeta:depth=31",
        "alphabeta:depth=x",
        "minimax",
        "os:system",
        "policy.py:f",
        'gtp:command="sh"',
        None,
        ["random"],
    ],
)
def test_only_offered_agents_can_be_named(ask, spec):
    got = ask("think", agent=spec, task="move", record=record())
    assert got.status_code == 400
    assert "agent is one of" in got.json()["error"]


def test_a_finished_game_is_not_thought_about(ask):
    board = {"text": "X" * 64, "player": "black"}
    got = ask("think", agent="random", task="move", record=record(position=board))
    assert got.status_code == 400
    assert got.json()["error"] == "the game is over"


def test_an_agent_answers_as_it_does_elsewhere(ask):
    state = Othello.from_moves("f5d6c3")
    got = ask("think", agent="alphabeta:depth=2", task="move", record=record(moves=state.moves)).json()
    action = make_agent("alphabeta:depth=2").act(state)
    assert (got["action"], got["name"]) == (action, state.action_to_text(action))
    assert 0 < got["seconds"] < 60
    again = [
        ask("think", agent="random", task="move", record=record(moves=state.moves, seed=4)).json()["action"]
        for _ in range(3)
    ]
    assert again[0] == again[1] == again[2]


def test_an_agent_that_does_not_say_what_it_thinks(ask):
    got = ask("think", agent="random", task="actions", record=record())
    assert got.status_code == 502
    assert "gives no values" in got.json()["error"]


def run(coroutine):
    # This thread may already have a running event loop, that of Playwright. So use another thread.
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(asyncio.run, coroutine).result()


class Slow:
    """Thinkers that do not answer before `may_answer` is set. They count the thinks that began or were cancelled."""

    def __init__(self):
        self.may_answer, self.begun, self.cancelled = asyncio.Event(), 0, 0

    async def prepare(self, requests):
        pass

    async def close(self):
        pass

    async def think(self, client, request):
        self.begun += 1
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return {"action": 19}


class Requests:
    """Calls the application as a server does. All requests ask for the same think."""

    def __init__(self, thinkers):
        self.app = make_app(OFFERS, PORT, thinkers=thinkers)

    def send(self, *, body=True):
        """Send a request, perhaps without its body.

        Return a task whose result is the HTTP status, and an event. A test sets the event to disconnect the page.
        """
        left, parts = asyncio.Event(), iter([json.dumps(self.message).encode()] if body else [])
        statuses = []

        async def receive():
            for body in parts:
                return {"type": "http.request", "body": body}
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            statuses.append(message.get("status"))

        async def status():
            await self.app(self.scope, receive, send)
            return statuses[0]

        return asyncio.create_task(status()), left

    message = {"agent": "random", "task": "move", "record": record(), "client": "a", "ticket": "1"}  # noqa: RUF012
    headers = (("host", f"127.0.0.1:{PORT}"), ("origin", SITE), ("content-type", "application/json"))
    scope = {  # noqa: RUF012
        "type": "http",
        "method": "POST",
        "path": "/api/think",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }


def test_a_message_that_does_not_arrive_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("othello_env.page.app._BODY_SECONDS", 0.05)

    async def main():
        return await Requests(Slow()).send(body=False)[0]

    assert run(main()) == 408


def test_one_of_two_requests_for_a_think_can_leave():
    async def main():
        thinkers = Slow()
        requests = Requests(thinkers)
        (_, left), (stays, _) = requests.send(), requests.send()
        while not thinkers.begun:
            await asyncio.sleep(0.01)
        left.set()
        await asyncio.sleep(0.05)
        thinkers.may_answer.set()
        return await stays, thinkers.begun, thinkers.cancelled

    assert run(main()) == (200, 1, 0)


def test_a_think_goes_on_as_long_as_it_is_asked_for(monkeypatch):
    monkeypatch.setattr("othello_env.page.tickets._PATIENCE_SECONDS", 1.5)

    async def main():
        thinkers = Slow()
        requests = Requests(thinkers)
        statuses = []
        for _ in range(8):  # each time, two requests at once
            both = requests.send()[0], requests.send()[0]
            statuses += [await one for one in both]
        thinkers.may_answer.set()
        return statuses, await requests.send()[0], thinkers.begun, thinkers.cancelled

    assert run(main()) == ([202] * 16, 200, 1, 0)


def test_a_think_ends_when_the_last_that_ask_for_it_have_left():
    async def main():
        thinkers = Slow()
        requests = Requests(thinkers)
        both = requests.send(), requests.send()
        while not thinkers.begun:
            await asyncio.sleep(0.01)
        for _, left in both:
            assert not thinkers.cancelled
            left.set()
        statuses = [await task for task, _ in both]
        while not thinkers.cancelled:
            await asyncio.sleep(0.01)
        return statuses

    assert run(asyncio.wait_for(main(), 60)) == [204, 204]
