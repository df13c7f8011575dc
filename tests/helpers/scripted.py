"""Moves, and an agent and a function that play given moves, for several tests of environments."""

from othello_env import Agent, Othello, State
from othello_env.envs import GameAEC

WIPE_OUT = "e6f4e3f6g5d6e7f5c5"
"""After nine plies, White has no discs left. Black made the last ply. 51 squares are empty."""


class Script(Agent):
    """Plays the moves that its side plays in a transcript."""

    def __init__(self, moves: str) -> None:
        self.moves = Othello.from_moves(moves).moves
        self.asked = 0

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        self.asked += 1
        return self.moves[len(state.moves)]


def play_out(env: GameAEC, moves: str) -> None:
    for name in [moves[i : i + 2] for i in range(0, len(moves), 2)]:
        env.step(env.position.action_from_text(name))
