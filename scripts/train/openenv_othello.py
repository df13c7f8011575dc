"""A server of Othello for OpenEnv: any trainer with OpenEnv's client plays `othello_env.text.OthelloText` through it.

    pip install othello-env "openenv>=0.10" tyro
    python scripts/train/openenv_othello.py --size 6 --opponent alphabeta:depth=2 --port 8000

A client resets with a seed, and steps with ``{"move": "f5"}``. It gets the text of the game, and as a reward what the
move adds to `OthelloText.get_reward`, which is from 0 to 1. The server listens on this machine only. Each of its at
most 64 sessions has a game of its own.
"""

import sys
from dataclasses import dataclass
from typing import Any, Literal

try:
    import tyro
    import uvicorn
    from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app
except ImportError as error:
    sys.exit(f"{error}: pip install openenv tyro")

from othello_env.text import OthelloText


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    game: str = "othello"  # othello, tribolo or checkers
    size: int | None = None  # size of the board
    opponent: str = "random"  # the opponent, as a spec
    openings: str | None = None  # such as random:12
    reward: Literal["result", "regret"] = "result"  # the reward
    legal_moves: bool = False  # show the legal moves
    port: int = 8000  # the port on this machine


class Move(Action):
    """A move of the model."""

    move: str


class Text(Observation):
    """What the model reads."""

    text: str


class OthelloServer(Environment[Move, Text, State]):
    """One game at a time."""

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


if __name__ == "__main__":
    uvicorn.run(make_app(args := tyro.cli(Args)), host="127.0.0.1", port=args.port)
