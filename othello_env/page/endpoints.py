"""The server's answers about games: positions, openings, games as text or as a GIF, and recorded games.

A record is a dict with the game's name, its seed, its start and its moves (see `PageGame`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from starlette.responses import Response

from othello_env.arena.tournament.schedule import find_openings
from othello_env.drawing.replay import gif
from othello_env.games.registry import GameSpec
from othello_env.page.guard import JSON
from othello_env.page.messages import MessageError, PageGame
from othello_env.page.results import Recorded
from othello_env.page.texts import read_file_games, read_text, write_text
from othello_env.page.view import board_view, views_of

__all__ = ["Endpoint", "endpoints"]

Endpoint = Callable[[Any], Awaitable[Response]]
"""A function that answers a message."""

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


class _File(Struct):
    record: PageGame
    name: Annotated[str, Meta(max_length=300)]
    data: bytes


class _Write(Struct):
    record: PageGame


class _Gif(Struct):
    record: PageGame
    is_turned: bool = field(name="isTurned", default=False)
    values: list[dict[str, float | Literal["inf", "-inf"]]] = []  # of each position, for the player to move


class _Recorded(Struct):
    file: _Number
    number: _Number


def endpoints(results: Sequence[Any] = ()) -> dict[str, tuple[type[Struct], Endpoint]]:
    """The messages about games: for each name, the kind of the message and the function that answers it.

    Args:
        results: what the page shows of files. A page can ask for any game of a `Recorded` among them.
    """

    async def read_recorded(message: _Recorded) -> Response:
        """A recorded game of a tournament, with the names of its agents."""
        file = results[message.file] if message.file < len(results) else None
        if not isinstance(file, Recorded) or message.number >= len(file):
            raise MessageError(f"there is no recorded game {message.number} in file {message.file}")
        return JSON(file.game(message.number))

    return {
        "game": (_Show, _show),
        "open": (_Open, _open),
        "read": (_Read, _read),
        "file": (_File, _file),
        "write": (_Write, _write),
        "gif": (_Gif, _gif),
        "recorded": (_Recorded, read_recorded),
    }


async def _show(message: _Show) -> Response:
    """The positions of a game, beginning at the ply ``from``. If ``from`` is 0, the answer also has the empty board."""
    if message.first > len(message.record.moves):
        raise MessageError(f"from: the game has {len(message.record.moves)} plies, not {message.first}")
    return JSON(await asyncio.to_thread(_views, message.record, message.first))


def _views(game: PageGame, first: int) -> dict[str, Any]:
    states = game.states()
    return {"board": None if first else board_view(states[0]), "from": first, "views": views_of(states, first)}


async def _open(message: _Open) -> Response:
    """The record of a new game that begins with an opening. The game's seed selects the opening."""
    opening = None if message.opening == "start" else message.opening
    return _record(await asyncio.to_thread(_opened, message.record, opening))


def _opened(game: PageGame, opening: str | None) -> PageGame:
    start = find_openings(opening, GameSpec.parse(game.game).start).draw(game.seed)
    return PageGame(game.game, game.seed, None, start.moves)


async def _read(message: _Read) -> Response:
    """The record of the game in a pasted text."""
    if not message.text.strip():
        raise MessageError("paste a transcript or a board")
    return _record(await asyncio.to_thread(read_text, message.record, message.text.strip()))


async def _file(message: _File) -> Response:
    """The games of a file: the title and the record of each, and how many more are left out."""
    return JSON(await asyncio.to_thread(read_file_games, message.record, message.name, message.data))


async def _write(message: _Write) -> Response:
    """A game as text that a person can copy."""
    return JSON({"text": await asyncio.to_thread(write_text, message.record)})


def _record(game: PageGame) -> Response:
    return JSON({"record": game.to_json()})


async def _gif(message: _Gif) -> Response:
    """A game as a GIF, as it is seen on the page: with its values, and perhaps turned."""
    values = [{int(action): float(value) for action, value in each.items()} for each in message.values]
    data = await asyncio.to_thread(lambda: gif(message.record.states(), values=values, turned=message.is_turned))
    return Response(data, media_type="image/gif")
