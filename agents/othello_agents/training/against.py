"""Games against a fixed opponent, from which a network learns to beat it.

The learner is a user of the vector environment, as any other. It plays the move with the best afterstate, or now and
then a random move, and learns from its own afterstates only.

Letters for shapes: T = turns of the learner in the longest game of a round, N = games of a round; the others as in
`td`.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from othello_agents.ntuple.kernels import Tables, best_move, configure, outcome, position_logit
from othello_agents.ntuple.network import NTupleNetwork
from othello_agents.training.td import Record, learn, record_errors
from othello_env.agent import Agent, Policy
from othello_env.games.hashing import CHOICE, EPSILON, OPENING, below, draw, mix, mix_int
from othello_env.games.othello.bitboard import ACTION_SQUARES, flips, legal_moves, nth_bit, popcount, square_to_action
from othello_env.support.jit import interruptible, kernel

__all__ = ["ROUND", "GamesAgainst"]

ROUND = 128
"""The number of games that are played side by side, before the network learns from them."""
_EPSILON = 0.02
"""The probability that the learner plays a random move."""
_TRACE, _RATE = 0.9, 1.0

_0, _1, _32 = np.uint64(0), np.uint64(1), np.uint64(32)


@kernel
def _choose(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    keys: npt.NDArray[np.uint64],
    tables: Tables,
    size: int,
    epsilon: float,
    actions: npt.NDArray[np.int64],
) -> None:
    """Write the learner's actions in N positions into `actions` (N,), and turn the positions into afterstates.

    `own` (N,) and `opponent` (N,) then hold the discs of the player who has just moved and those of the other player.
    Where the learner must pass, both are 0.
    """
    configuration = np.empty(tables.deltas.shape[1], np.int16)
    after = np.empty_like(configuration)
    for i in range(len(own)):
        legal = legal_moves(own[i], opponent[i], tables.board)
        if legal == _0:
            actions[i], own[i], opponent[i] = size * size, _0, _0
            continue
        bits = mix(mix(keys[i], np.uint64(EPSILON)), np.uint64(popcount(own[i] | opponent[i])))
        if bits >> _32 < np.uint64(epsilon * 2.0**32):
            square = np.int64(nth_bit(legal, below(mix(bits, np.uint64(CHOICE)), popcount(legal))))
        else:
            configure(own[i], opponent[i], tables, configuration)
            square, _ = best_move(own[i], opponent[i], legal, configuration, tables, after)
        disc = _1 << np.uint64(square)
        turned = flips(disc, own[i], opponent[i])
        own[i], opponent[i], actions[i] = own[i] | turned | disc, opponent[i] ^ turned, square_to_action(square, size)


@kernel
def _learn_games(
    own: npt.NDArray[np.uint64],
    opponent: npt.NDArray[np.uint64],
    margins: npt.NDArray[np.int64],
    trace: float,
    rate: float,
    tables: Tables,
    sums: npt.NDArray[np.float32],
    mirrors: npt.NDArray[np.int32],
    record: Record,
    played: npt.NDArray[np.int64],
) -> None:
    """Learn from the games of a round, one after another, and count them in `played` (1,).

    The values are looked up when a game's turn comes. (With the values from before the round, all games would push the
    same weights in the same way.)

    `own` (T, N) holds the learner's discs in its afterstates, and 0 where there is no afterstate; `opponent` (T, N)
    holds the opponent's discs. `margins` (N,) are the final disc differences for the learner. `trace` is lambda of
    TD(lambda). The rest is as for `learn`.
    """
    scratch = np.empty(tables.deltas.shape[1], np.int16)
    for i in range(own.shape[1]):
        plies = np.int64(0)
        for t in range(own.shape[0]):
            if own[t, i] != _0:
                value = np.tanh(np.float64(position_logit(own[t, i], opponent[t, i], tables, scratch)))
                record.configurations[plies, :] = scratch
                record.discs[plies] = popcount(own[t, i] | opponent[t, i])
                record.signs[plies], record.followed[plies] = 1, True
                record.values[plies] = record.greedy[plies] = value
                plies += 1
        record.signs[plies] = 1
        record.greedy[plies] = outcome(margins[i], np.int64(popcount(tables.board)))
        record_errors(plies + 1, trace, record)
        learn(np.int64(0), plies + 1, rate, tables, sums, mirrors, record)
        played[0] += 1


class GamesAgainst:
    """Learns from games against an opponent.

    Args:
        opponent: a spec, an Agent or a callable.
        network: the network, with errors; it is changed in place.
        key: determines the sequence of games.
        played: (1,) int64, the number of games so far. It is increased after each round.

    Raises:
        ValueError: a spec is wrong, or the opponent does not play Othello on a board of this size (a WrongGameError).
        TypeError: the opponent is not a spec, an Agent or a callable.
    """

    chunk = ROUND
    """The number of games in a round."""

    def __init__(
        self, opponent: str | Agent | Policy, network: NTupleNetwork, key: np.uint64, played: npt.NDArray[np.int64]
    ) -> None:
        size = network.size
        envs: Any = gymnasium.make_vec(
            "othello_env/Othello-v0", num_envs=ROUND, opponent=opponent, size=size, reward="margin", copy=False
        )
        self._envs, self._network, self._key, self._played = envs, network, int(key), played
        self._squares = np.array(ACTION_SQUARES[size], np.uint64)
        self._random_plies = (size * size - 4) // 6
        self._record = Record.empty(network.tables)
        self.opponent: str = envs.unwrapped.opponents[0]
        """The opponent's spec, or the name of the Agent or callable."""

    def play(self, games: int) -> None:
        """Play a round, also if it has more than `games` games. With 0 games, the kernels are only compiled."""
        network, first = self._network, int(self._played[0])
        seeds = [mix_int(self._key, first + i) for i in range(ROUND)]
        random_plies = draw(mix_int(self._key, first), OPENING, self._random_plies + 1)
        observations, _ = self._envs.reset(seed=seeds, options={"random_plies": random_plies})
        keys, actions = np.array(seeds, np.uint64), np.empty(ROUND, np.int64)
        margins, over = np.zeros(ROUND, np.int64), np.full(ROUND, games == 0)
        turns = []
        while not turns or not over.all():
            planes = observations["observation"].reshape(ROUND, 2, -1).astype(np.uint64)
            boards = (planes << self._squares).sum(axis=2, dtype=np.uint64).T.copy()
            with interruptible():
                _choose(boards[0], boards[1], keys, network.tables, network.size, _EPSILON, actions)
            boards[:, over] = 0  # where a game of the round has ended, the environment has begun another one
            turns.append(boards)
            observations, rewards, ended, *_ = self._envs.step(actions)
            margins[ended & ~over] = rewards[ended & ~over]
            over |= ended
        own, opponent = np.array(turns).transpose(1, 0, 2)[:, :, : games and ROUND].copy()
        sums, mirrors = network.errors, network.layout.mirrors
        assert sums is not None
        with interruptible():
            _learn_games(
                own, opponent, margins, _TRACE, _RATE, network.tables, sums, mirrors, self._record, self._played
            )
