"""An agent that lets another engine, such as NTest or Edax, play over NBoard's protocol.

At first, the agent sends the whole game so far in the text format GGF (``set game (;GM[Othello]...;)``). It sends each
later move with a command such as ``move F5``. Then it sends a ``ping`` with a new number, such as ``ping 3``. The
program answers ``pong 3`` when it has read all commands. After that, the agent sends ``go``. The program answers with a
line such as ``=== F5/1.20/0.5``: the move, its evaluation and the seconds that the search took. The program does not
play this move on its own board until the agent sends the move back. The agent ignores all lines of the program except
``pong`` and ``===``. The protocol is version 2 (C. Welty, 2014).
"""

from __future__ import annotations

import re
from typing import Any

from othello_agents.programs.agent import SECONDS, START, ProgramAgent
from othello_agents.programs.program import Program
from othello_env.agent import Clock
from othello_env.games.othello.ggf import board_tag, game_text, move_name
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_whole

__all__ = ["NBoard"]

_DEPTH = 8
_DEEPEST = 60
_ANSWER = "==="


class NBoard(ProgramAgent):
    """Lets another program play Othello over NBoard's protocol. The program is started at the first move.

    The program and all processes that it has started end when this agent is closed or deleted. They also end when this
    process ends, even if it is killed. A game may begin at any position. If the game has a time limit, the agent sends
    the whole game again before each move of the program, with the remaining time in the tag ``TI``. The protocol has no
    command for the time limit of a single move.

    Args:
        command: the program's path and arguments, quoted as in a shell.
        depth: the search depth that the agent sends to the program, 1 to 60. Some programs take this number as their
            level of play.
        seconds: the time limit for a move, in seconds. The time runs from the first command for the move until the
            program's answer. If the time runs out, `act` raises AgentError.
        start: the longest allowed time from the program's start until its first answer, in seconds.

    Raises:
        FileNotFoundError: the program does not exist.
        TypeError: `depth` is not a whole number.
        ValueError: the command is empty or wrongly quoted, or a number is out of range.
    """

    who = "nboard"

    def __init__(self, command: str, depth: int = _DEPTH, seconds: float = SECONDS, start: float = START) -> None:
        super().__init__(command, seconds, start)
        self._depth = check_whole("depth", depth, 1, _DEEPEST)
        self._pings = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._command, self._depth, self._seconds, self._start_seconds))

    def _own_options(self) -> dict[str, object]:
        return {"depth": None if self._depth == _DEPTH else self._depth}

    def _to_tell(self, state: Othello) -> list[str]:
        """The board at the beginning of the game, followed by the names of the moves.

        A state knows its moves, but not the position before the first move. If the moves lead from the standard start
        to the state, the board is the standard start. Otherwise the board is the state itself, and no moves follow.
        """
        start = Othello(state.size)
        position, names = start, []
        for action in state.moves:
            if not position.is_legal(action):
                break
            names.append(move_name(position, action))
            position = position.play(action)
        return [board_tag(start), *names] if position == state else [board_tag(state)]

    def _greet(self, program: Program) -> None:
        self._pings = 0
        program.send("nboard 2")
        program.send(f"set depth {self._depth}")
        self._ping(program)

    def _ask(self, program: Program, state: Othello, told: list[str], clock: Clock) -> str:
        known, self._told = self._told, None  # if this call fails, the next call sends the whole game
        if known is None or told[: len(known)] != known or clock.game is not None:
            tags = {} if clock.game is None else {"TI": _clock_text(clock.game)}
            program.send(f"set game {game_text(told[0], told[1:], tags)}")
        else:
            for move in told[len(known) :]:
                program.send(f"move {move}")
        self._ping(program)
        program.send("go")
        while not (line := program.read("go")).startswith(_ANSWER):
            pass
        self._told = told
        # Some programs separate the move, its evaluation and its time by spaces instead of slashes.
        return re.split(r"[/\s]", line.removeprefix(_ANSWER).strip())[0]

    def _ping(self, program: Program) -> None:
        """Wait until the program has read all commands."""
        self._pings += 1
        program.send(f"ping {self._pings}")
        while program.read(f"ping {self._pings}").split() != ["pong", str(self._pings)]:
            pass


def _clock_text(seconds: float) -> str:
    """The remaining time in minutes and seconds, as GGF writes it (``04:09``); at least ``00:01``."""
    whole = max(1, int(seconds))
    return f"{whole // 60:02}:{whole % 60:02}"
