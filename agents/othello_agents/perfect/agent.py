"""The agent that plays perfectly on 4x4 and 6x6."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from othello_agents.perfect.book import shipped_book
from othello_agents.perfect.solving import Solver, score_4x4
from othello_env.agent import Agent, WrongGameError, as_othello, check_not_over, spec_text
from othello_env.games.game import State
from othello_env.games.othello.batch import OthelloPositions
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_whole

__all__ = ["Perfect"]

_DEFAULT_HASH = 64
_LARGEST_HASH = 1 << 16
_SHORT = 22
"""A search of a position with at most this number of empty squares takes a fraction of a second."""


class Perfect(Agent):
    """Plays 4x4 and 6x6 Othello perfectly: no move of this agent lowers the exact score of its side, in discs.

    If several moves are perfect, the agent always plays the same move. So its moves depend only on the position.

    On 4x4, the agent solves all positions at its first move, in about a second. On 6x6, it uses a packaged file. If
    the agent plays a whole game from the standard start, the file has all moves of the agent while more than 22 squares
    are empty. In positions that are not in the file, such as positions after a random opening, the agent searches. A
    search takes a second or two with 24 empty squares. Each further empty square about doubles the time.

    Args:
        hash: the size of the search's transposition table in MiB.

    Raises:
        TypeError: `hash` is not a whole number.
        ValueError: `hash` is out of range.
    """

    unit = "discs, by perfect play"
    """The unit of the agent's scores (see `Agent`)."""

    def __init__(self, hash: int = _DEFAULT_HASH) -> None:  # noqa: A002 - the usual name in engines
        self._hash = check_whole("hash", hash, 1, _LARGEST_HASH)
        self._solver: Solver | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return spec_text("perfect", {"hash": None if self._hash == _DEFAULT_HASH else self._hash})

    def __reduce__(self) -> tuple[type[Perfect], tuple[int]]:
        return (type(self), (self._hash,))

    def check_game(self, state: State) -> None:
        if as_othello(state, "perfect plays").size == 8:
            raise WrongGameError(
                "perfect plays Othello on 4x4 and 6x6; 8x8 is too large for perfect play from the start "
                "(engine:exact=20 plays perfectly with at most 20 empty squares)"
            )

    def act(self, state: State, *, seconds_left: float | None = None) -> int:
        position = self._playable(state)
        if position.must_pass:
            return position.pass_action
        if position.size == 4:
            return max(position.legal_actions(), key=lambda action: -score_4x4(position.play(action)))
        known = shipped_book().find(position)
        if known is not None:
            return known[1]
        if len(actions := position.legal_actions()) == 1:
            return actions[0]
        with self._lock:
            return self._fresh_solver().solve(position)[1]

    def score(self, state: State) -> int:
        """The final score of a position with perfect play, in discs, for the player to move.

        The winner also gets the empty squares. The game may be over.

        Raises:
            WrongGameError: the state is not a position of Othello on 4x4 or 6x6.
        """
        self.check_game(state)
        position = as_othello(state, "perfect plays")
        with self._lock:
            return self._score(position, self._fresh_solver(), 0)

    def knows(self, state: State) -> bool:
        """Whether `action_values` takes seconds at most. Otherwise, it may take hours.

        It takes seconds if the packaged file has the score of each action, or if short searches find the scores.
        """
        position = self._playable(state)
        return (
            position.size == 4
            or position.empties <= _SHORT
            or all(self._is_known(position.play(action)) for action in position.legal_actions())
        )

    @staticmethod
    def _is_known(position: Othello) -> bool:
        if position.must_pass:
            position = position.play(position.pass_action)
        return position.is_over or shipped_book().find(position) is not None

    def action_values(self, state: State) -> dict[int, float]:
        """The exact score of each legal action for the player to move, in discs. On 6x6 a search may be needed."""
        position = self._playable(state)
        values: dict[int, float] = {}
        with self._lock:
            solver = self._fresh_solver()
            for action in position.legal_actions():
                guess = int(max(values.values(), default=0))
                values[action] = float(-self._score(position.play(action), solver, -guess))
        return values

    def exact_scores(self, positions: OthelloPositions | Iterable[Othello]) -> npt.NDArray[np.float64]:
        """The final score with perfect play after each action in N positions; NaN for illegal actions.

        The result is `(N, number of actions) float64`, in discs, for the player to move.

        Args:
            positions: N unfinished positions of one size.

        Raises:
            ValueError: the positions differ in size, or a game is over.
            WrongGameError: the positions are not on 4x4 or 6x6.
        """
        batch = positions if isinstance(positions, OthelloPositions) else OthelloPositions.from_states(list(positions))
        scores = np.full((len(batch), batch.size**2 + 1), np.nan)
        for i in range(len(batch)):
            for action, score in self.action_values(batch.state(i)).items():
                scores[i, action] = score
        return scores

    def _score(self, position: Othello, solver: Solver, guess: int) -> int:
        """The exact score for the player to move. `guess` is the expected score; only a search uses it."""
        if position.size == 4:
            return score_4x4(position)
        if position.is_over:
            return int(position.margins()[position.to_move])
        if position.must_pass:
            return -self._score(position.play(position.pass_action), solver, -guess)
        known = shipped_book().find(position)
        return known[0] if known is not None else solver.solve(position, guess=guess)[0]

    def _fresh_solver(self) -> Solver:
        """The solver with an empty transposition table, so that its answers depend only on the position."""
        if self._solver is None:
            self._solver = Solver(self._hash)
        self._solver.forget()
        return self._solver

    def _playable(self, state: State) -> Othello:
        self.check_game(state)
        position = as_othello(state, "perfect plays")
        check_not_over(position)
        return position
