"""Other engines as opponents: programs that speak the Go Text Protocol in its Othello dialect.

The agent sends every move to the program (``play black f5``) and asks for the program's moves (``genmove white``). It
never sends a pass, since some engines refuse passes; the program infers the pass from the colour in the next command.
If a clock runs and the program lists the commands for time, the agent sends the remaining time. It sends a limit for
the game as main time. It sends a limit for the move as byo-yomi (the protocol's time for a number of stones) for one
stone. If there are both limits, it sends only the shorter one. The protocol is version 2 (Farnebäck, 2002) in the
Othello dialect of GRhino and Quarry.
"""

from __future__ import annotations

import contextlib
import math
import shlex
import threading
import weakref
from typing import Any

from othello_agents.gtp.program import Program, shown
from othello_env.agent import LONGEST_SECONDS, Agent, AgentError, Clock, as_othello, option_text
from othello_env.games.game import IllegalActionError, NotationError, State
from othello_env.games.othello.position import Othello

__all__ = ["Gtp"]

_SECONDS = 60.0


class Gtp(Agent):
    """Lets another program play Othello. The program is started at the first move.

    The program and all processes that it has started end when this agent is closed or deleted. They also end when this
    process ends, even if it is killed. The program must know the whole game, so the game must begin at the standard
    start. The protocol counts whole seconds, so with less than a second left the agent sends one second.

    Args:
        command: the program's path and arguments, quoted as in a shell.
        seconds: the longest time from the first command of a move until the program's answer. After this time, `act`
            raises AgentError.

    Raises:
        ValueError: the command is empty or wrongly quoted, or `seconds` is not positive or too large.
    """

    def __init__(self, command: str, seconds: float = _SECONDS) -> None:
        if not shlex.split(command):
            raise ValueError("the command is empty: expected how to start a program, such as 'gtp-rhino -l 4 -b 0'")
        if not 0 < seconds <= LONGEST_SECONDS:
            raise ValueError(f"seconds is more than 0 and at most {LONGEST_SECONDS:,}, not {seconds}")
        self._command = command
        self._seconds = seconds
        self._program: Program | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None
        self._size = 0  # the board size that the program has set up
        self._told: list[str] | None = None  # the commands for the moves that the program has seen; None if unknown
        self._known: set[str] | None = None  # the commands that the program lists; None before it is asked
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        options = [option_text("command", self._command)]
        options += [] if self._seconds == _SECONDS else [option_text("seconds", f"{self._seconds:g}")]
        return f"gtp:{','.join(options)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._command, self._seconds))

    def check_game(self, state: State) -> None:
        as_othello(state, "gtp: the program plays")

    def act(self, state: State, *, seconds_left: float | None = None, move_seconds: float | None = None) -> int:
        state = as_othello(state, "gtp: the program plays")
        commands = _commands(state)
        if state.must_pass:
            return state.pass_action
        with self._lock:
            try:
                return self._answer(state, commands, Clock(seconds_left, move_seconds))
            except BaseException:  # also after Ctrl-C: a half-finished exchange cannot be continued
                self._stop()
                raise

    def close(self) -> None:
        """End the program; the next call of `act` starts it again."""
        with self._lock:
            self._stop()

    def _answer(self, state: Othello, commands: list[str], clock: Clock) -> int:
        program = self._start()
        program.limit(self._seconds)
        colour = state.player_names[state.to_move]
        is_new = self._tell(state.size, commands, program)
        if clock.seconds is not None:
            self._tell_time(colour, clock, program, is_new=is_new)
        answer = program.ask(f"genmove {colour}")
        try:
            action = state.action_from_text(answer)
        except NotationError:
            raise program.failure(f"did not answer with a move, {shown(answer)!r}:\n{state}") from None
        if action not in state.legal_actions():
            raise program.failure(f"does not see this position: {state.illegal(action)}")
        self._told = [*commands, _command(colour, state, action)]
        return action

    def _start(self) -> Program:
        """The program, started if necessary. A forked process starts its own program and does not use its parent's."""
        if self._program is None or not self._program.is_ours:
            self._told = self._known = None
            self._program = Program(self._command)
            self._finalizer = weakref.finalize(self, self._program.close)
        return self._program

    def _tell(self, size: int, commands: list[str], program: Program) -> bool:
        """Send the moves that the program has not seen (all, in a new game). Return whether the game is new."""
        told, self._told = self._told, None  # unknown until all moves are sent
        is_new = told is None or size != self._size or commands[: len(told)] != told
        if told is None or is_new:
            program.ask(f"boardsize {size}")
            program.ask("clear_board")
            self._size, told = size, []
        for command in commands[len(told) :]:
            program.ask(command)
        return is_new

    def _tell_time(self, colour: str, clock: Clock, program: Program, *, is_new: bool) -> None:
        """Send the remaining time in whole seconds, if the program lists the commands for it."""
        if self._known is None:
            self._known = set(program.ask("list_commands").split())
        game, move = (math.inf if limit is None else limit for limit in (clock.game, clock.move))
        seconds = max(1, int(min(game, move)))
        is_for_move = move <= game
        if is_new and "time_settings" in self._known:
            program.ask(f"time_settings 0 {seconds} 1" if is_for_move else f"time_settings {seconds} 0 0")
        if "time_left" in self._known:
            program.ask(f"time_left {colour} {seconds} {int(is_for_move)}")

    def _stop(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self._program = self._finalizer = self._told = self._known = None


def _command(colour: str, state: Othello, action: int) -> str:
    return f"play {colour} {state.action_to_text(action)}"


def _commands(state: Othello) -> list[str]:
    """The commands for the moves of a game, without its passes.

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
            f"gtp: the program must know the game from the standard start, not only this position:\n{state}"
        )
    return commands
