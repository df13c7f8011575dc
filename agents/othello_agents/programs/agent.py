"""The base class of agents that let another program play.

It starts and ends the program, limits the time for the program's answers and checks the program's moves.
"""

from __future__ import annotations

import threading
import weakref
from abc import abstractmethod
from typing import Any

from othello_agents.programs.program import Program, find_program, shown
from othello_env.agent import LONGEST_SECONDS, Agent, Clock, as_othello, spec_text
from othello_env.games.game import NotationError, State
from othello_env.games.othello.position import Othello

__all__ = ["SECONDS", "START", "ProgramAgent"]

SECONDS = 60.0
"""The default limit for a move, in seconds."""
START = 20.0
"""The default limit for a program's first answer, in seconds."""


class ProgramAgent(Agent):
    """Lets another program play Othello. Each subclass implements one protocol.

    The program is started at the first move. The program and all processes that it has started end when this agent is
    closed or deleted. They also end when this process ends, even if it is killed.

    Args:
        command: the program's path and arguments, quoted as in a shell.
        seconds: the time limit for a move, in seconds. The time runs from the first command for the move until the
            program's answer. If the time runs out, `act` raises AgentError.
        start: the longest allowed time from the program's start until its first answer, in seconds.

    Raises:
        FileNotFoundError: the program does not exist.
        ValueError: the command is empty or wrongly quoted, or `seconds` or `start` is too large or not positive.
    """

    who: str
    """The agent's name in specs (texts that name agents), such as ``gtp``. Error messages begin with this name."""

    def __init__(self, command: str, seconds: float, start: float) -> None:
        for name, limit in (("seconds", seconds), ("start", start)):
            if not 0 < limit <= LONGEST_SECONDS:
                raise ValueError(f"{name} must be more than 0 and at most {LONGEST_SECONDS:,}, not {limit}")
        find_program(command)
        self._command = command
        self._seconds = seconds
        self._start_seconds = start
        self._program: Program | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None
        self._told: list[str] | None = None  # what the program was told (see `_to_tell`); None if it needs everything
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        options = {"command": self._command, **self._own_options()}
        for name, limit, usual in (("seconds", self._seconds, SECONDS), ("start", self._start_seconds, START)):
            options[name] = None if limit == usual else f"{limit:g}"
        return spec_text(self.who, options)

    def check_game(self, state: State) -> None:
        as_othello(state, f"{self.who}: the program plays")

    def act(self, state: State, *, seconds_left: float | None = None, move_seconds: float | None = None) -> int:
        state = as_othello(state, f"{self.who}: the program plays")
        told = self._to_tell(state)
        if state.must_pass:
            return state.pass_action
        with self._lock:
            try:
                program = self._start()
                program.limit(self._seconds)
                answer = self._ask(program, state, told, Clock(seconds_left, move_seconds))
                return self._checked(program, state, answer)
            except BaseException:  # also on Ctrl-C, since an interrupted exchange with a program cannot be continued
                self._stop()
                raise

    def close(self) -> None:
        """End the program; the next call of `act` starts it again."""
        with self._lock:
            self._stop()

    def _own_options(self) -> dict[str, object]:
        """The options in the agent's spec that other protocols do not have, such as ``depth``."""
        return {}

    def _to_tell(self, state: Othello) -> list[str]:
        """The texts that describe the game to the program: the board, then the moves.

        Raises:
            AgentError: the protocol cannot describe this position.
        """
        raise NotImplementedError

    @abstractmethod
    def _greet(self, program: Program) -> None:
        """Wait for the first answer of a program that was just started."""

    @abstractmethod
    def _ask(self, program: Program, state: Othello, told: list[str], clock: Clock) -> str:
        """Ask the program for a move, and return its answer.

        `told` is the result of `_to_tell`. Before the question, the program gets the texts that it does not know yet.
        """

    def _checked(self, program: Program, state: Othello, answer: str) -> int:
        try:
            action = state.action_from_text(answer)
        except NotationError:
            raise program.failure(f"did not answer with a move, {shown(answer)!r}:\n{state}") from None
        if action not in state.legal_actions():
            raise program.failure(f"answered with an illegal move: {state.illegal(action)}")
        return action

    def _start(self) -> Program:
        """Start the program if it does not run yet, and return it.

        A forked process does not use the program of its parent, but starts the program again.
        """
        if self._program is None or not self._program.is_ours:
            self._told = None
            self._program = Program(self._command, self.who)
            self._finalizer = weakref.finalize(self, self._program.close)
            self._program.limit(self._start_seconds)
            self._greet(self._program)
        return self._program

    def _stop(self) -> None:
        # First the agent forgets the program. So no later move asks this program, even if Ctrl-C interrupts the next
        # lines.
        finalizer, self._program, self._finalizer, self._told = self._finalizer, None, None, None
        if finalizer is not None:
            finalizer()
