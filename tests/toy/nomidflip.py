"""A variant of the rules of Othello outside the package: of each line of discs that a move encloses, only the first and
the last disc turn over. It is the game NoMidFlip of MetaOthello."""

from typing import Any, Self

import numpy as np

from othello_env import Game, Othello, register_game
from othello_env.games.batch import functions as batch
from othello_env.games.othello.batch import OthelloBatch, OthelloConstants, disc_of
from othello_env.games.othello.bitboard import legal_moves
from othello_env.support.dispatch import implementation
from othello_env.support.jit import kernel

DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


@kernel
def turned(disc: np.uint64, own: np.uint64, opponent: np.uint64) -> np.uint64:
    """The discs that turn over when the disc is placed."""
    found, one, zero = np.uint64(0), np.uint64(1), np.uint64(0)
    square = 0
    while square < 64 and (one << np.uint64(square)) != disc:
        square += 1
    for down, right in DIRECTIONS:
        ends, count = zero, 0
        row, column = square // 8 + down, square % 8 + right
        last = zero
        while 0 <= row < 8 and 0 <= column < 8:
            here = one << np.uint64(8 * row + column)
            if here & opponent == zero:
                if here & own != zero:
                    found |= ends | last
                break
            ends = here if count == 0 else ends
            last, count = here, count + 1
            row, column = row + down, column + right
    return found


class NoMidFlip(Othello):
    """A position."""

    __slots__ = ()

    def play(self, action: int) -> Self:
        after = super().play(action)
        disc = int(disc_of(action, np.uint64(self.size)))
        if not disc:
            return after
        flipped = int(turned(np.uint64(disc), np.uint64(self.own), np.uint64(self.opponent)))
        return self.at(self.opponent & ~flipped, self.own | flipped | disc, 1 - self.to_move, after.moves)


class NoMidFlipConstants(OthelloConstants):
    """The constants of the compiled code. Othello's functions serve them, except those that are implemented below."""


@implementation(batch.play, NoMidFlipConstants)
def _play(constants: Any, state: Any, i: int, action: int) -> None:
    own, opponent, legal = state.boards
    disc = disc_of(action, np.uint64(constants.size))
    flipped = turned(disc, own[i], opponent[i]) if disc != np.uint64(0) else np.uint64(0)
    own[i], opponent[i] = opponent[i] & ~flipped, own[i] | flipped | disc
    legal[i] = legal_moves(own[i], opponent[i], constants.board)
    state.over[i] = (legal[i] | legal_moves(opponent[i], own[i], constants.board)) == np.uint64(0)
    state.to_move[i] ^= 1


@implementation(batch.play_all, NoMidFlipConstants)
def _play_all(constants: Any, state: Any, actions: Any, unplayable: Any) -> None:
    for i in range(len(actions)):
        if len(unplayable) == 0 or not unplayable[i]:
            batch.play(constants, state, i, actions[i])
        else:
            state.over[i] = True


class NoMidFlipBatch(OthelloBatch):
    """N games as arrays."""

    constants_class = NoMidFlipConstants


register_game(Game(name="nomidflip", state=NoMidFlip, batch=NoMidFlipBatch))
