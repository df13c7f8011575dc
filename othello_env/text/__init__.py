"""The games for language models: an environment of texts, and an agent that asks a model for its moves."""

from othello_env.text.chat import Answer, ChatAgent, ChatMove
from othello_env.text.env import OthelloText, game_reward
from othello_env.text.prompts import TEMPLATES

__all__ = ["TEMPLATES", "Answer", "ChatAgent", "ChatMove", "OthelloText", "game_reward"]
