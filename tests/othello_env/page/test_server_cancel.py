"""Thinks that several requests of the page ask for, and requests that leave before the answer."""

import asyncio
import json

from asking import OFFERS, PORT, SITE, record, run_async

from othello_env.page.app import make_app


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

    assert run_async(main()) == 408


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

    assert run_async(main()) == (200, 1, 0)


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

    assert run_async(main()) == ([202] * 16, 200, 1, 0)


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

    assert run_async(asyncio.wait_for(main(), 60)) == [204, 204]
