"""Shows the present content of the watched folder, and offers the checkpoints in this folder as agents.

The command ``othello-env serve --runs`` names the watched folder, in which trainings write their files. A request
cannot name a file: the server itself looks for checkpoints in the folder. It loads each checkpoint in a worker
process. The time limit for an agent's answer also limits the loading.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from othello_env.agent import spec_file
from othello_env.page.guard import JSON
from othello_env.page.offers import CHECKPOINT, Offer, Offers, with_network
from othello_env.page.pool import AgentFailedError, AnswerError, ClosedError, WorkerPool
from othello_env.page.runs import Runs, changed

__all__ = ["MOST_CHECKPOINTS", "Checkpoints", "Watching"]

MOST_CHECKPOINTS = 24
"""At most this number of checkpoints is offered, the newest first. League members come after all other checkpoints."""
_LONGEST_REASON = 1000  # characters
_ADVICE = (
    ". If you wrote the network, serve it with the function that makes it: othello-env serve --network nets.py:make"
)


class Checkpoints:
    """Offers the checkpoints in the watched folder as agents.

    Args:
        runs: the watched folder.
        offers: the agents that a page may ask. The checkpoints are added to these agents.
        pool: the processes in which the checkpoints are loaded.
    """

    def __init__(self, runs: Runs, offers: Offers, pool: WorkerPool) -> None:
        self._runs = runs
        self._offers = offers
        self._pool = pool
        # for each file: its version, and its offer or the reason why it has no offer
        self._known: dict[Path, tuple[str, Offer | str]] = {}
        self._looking: asyncio.Task[None] | None = None

    def start_to_look(self) -> None:
        """Begin to look for new and changed checkpoints. If an earlier call is still looking, do nothing."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self.look())

    async def stop(self) -> None:
        """Stop looking."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    @property
    def left_out(self) -> list[dict[str, str]]:
        """The files that could not be loaded as agents, each with the reason."""
        return [
            {"file": str(file), "reason": reason}
            for file, (_, reason) in self._known.items()
            if isinstance(reason, str)
        ]

    async def look(self) -> None:
        """Offer the newest checkpoints in the folder. A file that is not an agent is left out."""
        files = await asyncio.to_thread(self._runs.checkpoints, MOST_CHECKPOINTS)
        self._known = {file: known for file, known in self._known.items() if file in files}
        try:
            for file in files:
                version = "-".join(map(str, changed(file)))
                if self._known.get(file, ("",))[0] != version:
                    self._known[file] = await self._load(file, version)
                self._publish(files)
        except ClosedError:
            pass  # the server ends
        self._publish(files)

    def _publish(self, files: list[Path]) -> None:
        known = [self._known[file][1] for file in files if file in self._known]
        self._offers.found = tuple(offer for offer in known if isinstance(offer, Offer))

    async def _load(self, file: Path, version: str) -> tuple[str, Offer | str]:
        """The version of a file, and its offer or the reason why it has no offer.

        If the loading took too long, or if its process died, the file may still be good. The returned version is then
        empty, so that the next call of `look` loads the file again.
        """
        try:
            return version, await self._offer(file, version)
        except ClosedError:
            raise
        except AnswerError as error:
            return version if isinstance(error, AgentFailedError) else "", str(error)[:_LONGEST_REASON]

    async def _offer(self, file: Path, version: str) -> Offer | str:
        """The offer of a checkpoint, or the reason why the page cannot offer the file as an agent."""
        spec = str(file)
        if spec_file(spec) != (file, ""):  # the spec "a:epsilon=1.npz" means the agent "a" with an option
            return "its name cannot be a spec"
        try:
            about = await self._about(spec, version)
        except AgentFailedError as error:
            used = with_network(spec, self._runs.network)
            if used == spec:
                needs_function = file.suffix == ".safetensors" and error.details["type"] == "ValueError"
                return f"{error}{_ADVICE if needs_function else ''}"
            spec, about = used, await self._about(used, version)
        games, powers = tuple(about["games"]), tuple(about["powers"])
        return Offer(spec, CHECKPOINT, games, powers, version) if games else "it plays no game of this page"

    async def _about(self, spec: str, version: str) -> dict[str, Any]:
        """The games that an agent plays, and its powers."""
        return await self._pool.ask({"spec": spec, "version": version, "task": "about"})


class Watching:
    """Answers with the content of the watched folder. Only one request reads files at a time.

    Args:
        runs: the watched folder; None if no folder is watched.
        offers: the agents that a page may ask.
        pool: the processes in which checkpoints are loaded.
    """

    def __init__(self, runs: Runs | None, offers: Offers, pool: WorkerPool) -> None:
        self._runs = runs
        self._offers = offers
        self.checkpoints = None if runs is None else Checkpoints(runs, offers, pool)
        self._reading = asyncio.Lock()

    async def answer(self, _request: Request) -> Response:
        """The content of the folder (see `Runs.to_json`), and the agents that a page may ask.

        In the answer, ``leftOut`` also has the files that could not be loaded as agents. If no folder is watched, the
        answer is null.
        """
        if self._runs is None or self.checkpoints is None:
            return JSON(None)
        self.checkpoints.start_to_look()
        async with self._reading:
            content = await asyncio.to_thread(self._runs.to_json)
        left_out = [*self.checkpoints.left_out, *content["leftOut"]]
        return JSON(content | {"agents": self._offers.to_json(), "leftOut": left_out})
