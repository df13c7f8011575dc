"""Answers the page's requests to agents. `Answers` runs in the processes of `othello_env.page.pool`.

Agents can be compiled code or other programs, which Python cannot interrupt. So an agent that has no method ``stop`` is
stopped by killing its process.
"""

from __future__ import annotations

import traceback
from typing import Any

from othello_env.agent import Agent, AgentError, Seat, make_agent
from othello_env.games.game import IllegalActionError
from othello_env.games.keys import seat_key
from othello_env.page.assessment import assess, powers
from othello_env.page.messages import PageGame
from othello_env.page.offers import games_of
from othello_env.support.imports import search_current_folder

__all__ = ["Answers"]

_KEPT_AGENTS = 32
"""The most agents that a process keeps in memory. Without a limit, a page could fill the memory with agents."""


class Answers:
    """A function that answers requests.

    An agent's error is the answer ``{"error": text, "type": ..., "where": ...}``: the message, the name of the error's
    class, and the traceback.
    """

    def __init__(self) -> None:
        search_current_folder()
        self._agents: dict[tuple[str, str], Agent] = {}  # by the spec and the version
        self._asked: Agent | None = None  # the agent that was asked last

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request.

        Args:
            request: has the ``spec`` of the agent and the ``task``. The answer to the task ``about`` says which
                ``games`` the agent plays and which optional methods it has, its ``powers``. The tasks ``move`` and
                ``assess`` also have the ``record`` of a game. If the agent comes from a file that may change, the
                request has the file's ``version``.
        """
        try:
            return self._answer(request)
        except (Exception, SystemExit) as error:  # an agent may raise any error, and may call sys.exit
            # The arena wraps what an agent answered. The cause alone says what was wrong; the board is on the page.
            cause = error.__cause__ if isinstance(error, AgentError) and error.__cause__ else error
            text = str(cause).partition("\n")[0] if isinstance(cause, IllegalActionError) else str(cause)
            where = "".join(traceback.format_exception(error))
            return {"error": text or type(cause).__name__, "type": type(cause).__name__, "where": where}

    def hurry(self) -> None:
        """End the search that runs in another thread, if its agent has the method ``stop``, as the engine has."""
        stop = getattr(self._asked, "stop", None)
        if callable(stop):
            stop()

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        agent = self._asked = self._agent(request["spec"], request.get("version", ""))
        if request["task"] == "about":
            return {"games": games_of(agent), "powers": powers(agent)}
        game = PageGame.read(request["record"])
        state = game.states()[-1]
        # A seat is the place of an agent in a game. With a new seat, the agent begins a new game, so that the answer
        # does not depend on earlier requests.
        seat = Seat(agent, seat_key(game.seed, state.to_move))
        if request["task"] == "assess":
            return assess(agent, state).to_json()
        action = seat.ask(state)
        return {"action": action, "name": state.action_to_text(action)}

    def _agent(self, spec: str, version: str) -> Agent:
        """The agent of a spec. If the agent's file has a new version, make it again, and drop the old agent."""
        if (spec, version) not in self._agents:
            others = [key for key in self._agents if key[0] != spec]
            self._agents = {key: self._agents[key] for key in others[1 - _KEPT_AGENTS :]}
            self._agents[spec, version] = make_agent(spec, 0)
        return self._agents[spec, version]
