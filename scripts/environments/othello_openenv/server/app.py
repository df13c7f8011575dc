"""The server of games: a client resets with a seed, and steps with ``{"move": "f5"}``."""

from dataclasses import dataclass
from typing import Any, Literal

import tyro
import uvicorn
from openenv.core.env_server import Environment, State, create_fastapi_app

from othello_env.text import OthelloText

try:
    from ..models import Move, Text
except ImportError:  # OpenEnv's own tools start server.app inside this folder
    from models import Move, Text


@dataclass(frozen=True)
class Args:
    """The options of the games and of the server."""

    game: str = "othello"  # such as othello:size=6, tribolo or checkers
    opponent: str = "random"  # the opponent, as a spec
    openings: str | None = None  # such as random:12
    reward: Literal["result", "regret"] = "result"  # the reward
    legal_moves: bool = False  # show the legal moves
    port: int = 8000  # the port on this machine


class OthelloServer(Environment[Move, Text, State]):
    """One game at a time. The reward of a step is what the move adds to `OthelloText.get_reward`."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, args: Args) -> None:
        super().__init__()
        self._game = OthelloText(**{name: value for name, value in vars(args).items() if name != "port"})
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Text:
        self._state = State(episode_id=episode_id)
        return Text(text=self._game.reset(seed=seed), reward=0.0)

    def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Text:
        before = self._game.get_reward()
        text = self._game.play(action.move)
        self._state.step_count += 1
        return Text(text=text, reward=self._game.get_reward() - before, done=self._game.done)

    @property
    def state(self) -> State:
        return self._state


def make_app(args: Args) -> Any:
    return create_fastapi_app(lambda: OthelloServer(args), Move, Text, max_concurrent_envs=64)


app = make_app(Args())


def main() -> None:
    """Serve the games that the command line describes."""
    args = tyro.cli(Args)
    uvicorn.run(make_app(args), host="127.0.0.1", port=args.port)


if __name__ == "__main__":
    main()
