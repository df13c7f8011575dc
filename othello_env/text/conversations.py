"""Conversations with a model at the same time: some are waited for, others of later games go on in free calls."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from othello_env.agent import AgentError, AgentLeftError

__all__ = ["Conversations", "Dialogue", "Messages"]

Messages = list[dict[str, str]]
Dialogue = Generator[Messages | None, Any, int]
"""Yields conversations, gets the model's next answer in each, and returns a number. None waits for other dialogues."""


@dataclass(eq=False)
class _Talk:
    """A dialogue that has begun, the conversation that it asks, and its end: a number or an error."""

    dialogue: Dialogue
    later: Iterator[Dialogue | None] | None = None
    rank: int = 0
    asks: Messages = field(default_factory=list)
    end: int | AgentError | None = None


class Conversations:
    """What one thread asks a model.

    Args:
        ask: a function that takes conversations and returns the model's answers; threads call it.
        workers: the largest number of conversations that the model answers at the same time.
        batched: whether one call is for all of them, and not one call for each.

    Attributes:
        under_way: names of questions, for dialogues that wait for each other.
    """

    def __init__(self, ask: Callable[[list[Messages]], list[Any]], workers: int, *, batched: bool) -> None:
        self._ask = ask
        self._size, self._calls = (workers, 1) if batched else (1, workers)
        self._later: list[Iterator[Dialogue | None]] = []
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Without the calls that are under way: their answers are ignored."""
        self.under_way: set[Any] = set()
        self._ready: list[_Talk] = []
        self._waiting: list[_Talk] = []
        self._asked: dict[int, list[_Talk]] = {}
        self._answers: queue.SimpleQueue[tuple[int, Any, BaseException | None]] = queue.SimpleQueue()

    @contextmanager
    def ahead(self, dialogues: Iterator[Dialogue | None]) -> Iterator[None]:
        """In this block, go on with these dialogues where a call is free. Those of an inner block come first.

        None means that there is no dialogue now. At the end of the block, they are not continued.
        """
        self._later.append(dialogues)
        try:
            yield
        finally:
            self._later.remove(dialogues)
            for talks in (self._ready, self._waiting):
                for talk in [talk for talk in talks if talk.later is dialogues]:
                    talks.remove(talk)
                    talk.dialogue.close()

    def lead(self, dialogues: Iterable[Dialogue]) -> list[int | AgentError]:
        """Lead dialogues to their ends: a number, or an error. Each goes on as soon as its own answer is there.

        Raises:
            AgentLeftError: a dialogue or a call raised it. All other errors of `ask` are raised, too.
        """
        own = [_Talk(dialogue) for dialogue in dialogues]
        try:
            for talk in own:
                self._go_on(talk)
            while any(talk.end is None for talk in own):
                self._call()
                number, answers, error = self._answers.get()
                group = self._asked.pop(number)
                if error is not None:
                    raise error
                for talk, answer in zip(group, answers, strict=True):
                    self._go_on(talk, answer)
                waiting, self._waiting = self._waiting, []
                for talk in waiting:
                    self._go_on(talk)
        except BaseException:
            self._begin_anew()
            raise
        return [talk.end for talk in own if talk.end is not None]

    def _go_on(self, talk: _Talk, answer: Any = None) -> None:
        """Give a dialogue its answer. It then has an end or another question, or waits."""
        try:
            asks = talk.dialogue.send(answer)
        except StopIteration as end:
            talk.end = end.value
        except AgentLeftError:
            raise
        except AgentError as error:
            talk.end = error
        else:
            if talk.later is not None and talk.later not in self._later:
                talk.dialogue.close()
            elif asks is None:
                self._waiting.append(talk)
            else:
                talk.asks = asks
                self._ready.append(talk)

    def _call(self) -> None:
        """Begin as many calls as there may be."""
        while len(self._asked) < self._calls:
            while len(self._ready) < self._size and self._begin_later():
                pass
            if not self._ready:
                return
            self._ready.sort(key=lambda talk: talk.rank)
            group, self._ready = self._ready[: self._size], self._ready[self._size :]
            number = max(self._asked, default=0) + 1
            self._asked[number] = group
            asks = [talk.asks for talk in group]
            threading.Thread(target=_answer, args=(self._ask, asks, number, self._answers), daemon=True).start()

    def _begin_later(self) -> bool:
        """Begin the next dialogue of `ahead`. Returns whether there is one."""
        for depth, dialogues in enumerate(reversed(self._later), start=1):
            if (dialogue := next(dialogues, None)) is not None:
                self._go_on(_Talk(dialogue, dialogues, depth))
                return True
        return False


def _answer(
    ask: Callable[[list[Messages]], Sequence[Any]], asks: list[Messages], number: int, answers: queue.SimpleQueue[Any]
) -> None:
    try:
        answers.put((number, ask(asks), None))
    except BaseException as error:  # raised again in the thread that waits
        answers.put((number, None, error))
