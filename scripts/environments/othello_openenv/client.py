"""The client of the server of games."""

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import State

from .models import Move, Text


class OthelloClient(EnvClient[Move, Text, State]):
    """A game on a server; see `openenv.core.EnvClient`."""

    def _step_payload(self, action: Move) -> dict[str, Any]:
        return {"move": action.move}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Text]:
        reward, done = payload.get("reward"), payload.get("done", False)
        observation = Text(text=payload["observation"]["text"], reward=reward, done=done)
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
