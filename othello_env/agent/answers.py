"""Ask agents for moves, and check their answers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent.clock import Clock
from othello_env.agent.protocol import Agent, AgentError, begin_game, illegal_answer
from othello_env.games.batch import Positions
from othello_env.games.game import IllegalActionError, State
from othello_env.games.keys import seat_key
from othello_env.support.jit import raise_interrupt

__all__ = ["Seat", "act_on_clock", "answered", "ask", "ask_batch", "check_answer", "seats_around"]


class Seat:
    """A seat: the place of one player in one game, and the agent that plays there.

    The same agent may have several seats in several games, and the seats may ask the agent in any order. If another
    seat was the last to ask the agent, a seat calls the agent's `new_game` again before it asks. The key of the seat is
    the key of this call. So the agent's random choices depend only on the game and the seat.

    Args:
        agent: the agent. The seat calls the agent's `new_game` at once.
        key: a 64-bit number that identifies this game and this seat.
    """

    __slots__ = ("_key", "agent")

    def __init__(self, agent: Agent, key: int) -> None:
        self.agent = agent
        self._key = key
        begin_game(agent, key)

    def ask(self, state: State, clock: Clock | None = None) -> int:
        """The agent's action in this position, checked by the function `ask` of this module."""
        if self.agent._game_key != self._key:
            begin_game(self.agent, self._key)
        return ask(self.agent, state, clock)

    def play(self, state: State) -> State:
        """The position after the agent's action.

        ``state.play(seat.ask(state))`` gives the same result, but checks the answer twice.

        Raises:
            AgentError: the answer is not a legal action. The message names the agent and shows the position.
        """
        if self.agent._game_key != self._key:
            begin_game(self.agent, self._key)
        answer = self.agent.act(state)
        try:
            return state.play(answer)
        except (TypeError, IllegalActionError) as error:
            raise illegal_answer(self.agent, state, error) from None


def seats_around(learner: int, agents: Sequence[Agent], game_key: int) -> dict[int, Seat]:
    """The seats of a learner's opponents, by the number of the player; see `othello_env.games.keys.seat_key`.

    Args:
        learner: the number of the learner's player.
        agents: the opponents, in the order of their turns after the learner.
        game_key: the key of the game.
    """
    players = len(agents) + 1
    return {
        player: Seat(agent, seat_key(game_key, player if players > 2 else None))
        for agent, player in zip(agents, ((learner + i) % players for i in range(1, players)), strict=True)
    }


def answered(state: State, seats: Mapping[int, Seat], show: Callable[[State], object] | None = None) -> State:
    """Let agents play until it is the turn of a player without a seat, or the game is over. Return that position.

    If a player with a seat must pass, the pass is played without asking the agent.

    Args:
        state: the position.
        seats: the agents' seats, by the number of the player.
        show: a function that is called with each position before an agent plays; or None.

    Raises:
        AgentError: an agent answered with an illegal action.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    try:
        while state.to_move in seats and not state.is_over:
            if show is not None:
                show(state)
            state = state.play(state.legal_actions()[0]) if state.must_pass else seats[state.to_move].play(state)
    except SystemError as error:
        raise_interrupt(error)
        raise
    return state


def act_on_clock(agent: Agent, state: State, clock: Clock | None = None) -> int:
    """Ask an agent for its action, without a check of the answer.

    The docstring of `Agent.act` says which limits of the clock are passed to the agent.
    """
    if clock is None or clock.seconds is None:  # then `act` needs no parameter for the time
        return agent.act(state)
    act: Any = agent.act
    if _takes_move_seconds(getattr(act, "__func__", act)):
        answer: int = act(state, seconds_left=clock.game, move_seconds=clock.move)
        return answer
    return agent.act(state, seconds_left=clock.seconds)


@lru_cache(maxsize=128)
def _takes_move_seconds(act: Callable[..., int]) -> bool:
    parameters = inspect.signature(act).parameters
    return "move_seconds" in parameters or any(
        parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()
    )


def ask(agent: Agent, state: State, clock: Clock | None = None) -> int:
    """Ask an agent for its action, and check that the action is legal.

    Args:
        agent: the agent.
        state: a position in which the game is not over.
        clock: the time that this player has left; None without a clock.

    Raises:
        AgentError: the answer is not a legal action. The message names the agent and shows the position.
    """
    return check_answer(agent, state, act_on_clock(agent, state, clock))


def check_answer(agent: Agent, state: State, answer: Any) -> int:
    """Check that an agent's answer is a legal action, and return it as an int.

    Raises:
        AgentError: it is not. The message names the agent and shows the position.
    """
    try:
        action = state.check_action(answer)
    except (TypeError, ValueError) as error:
        raise illegal_answer(agent, state, error) from error
    if not state.is_legal(action):
        illegal = state.illegal(action)
        raise illegal_answer(agent, state, illegal) from illegal
    return action


def ask_batch(agent: Agent, positions: Positions) -> npt.NDArray[np.int64]:
    """Ask an agent for its actions in N positions. Whether they are legal is not checked.

    Returns:
        (N,) int64, contiguous and writeable.

    Raises:
        AgentError: the answer has a wrong shape or dtype. The message names the agent.
    """
    actions, shape = np.asarray(agent.act_batch(positions)), positions.to_move.shape
    if actions.shape != shape or actions.dtype.kind not in "iu":
        raise AgentError(
            f"agent {agent!r} must answer {len(positions)} positions with {shape} integers, not with shape "
            f"{actions.shape}, dtype {actions.dtype}"
        )
    return actions.astype(np.int64, order="C", copy=not actions.flags.carray)
