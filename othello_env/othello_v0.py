"""Othello for two agents, as a PettingZoo AEC environment.

- Agents: ``black_0`` and ``white_0``. Black moves first.
- Actions: ``Discrete(size * size + 1)``. The action for a square is ``size * row + column``, so a1 is 0. The last
  action is the pass. A pass is legal only if the agent has no other move.
- Observation: the agent's own discs and the opponent's discs, ``(2, size, size)`` int8, and an ``action_mask``.
- Reward: at the end, +1 for the winner and -1 for the loser, or 0 for both in a draw. With ``reward="margin"``, each
  agent gets its margin in discs.
- Info: ``winner``, ``discs`` (the number of each player's discs), ``plies`` and ``illegal_action``, at every step.
- End: the game ends as soon as neither player has a move.

>>> from othello_env import othello_v0
>>> env = othello_v0.env()
>>> env.reset(seed=0)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     done = terminated or truncated
...     env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
>>> env.position.is_over
True

With PettingZoo 1.27 or later, ``pettingzoo.make("aec", "othello_env/othello-v0")`` makes this environment too. Import
`othello_env` first.

Version history: v0 is the first version.
"""

from __future__ import annotations

from othello_env.envs.aec import AECGame
from othello_env.games.openings import OpeningsSpec
from othello_env.games.othello.position import Othello, check_size

__all__ = ["OthelloAEC", "env", "raw_env"]


class OthelloAEC(AECGame):
    """The environment of Othello. It needs no wrapper, so `env` and `raw_env` are both names for this class.

    Args:
        size: the height and width of the board: 4, 6 or 8.
        openings: where games begin. `AECGame` explains this argument and the next three.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises an error instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
    """

    metadata = AECGame.describe("othello_v0")

    def __init__(
        self,
        size: int = 8,
        openings: OpeningsSpec = None,
        reward: str = "result",
        strict: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self._size = check_size(size)
        super().__init__(openings, reward, strict, render_mode)

    def new_game(self, game_key: int) -> Othello:
        return Othello(self._size)


env = raw_env = OthelloAEC
