"""Draw the README's picture of a board: ``python scripts/draw_board.py [TRANSCRIPT] [FILE.png]``."""

import sys

from PIL import Image

from othello_env import Othello, drawing

# The beginning of a perfect game (Takizawa, Othello is Solved, 2023).
TRANSCRIPT = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6"


def main() -> None:
    transcript, file = (*sys.argv[1:], *(TRANSCRIPT, "docs/board.png")[len(sys.argv) - 1 :])
    Image.fromarray(drawing.pixels(Othello.from_moves(transcript))).save(file)


if __name__ == "__main__":
    main()
