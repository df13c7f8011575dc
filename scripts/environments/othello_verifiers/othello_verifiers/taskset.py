"""A language model plays a seat against a ladder of agents, or both seats.

Each task is a seed: it determines the opening, the model's side and the random moves of the opponent. The tasks take
the opponents in turn. The reward of the model, from 0 to 1, is `othello_env.text.OthelloText.get_reward`. It depends on
the result of the game, and with ``reward="regret"`` also on the discs that its moves lose against perfect play. Against
each other, two seats get rewards for the result of their game. The numbers of illegal and unreadable answers are
metrics. An error of the infrastructure voids a game: no seat gets a reward.
"""

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import httpx
import verifiers.v1 as vf

from othello_env.games.openings import Openings
from othello_env.games.registry import GameSpec
from othello_env.text import OthelloText, game_reward
from othello_env.text.wording import WrongAnswerError, correction, play_text, position_text, question_text

__all__ = ["Chat", "OthelloGames", "OthelloTable"]

LADDER = ["random", "maximizer:eval=count", "maximizer:eval=weighted", "alphabeta:depth=4"]
SEAT = vf.AgentConfig(runtime=vf.SubprocessConfig())  # with the harness of this package, on this machine


class ChatConfig(vf.HarnessConfig):
    """The options of the harness."""


class Chat(vf.Harness[ChatConfig]):
    """A plain chat in this process. The harness ``null`` starts a program for each answer, for 1.7 s of a core."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any
    ) -> Any:
        system, prompt = self.resolve_prompt(data)
        said = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else prompt
        messages = [{"role": each.role, "content": each.content} for each in said]
        if system is not None:
            messages = [{"role": "system", "content": system}, *messages]
        headers, body = {"Authorization": f"Bearer {secret}"}, {"model": ctx.model, "messages": messages}
        async with httpx.AsyncClient(headers=headers, timeout=None) as client:  # noqa: S113 - verifiers has limits
            (await client.post(f"{endpoint}/chat/completions", json=body)).raise_for_status()
        return vf.ProgramResult(0, "", "")  # the endpoint is verifiers' own, which has recorded the answer


class GameData(vf.TaskData):
    """A game: the arguments of `OthelloText`."""

    settings: dict[str, Any]


class Game(vf.Task[GameData]):
    """A game. The environment records its reward."""


class OthelloConfig(vf.TasksetConfig):
    """The options of the games, such as ``--env.taskset.game othello``."""

    game: str = "othello:size=6"
    opponents: list[str] = LADDER
    openings: str | None = "random:12"
    reward: Literal["result", "regret"] = "regret"
    legal_moves: bool = False
    attempts: int = 2


class OthelloGames(vf.Taskset[Game, OthelloConfig]):
    """Games without end. Game number i has the seed i."""

    INFINITE = True

    def load(self) -> Iterator[Game]:
        shared = self.config.model_dump(exclude={"id", "task", "system_prompt", "opponents"})
        number = 0
        while True:
            opponent = self.config.opponents[number % len(self.config.opponents)]
            settings = {**shared, "opponent": opponent, "seed": number}
            yield Game(GameData(name=f"{opponent} {number}", settings=settings), self.config.task)
            number += 1


class TableConfig(vf.EnvConfig):
    """The seats. Without `both_seats`, an agent of this package has the second seat."""

    player: vf.AgentConfig = SEAT
    second: vf.AgentConfig = SEAT
    both_seats: bool = False


class OthelloTable(vf.Env[TableConfig]):
    """A table at which games are played."""

    async def run(self, task: Game, agents: vf.Agents) -> None:
        await (self._both_seats if self.config.both_seats else self._one_seat)(task, agents)

    async def _one_seat(self, task: Game, agents: vf.Agents) -> None:
        game = OthelloText(**task.data.settings)
        text = game.reset()
        async with agents.player.interaction(task) as talk:
            while not game.done:
                answer = await ask(talk, text)
                if answer is None:  # the game counts as given up
                    break
                text = await asyncio.to_thread(game.play, answer)
        record(talk.trace, game.get_reward(), game.faults)

    async def _both_seats(self, task: Game, agents: vf.Agents) -> None:
        settings = task.data.settings
        spec = GameSpec.parse(settings["game"])
        if spec.num_players != 2:
            raise ValueError(f"both seats: expected a game of two players, got {spec}")
        state = Openings(settings["openings"], spec.start).draw(settings["seed"])
        faults: tuple[list[str], list[str]] = ([], [])
        moves, loser = [0, 0], None
        async with agents.player.interaction(task) as first, agents.second.interaction(task) as second:
            talks, begun = (first, second), [False, False]
            while not state.is_over and loser is None:
                mover = state.to_move
                if state.must_pass:
                    state = state.play(state.legal_actions()[0])
                    continue
                if begun[mover]:
                    text = position_text(state, legal_moves=settings["legal_moves"])
                else:
                    begun[mover] = True
                    text = question_text(state, settings["attempts"], legal_moves=settings["legal_moves"])
                loser = mover
                for _ in range(settings["attempts"]):
                    answer = await ask(talks[mover], text)
                    if answer is None:
                        break
                    try:
                        state, loser = play_text(state, answer), None
                        moves[mover] += 1
                        break
                    except WrongAnswerError as error:
                        faults[mover].append(error.kind)
                        text = correction(error)
        for seat, talk in enumerate(talks):
            quality = (1 + state.returns()[seat]) / 2 if loser is None else None if seat == loser else 1.0
            record(talk.trace, game_reward(quality, moves[seat], len(faults[seat])), faults[seat])


async def ask(talk: vf.Interaction, text: str) -> str | None:
    """The model's answer, or None if a limit of turns, tokens or time ended its run.

    Raises:
        RuntimeError: an error of the infrastructure ended the run. It voids the game for every seat.
    """
    segment = await talk.turn(text)
    if not segment.terminated:
        return segment.last_reply
    if talk.trace.errors:
        raise RuntimeError(f"the game is void: {talk.trace.errors[-1].message}")
    return None


def record(trace: vf.Trace, reward: float, faults: list[str]) -> None:
    """Record the reward of a seat, and how many of its answers were wrong."""
    trace.record_reward("game", reward)
    for kind in ("illegal", "unreadable"):
        trace.record_metric(kind, float(faults.count(kind)))
