"""Regret: how far an agent is from perfect play on small boards, measured in packaged positions with exact scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from othello_env.agent import Agent, Policy, make_agent
from othello_env.arena.faults import warn_of_faults
from othello_env.arena.openings import packaged_lines
from othello_env.arena.rating.endgame import (
    EndgamePosition,
    MoveAccuracy,
    ask_each,
    parse_position,
    random_accuracy,
)
from othello_env.games.game import check_seed

__all__ = ["REGRET_SIZES", "Regret", "Stage", "check_regret_size", "measure_regret", "regret_name", "regret_positions"]

REGRET_SIZES = (4, 6)
"""The sizes of the boards (height and width) for which the package has positions with exact scores."""

_STAGES = {4: ((2, 3), (4, 5), (6, 7)), 6: ((4, 7), (8, 11), (12, 15), (16, 18), (19, 22))}
"""For each size, the stages of the game: the least and the greatest number of empty squares in each stage."""


@dataclass(frozen=True)
class Stage:
    """An agent's accuracy in the positions of one stage of the game.

    Attributes:
        fewest: the least number of empty squares in this stage.
        most: the greatest number of empty squares in this stage.
        accuracy: the accuracy of the agent's moves in this stage.
        random: the expected results of random moves: the share of perfect moves, and the mean loss of a move in discs.
    """

    fewest: int
    most: int
    accuracy: MoveAccuracy
    random: tuple[float, float]


@dataclass(frozen=True)
class Regret:
    """How far an agent's moves are from perfect play.

    Attributes:
        size: the board's height and width.
        stages: the results in each stage of the game. The stage with the fewest empty squares comes first.
        all: the results in all positions. For each number of empty squares, there are equally many positions.
    """

    size: int
    stages: tuple[Stage, ...]
    all: MoveAccuracy

    def __repr__(self) -> str:
        return (
            f"<Regret on {self.size}x{self.size}: perfect in {self.rate:.1%} of {self.all.positions} positions, "
            f"{self.loss:.2f} discs lost a move>"
        )

    @property
    def rate(self) -> float:
        """The share of perfect moves, which are moves that keep the exact score of the position."""
        return self.all.rate

    @property
    def loss(self) -> float:
        """The mean number of discs that a move loses, compared with a perfect move."""
        return self.all.loss

    @property
    def faults(self) -> tuple[str, ...]:
        """The reasons for illegal and failed answers. Such an answer counts as the worst move."""
        return self.all.faults

    def to_json(self) -> dict[str, Any]:
        """The results as plain values, with the expected results of random moves."""
        random = random_accuracy(regret_positions(self.size))
        stages = [
            {"empty": [stage.fewest, stage.most], **stage.accuracy.as_values(stage.random)} for stage in self.stages
        ]
        return {"positions": regret_name(self.size), **self.all.as_values(random), "stages": stages}


def regret_name(size: int) -> str:
    """The name of the packaged positions for boards of one size.

    `scripts/make/scored_positions.py` made and solved these positions.

    >>> regret_name(6)
    'regret-6x6-v0'
    """
    return f"regret-{size}x{size}-v0"


def check_regret_size(size: int) -> int:
    """Check that there are packaged positions for boards of this size, and return the size.

    Raises:
        ValueError: there are no positions for this size.
    """
    if size not in REGRET_SIZES:
        raise ValueError(f"regret is measured on boards of size {' or '.join(map(str, REGRET_SIZES))}, not {size!r}")
    return size


@cache
def regret_positions(size: int = 6) -> tuple[EndgamePosition, ...]:
    """The packaged positions for boards of one size, in the order of their file.

    In each position, at least one legal move loses discs, compared with the best move. No two positions are equal under
    symmetry.

    Raises:
        ValueError: there are no positions for this size.

    >>> len(regret_positions(6))
    380
    """
    file = f"{regret_name(check_regret_size(size))}.txt"
    return tuple(parse_position(line, size) for line in packaged_lines("othello_env.arena.rating", file))


def measure_regret(agent: str | Agent | Policy, *, size: int = 6, seed: int = 0) -> Regret:
    """Ask an agent for its move in each packaged position, and compare its moves with perfect play.

    The package has the exact scores of all moves. So only the agent's answers take time, and the function can be called
    every few minutes during training. A `FaultWarning` reports illegal and failed answers.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        size: the board's height and width, 4 or 6.
        seed: determines the agent's random choices.

    Raises:
        AgentLeftError: the agent has left the game, as a person can.
        TypeError: the seed is not an integer.
        ValueError: there are no positions for this size, or the seed is negative.
        WrongGameError: the agent does not play Othello on boards of this size.
    """
    seed, positions = check_seed(seed), regret_positions(size)
    player = make_agent(agent, seed)
    player.check_game(positions[0].state)
    answers = ask_each(player, positions, seed)
    found = Regret(size, tuple(_stages(size, answers)), MoveAccuracy.of(positions, answers))
    warn_of_faults(repr(player), "answers", found.faults, len(positions))
    return found


def _stages(size: int, answers: list[int | str]) -> Iterator[Stage]:
    positions = regret_positions(size)
    for fewest, most in _STAGES[size]:
        places = [i for i, each in enumerate(positions) if fewest <= each.state.empties <= most]
        chosen = [positions[i] for i in places]
        yield Stage(fewest, most, MoveAccuracy.of(chosen, [answers[i] for i in places]), random_accuracy(chosen))
