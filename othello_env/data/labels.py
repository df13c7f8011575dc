"""Labels for the moves in the positions of games: exact scores near the end, or an agent's values or probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from othello_env.agent import Agent, Policy, exact, make_agent
from othello_env.arena.play.elsewhere import run_anywhere
from othello_env.data.games import Games
from othello_env.data.replay import othello_positions
from othello_env.games.game import check_seed
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_flag, check_type, check_whole, check_workers
from othello_env.support.workers import Worker

__all__ = ["MoveLabels", "agent_labels", "exact_labels", "exact_scores"]

_AT_ONCE = 500
"""The number of positions that `exact_labels` gives to a worker process at a time."""


@dataclass(frozen=True)
class MoveLabels:
    """Labels of M positions. A label is a number for a legal action.

    Attributes:
        game: (M,) int64, the number of the position's game, from 0.
        ply: (M,) int32, the number of plies that were played in the game before the position.
        values: (M, A) float32, the label of each of the A actions; NaN if the action is illegal. Exact labels and the
            values of the agent `engine` are in discs. Other agents have units of their own.
    """

    game: npt.NDArray[np.int64]
    ply: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.game)


def exact_labels(
    games: Games,
    empties: int,
    *,
    count: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    ray: bool = False,
) -> MoveLabels:
    """Find the exact score of each move, in all positions with at most `empties` empty squares, or in some of them.

    The score of a move is the final lead in discs of the player who makes the move. The score assumes that both sides
    play perfectly after the move. Empty squares count for the winner. Solving a position with 12 empty squares takes
    about a millisecond. Each further empty square multiplies the time by a factor of two to three.

    Args:
        games: games of Othello.
        empties: the largest number of empty squares in a position that gets labels.
        count: the number of positions that get labels, drawn at random from these positions; None for all of them. If
            there are fewer, all get labels.
        seed: determines which positions are drawn.
        workers: the number of processes, by default 1. On a Ray cluster it is the number of jobs at a time, by default
            one for each core. The labels do not depend on this number. If this process is interrupted or killed, the
            other processes end at once.
        ray: whether to use a Ray cluster. This needs the extra `ray`.

    Raises:
        TypeError: a number is not an integer, or `ray` is not a bool.
        ValueError: the games are not of Othello, or a number is out of range.
        GamesError: a move is illegal.
        othello_env.support.workers.WorkerError: a worker process fails.
    """
    boards, game, ply = _positions(games)
    empties, seed = check_whole("empties", empties, 0), check_seed(seed)
    count = None if count is None else check_whole("count", count, 0)
    discs = np.unpackbits((boards.own | boards.opponent)[:, np.newaxis].view(np.uint8), axis=1).sum(axis=1)
    chosen = np.flatnonzero(boards.size**2 - discs <= empties)
    if count is not None and count < len(chosen):
        chosen = np.sort(np.random.default_rng(seed).choice(chosen, count, replace=False))
    return MoveLabels(game[chosen], ply[chosen], exact_scores(boards.part(chosen), workers=workers, ray=ray))


def exact_scores(
    positions: Sequence[Othello] | OthelloPositions, *, workers: int | None = None, ray: bool = False
) -> npt.NDArray[np.float32]:
    """Find the exact score of each move in M given positions; see `exact_labels`.

    Args:
        positions: positions of Othello on boards of one size.
        workers: see `exact_labels`.
        ray: see `exact_labels`.

    Returns:
        (M, A) float32, the score of each of the A actions, in discs for the player to move; NaN for illegal actions,
        and for all actions if the game is over.

    Raises:
        TypeError: `workers` is not an integer, or `ray` is not a bool.
        ValueError: the boards differ in size, or `workers` is out of range.
        WrongGameError: a position is of another game.
        othello_env.support.workers.WorkerError: a worker process fails.
    """
    check_workers(workers)
    check_flag("ray", ray)
    boards = positions if isinstance(positions, OthelloPositions) else OthelloPositions.from_states(list(positions))
    parts = [boards.part(slice(k, k + _AT_ONCE)) for k in range(0, len(boards), _AT_ONCE)]
    if len(parts) < 2 or (workers in (None, 1) and not ray):
        solutions = [exact.exact_scores(part) for part in parts]
    else:
        with closing(run_anywhere(partial(Worker, _solver), enumerate(parts), workers, ray)) as solved:
            solutions = [scores for _, scores in sorted(solved, key=itemgetter(0))]
    values = np.concatenate([np.zeros((0, boards.size**2 + 1)), *solutions])
    return values.astype(np.float32)


def agent_labels(games: Games, agent: str | Agent | Policy) -> MoveLabels:
    """Find an agent's value or probability of each legal action, in all positions.

    Args:
        games: games of Othello.
        agent: an agent with the method `action_values` or `action_probabilities`, or a text that names such an agent.
            If the agent has both methods, `action_values` is used.

    Raises:
        ValueError: the games are not of Othello, or the agent has neither of these methods.
        GamesError: a move is illegal.
    """
    boards, game, ply = _positions(games)
    asked: Any = make_agent(agent)
    ask = getattr(asked, "action_values", None) or getattr(asked, "action_probabilities", None)
    if ask is None:
        raise ValueError(f"{asked!r} has neither action_values nor action_probabilities")
    values = np.full((len(game), boards.size**2 + 1), np.nan, np.float32)
    for k in range(len(game)):
        for action, value in ask(boards.state(k)).items():
            values[k, action] = value
    return MoveLabels(game, ply, values)


def _positions(games: Games) -> tuple[OthelloPositions, npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    if type(check_type("games", games, Games).starts[0]) is not Othello:  # the solver plays by its rules
        raise ValueError(f"labels are for games of Othello, not of {games.game}")
    games.check()
    return othello_positions(games)


def _solver() -> Callable[[tuple[int, OthelloPositions]], tuple[int, npt.NDArray[np.float64]]]:
    """The function that answers in a worker process: it takes and returns the number of a part, too."""
    return lambda job: (job[0], exact.exact_scores(job[1]))
