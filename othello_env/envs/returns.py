"""Returns and advantages of each side in a rollout of self-play.

Letters for shapes: T = steps, N = games.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["self_play_advantages"]

_Floats = npt.NDArray[np.floating]
_Integers = npt.NDArray[np.integer]
_Flags = npt.NDArray[np.bool_]


def self_play_advantages(
    rewards: _Floats,
    values: _Floats,
    players: _Integers,
    terminated: _Flags,
    last_values: _Floats,
    last_players: _Integers,
    *,
    gamma: float = 1.0,
    gae_lambda: float = 0.95,
    illegal: _Flags | None = None,
    played: _Flags | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Generalised advantage estimation (Schulman et al., 2016) for two sides that move in turn.

    Each side treats the other side as part of its environment. A step of a side lasts from one of its turns to its next
    turn. The reward of this step is the sum of the side's rewards for its own ply and for the plies before its next
    turn. So the loser of a game gets its reward even if the winner made the last move. The values of one side are not
    used for the other side, with one exception. After the last step, only one side is to move; the value for the other
    side is then the negative of `last_values`. If `values` and `last_values` are all zeros and `gae_lambda` is 1, the
    returns are the discounted future rewards.

    Args:
        rewards: (T, N) the rewards that `step` returned, each for the player that acted.
        values: (T, N) the estimated value of each observation for the player that acted on it.
        players: (T, N) the players that acted, ``info["reward_to"]``.
        terminated: (T, N) the arrays `terminated` that `step` returned.
        last_values: (N,) the estimated values of the observations after the last step, for the players to move there.
        last_players: (N,) the players to move after the last step, ``info["to_move"]``.
        gamma: the discount from one turn of a side to its next turn.
        gae_lambda: from 0 (rely on the value of the next turn) to 1 (rely on the rewards of all later turns).
        illegal: (T, N) whether an illegal action ended the game, so that the other side got 0. This is
            ``info["illegal_action"] >= 0``. In ``SAME_STEP`` mode, if a game ended in the step, this is
            ``final_info["_illegal_action"] & (final_info["illegal_action"] >= 0)``, where
            ``final_info = info["final_info"]``. None: no illegal actions.
        played: (T, N) whether a step was a ply. In ``NEXT_STEP`` mode, the step after the end of a game is not a ply;
            its advantage is 0. None: all steps were plies.

    Returns:
        Advantages and returns (advantages plus values), both (T, N) float64.

    Raises:
        ValueError: a shape is wrong, or a player is not 0 or 1.
    """
    shape = np.shape(rewards)
    _check_shapes(shape, {"values": values, "players": players, "terminated": terminated})
    _check_shapes(shape, {"illegal": illegal, "played": played})
    _check_shapes(shape[1:], {"last_values": last_values, "last_players": last_players})
    for turns in (players, last_players):
        if not np.isin(turns, (0, 1)).all():
            raise ValueError(f"players are 0 and 1, got {np.unique(turns)}")
    games = np.arange(shape[1])
    # For each player in each game: the value and the advantage of the player's next turn, and the rewards until then.
    next_value = np.empty((2, shape[1]))
    next_value[last_players, games] = last_values
    next_value[1 - np.asarray(last_players), games] = -np.asarray(last_values)
    next_advantage, collected = np.zeros((2, shape[1])), np.zeros((2, shape[1]))
    advantages = np.zeros(shape)
    for t in reversed(range(shape[0])):
        plies = games if played is None else np.flatnonzero(played[t])
        player, other = players[t, plies], 1 - players[t, plies]
        over, reward = terminated[t, plies], rewards[t, plies]
        ended = plies[over]
        next_value[:, ended] = next_advantage[:, ended] = collected[:, ended] = 0.0
        zero_sum = reward if illegal is None else np.where(illegal[t, plies], 0.0, reward)
        collected[other, plies] -= zero_sum
        delta = collected[player, plies] + reward + gamma * next_value[player, plies] - values[t, plies]
        advantages[t, plies] = delta + gamma * gae_lambda * next_advantage[player, plies]
        next_value[player, plies] = values[t, plies]
        next_advantage[player, plies] = advantages[t, plies]
        collected[player, plies] = 0.0
    return advantages, advantages + values


def _check_shapes(shape: tuple[int, ...], arrays: dict[str, npt.NDArray[np.generic] | None]) -> None:
    for name, array in arrays.items():
        if array is not None and np.shape(array) != shape:
            raise ValueError(f"expected {name} of shape {shape}, got {np.shape(array)}")
