"""Who is answered: pages that this server sent to a browser on this computer, with messages of a sensible size."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["HEADERS", "LARGEST_BODY", "Guard"]

LARGEST_BODY = 64 * 1024
"""bytes"""
_BODY_SECONDS = 10.0

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]

HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
"""Sent with every answer."""


class Guard:
    """ASGI middleware that refuses what no page of this server sends.

    The Host must name this computer, which defeats names of other sites that resolve to it; an Origin, if any, must be
    this server's; a message needs one, must be JSON, and no longer than `LARGEST_BODY`.

    Args:
        app: what it guards.
        port: of the server.
    """

    def __init__(self, app: _App, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
        if port == 80:
            self._hosts |= {b"127.0.0.1", b"localhost"}

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        if scope["method"] == "POST":
            try:
                async with asyncio.timeout(_BODY_SECONDS):
                    body = await _read(receive)
            except TimeoutError:
                await _refuse(send, 408, f"a message comes within {_BODY_SECONDS:g} s")
                return
            if body is None:
                await _refuse(send, 413, f"a message has at most {LARGEST_BODY} bytes")
                return
            receive = _replay(body, receive)

        async def send_with_headers(message: _Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _refusal(self, scope: _Message) -> tuple[int, str] | None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        names = [name for name, _ in scope["headers"]]
        host, origin = headers.get(b"host", b""), headers.get(b"origin")
        if names.count(b"host") != 1 or names.count(b"origin") > 1 or host.lower() not in self._hosts:
            return 403, "this server answers to its own computer only"
        if origin is not None and origin.lower() != b"http://" + host.lower():
            return 403, "this server answers its own page only"
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin") and scope["path"] != "/":
            return 403, "this server answers its own page only"
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "expected GET or POST"
        if scope["method"] == "POST":
            if origin is None:
                return 403, "a message needs an Origin"
            if headers.get(b"content-type", b"").split(b";")[0].strip() != b"application/json":
                return 415, "a message is application/json"
        return None


async def _read(receive: _Receive) -> bytes | None:
    """A request's body, or None if it is too large."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        chunk: bytes = message.get("body", b"")
        body += chunk
        if len(body) > LARGEST_BODY:
            return None
        if not message.get("more_body", False):
            return body


def _replay(body: bytes, receive: _Receive) -> _Receive:
    """A `receive` that first gives the body as a whole."""
    given = False

    async def replayed() -> _Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


async def _refuse(send: _Send, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})
