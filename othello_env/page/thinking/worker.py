"""The program of the processes in which agents think: it reads requests from stdin, and writes answers to stdout.

Each request and each answer is one line of JSON. The first line on stdout says that the process is ready. The process
ends when its stdin ends, even while an agent thinks.

Agents can be compiled code or other programs, which Python cannot interrupt. So an agent is stopped by killing its
process.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from typing import Any, TextIO

from othello_env.agent import Agent, Clock, Seat, make_agent
from othello_env.arena.play.games import seat_key
from othello_env.page.messages import PageGame
from othello_env.page.offers import games_of
from othello_env.page.thinking.assessment import assess, exact, powers
from othello_env.page.thinking.reviewing import review
from othello_env.support.imports import search_current_folder

__all__ = ["answer", "main"]

_KEPT_AGENTS = 32
"""The most agents that a process keeps in memory. Without a limit, a page could fill the memory with agents."""


def answer(request: dict[str, Any], agents: dict[str, Agent]) -> dict[str, Any]:
    """Answer one request.

    Args:
        request: has the ``spec`` of the agent and the ``task``. The answer to the task ``powers`` says which optional
            methods the agent has. The answer to ``games`` says which games the agent plays. The other tasks are
            ``move``, ``value``, ``actions``, ``exact`` and ``review``. For them, the request also has the ``record`` of
            a game. For ``move``, it may have the ``seconds_left`` on the player's clock. If the agent comes from a file
            that may change, the request has the file's ``version``.
        agents: the agents that were made so far. The keys are their specs and versions. If the request needs a new
            agent, this agent is added.
    """
    agent = _agent(request["spec"], request.get("version", ""), agents)
    match request["task"]:
        case "powers":
            return {"powers": powers(agent)}
        case "games":
            return {"games": games_of(agent)}
    game = PageGame.read(request["record"])
    states = game.states()
    state = states[-1]
    # A seat is the place of an agent in a game. With a new seat, the agent begins a new game, so that the answer does
    # not depend on earlier requests.
    seat = Seat(agent, seat_key(game.seed, state.to_move))
    match request["task"]:
        case "move":
            began = time.perf_counter()
            action = seat.ask(state, Clock(game=request.get("seconds_left")))
            # The player's clock counts these seconds. They do not include the start of this process.
            seconds = round(time.perf_counter() - began, 6)
            return {"action": action, "name": state.action_to_text(action), "seconds": seconds}
        case "exact":
            return exact(agent, state).to_json()
        case "review":
            return review(agent, states)
        case task:
            return assess(agent, state, actions=task == "actions").to_json()


def _agent(spec: str, version: str, agents: dict[str, Agent]) -> Agent:
    """The agent of a spec. If the agent's file has a new version, make the agent again, and drop the old agent."""
    key = f"{spec}\n{version}" if version else spec
    if key not in agents:
        if version:
            for old in [each for each in agents if each.startswith(f"{spec}\n")]:
                del agents[old]
        if len(agents) >= _KEPT_AGENTS:
            del agents[next(iter(agents))]
        agents[key] = make_agent(spec, 0)
    return agents[key]


def main() -> None:
    """Answer requests until stdin ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what an agent prints goes to stderr, because stdout is for the answers
    search_current_folder()
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    agents: dict[str, Agent] = {}
    _write(out, {"ready": True})
    while True:
        _write(out, _answer_line(requests.get(), agents))


def _listen(requests: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


def _answer_line(line: str, agents: dict[str, Agent]) -> dict[str, Any]:
    try:
        return answer(json.loads(line), agents)
    except (Exception, SystemExit) as error:  # an agent may raise any error, and may call sys.exit
        return {"error": (str(error) or type(error).__name__).splitlines()[0]}


def _write(out: TextIO, message: dict[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
