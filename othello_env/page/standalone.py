"""One HTML file that needs no server: an agent to play against, or a game with the values of its positions.

The file has the page's own JavaScript, in which ``local.js`` takes the place of the requests to a server, and its
content as JSON. It works in any browser of the last years, also without a network.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from othello_env.games.game import State
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameSpec
from othello_env.page.assessment import assess
from othello_env.page.messages import PageGame, games_view
from othello_env.page.texts import played_game
from othello_env.page.view import board_view, views_of

__all__ = ["agent_html", "game_html", "review_html", "template"]

_STATIC = Path(__file__).parent / "static"
_IMPORT = re.compile(r'(\bfrom|\bimport) "\./([a-z]+)\.js"')
_WORKER = ("rules", "search", "worker")
"""The modules that run in a thread, in the order of their imports."""


def agent_html(name: str, tables: Mapping[str, Any]) -> str:
    """A file in which a person plays against an agent with n-tuple weights.

    Args:
        name: the agent's name.
        tables: the weights; see `othello_agents.ntuple.browser.browser_tables`.
    """
    size = int(tables["size"])
    spec = "othello" if size == 8 else f"othello:size={size}"
    return _filled(f"Othello against {name}", _content(spec, Othello(size)) | {"name": name, "tables": dict(tables)})


def game_html(title: str, game: PageGame, answers: Mapping[str, Sequence[Any]]) -> str:
    """A file with a game, and what agents think of its positions.

    Args:
        title: the file's title.
        game: the game.
        answers: for each agent, by its spec, its `Assessment` of each position as JSON; None where there is none.
    """
    states = game.states()
    stored = {"record": game.to_json(), "views": views_of(states)}
    stored["answers"] = [{"spec": spec, "found": list(found)} for spec, found in answers.items()]
    return _filled(title, _content(game.game, states[0]) | {"game": stored})


def review_html(title: str, start: State, final: State, agent: Any, names: Sequence[str] = ()) -> str:
    """A file with a game, and what an agent thinks of each of its positions; see `game_html`.

    Args:
        title: the file's title.
        start: the first position of the game.
        final: the last position.
        agent: the agent, such as an engine.
        names: the names of the players, if they are known.

    Raises:
        AgentError: the agent cannot assess a position.
    """
    game = played_game(PageGame("othello"), start, final, names)
    found = [None if state.is_over else assess(agent, state).to_json() for state in game.states()]
    return game_html(title, game, {repr(agent): found})


def _content(spec: str, start: State) -> dict[str, Any]:
    title = next((each["title"] for each in games_view() if each["spec"] == spec), GameSpec.parse(spec).name)
    return {"spec": spec, "title": title, "size": len(board_view(start)["labels"]), "board": board_view(start)}


def _filled(title: str, content: Mapping[str, Any]) -> str:
    # Without the replacement, the text </script> in the content would end the script early.
    data = json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")
    return template().replace("<!--title-->", escape(title)).replace("<!--content-->", data)


@cache
def template() -> str:
    """The file without its title and its content: ``<!--title-->`` and ``<!--content-->`` stand for them."""
    modules = {file.stem: file.read_text(encoding="utf-8") for file in sorted(_STATIC.glob("*.js"))}
    worker = "\n".join(re.sub(r"^import .*$|^export ", "", modules[name], flags=re.MULTILINE) for name in _WORKER)
    modules["api"] = modules.pop("local")
    imports = {name: _data("text/javascript", _IMPORT.sub(r'\1 "\2"', text)) for name, text in modules.items()}
    icon = _data("image/svg+xml", (_STATIC / "icon.svg").read_text(encoding="utf-8"))
    style = (_STATIC / "style.css").read_text(encoding="utf-8")
    page = (_STATIC / "index.html").read_text(encoding="utf-8")
    page = re.sub(r"<script .*?</script>\n", "", page).replace("/static/icon.svg", icon)
    page = page.replace('<html lang="en">', '<html lang="en" data-standalone>')
    page = re.sub(r"<title>.*?</title>", "<title><!--title--></title>", page)
    page = page.replace('<link rel="stylesheet" href="/static/style.css">', f"<style>\n{style}</style>")
    scripts = (
        '<script type="application/json" id="content"><!--content--></script>',
        f'<script type="text/plain" id="worker">{worker}</script>',
        f'<script type="importmap">{json.dumps({"imports": imports})}</script>',
        '<script type="module">import "main";</script>',
    )
    return page.replace("</body>", "\n".join((*scripts, "</body>")))


def _data(kind: str, text: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"
