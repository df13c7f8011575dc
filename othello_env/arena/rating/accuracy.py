"""How well an agent moves in packaged positions with exact scores: endgames on 8x8, and regret on small boards.

Regret is how far an agent is from perfect play.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np

from othello_env.agent import Agent, AgentLeftError, Policy, Seat, WrongGameError, ask_batch, make_agent
from othello_env.arena.faults import warn_of_faults
from othello_env.arena.openings import packaged_lines
from othello_env.arena.play.games import failure
from othello_env.arena.tournament.results import Z95, score_interval
from othello_env.games.game import check_seed
from othello_env.games.hashing import mix_int
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello
from othello_env.support.jit import raise_interrupt

__all__ = [
    "ENDGAMES",
    "REGRET_SIZES",
    "EndgameAccuracy",
    "EndgamePosition",
    "MoveAccuracy",
    "Regret",
    "Stage",
    "ask_each",
    "check_regret_size",
    "endgame_positions",
    "measure_endgame",
    "measure_regret",
    "openings_name",
    "parse_position",
    "random_accuracy",
    "random_endgame",
    "regret_name",
    "regret_positions",
    "solved_openings",
]

ENDGAMES = "endgame-v0"
"""The name of the packaged positions, which are 8x8 boards with 8 to 12 empty squares.

`scripts/make/scored_positions.py` made and solved these positions.
"""


@dataclass(frozen=True, slots=True)
class EndgamePosition:
    """A position and its exact scores.

    Attributes:
        state: the position, with the moves that led to it from the start.
        scores: for each legal action, the final disc difference if both sides play perfectly after this action. The
            difference is positive if the player to move wins. Empty squares count as discs of the winner. At least two
            of these scores are different.
    """

    state: Othello
    scores: dict[int, int]

    def loss(self, action: int) -> int:
        """The number of discs that an action loses, compared with a best action."""
        return max(self.scores.values()) - self.scores[action]


@dataclass(frozen=True)
class MoveAccuracy:
    """How well an agent moved in N positions whose exact scores are known.

    Attributes:
        best: the number of positions in which the agent found a best move.
        losses: (N,), the discs that each move of the agent lost, compared with a best move. An illegal or failed answer
            counts as the worst move.
        faults: the reasons for illegal and failed answers.
        actions: (N,), the agent's actions; None for an illegal or failed answer.
    """

    best: int
    losses: tuple[float, ...]
    faults: tuple[str, ...] = ()
    actions: tuple[int | None, ...] = ()

    def __repr__(self) -> str:
        failed = f", {len(self.faults)} failed" if self.faults else ""
        return (
            f"<{type(self).__name__} {self.positions} positions: a best move in {self.rate:.1%}, "
            f"{self.loss:.2f} discs lost a move{failed}>"
        )

    @property
    def positions(self) -> int:
        return len(self.losses)

    @property
    def rate(self) -> float:
        """The share of positions in which the agent found a best move."""
        return self.best / self.positions

    @property
    def rate_interval(self) -> tuple[float, float]:
        """The 95% interval of `rate`, by Wilson's method."""
        return score_interval([1.0] * self.best + [0.0] * (self.positions - self.best))

    @property
    def loss(self) -> float:
        """The mean number of discs that a move lost."""
        return sum(self.losses) / self.positions

    @property
    def loss_interval(self) -> tuple[float, float]:
        """The 95% interval of `loss`, computed as if the mean were normally distributed."""
        half = Z95 * float(np.std(self.losses)) / math.sqrt(self.positions)
        return max(0.0, self.loss - half), self.loss + half

    @classmethod
    def from_answers(cls, positions: Sequence[EndgamePosition], answers: Sequence[int | str]) -> Self:
        """The accuracy of the answers that `ask_each` returned for these positions."""
        losses = [
            max(map(position.loss, position.scores)) if isinstance(answer, str) else position.loss(answer)
            for position, answer in zip(positions, answers, strict=True)
        ]
        best = sum(not isinstance(answer, str) and loss == 0 for answer, loss in zip(answers, losses, strict=True))
        faults = tuple(answer for answer in answers if isinstance(answer, str))
        actions = tuple(None if isinstance(answer, str) else answer for answer in answers)
        return cls(best, tuple(losses), faults, actions)

    def rows(self, positions: Sequence[EndgamePosition]) -> list[dict[str, Any]]:
        """A row of plain values for each of the N positions, for example for a table of `pandas`.

        A row has `position` (the number in the list, from 0), `empties`, `transcript` (the moves that lead to the
        position), `board` and `to_move` (as `Othello.from_text` reads them), `move` (the agent's; None for an illegal
        or failed answer), `loss` (in discs), and `best` (the best moves).
        """
        return [
            {
                "position": number,
                "empties": position.state.empties,
                "transcript": position.state.transcript(),
                "board": position.state.to_text(),
                "to_move": position.state.player_names[position.state.to_move],
                "move": None if action is None else position.state.action_to_text(action),
                "loss": loss,
                "best": [position.state.action_to_text(a) for a in position.scores if position.loss(a) == 0],
            }
            for number, (position, action, loss) in enumerate(zip(positions, self.actions, self.losses, strict=True))
        ]

    def as_values(self, random: tuple[float, float]) -> dict[str, Any]:
        """The results as plain values, with the expected results of random moves; see `random_accuracy`."""
        rate, loss = random
        return {
            "count": self.positions,
            "best_move_rate": round(self.rate, 4),
            "best_move_rate_interval95": [round(end, 4) for end in self.rate_interval],
            "mean_loss": round(self.loss, 3),
            "mean_loss_interval95": [round(end, 3) for end in self.loss_interval],
            "illegal_or_failed": len(self.faults),
            "random_best_move_rate": round(rate, 4),
            "random_mean_loss": round(loss, 3),
        }


class EndgameAccuracy(MoveAccuracy):
    """How well an agent moved in the packaged endgame positions."""

    def position_rows(self) -> list[dict[str, Any]]:
        """The agent's move and loss in each packaged position; see `MoveAccuracy.rows`."""
        return self.rows(endgame_positions())

    def to_json(self) -> dict[str, Any]:
        """The results as plain values, with the expected results of random moves."""
        return {"positions": ENDGAMES, **self.as_values(random_endgame())}


@cache
def endgame_positions() -> tuple[EndgamePosition, ...]:
    """The packaged positions, in the order of their file.

    >>> len(endgame_positions())
    500
    """
    return tuple(map(parse_position, packaged_lines("othello_env.arena.rating", f"{ENDGAMES}.txt")))


def parse_position(line: str, size: int = 8) -> EndgamePosition:
    """A position and its scores from a line of a packaged list.

    The line has a transcript, then ``move:score`` for each legal move.
    """
    transcript, *moves = line.split()
    state = Othello.from_moves(transcript, size)
    scores = dict(move.split(":") for move in moves)
    return EndgamePosition(state, {state.action_from_text(move): int(score) for move, score in scores.items()})


def measure_endgame(agent: str | Agent | Policy, *, seed: int = 0) -> EndgameAccuracy:
    """Ask an agent for its move in each packaged position, and compare its moves with perfect play.

    A `FaultWarning` reports illegal and failed answers.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        seed: determines the agent's random choices.

    Raises:
        AgentLeftError: the agent, such as a person, has left the game.
        TypeError: the seed is not an integer.
        ValueError: the seed is negative.
        WrongGameError: the agent does not play Othello on 8x8.
    """
    seed = check_seed(seed)
    player, positions = make_agent(agent, seed), endgame_positions()
    player.check_game(positions[0].state)
    accuracy = EndgameAccuracy.from_answers(positions, ask_each(player, positions, seed))
    warn_of_faults(repr(player), "answers", accuracy.faults, len(positions))
    return accuracy


def random_endgame() -> tuple[float, float]:
    """The expected results of random moves in the packaged positions; see `random_accuracy`.

    >>> [round(number, 2) for number in random_endgame()]
    [0.24, 9.79]
    """
    return random_accuracy(endgame_positions())


def random_accuracy(positions: Sequence[EndgamePosition]) -> tuple[float, float]:
    """The expected results of random moves in these positions: the share of best moves, and the mean loss in discs."""
    losses = [[position.loss(action) for action in position.scores] for position in positions]
    best = [sum(loss == 0 for loss in of_position) / len(of_position) for of_position in losses]
    return sum(best) / len(best), sum(sum(of_position) / len(of_position) for of_position in losses) / len(losses)


def ask_each(agent: Agent, positions: Sequence[EndgamePosition], seed: int) -> list[int | str]:
    """Ask an agent for its move in each position.

    Returns:
        For each position, the agent's action, or a text that says why the agent gave no legal action.

    Raises:
        AgentLeftError: the agent has left the game, as a person can.
        WrongGameError: the agent does not play Othello on boards of this size.
    """
    keys = [mix_int(seed, number) for number in range(len(positions))]
    if positions and agent.answers_batches(positions[0].state):
        try:
            batch = OthelloPositions.from_states([position.state for position in positions], keys)
            actions: list[int | str] = ask_batch(agent, batch).tolist()
            if all(action in position.scores for position, action in zip(positions, actions, strict=True)):
                return actions
        except (AgentLeftError, WrongGameError):
            raise
        except (Exception, SystemExit) as error:
            raise_interrupt(error)
    # If the agent fails in one position, the whole batch fails. So `_answer` asks it again, one position at a time.
    return [_answer(agent, position, key) for position, key in zip(positions, keys, strict=True)]


def _answer(agent: Agent, position: EndgamePosition, key: int) -> int | str:
    try:
        return Seat(agent, key).ask(position.state)
    except (AgentLeftError, WrongGameError):
        raise
    except (Exception, SystemExit) as error:
        raise_interrupt(error)
        return failure(agent, position.state, error)


REGRET_SIZES = (4, 6)
"""The sizes of the boards (height and width) for which the package has positions with exact scores."""

_STARTS = {4: -10, 6: -4}
"""For each board size, Black's exact score at the start, in discs."""
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

    def position_rows(self) -> list[dict[str, Any]]:
        """The agent's move and loss in each packaged position; see `MoveAccuracy.rows`."""
        return self.all.rows(regret_positions(self.size))

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
        sizes = " or ".join(map(str, REGRET_SIZES))
        raise ValueError(f"regret is measured on boards of size {sizes}, not {size!r}; measure_endgame is for 8x8")
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


@cache
def solved_openings(size: int = 6) -> tuple[tuple[Othello, int], ...]:
    """The packaged openings for boards of one size. Each opening has a position, and Black's exact score in discs.

    The first opening is the start of the game. The other openings come from the file that `openings_name` names. On
    6x6, about half of the openings in this file end in a draw under perfect play. No two openings are equal under
    symmetry.

    Raises:
        ValueError: there are no openings for this size.
    """
    file = f"{openings_name(check_regret_size(size))}.txt"
    openings = [(Othello(size), _STARTS[size])]
    for transcript, score in map(str.split, packaged_lines("othello_env.arena.rating", file)):
        openings.append((Othello.from_moves(transcript, size), int(score)))
    return tuple(openings)


def openings_name(size: int) -> str:
    """The name of the packaged openings for boards of one size.

    `scripts/make/scored_positions.py` made and solved these openings.
    """
    return f"openings-{size}x{size}-v0"


def measure_regret(agent: str | Agent | Policy, *, size: int = 6, seed: int = 0) -> Regret:
    """Ask an agent for its move in each packaged position, and compare its moves with perfect play.

    The package has the exact scores of all moves. So only the agent's answers take time, and the function can be called
    every few minutes during training. A `FaultWarning` reports illegal and failed answers.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        size: the board's height and width, 4 or 6. For 8x8, there is `measure_endgame`.
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
    regret = Regret(size, tuple(_stages(size, answers)), MoveAccuracy.from_answers(positions, answers))
    warn_of_faults(repr(player), "answers", regret.faults, len(positions))
    return regret


def _stages(size: int, answers: list[int | str]) -> Iterator[Stage]:
    positions = regret_positions(size)
    for fewest, most in _STAGES[size]:
        places = [i for i, position in enumerate(positions) if fewest <= position.state.empties <= most]
        chosen = [positions[i] for i in places]
        yield Stage(
            fewest, most, MoveAccuracy.from_answers(chosen, [answers[i] for i in places]), random_accuracy(chosen)
        )
