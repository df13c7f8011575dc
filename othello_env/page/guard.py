"""Refuses the requests that pages of other sites send to the server, and writes answers as JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "JSON", "Guard", "json_bytes"]

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""The headers that every answer gets."""
_NAMES = ("127.0.0.1", "localhost")


def json_bytes(content: Any) -> bytes:
    """JSON in ASCII. UTF-8 cannot store half a surrogate pair, which a file or an agent may contain."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


class JSON(JSONResponse):
    """An answer as JSON; see `json_bytes`."""

    def render(self, content: Any) -> bytes:
        return json_bytes(content)


class Guard:
    """ASGI middleware that refuses the requests that pages of other sites send to this server.

    The header Host must be ``127.0.0.1`` or ``localhost`` with the server's port. So a request with another host name
    is refused, even if this name leads to this computer (DNS rebinding). If the request has a header Origin, this
    header must name the server itself. A POST must have the header Origin, and its content must be JSON. The pages of
    other sites may link only to ``/``.

    Args:
        app: the application that is guarded.
        port: the server's port.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in _NAMES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            answer = self._refusal(scope) or self._app
            await answer(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> JSON | None:
        """The response to a request that is refused. None if the request is allowed."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or len(origins) > 1 or hosts[0].lower() not in self._hosts:
            return _refuse(403, "this server answers only requests from its own computer")
        if origins and origins[0].lower() != f"http://{hosts[0].lower()}":
            return _refuse(403, "this server answers its own page only")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and scope["path"] != "/":
            return _refuse(403, "this server answers its own page only")
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return _refuse(405, "expected GET or POST")
        if scope["method"] == "POST":
            if not origins:
                return _refuse(403, "a message needs an Origin")
            if headers.get("content-type", "").split(";")[0].strip() != "application/json":
                return _refuse(415, "a message is application/json")
        return None


def _refuse(status: int, reason: str) -> JSON:
    return JSON({"error": reason}, status, {"connection": "close"})
