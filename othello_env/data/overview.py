"""An overview of many games: their results, lengths and openings, as counts and as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from othello_env.data.games import Games, Statistics
from othello_env.drawing.charts import games_chart, png
from othello_env.games.game import State
from othello_env.games.othello import symmetries
from othello_env.games.othello.position import Othello
from othello_env.support.numbers import check_each, check_type

__all__ = ["OPENING", "Overview"]

OPENING = 4
"""The number of plies at the beginning of a game that count as its opening."""


@dataclass(frozen=True)
class Overview:
    """Counts of games of two players.

    Attributes:
        statistics: numbers about the games.
        margins: for each margin, the number of finished games with this margin. The margin is the first player's lead
            at the end (in Othello, in discs). It is negative if the first player lost.
        plies: for each length of a game in plies, the number of games with this length.
        openings: for each opening (the first `OPENING` plies, as text), the number of games with this opening. Games
            that do not begin at the usual start are left out, and so are games with fewer than `OPENING` plies. In
            Othello, the four first moves are equivalent by symmetry. So each game is turned or mirrored to make its
            first move f5 (e4 on 6x6, d3 on 4x4).
        turned: whether games were turned or mirrored in this way.
    """

    statistics: Statistics
    margins: Mapping[int, int] = field(default_factory=dict)
    plies: Mapping[int, int] = field(default_factory=dict)
    openings: Mapping[str, int] = field(default_factory=dict)
    turned: bool = False

    @classmethod
    def from_parts(cls, parts: Iterable[Games]) -> Overview:
        """Make one overview of several `Games` objects, such as the parts of a dataset.

        Only one of these objects needs to be in memory at a time.

        Raises:
            ValueError: the games are of three players.
            GamesError: a move is illegal.
        """
        statistics, margins, plies, openings = [], Counter[int](), Counter[int](), Counter[str]()
        turned = False
        for games in check_each("parts", parts, Games):
            statistics.append(games.statistics())
            outcomes = games.outcomes
            margins.update(_counted(outcomes.margins[outcomes.over, 0].astype(np.int64)))
            plies.update(_counted(games.lengths))
            turns = isinstance(games.game.start(0), Othello)  # its first moves are equivalent by symmetry
            openings.update(_openings(games, turns))
            turned = turned or turns
        return cls(Statistics.from_parts(statistics), margins, plies, openings, turned)

    def picture(self, title: str, players: tuple[str, ...]) -> bytes:
        """Draw the results, the lengths and the most frequent openings. Return the bytes of a PNG file.

        Args:
            title: the text at the top.
            players: the names of the two sides.
        """
        if len(check_type("players", players, tuple)) != 2:
            raise ValueError(f"expected the names of two sides, got {players!r}")
        known = self.statistics
        subtitle = f"{known.finished:,} finished games"
        if known.finished:
            subtitle += (
                f": {players[0]} wins {known.first_wins:.1%}, {players[1]} {known.second_wins:.1%}, draws "
                f"{known.draws:.1%}; {known.plies:.1f} plies a game"
            )
        heading = "openings" + (", turned so that the first moves are equal" if self.turned else "")
        return png(games_chart(title, subtitle, players, self.margins, self.plies, self.openings, heading))


def _counted(values: np.ndarray) -> dict[int, int]:
    return dict(zip(*(array.tolist() for array in np.unique(values, return_counts=True)), strict=True))


def _openings(games: Games, turns: bool) -> Counter[str]:
    usual = games.game.start(0)
    is_usual = np.array([start == usual for start in games.starts])[games.start]
    chosen = games.actions[is_usual & (games.lengths >= OPENING), :OPENING]
    counts = Counter[str]()
    for row, count in zip(*np.unique(chosen, axis=0, return_counts=True), strict=True):
        counts[usual.names_of((_turned(usual, row) if turns else row).tolist())] += int(count)
    return counts


def _turned(start: State, row: np.ndarray) -> np.ndarray:
    """The actions of a game of Othello, turned or mirrored to make the first move f5; see `Overview`."""
    size = start.observation_shape[1]
    first = size * (size // 2) + size // 2 + 1
    turned = (symmetries.transform_actions(row, k, size) for k in range(symmetries.COUNT))
    return next((actions for actions in turned if actions[0] == first and start.is_legal(int(actions[0]))), row)
