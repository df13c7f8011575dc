"""The agent that asks a person for its moves."""

from collections.abc import Callable

from othello_env.agent import Agent, AgentLeftError
from othello_env.games.game import IllegalActionError, NotationError, State

__all__ = ["Human"]

_QUIT = ("quit", "exit", "q")


class Human(Agent):
    """Asks a person for a move such as ``f5`` until the move is legal.

    The person leaves the game by typing ``quit``, ``exit`` or ``q``, or by ending the input.

    Args:
        ask: a function such as `input`. It shows a prompt and returns a line, or raises EOFError when the input ends.
        tell: a function that shows a text.

    Raises:
        TypeError: `ask` or `tell` is not a function.
    """

    def __init__(self, ask: Callable[[str], str] = input, tell: Callable[[str], object] = print) -> None:
        for name, function in (("ask", ask), ("tell", tell)):
            if not callable(function):
                raise TypeError(f"{name} must be a function that takes a text, not {function!r}")
        self._ask = ask
        self._tell = tell

    def __repr__(self) -> str:
        return "human"

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        """The action that the person typed.

        Raises:
            AgentLeftError: the person left the game.
        """
        player = state.player_names[state.to_move]
        self._tell(str(state))
        while True:
            try:
                entry = self._ask(f"{player}'s move: ").strip()
            except EOFError:
                self._tell("")  # ends the prompt's line
                raise AgentLeftError(f"{player} left the game: the input ended") from None
            if entry.lower() in _QUIT:
                raise AgentLeftError(f"{player} left the game")
            try:
                action = state.action_from_text(entry)
                if action not in state.legal_actions():
                    raise state.illegal(action)
            except (NotationError, IllegalActionError) as error:
                self._tell(str(error))
            else:
                return action
