"""How well an agent moves in packaged positions with exact scores: endgames on 8x8, and all stages on small boards.

How far a move is from perfect play, in discs, is also called its regret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from othello_env.agent import Agent, GameAhead, Policy, Seat, ask_batch, make_agent
from othello_env.arena.number import Number
from othello_env.arena.openings import packaged_lines
from othello_env.arena.play.games import attempt, failure, warn_of_faults
from othello_env.arena.report import Limits, Part, Table, game_name
from othello_env.arena.statistics import mean_interval
from othello_env.arena.tournament.results import score_interval
from othello_env.drawing.charts import row_chart
from othello_env.games.game import State, check_seed
from othello_env.games.hashing import mix_int
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello
from othello_env.games.registry import GameLike, GameSpec
from othello_env.support.numbers import named_arguments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "LISTS",
    "ORDER",
    "Accuracy",
    "PositionList",
    "ScoredPosition",
    "applies",
    "expected_moves",
    "games_ahead",
    "load_positions",
    "measure",
    "measure_positions",
]

ORDER = 2


@dataclass(frozen=True)
class PositionList:
    """A packaged list of positions, which `scripts/make/scored_positions.py` made and solved.

    Attributes:
        name: the name of the list and of its file. It changes if the positions or their scores change.
        best: what the share of best moves is called.
        stages: the stages of the game: the least and the greatest number of empty squares of each.
    """

    name: str
    best: str
    stages: tuple[tuple[int, int], ...] = ()


LISTS = {
    "othello": PositionList("endgame-v0", "best endgame moves"),
    "othello:size=6": PositionList("regret-6x6-v0", "perfect moves", ((4, 7), (8, 11), (12, 15), (16, 18), (19, 22))),
    "othello:size=4": PositionList("regret-4x4-v0", "perfect moves", ((2, 3), (4, 5), (6, 7))),
}
"""The packaged lists by the game. On 8x8 the positions have 8 to 12 empty squares. On small boards, there are equally
many positions for each number of empty squares."""


@dataclass(frozen=True, slots=True)
class ScoredPosition:
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


def applies(game: GameSpec, limits: Limits) -> bool:
    """Whether this part is measured in a game."""
    return str(game) in LISTS


def expected_moves(game: GameSpec, limits: Limits) -> int:
    """The number of moves that an agent is asked for."""
    return len(load_positions(str(game)))


def measure(
    agent: Agent, game: GameSpec, seed: int, limits: Limits, progress: Callable[[Accuracy], object]
) -> Accuracy:
    """An agent's moves in the packaged positions, as a part of a benchmark."""
    return measure_positions(agent, game=game, seed=seed)


@dataclass(frozen=True)
class Accuracy(Part):
    """How well an agent moved in N positions whose exact scores are known.

    Attributes:
        game: the game, such as ``othello:size=6``.
        positions: the positions.
        answers: for each position, the agent's action, or a text that says why it gave no legal action. Such an answer
            counts as the worst move.
    """

    game: str
    positions: tuple[ScoredPosition, ...]
    answers: tuple[int | str, ...]
    part = "positions"

    def __repr__(self) -> str:
        failed = f", {len(self.faults)} failed" if self.faults else ""
        said = f"{len(self.positions)} positions: a best move in {self.rate:.1%}, {self.loss:.2f} discs lost a move"
        return f"<Accuracy in {self.game}, {said}{failed}>"

    @cached_property
    def losses(self) -> tuple[float, ...]:
        """(N,), the discs that each move of the agent lost, compared with a best move."""
        return tuple(
            max(map(position.loss, position.scores)) if isinstance(answer, str) else position.loss(answer)
            for position, answer in zip(self.positions, self.answers, strict=True)
        )

    @property
    def faults(self) -> tuple[str, ...]:
        return tuple(answer for answer in self.answers if isinstance(answer, str))

    @property
    def best(self) -> int:
        """The number of positions in which the agent found a best move."""
        return sum(
            loss == 0 and not isinstance(answer, str) for answer, loss in zip(self.answers, self.losses, strict=True)
        )

    @property
    def rate(self) -> float:
        """The share of positions in which the agent found a best move."""
        return self.best / len(self.positions)

    @property
    def rate_interval(self) -> tuple[float, float]:
        """The 95% interval of `rate`, by Wilson's method. Each position is from another game, so they are the units."""
        return score_interval([1.0] * self.best + [0.0] * (len(self.positions) - self.best))

    @property
    def loss(self) -> float:
        """The mean number of discs that a move lost."""
        return sum(self.losses) / len(self.positions)

    @property
    def loss_interval(self) -> tuple[float, float]:
        """The 95% interval of `loss`; see `othello_env.arena.mean_interval`."""
        low, high = mean_interval(self.losses).interval
        return max(0.0, low), high

    @property
    def stages(self) -> dict[str, Accuracy]:
        """The results in each stage of the game, by the numbers of empty squares, such as ``4 to 7``."""
        found = {}
        for fewest, most in LISTS[self.game].stages:
            chosen = [
                (position, answer)
                for position, answer in zip(self.positions, self.answers, strict=True)
                if fewest <= position.state.empties <= most
            ]
            positions, answers = zip(*chosen, strict=True)
            found[f"{fewest} to {most}"] = Accuracy(self.game, positions, answers)
        return found

    @cached_property
    def random(self) -> tuple[float, float]:
        """The expected results of random moves: the share of best moves, and the mean loss in discs.

        >>> [round(number, 2) for number in measure_positions("random").random]
        [0.24, 9.79]
        """
        losses = [[position.loss(action) for action in position.scores] for position in self.positions]
        best = [sum(loss == 0 for loss in of_position) / len(of_position) for of_position in losses]
        return sum(best) / len(best), sum(sum(of_position) / len(of_position) for of_position in losses) / len(losses)

    @property
    def numbers(self) -> tuple[Number, ...]:
        rate, loss = self.random
        return (
            Number(LISTS[self.game].best, self.game, self.rate, "share", *self.rate_interval, rate),
            Number("discs lost a move", self.game, self.loss, "discs", *self.loss_interval, loss),
        )

    @property
    def how(self) -> str:
        return f"{LISTS[self.game].name}, {len(self.positions)} positions"

    @property
    def tables(self) -> tuple[Table, ...]:
        """A row for each stage of the game."""
        rows = [
            {"empty": empty, "positions": len(stage.positions)} | {number.name: number for number in stage.numbers}
            for empty, stage in self.stages.items()
        ]
        return (Table(tuple(rows[0]), tuple(rows)),) if rows else ()

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"{len(self.faults)} of {len(self.positions)} answers were illegal or failed.",) if self.faults else ()

    @property
    def details(self) -> dict[str, Any]:
        return {"positions": LISTS[self.game].name, "count": len(self.positions)}

    def chart(self, name: str) -> Figure | None:
        """A chart of the share of perfect moves in each stage of the game."""
        if not self.stages:
            return None
        rate, loss = self.numbers
        rows = [stage.numbers[0].row(f"{empty} empty squares") for empty, stage in reversed(self.stages.items())]
        return row_chart(
            f"{name} in {self.game}: {rate.name} {rate.value_text}",
            f"{len(self.positions)} positions, 95% intervals; {loss.value_text} {loss.name}",
            rows,
            f"share of {rate.name} (grey: random moves)",
            limits=(-0.02, 1.02),
        )

    def position_rows(self) -> list[Mapping[str, Any]]:
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
                "move": None if isinstance(action, str) else position.state.action_to_text(action),
                "loss": loss,
                "best": [position.state.action_to_text(a) for a in position.scores if position.loss(a) == 0],
            }
            for number, (position, action, loss) in enumerate(
                zip(self.positions, self.answers, self.losses, strict=True)
            )
        ]


def load_positions(game: GameLike = "othello") -> tuple[ScoredPosition, ...]:
    """The packaged positions for a game, in the order of their file.

    In each position, at least one legal move loses discs, compared with the best move. No two positions are equal under
    symmetry.

    Raises:
        ValueError: there are no positions for this game.

    >>> len(load_positions()), len(load_positions("othello:size=6"))
    (500, 380)
    """
    name = game_name(game)
    if name not in LISTS:
        raise ValueError(f"the packaged positions are for {', '.join(LISTS)}, not {name}")
    return _load(name)


@cache
def _load(game: str) -> tuple[ScoredPosition, ...]:
    start = GameSpec.parse(game).start(0)
    assert isinstance(start, Othello)
    found = []
    for line in packaged_lines("othello_env.arena.benchmark", f"{LISTS[game].name}.txt"):
        transcript, *moves = line.split()  # a transcript, then move:score for each legal move
        state, scores = Othello.from_moves(transcript, start.size), dict(move.split(":") for move in moves)
        found.append(ScoredPosition(state, {state.action_from_text(move): int(x) for move, x in scores.items()}))
    return tuple(found)


@named_arguments
def measure_positions(agent: str | Agent | Policy, *, game: GameLike = "othello", seed: int = 0) -> Accuracy:
    """Ask an agent for its move in each packaged position, and compare its moves with perfect play.

    The package has the exact scores of all moves. So only the agent's answers take time, and the function can be called
    every few minutes during training. A `FaultWarning` reports illegal and failed answers.

    Args:
        agent: an Agent, a spec (a text such as ``"random"``) or a callable (`othello_env.agent.Policy`).
        game: ``"othello"`` for endgames on 8x8; ``"othello:size=6"`` or ``"othello:size=4"`` for all stages of the
            game.
        seed: determines the agent's random choices.

    Raises:
        AgentLeftError: the agent has left the game, as a person can.
        TypeError: the seed is not an integer.
        ValueError: there are no positions for this game, or the seed is negative.
        WrongGameError: the agent does not play this game.
    """
    seed, positions = check_seed(seed), load_positions(game)
    player = make_agent(agent, seed)
    player.check_game(positions[0].state)
    accuracy = Accuracy(game_name(game), positions, tuple(_ask_each(player, positions, seed)))
    warn_of_faults(repr(player), "answers", accuracy.faults, len(positions))
    return accuracy


def _ask_each(agent: Agent, positions: Sequence[ScoredPosition], seed: int) -> list[int | str]:
    """For each position, the agent's action, or a text that says why the agent gave no legal action."""
    keys = _keys(len(positions), seed)

    def together() -> list[int] | None:
        batch = OthelloPositions.from_states([position.state for position in positions], keys)
        actions: list[int] = ask_batch(agent, batch).tolist()
        are_legal = all(action in position.scores for position, action in zip(positions, actions, strict=True))
        return actions if are_legal else None

    if positions and agent.answers_batches(positions[0].state):
        actions = attempt(together, lambda _: None)
        if actions is not None:
            return [*actions]
    # If the agent fails in one position, the whole batch fails. So `_answer` asks it again, one position at a time.
    return [_answer(agent, position.state, key) for position, key in zip(positions, keys, strict=True)]


def _keys(count: int, seed: int) -> list[int]:
    return [mix_int(seed, number) for number in range(count)]


def games_ahead(game: GameSpec, seed: int) -> Iterator[GameAhead]:
    """The packaged positions, for an agent that can be asked ahead."""
    positions = load_positions(str(game))
    for position, key in zip(positions, _keys(len(positions), seed), strict=True):
        yield _asked_once(position.state, key)


def _asked_once(state: State, key: int) -> GameAhead:
    yield state, key


def _answer(agent: Agent, state: Othello, key: int) -> int | str:
    return attempt(lambda: Seat(agent, key).ask(state), lambda error: failure(agent, state, error))
