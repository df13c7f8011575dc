"""Checkers (English draughts) for two agents, as a PettingZoo AEC environment.

- Agents: ``red_0`` and ``white_0``. Red moves first.
- Actions: ``Discrete(2 * size * size)``. An action is ``4 * square + direction``. The dark squares are numbered from 0,
  and the directions 0-3 are NW, NE, SW, SE.
- Observation: six planes, ``(6, size, size)`` int8, and an ``action_mask``. Five planes show the agent's own men, its
  kings, the opponent's men, the opponent's kings, and the piece that must continue jumping. The sixth plane is all ones
  if Red is to move, else all zeros. Draws depend on earlier moves, which the observation does not show.
- Reward: at the end, +1 for the winner and -1 for the loser, or 0 for both in a draw. With ``reward="margin"``, each
  agent gets its margin in pieces.
- Chains of jumps: each jump is one action. As long as the same piece can jump again, the agent must continue with it.
- Info: ``winner``, ``discs`` (the number of each player's pieces), ``plies`` and ``illegal_action``, at every step.
- End: an agent that cannot move loses. By default, a repeated position is a draw (see the argument `draws`).

>>> from othello_env import checkers_v0
>>> env = checkers_v0.env()
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
from othello_env.games.checkers.position import Checkers
from othello_env.games.openings import OpeningsSpec
from othello_env.support.numbers import named_arguments

__all__ = ["env", "raw_env"]


@named_arguments
def env(
    size: int = 8,
    openings: OpeningsSpec = None,
    reward: str = "result",
    strict: bool = False,
    render_mode: str | None = None,
    draws: str = "repetition",
) -> GameAEC[Checkers]:
    """Make the environment. It needs no wrapper, so `env` and `raw_env` are the same function.

    Args:
        size: the side of the board, 4, 6, 8 or 10.
        openings: where games begin. `GameAEC` explains `openings`, `reward`, `strict` and `render_mode`.
        reward: ``"result"`` or ``"margin"``.
        strict: whether an illegal action raises an error instead of ending the game.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        draws: the rule for draws, ``"repetition"``, ``"threefold"`` or ``"40-move"``; see
            `othello_env.games.checkers.position`.

    Raises:
        ValueError: an argument is wrong.
    """
    return GameAEC(
        "checkers",
        openings=openings,
        reward=reward,
        strict=strict,
        render_mode=render_mode,
        size=size,
        draws=draws,
    )


raw_env = env
