"""Rate the packaged agents that are no rungs on the packaged ladders, and write the file of their ratings.

    python scripts/make/rate_agents.py othello_env/arena/benchmark/agents-v0.json

The ratings are those that ``othello-env benchmark`` prints with its default settings. The browser page, the tables of
the documentation and its other pages show them.
"""

from dataclasses import dataclass
from pathlib import Path

import tyro

from othello_env import place
from othello_env.arena.benchmark.ladder import LADDERS, Rung
from othello_env.support.files import write_json

AGENTS = {
    "othello": ("alphabeta:depth=3,eval=weighted", "alphabeta:depth=6", "mcts", "engine:depth=4", "engine"),
    "othello:size=6": ("alphabeta:depth=2", "alphabeta:depth=6", "mcts", "engine:depth=4", "engine"),
}


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    file: tyro.conf.Positional[Path]  # is written anew


def rated(spec: str, game: str) -> Rung:
    """An agent with its rating."""
    found = place(spec, game=game)
    print(spec, found, flush=True)
    assert found.elo is not None, f"{spec} lost all games"
    return Rung(spec, found.elo, found.interval, found.games)


def main(args: Args) -> None:
    ladders = {LADDERS[game]: [rated(spec, game).to_json() for spec in specs] for game, specs in AGENTS.items()}
    write_json(args.file, {"format": "othello-env rated agents 1", **ladders})


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
