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

from othello_env.envs.aec import GameAEC
from othello_env.games.openings import OpeningsSpec
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import named_arguments

__all__ = ["env", "raw_env"]


@named_arguments
def env(
    size: int = 8,
    openings: OpeningsSpec = None,
    reward: str = "result",
    strict: bool = False,
    render_mode: str | None = None,
) -> GameAEC[Othello]:
    """Make the environment. It needs no wrapper, so `env` and `raw_env` are the same function.

    Args:
        size: the height and width of the board: 4, 6 or 8.
        openings: where games begin. `GameAEC` explains `openings`, `reward`, `strict` and `render_mode`.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises an error instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.

    Raises:
        ValueError: an argument is wrong.
    """
    return GameAEC(
        "othello",
        openings=openings,
        reward=reward,
        strict=strict,
        render_mode=render_mode,
        size=size,
    )


raw_env = env
