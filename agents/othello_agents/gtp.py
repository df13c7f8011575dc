"""Other engines as opponents: programs that speak the Go Text Protocol in its Othello dialect.

The program is told every move (``play black f5``) and asked for its own (``genmove white``). It passes by itself: a
pass is never sent, since some engines refuse it, and the colour to move is named each time. On a clock it is told what
is left, if it lists the commands for that. The protocol is version 2
(Farnebäck, 2002); its Othello dialect is that of GRhino and Quarry.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from typing import IO, Any

from othello_env.agent import Agent, AgentError, as_othello, option_text
from othello_env.games.game import IllegalActionError, NotationError, State
from othello_env.games.othello import Othello

__all__ = ["Gtp"]

_QUIT_SECONDS = 1.0
_SECONDS = 60.0
_REMEMBERED_LINES = 20


class _Process:
    """A running program: lines to it and from it, its last words on stderr, and its end.

    Raises:
        AgentError: it cannot be started.
    """

    def __init__(self, command: str) -> None:
        self._exchange: deque[str] = deque(maxlen=6)
        self._errors: deque[str] = deque(maxlen=_REMEMBERED_LINES)
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._command = command
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=sys.platform != "win32",  # so that its own children end with it
            )
        except (OSError, ValueError, IndexError) as error:
            raise AgentError(f"gtp: the command {command!r} cannot be started: {error}") from error
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        answers, errors = (self._process.stdout, self._lines), (self._process.stderr, self._errors)
        threading.Thread(target=_read_answers, args=answers, name="gtp-answers", daemon=True).start()
        threading.Thread(target=_read_errors, args=errors, name="gtp-errors", daemon=True).start()

    def ask(self, command: str, seconds: float) -> str:
        """The answer to a command.

        Raises:
            AgentError: there was none in time, or it was an error; the message has the last exchange.
        """
        self._exchange.append(f"> {command}")
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise self.failure(f"does not listen any more ({error})") from error
        end = time.monotonic() + seconds
        lines: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise self.failure(f"gave no answer within {seconds:g} s") from None
            if line is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(_QUIT_SECONDS)
                raise self.failure(f"has ended with status {self._process.returncode}")
            if line.strip():
                self._exchange.append(f"< {line}")
            # An answer begins with = or ? and ends with an empty line; whatever stands between answers is noise.
            if lines or line.startswith(("=", "?")):
                if not line.strip():
                    break
                lines.append(line)
        if lines[0].startswith("?"):
            raise self.failure(f"refused {command!r}")
        return "\n".join([lines[0][1:].strip(), *lines[1:]]).strip()

    def failure(self, what: str) -> AgentError:
        """The error for something that went wrong, with the last exchange; to be raised by the caller."""
        words = [f"gtp: {self._command!r} {what}", "the last exchange:", *self._exchange]
        if self._errors:
            words += ["its stderr:", *list(self._errors)]
        return AgentError("\n  ".join(words))

    def close(self) -> None:
        """End the program and all that it has started; it is asked first."""
        with contextlib.suppress(OSError, ValueError):
            assert self._process.stdin is not None
            if self._process.poll() is None:
                self._process.stdin.write("quit\n")
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_QUIT_SECONDS)
        if sys.platform == "win32":
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def _read_answers(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    """Hand on each line, and None at the end."""
    with contextlib.suppress(OSError, ValueError), stream:
        for line in stream:
            lines.put(line.rstrip("\r\n"))
    lines.put(None)


def _read_errors(stream: IO[str], lines: deque[str]) -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        for line in stream:
            lines.append(line.rstrip("\r\n"))


class Gtp(Agent):
    """Lets another program play Othello. It is started when it is first asked, and ends with this agent.

    The program has to know the whole game, so the state must have begun at the standard start.

    Args:
        command: what starts the program: its path and arguments, as in a shell.
        seconds: how long an answer may take.

    Raises:
        ValueError: the command is empty or not well quoted, or the time is not positive.
    """

    def __init__(self, command: str, seconds: float = _SECONDS) -> None:
        if not shlex.split(command):
            raise ValueError("the command is empty: expected what starts an engine, such as 'gtp-rhino -l 4 -b 0'")
        if not 0 < seconds < threading.TIMEOUT_MAX:
            raise ValueError(f"seconds is a positive number, not {seconds}")
        self._command = command
        self._seconds = seconds
        self._process: _Process | None = None
        self._size = 0  # of the board that the program has set up
        self._told: list[str] | None = None  # the moves that it has seen, as commands; None if unknown
        self._known: set[str] | None = None  # the commands that it knows; None if it was never asked
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        options = [option_text("command", self._command)]
        options += [] if self._seconds == _SECONDS else [option_text("seconds", f"{self._seconds:g}")]
        return f"gtp:{','.join(options)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._command, self._seconds))

    def check_game(self, state: State) -> None:
        as_othello(state, "gtp: the program plays")

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        state = as_othello(state, "gtp: the program plays")
        commands = _commands(state)
        if state.must_pass:
            return state.pass_action
        with self._lock:
            try:
                return self._answer(state, commands, seconds_left)
            except BaseException:  # Ctrl-C, too: half an exchange cannot be gone on with
                self._stop()
                raise

    def close(self) -> None:
        """End the program; the next question starts it again."""
        with self._lock:
            self._stop()

    def _answer(self, state: Othello, commands: list[str], seconds_left: float | None) -> int:
        if self._process is None:
            self._process = _Process(self._command)
            weakref.finalize(self, self._process.close)
        colour = state.player_names[state.to_move]
        is_new = self._tell(state.size, commands, self._process)
        if seconds_left is not None:
            self._tell_time(colour, seconds_left, self._process, is_new=is_new)
        answer = self._process.ask(f"genmove {colour}", self._seconds)
        try:
            action = state.action_from_text(answer)
        except NotationError as error:
            raise self._process.failure(f"answered with no move: {error}\n{state}") from error
        if action not in state.legal_actions():
            raise self._process.failure(f"does not see this position: {state.illegal(action)}")
        self._told = [*commands, _command(colour, state, action)]
        return action

    def _tell(self, size: int, commands: list[str], process: _Process) -> bool:
        """Let the program know the moves that it has not seen; those of another game, then True, from the start."""
        told, self._told = self._told, None  # unknown until all is told
        is_new = told is None or size != self._size or commands[: len(told)] != told
        if told is None or is_new:
            process.ask(f"boardsize {size}", self._seconds)
            process.ask("clear_board", self._seconds)
            self._size, told = size, []
        for command in commands[len(told) :]:
            process.ask(command, self._seconds)
        return is_new

    def _tell_time(self, colour: str, seconds_left: float, process: _Process, *, is_new: bool) -> None:
        """Let the program know its clock, if it says that it understands; the protocol counts whole seconds."""
        if self._known is None:
            self._known = set(process.ask("list_commands", self._seconds).split())
        seconds = max(1, int(seconds_left))
        if is_new and "time_settings" in self._known:
            process.ask(f"time_settings {seconds} 0 0", self._seconds)
        if "time_left" in self._known:
            process.ask(f"time_left {colour} {seconds} 0", self._seconds)

    def _stop(self) -> None:
        if self._process is not None:
            self._process.close()
        self._process = self._told = self._known = None


def _command(colour: str, state: Othello, action: int) -> str:
    return f"play {colour} {state.action_to_text(action)}"


def _commands(state: Othello) -> list[str]:
    """What tells a program the moves of a game, its passes left out.

    Raises:
        AgentError: the game did not begin at the standard start.
    """
    position, commands = Othello(state.size), []
    with contextlib.suppress(IllegalActionError):
        for action in state.moves:
            if action != state.pass_action:
                commands.append(_command(position.player_names[position.to_move], position, action))
            position = position.play(action)
    if position != state:
        raise AgentError(
            f"gtp: the program has to know the game from the standard start, not this position alone:\n{state}"
        )
    return commands
