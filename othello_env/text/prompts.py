"""The question that a language model is asked for a move: a template that is filled in for each position."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from othello_env.games.game import IllegalActionError, State, WrongGameError, check_choice, check_text
from othello_env.games.othello.position import Othello
from othello_env.support.files import read_file
from othello_env.support.numbers import check_flag, check_whole
from othello_env.support.words import near
from othello_env.text.wording import answer_text, rules_of

__all__ = ["TEMPLATES", "Prompt", "prompt_hash"]

_LARGEST_TEMPLATE = 1 << 20  # bytes

_KAGGLE = """\
Let's play Reversi.

Rules: files are lettered from a, left to right, and ranks are numbered from 1, top to bottom, as the board below shows.
Black ('x') begins, White ('o') follows. A move places one disk of your colour on an empty square. In at least one of
the eight directions, the disk must flank an unbroken run of the opponent's disks, with a disk of your colour at the far
end of the run. All flanked disks are flipped to your colour. A placement that flips nothing is illegal. A player
without a legal placement must pass ("pass"). The game ends when neither player has a legal placement. The player with
more disks wins; equal counts are a draw.

Board ('.' = empty, 'x' = Black disk, 'o' = White disk):
$grid

Disk counts: $scores
You are $player.
Move number: $move_number
Last move played: $last_move
Moves played so far (both players, oldest first): $history

It is your turn. Choose a legal move. Respond with your reasoning, followed by your final move in a JSON block:

```json
{
  "move": "<file><rank>"
}
```

If (and only if) you have no legal placement, the move is "pass". An answer without such a block, or an illegal move,
loses the game.
"""

TEMPLATES: Mapping[str, str] = {"kaggle": _KAGGLE}
"""Templates by name. ``kaggle`` has the form of the Reversi harness in Kaggle's Game Arena."""


def _history(state: State) -> str:
    return ", ".join(map(state.action_to_text, state.moves)) or "none"


def _known_history(state: State) -> str:
    """The moves so far, for a question without a board.

    Raises:
        WrongGameError: these moves do not lead from the usual start to this position.
    """
    try:
        is_known = type(state)(**state.options).positions(state.moves)[-1] == state
    except IllegalActionError:
        is_known = False
    if not is_known:
        raise WrongGameError(f"without a board, a game must begin at the usual start, which does not lead to {state!r}")
    return _history(state)


def _grid(state: State) -> str:
    """The board of Othello with the signs of OpenSpiel: ``x``, ``o`` and a full stop.

    Raises:
        WrongGameError: the position is of another game.
    """
    if type(state) is not Othello:
        raise WrongGameError(f"$grid in a template is for Othello, not for {type(state).__name__}")
    return "\n".join(str(state).splitlines()[: state.size + 1]).translate(str.maketrans("XO-", "xo."))


_FIELDS: dict[str, Callable[[State], str]] = {
    "rules": rules_of,
    "board": str,
    "grid": _grid,
    "scores": lambda state: ", ".join(
        f"{name} {score}" for name, score in zip(state.player_names, state.scores(), strict=True)
    ),
    "player": lambda state: state.player_names[state.to_move],
    "legal_moves": lambda state: " ".join(map(state.action_to_text, state.legal_actions())),
    "history": _history,
    "known_history": _known_history,
    "last_move": lambda state: state.action_to_text(state.moves[-1]) if state.moves else "none",
    "move_number": lambda state: str(len(state.moves)),
}
"""What a template can show, by the name that stands behind a dollar sign. ``$answer`` depends on the attempts."""


@dataclass(frozen=True)
class Prompt:
    """How a model is asked for a move.

    Attributes:
        system: the text of the system message; None for no such message.
        template: the text of the question, with names such as ``$board`` in place of what depends on the position.
        attempts: the number of answers that the model may give for a move.
    """

    system: str | None
    template: str
    attempts: int

    @classmethod
    def from_options(
        cls,
        system: str | None,
        template: str | Path | None,
        legal_moves: bool,
        history: bool | str,
        board: bool,
        attempts: int | None,
    ) -> Prompt:
        """The prompt of the options of `othello_env.text.ChatAgent`.

        Raises:
            OSError: the file of the template cannot be read.
            TypeError, ValueError: an option is wrong, or the template shows something unknown.
        """
        if system is not None:
            check_text(system, "a system message")
        if isinstance(history, str):
            check_choice("history", history, ("conversation",))
        else:
            check_flag("history", history)
        check_flag("legal_moves", legal_moves)
        check_flag("board", board)
        loses_at_once = template in TEMPLATES  # these texts say so
        attempts = check_whole("attempts", attempts, 1) if attempts is not None else 1 if loses_at_once else 2
        if template is None:
            return cls(system, _composed(legal_moves, history is True, board), attempts)
        if legal_moves or history or not board:
            raise ValueError("legal_moves, history and board are for the usual question; a template says what it shows")
        if loses_at_once and attempts != 1:
            raise ValueError(f"template {template} says that a wrong answer loses: attempts is 1, not {attempts}")
        return cls(system, _read(template), attempts)

    def messages(self, state: State) -> list[dict[str, str]]:
        """The messages that ask for a move in a position.

        Raises:
            WrongGameError: the question cannot be asked about this position.
        """
        question = Template(self.template)
        fields = {name: _FIELDS[name](state) for name in question.get_identifiers() if name != "answer"}
        text = question.substitute(fields, answer=answer_text(self.attempts))
        system = [] if self.system is None else [{"role": "system", "content": self.system}]
        return [*system, {"role": "user", "content": text}]


def prompt_hash(messages: list[dict[str, str]]) -> str:
    """The SHA-256 of the messages of a question."""
    return f"sha256:{hashlib.sha256(json.dumps(messages).encode()).hexdigest()}"


def _composed(legal_moves: bool, history: bool, board: bool) -> str:
    """The usual question."""
    lines = ["$rules\n\n$answer\n"]
    if board:
        lines.append("$board")
    if history or not board:
        lines.append(f"Moves so far: {'$history' if board else '$known_history'}.")
    lines.append("You are $player. It is your move.")
    if legal_moves:
        lines.append("Legal moves: $legal_moves")
    return "\n".join(lines)


def _read(template: str | Path) -> str:
    """The text of a template, which is given by its name or its file."""
    if isinstance(template, str) and template in TEMPLATES:
        return TEMPLATES[template]
    path = Path(template)
    if not path.is_file():
        raise ValueError(
            f"expected a template {', '.join(TEMPLATES)} or a file, got {template!r}{near(str(template), TEMPLATES)}"
        )
    text = read_file(path, _LARGEST_TEMPLATE, "read a template from").decode()
    filled, known = Template(text), {*_FIELDS, "answer"}
    wrong = sorted(set(filled.get_identifiers()) - known)
    if wrong or not filled.is_valid():
        got = f"${wrong[0]}" if wrong else "a dollar sign without a name ($$ stands for a dollar sign)"
        raise ValueError(f"{path}: expected {', '.join(f'${name}' for name in sorted(known))} in a template, got {got}")
    return text
