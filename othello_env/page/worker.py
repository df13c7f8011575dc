"""A process that thinks for the page: one JSON object a line on stdin, one answer a line on stdout.

It is a process so that a think can be cut off: agents are compiled code and programs of others, which nothing else
stops. Its first line tells that it is ready. It ends when its stdin does, even while it thinks.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any, TextIO

from othello_env.agent import Agent, Clock, Seat, make_agent
from othello_env.arena.play.games import seat_key
from othello_env.page.looking import exact, look, powers
from othello_env.page.messages import GameRecord

__all__ = ["answer", "main"]


def answer(request: dict[str, Any], agents: dict[str, Agent]) -> dict[str, Any]:
    """The answer to one request.

    Args:
        request: ``spec`` of the agent and ``task``: ``powers``, ``move``, ``value``, ``actions`` or ``exact``; all but
            the first with the ``record`` of a game.
        agents: those made so far, by spec; a new one is added.
    """
    spec = request["spec"]
    if spec not in agents:
        agents[spec] = make_agent(spec, 0)
    agent = agents[spec]
    if request["task"] == "powers":
        return {"powers": powers(agent)}
    record = GameRecord.read(request["record"])
    state = record.states()[-1]
    # Each answer hangs on the game alone, not on what this process was asked before.
    seat = Seat(agent, seat_key(record.seed, state.to_move))
    match request["task"]:
        case "move":
            began = time.perf_counter()
            action = seat.ask(state, Clock(game=request.get("seconds_left")))
            seconds = round(time.perf_counter() - began, 3)  # by which its clock goes: not the start of this process
            return {"action": action, "name": state.action_to_text(action), "seconds": seconds}
        case "exact":
            return exact(agent, state).to_json()
        case task:
            return look(agent, state, actions=task == "actions").to_json()


def main() -> None:
    """Answer requests until stdin ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # an agent that prints must not disturb the answers
    sys.path.append(str(Path.cwd()))  # where package.module:name looks too
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    agents: dict[str, Agent] = {}
    out.write(json.dumps({"ready": True}) + "\n")
    out.flush()
    while True:
        _tell(out, requests.get(), agents)


def _listen(requests: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


def _tell(out: TextIO, line: str, agents: dict[str, Agent]) -> None:
    try:
        told = answer(json.loads(line), agents)
    except (Exception, SystemExit) as error:
        told = {"error": (str(error) or type(error).__name__).splitlines()[0]}
    out.write(json.dumps(told) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
