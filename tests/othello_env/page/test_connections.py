"""A browser that reads slowly gets the whole answer. The connection of one that stops reading is closed."""

import contextlib
import socket
import threading
import time

import pytest
import uvicorn

from othello_env.page import connections
from othello_env.page.connections import Connection

ANSWER = b"x" * (16 << 20)


async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(ANSWER))]})
    await send({"type": "http.response.body", "body": ANSWER})


@pytest.fixture
def asked(monkeypatch):
    """A connection on which a long answer was asked for. Idle connections are closed after 0.3 seconds."""
    monkeypatch.setattr(connections, "_IDLE_SECONDS", 0.3)
    config = uvicorn.Config(app, http=Connection, ws="none", lifespan="off", log_level="warning")
    server = uvicorn.Server(config)
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        stack.callback(thread.join)
        stack.callback(setattr, server, "should_exit", True)
        browser = stack.enter_context(socket.create_connection(listener.getsockname(), timeout=60))
        browser.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        yield browser


def test_who_reads_slowly_gets_the_whole_answer(asked):
    got = b""
    while len(got) < len(ANSWER):
        part = asked.recv(256 << 10)
        assert part, f"the answer ended after {len(got):,} bytes"
        got += part
        time.sleep(0.02)
    assert got.startswith(b"HTTP/1.1 200")
    assert len(got) > len(ANSWER)
    got += b"".join(iter(lambda: asked.recv(1 << 20), b""))
    assert got.partition(b"\r\n\r\n")[2] == ANSWER


def test_who_stops_reading_is_cut_off(asked):
    asked.recv(1 << 10)
    time.sleep(1.5)
    got = b""
    with contextlib.suppress(ConnectionError):
        got = b"".join(iter(lambda: asked.recv(1 << 20), b""))
    assert len(got) < len(ANSWER)
