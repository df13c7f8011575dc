"""Draw the README's pictures of boards into a folder: ``python scripts/draw_board.py docs``."""

import argparse
from pathlib import Path

from PIL import Image

from othello_env import Checkers, Othello, State, Tribolo, drawing, make_agent


def played(state: State, spec: str, plies: int) -> State:
    """The position after an agent has played some plies against itself."""
    agent = make_agent(spec, seed=1)
    agent.new_game(1)
    for _ in range(plies):
        state = state.play(agent.act(state))
    return state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default="docs", help="that exists [%(default)s]")
    folder = parser.parse_args().folder
    positions = {
        # The beginning of a perfect game (Takizawa, Othello is Solved, 2023).
        "board": Othello.from_moves("f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6"),
        "tribolo": played(Tribolo(seed=4), "tribolo:strategy=high-level", 40),
        "checkers": played(Checkers(), "alphabeta:depth=6", 34),
    }
    for name, state in positions.items():
        Image.fromarray(drawing.pixels(state, cell=48)).save(folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
