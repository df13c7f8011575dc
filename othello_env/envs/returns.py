"""Returns and advantages for each side of a self-play rollout.

Letters for shapes: T = steps, N = games, P = players.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from othello_env.support.numbers import check_real

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
    """Generalised advantage estimation (Schulman et al., 2016) for sides that move in turn.

    For each side, the other sides are a part of the environment. So a transition of a side lasts from one turn of this
    side to its next turn. The reward of such a transition is the sum of all rewards that the side gets until its next
    turn. So the loser of a game gets its reward even if the winner made the last move.

    The advantages of a side use only this side's values, with one exception. After the last step, only the side to move
    has a value, in `last_values`. For the other side, this function uses the negative of this value; for each of two
    other sides, half of it. If `values` and `last_values` are all zeros and `gae_lambda` is 1, the returns are the
    discounted future rewards.

    Against opponents, where each step is a turn of the learner, `players` and `last_players` are zeros. Then the result
    is the usual generalised advantage estimation::

        players = np.zeros(rewards.shape, np.int8)
        advantages, returns = self_play_advantages(rewards, values, players, terminated, last_values, players[0])

    Args:
        rewards: (T, N) floats, the rewards that `step` returned. Each reward is for the player that acted. In a game of
            more than two players (T, N, P): the rewards of all players in each step.
        values: (T, N) floats, the estimated value of each observation for the player that acted on it.
        players: (T, N) integers, the players that acted, from ``info["reward_to"]``. Only those of plies count.
        terminated: (T, N) bool, the arrays `terminated` that `step` returned. Integers 0 and 1 are allowed, too.
        last_values: (N,) floats, the estimated value of each observation after the last step, for the player to move.
        last_players: (N,) integers, the players to move after the last step, from ``info["to_move"]``.
        gamma: the discount factor, 0 to 1, from one turn of a side to its next turn.
        gae_lambda: a number from 0 to 1. With 0, an advantage uses the value of the side's next turn and the rewards
            until then. With 1, it uses the rewards of all later turns.
        illegal: (T, N) bool, whether an illegal action ended the game; not used with (T, N, P) rewards. After an
            illegal action, the other side gets 0. In all other steps, the side that acted gets a reward, and the
            other side gets minus this reward. Row t of this array is ``info["illegal_action"] >= 0``, with the info of
            step t. In ``SAME_STEP`` mode, there is an exception: if any game ended in step t, let
            ``final_info = info["final_info"]``. Then row t is
            ``final_info["_illegal_action"] & (final_info["illegal_action"] >= 0)``. None means that there were no
            illegal actions.
        played: (T, N) bool, whether a step was a ply. In ``NEXT_STEP`` mode, the step after the end of a game begins a
            new game and is not a ply. The advantage of such a step is 0. None means that all steps were plies.

    Returns:
        Advantages and returns (advantages plus values), both (T, N) float64.

    Raises:
        TypeError: `gamma` or `gae_lambda` is not a number.
        ValueError: a shape is wrong, a player is not 0 or 1 (not 0 to P - 1), or `gamma` or `gae_lambda` is not from 0
            to 1.
    """
    gamma, gae_lambda = check_real("gamma", gamma, 0, 1), check_real("gae_lambda", gae_lambda, 0, 1)
    rewards, values = np.asarray(rewards), np.asarray(values)
    if rewards.ndim not in (2, 3):
        raise ValueError(f"expected rewards of shape (steps, games), perhaps with players, got {rewards.shape}")
    shape, sides = rewards.shape[:2], rewards.shape[2] if rewards.ndim == 3 else 2
    _check_shapes(shape, {"values": values, "players": players, "terminated": terminated})
    _check_shapes(
        shape, {name: array for name, array in (("illegal", illegal), ("played", played)) if array is not None}
    )
    _check_shapes(shape[1:], {"last_values": last_values, "last_players": last_players})
    played = None if played is None else np.asarray(played, np.bool_)
    players = np.asarray(players)
    for turns in (players if played is None else players[played], last_players):
        if not np.isin(turns, range(sides)).all():
            raise ValueError(f"players must be {' and '.join(map(str, range(sides)))}, not {np.unique(turns)}")
    # `terminated` and the players are used as indices below. As an index, an array of 0 and 1 selects the games 0 and
    # 1, but an array of True and False is a mask. So flags become bool, and players become integers.
    players, last_players = np.asarray(players, np.intp), np.asarray(last_players, np.intp)
    terminated = np.asarray(terminated, np.bool_)
    illegal = None if illegal is None else np.asarray(illegal, np.bool_)
    games = np.arange(shape[1])
    # The loop goes backwards in time. For each player in each game, it keeps three numbers: `next_value` and
    # `next_advantage` are the value and the advantage of the player's next turn, and `collected` is the sum of the
    # rewards that the player gets before its next turn.
    next_value = np.tile(np.asarray(last_values, np.float64) / (1 - sides), (sides, 1))
    next_value[last_players, games] = last_values
    next_advantage, collected = np.zeros((sides, shape[1])), np.zeros((sides, shape[1]))
    advantages = np.zeros(shape)
    for t in reversed(range(shape[0])):
        plies = games if played is None else np.flatnonzero(played[t])
        player, reward = players[t, plies], rewards[t, plies]
        ended = plies[terminated[t, plies]]
        next_value[:, ended] = next_advantage[:, ended] = collected[:, ended] = 0.0
        if reward.ndim == 2:
            collected[:, plies] += reward.T
        else:
            collected[player, plies] += reward
            collected[1 - player, plies] -= reward if illegal is None else np.where(illegal[t, plies], 0.0, reward)
        delta = collected[player, plies] + gamma * next_value[player, plies] - values[t, plies]
        advantages[t, plies] = delta + gamma * gae_lambda * next_advantage[player, plies]
        next_value[player, plies] = values[t, plies]
        next_advantage[player, plies] = advantages[t, plies]
        collected[player, plies] = 0.0
    return advantages, advantages + values


def _check_shapes(shape: tuple[int, ...], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
    for name, array in arrays.items():
        if np.shape(array) != shape:
            raise ValueError(f"expected {name} of shape {shape}, got {np.shape(array)}")
