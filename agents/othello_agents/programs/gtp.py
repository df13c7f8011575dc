"""An agent that lets another engine play over the Go Text Protocol (GTP) in its Othello dialect.

The agent asks for the program's moves (``genmove white``), and sends all other moves to the program (``play black
f5``). It never sends a pass, since some engines refuse passes. The program infers the pass from the colour in the next
command.

If the game or the move has a time limit, the agent sends the remaining time with the commands ``time_settings`` and
``time_left``. It sends each of the two commands only if the program names it in its answer to ``list_commands``. The
protocol has two kinds of time: main time for the whole game, and byo-yomi for the next few stones. The agent sends a
limit for the game as main time, and a limit for the move as byo-yomi for one stone. If there are two limits, the agent
sends only the shorter one.

The agent uses version 2 of the protocol (Farnebäck, 2002), in the Othello dialect of the programs GRhino and Quarry.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any

from othello_agents.programs.agent import SECONDS, START, ProgramAgent
from othello_agents.programs.program import Program
from othello_env.agent import AgentError, Clock
from othello_env.games.game import IllegalActionError
from othello_env.games.othello.position import Othello

__all__ = ["Gtp"]


class Gtp(ProgramAgent):
    """Lets another program play Othello over GTP. The program is started at the first move.

    The program and all processes that it has started end when this agent is closed or deleted. They also end when this
    process ends, even if it is killed. The agent describes a position to the program only by the moves of the game, so
    the game must begin at the standard start. The protocol counts whole seconds. If less than one second is left, the
    agent sends one second.

    Args:
        command: the program's path and arguments, quoted as in a shell.
        seconds: the time limit for a move, in seconds. The time runs from the first command for the move until the
            program's answer. If the time runs out, `act` raises AgentError.
        start: the longest allowed time from the program's start until its first answer, in seconds. The first answer is
            the answer to the command ``protocol_version``.

    Raises:
        FileNotFoundError: the program does not exist.
        ValueError: the command is empty or wrongly quoted, or `seconds` or `start` is too large or not positive.
    """

    who = "gtp"

    def __init__(self, command: str, seconds: float = SECONDS, start: float = START) -> None:
        super().__init__(command, seconds, start)
        self._known: set[str] | None = None  # the commands that the program lists; None before the agent has asked

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._command, self._seconds, self._start_seconds))

    def new_game(self, key: int) -> None:
        with self._lock:
            self._told = None  # so the next call tells the whole game, with its time limit

    def _to_tell(self, state: Othello) -> list[str]:
        """The commands that describe the game: two for the board, and one for each move that is not a pass.

        Raises:
            AgentError: the game did not begin at the standard start.
        """
        position, commands = Othello(state.size), [f"boardsize {state.size}", "clear_board"]
        with contextlib.suppress(IllegalActionError):
            for action in state.moves:
                if action != state.pass_action:
                    commands.append(_play(position, position.action_to_text(action)))
                position = position.play(action)
        if position != state:
            raise AgentError(
                f"gtp: the program must know the game from the standard start, not only this position:\n{state}"
            )
        return commands

    def _greet(self, program: Program) -> None:
        self._known = None
        _exchange(program, "protocol_version")  # even an error shows that the program is ready

    def _ask(self, program: Program, state: Othello, told: list[str], clock: Clock) -> str:
        known, self._told = self._told, None  # if this call fails, the next call tells the whole game
        is_new = known is None or told[: len(known)] != known
        for command in told[0 if known is None or is_new else len(known) :]:
            _command(program, command)
        if clock.seconds is not None:
            self._tell_time(state.player_names[state.to_move], clock, program, is_new=is_new)
        answer = _command(program, f"genmove {state.player_names[state.to_move]}")
        self._told = [*told, _play(state, answer.lower())]
        return answer

    def _tell_time(self, colour: str, clock: Clock, program: Program, *, is_new: bool) -> None:
        """Send the remaining time in whole seconds, by the commands that the program knows."""
        if self._known is None:
            self._known = set(_command(program, "list_commands").split())
        game, move = (math.inf if limit is None else limit for limit in (clock.game, clock.move))
        seconds = max(1, int(min(game, move)))
        is_for_move = move <= game
        if is_new and "time_settings" in self._known:
            _command(program, f"time_settings 0 {seconds} 1" if is_for_move else f"time_settings {seconds} 0 0")
        if "time_left" in self._known:
            _command(program, f"time_left {colour} {seconds} {int(is_for_move)}")


def _play(state: Othello, move: str) -> str:
    return f"play {state.player_names[state.to_move]} {move}"


def _command(program: Program, command: str) -> str:
    """Send a command, and return the answer without its first character.

    Raises:
        AgentError: the program has ended, or its answer was late, too long or an error.
    """
    answer = _exchange(program, command)
    if answer.startswith("?"):
        raise program.failure(f"refused {command!r}")
    return answer[1:].strip()


def _exchange(program: Program, command: str) -> str:
    """Send a command, and return the answer. The answer begins with ``=``, or with ``?`` if it is an error.

    An answer ends with an empty line. Lines between answers are ignored.
    """
    program.send(command)
    answer: list[str] = []
    while True:
        line = program.read(command)
        if answer or line.startswith(("=", "?")):
            if not line.strip():
                return "\n".join([answer[0].strip(), *answer[1:]]).strip()
            answer.append(line)
