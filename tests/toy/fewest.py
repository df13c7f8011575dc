"""Othello in which the player with fewer discs wins: a variant of the rules outside the package, in forty lines."""

from typing import Any

from othello_env import Game, Othello, register_game
from othello_env.games.batch import functions as batch
from othello_env.games.othello.batch import OthelloBatch, OthelloConstants
from othello_env.support.dispatch import implementation


class Fewest(Othello):
    """A position. The moves are those of Othello; the margins are swapped, and with them the results."""

    __slots__ = ()

    def margins(self) -> tuple[float, ...]:
        black, white = super().margins()
        return white, black


class FewestConstants(OthelloConstants):
    """The constants of the compiled code. Othello's functions serve them, except those that are implemented below."""


@implementation(batch.result, FewestConstants)
def _result(constants: Any, state: Any, i: int, player: int, by_margin: bool) -> float:
    othello = OthelloConstants(constants.board, constants.size)  # so that this call takes Othello's function
    return batch.result(othello, state, i, 1 - player, by_margin)


class FewestBatch(OthelloBatch):
    """N games as arrays, for the vector environment."""

    constants_class = FewestConstants


register_game(Game(name="fewest", state=Fewest, batch=FewestBatch))
