"""The page's server: its static files, and its answers to the page's messages.

Every message is a POST of a JSON object. Most messages have a ``record`` of the game (see `othello_env.page.messages`).
The answer is JSON, lines of JSON if an agent is asked, or a file if the message asks for a replay. If a message is
wrong or too large, or if `othello_env.page.guard.Guard` refuses it, the answer is ``{"error": text}``.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from othello_env.arena.benchmark.ladder import LADDERS
from othello_env.page.endpoints import Endpoint, endpoints
from othello_env.page.guard import JSON, Guard, json_bytes
from othello_env.page.messages import MessageError, PageGame, games_view, read_message
from othello_env.page.offers import Offer, Offers
from othello_env.page.pool import AnswerError, ClosedError, WorkerPool
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
_STATIC = Path(__file__).parent / "static"
_ACTION_NUMBER = re.compile(r" \(action \d+\)")
_ERRORS = (ValueError, TypeError, ClientDisconnect)
"""What may go wrong in an answer. Once the client has gone, nobody reads the error."""


def make_app(
    offers: Sequence[Offer],
    port: int,
    results: Sequence[dict[str, Any] | Recorded] = (),
    pool: WorkerPool | None = None,
    first_requests: Sequence[dict[str, Any]] = (),
    runs: Runs | None = None,
    game: str = "othello",
) -> Starlette:
    """The ASGI application.

    Args:
        offers: the agents that a page may ask. Requests for other agents are refused.
        port: the port of the server. The header Host of each request must name this port.
        results: the results that the page draws, one for each file: what `othello_env.page.results.read_results`
            returned, or recorded games of a tournament, which the page can replay.
        pool: the processes in which agents think. By default the application makes new processes. When the
            application ends, it closes the processes.
        first_requests: requests that agents answer when the application starts. So the code that agents need
            is compiled before a page asks them.
        runs: the training runs and leagues that the server watches; None if it watches nothing.
        game: the game with which the page begins.
    """
    pool = pool or WorkerPool()
    known = Offers(offers)
    ratings = {game: elo_name(game) for game in LADDERS}
    fixed = {"games": games_view(), "first": game, "reviewer": ANALYST, "blunder": BLUNDER, "ratings": ratings}
    asking, watching = _Asking(known, pool), Watching(runs, known, pool)
    shown = [result.to_json(i) if isinstance(result, Recorded) else result for i, result in enumerate(results)]

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        preparing = asyncio.create_task(pool.prepare(first_requests))
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
            for name, endpoint in endpoints(results).items()
        ),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, port=port)],
        exception_handlers={**dict.fromkeys(_ERRORS, _error), HTTPException: _refused},
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
    task: Literal["move", "assess"]
    record: PageGame
    agent: Any = None  # `Offers.find` checks it


class _Asking:
    """Answers the messages in which a page asks an agent something.

    Args:
        offers: the agents that may be asked.
        pool: the processes in which the agents think.
    """

    def __init__(self, offers: Offers, pool: WorkerPool) -> None:
        self._offers = offers
        self._pool = pool

    async def think(self, message: _Think) -> Response:
        """An agent's answer, such as a move or the values of moves, as lines of JSON.

        Each line is sent at once. Lines with ``doing`` say what the agent does (see `WorkerPool.ask`). Lines with an
        ``answer`` and ``isLast`` have the answers of less deep searches, and at last that of the agent. If the agent
        fails, the last line has the ``error``, and the details of `AnswerError`. If the server ends, there is no last
        line. If the page leaves, the agent is stopped. A browser keeps at most six connections to a server, so no more
        agents than this can think for all its tabs at once.
        """
        spec, offer = self._offers.find(message.agent)
        if (await asyncio.to_thread(message.record.states))[-1].is_over:
            raise MessageError("the game is over")
        request = {"spec": spec, "task": message.task, "record": message.record.to_json(), "version": offer.version}
        less = offer.shallower(spec) if message.task == "assess" else []
        requests = [request | {"spec": each} for each in (*less, spec)]
        return StreamingResponse(self._lines(requests), media_type="application/x-ndjson")

    async def _lines(self, requests: Sequence[dict[str, Any]]) -> AsyncIterator[bytes]:
        """The lines of an answer. The last one of `requests` is what the page asked, the others are less deep."""
        news: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        answering = asyncio.create_task(self._answer(requests, news.put_nowait))
        try:
            while (line := await news.get()) is not None:
                yield json_bytes(line) + b"\n"
        finally:
            answering.cancel()

    async def _answer(self, requests: Sequence[dict[str, Any]], tell: Callable[[dict[str, Any] | None], None]) -> None:
        try:
            for request in requests:
                answer = await self._pool.ask(request, tell)
                # A deeper search of a solved position finds the same.
                is_solved = bool(answer.get("moves")) and all(move["exact"] for move in answer["moves"])
                is_last = is_solved or request is requests[-1]
                tell({"answer": answer, "isLast": is_last})
                if is_last:
                    break
        except ClosedError:
            pass
        except AnswerError as error:
            tell({"error": _ACTION_NUMBER.sub("", str(error)), **error.details})
        finally:
            tell(None)


def _post(name: str, kind: type[Struct], endpoint: Endpoint, most: int = LARGEST_BODY) -> Route:
    """A route for one kind of message. `endpoint` answers the messages, which have at most `most` bytes."""

    async def answer(request: Request) -> Response:
        return await endpoint(read_message(parse_json(await _body(request, most)), kind))

    return Route(f"/api/{name}", answer, methods=["POST"])


async def _body(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        HTTPException: the body is too large.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413, f"too long: at most {most // 1024} kB are read", {"connection": "close"})
    return body


async def _error(_request: Request, error: Exception) -> Response:
    """The answer to a message that raised an error: its text.

    A part ``(action N)`` is removed from the text, because it says nothing to a person who plays on the page.
    """
    line = _ACTION_NUMBER.sub("", (str(error) or type(error).__name__).splitlines()[0])
    return JSON({"error": line if len(line) <= _LONGEST_ERROR else f"{line[:_LONGEST_ERROR]} …"}, 400)


async def _refused(_request: Request, error: Exception) -> Response:
    """The answer to a message that is too large, or to a request for a path that does not exist."""
    assert isinstance(error, HTTPException)
    return JSON({"error": error.detail}, error.status_code, error.headers)
