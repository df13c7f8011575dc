"""The environments of games by name, for games that `othello_env.register_game` added."""

from __future__ import annotations

from typing import Any

from othello_env.envs.aec import AECGame
from othello_env.envs.single import SingleGame
from othello_env.envs.vector.env import VectorGames
from othello_env.games.batch import Batch
from othello_env.games.game import State
from othello_env.games.registry import Rules

__all__ = ["GameAEC", "GameEnv", "GameVectorEnv"]


class GameEnv(SingleGame):
    """A game against an opponent, the Gymnasium environment ``othello_env/Game-v0``.

    Args:
        game: the game and its options, such as ``"fewest:size=6"``; see `othello_env.games.registry.Rules`. Without it,
            the error names the games.
        arguments: the arguments of `SingleGame`.

    Raises:
        ValueError: there is no such game, or an argument is wrong.
    """

    def __init__(self, game: str = "", **arguments: Any) -> None:
        self._rules = Rules.parse(game)
        super().__init__(**arguments)

    def new_game(self, game_key: int) -> State:
        return self._rules.start(game_key)


class GameVectorEnv(VectorGames):
    """N games, the environment of ``gymnasium.make_vec("othello_env/Game-v0", num_envs=N, game=...)``.

    Args:
        num_envs: the number of games.
        game: the game and its options. The game must be registered with a batch.
        arguments: the arguments of `VectorGames`.

    Raises:
        ValueError: there is no such game, it has no batch, or an argument is wrong.
    """

    def __init__(self, num_envs: int = 1, *, game: str = "", **arguments: Any) -> None:
        self._rules = Rules.parse(game)
        super().__init__(num_envs, **arguments)

    def new_game(self, game_key: int) -> State:
        return self._rules.start(game_key)

    def new_batch(self, n: int) -> Batch:
        return self._rules.batch(n)


class GameAEC(AECGame):
    """A game as a PettingZoo AEC environment.

    Args:
        game: the game and its options.
        arguments: the arguments of `AECGame`.

    Raises:
        ValueError: there is no such game, or an argument is wrong.
    """

    metadata = AECGame.describe("game_v0")

    def __init__(self, game: str = "", **arguments: Any) -> None:
        self._rules = Rules.parse(game)
        super().__init__(**arguments)

    def new_game(self, game_key: int) -> State:
        return self._rules.start(game_key)
