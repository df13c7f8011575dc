"""The page's server without a browser: which requests it answers, what it checks, and its answers."""

import asyncio
import json

import pytest
from asking import OFFERS, PORT, RESULTS, SITE, record, run_async
from starlette.testclient import TestClient

from othello_env import Othello, make_agent
from othello_env.arena.benchmark.ladder import LADDERS
from othello_env.page.app import LARGEST_BODY, make_app
from othello_env.page.messages import MAX_PLIES
from othello_env.page.results import ladders_view


def test_the_page_is_sent_with_headers_that_keep_others_out(client):
    got = client.get("/")
    assert got.status_code == 200
    assert "script-src 'self'" in got.headers["content-security-policy"]
    assert "unsafe" not in got.headers["content-security-policy"]
    assert got.headers["x-content-type-options"] == "nosniff"


ORIGIN = {"origin": SITE}
MESSAGE = ORIGIN | {"content-type": "application/json"}
GAME = json.dumps({"record": record()})
HALF = "\\ud800"  # JSON can contain half a surrogate pair, but UTF-8 cannot
HALVES = json.dumps({"record": record(position={"text": "?", "player": "?"}), "text": "?"}).replace("?", HALF)


@pytest.mark.parametrize(
    ("method", "path", "headers", "content", "status", "part"),
    [
        *(
            ("get", "/", {"host": host}, None, 403, "its own computer")
            for host in ("evil.example:8750", "127.0.0.1:80", "localhost.evil.example:8750")
        ),
        ("post", "/api/game", {}, GAME, 403, "Origin"),
        *(
            ("post", "/api/game", MESSAGE | headers, GAME, 403, "its own page")
            for headers in (
                {"origin": "http://evil.example"},
                {"origin": f"https://127.0.0.1:{PORT}"},
                {"origin": f"http://localhost:{PORT}"},
                {"sec-fetch-site": "cross-site"},
            )
        ),
        ("post", "/api/game", ORIGIN | {"content-type": "application/x-www-form-urlencoded"}, "a=b", 415, "json"),
        ("put", "/api/game", ORIGIN, None, 405, "GET or POST"),
        ("get", "/api/game", ORIGIN, None, 405, ""),
        ("get", "/api/nothing", ORIGIN, None, 404, ""),
        ("post", "/api/game", MESSAGE, json.dumps({"more": "x" * LARGEST_BODY}), 413, "too long: at most 64 kB"),
        *(
            ("get", path, {}, None, 404, "")
            for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/app.py")
        ),
        *(
            ("post", "/api/game", MESSAGE, body, 400, "")
            for body in ("", "{", "[]", '{"record": 3}', "[" * 20_000, "NaN")
        ),
        ("post", "/api/read", MESSAGE, HALVES, 400, ""),
    ],
)
def test_a_request_is_refused_with_the_reason_as_json(client, method, path, headers, content, status, part):
    more = {} if content is None else {"content": content}
    got = getattr(client, method)(path, headers=headers, **more)
    assert got.status_code == status
    assert got.json()["error"]
    assert part in got.json()["error"]


def test_the_computers_other_name_is_answered(client):
    assert client.get("/", headers={"host": f"localhost:{PORT}"}).status_code == 200


def test_nothing_recorded_and_nothing_watched(client, ask):
    assert client.get("/api/runs").json() is None
    assert client.get("/api/ladders").json() == ladders_view()
    assert ask("recorded", file=0, number=0).status_code == 400


def test_an_error_names_no_action_numbers(ask):
    error = ask("read", record=record(), text="f5 f5").json()["error"]
    assert error.startswith("ply 2: f5 is not legal for white")
    assert "action" not in error


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"game": "chess"}, "game is one of"),
        ({"game": 3}, "Expected `str`, got `int` - at `$.record.game`"),
        ({"seed": -1}, "seed"),
        ({"moves": "f5"}, "moves"),
        ({"moves": [37] * (MAX_PLIES + 1)}, "moves"),
        ({"moves": [0]}, "a1"),
        ({"moves": [99]}, "0 to 64"),
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


def test_what_is_offered(client):
    got = client.get("/api/offers").json()
    sizes = ["Othello", "Othello 6×6", "Othello 4×4", "Checkers", "Tribolo"]  # noqa: RUF001 - the sign of the page
    assert [game["title"] for game in got["games"]] == sizes
    assert got["games"][1] == {
        "spec": "othello:size=6",
        "title": sizes[1],
        "players": ["black", "white"],
        "isRandom": False,
    }
    assert [agent["spec"] for agent in got["agents"]] == ["random", "alphabeta:depth=2"]
    assert [each["name"] for each in got["agents"][1]["settings"]] == ["depth", "epsilon"]
    assert {*got["ratings"]} == {*LADDERS}
    assert got["ratings"]["othello:size=6"] == "Elo on ladder-6x6-v0 (random play is 0)"
    assert client.get("/api/results").json() == [RESULTS]


def test_half_a_surrogate_pair_in_a_file_hides_no_results():
    results = [RESULTS, {"name": "b.json", "title": "\ud800"}]
    with TestClient(make_app(OFFERS, PORT, results), base_url=SITE) as client:
        assert client.get("/api/results").json() == results


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"agent": "alphabeta:depth=31"}, "agent is one of"),
        ({"task": "about"}, "task"),
        ({"record": record(position={"text": "X" * 64, "player": "black"})}, "the game is over"),
    ],
)
def test_a_question_that_no_agent_is_asked(ask, change, part):
    got = ask("think", **{"agent": "random", "task": "move", "record": record()} | change)
    assert got.status_code == 400
    assert part in got.json()["error"]


def last_line(got):
    return json.loads(got.text.splitlines()[-1])


def test_an_agent_answers_as_it_does_elsewhere(ask):
    state = Othello.from_moves("f5d6c3")
    spec = "alphabeta:depth=3"  # the offered agent with another number
    action = make_agent(spec).act(state)
    told = last_line(ask("think", agent=spec, task="move", record=record(moves=state.moves)))
    assert told == {"answer": {"action": action, "name": state.action_to_text(action)}, "isLast": True}
    again = [ask("think", agent="random", task="move", record=record(moves=state.moves, seed=4)) for _ in range(3)]
    assert len({last_line(each)["answer"]["action"] for each in again}) == 1


def test_an_agent_that_does_not_say_what_it_thinks(ask):
    told = last_line(ask("think", agent="random", task="assess", record=record()))
    assert "gives no values" in told["error"]
    assert (told["agent"], told["type"]) == ("random", "AgentError")
    assert told["where"].startswith("Traceback")


class Steps:
    """A pool whose answers wait for `go`. A search of depth 4 solves the position."""

    def __init__(self):
        self.go, self.cancelled = asyncio.Event(), 0

    async def prepare(self, requests):
        pass

    async def ask(self, request, tell):
        tell({"doing": "thinking"})
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.go.clear()
        return {"spec": request["spec"], "moves": [{"exact": request["spec"].endswith("=4")}]}


def send(pool, message):
    """Call the application as a server does. Return the task, the lines that it has sent, and how the page leaves."""
    names = {"host": f"127.0.0.1:{PORT}", "origin": SITE, "content-type": "application/json"}
    headers = [(name.encode(), value.encode()) for name, value in names.items()]
    scope = {"type": "http", "method": "POST", "path": "/api/think", "query_string": b"", "headers": headers}
    parts, lines, left = iter([json.dumps(message).encode()]), [], asyncio.Event()

    async def receive():
        for body in parts:
            return {"type": "http.request", "body": body}
        await left.wait()
        return {"type": "http.disconnect"}

    async def take(event):
        lines.extend(map(json.loads, event.get("body", b"").splitlines()))

    return asyncio.create_task(make_app(OFFERS, PORT, pool=pool)(scope, receive, take)), lines, left


async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)


DEEP = {"agent": "alphabeta:depth=8", "task": "assess", "record": record()}


def test_a_less_deep_answer_is_there_before_the_deep_one_and_a_solved_position_needs_no_deeper_one():
    async def main():
        pool = Steps()
        task, lines, _ = send(pool, DEEP)
        for answered in (1, 2):
            await until(lambda: lines and "doing" in lines[-1])
            pool.go.set()
            await until(lambda many=answered: sum("answer" in line for line in lines) == many)
        await task
        return [(line["answer"]["spec"], line["isLast"]) for line in lines if "answer" in line]

    told = run_async(asyncio.wait_for(main(), 60))
    assert told == [("alphabeta:depth=2", False), ("alphabeta:depth=4", True)]  # not 6 and 8


def test_an_agent_is_stopped_when_the_page_has_left():
    async def main():
        pool = Steps()
        task, lines, left = send(pool, DEEP)
        await until(lambda: lines)
        assert not pool.cancelled
        left.set()
        await task
        await until(lambda: pool.cancelled)

    run_async(asyncio.wait_for(main(), 60))


def test_an_error_quotes_only_a_part_of_a_long_text(ask):
    got = ask("read", record=record("checkers"), text="f5" * 4001)
    assert "got 'f5f5" in got.json()["error"]
    assert len(got.json()["error"]) < 400
