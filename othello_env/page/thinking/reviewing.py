"""The review of a whole game, as values for JSON. `othello_env.data.review_game` judges the moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from othello_env.agent import Agent
from othello_env.data.review import review_game, summarise
from othello_env.games.game import State

__all__ = ["review"]


def review(agent: Agent, states: Sequence[State]) -> dict[str, Any]:
    """Review each action of a game of Othello, and summarise the actions of each player.

    Args:
        agent: the engine that judges moves before the end of the game; see `othello_env.data.review_game`.
        states: all positions of the game, from its start to its last position.

    Returns:
        ``moves``, a review of each action in the order of play, and ``sides``, a summary for each player.

    Raises:
        ValueError: the game is not Othello, or the agent is not an engine that gives its scores in discs.
    """
    moves = [*review_game(states[-1], agent, start=states[0])]
    sides = [summarise(move for move in moves if move.player == player) for player in range(states[0].num_players)]
    return {"moves": [move.to_json() for move in moves], "sides": [side.to_json() for side in sides]}
