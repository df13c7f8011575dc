"""Tribolo for three agents, as a PettingZoo AEC environment.

- Agents: ``blue_0``, ``red_0`` and ``green_0`` move in this order. A random agent begins.
- Actions: ``Discrete(width * height)``. The action for a cell is ``width * row + column``, so a1 is 0.
- Observation: four planes, ``(4, height, width)`` int8, and an ``action_mask``. The planes show the agent's own cells,
  the cells of the next agent, the cells of the third agent, and the walls.
- Reward: at the end, +1 for the winner and -1/2 for each of the other two. If two agents tie for first place, each of
  these two gets +1/4, and the third gets -1/2. If all three tie, each gets 0. With ``reward="margin"``, each agent gets
  its margin in cells.
- Skipped agents: an agent that cannot move is skipped, so an agent can have several turns in a row. Nobody can pass.
- Info: ``winner``, ``discs`` (the number of each player's cells), ``plies`` and ``illegal_action``, at every step.
- End: the game ends when nobody can move.

Each game has its own board. Two numbers determine the board: the seed of the last reset that had a seed, and the number
of games since that reset.

>>> from othello_env import tribolo_v0
>>> env = tribolo_v0.env()
>>> env.reset(seed=0)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     done = terminated or truncated
...     env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
>>> env.position.is_over
True

Version history: v0 is the first version.
"""

from __future__ import annotations

from othello_env.envs.aec import GameAEC
from othello_env.games.openings import OpeningsSpec
from othello_env.games.tribolo.position import Tribolo
from othello_env.support.numbers import named_arguments

__all__ = ["env", "raw_env"]


@named_arguments
def env(
    openings: OpeningsSpec = None,
    reward: str = "result",
    strict: bool = False,
    render_mode: str | None = None,
    width: int = 16,
    height: int = 11,
    cells: int = 12,
    walls: int = 12,
) -> GameAEC[Tribolo]:
    """Make the environment. It needs no wrapper, so `env` and `raw_env` are the same function.

    Args:
        openings: where games begin. `GameAEC` explains `openings`, `reward`, `strict` and `render_mode`.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises an error instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        width: the number of columns of the board. `othello_env.games.tribolo.position.Tribolo` explains `width` and all
            later arguments.
        height: the number of rows of the board.
        cells: the number of cells that each player owns at the start.
        walls: the number of walls on the board.

    Raises:
        ValueError: an argument is wrong.
    """
    return GameAEC(
        "tribolo",
        openings=openings,
        reward=reward,
        strict=strict,
        render_mode=render_mode,
        width=width,
        height=height,
        cells=cells,
        walls=walls,
    )


raw_env = env
