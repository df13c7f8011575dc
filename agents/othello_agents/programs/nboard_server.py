"""A server that lets NBoard, or a program that speaks its protocol, version 2, play against an agent.

Each line from the program is a command. Each answer is a line that begins with the kind of the answer, such as
``status``, ``search`` or ``===``. As the protocol says, unknown commands are ignored, and a ``ping`` ends a running
search.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from othello_env.agent import Agent, AgentError, Clock, Seat, make_agent
from othello_env.games.hashing import mix_int
from othello_env.games.othello.ggf import move_name
from othello_env.games.othello.position import Othello
from othello_env.support.jit import raise_interrupt

__all__ = ["NBoardServer"]

_DEPTH = 8
"""The depth of searches, in plies, until the program sets another depth."""
_DEPTH_FIELD = "{depth}"
_STOP_SECONDS = 0.02
_SECONDS = re.compile(r"\d{1,7}(?:\.\d{1,9})?")
_TIME = re.compile(r"((?:\d{1,4}:){0,2}\d{1,6})(?:[./,].*)?")
_USED = re.compile(rf"(?<![A-Za-z])([BW])\[[^/\[\]]*/[^/\[\]]*/({_SECONDS.pattern})\]")


class NBoardServer:
    """Answers the commands of a program that speaks NBoard's protocol.

    Args:
        spec: the agent's spec. If it contains ``{depth}``, the depth that the program sets replaces this text.
        load_ggf: the function `othello_env.data.formats.ggf.load`, since agents do not import the package with it.
        seed: the agent's random choices depend only on this seed, the number of the game and the colour.

    Attributes:
        is_done: whether the command ``quit`` was given.
        states: the positions of this game so far. The last entry is the present position.

    Raises:
        ValueError: the spec is wrong.
    """

    def __init__(self, spec: str, load_ggf: Callable[[str], Any], seed: int = 0) -> None:
        self._spec = spec
        self._load_ggf = load_ggf
        self._seed = seed
        self._games = 0
        self._announced = 0  # the number of pings that were read but not yet answered
        self._lock = threading.Lock()
        self._clock: float | None = None  # the time of each side for the whole game, in seconds; None for no limit
        self._used = [0.0, 0.0]
        self.is_done = False
        self._agent = self._make(_DEPTH)
        self._begin([Othello()])
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "analyze": self._analyze,
            "go": self._go,
            "hint": self._hint,
            "learn": lambda _: iter(["learned"]),
            "move": self._move,
            "nboard": lambda _: iter([self._name()]),
            "ping": self._ping,
            "quit": self._quit,
            "set": self._set,
        }

    def serve(self, lines: Iterable[str], tell: Callable[[str], object]) -> None:
        """Answer lines until the command ``quit``. Another thread reads the lines, so a ``ping`` can end a search.

        `tell` gets each answer.
        """
        commands: queue.SimpleQueue[str | Exception | None] = queue.SimpleQueue()

        def read() -> None:
            try:
                for line in lines:
                    self.announce(line)
                    commands.put(line)
                    if line.split()[:1] == ["quit"]:
                        break
                commands.put(None)
            except Exception as error:  # the main thread raises it again
                commands.put(error)

        threading.Thread(target=read, daemon=True).start()
        while (line := commands.get()) is not None:
            if isinstance(line, Exception):
                raise line
            for answer in self.answers(line):
                tell(answer)
            if self.is_done:
                break

    def announce(self, line: str) -> None:
        """Called as soon as a line was read, before it is answered. If it is a ping, the running search ends soon."""
        if line.split()[:1] == ["ping"]:
            with self._lock:
                self._announced += 1

    def answers(self, line: str) -> Iterator[str]:
        """Yield the answers to a line. Each answer is a line."""
        name, _, rest = line.strip().partition(" ")
        command = self._commands.get(name)
        if command is None:
            return
        try:
            yield from command(rest.strip())
        except (AgentError, ValueError) as error:
            yield _status(error)
        except Exception as error:  # every error becomes an answer, so that the other program can continue
            raise_interrupt(error)
            yield _status(f"{type(error).__name__}: {error}")

    def _make(self, depth: int) -> Agent:
        return make_agent(self._spec.replace(_DEPTH_FIELD, str(depth)), self._seed)

    def _begin(self, states: list[Othello]) -> None:
        """Begin a game. `states` are the game's positions so far."""
        self._agent.check_game(states[-1])
        key = mix_int(self._seed, self._games)
        self._games += 1
        self._seats = [Seat(self._agent, mix_int(key, player)) for player in (0, 1)]
        self.states = states

    @property
    def state(self) -> Othello:
        """The present position."""
        return self.states[-1]

    def _name(self) -> str:
        return "set myname " + re.sub(r"\s+", "_", repr(self._agent))  # NBoard reads only the first word of a name

    def _set(self, rest: str) -> Iterator[str]:
        name, _, value = rest.partition(" ")
        if name == "depth":
            if _DEPTH_FIELD in self._spec:
                self._agent = self._make(_number("set depth", value))
                self._begin(self.states)
            yield self._name()
        elif name == "game":
            games, _ = self._load_ggf(value)
            start: Any = games.starts[int(games.start[0])]
            self._begin(start.positions(games.actions[0, : games.lengths[0]].tolist()))
            self._clock = _seconds(str(games.columns["time"][0]))
            self._used = [0.0, 0.0]
            for colour, seconds in _USED.findall(value):
                self._used["BW".index(colour)] += float(seconds)

    def _move(self, rest: str) -> Iterator[str]:
        name, _, seconds = [*rest.split("/"), "", ""][:3]
        after = self.state.play_move(name)
        if _SECONDS.fullmatch(seconds.strip()):
            self._used[1 - after.to_move] += float(seconds)
        self.states = [*self.states, after]
        yield from ()

    def _ping(self, rest: str) -> Iterator[str]:
        with self._lock:
            self._announced = max(0, self._announced - 1)
        yield f"pong {rest}"

    def _quit(self, _: str) -> Iterator[str]:
        self.is_done = True
        yield from ()

    def _go(self, _: str) -> Iterator[str]:
        state = self.state
        if state.is_over:
            yield _status("the game is over")
            return
        if state.must_pass:
            yield "=== PA"
            return
        yield _status(f"{self._agent!r} is thinking")
        left = None if self._clock is None else max(0.0, self._clock - self._used[state.to_move])
        began = time.monotonic()
        with self._stoppable():
            action = self._seats[state.to_move].ask(state, Clock(game=left))
        seconds = time.monotonic() - began
        analysis = getattr(self._agent, "last_analysis", None)
        value = ""
        if analysis is not None and analysis.state == state and analysis.best == action:
            value = f"{_discs(analysis):.2f}"
            yield f"nodestats {analysis.nodes} {seconds:.2f}"
        yield f"=== {move_name(state, action)}/{value}/{seconds:.2f}"
        yield "status"

    def _hint(self, rest: str) -> Iterator[str]:
        wanted = max(1, min(_number("hint", rest or "1"), 64))
        if self.state.is_over:
            yield _status("the game is over")
            return
        yield _status(f"{self._agent!r} is analysing")
        with self._stoppable():
            yield from self._evaluations(self.state, wanted)
        yield "status"

    def _evaluations(self, state: Othello, wanted: int) -> Iterator[str]:
        """The best moves with their values, as ``search`` lines."""
        agent: Any = self._agent
        if hasattr(agent, "analyse"):
            analysis = agent.analyse(state, lines=wanted)
            depth = "100%" if analysis.exact else str(analysis.depth)
            yield f"nodestats {analysis.nodes} {analysis.seconds:.2f}"
            for line in analysis.lines:
                moves = "".join(move_name(state, action) for action in line.pv)
                yield f"search {moves} {_discs(line):.2f} 0 {depth}"
        elif hasattr(agent, "action_values"):
            values = sorted(agent.action_values(state).items(), key=lambda item: -item[1])
            most = float(state.size**2)  # the value of a decided game may be infinite
            for action, value in values[:wanted]:
                yield f"search {move_name(state, action)} {max(-most, min(most, value)):.2f} 0 1"
        else:
            action = state.pass_action if state.must_pass else self._seats[state.to_move].ask(state)
            yield f"search {move_name(state, action)} 0 0 0"

    def _analyze(self, _: str) -> Iterator[str]:
        """Evaluate each position of the game, from the last to the first, from Black's point of view."""
        agent: Any = self._agent
        if not hasattr(agent, "analyse"):
            yield _status(f"{agent!r} does not analyse games")
            return
        yield _status(f"{agent!r} is analysing the game")
        for number, state in reversed(list(enumerate(self.states))):
            if self._announced:
                break
            value = state.margins()[0]
            if not state.is_over:
                with self._stoppable():
                    value = _discs(agent.analyse(state)) * (-1 if state.to_move else 1)
            yield f"analysis {number} {value:.2f}"
        yield "status"

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        """In the ``with`` block, an unanswered ping (see `announce`) ends the agent's search.

        An agent without a method `stop` is not stopped.
        """
        stop = getattr(self._agent, "stop", None)
        if stop is None:
            yield
            return
        is_done = threading.Event()

        def watch() -> None:
            while not is_done.wait(_STOP_SECONDS):
                if self._announced:
                    stop()

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            is_done.set()
            watcher.join()


def _number(command: str, text: str) -> int:
    """The number that follows a command.

    Raises:
        ValueError: the text is not a whole number.
    """
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError(f"expected {command} and a whole number, got {text!r}")
    return int(text)


def _status(text: object) -> str:
    return " ".join(f"status {text}".split())


def _discs(analysis: Any) -> float:
    """The value of an analysis in discs. If the analysis has no `discs`, the value is in the engine's own unit."""
    discs = getattr(analysis, "discs", None)
    return float(analysis.score if discs is None else discs)


def _seconds(text: str) -> float | None:
    """The seconds of a side's clock from a text in GGF, such as ``15:00``; None if the text has no clock.

    Increments and extensions, which may follow after a slash, are not counted.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    seconds = 0
    for part in match[1].split(":"):
        seconds = 60 * seconds + int(part)
    return float(seconds) or None
