"""An agent that asks a language model for its moves, and keeps what the model said."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from reprlib import repr as short
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, AgentError, AgentLeftError, GameAhead, check_not_over
from othello_env.games.batch import Positions
from othello_env.games.game import State, check_choice, check_text
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameSpec
from othello_env.support.files import as_type, check_output, parse_json, read_file
from othello_env.support.numbers import check_flag, check_real, check_whole
from othello_env.text.conversations import Conversations, Dialogue, Messages
from othello_env.text.regret import discs_lost
from othello_env.text.wording import (
    LONGEST,
    WrongAnswerError,
    correction,
    news_text,
    play_text,
    question_text,
    read_part,
)

__all__ = ["Answer", "Chat", "ChatAgent", "ChatMove"]

_log = logging.getLogger(__name__)
_FORMAT = "othello-env chat 3"
_LARGEST_FILE = 4 << 30  # bytes
_JUDGED = {4: 16, 6: 20, 8: 12}
"""For each size of Othello's board, the most empty squares with which the regret of a move is found: in about 0.1 s."""
_LONGEST_WORDS = 4_000
"""The most characters of an answer that stand beside its move."""
_CHARACTERS = 4
"""Before a model is asked, its tokens are unknown. In English, a token has about this many characters."""
_LONGEST_WAIT = 60.0
"""The most seconds between two calls, unless the endpoint asks for more by Retry-After."""
_LONGEST_RETRY_AFTER = 600.0
_MISTAKES = (AttributeError, ImportError, NameError, TypeError)
"""Errors of a wrong program. Before the first answer, such a call is not repeated."""
_Talks = dict[int, tuple[State, Messages]]
"""For games that are one conversation: the last position in which the model answered, and what was said, by key."""


@dataclass(frozen=True)
class Answer:
    """What a language model said, and what this took.

    Attributes:
        text: the model's text. None counts as an empty text.
        tokens: the number of tokens that the model wrote, with those of its thinking; None if unknown.
        cost: the price of the call, for example in dollars; None if unknown.
        seconds: the time of the call. If None, `ChatAgent` measures it.
        prompt_tokens: the number of tokens that the model read; None if unknown.
    """

    text: str | None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    prompt_tokens: int | None = None


Chat = Callable[[Any], Any]
"""A function that asks a language model. It takes messages with `role` and `content`, and returns the model's text, or
an `Answer`. It may be a coroutine function (``async def``). With `batched`, it takes a list of conversations and
returns a list of texts or of `Answer`."""


@dataclass(frozen=True)
class ChatMove:
    """A move that a model was asked for: one line of a file of transcripts.

    Attributes:
        key: the key of the game and seat (see `othello_env.agent.Seat`), or None outside a game.
        game: the game, such as ``othello:size=6``.
        transcript: the moves so far.
        board: the position as text, see `othello_env.games.game.State.to_text`.
        to_move: the name of the model's player.
        prompt: the SHA-256 of the question, which `ChatAgent.question` gives; in a game that is one conversation, of
            all that was said in it before the answer.
        answers: the model's answers. All but the last are wrong.
        faults: ``"illegal"`` or ``"unreadable"`` for each wrong answer.
        move: the name of the move that was played; None if no answer named a legal move.
        regret: the discs that the move lost against perfect play; None if this is not known.
    """

    key: int | None
    game: str
    transcript: str
    board: str
    to_move: str
    prompt: str
    answers: list[Answer]
    faults: list[str]
    move: str | None
    regret: float | None


class ChatAgent(Agent):
    """Asks a language model for its moves in Othello, checkers or Tribolo.

    Each move is a conversation of its own. The question has the rules and the board. An answer that names no legal
    move gets a text that says why. After `attempts` such answers the agent gives up, and forfeits the game in a match.
    If the client fails, the question is repeated. If it fails again and again, or calls `sys.exit`, the match stops and
    nobody loses the game.

    The same question in the same game gets the same answer, without a call. So with `transcripts`, a match that was
    interrupted goes on where it stopped if it is started again with the same seed.

    Args:
        chat: a function that takes messages, such as ``[{"role": "user", "content": "..."}]``, and returns the model's
            text, or an `Answer`; see `batched`. With `workers`, threads call it at the same time. A coroutine function
            runs in one event loop, in a thread of its own.
        name: the name of the agent in results and transcripts.
        system: the text of a system message, or None.
        question: a function from a State to the text of the question; None for the usual question, which has the rules,
            how to answer, and the board. After a wrong answer, the model is told why, as always.
        legal_moves: whether the usual question lists the legal moves.
        history: True if the usual question lists the moves so far. With ``"conversation"`` a game is one conversation,
            as in `OthelloText`: after the first question, the model reads what was played since its last move, and the
            position.
        attempts: the number of answers that the model may give for a move. The usual question says what a wrong answer
            costs.
        retries: how often a question is repeated if `chat` raises an error. Before the first answer, an error such as
            TypeError or NameError stops at once: then the function is wrong.
        wait: the seconds before the first repetition. Each further repetition waits twice as long, up to a minute, so
            by default the agent gives up after two minutes. If the error has an HTTP response with the header
            Retry-After with a number of seconds, the agent waits that long, up to ten minutes.
        timeout: the seconds after which a call counts as failed. The call of a coroutine function is cancelled; another
            function goes on in its thread, and its answer is ignored.
        workers: the largest number of calls at the same time. More than one call is made in packaged positions, and in
            games of Othello against agents that play many games at once. On a ladder, free calls are used for games
            that will probably follow, so some answers are for games that are not played.
        batched: True if `chat` takes a list of up to `workers` conversations at once, and returns their answers as a
            list, as a model does that runs in this process.
        settings: what else determines the answers, such as ``{"model": "...", "temperature": 0.6}``: values for JSON.
        transcripts: a file of JSON lines, or None. The first line has the name, the prompt and the settings, each other
            line is a `ChatMove`. A file of another name, prompt or settings is refused.

    Attributes:
        moves: the moves (`ChatMove`) that were asked for.
        errors: the number of failed calls.

    Raises:
        OSError: a file cannot be read or written.
        TypeError, ValueError: an argument is wrong, or the file of transcripts holds something else.

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
        system: str | None = None,
        question: Callable[[State], str] | None = None,
        legal_moves: bool = False,
        history: bool | str = False,
        attempts: int = 2,
        retries: int = 7,
        wait: float = 1.0,
        timeout: float = 600.0,
        workers: int = 1,
        batched: bool = False,
        settings: Mapping[str, Any] | None = None,
        transcripts: str | Path | None = None,
    ) -> None:
        if not callable(chat):
            raise TypeError(f"chat must be a function that takes messages and returns text, not {chat!r}")
        self._chat = chat
        self._name = check_text(name, "the name of an agent")
        self._system = None if system is None else check_text(system, "a system message")
        self._attempts = check_whole("attempts", attempts, 1)
        shown = {"legal_moves": check_flag("legal_moves", legal_moves), "history": history is True}
        check_choice("history", history, (False, True, "conversation"))
        if question is not None and (legal_moves or history):
            raise ValueError("legal_moves and history are for the usual question, not for a question of your own")
        self._question = question or partial(question_text, attempts=attempts, **shown)
        self._retries = check_whole("retries", retries, 0)
        self._wait = check_real("wait", wait, 0.0)
        self._timeout = check_real("timeout", timeout, 0.0, 1e6)
        self._workers = check_whole("workers", workers, 1)
        self._batched = check_flag("batched", batched)
        self._follow_up = {"legal_moves": legal_moves} if history == "conversation" else None
        self._talks: _Talks = {}
        self._own = threading.local()
        self._loop: tuple[int, asyncio.AbstractEventLoop] | None = None
        self._key: int | None = None
        self._lock = threading.Lock()
        self.moves: list[ChatMove] = []
        self.errors = 0
        self._counted: set[tuple[int | None, str]] = set()
        self._ahead: dict[tuple[int | None, str], list[Answer]] = {}  # asked in games that were not played
        self._file = None if transcripts is None else Path(transcripts)
        try:
            settings = json.loads(json.dumps(dict(settings or {}), allow_nan=False))
        except (TypeError, ValueError) as error:
            raise TypeError(f"expected settings as values for JSON by name, got {settings!r:.200}: {error}") from None
        prompt = {"system": system, "question": getattr(question, "__qualname__", None), "legal_moves": legal_moves}
        prompt |= {"history": history, "attempts": attempts}
        self._head = {"format": _FORMAT, "agent": name, "settings": settings, "prompt": prompt}
        known = [] if self._file is None else _read_transcripts(self._file, self._head)
        self._known = {(move.key, move.prompt): move.answers for move in known}

    def __repr__(self) -> str:
        return self._name

    def answers_batches(self, start: State) -> bool:
        return self._workers > 1

    def check_game(self, state: State) -> None:
        self.question(state)

    def new_game(self, key: int) -> None:
        self._key = key

    def question(self, state: State) -> list[dict[str, str]]:
        """The messages that ask the model for a move in a position.

        Raises:
            WrongGameError: the question cannot be asked about this position.
        """
        system = [] if self._system is None else [{"role": "system", "content": self._system}]
        return [*system, {"role": "user", "content": self._question(state)}]

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        """The move that the model names.

        Raises:
            AgentError: no answer named a legal move. The message says ``illegal`` or ``unreadable``.
            AgentLeftError: the client failed too often, or `chat` returned something that is not text.
        """
        check_not_over(state)
        (end,) = self._conversations.lead([self._dialogue(state, self._key)])
        if isinstance(end, AgentError):
            raise end
        return end

    def act_batch(self, batch: Positions) -> npt.NDArray[np.int64]:
        """The moves that the model names. Where no answer names a legal move, the action is -1, which is illegal."""
        dialogues = [self._dialogue(batch.state(i), key) for i, key in enumerate(batch.key.tolist())]
        ends = self._conversations.lead(dialogues)
        return np.array([-1 if isinstance(end, AgentError) else end for end in ends], np.int64)

    def ahead(self, games: Iterator[GameAhead | None]) -> AbstractContextManager[None]:
        """Ask the model in later games while fewer than `workers` calls are under way; see `OptionalMethods.ahead`.

        The answers are remembered, so that nothing is asked again when the games are played.
        """
        return self._conversations.ahead(None if game is None else self._later_game(game) for game in games)

    def estimate(self, state: State, moves: int) -> str:
        """A sentence that says about how many calls and tokens a number of moves takes, in games from a position on.

        Without answers, the tokens of the questions are those of a game with short answers, at 4 characters each. If
        there are answers, in the transcripts or already in this run, the moves will take what these took.
        """
        answers = [answer for each in self._known.values() for answer in each]
        sums = {
            "{:,.0f} tokens of questions": _sum(answer.prompt_tokens for answer in answers),
            "{:,.0f} tokens of answers": _sum(answer.tokens for answer in answers),
            "a cost of {:.2f}": _sum(answer.cost for answer in answers),
        }
        said = [form.format(moves * total / len(self._known)) for form, total in sums.items() if total is not None]
        if said:
            basis = f"as in the first {len(self._known):,}"
        else:
            said = [f"{moves * self._characters(state) / 4:,.0f} tokens of questions"]
            basis = "4 characters are counted as a token"
        return f"{self._name}: up to about {moves:,} moves, with {' and '.join(said)} ({basis})."

    def _characters(self, state: State) -> float:
        """The mean number of characters of a question in a game of first legal moves, which short answers name."""
        player, talks, lengths = state.to_move, _Talks(), list[int]()
        while not state.is_over:
            action = state.legal_actions()[0]
            if state.to_move == player and not state.must_pass:
                messages = self._messages(state, 0, talks)
                lengths.append(sum(len(message["content"]) for message in messages))
                talks[0] = state, [*messages, {"role": "assistant", "content": state.action_to_text(action)}]
            state = state.play(action)
        return fmean(lengths)

    def summary(self) -> dict[str, Any]:
        """The answers so far in numbers, as plain values.

        Returns:
            A dict. ``moves``, ``answers``, ``illegal``, ``unreadable``, ``forfeits`` (moves without a legal answer) and
            ``errors`` (failed calls) are counts. ``legal_rate``, ``illegal_rate`` and ``unreadable_rate`` are shares of
            the answers; ``legal_rate_interval95`` and so on are their intervals by Wilson's method; None without
            answers. ``prompt_tokens_a_move``, ``tokens_a_move`` and ``seconds_a_move`` are means, and ``cost`` is a
            sum; None if an answer has no such number. ``unused`` is the number of further answers, in games that were
            asked ahead and not played; ``cost`` has their costs, too. ``judged`` is the number of moves whose regret is
            known, and ``discs_lost_a_move`` its mean, or None.
        """
        moves, answers = list(self.moves), [answer for move in self.moves for answer in move.answers]
        faults = Counter(fault for move in moves for fault in move.faults)
        numbers: dict[str, Any] = {
            "moves": len(moves),
            "answers": len(answers),
            "illegal": faults["illegal"],
            "unreadable": faults["unreadable"],
            "forfeits": sum(move.move is None for move in moves),
            "errors": self.errors,
            "unused": sum(map(len, self._ahead.values())),
        }
        shares = {
            "legal": len(answers) - faults.total(),
            "illegal": faults["illegal"],
            "unreadable": faults["unreadable"],
        }
        for name, count in shares.items():
            numbers[f"{name}_rate"], numbers[f"{name}_rate_interval95"] = _share(count, len(answers))
        for name, digits in (("prompt_tokens", 1), ("tokens", 1), ("seconds", 3)):
            total = _sum(getattr(answer, name) for answer in answers)
            numbers[f"{name}_a_move"] = None if total is None else round(total / len(moves), digits)
        cost = _sum(answer.cost for answer in chain(answers, *self._ahead.values()))
        numbers["cost"] = None if cost is None else round(cost, 6)
        lost = [move.regret for move in moves if move.regret is not None]
        return numbers | {"judged": len(lost), "discs_lost_a_move": round(fmean(lost), 3) if lost else None}

    def words(self, key: int, positions: Iterable[State]) -> tuple[str, ...]:
        """What the model said in the positions of a game.

        Args:
            key: the key of the game and seat; see `othello_env.agent.Seat`.
            positions: the positions.

        Returns:
            For each position, the end of the model's last answer; an empty text where it was not asked.
        """
        own = [move for move in self.moves if move.key == key]
        said = {(move.transcript, move.to_move): move.answers[-1].text or "" for move in own}
        asked = ((position.transcript(), position.player_names[position.to_move]) for position in positions)
        return tuple(said.get(question, "")[-_LONGEST_WORDS:] for question in asked)

    def report(self) -> list[str]:
        """Sentences about the answers so far; see `summary`."""
        summary = self.summary()
        said = [
            f"{summary['moves']} moves, {summary['answers']} answers: {summary['illegal']} illegal"
            f"{_rate_text(summary, 'illegal')}, {summary['unreadable']} unreadable{_rate_text(summary, 'unreadable')}; "
            f"{summary['forfeits']} moves without a legal answer."
        ]
        if summary["judged"]:
            lost = f"{summary['discs_lost_a_move']:.2f} discs a move"
            said.append(f"Against perfect play, {summary['judged']} moves near the end lost {lost}.")
        if summary["unused"]:
            said.append(f"{summary['unused']} more answers were asked ahead, in games that were not played.")
        if self.errors:
            said.append(f"{self.errors} calls of the model failed.")
        return said

    @property
    def _conversations(self) -> Conversations:
        """Those of this thread."""
        if not hasattr(self._own, "conversations"):
            self._own.conversations = Conversations(self._ask, self._workers, batched=self._batched)
        conversations: Conversations = self._own.conversations
        return conversations

    def _later_game(self, game: GameAhead) -> Dialogue:
        """The dialogues of a game that will be played later. They end where no answer names a legal move."""
        talks: _Talks = {}
        with suppress(StopIteration):
            state, key = next(game)
            while True:
                state, key = game.send((yield from self._dialogue(state, key, talks)))
        return 0

    def _dialogue(self, state: State, key: int | None, later: _Talks | None = None) -> Dialogue:
        """Yields the conversations that the model must answer, gets the answers, and returns the action; see `act`.

        `later` has the conversation of a game that will be played later. Its moves do not count yet.
        """
        if state.must_pass:
            return state.legal_actions()[0]
        talks, under_way = self._talks if later is None else later, self._conversations.under_way
        messages = self._messages(state, key, talks)
        asked = _hash(messages)
        while key is not None and (key, asked) in under_way:
            yield None
        under_way.add((key, asked))
        try:
            known = [] if key is None else self._known.get((key, asked), [])
            answers, faults, after, reason = yield from self._answered(state, messages, known)
        finally:
            under_way.discard((key, asked))
        action = None if after is None else after.moves[len(state.moves)]
        move = ChatMove(
            key,
            str(GameSpec.from_state(state)),
            state.transcript(),
            state.to_text(),
            state.player_names[state.to_move],
            asked,
            answers,
            faults,
            None if action is None else state.action_to_text(action),
            _regret(state, after),
        )
        self._keep(move, is_new=len(answers) > len(known), counts=later is None)
        if action is None:
            raise AgentError(f"{self._name} named no legal move in {state!r}; its last answer is {reason}")
        if key is not None and self._follow_up is not None:
            talks[key] = state, messages
        return action

    def _answered(
        self, state: State, messages: Messages, known: Sequence[Answer]
    ) -> Generator[Messages, Answer, tuple[list[Answer], list[str], State | None, str]]:
        """The answers to a question, the first of which are known, the faults, the position after it and why not."""
        answers: list[Answer] = []
        faults: list[str] = []
        reason = ""
        while len(faults) < self._attempts:
            answer = known[len(answers)] if len(answers) < len(known) else (yield messages)
            text = answer.text or ""
            answers.append(answer)
            messages += [{"role": "assistant", "content": text if len(text) <= LONGEST else read_part(text)}]
            try:
                return answers, faults, play_text(state, text), reason
            except WrongAnswerError as error:
                faults.append(error.kind)
                reason = f"{error.kind}: {error}"
                messages += [{"role": "user", "content": correction(error)}]
        return answers, faults, None, reason

    def _messages(self, state: State, key: int | None, talks: _Talks) -> Messages:
        """The question for a move; in a game that is one conversation, with all before it."""
        if self._follow_up is not None and key in talks:
            before, messages = talks[key]
            if state.moves[: len(before.moves)] == before.moves and len(state.moves) > len(before.moves):
                news = news_text(before, state, before.to_move, **self._follow_up)
                return [*messages, {"role": "user", "content": news}]
        return self.question(state)

    def _ask(self, asked: list[Messages]) -> list[Answer]:
        """The model's next answers in some conversations; without `batched`, in one."""
        failed = 0
        while True:
            began = time.perf_counter()
            try:
                said = self._called([[dict(message) for message in messages] for messages in asked])
            except SystemExit as error:  # the caller's: no agent's fault, for which a game would be lost
                raise AgentLeftError(f"{self._name}: chat ended the program: SystemExit: {error}") from error
            except Exception as error:  # the client's own errors are unknown here
                failed += 1
                with self._lock:
                    self.errors += 1
                is_mistake = isinstance(error, _MISTAKES) and not (self.moves or self._known)
                if failed > self._retries or is_mistake:
                    reason = f"{type(error).__name__}: {str(error) or 'no answer in time'}"
                    raise AgentLeftError(f"{self._name}: the model could not be asked: {reason}") from error
                wait = min(self._wait * 2 ** min(failed - 1, 20), max(_LONGEST_WAIT, self._wait))
                wait = max(wait, _retry_after(error))
                _log.warning("%s: %s: %s; asked again in %.0f s", self._name, type(error).__name__, error, wait)
                time.sleep(wait)
            else:
                seconds = round(time.perf_counter() - began, 3)
                if self._batched and (not isinstance(said, list) or len(said) != len(asked)):
                    raise AgentLeftError(
                        f"{self._name}: chat must return a list of {len(asked)} answers, not {said!r:.60}"
                    )
                answers: list[Any] = said if self._batched else [said]
                return [self._checked(each if isinstance(each, Answer) else Answer(each), seconds) for each in answers]

    def _called(self, asked: list[Messages]) -> Any:
        """What `chat` returns.

        Raises:
            TimeoutError: it takes too long.
        """
        found: Future[Any] = Future()

        def call() -> None:
            try:
                said = self._chat(asked if self._batched else asked[0])
            except BaseException as error:  # raised again in the thread that waits
                found.set_exception(error)
            else:
                if inspect.isawaitable(said):
                    cancelled = asyncio.wait_for(_await(said, found), self._timeout)
                    asyncio.run_coroutine_threadsafe(cancelled, self._event_loop())
                else:
                    found.set_result(said)

        threading.Thread(target=call, daemon=True).start()  # a daemon: a call that hangs keeps no program alive
        return found.result(self._timeout)

    def _event_loop(self) -> asyncio.AbstractEventLoop:
        """The loop of a coroutine function: always the same, since a client's connections belong to it."""
        with self._lock:
            if self._loop is None or self._loop[0] != os.getpid():  # a forked process needs a thread of its own
                self._loop = os.getpid(), asyncio.new_event_loop()
                threading.Thread(target=self._loop[1].run_forever, daemon=True).start()
            return self._loop[1]

    def _checked(self, answer: Answer, seconds: float) -> Answer:
        """The answer with its time, and with a text that a file can hold.

        Raises:
            AgentLeftError: it is no answer. This is the caller's mistake, for which no game may be lost.
        """
        if not isinstance(answer.text, str | None):
            got = f"{answer.text!r:.60} of type {type(answer.text).__name__}"
            raise AgentLeftError(f"{self._name}: chat must return the model's text or an Answer, not {got}")
        text = (answer.text or "").encode(errors="replace").decode()  # a file cannot hold half a character
        try:
            return as_type(asdict(replace(answer, text=text, seconds=answer.seconds or seconds)), Answer)
        except ValueError as error:
            raise AgentLeftError(f"{self._name}: chat returned a wrong Answer: {error}") from None

    def _keep(self, move: ChatMove, *, is_new: bool, counts: bool) -> None:
        """Count a move, and write it to the file. When a game is played again, its moves are not counted again."""
        asked = move.key, move.prompt
        with self._lock:
            if move.key is not None:
                self._known[move.key, move.prompt] = move.answers
            if not counts:
                if asked not in self._counted:
                    self._ahead[asked] = move.answers
            elif move.key is None or asked not in self._counted:
                self._counted.add(asked)
                self._ahead.pop(asked, None)
                self.moves.append(move)
            if is_new and self._file is not None:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                with self._file.open("ab") as file:
                    lines = [asdict(move)] if file.tell() else [self._head, asdict(move)]
                    file.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


async def _await(answer: Awaitable[Any], found: Future[Any]) -> None:
    """Wait for what a coroutine returns or raises. An error that ends programs would end the event loop, too."""
    try:
        found.set_result(await answer)
    except asyncio.CancelledError:  # it took too long
        raise
    except BaseException as error:
        found.set_exception(error)


def _retry_after(error: Exception) -> float:
    """The seconds that the header Retry-After of an error's HTTP response says, at most ten minutes; 0 without it.

    The errors of openai, anthropic, httpx and requests have a `response` with `headers`, that of urllib has `headers`.
    """
    headers = getattr(getattr(error, "response", error), "headers", None) or {}
    try:
        return max(0.0, min(float(headers.get("Retry-After", 0)), _LONGEST_RETRY_AFTER))
    except (AttributeError, TypeError, ValueError):
        return 0.0


def _hash(messages: Messages) -> str:
    """The SHA-256 of a question."""
    return f"sha256:{hashlib.sha256(json.dumps(messages).encode()).hexdigest()}"


def _regret(state: State, after: State | None) -> float | None:
    """The discs that a move lost against perfect play, or None if this is not known."""
    if after is None or type(state) is not Othello or state.empties > _JUDGED[state.size]:
        return None
    return discs_lost(state, after)


def _sum(numbers: Iterable[float | None]) -> float | None:
    """The sum of numbers; None if there are none, or one is not known."""
    given = list(numbers)
    known = [number for number in given if number is not None]
    return sum(known) if len(known) == len(given) > 0 else None


def _share(count: int, total: int) -> tuple[float | None, list[float] | None]:
    """A share and its 95% interval, by Wilson's method."""
    if not total:
        return None, None
    from scipy.stats import binomtest  # takes half a second

    interval = binomtest(count, total).proportion_ci(method="wilson")
    return round(count / total, 4), [round(float(end), 4) for end in interval]


def _rate_text(summary: dict[str, Any], name: str) -> str:
    if summary[f"{name}_rate"] is None:
        return ""
    low, high = summary[f"{name}_rate_interval95"]
    return f" ({low:.1%} to {high:.1%})"


def _read_transcripts(path: Path, head: dict[str, Any]) -> list[ChatMove]:
    """The moves in a file. If its last line is incomplete because a process was killed, the line is removed.

    Raises:
        OSError: the file cannot be read or written.
        ValueError: the file is something else, or its first line is not `head`.
    """
    check_output(path)
    data = read_file(path, _LARGEST_FILE, "read transcripts from") if path.exists() else b""
    *lines, torn = data.split(b"\n")
    moves = []
    for number, line in enumerate(lines or ([torn] if torn else []), start=1):
        try:
            if number > 1:
                moves.append(as_type(parse_json(line), ChatMove))
            else:
                _check_head(as_type(parse_json(line), dict[str, Any]), head)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if lines and torn:
        with path.open("r+b") as file:
            file.truncate(len(data) - len(torn))
    return moves


def _check_head(found: dict[str, Any], head: dict[str, Any]) -> None:
    for name, value in head.items():
        if found.get(name) != value:
            raise ValueError(f"expected {name} {short(value)}, got {short(found.get(name))}; name a new file")
