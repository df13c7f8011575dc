"""Draw the documentation's pictures of boards into a folder: ``python scripts/make/draw_board.py docs``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from PIL import Image

from othello_env import Checkers, Othello, State, Tribolo, drawing, make_agent


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    folder: tyro.conf.Positional[Path] = Path("docs")  # an existing folder


def played(state: State, spec: str, plies: int) -> State:
    """The position after an agent has played `plies` plies against itself, or fewer plies if the game ends earlier."""
    agent = make_agent(spec, seed=1)
    agent.new_game(1)
    for _ in range(plies):
        if not state.is_over:
            state = state.play(agent.act(state))
    return state


def whole_game(spec: str) -> tuple[list[State], list[dict[int, float]]]:
    """All positions of a game of Othello, and the values in whole discs by which an agent chose each move."""
    agent: Any = make_agent(spec)
    states: list[State] = [Othello()]
    values: list[dict[int, float]] = []
    while not states[-1].is_over:
        values.append({action: round(discs) for action, discs in agent.action_values(states[-1]).items()})
        states.append(states[-1].play(max(values[-1], key=lambda action: values[-1][action])))
    return states, [*values, {}]


def main(args: Args) -> None:
    positions = {
        # The beginning of a perfect game (Takizawa, Othello is Solved, 2023).
        "board": Othello.from_moves("f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6"),
        "tribolo": played(Tribolo(seed=4), "tribolo:strategy=high-level", 40),
        "checkers": played(Checkers(), "alphabeta:depth=6", 34),
    }
    for name, state in positions.items():
        picture = Image.fromarray(drawing.pixels(state, cell=48)).quantize(256, dither=Image.Dither.NONE)
        picture.save(args.folder / f"{name}.png", optimize=True)
    states, values = whole_game("engine:depth=4")
    (args.folder / "game.gif").write_bytes(drawing.gif(states, cell=40, seconds=1.0, values=values))
    print(f"written to {args.folder}")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
