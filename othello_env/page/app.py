"""The page's server: its static files, and its answers to the page's messages.

Every message is a POST of a JSON object. Most messages have a ``record`` of the game (see `othello_env.page.messages`).
The answer is JSON, or a file if the message asks for a replay. If there is an error, the answer is
``{"error": text}``. This happens if a message is wrong, too large or too slow, or if `othello_env.page.guard.Guard`
refuses the message. If an agent fails, the answer also has the details of `AnswerError`.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from othello_env.arena.benchmark.ladder import LADDERS
from othello_env.page.endpoints import Endpoint, endpoints
from othello_env.page.guard import JSON, Guard
from othello_env.page.messages import MessageError, PageGame, games_view, read_message
from othello_env.page.offers import Offer, Offers
from othello_env.page.pool import AnswerError, ClosedError, PendingRequests, Progress, WorkerPool
from othello_env.page.results import Recorded, elo_name, ladders_view
from othello_env.page.runs import Runs
from othello_env.page.standalone import template
from othello_env.page.watching import Watching
from othello_env.review import ANALYST, BLUNDER
from othello_env.support.files import parse_json

__all__ = ["LARGEST_BODY", "LARGEST_FILE", "make_app"]

LARGEST_BODY = 64 * 1024
"""The largest message, in bytes."""
LARGEST_FILE = 32 << 20
"""The largest message with a file, in bytes."""
_LONGEST_ERROR = 300  # characters; an error may quote what a person pasted
_BODY_SECONDS = 10.0
"""The longest time, in seconds, that a message may take to arrive."""
_Name = Annotated[str, Meta(max_length=64)]
"""The name of a request."""
_STATIC = Path(__file__).parent / "static"
_ACTION_NUMBER = re.compile(r" \(action \d+\)")
_CLOSE = {"connection": "close"}
_STATUSES: dict[Any, int] = {
    ClosedError: 503,  # the server is ending; the page repeats its request until a server runs again
    AnswerError: 502,
    ValueError: 400,
    TypeError: 400,
    ClientDisconnect: 400,  # the client has gone, so nobody reads the answer
}
"""The HTTP status of each kind of error.

If an error belongs to several kinds, the first of these kinds in the dict decides.
"""


def make_app(
    offers: Sequence[Offer],
    port: int,
    results: Sequence[dict[str, Any]] = (),
    pool: WorkerPool | None = None,
    first_requests: Sequence[dict[str, Any]] = (),
    recorded: Sequence[Recorded] = (),
    runs: Runs | None = None,
) -> Starlette:
    """The ASGI application.

    Args:
        offers: the agents that a page may ask. Requests for other agents are refused.
        port: the port of the server. The header Host of each request must name this port.
        results: the results that the page draws, one dict for each file of results; see
            `othello_env.page.results.read_results`.
        pool: the processes in which agents think. By default the application makes new processes. When the
            application ends, it closes the processes.
        first_requests: requests that agents answer when the application starts. So the code that agents need
            is compiled before a page asks them.
        recorded: files of recorded tournament games. The page can replay these games.
        runs: the training runs and leagues that the server watches; None if it watches nothing.
    """
    pool = pool or WorkerPool()
    known = Offers(offers)
    ratings = {game: elo_name(game) for game in LADDERS}
    fixed = {"games": games_view(), "reviewer": ANALYST, "blunder": BLUNDER, "ratings": ratings}
    asking, watching = _Asking(known, pool), Watching(runs, known, pool)

    shown = [*results, *(result.to_json(number) for number, result in enumerate(recorded))]

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        preparing = asyncio.create_task(pool.prepare(first_requests))
        if watching.checkpoints is not None:
            watching.checkpoints.start_to_look()
        yield
        if watching.checkpoints is not None:
            await watching.checkpoints.stop()
        preparing.cancel()
        await asyncio.gather(preparing, return_exceptions=True)
        await pool.close()

    routes = [
        Route("/", _index),
        _get("offers", lambda: fixed | {"agents": known.to_json()}),
        _get("results", lambda: shown),
        _get("ladders", ladders_view),
        _get("template", lambda: {"html": template()}),
        Route("/api/runs", watching.answer),
        _post("think", _Think, asking.think),
        *(
            _post(name, *endpoint, LARGEST_FILE if name == "file" else LARGEST_BODY)
            for name, endpoint in endpoints(recorded).items()
        ),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, port=port)],
        exception_handlers={**dict.fromkeys(_STATUSES, _error), HTTPException: _refused},
        lifespan=lifespan,
    )


async def _index(_request: Request) -> Response:
    return FileResponse(_STATIC / "index.html")


def _get(name: str, content: Callable[[], object]) -> Route:
    """A route for GET requests. Its answer is what `content` returns, as JSON."""

    async def endpoint(_request: Request) -> Response:
        return JSON(content())

    return Route(f"/api/{name}", endpoint)


class _Think(Struct):
    request: _Name
    task: Literal["move", "assess", "powers"]
    agent: Any = None  # `Offers.find` checks it
    record: PageGame | None = None


class _Asking:
    """Answers the messages in which a page asks an agent something.

    Args:
        offers: the agents that may be asked.
        pool: the processes in which the agents think.
    """

    def __init__(self, offers: Offers, pool: WorkerPool) -> None:
        self._offers = offers
        self._pool = pool
        self._pending = PendingRequests()

    async def think(self, message: _Think, request: Request) -> Response:
        """An agent's answer, such as a move or the values of moves. If the page is closed, the agent is stopped."""
        return await self._pending.answer(message.request, lambda progress: self._think(message, progress), request)

    async def _think(self, message: _Think, progress: Progress) -> dict[str, Any]:
        spec, offer = self._offers.find(message.agent)
        request: dict[str, Any] = {"spec": spec, "task": message.task}
        if offer.version:
            request["version"] = offer.version
        if message.task != "powers":
            if message.record is None:
                raise MessageError(f"the task {message.task} needs a record")
            if (await asyncio.to_thread(message.record.states))[-1].is_over:
                raise MessageError("the game is over")
            request["record"] = message.record.to_json()
        if message.task == "assess":
            for less in offer.shallower(spec):
                answer = await self._pool.ask(request | {"spec": less}, progress)
                if answer["moves"] and all(move["exact"] for move in answer["moves"]):
                    return answer  # a deeper search finds the same
                progress.tell(answer=answer)
        return await self._pool.ask(request, progress)


def _post(name: str, kind: type[Struct], endpoint: Endpoint, most: int = LARGEST_BODY) -> Route:
    """A route for one kind of message. `endpoint` answers the messages, which have at most `most` bytes."""

    async def answer(request: Request) -> Response:
        return await endpoint(read_message(parse_json(await _body(request, most)), kind), request)

    return Route(f"/api/{name}", answer, methods=["POST"])


async def _body(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        HTTPException: the body is too large, or does not arrive in time.
    """
    body = b""
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise HTTPException(413, f"too long: at most {most // 1024} kB are read", _CLOSE)
    except TimeoutError:
        raise HTTPException(408, f"a message must arrive within {_BODY_SECONDS:g} s", _CLOSE) from None
    return body


async def _error(_request: Request, error: Exception) -> Response:
    """The answer to a message that raised an error: its text. If an agent failed, also what is known about the failure.

    A part ``(action N)`` is removed from the text, because it says nothing to a person who plays on the page.
    """
    status = next(status for kind, status in _STATUSES.items() if isinstance(error, kind))
    text = str(error) or type(error).__name__
    if not isinstance(error, AnswerError):
        line = _ACTION_NUMBER.sub("", text.splitlines()[0])
        return JSON({"error": line if len(line) <= _LONGEST_ERROR else f"{line[:_LONGEST_ERROR]} …"}, status)
    return JSON({"error": _ACTION_NUMBER.sub("", text), **error.details}, status)


async def _refused(_request: Request, error: Exception) -> Response:
    """The answer to a message that is too large or too slow, or to a request for a path that does not exist."""
    assert isinstance(error, HTTPException)
    return JSON({"error": error.detail}, error.status_code, error.headers)
