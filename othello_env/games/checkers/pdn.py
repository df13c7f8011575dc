"""Games of checkers in Portable Draughts Notation (PDN 3.0, game type 21, English draughts).

In the standard, ``1-0`` means that White won, and ``0-1`` means that Red (black) won. Some collections of English
draughts use ``1-0`` if Red won, because Red moves first. `loads` does not change the results in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from othello_env.games.checkers.position import Checkers
from othello_env.games.game import IllegalActionError, NotationError, check_text

__all__ = ["RESULTS", "PdnGame", "dumps", "loads", "loads_valid", "move_names"]

RESULTS = frozenset({"1/2-1/2", "1-1", "2-0", "0-2", "1-0", "0-1", "0-0", "*"})
"""All results that can stand at the end of a game in PDN. ``*`` means that the result is not known."""
_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
_UNKNOWN = {"Date": "????.??.??", "Result": "*"}
_WIDTH = 80
_UNMATCHED = "a variation has an unmatched parenthesis"
_OPEN_COMMENT = "a comment begins with { but has no }"
_ENGLISH = re.compile(r"21(,.*)?", re.DOTALL)
_TOKEN = re.compile(
    r"""
    \[\s*(?P<tag>\w+)\s*"(?P<value>(?:[^"\\]|\\.)*)"\s*\]
    | \{[^}]*(?P<comment>\}|\Z) | ;(?P<rest>[^\n]*) | %[^\n]* | \$\d+ | [!?]+
    | (?P<open>\() | (?P<close>\))
    | (?P<result>1/2-1/2|1-1|2-0|0-2|1-0|0-1|0-0|\*)(?=[\s({;\[]|$)
    | \d+\.+
    | (?P<move>\d+(?:[-x:]\d+)+)
    | (?P<error>[^\s()]+)
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class PdnGame:
    """A game in PDN.

    Attributes:
        start: the position in which the game begins.
        actions: one action for each step or jump.
        tags: a mapping from the name of each tag (Event, White, Black, Result and so on) to its value.
    """

    start: Checkers
    actions: tuple[int, ...]
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def result(self) -> str:
        """The value of the tag Result, such as ``1-0``, ``1/2-1/2`` or ``*`` (unfinished or unknown)."""
        return self.tags.get("Result", "*")

    def final(self) -> Checkers:
        """The position after all actions."""
        return self.start.play_transcript(self.actions)

    @classmethod
    def from_state(cls, state: Checkers, start: Checkers | None = None, **tags: str) -> PdnGame:
        """The game that led to a position. The tag Result is the game's result, or ``*`` if the game is not over.

        Args:
            state: the last position.
            start: the first position, if the game did not begin at the usual start.
            tags: more tags, such as ``White="alphabeta"``.
        """
        start = start or Checkers(state.size, state.draws)
        result = "*"
        if state.is_over:
            result = {0.0: "1/2-1/2", 1.0: "0-1", -1.0: "1-0"}[state.returns()[0]]
        return cls(start, state.moves[len(start.moves) :], {"Result": result, **tags})


def loads(text: str, draws: str = "40-move") -> list[PdnGame]:
    """Read the games of a PDN text. Comments, variations and annotations are skipped.

    Args:
        text: one game or more.
        draws: the rule for draws under which the games are replayed. In printed games, positions often repeat before
            the players agree on a draw. So the default rule does not end a game at a repetition.

    Raises:
        NotationError: the text is not PDN of English draughts. The message gives the number of the game.
        IllegalActionError: a move is illegal.
        TypeError: the argument is not text.
    """
    return [_game(number, text, draws) for number, text in enumerate(_split(text), start=1)]


def loads_valid(text: str) -> tuple[list[PdnGame], list[str]]:
    """Read the undamaged games of a PDN text, and skip the damaged games; see `loads`.

    Returns:
        The undamaged games, and a message for each damaged game.

    Raises:
        TypeError: the argument is not text.
    """
    games, messages = [], []
    for number, game in enumerate(_split(text), start=1):
        try:
            games.append(_game(number, game, "40-move"))
        except (NotationError, IllegalActionError) as error:
            messages.append(str(error).splitlines()[0])
    return games, messages


@dataclass
class _Text:
    """The parts of a game's text: the tags, the moves, and a description of the first error in the text."""

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    fault: str = ""


def _split(text: str) -> Iterator[_Text]:
    """The games of a PDN text."""
    game, depth = _Text(), 0
    for match in _TOKEN.finditer(check_text(text, "a game of PDN")):
        kind = match.lastgroup
        if kind == "value" and (depth or game.moves or (game.fault and match["tag"] in game.tags)):
            if depth:
                game.fault = game.fault or _UNMATCHED
            yield game  # this tag belongs to the next game, and `game` ended without a result
            game, depth = _Text(), 0
        if kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
        elif depth:
            continue
        elif kind == "comment" and not match["comment"]:
            game.fault = game.fault or _OPEN_COMMENT
        elif kind == "error":
            game.fault = game.fault or f"expected a tag, a move or a result, got {match['error']!r}"
        elif kind == "value":
            game.tags[match["tag"]] = re.sub(r"\\(.)", r"\1", match["value"])
        elif kind == "move":
            game.moves.append(match["move"])
        elif kind == "result":
            game.tags.setdefault("Result", match["result"])
            yield game
            game = _Text()
    if depth:
        game.fault = game.fault or _UNMATCHED
    if game.tags or game.moves or game.fault:
        yield game


def _game(number: int, text: _Text, draws: str) -> PdnGame:
    if text.fault:
        raise NotationError(f"game {number}: {text.fault}")
    try:
        start = _start(text.tags, draws)
        return PdnGame(start, start.play_transcript(text.moves).moves, text.tags)
    except (NotationError, IllegalActionError) as error:
        raise type(error)(f"game {number}: {error}") from None


def _start(tags: Mapping[str, str], draws: str) -> Checkers:
    game_type = tags.get("GameType", "21")
    if not _ENGLISH.fullmatch(game_type.strip()):
        raise NotationError(f"expected English draughts, GameType 21, got {game_type!r}")
    sizes = game_type.split(",")[2:4]
    size = sizes[0].strip() if sizes else "8"
    if sizes and size not in ("4", "6", "8", "10"):
        raise NotationError(f"expected a board of side 4, 6, 8 or 10, got GameType {game_type!r}")
    if "FEN" in tags:
        return Checkers.from_text(tags["FEN"], size=int(size), draws=draws)
    return Checkers(int(size), draws)


def dumps(games: Iterable[PdnGame]) -> str:
    """Write games as PDN text, which `loads` can read.

    Raises:
        ValueError: a game begins in the middle of a chain of jumps. PDN cannot express such a start.
    """
    return "\n".join(map(_dump, games))


def _dump(game: PdnGame) -> str:
    start = game.start
    if start.going:
        raise ValueError(f"PDN cannot express a game that begins in the middle of a chain:\n{start}")
    tags = {name: game.tags.get(name, _UNKNOWN.get(name, "?")) for name in _TAGS}
    tags["GameType"] = "21" if start.size == 8 else f"21,B,{start.size},{start.size},N1,0"
    if start != Checkers(start.size, start.draws):
        tags |= {"SetUp": "1", "FEN": start.to_text()}
    tags |= {name: value for name, value in game.tags.items() if name not in tags}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in tags.items()]
    words: list[str] = []
    turn = start.to_move
    for name in move_names(start, game.actions):
        if turn % 2 == 0 or not words:
            words.append(f"{turn // 2 + 1}.{'..' if turn % 2 else ''}")
        words.append(name)
        turn += 1
    lines += ["", *_wrapped([*words, game.result])]
    return "\n".join(lines) + "\n"


def move_names(start: Checkers, actions: Iterable[int]) -> Iterator[str]:
    """The names of the moves from `start`, as in printed games: ``11-15``, or ``15x22x31`` for a whole chain of jumps.

    >>> from othello_env import Checkers
    >>> game = Checkers.from_moves("11-15 22-18 15x22")
    >>> list(move_names(Checkers(), game.moves))
    ['11-15', '22-18', '15x22']
    """
    state = start
    name = ""
    for action in actions:
        text = state.action_to_text(action)
        name = f"{name}x{text.partition('x')[2]}" if name else text
        state = state.play(action)
        if not state.going:
            yield name
            name = ""
    if name:
        yield name


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _wrapped(words: list[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line
