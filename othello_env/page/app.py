"""The page's server: static files, and what the page asks for as JSON.

Every message is a POST of an object with a ``record`` (see `othello_env.page.messages`); every answer is JSON, an error
``{"error": text}``.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from othello_env.arena.openings import BALANCED, find_openings
from othello_env.drawing.replay import gif, html
from othello_env.games.registry import Rules
from othello_env.page.guard import Guard
from othello_env.page.looking import EXACT_EMPTIES
from othello_env.page.messages import GAMES, GameRecord, MessageError, Reader
from othello_env.page.texts import read_text, write_text
from othello_env.page.thinking import BusyError, ClosedError, Thinkers, ThinkingError
from othello_env.page.view import board_view, position_view
from othello_env.support.files import parse_json

__all__ = ["Offer", "make_app"]

_STATIC = Path(__file__).parent / "static"
_LONGEST_PASTE = 8000
_OPENINGS = ("start", BALANCED, "random:4", "random:10", "random:20")
_HOLD_SECONDS = 0.25
_PATIENCE_SECONDS = 5.0
"""How long a page may be silent between two requests for the same think: a browser queues those of many tabs."""
_TASKS = ("move", "value", "actions", "exact")


@dataclass(frozen=True, slots=True)
class Offer:
    """An agent that a page may ask.

    Attributes:
        spec: of the agent.
        label: how strong it is, in a word or two.
        games: the ones of `GAMES` that it plays.
    """

    spec: str
    label: str = ""
    games: tuple[str, ...] = GAMES


def make_app(
    offers: Sequence[Offer],
    port: int,
    results: Sequence[dict[str, Any]] = (),
    thinkers: Thinkers | None = None,
    first_requests: Sequence[dict[str, Any]] = (),
) -> Starlette:
    """The ASGI application.

    Args:
        offers: the agents that a page may ask; it can name no others.
        port: on which it is served; a request's Host must have it.
        results: what `othello_env.page.results.read_results` made of files, for the page to draw.
        thinkers: the processes that think, by default some of its own; ended with the application.
        first_requests: what they are to compile as soon as the application starts.
    """
    page = _Page(tuple(offers), tuple(results), thinkers or Thinkers())

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        preparing = asyncio.create_task(page.thinkers.prepare(first_requests))
        yield
        preparing.cancel()
        await asyncio.gather(preparing, return_exceptions=True)
        await page.thinkers.close()

    routes = [
        Route("/", _index),
        Route("/api/offers", page.offered),
        Route("/api/results", page.told_results),
        *(
            Route(f"/api/{name}", _answering(answer), methods=["POST"])
            for name, answer in (
                ("game", _game),
                ("open", _open),
                ("read", _read),
                ("write", _write),
                ("think", page.think),
                ("replay", page.replay),
            )
        ),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, port=port)], lifespan=lifespan)


class _Asked:
    """A think that a page asks for again and again until it is answered.

    Args:
        thinking: the think.
        forget: called when no request waits for it and none is to be expected.
    """

    def __init__(self, thinking: asyncio.Task[dict[str, Any]], forget: Callable[[], None]) -> None:
        self.thinking = thinking
        thinking.add_done_callback(lambda task: task.cancelled() or task.exception())  # perhaps nobody is told
        self._forget = forget
        self._waiting = 0
        self._end: asyncio.TimerHandle | None = None

    def stay(self) -> None:
        """A request waits."""
        self._waiting += 1
        if self._end is not None:
            self._end.cancel()

    def leave(self, patience: float) -> None:
        """A request waits no longer; if it was the only one, another one has some seconds to come."""
        self._waiting -= 1
        if not self._waiting:
            self._end = asyncio.get_running_loop().call_later(patience, self._forget)


class _Page:
    """What the server offers."""

    def __init__(self, offers: tuple[Offer, ...], results: tuple[dict[str, Any], ...], thinkers: Thinkers) -> None:
        self.thinkers = thinkers
        self._offers = offers
        self._specs = tuple(offer.spec for offer in offers)
        self._results = results
        self._drawing = asyncio.Semaphore(1)
        self._asked: dict[tuple[str, str], _Asked] = {}
        """The thinks that are not answered yet, by client and ticket."""

    async def offered(self, _request: Request) -> Response:
        offers = [{"spec": offer.spec, "label": offer.label, "games": offer.games} for offer in self._offers]
        return JSONResponse({"games": GAMES, "agents": offers, "exactEmpties": EXACT_EMPTIES})

    async def told_results(self, _request: Request) -> Response:
        return JSONResponse(self._results)

    async def think(self, fields: Reader, request: Request) -> Response:
        """An agent's move, or what it thinks of a position. It stops thinking when the page stops listening.

        A think that takes longer is answered with 202: the page asks again with the same ``ticket``. So none keeps one
        of the few connections that a browser has to a server, for all its tabs.
        """
        ticket = fields.text("client", 64), fields.text("ticket", 64)
        if ticket not in self._asked:
            thinking = asyncio.create_task(self._think(fields, ticket[0]))
            self._asked[ticket] = _Asked(thinking, lambda: self._forget(ticket, thinking))
        asked = self._asked[ticket]
        asked.stay()
        leaving = asyncio.create_task(_left(request))
        try:
            await asyncio.wait((asked.thinking, leaving), timeout=_HOLD_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            has_left = leaving.done()
            asked.leave(0 if has_left or asked.thinking.done() else _PATIENCE_SECONDS)
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)
        if has_left:
            return Response(status_code=204)
        if asked.thinking.done():
            return JSONResponse(asked.thinking.result())
        return JSONResponse({}, status_code=202)

    def _forget(self, ticket: tuple[str, str], thinking: asyncio.Task[dict[str, Any]]) -> None:
        """Nobody asks for this think any more."""
        self._asked.pop(ticket, None)
        thinking.cancel()

    async def _think(self, fields: Reader, client: str) -> dict[str, Any]:
        spec = fields.choice("agent", self._specs)
        asked: dict[str, Any] = {"spec": spec, "task": fields.choice("task", (*_TASKS, "powers"))}
        if asked["task"] != "powers":
            record = GameRecord.read(fields.get("record"))
            if (await asyncio.to_thread(record.states))[-1].is_over:
                raise MessageError("the game is over")
            asked["record"] = record.to_json()
        if fields.has("secondsLeft"):
            asked["seconds_left"] = fields.seconds("secondsLeft")
        return await self.thinkers.think(client, asked)

    async def replay(self, fields: Reader, _request: Request) -> Response:
        """A game as a file; one is drawn at a time, so that the threads that answer everything else stay free."""
        record = GameRecord.read(fields.get("record"))
        kind = fields.choice("format", ("gif", "html"))
        async with self._drawing:
            if kind == "gif":
                return Response(await asyncio.to_thread(lambda: gif(record.states())), media_type="image/gif")
            # A file to keep, never shown as a page of this server.
            page = await asyncio.to_thread(lambda: html(record.states()))
            return Response(page, media_type="application/octet-stream")


_Answer = Callable[[Reader, Request], Awaitable[Response]]


def _answering(answer: _Answer) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that reads a message and turns errors into answers."""

    async def endpoint(request: Request) -> Response:
        try:
            return await answer(Reader(parse_json(await request.body())), request)
        except ClosedError as error:  # the page asks again when there is a server again
            return _error(503, error)
        except BusyError as error:
            return _error(429, error)
        except ThinkingError as error:
            return _error(502, error)
        except (ValueError, TypeError) as error:
            return _error(400, error)

    return endpoint


def _error(status: int, error: Exception) -> Response:
    return JSONResponse({"error": str(error).splitlines()[0]}, status_code=status)


async def _left(request: Request) -> None:
    """Wait until nobody waits for the answer any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _index(_request: Request) -> Response:
    return FileResponse(_STATIC / "index.html")


async def _game(fields: Reader, _request: Request) -> Response:
    """The board and the positions of a game from ply ``from`` on."""
    record = GameRecord.read(fields.get("record"))
    first = fields.integer("from", 0, len(record.moves)) if fields.has("from") else 0
    return await asyncio.to_thread(lambda: JSONResponse(_views(record, first)))


def _views(record: GameRecord, first: int) -> dict[str, Any]:
    states = record.states()
    names = [None, *(before.action_to_text(action) for before, action in zip(states, record.moves, strict=False))]
    views = [position_view(state, name) for state, name in zip(states[first:], names[first:], strict=True)]
    return {"board": board_view(states[0]), "from": first, "views": views}


async def _open(fields: Reader, _request: Request) -> Response:
    """The record of a new game from an opening that its seed draws."""
    record = GameRecord.read(fields.get("record"))
    opening = fields.choice("opening", _OPENINGS)
    start = Rules.parse(record.game).start
    opened = await asyncio.to_thread(
        lambda: find_openings(None if opening == "start" else opening, start).draw(record.seed)
    )
    return JSONResponse({"record": GameRecord(record.game, record.seed, None, opened.moves).to_json()})


async def _read(fields: Reader, _request: Request) -> Response:
    """The record of a game that a text shows."""
    text = fields.text("text", _LONGEST_PASTE).strip()
    if not text:
        raise MessageError("paste a transcript or a board")
    record = GameRecord.read(fields.get("record"))
    return JSONResponse({"record": (await asyncio.to_thread(read_text, record, text)).to_json()})


async def _write(fields: Reader, _request: Request) -> Response:
    """A game as text that can be pasted."""
    record = GameRecord.read(fields.get("record"))
    return JSONResponse({"text": await asyncio.to_thread(write_text, record)})
