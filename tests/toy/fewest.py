"""Othello in which the player with fewer discs wins: a variant of the rules outside the package, in forty lines."""

from typing import Any

from othello_env import Othello, register_game
from othello_env.games.batch import functions as batch
from othello_env.games.othello.batch import OthelloGames, OthelloRules
from othello_env.support.dispatch import implementation


class Fewest(Othello):
    """A position. The moves are those of Othello; the margins are swapped, and with them the results."""

    __slots__ = ()

    def margins(self) -> tuple[float, ...]:
        black, white = super().margins()
        return white, black


class FewestRules(OthelloRules):
    """The rules in compiled code. They have Othello's functions, except those that are implemented below."""


@implementation(batch.result, FewestRules)
def _result(rules: Any, games: Any, boards: Any, i: int, player: int, by_margin: bool) -> float:
    othello = OthelloRules(rules.board, rules.size)  # so that this call takes Othello's function
    return batch.result(othello, games, boards, i, 1 - player, by_margin)


class FewestGames(OthelloGames):
    """N games as arrays, for the vector environment."""

    rules_class = FewestRules


register_game("fewest", Fewest, FewestGames)
