"""Othello, checkers and Tribolo for OpenEnv: what a client sends and gets, and the client."""

from .client import OthelloClient
from .models import Move, Text

__all__ = ["Move", "OthelloClient", "Text"]
