"""A server that lets Othello programs that speak the Go Text Protocol (GTP), version 2, play against an agent.

The other program may send passes or leave them out. The commands ``play`` and ``genmove`` name the side that moves.
Suppose that a command names White, but Black is to move. If Black has no legal move, the server first makes Black's
pass. The command ``undo`` takes back this pass together with the move after it.
"""

from __future__ import annotations

import io
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator

import othello_env
from othello_env.agent import Agent, AgentError, Clock, Seat, WrongGameError
from othello_env.games.game import IllegalActionError, NotationError
from othello_env.games.hashing import mix_int
from othello_env.games.othello.position import Othello
from othello_env.support.jit import raise_interrupt

__all__ = ["GtpServer", "input_lines"]

_LONGEST_LINE = 1 << 16  # characters
_LINE = re.compile(r"(?:(\d+)\s+)?(\S+)\s*(.*)")


def input_lines() -> Iterator[str]:
    """Yield the lines of standard input.

    In the input and the output, characters that cannot be decoded or encoded are replaced. They raise no error.

    Raises:
        ValueError: a line is too long.
    """
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    while line := sys.stdin.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise ValueError(f"a command has at most {_LONGEST_LINE - 1:,} characters")
        yield line


class _Refused(Exception):  # noqa: N818 - an answer, not an error
    """The server refuses a command. The answer to the command is ``?`` and the reason."""


class GtpServer:
    """Answers the GTP commands of another program. An agent chooses the moves.

    Args:
        agent: the agent, which chooses a move for either side when a command asks for a move.
        name: the answer to the command ``name``, which asks for the agent's name.
        size: the height and width of the first board.
        seed: the agent's random choices depend only on this seed, the game's number and the colour.

    Attributes:
        is_done: whether the command ``quit`` was given.
        states: the positions of this game so far. The last entry is the present position.

    Raises:
        WrongGameError: the agent does not play on a board of this size.
    """

    def __init__(self, agent: Agent, name: str, size: int = 8, seed: int = 0) -> None:
        self._agent = agent
        self._name = name
        self._seed = seed
        self._games = 0
        self._clocks = _Clocks()
        self._seats: dict[int, Seat] = {}
        self.is_done = False
        self.states: list[Othello] = []
        # For each command that made a move: the number of positions before the command. A command may also have made
        # the other side's pass, so it may have added two positions.
        self._before: list[int] = []
        self._start(size)
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "boardsize": self._boardsize,
            "clear_board": lambda _: self._start(self.state.size),
            "final_score": self._final_score,
            "genmove": lambda words: self._genmove(words, play=True),
            "known_command": lambda words: str(bool(words) and words[0] in self._commands).lower(),
            "komi": lambda _: "",
            "list_commands": lambda _: "\n".join(sorted(self._commands)),
            "name": lambda _: self._name,
            "play": self._play,
            "protocol_version": lambda _: "2",
            "quit": self._quit,
            "reg_genmove": lambda words: self._genmove(words, play=False),
            "showboard": lambda _: f"\n{self.state}",
            "time_left": self._time_left,
            "time_settings": self._time_settings,
            "undo": self._undo,
            "version": lambda _: othello_env.__version__,
        }

    @property
    def state(self) -> Othello:
        """The present position."""
        return self.states[-1]

    def serve(self, lines: Iterable[str], tell: Callable[[str], object]) -> None:
        """Answer lines until the command ``quit``. `tell` gets each answer with the line break that ends it."""
        for line in lines:
            answer = self.answer(line)
            if answer is not None:
                tell(f"{answer}\n")
            if self.is_done:
                break

    def answer(self, line: str) -> str | None:
        """The answer to a line, without the empty line that ends a GTP answer. None if the line has no command."""
        text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", line.partition("#")[0]).strip()
        match = _LINE.fullmatch(text)
        if match is None:
            return None
        number, name, rest = match[1] or "", match[2], match[3]
        command = self._commands.get(name)
        try:
            if command is None:
                raise _Refused("unknown command")
            return f"={number} {command(rest.split())}".rstrip()
        except _Refused as refusal:
            return f"?{number} {refusal}"

    def _start(self, size: int) -> str:
        state = Othello(size)
        self._agent.check_game(state)
        key = mix_int(self._seed, self._games)
        self.states = [state]
        self._before = []
        self._seats = {player: Seat(self._agent, mix_int(key, player)) for player in (1, 0)}
        self._clocks.start()
        self._games += 1
        return ""

    def _boardsize(self, words: list[str]) -> str:
        if words[:1] not in (["4"], ["6"], ["8"]):
            raise _Refused("unacceptable size")
        try:
            return self._start(int(words[0]))
        except WrongGameError as error:
            raise _Refused(f"unacceptable size: {error}") from None

    def _player(self, words: list[str]) -> int:
        try:
            return Othello.player_index(words[0])
        except (IndexError, NotationError):
            raise _Refused("syntax error: expected black or white") from None

    def _turn_to(self, player: int) -> None:
        """If the opponent of `player` is to move but has no legal move, make the opponent's pass."""
        if self.state.to_move != player and self.state.must_pass:
            self._push(self.state.pass_action)

    def _push(self, action: int) -> None:
        self.states.append(self.state.play(action))

    def _play(self, words: list[str]) -> str:
        player = self._player(words)
        if len(words) != 2:
            raise _Refused("syntax error: expected a colour and a square")
        try:
            action = self.state.action_from_text(words[1])
        except NotationError as error:
            raise _Refused(f"syntax error: {error}") from None
        before = len(self.states)
        if action == self.state.pass_action and (player != self.state.to_move or self.state.is_over):
            self._before.append(before)
            return ""  # it is not this side's turn or the game is over, so the pass changes nothing
        self._turn_to(player)
        if self.state.to_move != player:
            raise _Refused("illegal move: it is the other side's turn")
        try:
            self._push(action)
        except IllegalActionError:
            del self.states[before:]
            raise _Refused("illegal move") from None
        self._before.append(before)
        return ""

    def _genmove(self, words: list[str], *, play: bool) -> str:
        player = self._player(words)
        before = len(self.states)
        if self.state.is_over:
            if play:
                self._before.append(before)
            return "PASS"
        self._turn_to(player)
        if self.state.to_move != player:
            raise _Refused("it is the other side's turn")
        state = self.state
        action = state.pass_action
        if not state.must_pass:
            began = time.monotonic()
            try:
                action = self._seats[player].ask(state, self._clocks.left(player))
            except Exception as error:  # every error becomes an answer, so that the other program can continue
                raise_interrupt(error)
                del self.states[before:]
                what = str(error) if isinstance(error, AgentError) else f"{type(error).__name__}: {error}"
                raise _Refused(" ".join(what.split())) from None
            self._clocks.use(player, time.monotonic() - began)
        if play:
            self._push(action)
            self._before.append(before)
        else:
            del self.states[before:]
        return state.action_to_text(action).upper()

    def _undo(self, _: list[str]) -> str:
        if not self._before:
            raise _Refused("cannot undo")
        del self.states[self._before.pop() :]
        return ""

    def _time_settings(self, words: list[str]) -> str:
        self._clocks.set(*_times(words, 3, "main time, byo-yomi time and byo-yomi stones"))
        return ""

    def _time_left(self, words: list[str]) -> str:
        player = self._player(words)
        self._clocks.set_left(player, *_times(words[1:], 2, "a colour, seconds and stones"))
        return ""

    def _final_score(self, _: list[str]) -> str:
        if not self.state.is_over:
            raise _Refused("cannot score: the game is not over")
        margin = int(self.state.margins()[0])
        return f"{'B' if margin > 0 else 'W'}+{abs(margin)}" if margin else "0"

    def _quit(self, _: list[str]) -> str:
        self.is_done = True
        return ""


def _times(words: list[str], count: int, what: str) -> list[float]:
    """Read the numbers of seconds or stones in a command. An error message says that `what` was expected."""
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(0 <= number < math.inf for number in numbers):
        raise _Refused(f"syntax error: expected {what}")
    return numbers


class _Clocks:
    """The clocks of both sides.

    The command ``time_settings`` sets both clocks. Later, ``time_left`` can set the clock of one side to another time.
    The time that a side uses is subtracted from its clock. When the main time is used up, byo-yomi begins. In byo-yomi,
    a side has a fixed time for each move, or for each group of several moves. The time for several moves is divided
    equally among the moves.
    """

    def __init__(self) -> None:
        self._at_start: Clock | None = None
        self._byo_yomi: Clock | None = None
        self._left: dict[int, Clock | None] = {}

    def start(self) -> None:
        """Set both clocks for the beginning of a game."""
        self._left = dict.fromkeys((0, 1), self._at_start)

    def set(self, main: float, byo_yomi: float, stones: float) -> None:
        """Handle ``time_settings``: `main` seconds of main time, then `byo_yomi` seconds for every `stones` moves."""
        self._byo_yomi = Clock(move=byo_yomi / stones) if byo_yomi and stones else None
        is_unlimited = byo_yomi and not stones
        self._at_start = Clock(game=main) if main and not is_unlimited else self._byo_yomi
        self.start()

    def set_left(self, player: int, seconds: float, stones: float) -> None:
        """Handle ``time_left``: a side has `seconds` for `stones` moves, or `seconds` of main time if `stones` is 0."""
        self._left[player] = Clock(move=seconds / stones) if stones else Clock(game=seconds)

    def left(self, player: int) -> Clock | None:
        """A side's clock. None if the side has no time limit."""
        return self._left[player]

    def use(self, player: int, seconds: float) -> None:
        """Subtract the time of a move from a side's clock. When the main time is used up, byo-yomi begins."""
        clock = self._left[player]
        if clock is not None and clock.game is not None:
            left = clock.game - seconds
            self._left[player] = self._byo_yomi if left <= 0 and self._byo_yomi else Clock(game=max(left, 0.0))
