"""A batch of games as one Gymnasium vector environment."""

from othello_env.envs.vector.env import GameVectorEnv

__all__ = ["GameVectorEnv"]
