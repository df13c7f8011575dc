"""Othello for JAX: environments that run inside ``jit``, ``vmap`` and ``scan`` (the extra ``jax`` installs JAX).

`Othello` has the interface of Pgx: ``env = othello_env.jax.Othello()`` in place of ``env = pgx.make("othello")``. The
rules are those of `othello_env.games.othello.bitboard`: JAX traces the functions that Numba compiles elsewhere.

- `Othello`: the environment. Its method `vs` gives a `OnePlayer`, in which an opponent answers each move.
- `Gymnax`: a `OnePlayer` with the interface of Gymnax.
- `DeviceVectorEnv`: a batch of games on a device, as a vector environment of Gymnasium.
- `Network` and `agent`: a network that was trained in JAX, as an agent for matches and ratings.
- `legal_moves`: the legal squares of observations, as a third plane for a network.
- `sample_legal`: uniformly random legal actions.
"""

from othello_env.jax.env import Gymnax, OnePlayer, Othello, State, find_opponent, legal_moves, sample_legal
from othello_env.jax.network import Network, agent
from othello_env.jax.vector import DeviceVectorEnv

__all__ = [
    "DeviceVectorEnv",
    "Gymnax",
    "Network",
    "OnePlayer",
    "Othello",
    "State",
    "agent",
    "find_opponent",
    "legal_moves",
    "sample_legal",
]
