"""A game as text that a person copies and pastes: its board, if it needs one, who is to move, and the moves.

Othello from its start is a transcript, ``f5 d6 c3``; from elsewhere, as all of Tribolo, it has the board before it,
``-BRG/... blue b1 c3``. Checkers is PDN (Portable Draughts Notation), in which Red is Black.
"""

from __future__ import annotations

import re
from itertools import pairwise

from othello_env.arena.rules import Rules, position_to_text
from othello_env.games.game import State
from othello_env.page.messages import GameRecord

__all__ = ["read_text", "write_text"]

_CELLS = {"othello": frozenset("XxOo*.-"), "tribolo": frozenset("BRGbrg-#/")}
_PLAYERS = {"x": "black", "o": "white"} | {name: name for name in ("black", "white", "blue", "red", "green")}
_SIZES = (16, 36, 64)
_TAG = re.compile(r'\[\s*(\w+)\s*"([^"]*)"\s*\]')
_COMMENT = re.compile(r"\{[^}]*\}")
_RESULT = re.compile(r"(?<!\S)(?:1-0|0-1|1/2-1/2|\*)(?!\S)")


def read_text(record: GameRecord, text: str) -> GameRecord:
    """The record of the game that a text shows.

    Args:
        record: of the game that it is meant to be, and of its seed: that of the start where the text has no board.
        text: moves, a board, or both.

    Raises:
        ValueError: the text shows no board, or its moves are not legal.
    """
    rules = Rules.parse(record.game)
    board, player, moves = _parts_of_checkers(text) if rules.name == "checkers" else _parts(rules.name, text)
    if not board:
        return GameRecord(record.game, record.seed, None, rules.start(record.seed).play_transcript(moves).moves)
    start = rules.position(board, player) if player else rules.start(record.seed).position_from_text(board)
    game = record.game
    if rules.name == "othello":  # another size is another game here
        size = start.observation_shape[1]
        game = "othello" if size == 8 else f"othello:size={size}"
    return GameRecord(game, record.seed, position_to_text(start), start.play_transcript(moves).moves)


def _parts(game: str, text: str) -> tuple[str, str | None, str]:
    """A text's board, who is to move, and the moves; each may be missing."""
    words = text.split()
    cells = next((i for i, word in enumerate(words) if not set(word) <= _CELLS[game]), len(words))
    # The last of an Othello board's words can be the player's disc.
    if game == "othello" and cells > 1 and words[cells - 1] in ("X", "O") and _cells_in(words[: cells - 1]) in _SIZES:
        cells -= 1
    player = _PLAYERS.get(words[cells].lower()) if 0 < cells < len(words) else None
    return " ".join(words[:cells]), player, " ".join(words[cells + (player is not None) :])


def _cells_in(words: list[str]) -> int:
    return sum(map(len, words))


def _parts_of_checkers(text: str) -> tuple[str, str | None, str]:
    """The same of PDN, or of a position with or without moves after it; the position says who is to move."""
    board = {name.upper(): value for name, value in _TAG.findall(text)}.get("FEN", "")
    moves = _RESULT.sub(" ", _COMMENT.sub(" ", _TAG.sub(" ", text))).strip()
    if not board and ":" in moves.partition(" ")[0].partition("\n")[0]:
        board, _, moves = moves.replace("\n", " ").partition(" ")
    return board, None, moves


def write_text(record: GameRecord) -> str:
    """What `read_text` reads back, on a few lines.

    Raises:
        ValueError: a move is not legal.
    """
    rules = Rules.parse(record.game)
    states = record.states()
    start = states[0]
    if rules.name == "checkers":
        return _pdn(states, record.position is not None)
    moves = [action for state, action in zip(states, record.moves, strict=False) if not state.must_pass]
    names = " ".join(map(start.action_to_text, moves))
    if rules.name == "othello" and record.position is None:
        return names
    board, player = position_to_text(start)
    return f"{board} {player}\n{names}".strip()


def _pdn(states: list[State], has_position: bool) -> str:
    tags = {"GameType": "21", "Result": _result(states[-1])}
    if has_position:
        tags |= {"SetUp": "1", "FEN": position_to_text(states[0])[0]}
    names: list[str] = []
    mover = None
    for before, after in pairwise(states):
        name = before.action_to_text(after.moves[-1])
        if mover == before.to_move:  # the same piece goes on
            names[-1] += name[name.index("x") :]
        else:
            names.append(name)
        mover = before.to_move
    skipped = 1 if states[0].to_move else 0  # the number of each of Red's moves, and of White's first
    numbered = [f"{'' if (i + skipped) % 2 else f'{(i + skipped) // 2 + 1}. '}{name}" for i, name in enumerate(names)]
    if skipped and numbered:
        numbered[0] = f"1... {numbered[0]}"
    return "\n".join(
        [*(f'[{name} "{value}"]' for name, value in tags.items()), "", " ".join([*numbered, tags["Result"]])]
    )


def _result(end: State) -> str:
    """How a game of checkers ended, as PDN has it: White's score first."""
    if not end.is_over:
        return "*"
    return {1.0: "0-1", -1.0: "1-0"}.get(end.returns()[0], "1/2-1/2")
