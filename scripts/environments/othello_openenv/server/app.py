"""The server of games: a client resets with a seed, and steps with ``{"move": "f5"}``."""

import uuid
from dataclasses import dataclass
from typing import Any, Literal

import tyro
import uvicorn
from openenv.core.env_server import Environment, State, create_fastapi_app
from starlette.datastructures import Headers
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse

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
        self._game = make_game(args)
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Text:
        self._state = State(episode_id=episode_id or str(uuid.uuid4()))
        return Text(text=self._game.reset(seed=seed), reward=0.0)

    def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Text:
        before = self._game.get_reward()
        text = self._game.play(action.move)
        self._state.step_count += 1
        return Text(text=text, reward=self._game.get_reward() - before, done=self._game.done)

    @property
    def state(self) -> State:
        return self._state


def make_game(args: Args, **changed: Any) -> OthelloText:
    return OthelloText(**{name: value for name, value in vars(args).items() if name != "port"} | changed)


def warm_up(args: Args) -> None:
    """Play a move, so that nothing is left to compile when a client waits for the answer to its first one."""
    game = make_game(args, reward="result", legal_moves=True)
    play_first(game)
    if args.reward == "regret":  # a late move is judged at once
        late = f"random:{game.position.observation_shape[1] ** 2 - 10}"
        play_first(make_game(args, openings=late, legal_moves=True))


def play_first(game: OthelloText) -> None:
    game.play(game.reset().rpartition("Legal moves: ")[2].split()[0])


class OwnOrigin:
    """ASGI middleware that refuses what browsers send for the pages of other sites, which could occupy the sessions."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = Headers(scope=scope) if scope["type"] in ("http", "websocket") else Headers()
        own = f"http://{headers.get('host')}"
        refused = any(origin != own for origin in headers.getlist("origin"))
        await (PlainTextResponse("this server answers no other site", 403) if refused else self._app)(
            scope, receive, send
        )


def make_app(args: Args) -> Any:
    warm_up(args)
    made = create_fastapi_app(lambda: OthelloServer(args), Move, Text, max_concurrent_envs=64)
    made.add_middleware(OwnOrigin)
    made.add_middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    return made


app = make_app(Args())


def main() -> None:
    """Serve the games that the command line describes."""
    args = tyro.cli(Args)
    uvicorn.run(make_app(args), host="127.0.0.1", port=args.port)


if __name__ == "__main__":
    main()
