"""The server's answers about games: positions, openings, games as text or as a file, and recorded games.

A record is a dict with the game's name, its seed, its start and its moves (see `PageGame`).
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from PIL import Image
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from othello_env.arena.openings import BALANCED, find_openings
from othello_env.drawing import pixels, svg
from othello_env.drawing.replay import gif, html
from othello_env.games.registry import Rules
from othello_env.page.messages import MessageError, PageGame, Reader
from othello_env.page.recorded import Recorded
from othello_env.page.texts import read_text, write_text
from othello_env.page.view import board_view, position_view

__all__ = ["Endpoint", "endpoints"]

Endpoint = Callable[[Reader, Request], Awaitable[Response]]
"""A function that answers a message. Its arguments are the message's fields and the HTTP request."""

_LONGEST_PASTE = 8000
_PIXELS = 80  # the side of a square in a PNG file, in pixels
_OPENINGS = ("start", BALANCED, "random:4", "random:10", "random:20")


def endpoints(recorded: Sequence[Recorded] = ()) -> dict[str, Endpoint]:
    """The functions that answer messages about games. The keys are the names of the messages.

    Args:
        recorded: files of tournament games. A page can ask for any of these games.
    """

    async def read_recorded(fields: Reader, _request: Request) -> Response:
        """A recorded game of a tournament, with the names of its agents."""
        file = recorded[fields.integer("file", 0, len(recorded) - 1)]
        return JSONResponse(file.game(fields.integer("number", 0, len(file) - 1)))

    replays = _Replays()
    return {
        "game": _show,
        "open": _open,
        "read": _read,
        "write": _write,
        "replay": replays.replay,
        "recorded": read_recorded,
    }


async def _show(fields: Reader, _request: Request) -> Response:
    """The positions of a game, beginning at the ply ``from``. If ``from`` is 0, the answer also has the empty board."""
    game = fields.game()
    first = fields.integer("from", 0, len(game.moves)) if fields.has("from") else 0
    return JSONResponse(await asyncio.to_thread(_views, game, first))


def _views(game: PageGame, first: int) -> dict[str, Any]:
    states = game.states()
    names = [None, *(before.action_to_text(action) for before, action in zip(states, game.moves, strict=False))]
    views = [position_view(state, name) for state, name in zip(states[first:], names[first:], strict=True)]
    return {"board": None if first else board_view(states[0]), "from": first, "views": views}


async def _open(fields: Reader, _request: Request) -> Response:
    """The record of a new game that begins with an opening. The game's seed selects the opening."""
    game = fields.game()
    opening = fields.choice("opening", _OPENINGS)
    return _record(await asyncio.to_thread(_opened, game, None if opening == "start" else opening))


def _opened(game: PageGame, opening: str | None) -> PageGame:
    start = find_openings(opening, Rules.parse(game.game).start).draw(game.seed)
    return PageGame(game.game, game.seed, None, start.moves)


async def _read(fields: Reader, _request: Request) -> Response:
    """The record of the game in a pasted text."""
    text = fields.text("text", _LONGEST_PASTE).strip()
    if not text:
        raise MessageError("paste a transcript, a board or a link")
    return _record(await asyncio.to_thread(read_text, fields.game(), text))


async def _write(fields: Reader, _request: Request) -> Response:
    """A game as text that a person can copy."""
    return JSONResponse({"text": await asyncio.to_thread(write_text, fields.game())})


def _record(game: PageGame) -> Response:
    return JSONResponse({"record": game.to_json()})


class _Replays:
    """Draws games and positions as files, one file at a time, so that threads stay free for other requests."""

    def __init__(self) -> None:
        self._drawing = asyncio.Semaphore(1)

    async def replay(self, fields: Reader, _request: Request) -> Response:
        """A game as a GIF or as an HTML file, or its last position as SVG or PNG."""
        game = fields.game()
        kind = fields.choice("format", ("gif", "html", "svg", "png"))
        async with self._drawing:
            if kind == "gif":
                return Response(await asyncio.to_thread(lambda: gif(game.states())), media_type="image/gif")
            if kind == "png":
                return Response(await asyncio.to_thread(lambda: _png(game)), media_type="image/png")
            # With this content type, the browser saves the file. It does not open the file as a page of this server, so
            # scripts in the file do not run.
            text = await asyncio.to_thread(lambda: html(game.states()) if kind == "html" else svg(game.states()[-1]))
            return Response(text, media_type="application/octet-stream")


def _png(game: PageGame) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels(game.states()[-1], _PIXELS)).save(out, "PNG")
    return out.getvalue()
