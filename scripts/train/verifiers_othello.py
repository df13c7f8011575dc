"""An environment for verifiers 0.4: a language model plays a seat against a ladder of agents, or both seats.

    pip install othello-env "verifiers>=0.4,<0.5" uv
    PYTHONPATH=scripts/train vf-eval verifiers_othello --model MODEL -n 20
    PYTHONPATH=scripts/train vf-eval verifiers_othello --model MODEL -n 20 --env.both-seats true

Each task is a seed: it determines the opening, the model's side and the random moves of the opponent. The tasks take
the opponents in turn. The reward of the model is `othello_env.text.OthelloText.get_reward`: the result of the game, and
with ``reward="regret"`` minus the discs that its moves lose against perfect play. Against each other, two seats get the
result of their game. The numbers of illegal and unreadable answers are metrics. The interface is that of
`verifiers.v1`: a taskset, its tasks and an environment, exported by `__all__`.
"""

import asyncio
import sys
from collections.abc import Iterator
from typing import Any, Literal

try:
    import verifiers.v1 as vf
except ImportError as error:
    sys.exit(f"{error}: pip install 'verifiers>=0.4,<0.5' uv")

from othello_env.games.openings import Openings
from othello_env.games.registry import Rules
from othello_env.text import OthelloText
from othello_env.text.wording import WrongAnswerError, correction, play_text, position_text, rules_text

__all__ = ["OthelloGames", "OthelloTable"]

LADDER = ["random", "maximizer:eval=count", "maximizer:eval=weighted", "alphabeta:depth=4"]
SEAT = vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())  # a plain chat, on this machine


class GameData(vf.TaskData):
    """A game: the arguments of `OthelloText`."""

    settings: dict[str, Any]


class Game(vf.Task[GameData]):
    """A game. The environment records its reward."""


class OthelloConfig(vf.TasksetConfig):
    """The options of the games, such as ``--env.taskset.size 8``."""

    game: str = "othello"
    size: int | None = 6
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
                segment = await talk.turn(text)
                if segment.terminated:  # a limit of turns or tokens: the game counts as given up
                    break
                text = await asyncio.to_thread(game.play, segment.last_reply)
        record(talk.trace, game.get_reward(), game.faults)

    async def _both_seats(self, task: Game, agents: vf.Agents) -> None:
        settings = task.data.settings
        size = "" if settings["size"] is None else f":size={settings['size']}"
        rules = Rules.parse(f"{settings['game']}{size}")
        if rules.num_players != 2:
            raise ValueError(f"both seats: expected a game of two players, got {rules}")
        state = Openings(settings["openings"], rules.start).draw(settings["seed"])
        faults: tuple[list[str], list[str]] = ([], [])
        loser = None
        async with agents.player.interaction(task) as first, agents.second.interaction(task) as second:
            talks, begun = (first, second), [False, False]
            while not state.is_over and loser is None:
                mover = state.to_move
                if state.must_pass:
                    state = state.play(state.legal_actions()[0])
                    continue
                text = position_text(state, legal_moves=settings["legal_moves"])
                if not begun[mover]:
                    begun[mover], text = True, f"{rules_text(state)}\n\n{text}"
                loser = mover
                for _ in range(settings["attempts"]):
                    segment = await talks[mover].turn(text)
                    if segment.terminated:
                        break
                    try:
                        state, loser = play_text(state, segment.last_reply), None
                        break
                    except WrongAnswerError as error:
                        faults[mover].append(error.kind)
                        text = correction(error)
        results = state.returns() if loser is None else tuple(-1.0 if seat == loser else 1.0 for seat in (0, 1))
        for seat, talk in enumerate(talks):
            record(talk.trace, results[seat], faults[seat])


def record(trace: vf.Trace, reward: float, faults: list[str]) -> None:
    """Record the reward of a seat, and how many of its answers were wrong. A game that an error ended has no reward."""
    if trace.errors:
        return
    trace.record_reward("game", reward)
    for kind in ("illegal", "unreadable"):
        trace.record_metric(kind, float(faults.count(kind)))
