"""The games for language models: an environment of texts, and an agent that asks a model for its moves."""

from othello_env.text.chat import Answer, ChatAgent, ChatMove
from othello_env.text.env import OthelloText, game_reward

__all__ = ["Answer", "ChatAgent", "ChatMove", "OthelloText", "game_reward"]
