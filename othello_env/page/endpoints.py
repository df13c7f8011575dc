"""The server's answers about games: positions, openings, games as text or as a file, and recorded games.

A record is a dict with the game's name, its seed, its start and its moves (see `PageGame`).
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from PIL import Image
from starlette.requests import Request
from starlette.responses import Response

from othello_env.arena.openings import find_openings
from othello_env.drawing import pixels, svg
from othello_env.drawing.replay import gif, html
from othello_env.games.registry import GameSpec
from othello_env.page.guard import JSON
from othello_env.page.messages import MessageError, PageGame
from othello_env.page.results import Recorded
from othello_env.page.texts import read_text, write_text
from othello_env.page.view import board_view, position_view

__all__ = ["Endpoint", "endpoints"]

Endpoint = Callable[[Any, Request], Awaitable[Response]]
"""A function that answers a message. Its arguments are the message and the HTTP request."""

_PIXELS = 80  # the side of a square in a PNG file, in pixels
_Number = Annotated[int, Meta(ge=0)]


class _Show(Struct):
    record: PageGame
    first: _Number = field(name="from", default=0)


class _Open(Struct):
    record: PageGame
    opening: Literal["start", "balanced-v0", "balanced-6x6-v0", "random:4", "random:10", "random:20"]


class _Read(Struct):
    record: PageGame
    text: str


class _Write(Struct):
    record: PageGame


class _Replay(Struct):
    record: PageGame
    format: Literal["gif", "html", "svg", "png"]


class _Recorded(Struct):
    file: _Number
    number: _Number


def endpoints(recorded: Sequence[Recorded] = ()) -> dict[str, tuple[type[Struct], Endpoint]]:
    """The messages about games: for each name, the kind of the message and the function that answers it.

    Args:
        recorded: files of tournament games. A page can ask for any of these games.
    """

    async def read_recorded(message: _Recorded, _request: Request) -> Response:
        """A recorded game of a tournament, with the names of its agents."""
        if message.file >= len(recorded) or message.number >= len(recorded[message.file]):
            raise MessageError(f"there is no recorded game {message.number} in file {message.file}")
        return JSON(recorded[message.file].game(message.number))

    return {
        "game": (_Show, _show),
        "open": (_Open, _open),
        "read": (_Read, _read),
        "write": (_Write, _write),
        "replay": (_Replay, _Replays().replay),
        "recorded": (_Recorded, read_recorded),
    }


async def _show(message: _Show, _request: Request) -> Response:
    """The positions of a game, beginning at the ply ``from``. If ``from`` is 0, the answer also has the empty board."""
    if message.first > len(message.record.moves):
        raise MessageError(f"from: the game has {len(message.record.moves)} plies, not {message.first}")
    return JSON(await asyncio.to_thread(_views, message.record, message.first))


def _views(game: PageGame, first: int) -> dict[str, Any]:
    states = game.states()
    names = [None, *(before.action_to_text(action) for before, action in zip(states, game.moves, strict=False))]
    views = [position_view(state, name) for state, name in zip(states[first:], names[first:], strict=True)]
    return {"board": None if first else board_view(states[0]), "from": first, "views": views}


async def _open(message: _Open, _request: Request) -> Response:
    """The record of a new game that begins with an opening. The game's seed selects the opening."""
    opening = None if message.opening == "start" else message.opening
    return _record(await asyncio.to_thread(_opened, message.record, opening))


def _opened(game: PageGame, opening: str | None) -> PageGame:
    start = find_openings(opening, GameSpec.parse(game.game).start).draw(game.seed)
    return PageGame(game.game, game.seed, None, start.moves)


async def _read(message: _Read, _request: Request) -> Response:
    """The record of the game in a pasted text."""
    if not message.text.strip():
        raise MessageError("paste a transcript, a board or a link")
    return _record(await asyncio.to_thread(read_text, message.record, message.text.strip()))


async def _write(message: _Write, _request: Request) -> Response:
    """A game as text that a person can copy."""
    return JSON({"text": await asyncio.to_thread(write_text, message.record)})


def _record(game: PageGame) -> Response:
    return JSON({"record": game.to_json()})


class _Replays:
    """Draws games and positions as files, one file at a time, so that threads stay free for other requests."""

    def __init__(self) -> None:
        self._drawing = asyncio.Semaphore(1)

    async def replay(self, message: _Replay, _request: Request) -> Response:
        """A game as a GIF or as an HTML file, or its last position as SVG or PNG."""
        game, kind = message.record, message.format
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
