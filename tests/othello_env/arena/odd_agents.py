"""Agents that misbehave. Worker processes load them by a spec such as ``.../odd_agents.py:Spinner``."""

import os
import sys
import time
from pathlib import Path

from othello_env import Agent


class Polite(Agent):
    """Always plays the first legal action."""

    def act(self, state, *, seconds_left=None):
        return state.legal_actions()[0]


class Odd(Polite):
    """Misbehaves when the board has at least 20 discs."""

    def act(self, state, *, seconds_left=None):
        return self.oddly(state, seconds_left) if state.placed >= 20 else super().act(state)

    def oddly(self, state, seconds_left):
        raise NotImplementedError


class Spinner(Odd):
    """Hangs in a loop that no exception ends."""

    def oddly(self, state, seconds_left):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


class Late(Odd):
    """Answers, but a little too late."""

    def oddly(self, state, seconds_left):
        time.sleep(seconds_left + 0.05)
        return state.legal_actions()[0]


class Liar(Odd):
    """Answers with an object that is not an action."""

    def oddly(self, state, seconds_left):
        return "f5"


class Raiser(Odd):
    """Raises an error."""

    def oddly(self, state, seconds_left):
        raise ZeroDivisionError("oops")


class Leaver(Odd):
    """Calls `sys.exit`."""

    def oddly(self, state, seconds_left):
        sys.exit("bye")


class Killer(Odd):
    """Ends its process at once, as a crash in machine code does."""

    def oddly(self, state, seconds_left):
        os._exit(7)


class NeverReady(Polite):
    """Hangs while it prepares for a game."""

    def new_game(self, key):
        if key:
            time.sleep(1000)


class Unprepared(Polite):
    """Raises an error while it prepares for a game."""

    def new_game(self, key):
        if key:
            raise RuntimeError("no board")


class DiesOnce(Polite):
    """Ends its process when it is asked for the first time. A file shows that it has been asked."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def act(self, state, *, seconds_left=None):
        if state.placed >= 30 and not self.path.exists():
            self.path.write_text("died")
            os._exit(9)
        return super().act(state)


class Both(Polite):
    """Plays the first action if its clock limits the game, and the last action if its clock limits the move."""

    def act(self, state, *, seconds_left=None, move_seconds=None):
        assert (seconds_left is None) != (move_seconds is None)
        return state.legal_actions()[0 if move_seconds is None else -1]


class Spender(Polite):
    """Thinks for a fixed time. If all its time is left, it plays the last action. Otherwise it plays the first."""

    def __init__(self, seconds: float = 0.002, all: float = 1.0) -> None:  # noqa: A002
        self.seconds, self.all = seconds, all

    def act(self, state, *, seconds_left=None):
        time.sleep(self.seconds)
        return state.legal_actions()[-1 if seconds_left == self.all else 0]
