"""An agent that asks a language model for its moves, and keeps the conversations."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, AgentError, AgentLeftError, check_not_over
from othello_env.games.batch import Positions
from othello_env.games.game import State, check_text
from othello_env.support.files import as_type, check_output, parse_json, read_file
from othello_env.support.numbers import check_flag, check_real, check_whole
from othello_env.text.wording import (
    LONGEST,
    WrongAnswerError,
    correction,
    play_text,
    position_text,
    read_part,
    rules_text,
)

__all__ = ["Chat", "ChatAgent", "Conversation"]

Chat = Callable[[list[dict[str, str]]], str | None]
"""A function that asks a language model. It takes messages with `role` and `content`, and returns the next message."""

_FORMAT = "othello-env chat 1"
_LARGEST_FILE = 4 << 30  # bytes


@dataclass(frozen=True)
class Conversation:
    """A question for a move, and the model's answers: one line of a file of transcripts.

    Attributes:
        format: the name of the format.
        agent: the name of the agent.
        game: the key of the game and seat (see `othello_env.agent.Seat`), or None outside a game.
        messages: the question, then the model's answer; after a wrong answer the correction and the next answer.
        faults: ``"illegal"`` or ``"unreadable"`` for each wrong answer.
        move: the name of the move that was played; None if no answer named a legal move.
    """

    format: str
    agent: str
    game: int | None
    messages: list[dict[str, str]]
    faults: list[str]
    move: str | None


class ChatAgent(Agent):
    """Asks a language model for its moves in Othello, checkers or Tribolo.

    Each move is a conversation of its own. The question has the rules and the board. An answer that
    names no legal move gets a text that says why. After `attempts` such answers the agent gives up, and forfeits the
    game in a match. If the client fails, the question is repeated. If it fails again and again, the match stops and
    nobody loses the game.

    The agent remembers its conversations. The same question in the same game gets the same answer, without a call. So
    with `transcripts`, a match that was interrupted goes on where it stopped if it is started again with the same seed.

    Args:
        chat: a function that takes messages, such as ``[{"role": "user", "content": "..."}]``, and returns the model's
            text. With `workers`, threads call it at the same time.
        name: the name of the agent in results and transcripts.
        legal_moves: whether the question lists the legal moves.
        attempts: the number of answers that the model may give for a move.
        retries: how often a question is repeated if `chat` raises an error.
        wait: the seconds before the first repetition. Each further repetition waits twice as long.
        workers: the largest number of calls at the same time. More than one call is made in games of Othello on the
            ladder or in a match against an agent that plays many games at once, and in packaged positions.
        transcripts: a file to which each conversation is added as a line of JSON (see `Conversation`), or None.

    Attributes:
        counts: the numbers of ``"moves"`` that were asked for, ``"answers"``, ``"illegal"`` and ``"unreadable"``
            answers, moves without a legal answer (``"forfeits"``), and failed calls (``"errors"``). Conversations in
            the file count too.

    Raises:
        OSError: the file of transcripts cannot be read or written.
        TypeError, ValueError: an argument is wrong, or the file holds something else or another agent's transcripts.

    >>> agent = ChatAgent(lambda messages: 'I choose {"move": "d3"}.')
    >>> from othello_env import Othello
    >>> agent.act(Othello())
    19
    """

    def __init__(
        self,
        chat: Chat,
        *,
        name: str = "chat",
        legal_moves: bool = False,
        attempts: int = 2,
        retries: int = 3,
        wait: float = 1.0,
        workers: int = 1,
        transcripts: str | Path | None = None,
    ) -> None:
        if not callable(chat):
            raise TypeError(f"chat must be a function that takes messages and returns text, not {chat!r}")
        self._chat = chat
        self._name = check_text(name, "the name of an agent")
        self._legal_moves = check_flag("legal_moves", legal_moves)
        self._attempts = check_whole("attempts", attempts, 1)
        self._retries = check_whole("retries", retries, 0)
        self._wait = check_real("wait", wait, 0.0)
        self._workers = check_whole("workers", workers, 1)
        self._game: int | None = None
        self._lock = threading.Lock()
        self._answers: dict[tuple[int, str], list[str]] = {}
        self.counts = Counter(moves=0, answers=0, illegal=0, unreadable=0, forfeits=0, errors=0)
        self._file = None if transcripts is None else Path(transcripts)
        for conversation in [] if self._file is None else _read_transcripts(self._file, name):
            self._remember(conversation)

    def __repr__(self) -> str:
        return self._name

    def answers_batches(self, start: State) -> bool:
        return self._workers > 1

    def check_game(self, state: State) -> None:
        rules_text(state, self._attempts)

    def new_game(self, key: int) -> None:
        self._game = key

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        """The move that the model names.

        Raises:
            AgentError: no answer named a legal move. The message says ``illegal`` or ``unreadable``.
            AgentLeftError: the client failed too often, or `chat` returned something that is not text.
        """
        check_not_over(state)
        return self._move(state, self._game)

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        """The moves that the model names. Where no answer names a legal move, the action is -1, which is illegal."""

        def ask(number: int) -> int:
            try:
                return self._move(batch.state(number), int(batch.key[number]))
            except AgentLeftError:
                raise
            except AgentError:
                return -1

        with ThreadPoolExecutor(self._workers) as pool:
            return np.fromiter(pool.map(ask, range(len(batch))), np.int64, len(batch))

    def report(self) -> list[str]:
        """Sentences about the answers so far."""
        counts = self.counts
        said = [
            f"{counts['moves']} moves, {counts['answers']} answers: {counts['illegal']} illegal, "
            f"{counts['unreadable']} unreadable; {counts['forfeits']} moves without a legal answer."
        ]
        return said + ([f"{counts['errors']} calls of the model failed."] if counts["errors"] else [])

    def _move(self, state: State, game: int | None) -> int:
        """The move that the model names; see `act`."""
        if state.must_pass:
            return state.legal_actions()[0]
        question = f"{rules_text(state, self._attempts)}\n\n{position_text(state, legal_moves=self._legal_moves)}"
        known = [] if game is None else self._answers.get((game, question), [])
        messages: list[dict[str, str]] = []
        faults: list[str] = []
        said, reason, after = question, "", None
        while after is None and len(faults) < self._attempts:
            messages.append({"role": "user", "content": said})
            number = len(faults)
            answer = known[number] if number < len(known) else self._ask(messages)
            messages.append({"role": "assistant", "content": answer})
            try:
                after = play_text(state, answer)
            except WrongAnswerError as error:
                faults.append(error.kind)
                said, reason = correction(error), f"{error.kind}: {error}"
        action = None if after is None else after.moves[len(state.moves)]
        if len(messages) > 2 * len(known):
            move = None if action is None else state.action_to_text(action)
            self._keep(Conversation(_FORMAT, self._name, game, messages, faults, move))
        if action is None:
            raise AgentError(f"{self._name} named no legal move in {state!r}; its last answer is {reason}")
        return action

    def _ask(self, messages: list[dict[str, str]]) -> str:
        """The model's next message. Of a very long one, only the part that is read."""
        failed = 0
        while True:
            try:
                answer = self._chat([dict(message) for message in messages])
            except Exception as error:  # the client's own errors are unknown here
                failed += 1
                with self._lock:
                    self.counts["errors"] += 1
                if failed > self._retries:
                    said = f"{type(error).__name__}: {error}"
                    raise AgentLeftError(f"{self._name}: the model could not be asked: {said}") from error
                time.sleep(self._wait * 2 ** (failed - 1))
            else:
                if not isinstance(answer, str | None):  # the caller's mistake, for which no game may be lost
                    raise AgentLeftError(
                        f"{self._name}: chat must return the model's text, not {answer!r:.60} of type "
                        f"{type(answer).__name__}"
                    )
                text = answer or ""
                kept = text if len(text) <= LONGEST else read_part(text)
                return kept.encode(errors="replace").decode()  # a file cannot hold half a character

    def _keep(self, conversation: Conversation) -> None:
        with self._lock:
            self._remember(conversation)
            if self._file is not None:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                with self._file.open("ab") as file:
                    file.write(json.dumps(asdict(conversation)).encode() + b"\n")

    def _remember(self, conversation: Conversation) -> None:
        answers = [message["content"] for message in conversation.messages[1::2]]
        if conversation.game is not None:
            self._answers[conversation.game, conversation.messages[0]["content"]] = answers
        self.counts.update(conversation.faults)
        self.counts.update(moves=1, answers=len(answers), forfeits=conversation.move is None)


def _read_transcripts(path: Path, name: str) -> list[Conversation]:
    """The conversations in a file. If its last line is incomplete because a process was killed, the line is removed."""
    check_output(path)
    if not path.exists():
        return []
    data = read_file(path, _LARGEST_FILE, "read transcripts from")
    *lines, torn = data.split(b"\n")
    conversations = []
    for number, line in enumerate(lines, start=1):
        try:
            found = as_type(parse_json(line), Conversation)
            if (found.format, found.agent) != (_FORMAT, name):
                raise ValueError(f"expected {_FORMAT!r} of {name!r}, got {found.format!r} of {found.agent!r}")
            if len(found.messages) < 2 or not all({"role", "content"} <= message.keys() for message in found.messages):
                raise ValueError("expected at least two messages, each with role and content")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        conversations.append(found)
    if torn:
        head = json.dumps({"format": _FORMAT})[:-1].encode()
        if not (torn.startswith(head) or head.startswith(torn)):
            shown = torn[:60].decode(errors="replace")
            raise ValueError(f"{path}, line {len(lines) + 1}: {shown!r} is no transcript")
        with path.open("r+b") as file:
            file.truncate(len(data) - len(torn))
    return conversations
