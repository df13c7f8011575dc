"""Requests that the page repeats until their answer is ready, and requests that leave before the answer."""

import asyncio
import json

import pytest
from asking import OFFERS, PORT, SITE, record, run_async

from othello_env.page.app import make_app


class Slow:
    """A worker pool that does not answer before `may_answer` is set. It counts what it began and what was cancelled."""

    def __init__(self):
        self.may_answer, self.begun, self.cancelled = asyncio.Event(), 0, 0

    async def prepare(self, requests):
        pass

    async def close(self):
        pass

    async def ask(self, _request, _progress):
        self.begun += 1
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return {"action": 19}


class Requests:
    """Calls the application as a server does. All requests are the same."""

    def __init__(self, pool):
        self.app = make_app(OFFERS, PORT, pool=pool)

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
            self.body = message.get("body", b"")

        async def status():
            await self.app(self.scope, receive, send)
            return statuses[0]

        return asyncio.create_task(status()), left

    def content(self):
        """The JSON of the last answer."""
        return json.loads(self.body)

    message = {"agent": "random", "task": "move", "record": record(), "request": "1"}  # noqa: RUF012
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

    assert run_async(main()) == 408


async def begun(pool):
    while not pool.begun:
        await asyncio.sleep(0.01)


@pytest.fixture
def no_repeats(monkeypatch):
    """Let requests wait for their answer, so that no reply asks for a repetition."""
    monkeypatch.setattr("othello_env.page.pool._HOLD_SECONDS", 600)


@pytest.mark.usefixtures("no_repeats")
def test_one_of_two_equal_requests_can_leave():
    async def main():
        pool = Slow()
        requests = Requests(pool)
        stays, _ = requests.send()
        await begun(pool)
        leaves, left = requests.send()
        left.set()
        gone = await leaves
        pool.may_answer.set()
        return gone, await stays, pool.begun, pool.cancelled

    assert run_async(asyncio.wait_for(main(), 60)) == (204, 200, 1, 0)


def test_an_agent_goes_on_as_long_as_the_request_is_repeated(monkeypatch):
    async def main():
        pool = Slow()
        requests = Requests(pool)
        statuses = []
        first, _ = requests.send()
        await begun(pool)
        for _ in range(2):  # each time, two requests at once
            both = requests.send()[0], requests.send()[0]
            statuses += [await one for one in both]
        assert (pool.begun, pool.cancelled) == (1, 0)
        monkeypatch.setattr("othello_env.page.pool._PATIENCE_SECONDS", 0.1)
        statuses += [await first, await requests.send()[0]]
        while not pool.cancelled:  # nobody repeats the request
            await asyncio.sleep(0.01)
        return statuses, pool.begun

    assert run_async(asyncio.wait_for(main(), 60)) == ([202] * 6, 1)


@pytest.mark.usefixtures("no_repeats")
def test_an_agent_is_stopped_when_the_last_request_has_left():
    async def main():
        pool = Slow()
        requests = Requests(pool)
        both = requests.send(), requests.send()
        await begun(pool)
        for _, left in both:
            assert not pool.cancelled
            left.set()
        statuses = [await task for task, _ in both]
        while not pool.cancelled:
            await asyncio.sleep(0.01)
        return statuses

    assert run_async(asyncio.wait_for(main(), 60)) == [204, 204]


class Steps(Slow):
    """A pool that answers with the spec. Each answer after the first waits for `may_answer`."""

    async def ask(self, request, progress):
        progress.tell(doing="thinking")
        if self.begun:
            await self.may_answer.wait()
            self.may_answer.clear()
        self.begun += 1
        is_solved = request["spec"].endswith("=4")
        return {"spec": request["spec"], "moves": [{"exact": is_solved}, {"exact": is_solved}]}


def test_a_less_deep_answer_is_there_before_the_deep_one_and_a_solved_position_needs_no_deeper_one():
    async def main():
        pool = Steps()
        with_depth = Requests(pool)
        with_depth.message = with_depth.message | {"agent": "alphabeta:depth=8", "task": "assess"}
        answers = []
        while len(answers) < 3:
            status, content = await with_depth.send()[0], with_depth.content()
            shown = content.get("spec") or (content["answer"] or {}).get("spec")
            if status == 200 or shown:
                answers.append((status, shown))
                pool.may_answer.set()
            if status == 200:
                break
        return answers, pool.begun

    answers, begun = run_async(asyncio.wait_for(main(), 60))
    assert answers[0] == (202, "alphabeta:depth=2")
    assert answers[-1] == (200, "alphabeta:depth=4")  # not 6 and 8
    assert begun == 2
