"""Thousands of games as one Gymnasium vector environment."""

from othello_env.envs.vector.env import OthelloVectorEnv

__all__ = ["OthelloVectorEnv"]
